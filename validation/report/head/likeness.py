"""How like the originals a release is, in sentences: what was compared and is alike, and what differs or was not compared.

Belongs here: which counts are said of likeness. What differs by no more than chance explains is alike; what nobody judges and
differs all the same is said, too: it cannot stand beside a yes.
"""

from collections.abc import Iterator, Mapping, Sequence

from validation.report.documents import Reports
from validation.report.documents.consistency import Consistency
from validation.report.documents.distributions import Distributions, Ks
from validation.report.head.gates import AGREEMENT, DISTRIBUTIONS, EQUIVALENCE, Gate
from validation.report.sections.agreement import (
    bounded,
    cells_sentence,
    exact,
    exact_sentence,
    outside,
    statistics,
    statistics_sentence,
    unbounded_sentence,
)
from validation.wording import counted

COMPARED: Mapping[str, str] = {
    DISTRIBUTIONS: "distributions",
    EQUIVALENCE: "what a KS test cannot see",
    AGREEMENT: "aggregates, totals and identities",
}
"""Gate -> what it compares with the originals."""


def alikes(reports: Reports) -> Iterator[str]:
    """Yield what was compared, with its counts."""
    ks, shapes, consistency = reports.ks, reports.distributions, reports.consistency
    if ks and ks.tests:
        small = f"; {counted(len(ks.too_small), 'sample')} too small for a test" if ks.too_small else ""
        yield f"{_tests(ks.rejected, len(ks.tests))}{_of_chance(ks)}{small}"
    if shapes and shapes.judged.samples:
        yield f"{shapes.judged.equivalent:,} of {shapes.judged.samples:,} samples shown to be equivalent"
    if consistency and (cells := bounded(consistency)):
        within = "all" if not outside(consistency) else f"{cells - outside(consistency):,} of"
        yield f"{within} {counted(cells, 'cell')} of aggregates with a bound keep it"
    if consistency and (sentence := statistics_sentence(consistency)):
        yield sentence
    if consistency and (sentence := exact_sentence(consistency)):
        yield sentence


def differences(reports: Reports, gates: Sequence[Gate]) -> Iterator[str]:
    """Yield what was not compared, what a person should look at, and what differs."""
    compared = {gate.name for gate in gates if gate.compared}
    if missing := [words for name, words in COMPARED.items() if name not in compared]:
        yield f"not compared: {'; '.join(missing)}"
    if reports.ks:
        yield from _of_tests(reports.ks)
    if reports.distributions:
        yield from _of_shapes(reports.distributions, [gate for gate in gates if gate.is_doubtful])
    if reports.consistency:
        yield from _of_agreement(reports.consistency)


def _of_tests(ks: Ks) -> Iterator[str]:
    if _is_beyond_chance(ks.rejected, len(ks.tests), ks.alpha):
        yield f"more tests find a difference than chance explains; {ks.allowed:,} may"
    for table, found in ks.events.items():
        if _is_beyond_chance(found.rejected, len(found.tests), found.alpha):
            yield f"reported only: {_tests(found.rejected, len(found.tests))} between figures of {table}"


def _of_shapes(of: Distributions, doubtful: Sequence[Gate]) -> Iterator[str]:
    yield from (f"look at this: {gate.claims[0].lower()}{gate.claims[1:]}" for gate in doubtful)
    if different := of.judged.different:
        yield f"{different:,} of {of.judged.samples:,} samples shown to differ; {of.judged.allowed:,} may"


def _of_agreement(of: Consistency) -> Iterator[str]:
    hold, compared = exact(of)
    if hold < compared:
        yield "what must agree to the last digit does not"
    differing, tested = statistics(of, is_judged=True)
    if _is_beyond_chance(differing, tested, of.alpha):
        yield "more statistics differ than chance explains"
    differing, tested = statistics(of, is_judged=False)
    if _is_beyond_chance(differing, tested, of.alpha):
        yield f"reported only: {differing:,} of {tested:,} further statistics of aggregates differ in distribution"
    if sentence := unbounded_sentence(of):
        yield sentence
    if sentence := cells_sentence(of):
        yield f"{sentence}: records are sampled, and their categories with them"


def _tests(rejected: int, tests: int) -> str:
    return f"{rejected:,} of {tests:,} tests find a difference"


def _of_chance(ks: Ks) -> str:
    return f"; chance alone would give about {ks.alpha * len(ks.tests):,.0f}" if ks.allowed else ""


def _is_beyond_chance(found: int, tried: int, alpha: float) -> bool:
    return found > alpha * tried

"""How like the originals a release is, in sentences: what was compared and is alike, and what differs or was not compared.

Belongs here: which counts are said of likeness. What differs by no more than chance explains is alike; what nobody judges and
differs all the same is said, too: it cannot stand beside a yes.
"""

from collections.abc import Iterator, Mapping, Sequence

from validation.report.documents import Reports
from validation.report.documents.consistency import Consistency
from validation.report.documents.distributions import Distributions, Ks, Tests
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


Found = Iterator[tuple[bool, str]]
"""Whether it is alike, and the sentence that says so."""


def likeness(reports: Reports, gates: Sequence[Gate]) -> Found:
    """Yield what was compared, with its counts, and what was not; of what differs that comes first which differs most."""
    compared = {gate.name for gate in gates if gate.compared}
    if missing := [words for name, words in COMPARED.items() if name not in compared]:
        yield False, f"not compared: {'; '.join(missing)}"
    if reports.consistency:
        yield from _of_unlike_cells(reports.consistency)
    if reports.ks:
        yield from _of_tests(reports.ks)
    if reports.distributions and reports.distributions.judged.samples:
        yield _of_shapes(reports.distributions)
    if reports.consistency:
        yield from _of_statistics(reports.consistency)
        yield from _of_cells(reports.consistency)


def _of_tests(ks: Ks) -> Found:
    if ks.tests:
        chance = f"; chance alone would give about {ks.alpha * len(ks.tests):,.0f}" if ks.allowed else ""
        yield _is_chance(ks.rejected, len(ks.tests), ks.alpha), f"{_rejected(ks)}{chance}"
        if ks.too_small:
            yield True, f"{counted(len(ks.too_small), 'sample')} too small for a test"
    for table, found in ks.events.items():
        if not _is_chance(found.rejected, len(found.tests), found.alpha):
            yield False, f"reported only: {_rejected(found)} between figures of {table}"


def _rejected(of: Tests) -> str:
    return f"{of.rejected:,} of {len(of.tests):,} tests find a difference"


def _of_shapes(of: Distributions) -> tuple[bool, str]:
    judged = of.judged
    differing = f", {judged.different:,} to differ; {judged.allowed:,} may" if judged.different else ""
    sentence = f"{judged.equivalent:,} of {judged.samples:,} samples shown to be equivalent{differing}"
    return of.passed and not judged.different, sentence


def _of_statistics(of: Consistency) -> Found:
    (differing, tested), (beside, further) = (statistics(of, is_judged=is_judged) for is_judged in (True, False))
    if tested:
        yield _is_chance(differing, tested, of.alpha), statistics_sentence(of)
    if not _is_chance(beside, further, of.alpha):
        yield False, f"reported only: {beside:,} of {further:,} further statistics of aggregates differ in distribution"


def _of_unlike_cells(of: Consistency) -> Found:
    yield from ((False, sentence) for sentence in (unbounded_sentence(of), cells_sentence(of)) if sentence)


def _of_cells(of: Consistency) -> Found:
    if cells := bounded(of):
        within = f"{cells - outside(of):,} of" if outside(of) else "all"
        yield not outside(of), f"{within} {counted(cells, 'cell')} of aggregates with a bound keep it"
    hold, compared = exact(of)
    if compared:
        yield hold == compared, exact_sentence(of)


def _is_chance(found: int, tried: int, alpha: float) -> bool:
    return found <= alpha * tried

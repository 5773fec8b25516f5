"""How like the originals a release is, in sentences: what was compared and is alike, and what differs or was not compared.

Belongs here: which counts are said of likeness. What differs by no more than chance explains is alike; what nobody judges and
differs all the same is said, too: it cannot stand beside a yes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pipeline.wording import counted
from validation.report.documents import Reports
from validation.report.documents.consistency import Consistency
from validation.report.documents.distributions import Distributions, Ks, Tests
from validation.report.head.gates import AGREEMENT, DISTRIBUTIONS, EQUIVALENCE, Gate
from validation.report.sections import agreement
from validation.report.sections.distances import counted_tests

COMPARED: Mapping[str, str] = {
    DISTRIBUTIONS: "distributions",
    EQUIVALENCE: "size, spread and tails",
    AGREEMENT: "aggregates, totals and identities",
}
"""Gate -> what it compares with the originals."""

_FINDABLE = 1.0
"""Standard deviations that half of the tests must find for a plain yes (our choice). Tests that just do find a large shift, 0.8
(Cohen 1988, section 2.2), in more than half of all cases."""

_KS, _BEYOND_KS, _CONSISTENCY = "ks", "beyond-ks", "consistency"


@dataclass(frozen=True)
class Likeness:
    """What one comparison found."""

    anchor: str
    """The section that has its figures."""
    sentence: str
    apart: str = ""
    """What of it is not as it was, in a few words; nothing of what is alike."""

    @property
    def is_alike(self) -> bool:
        """Say whether it found no difference that chance does not explain."""
        return not self.apart


def likeness(reports: Reports, gates: Sequence[Gate]) -> Iterator[Likeness]:
    """Yield what was compared, with its counts, and what was not; what is over its limit first, then what differs most."""
    for gate in gates:
        if gate.is_doubtful:
            apart = f"{gate.broken[0].lower()}{gate.broken[1:]}"
            yield Likeness(gate.anchor, f"{gate.in_words}. No build is refused for it", apart)
    compared = {gate.name for gate in gates if gate.compared}
    why = {gate.name: f" ({gate.figure})" for gate in gates if gate.name == EQUIVALENCE}
    if missing := [f"{words}{why.get(name, '')}" for name, words in COMPARED.items() if name not in compared]:
        yield Likeness(gates[0].anchor, f"not compared: {'; '.join(missing)}", "not everything was compared")
    if reports.distributions and reports.distributions.passed and reports.distributions.judged.samples:
        yield _of_shapes(reports.distributions)
    if reports.consistency:
        yield from _of_unlike_cells(reports.consistency)
    if reports.ks:
        yield from _of_tests(reports.ks)
    if reports.consistency:
        yield from _of_statistics(reports.consistency)
        yield from _of_cells(reports.consistency)


def _of_tests(ks: Ks) -> Iterator[Likeness]:
    if ks.tests:
        chance = f"; chance alone would give at most about {ks.alpha * len(ks.tests):,.0f}" if ks.allowed else ""
        apart = _beyond_chance(ks.rejected, len(ks.tests), ks.alpha, "distributions")
        yield Likeness(_KS, f"{_rejected(ks)}{chance}{_power(ks)}", apart)
        if ks.too_small:
            yield Likeness(_KS, f"{counted(len(ks.too_small), 'comparison')} of too few figures for a test")
    for table, found in ks.events.items():
        if apart := _beyond_chance(found.rejected, len(found.tests), found.alpha, "figures of events"):
            yield Likeness(_KS, f"reported only: {_rejected(found)} between figures of {table}", apart)


def _power(of: Ks) -> str:
    """Return what half of the tests may miss: of few figures no test finds a small difference."""
    test = "it" if len(of.tests) == 1 else "half of the tests"
    found = of.median_detectable_shift
    shift = "any shift" if found is None else f"a shift of less than {found:.2g} standard deviations"
    return f"; {test} may miss {shift}"


def is_of_few(reports: Reports) -> bool:
    """Say whether most tests would miss even a large difference, and not every sample is shown to be equivalent either."""
    ks, shapes = reports.ks, reports.distributions
    if ks is None or not ks.tests or (shapes and shapes.judged.equivalent == len(ks.tests)):
        return False
    return ks.median_detectable_shift is None or ks.median_detectable_shift > _FINDABLE


def mostly_apart(reports: Reports) -> str:
    """Return how many comparisons show a difference; nothing unless more do than show equivalence, and than may."""
    of = reports.distributions.judged if reports.distributions else None
    if of is None or of.different <= max(of.equivalent, of.allowed):
        return ""
    return (
        f"figures differ in {of.different:,} of {counted(of.samples, 'comparison')}, and are alike in {of.equivalent:,}"
    )


def _rejected(of: Tests) -> str:
    if len(of.tests) == 1:
        return f"the only test finds {'a' if of.rejected else 'no'} difference"
    return f"{of.rejected:,} of {counted_tests(of)} {'finds' if of.rejected == 1 else 'find'} a difference"


def _of_shapes(of: Distributions) -> Likeness:
    judged = of.judged
    every = counted(judged.samples, "comparison")
    allowed = f" ({judged.allowed:,} allowed)" if judged.different else ""
    undecided = judged.samples - judged.equivalent - judged.different
    sentence = (
        f"figures are shown to be equivalent in {judged.equivalent:,} of {every}, to differ in {judged.different:,}{allowed}, "
        f"and undecided in {undecided:,}"
    )
    return Likeness(
        _BEYOND_KS, sentence, f"figures differ in {judged.different:,} of {every}" if judged.different else ""
    )


def _of_statistics(of: Consistency) -> Iterator[Likeness]:
    (differing, tested), (beside, further) = (
        agreement.statistics(of, is_judged=is_judged) for is_judged in (True, False)
    )
    if tested:
        apart = _beyond_chance(differing, tested, of.alpha, _STATISTICS)
        yield Likeness(_CONSISTENCY, agreement.statistics_sentence(of), apart)
    if apart := _beyond_chance(beside, further, of.alpha, _STATISTICS):
        sentence = f"reported only: {beside:,} of {further:,} further statistics of aggregates differ in distribution"
        yield Likeness(_CONSISTENCY, sentence, apart)


def _of_unlike_cells(of: Consistency) -> Iterator[Likeness]:
    every = {
        agreement.unbounded_in_words(of): agreement.unbounded_sentence(of),
        "aggregates have other rows": agreement.cells_sentence(of),
    }
    yield from (Likeness(_CONSISTENCY, sentence, apart) for apart, sentence in every.items() if sentence)


def _of_cells(of: Consistency) -> Iterator[Likeness]:
    if sentence := agreement.limits_sentence(of):
        yield Likeness(_CONSISTENCY, sentence, "aggregates are over their limits" if agreement.outside(of) else "")
    hold, compared = agreement.exact(of)
    if compared:
        apart = "" if hold == compared else "totals or identities do not hold"
        yield Likeness(_CONSISTENCY, agreement.exact_sentence(of), apart)


_STATISTICS = "statistics of aggregates"


def _beyond_chance(found: int, tried: int, alpha: float, what: str) -> str:
    """Say what differs by more than chance explains; nothing where it does not."""
    return f"{what} differ by more than chance" if found > alpha * tried else ""

"""What was checked before publishing, one row each: the claim in plain words, whether it holds, and the figure that says so.

Belongs here: the words of claims. Every verdict was reached by a report.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from anonymize.policy import POLICIES
from pipeline.wording import counted, exact_percent, percent
from validation.attacks.limits import MARGIN, MOST_LEARNT, TOO_FEW
from validation.consistency.aggregates import MOST_OF_CELLS
from validation.distributions.equivalence import FIGURES_SAMPLED
from validation.distributions.two_sample import ALPHA, MOST_OF_SAMPLED
from validation.escapes import Escape
from validation.report.documents import Reports
from validation.report.documents.consistency import Consistency
from validation.report.documents.distributions import Distributions, Ks
from validation.report.documents.noise import Expectations, Noise
from validation.report.documents.privacy import Privacy
from validation.report.html import Cell, word
from validation.report.sections.agreement import (
    bounded,
    cells_of,
    cells_sentence,
    differing_measures,
    exact,
    exact_sentence,
    may_differ,
    outside,
    statistics,
    statistics_sentence,
    unbounded_sentence,
    unjudged_statistics,
)
from validation.report.sections.attacked import (
    exceeded,
    files_in_words,
    left_in_prose,
    limited,
    places_in_words,
    powerless,
    tried_in_words,
)
from validation.report.sections.distances import counted_tests, largest_distance
from validation.report.sections.noise import changes_and_entries
from validation.report.sections.release import ReportedVariant
from validation.report.sections.unpromised import excess_in_words, over_by_bound

DISTRIBUTIONS, EQUIVALENCE, AGREEMENT, STATISTICS = "distributions", "equivalence", "agreement", "statistics"
ATTACKS, UNPROVEN, IDENTIFIERS = "attacks", "attacks by their bound", "identifiers"
EXACT, MENDING, REALISM, TABLES, RATES = "exact", "mending", "realism", "tables", "rates"

LEDGER_IS_EXACT = "ledger_is_exact"
"""The check whose outcome is in no report: a page that is published says that it held, and one that is refused names it."""


@dataclass(frozen=True, kw_only=True)
class Gate:
    """One thing that had to hold."""

    name: str
    claims: str
    anchor: str
    figure: str
    is_passed: bool
    is_blocking: bool = True
    """Whether a failure stops publishing; others are shown as warnings."""
    is_reached: bool = True
    """Whether the build got as far as this."""
    compared: int = 1
    """How much was looked at; where that is nothing, nothing was found, and nothing shown."""
    too_few: int = 0
    """What was looked at besides, on too little to show anything."""
    found_in: str = ""
    """What is so where it does not hold, if that is known more closely: what stands where it may not, and in which file."""

    @property
    def has_failed(self) -> bool:
        """Say whether it stops publishing."""
        return not self.is_passed and self.is_blocking

    @property
    def is_doubtful(self) -> bool:
        """Say whether a person should look at it."""
        return not self.is_passed and not self.is_blocking

    @property
    def is_open(self) -> bool:
        """Say whether it holds because there is nothing of what it claims about, or because most of it could not be tried."""
        return self.is_passed and self.too_few >= self.compared

    @property
    def broken(self) -> str:
        """Return what is so where it does not hold, in plain words."""
        return self.found_in or _BROKEN[self.name]

    @property
    def in_words(self) -> str:
        """Return what does not hold and what was found, in a sentence without its stop."""
        return f"{self.broken}: {self.figure}"

    @property
    def word(self) -> Cell:
        """Return the verdict."""
        if not self.is_reached:
            return Cell("not tried", kind="note")
        if self.is_open and self.too_few:
            return Cell(f"{TOO_FEW}: {self.compared:,} of {self.compared + self.too_few:,} could be tried", kind="note")
        return word(self.is_passed, compared=self.compared, is_judged=self.is_blocking)


def gates_of(reports: Reports, release: ReportedVariant) -> Iterator[Gate]:
    """Return every gate that reports tell of."""
    if not release.has_figures:
        yield Gate(
            name=DISTRIBUTIONS,
            claims=_SAME,
            anchor="ks",
            figure=uncompared(release.figures_of_events),
            is_passed=True,
            compared=0,
        )
    if reports.ks:
        yield _distances(reports.ks)
    if reports.distributions:
        yield _shapes(reports.distributions, is_sampled=POLICIES[release.manifest["policy"]].samples_records)
    if reports.consistency:
        yield from _agreement(reports.consistency)
    if reports.privacy:
        yield from gates_on_privacy(reports.privacy, is_refused=bool(release.refused_by))
    if reports.noise:
        yield from _exact(reports.noise, release)
        yield from _noise(reports.noise)
    if reports.expectations:
        yield from _expectations(reports.expectations)


def uncompared(figures_of_events: int) -> str:
    """Return why no distributions are compared where no panel is declared."""
    if not figures_of_events:
        return "No figures are declared, so there is nothing to compare."
    declared = counted(figures_of_events, "figure")
    return f"No panel of figures is declared: the distributions of {declared} of events are not compared."


def _distances(ks: Ks) -> Gate:
    may = f"{ks.allowed:,} or {percent(ks.allowed / len(ks.tests))}" if ks.allowed and ks.tests else "none"
    figure = (
        f"{ks.rejected:,} of {counted_tests(ks, 'KS test')} rejected ({may} allowed); largest D {largest_distance(ks)}"
        if ks.tests
        else "no sample is large enough for a test"
    )
    return Gate(
        name=DISTRIBUTIONS,
        claims=f"Few distributions are shown to differ from those of {ks.others}"
        if ks.allowed or ks.is_of_fresh
        else _SAME,
        anchor="ks",
        figure=figure,
        is_passed=ks.passed,
        compared=len(ks.tests),
    )


def _shapes(distributions: Distributions, *, is_sampled: bool) -> Gate:
    judged = distributions.judged
    figure = (
        f"{judged.different:,} of {counted(judged.samples, 'comparison')} show a difference "
        f"({f'{judged.allowed:,}' if judged.allowed else 'none'} may), {judged.equivalent:,} show equivalence"
        f"{_of_most(distributions)}"
        if judged.samples
        else f"no group has {judged.fewest:,} companies that report a measure"
    )
    return Gate(
        name=EQUIVALENCE,
        claims=_claimed_of_shapes(distributions, is_sampled=is_sampled),
        anchor="beyond-ks",
        figure=figure,
        is_passed=distributions.passed,
        # Sampled figures are other companies': how many samples are large enough to be shown equivalent is not promised.
        is_blocking=not is_sampled,
        compared=judged.samples,
        found_in=_UNDECIDED if judged.different <= judged.allowed else "",
    )


def _of_most(of: Distributions) -> str:
    """Say what is required of samples that show nothing, if that decides."""
    missed = [name for name in of.judged.most_must_meet if 2 * of.judged.met[name] < of.judged.samples]
    if not missed:
        return ""
    margins = {name: f"{'Wasserstein ' * (name == 'distance')}{name}" for name in missed}
    shown = " and ".join(f"{of.judged.met[name]:,} within the margin of {margin}" for name, margin in margins.items())
    few = f"; {shown} ({-(-of.judged.samples // 2):,} should be)"
    return "; on average all stay within the margins" if of.passed else few


_UNDECIDED = "Too few comparisons show likeness in size, spread or tails"
"""What is so where no more differ than may: the others are too small, or too much is off to tell."""


def _claimed_of_shapes(of: Distributions, *, is_sampled: bool) -> str:
    if not is_sampled:
        return "Figures keep their size, spread and tails"
    return f"Few comparisons with {of.others} show a difference in size, spread or tails"


def _agreement(of: Consistency) -> Iterator[Gate]:
    hold, compared = exact(of)
    figures, is_judged = [exact_sentence(of)], _is_judged(of)
    if is_judged:
        bound = f"{bounded(of):,} with a limit, {outside(of):,} over it" if bounded(of) else "none with a limit"
        figures = [
            f"{cells_of(of):,} cells of aggregates, {bound}",
            *figures,
            cells_sentence(of),
            statistics_sentence(of),
        ]
    yield Gate(
        name=AGREEMENT,
        claims=f"{_LIMITS_KEPT if is_judged else 'Totals'} and identities hold",
        anchor="consistency",
        figure="; ".join(filter(None, figures)) or "no aggregates, totals or identities",
        is_passed=of.passed if is_judged else hold == compared,
        compared=cells_of(of) + len(of.totals) + len(of.chain) + len(of.identities),
    )
    differing, tested = statistics(of, is_judged=True)
    if tested and not is_judged:
        most = may_differ(tested)
        of_which = f", those of {differing_measures(of)}" if differing > most else ""
        yield Gate(
            name=STATISTICS,
            claims=f"At most {exact_percent(MOST_OF_CELLS)} of the judged statistics of aggregates differ from {of.others}",
            anchor="consistency",
            figure=f"{statistics_sentence(of)} ({most:,} allowed){of_which}{unjudged_statistics(of)}",
            is_passed=differing <= most,
            compared=tested,
        )


def _is_judged(of: Consistency) -> bool:
    """Say whether a difference of any cell of aggregates stops publishing."""
    return bool(bounded(of)) or any(entry.is_judged for entry in of.structures)


def unjudged(of: Consistency) -> str:
    """Return what was found of aggregates where no difference stops publishing; nothing where one does, or there are none."""
    if _is_judged(of) or not cells_of(of):
        return ""
    return "; ".join(
        filter(None, [unbounded_sentence(of) or f"{cells_of(of):,} cells of aggregates", cells_sentence(of)])
    )


def gates_on_privacy(of: Privacy, *, is_refused: bool = False) -> Iterator[Gate]:
    """Yield what a privacy report says had to hold, before a refusal or after a build or an audit."""
    over, escapes, undecided = exceeded(of), of.escapes, over_by_bound(of)
    yield Gate(
        name=ATTACKS,
        claims="An outsider finds no more than the policy allows",
        anchor="privacy",
        figure="; ".join([*map(excess_in_words, undecided[:1]), tried_in_words(of)]),
        is_passed=not over,
        found_in=_BROKEN[UNPROVEN] if undecided else "",
        compared=limited(of),
        too_few=powerless(of),
    )
    if escapes is None and is_refused:
        yield Gate(
            name=IDENTIFIERS,
            claims=NO_IDENTIFIERS,
            anchor="privacy",
            figure="another gate had refused the build before the search",
            is_passed=True,
            is_reached=False,
        )
    if escapes is not None:
        found = counted(sum(escape.rows for escape in escapes), "finding")
        terms = f"{of.searched.terms:,} searched for, " if of.searched and of.searched.terms else ""
        yield Gate(
            name=IDENTIFIERS,
            claims=NO_IDENTIFIERS,
            anchor="privacy",
            figure=f"{found} in {places_in_words(escapes)}"
            if escapes
            else "; ".join(filter(None, (f"{terms}0 found{files_in_words(of)}", left_in_prose(of)))),
            is_passed=not escapes,
            found_in=_found_in(escapes),
        )


def _found_in(escapes: Sequence[Escape]) -> str:
    """Return what identifies a company, and in which file it stands; nothing if nothing does."""
    files = list(dict.fromkeys(escape.published for escape in escapes))
    if not files:
        return ""
    further = f" and {counted(len(files) - 1, 'further file')}" if files[1:] else ""
    first = [escape for escape in escapes if escape.published == files[0]]
    kinds = list(dict.fromkeys(escape.kind for escape in first))
    stand = f"{' and '.join(kinds)} {'stand' if kinds[1:] else 'stands'}"
    return f"A company's {stand} in {min(escape.file for escape in first)}{further}"


def _exact(of: Noise, release: ReportedVariant) -> Iterator[Gate]:
    if entries := of.ladder[0].changes if of.ladder else 0:
        yield Gate(
            name=EXACT,
            claims="Clean plus ledger is noisy, and noisy plus ledger is clean",
            anchor="noise",
            figure=f"{changes_and_entries(of, entries)}, applied and taken back, byte for byte",
            is_passed=LEDGER_IS_EXACT not in release.refused_by,
            compared=entries,
        )


def _noise(of: Noise) -> Iterator[Gate]:
    if cleaner := of.cleaner:
        mended = f"{cleaner.mended:,} of {counted(cleaner.recoverable, 'recoverable change')}"
        yield Gate(
            name=MENDING,
            claims="What is recoverable can be mended, and nothing else breaks",
            anchor="noise",
            figure=f"{mended} mended, {cleaner.wrong:,} cells wrongly changed",
            is_passed=cleaner.passed,
            is_blocking=of.is_blocking,
            compared=cleaner.recoverable + cleaner.wrong,
        )
    if held := [entry for entry in of.filters if entry.limit is not None and entry.records]:
        over, few = sum(not entry.passed for entry in held), sum(entry.is_undecided for entry in held)
        tried = len(held) - few
        undecided = f"; {few:,} {'has' if few == 1 else 'have'} too few rows to say" if few else ""
        found = f"{tried:,} on enough rows, of which {over:,} found more than they may{undecided}"
        yield Gate(
            name=REALISM,
            claims="Attempts to detect noise that claims realism find no more than they may",
            anchor="noise",
            figure=f"{counted(len(held), 'attempt')}: {found}",
            is_passed=not over,
            is_blocking=of.is_blocking,
            compared=tried,
            too_few=few,
        )


def _expectations(of: Expectations) -> Iterator[Gate]:
    yield Gate(
        name=TABLES,
        claims="Every table meets its expectations",
        anchor="expectations",
        figure=f"{of.met:,} of {of.expectations:,} expectations met" if of.expectations else "no expectations",
        is_passed=of.passed,
        compared=of.expectations,
    )
    if of.rules:
        judged = [rule for rule in of.rules if not rule.is_free]
        kept, free = sum(rule.passed for rule in judged), len(of.rules) - len(judged)
        found = f"{kept:,} of {len(judged):,} rates within their bounds, one for each rule in each column"
        few = f"{free:,} {'more reach' if judged else 'rates reach'} too few cells to say"
        yield Gate(
            name=RATES,
            claims="Noise keeps the rates of its specification",
            anchor="noise",
            figure="; ".join([*([found] if judged else []), *([few] if free else [])]),
            is_passed=kept == len(judged),
            compared=len(judged),
            too_few=free,
        )


NO_IDENTIFIERS = "No identifier that is searched for stands in any file"
_LIMITS_KEPT = "Aggregates keep their limits, where they have one; totals"
_SAME = "Figures have the distributions of the originals"

WIDE = (
    f"Sampled records carry the privacy noise of published statistics. Of KS tests at most {exact_percent(ALPHA)} differ by "
    f"chance, and some more by that noise: {exact_percent(MOST_OF_SAMPLED)} may. Of comparisons of large samples "
    f"{exact_percent(FIGURES_SAMPLED.differing)} may show a difference. In small industries it moves most statistics "
    f"of aggregates: {exact_percent(MOST_OF_CELLS)} may differ. Figures of another measure or scale exceed these limits. Of "
    f"a company's figures, {100 * MOST_LEARNT:g} points more may be guessed than without the company, and the 95% bound of "
    f"that may be {100 * (MOST_LEARNT + MARGIN):g} points. Where few could be tried, that bound is wide, and fewer points pass."
)
"""Why limits are as wide as they are where records are sampled."""

_BROKEN: Mapping[str, str] = {
    DISTRIBUTIONS: "Too many distributions of figures differ from their counterparts",
    EQUIVALENCE: "Too many comparisons show a difference in size, spread or tails",
    AGREEMENT: "A total, an identity or a limit of aggregates is broken",
    STATISTICS: "Too many statistics of aggregates differ from their counterparts",
    ATTACKS: "An outsider finds more than the policy allows",
    UNPROVEN: "It cannot be ruled out that an outsider finds more than the policy allows",
    EXACT: "The ledger of the noise is not exact",
    MENDING: "The reference cleaner misses too much, or breaks something else",
    REALISM: "Noise that claims to be realistic can be detected",
    TABLES: "A table does not meet its expectations",
    RATES: "Noise misses the rates of its specification",
}
"""Name of a gate -> what is so where it does not hold."""

"""The top of the page: one sentence, a row for each gate, and what each of three readers should look at first.

Belongs here: the words of verdicts. Every verdict was reached by a report; a page passes if all that it tells passed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass

from markupsafe import Markup

from anonymize.policy import POLICIES
from validation.attacks.records.unchanged import UNCHANGED
from validation.report.documents import Reports
from validation.report.documents.consistency import Consistency
from validation.report.documents.distributions import Distributions, Ks
from validation.report.documents.noise import Expectations, Noise
from validation.report.documents.privacy import Privacy
from validation.report.html import Cell, render, word
from validation.report.sections.agreement import cells_of, outside
from validation.report.sections.attacked import exceeded, highest_linkage, limited
from validation.report.sections.noise import changes_of
from validation.report.sections.recovery import easiest
from validation.report.sections.release import Release
from validation.wording import counted, number, percent, verdict

_NOISE = "noise"

NO_FIGURES = "No figures are declared, so there is nothing to compare."


@dataclass(frozen=True)
class Gate:
    """One thing that had to hold."""

    asks: str
    anchor: str
    figure: str
    _: KW_ONLY
    is_passed: bool
    is_blocking: bool = True
    """Whether a failure stops publishing; of others a person is told."""
    compared: int = 1
    """How much was looked at; where that is nothing, nothing was found, and nothing shown."""

    @property
    def is_empty(self) -> bool:
        """Say whether it holds because there is nothing of what it asks about."""
        return self.is_passed and not self.compared

    @property
    def is_about_noise(self) -> bool:
        """Say whether what it found tells of the noise."""
        return self.anchor == _NOISE

    @property
    def word(self) -> Cell:
        """Return the verdict."""
        return word(self.is_passed, bad="FAILED" if self.is_blocking else "LOOK AT IT", compared=self.compared)


def top(reports: Reports, release: Release) -> Markup:
    """Return the HTML that stands before all sections."""
    gates = list(gates_of(reports, release))
    failed = [gate for gate in gates if not gate.is_passed and gate.is_blocking]
    doubtful = [gate for gate in gates if not gate.is_passed and not gate.is_blocking]
    return render(
        "gates.html",
        release=release,
        outcome=verdict(not failed),
        sentence=_sentence(gates, failed, doubtful),
        gates=gates,
        readers=list(_readers(reports, release)),
    )


def gates_of(reports: Reports, release: Release) -> Iterator[Gate]:
    """Return every gate that reports tell of."""
    if not release.has_figures:
        yield Gate(_SAME, "ks", NO_FIGURES, is_passed=True, compared=0)
    if reports.ks:
        yield _distances(reports.ks)
    if reports.distributions:
        yield _shapes(reports.distributions, is_sampled=POLICIES[release.manifest["policy"]].samples_records)
    if reports.consistency:
        yield _agreement(reports.consistency)
    if reports.privacy:
        yield from _privacy(reports.privacy)
    if reports.noise:
        yield from _noise(reports.noise)
    if reports.expectations:
        yield from _expectations(reports.expectations)


def _distances(ks: Ks) -> Gate:
    figure = f"{ks.rejected:,} of {len(ks.tests):,} KS tests rejected; largest D {number(ks.largest_statistic)}"
    return Gate(_SAME, "ks", figure, is_passed=ks.passed, compared=len(ks.tests))


def _shapes(distributions: Distributions, *, is_sampled: bool) -> Gate:
    judged = distributions.judged
    asks = "Do most industries keep their distributions, in" if is_sampled else "Are they equivalent in"
    figure = (
        f"{judged.equivalent:,} of {judged.samples:,} samples shown to be equivalent; {judged.different:,} shown "
        f"to differ ({judged.allowed:,} allowed)"
    )
    # Sampled figures are other companies': how many samples are large enough to be shown equivalent is not promised.
    is_blocking, compared = not is_sampled, judged.samples
    passed = distributions.passed
    return Gate(
        f"{asks} what KS cannot see?", "beyond-ks", figure, is_passed=passed, is_blocking=is_blocking, compared=compared
    )


def _agreement(of: Consistency) -> Gate:
    links = [entry.disagreeing for entry in of.totals] + [entry.disagreeing for entry in of.chain]
    figure = (
        f"{cells_of(of):,} cells of aggregates, {outside(of):,} outside their bound; "
        f"{len(links):,} totals and links between tables, {sum(links):,} disagreeing"
    )
    compared = cells_of(of) + len(links) + len(of.identities)
    asks = "Do aggregates, totals and identities agree?"
    return Gate(asks, "consistency", figure, is_passed=of.passed, compared=compared)


def _privacy(of: Privacy) -> Iterator[Gate]:
    over, escapes = exceeded(of), of.escapes
    found = f"{len(of.attacks):,} attacks, {limited(of):,} with a limit, {over:,} over it"
    yield Gate("Does an outsider find no more than the policy allows?", "privacy", found, is_passed=not over)
    if escapes is not None:
        rows = f", in {counted(sum(escape.rows for escape in escapes), 'row')}" if escapes else ""
        told = f"{counted(len(escapes), 'escape')}{rows}"
        yield Gate("Does nothing that identifies a company stand in a file?", "privacy", told, is_passed=not escapes)


def _noise(of: Noise) -> Iterator[Gate]:
    if cleaner := of.cleaner:
        mended = f"{cleaner.mended:,} of {cleaner.recoverable:,} recoverable changes"
        yield Gate(
            "Can what is recoverable be mended, and nothing else breaks?",
            _NOISE,
            f"{mended} mended, {cleaner.wrong:,} cells wrongly changed",
            is_passed=cleaner.passed,
            is_blocking=of.is_blocking,
            compared=cleaner.recoverable + cleaner.wrong,
        )
    if held := [entry for entry in of.filters if entry.limit is not None]:
        over = sum(not entry.passed for entry in held)
        figure = f"{len(held):,} attempts on kinds that claim it, {over:,} found more than they may"
        asks = "Is noise that claims realism not told apart?"
        yield Gate(asks, _NOISE, figure, is_passed=not over, is_blocking=of.is_blocking)


def _expectations(of: Expectations) -> Iterator[Gate]:
    figure = f"{of.met:,} of {of.expectations:,} expectations met"
    asks = "Does every published table meet its suite?"
    yield Gate(asks, "expectations", figure, is_passed=of.passed, compared=of.expectations)
    if of.rules:
        kept = sum(rule.passed for rule in of.rules)
        figure = f"{kept:,} of {len(of.rules):,} rates within their bounds"
        asks = "Does noise keep the rates of its specification?"
        yield Gate(asks, _NOISE, figure, is_passed=kept == len(of.rules))


def _sentence(gates: Sequence[Gate], failed: Sequence[Gate], doubtful: Sequence[Gate]) -> str:
    if not gates:
        return "No report tells anything of this variant, so there is no evidence either way."
    look = f" A person should look at this: {_questions(doubtful)}" if doubtful else ""
    if failed:
        return f"{len(failed)} of {len(gates)} gates do not hold: {_questions(failed)}{look}"
    empty = [gate for gate in gates if gate.is_empty]
    nothing = f" {len(empty)} had nothing to compare, which shows nothing: {_questions(empty)}" if empty else ""
    if doubtful:
        return f"Nothing that stops publishing was found.{look}{nothing}"
    if empty:
        return f"{len(gates) - len(empty)} of {len(gates)} gates below hold.{nothing}"
    return f"Each of the {len(gates)} gates below holds."


def _questions(gates: Sequence[Gate]) -> str:
    return " ".join(gate.asks for gate in gates)


def _readers(reports: Reports, release: Release) -> Iterator[tuple[str, str, Sequence[str]]]:
    made = f"{len(release.manifest['files']):,} files stand with their digests"
    yield "The curator, before publishing", _for_curator(reports.privacy, release), ("privacy", "consistency")
    yield "The evaluator, choosing it", _for_evaluator(reports.noise, release), (_NOISE, "ladder", "ks")
    yield (
        "The auditor, trusting nobody",
        f"{made}; every figure names the command that makes it again.",
        ("provenance",),
    )


def _for_curator(privacy: Privacy | None, release: Release) -> str:
    if privacy and not release.has_figures:
        return privacy.summary
    worst = highest_linkage(privacy) if privacy else None
    if privacy is None or worst is None:
        return "nothing is known of what an outsider could find."
    return (
        f"under the policy {privacy.policy} an outsider finds the right company for {percent(worst.rate)} of "
        f"records at worst.{_as_they_were(privacy)}"
    )


def _as_they_were(privacy: Privacy) -> str:
    """Return how many measures are the originals, for the first lines; nothing where none is."""
    found = next((each for each in privacy.attacks if each.attack == UNCHANGED and each.successes), None)
    if found is None:
        return ""
    return f" {found.successes} of {found.records} measures are the originals to the last digit. {found.detail}"


def _for_evaluator(noise: Noise | None, release: Release) -> str:
    if noise is None or not noise.rules:
        return f"the {release.variant} variant has no noise: gold answers are computed here."
    told = f"noise made {changes_of(noise):,} changes"
    return f"{told}; who mends nothing is right {easiest(noise.ladder)}." if noise.ladder else f"{told}."


_SAME = "Do figures have the distribution of the originals?"

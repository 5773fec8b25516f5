"""The three verdicts: is it faithful to the originals, is it safe to publish, how hard is it?

Belongs here: what gates and figures come to, in a sentence each. That a build is as it was promised is one thing, and the
gates say it. Whether it is safe is another: `Safe to publish?` looks at what an outsider finds, whatever the policy allows.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pipeline.wording import percent
from validation.attacks.limits import CODES, NAMES, REPORTED_ONLY
from validation.report.documents import Reports
from validation.report.documents.noise import Noise
from validation.report.documents.privacy import AttackCounts, AttackOutcome, Privacy
from validation.report.head.gates import (
    AGREEMENT,
    ATTACKS,
    DISTRIBUTIONS,
    EQUIVALENCE,
    IDENTIFIERS,
    MENDING,
    NO_IDENTIFIERS,
    RATES,
    REALISM,
    Gate,
)
from validation.report.sections.agreement import bounded, cells_sentence, exact_sentence, statistics_sentence
from validation.report.sections.attacked import as_they_were, attacks_on_owners, exceeded, limited, most_named
from validation.report.sections.noise import changes_of
from validation.report.sections.promises import MEMBERSHIP
from validation.report.sections.release import ReportedVariant
from validation.wording import counted

GOOD, CAREFUL, BAD = "good", "careful", "bad"
"""Tones: green, amber, red."""


@dataclass(frozen=True)
class Verdict:
    """The answer to one question."""

    tone: str
    answer: str
    because: str
    question: str
    anchor: str


def verdicts_of(reports: Reports, release: ReportedVariant, gates: Sequence[Gate]) -> Iterator[Verdict]:
    """Return the three verdicts."""
    yield _faithful(reports, _named(gates, DISTRIBUTIONS, EQUIVALENCE, AGREEMENT))
    yield _safe(reports.privacy, release, _named(gates, ATTACKS, IDENTIFIERS))
    yield _hard(reports.noise, release, _named(gates, MENDING, REALISM, RATES))


def is_linkable(of: Privacy) -> bool:
    """Say whether the policy sets no limit to who finds companies again, and an outsider does better than guessing."""
    return any(
        each.rate > each.chance
        for each in attacks_on_owners(of)
        if isinstance(each, AttackCounts) and _is_reported_only(each)
    )


def _named(gates: Sequence[Gate], *names: str) -> list[Gate]:
    return [gate for gate in gates if gate.name in names]


def _in_words(gates: Sequence[Gate]) -> str:
    return "; ".join(f"{gate.claims[0].lower()}{gate.claims[1:]}: {gate.figure}" for gate in gates)


# --- faithful ----------------------------------------------------------------------------------------------------------

_COMPARED: Mapping[str, str] = {
    DISTRIBUTIONS: "distributions",
    EQUIVALENCE: "what a KS test cannot see",
    AGREEMENT: "aggregates, totals and identities",
}
"""Gate -> what it compares with the originals."""


_QUESTION = {False: "Faithful to the originals?", True: "Faithful to the published statistics?"}
"""By whether reports compare with fresh draws from these."""


def _is_of_fresh(reports: Reports) -> bool:
    return bool(reports.consistency and reports.consistency.is_of_fresh)


def _faithful(reports: Reports, gates: Sequence[Gate]) -> Verdict:
    anchor = gates[0].anchor if gates else "consistency"
    verdict = partial(Verdict, question=_QUESTION[_is_of_fresh(reports)], anchor=anchor)
    if failed := [gate for gate in gates if gate.has_failed]:
        return verdict(BAD, "No", f"Does not hold: {_in_words(failed)}.")
    if doubtful := [gate for gate in gates if gate.is_doubtful]:
        return verdict(CAREFUL, "Mostly: look at one thing", f"Look at this: {_in_words(doubtful)}.")
    compared = [gate.name for gate in gates if gate.compared]
    if not compared:
        return verdict(CAREFUL, "Unknown", "Nothing was compared, which shows nothing.")
    alike, others = list(_alike(reports)), list(_others(reports, compared))
    if _is_of_fresh(reports):
        alike.append("with the originals the curator compared it, by gates that all held")
    return verdict(CAREFUL if others else GOOD, "In part" if others else "Yes", _sentences([*alike, *others]))


def _alike(reports: Reports) -> Iterator[str]:
    """Yield what was compared and keeps its limits, with its counts."""
    ks, shapes, consistency = reports.ks, reports.distributions, reports.consistency
    if ks and ks.tests:
        chance = f"; chance alone would give about {ks.alpha * len(ks.tests):,.0f}" if ks.allowed else ""
        small = f"; {counted(len(ks.too_small), 'sample')} too small for a test" if ks.too_small else ""
        yield f"{ks.rejected:,} of {len(ks.tests):,} tests find a difference{chance}{small}"
    if shapes and shapes.judged.samples:
        judged = shapes.judged
        yield f"{judged.equivalent:,} of {judged.samples:,} samples shown to be equivalent, {judged.different:,} to differ"
    if consistency and (cells := bounded(consistency)):
        yield f"all {cells:,} cells of aggregates with a bound keep it"
    if consistency and (sentence := statistics_sentence(consistency)):
        yield sentence
    if consistency and (sentence := exact_sentence(consistency)):
        yield sentence


def _others(reports: Reports, compared: Sequence[str]) -> Iterator[str]:
    """Yield what was not compared, and what differs without being judged: neither can stand beside a yes."""
    if missing := [words for name, words in _COMPARED.items() if name not in compared]:
        yield f"not compared: {'; '.join(missing)}"
    if reports.consistency and (sentence := cells_sentence(reports.consistency)):
        yield f"{sentence}: records are sampled, and their categories with them"


def _sentences(parts: Sequence[str]) -> str:
    return " ".join(f"{part[0].upper()}{part[1:]}." for part in parts)


# --- safe --------------------------------------------------------------------------------------------------------------


def _safe(of: Privacy | None, release: ReportedVariant, gates: Sequence[Gate]) -> Verdict:
    verdict = partial(Verdict, question="Safe to publish?", anchor="privacy")
    if of is None:
        return verdict(CAREFUL, "Unknown", "This build was not attacked: nothing is known of what an outsider finds.")
    if failed := [gate for gate in gates if gate.has_failed]:
        return verdict(BAD, "No", f"Does not hold: {_in_words(failed)}.")
    clean = "Not searched for identifiers yet." if of.escapes is None else f"{NO_IDENTIFIERS}."
    sentence = f"{clean} {_tried(of)}{as_they_were(of)} Not promised: {MEMBERSHIP}."
    if release.is_demonstration:
        return verdict(GOOD, "Yes: the originals are invented", f"{clean}{_if_they_were_real(of)}{as_they_were(of)}")
    if is_linkable(of):
        return verdict(CAREFUL, f"Meets its policy; {_linked(of)}", sentence)
    if unknown := _unknown(of):
        return verdict(CAREFUL, unknown, sentence)
    return verdict(GOOD, "Yes: outsiders can only guess", sentence)


def _is_reported_only(attack: AttackCounts | AttackOutcome) -> bool:
    return attack.limit == REPORTED_ONLY


def _unknown(of: Privacy) -> str:
    """Return what nobody tried, or what came of which nobody tells; nothing if all that was found is known."""
    found = attacks_on_owners(of)
    unlimited = [each.attack for each in found if isinstance(each, AttackOutcome) and _is_reported_only(each)]
    if of.escapes is None:
        return "Not searched yet"
    if unlimited:
        return f"Unknown: {unlimited[0]} has no limit, and what it finds is not counted here"
    return "Nobody looked for owners" if all(each.family in (CODES, NAMES) for each in found) else ""


def _linked(of: Privacy) -> str:
    worst = most_named(of)
    return f"the best attack names {_share(worst)}" if worst else ""


def _share(worst: AttackCounts) -> str:
    return f"{worst.successes:,} of {worst.records:,} ({percent(worst.rate)})"


def _tried(of: Privacy) -> str:
    """Return how the attacks with a limit came out, and what those found that have none."""
    kept = f"{counted(limited(of), 'attack')} with a limit tried, {exceeded(of):,} over it." if limited(of) else ""
    worst = most_named(of)
    if worst is None or not is_linkable(of):
        return kept
    return (
        f"{kept} The best attack on owners, {worst.attack}, names {_share(worst)}; guessing names "
        f"{percent(worst.chance)}. It knows {worst.knowledge}."
    )


def _if_they_were_real(of: Privacy) -> str:
    return f" Of real ones, {_linked(of)} under the policy {of.policy}." if is_linkable(of) else f" {_tried(of)}"


# --- hard --------------------------------------------------------------------------------------------------------------


def _hard(of: Noise | None, release: ReportedVariant, gates: Sequence[Gate]) -> Verdict:
    verdict = partial(Verdict, question="How hard?", anchor="noise")
    if of is None:
        return verdict(CAREFUL, "Unknown", "This build did not get as far as a report on its noise.")
    if not of.rules:
        sentence = f"The {release.variant} variant has no noise: gold answers are computed here."
        return verdict(GOOD, "Not at all: no noise", sentence)
    if failed := [gate for gate in gates if gate.has_failed]:
        return verdict(BAD, "Harder than promised", f"Does not hold: {_in_words(failed)}.")
    answer = _answered(of) or f"{changes_of(of):,} changes"
    if doubtful := [gate for gate in gates if gate.is_doubtful]:
        return verdict(CAREFUL, answer, f"Look at this: {_in_words(doubtful)}.")
    return verdict(GOOD, answer, _mended(of))


def _answered(of: Noise) -> str:
    """Return what a reader who mends nothing answers rightly, from the hardest questions to the easiest."""
    shares = [share for share in of.ladder[0].answered.values() if share is not None] if of.ladder else []
    if not shares:
        return ""
    low, high = percent(min(shares)), percent(max(shares))
    answered = f"{low} to {high}" if low != high else low
    return f"{answered} of questions right without cleaning"


def _mended(of: Noise) -> str:
    cleaner = of.cleaner
    if cleaner is None:
        return f"Noise made {counted(changes_of(of), 'change')}. How many can be undone was not tried."
    return (
        f"Noise made {counted(cleaner.changes, 'change')}: {cleaner.recoverable:,} can be undone from the published data "
        f"alone, {cleaner.unrecoverable:,} cannot."
    )

"""The three verdicts: is it faithful to the originals, is it safe to publish, how hard is it?

Belongs here: what gates and figures come to, in an answer each. The first two answers begin with yes, partly, no or unknown;
how hard an environment is, is a measure. That a build is as it was promised is one thing, and the gates say it. Whether it is
safe is another: `Safe to publish?` looks at what an outsider finds, whatever the policy allows.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from pipeline.places import NOISY
from pipeline.wording import FOUND_AGAIN, counted, exact_percent, percent
from validation.attacks.limits import CODES, FAMILIES, NAMES, REPORTED_ONLY
from validation.report.documents import Reports
from validation.report.documents.noise import Noise, Questions
from validation.report.documents.privacy import AttackOutcome, Privacy
from validation.report.head.gates import (
    ATTACKS,
    IDENTIFIERS,
    MENDING,
    RATES,
    REALISM,
    STATISTICS,
    Gate,
    gates_on_privacy,
)
from validation.report.head.likeness import COMPARED, Likeness, is_of_few, likeness, mostly_apart
from validation.report.sections.agreement import bounded, unbounded_in_words
from validation.report.sections.attacked import (
    as_they_were,
    elsewhere_in_words,
    left_in_prose,
    most_named,
    nearest_its_limit,
    searched_in_words,
    tried_in_words,
)
from validation.report.sections.noise import changes_of, untried
from validation.report.sections.promises import NOT_PROMISED
from validation.report.sections.recovery import GRADES, comparisons, counted_tables, touched
from validation.report.sections.release import ReportedVariant
from validation.report.sections.unpromised import (
    found_again,
    members_known,
    more_than_luck,
    named_by,
    perhaps_found_again,
    tried_on_owners,
)
from validation.wording import briefly

GOOD, CAREFUL, BAD, MEASURE = "good", "careful", "bad", "measure"
"""Tones: green, amber, red, and none where nothing is judged."""

YES, PARTLY, NO, UNKNOWN = "Yes", "Partly", "No", "Unknown"
"""With what an answer begins; a measure begins with what it measured."""


@dataclass(frozen=True)
class Verdict:
    """The answer to one question."""

    tone: str
    answer: str
    because: Sequence[str]
    """Sentences that are shown at once."""
    question: str
    anchors: tuple[str, ...]
    """The sections that have the figures of `because`; none where nothing is disclosed."""
    further: Sequence[str] = ()
    """Sentences on what else was found, for whoever opens them."""

    @property
    def is_yes(self) -> bool:
        """Say whether the answer is yes, without any but."""
        return says_yes(self.answer)


def says_yes(answer: str) -> bool:
    """Say whether an answer is yes, without any but."""
    return answer.startswith(YES)


def verdicts_of(reports: Reports, release: ReportedVariant, gates: Sequence[Gate]) -> Iterator[Verdict]:
    """Return the three verdicts."""
    yield _faithful(reports, _named(gates, *COMPARED, STATISTICS))
    yield _safe(reports.privacy, release, _named(gates, ATTACKS, IDENTIFIERS))
    yield _hard(reports.noise, release, _named(gates, MENDING, REALISM, RATES))


def _named(gates: Sequence[Gate], *names: str) -> list[Gate]:
    return [gate for gate in gates if gate.name in names]


def _in_words(gates: Sequence[Gate]) -> str:
    return "; ".join(gate.in_words for gate in gates)


def _anchors(of: Sequence[Gate | Likeness]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.anchor for each in of))


# --- faithful ----------------------------------------------------------------------------------------------------------

_QUESTION = {False: "Faithful to the originals?", True: "Would another draw look alike?"}
"""By whether reports compare with fresh draws from these."""

_SHOWN = 2
"""Sentences that are shown at once, differences first (our choice: a card is read at a glance)."""


def _faithful(reports: Reports, gates: Sequence[Gate]) -> Verdict:
    verdict = partial(Verdict, question=_QUESTION[reports.is_of_fresh])
    if failed := [gate for gate in gates if gate.has_failed]:
        return verdict(BAD, NO, _sentences(gate.in_words for gate in failed), anchors=_anchors(failed))
    if not any(gate.compared for gate in gates):
        anchors = _anchors(gates[:1]) or ("consistency",)
        return verdict(CAREFUL, UNKNOWN, ["Nothing was compared, which shows nothing."], anchors=anchors)
    every = sorted(likeness(reports, gates), key=lambda found: found.is_alike)
    apart = [found for found in every if found.apart][:_SHOWN]
    why = "; ".join(found.apart for found in apart)
    if reports.is_of_fresh:
        every.insert(0, Likeness(every[0].anchor, _OF_FRESH))
    first, further = every[:_SHOWN], every[_SHOWN:]
    alike = (CAREFUL, _OF_FEW) if is_of_few(reports) else (GOOD, YES)
    most = mostly_apart(reports)
    of = reports.consistency
    needed = _UNREACHED[bool(bounded(of))] if of and unbounded_in_words(of) else _NEEDED
    unlike = (BAD, f"{NO}: {most}") if most else (CAREFUL, f"{PARTLY}: {why}")
    return verdict(
        *(unlike if why else alike),
        _sentences([*(found.sentence for found in first), *([needed] if why else [])]),
        anchors=_anchors([*first, *apart]),
        further=_sentences([*([] if why else [_SAID]), *(found.sentence for found in further)]),
    )


_OF_FEW = f"{YES}, as far as so few figures can show"
"""The answer where tests find nothing, and could hardly find anything."""

_NEEDED = (
    "for “Yes”, everything must be compared, nothing may differ by more than chance, and every aggregate that is off must "
    "keep a limit"
)
_UNREACHED = {
    any_has: f"“Yes” cannot be reached here: it needs a limit for every aggregate that is off, and {which}"
    for any_has, which in {False: "no aggregate has one", True: "some have none"}.items()
}
_SAID = "“Yes” says that nothing compared differs by more than chance; small samples may hide a difference"
"""What “Yes” would need, why it cannot be reached, and what it says."""

_OF_FRESH = "whether figures resemble the originals is not published, and known to the makers alone"


def _sentences(parts: Iterable[str]) -> list[str]:
    return [f"{part[0].upper()}{part[1:]}." for part in parts]


# --- safe --------------------------------------------------------------------------------------------------------------


def _safe(of: Privacy | None, release: ReportedVariant, gates: Sequence[Gate]) -> Verdict:
    failed = [gate for gate in gates if gate.has_failed]
    tone, answer, otherwise = _answered(of, gates, is_invented=release.is_demonstration)
    with_real = f"With real originals the answer would be “{otherwise}”." if otherwise else ""
    known = members_known(of) if of else ""
    promised = f"Not promised: {NOT_PROMISED[release.manifest['policy']]}{f' ({known})' if known else ''}."
    found, *rest = _found(of, failed)
    if of and not failed:
        rest += [nearest_its_limit(of), as_they_were(of), _BEFORE_NOISE if release.variant == NOISY else ""]
    left = f"{places}: they may name a company." if of and (places := left_in_prose(of)) else ""
    parts = [part for part in (found, left, promised, with_real, *rest) if part]
    shown = _SHOWN + 1 + bool(left) + bool(with_real)
    return Verdict(tone, answer, parts[:shown], question=_SAFE, anchors=("privacy",), further=parts[shown:])


def safe_to_publish(of: Privacy, *, is_invented: bool) -> str:
    """Return the question and the answer of a privacy report by itself, as an audit makes one."""
    _, answer, otherwise = _answered(of, list(gates_on_privacy(of)), is_invented=is_invented)
    return f"{_SAFE} {answer}." + (f" With real ones: {otherwise}." if otherwise else "")


def _answered(of: Privacy | None, gates: Sequence[Gate], *, is_invented: bool) -> tuple[str, str, str]:
    """Return tone and answer, and the answer for real originals if that is another."""
    if any(gate.has_failed for gate in gates):
        return BAD, NO, ""
    tone, answer = _safety(of, is_open=any(gate.is_open and gate.too_few for gate in gates))
    if not is_invented or of is None or of.escapes is None:
        return tone, answer, ""
    return MEASURE, f"{YES}{':' if says_yes(answer) else ', but only because'} the originals are invented", answer


def _safety(of: Privacy | None, *, is_open: bool) -> tuple[str, str]:
    """Return tone and answer; `is_open` says whether most attacks with a limit had too few records to exceed it."""
    if of is None:
        return CAREFUL, f"{UNKNOWN}: not attacked"
    if found_again(of):
        return BAD, f"{NO}: {FOUND_AGAIN}"
    if of.escapes is None:
        return CAREFUL, f"{UNKNOWN}: not searched for identifiers"
    unknown = _unknown(of) or ("most attacks had too few records to say" if is_open else "")
    return (
        (CAREFUL, f"{UNKNOWN}: {unknown}")
        if unknown
        else (CAREFUL, f"{YES}, {_IF_KNOWN}: {_KEPT if _is_limited(of) else _NO_MORE}")
    )


_SAFE = "Safe to publish?"
_IF_KNOWN = "if it may be known who is in the data"
"""No policy hides that."""
_KEPT = "every attack on owners keeps its limit"
_NO_MORE = "no attack names more owners than guessing"


def _is_limited(of: Privacy) -> bool:
    """Say whether the policy limits whom attacks on records may name: codes and names are limited by all."""
    return any(each.limit != REPORTED_ONLY for each in of.on_owners if each.family not in (CODES, NAMES))


def _found(of: Privacy | None, failed: Sequence[Gate]) -> tuple[str, ...]:
    """Return what attacks and the search found, in sentences; the first stands before what is not promised."""
    if of is None:
        return ("This build was not attacked: nothing is known of what an outsider finds.",)
    if failed:
        return (
            f"{_in_words(failed)}.",
            f"Besides, {FOUND_AGAIN}." if found_again(of) else "",
        )
    clean = (
        "Not searched for identifiers yet."
        if of.escapes is None
        else f"{searched_in_words(of)}{elsewhere_in_words(of)}."
    )
    kept = f"{tried_in_words(of)}{'' if of.counted else _COUNTED_ELSEWHERE}." if of.attacks else ""
    best = found_again(of) or perhaps_found_again(of)
    if best is None:
        most = most_named(of, [family for family in FAMILIES if family not in {CODES, NAMES}])
        within = "" if most is None or most.limit == REPORTED_ONLY else ", within its limit,"
        tried = tried_on_owners(of)
        which = f"The most successful of {len(tried):,} attacks" if tried[1:] else "The only attack"
        named = f"{which} on owners{within} names {named_by(most, among=tried)}." if most else ""
        return tuple(filter(None, (named, clean, kept)))
    named = f"The best attack names {named_by(best)}."
    return named, clean, kept, f"That attack, {best.attack}, knows {briefly(best.knowledge)}."


_COUNTED_ELSEWHERE = " (the makers alone know what each found)"
"""Where records are sampled, outcomes alone are published."""

_BEFORE_NOISE = "The records were attacked before noise came in; silt audit noisy attacks the files with it."


def _unknown(of: Privacy) -> str:
    """Return what nobody tried, or what came of which nobody tells; nothing if all that was found is known."""
    found = of.on_owners
    untold = [each.attack for each in found if isinstance(each, AttackOutcome) and each.limit == REPORTED_ONLY]
    if untold:
        return f"{untold[0]} has no limit, and what it finds is not counted here"
    if perhaps_found_again(of):
        return f"too few records to tell whether {FOUND_AGAIN}"
    if all(each.family in (CODES, NAMES) for each in found):
        return "nobody looked for owners"
    return "an attack names more owners than chance explains, though within its limit" if more_than_luck(of) else ""


# --- hard --------------------------------------------------------------------------------------------------------------


def _hard(of: Noise | None, release: ReportedVariant, gates: Sequence[Gate]) -> Verdict:
    verdict = partial(Verdict, question="How hard?", anchors=("noise",))
    if of is None:
        hidden, unmade = (MEASURE, "Not disclosed", [NOISE_IS_HIDDEN]), (CAREFUL, UNKNOWN, [_UNMADE])
        return verdict(*hidden, anchors=()) if release.hides_noise else verdict(*unmade)
    if not of.rules:
        clean = "The clean variant has no noise: gold answers are computed here."
        sentence = "The specification has no rules." if release.variant == NOISY else clean
        return verdict(MEASURE, "Not at all: no noise", [sentence])
    if failed := [gate for gate in gates if gate.has_failed]:
        return verdict(BAD, "Not as promised", _sentences(gate.in_words for gate in failed))
    if not changes_of(of):
        return verdict(
            MEASURE, "Not at all: noise changed nothing", ["No rule of the specification changed anything here."]
        )
    grade, shares = touched(of.ladder) if of.ladder else ("", "")
    where = f", in {_asked_of(of.questions)}" if of.questions else ""
    answer = f"{grade}{where}: noise touches {shares}" if grade else f"{changes_of(of):,} changes"
    group = _GROUP if of.questions and of.questions.one_group else ""
    words = _without(of.questions), _TOUCHED, group, _NO_TASKS, _graded()
    further = [*filter(None, (_idle(of), *(words if grade else ())))]
    verdict = partial(verdict, anchors=("ladder", "noise") if grade else ("noise",), further=further)
    if doubtful := [gate for gate in gates if gate.is_doubtful]:
        return verdict(CAREFUL, answer, [f"Look at this: {_in_words(doubtful)}."])
    return verdict(MEASURE, answer, [*_asked(of), _mended(of)])


NOISE_IS_HIDDEN = "The makers do not say which noise there is, or how much."
"""What a release without its noise says where a build reports on it."""
_UNMADE = "This build did not get as far as a report on its noise."

_TOUCHED = "Noise touches a record if it changed one of its cells or the name of a column, or removed it."
_GROUP = "A group is the records of one declared measure, year and industry. Records of other measures are in none."
_NO_TASKS = (
    "Whoever needs only untouched records is right without cleaning. Others may be right, too: silt tasks make --impact asks "
    "questions."
)


def _graded() -> str:
    """Return what the words of hardness mean."""
    steps = [f"“{word}” is up to {exact_percent(most)}" for word, most in GRADES.items()]
    return f"By the share of groups that noise touches, of records where there are no groups: {', '.join(steps)}."


def _asked(noise: Noise) -> Iterator[str]:
    """Yield of how many records and groups the shares are; nothing of builds that did not count them."""
    if (of := noise.questions) is None:
        return
    groups = f" and {counted(of.one_group, 'group')}" if of.one_group else ""
    what = f" (each one measure, year and industry){comparisons(noise.ladder)}" if groups else ""
    yield f"Counted there: {counted(of.one_record, 'record')}{groups}{what}."
    if not of.every_record or of.touched_records is None:
        return
    share = percent(of.touched_records / of.every_record)
    every = f"Noise touches {share} of all {counted(of.every_record, 'record')}, counted before it"
    first, more = of.tables_without_noise[:1], len(of.tables_without_noise) - 1
    beside = f" and {counted(more, 'more table')}" if more > 0 else ""
    yield f"{every}{''.join(f'; none of those of {name}{beside}' for name in first)}."


def _asked_of(of: Questions) -> str:
    """Return the tables that the shares are of."""
    return " and ".join(of.tables) if len(of.tables) <= _NAMED_AT_ONCE else f"{len(of.tables)} {counted_tables(of)}"


def _without(of: Questions | None) -> str:
    """Return which tables have no noise; nothing if all have some."""
    return f"Tables without any noise: {', '.join(of.tables_without_noise)}." if of and of.tables_without_noise else ""


def _mended(of: Noise) -> str:
    cleaner, made = of.cleaner, f"Noise made {counted(changes_of(of), 'change')}"
    if cleaner is None:
        return f"{made}. {untried(of)}"
    return (
        f"{made}: {cleaner.recoverable:,} can be undone from the published data "
        f"alone, {cleaner.unrecoverable:,} cannot."
    )


def _idle(of: Noise) -> str:
    """Return which rules changed nothing anywhere; no words if each changed something."""
    every = Counter[str]()
    for rule in of.rules:
        every[rule.rule] += rule.cells
    idle = [name for name, cells in every.items() if not cells]
    more = f" and {len(idle) - _NAMED:,} more" if len(idle) > _NAMED else ""
    said = f"{len(idle)} of {counted(len(every), 'rule')} changed nothing: {', '.join(idle[:_NAMED])}{more}."
    return said if idle else ""


_NAMED_AT_ONCE = 2
"""Tables that an answer names (our choice): of more it gives the number."""

_NAMED = 3
"""Idle rules that are named (our choice); the section has all rules."""

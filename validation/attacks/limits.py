"""What each attack may find at most before a build is refused, by policy, and why.

An attack on what every policy promises (codes, names, order, exact figures, decoys) must not do better than guessing. The
policies differ in linkage of figures. `lsd` promises nothing there, so its rates are reported and refuse nothing: otherwise no
build under the paper's mechanism would ever pass. `guarded` promises the limits below.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from anonymize.policy import GUARDED, LSD, Policy
from pipeline.wording import exact_percent
from validation.attacks import CONFIDENCE, Attack
from validation.attacks.adaptive.findings import Auc, Gain
from validation.attacks.adaptive.membership import DENSITY, NEAREST, SECOND_MOMENTS, TRACING
from validation.attacks.adaptive.values import MAXIMA
from validation.attacks.identifiers import clauses
from validation.attacks.identifiers.names import FIRST_FEW
from validation.attacks.records import events
from validation.attacks.records import linkage as nearest
from validation.attacks.records.alone import ALONE
from validation.attacks.records.events import OfRows
from validation.attacks.records.unchanged import UNCHANGED

CODES, EXACT, COPIES, LINKAGE, REGISTER = "codes", "exact figures", "copies", "linkage", "register"
NAMES, ORDER, FILTERS, PROSE, EVENTS = "names", "order", "filters", "prose", "events"
ADAPTIVE, OPINION = "attackers who know the code", "independent opinion"
FAMILIES = (CODES, EXACT, COPIES, LINKAGE, REGISTER, NAMES, ORDER, FILTERS, PROSE, EVENTS, ADAPTIVE, OPINION)
"""Families of attacks, in the order of the report."""

REPORTED_ONLY, NOTHING_TO_TRY = "reported only", "nothing to try"
"""Words for an attack without a limit, and for one without any record to attack: neither of them passed. Reports publish
them."""

NOT_SHOWN = "not shown to be kept"
"""Of a limit that only the bound is over: what was found is allowed."""

TOO_FEW = "too few to say"
"""Of an attack on so few records that even finding all of them would keep its limit."""

ALPHA = 1e-4
"""Level at which an attack counts as better than guessing: with fifty attacks a build, one build in 200 has a false alarm."""

MARGIN = 0.01
"""How far the upper bound may exceed the limit of the rate (our choice): with fewer records the rate must be lower."""

BOUND = "upper bound"
"""What a limit in words calls it."""


@dataclass(frozen=True)
class AtMost:
    """The success rate may be this at most, and its 95 % upper bound little more: by `MARGIN`."""

    rate: float

    def is_kept(self, attack: Attack) -> bool:
        """Return whether the attack keeps to the limit. With too few records to decide it does not; without any it does."""
        return not attack.records or (attack.rate <= self.rate and attack.upper_95 <= self.rate + MARGIN)

    def __str__(self) -> str:
        return f"at most {exact_percent(self.rate)}, {BOUND} at most {exact_percent(self.rate + MARGIN)}"


@dataclass(frozen=True)
class ShareLimit:
    """The success rate may be this, and no more than by chance above it, however few the records are."""

    rate: float

    def is_kept(self, attack: Attack) -> bool:
        """Return whether the attack keeps to the limit."""
        return not replace(attack, chance=self.rate).beats_chance(ALPHA)

    def __str__(self) -> str:
        return f"at most {exact_percent(self.rate)}, but for chance"


class AtMostOrGuessing(AtMost):
    """The success rate may be this at most, or what guessing finds: many figures are alike, and few decide nothing."""

    def is_kept(self, attack: Attack) -> bool:
        """Return whether the attack keeps to the limit."""
        return super().is_kept(attack) or not attack.beats_chance(ALPHA)

    def __str__(self) -> str:
        return f"{super().__str__()}, or no better than guessing"


class NoBetterThanGuessing:
    """The attack must not succeed more often than chance would at `ALPHA`."""

    def is_kept(self, attack: Attack) -> bool:
        """Return whether the attack keeps to the limit."""
        return not attack.beats_chance(ALPHA)

    def __str__(self) -> str:
        return "no better than guessing"


class Never:
    """The attack must not succeed at all; its own bound allows for chance."""

    def is_kept(self, attack: Attack) -> bool:
        """Return whether the attack keeps to the limit."""
        return not attack.successes

    def __str__(self) -> str:
        return "no success"


Limit = AtMost | ShareLimit | NoBetterThanGuessing | Never

MOST_LEARNT = 0.03
"""Largest gain of inference: share of a firm's figures inferred within a tenth, above a release without the firm."""

MOST_MAXIMA = 0.05
"""Share of industries' maxima that may be in a release by chance: many whole per cents are equal."""

MOST_FILTERED = 0.51
"""Share that one filter may sort rightly: of very many rows, a difference that helps nobody beats chance, too (our choice)."""

_BOUNDED: Mapping[str, AtMost] = {
    str(limit): limit for limit in (AtMost(MOST_LEARNT), AtMostOrGuessing(MOST_MAXIMA), AtMostOrGuessing(MOST_FILTERED))
}
"""By their words, the limits of a rate and its bound."""


def highest_of(words: str) -> tuple[float, float] | None:
    """Return the highest rate and the highest bound that a limit in words allows; None if it has no such numbers."""
    limit = _BOUNDED.get(words)
    return None if limit is None else (limit.rate, limit.rate + MARGIN)


_PROMISED: Mapping[str, Limit] = {
    CODES: NoBetterThanGuessing(),
    EXACT: NoBetterThanGuessing(),
    COPIES: Never(),
    NAMES: NoBetterThanGuessing(),
    ORDER: Never(),
    FILTERS: AtMostOrGuessing(MOST_FILTERED),
}
"""By family, under every policy."""

MOST_ALONE = 0.01
"""Share of events or records that may be alone of their kind and as they were (our choice)."""

_OF_EVENTS: Mapping[str, Limit] = {
    events.TIME: Never(),
    events.NUMBER: NoBetterThanGuessing(),
    events.ALONE: ShareLimit(MOST_ALONE),
}
"""By name of the attack, under every policy that publishes the originals' own events: `lsd`, which promises nothing about
owners."""

_OF_SAMPLED_EVENTS: Mapping[str, Limit] = dict.fromkeys(
    (events.COPIED, events.OWNER, events.OWNERS, events.DAYS, events.COUNT), NoBetterThanGuessing()
)
"""By name of the attack, if events are sampled: they have no owner, and none equals an original but by chance."""

_OF_FAMILY: Mapping[str, Mapping[str, Limit]] = {
    LSD.name: _PROMISED,
    GUARDED.name: {**_PROMISED, REGISTER: NoBetterThanGuessing()},
}
"""A register finds a company that is alone in its industry by the industry, which counts as a guess within the industry."""

_GUARDED: Mapping[str, Limit | None] = {
    **dict.fromkeys(nearest.ATTACKS, NoBetterThanGuessing()),
    **dict.fromkeys((clauses.CLAUSE, clauses.CLAUSES, clauses.NUMBERS), NoBetterThanGuessing()),
    "one filter": None,
}
"""By name of the attack: a sampled record has no owner that could be found. Decoys are fewer than firms, so that more of their
categories are too rare to be published; a filter on blanks finds some, which is only reported. Prose is composed anew, so that
searching for it leads nowhere; under `lsd` it is the original's with other names, and what a search finds is only reported."""

_LSD: Mapping[str, Limit | None] = {UNCHANGED: None, ALONE: ShareLimit(MOST_ALONE)}
"""Leading digits are kept, so that measures with short figures come out unchanged; the first lines of the report name them. Who
has one of them alone is moved, unless `Panel.may_stay` says otherwise."""

_OF_POLICY: Mapping[str, Mapping[str, Limit | None]] = {LSD.name: _LSD, GUARDED.name: _GUARDED}


def limit_of(family: str, attack: Attack, policy: Policy) -> Limit | None:
    """Return what the attack may find; None if it is only reported."""
    if family == ADAPTIVE:
        return _adaptive_limit(attack)
    if family == EVENTS:
        return (_OF_SAMPLED_EVENTS if policy.samples_records else _OF_EVENTS).get(attack.attack)
    of_policy = _OF_POLICY[policy.name]
    return of_policy[attack.attack] if attack.attack in of_policy else _OF_FAMILY[policy.name].get(family)


def _adaptive_limit(attack: Attack) -> Limit | None:
    """Return the limit of an attacker who knows the code: chance for owners, a few points for inference."""
    if isinstance(attack, Auc):
        return None
    if isinstance(attack, Gain):
        return AtMost(MOST_LEARNT)
    return AtMostOrGuessing(MOST_MAXIMA) if attack.attack == MAXIMA else NoBetterThanGuessing()


def judged(found: Mapping[str, Iterable[Attack]], policy: Policy) -> list[dict[str, Any]]:
    """Return the entries of `privacy.json`: each attack with its family, its limit in words, and whether it keeps to it.

    An attack without records was not tried: `passed` is null.
    """
    return [
        _entry(family, attack, limit_of(family, attack, policy))
        for family, attacks in found.items()
        for attack in attacks
    ]


def _entry(family: str, attack: Attack, limit: Limit | None) -> dict[str, Any]:
    is_kept = limit is None or limit.is_kept(attack)
    return attack.published() | {
        "family": family,
        "limit": str(limit or REPORTED_ONLY),
        "highest_kept": None if limit is None or not attack.records else highest_kept(attack, limit),
        "passed": is_kept if attack.records else None,
    }


def highest_kept(attack: Attack, limit: Limit) -> float | None:
    """Return the highest rate at which the attack, all else as it is, keeps the limit; None if it never does.

    All else are records, what is found without the company, and the error of a gain, which may have to be below 0.
    """
    kept, most = 0, attack.records + 1
    if not limit.is_kept(replace(attack, successes=kept)):
        return None
    while most - kept > 1:
        middle = (kept + most) // 2
        kept, most = (middle, most) if limit.is_kept(replace(attack, successes=middle)) else (kept, middle)
    return replace(attack, successes=kept).rate


_OF_NO_OWNER = frozenset({COPIES, ORDER, FILTERS, OPINION})
"""Families whose successes are columns, measures or decoys; and Anonymeter's attacks, which do not ask whose a record is."""

_NAMES_NOBODY = (
    *(events.FIGURE, events.TIME, events.NUMBER, events.COPIED, events.ALONE, MAXIMA),
    *(NEAREST, DENSITY, TRACING, SECOND_MOMENTS),
    *(nearest.AMONG_FIVE, f"among the first {FIRST_FEW}"),
)
"""What stands in the names of other attacks whose successes are equal cells, members, or an owner among several."""


def names_owners(entry: Mapping[str, Any]) -> bool:
    """Say whether a success of an attack tells whose a record is: so does every attack that is not known for something else."""
    if entry["family"] in _OF_NO_OWNER or entry.get("standard_error") is not None:
        return False
    return not any(each in entry["attack"] for each in _NAMES_NOBODY)


def beats_guessing(entry: Mapping[str, Any], alpha: float = 1 - CONFIDENCE) -> bool:
    """Say whether an attack does significantly better than guessing; by default the lower 95 % bound of its rate lies above."""
    return bool(entry["records"]) and _attack_of(entry).beats_chance(alpha)


def p_of(entry: Mapping[str, Any]) -> float:
    """Return with which probability guessing finds as many or more."""
    return _attack_of(entry).p_value


def p_in_words(entry: Mapping[str, Any]) -> str:
    """Return with which probability guessing finds as many, in two digits; of what is significant that it is."""
    p_value = p_of(entry)
    return f"p < {ALPHA:g}" if p_value < ALPHA else f"p = {p_value:.2g}"


def _attack_of(entry: Mapping[str, Any]) -> Attack:
    kind: type[Attack] = OfRows if entry.get("effective_records") else Attack
    if entry.get("standard_error") is not None:
        kind = Gain if entry.get("area") is None else Auc
    return kind(**{each.name: entry[each.name] for each in fields(kind) if each.name in entry})


def beside_guessing(entry: Mapping[str, Any]) -> str:
    """Return how probable it is that guessing finds as many; nothing where an attack found nothing, or cannot be guessed."""
    return "" if not entry.get("successes") or not entry["chance"] or is_powerless(entry) else p_in_words(entry)


def is_powerless(entry: Mapping[str, Any]) -> bool:
    """Say whether the limit allows whatever is found on so few records: that it is kept shows nothing."""
    return bool(entry.get("records")) and entry.get("highest_kept") == 1.0


def worst_on_owners(entries: Iterable[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the attack that names the largest share of owners, if any can one that beats guessing; None if none was tried."""
    tried = [entry for entry in entries if entry["records"] and names_owners(entry)]
    return max(tried, key=lambda one: (one["rate"] > one["chance"], one["rate"], one["records"]), default=None)


def is_over(entry: Mapping[str, Any]) -> bool:
    """Say whether an attack found more than the policy allows; an attack without records neither did nor passed."""
    return entry["passed"] is False


def is_over_by_bound(entry: Mapping[str, Any]) -> bool:
    """Say whether an attack found what it may, on so few records that only the bound is over its limit."""
    highest = highest_of(entry["limit"])
    return is_over(entry) and highest is not None and entry.get("rate", 1.0) <= highest[0]


def in_words(entry: Mapping[str, Any]) -> str:
    """Return the verdict on an entry in a few words, with how it stands beside guessing if that is known."""
    if entry["passed"] is None:
        return NOTHING_TO_TRY
    if is_powerless(entry):
        return TOO_FEW
    over = NOT_SHOWN if is_over_by_bound(entry) else "EXCEEDED"
    word = over if is_over(entry) else REPORTED_ONLY if entry["limit"] == REPORTED_ONLY else "kept"
    return ", ".join(filter(None, (word, beside_guessing(entry))))


CHANCE_IN_WORDS = (
    "p is the probability that guessing finds as many. The limit 'no better than guessing' is exceeded where p is below "
    f"{ALPHA:g}: of many attacks some have a small p by chance."
)
"""What a table of attacks means by p."""

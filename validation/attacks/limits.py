"""What each attack may find at most before a build is refused, by policy, and why.

An attack on what every policy promises (codes, names, order, exact figures, decoys) must not do better than guessing. What it
takes to link figures is the difference between the policies: `lsd` promises nothing there, so its rates are told and refuse
nothing, or no build under the paper's mechanism would ever pass; `guarded` promises the limits below.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from anonymize.policy import GUARDED, LSD, Policy
from validation.attacks import Attack
from validation.attacks.adaptive.findings import Gain, Separation
from validation.attacks.adaptive.values import MAXIMA
from validation.attacks.naming import clauses
from validation.attacks.records import events
from validation.attacks.records import linkage as nearest
from validation.attacks.records.unchanged import UNCHANGED

CODES, EXACT, COPIES, LINKAGE, REGISTER, NAMES, ORDER, FILTERS, PROSE, EVENTS, ADAPTIVE, OPINION = (
    "codes",
    "exact figures",
    "copies",
    "linkage",
    "register",
    "names",
    "order",
    "filters",
    "prose",
    "events",
    "attackers who know the code",
    "independent opinion",
)
"""Families of attacks."""

TOLD_ONLY, NOTHING_TO_TRY = "told only", "nothing to try"
"""What is said of an attack without a limit, and of one that found no record to attack: neither passed anything."""

ALPHA = 1e-4
"""Level at which an attack counts as better than guessing: some fifty attacks a build raise a false alarm in one of 200."""

MARGIN = 0.01
"""What the upper bound may be above the limit of the rate (our choice): the rate has to be lower, the fewer the records."""


@dataclass(frozen=True)
class AtMost:
    """The success rate may be this at most, and its 95 % upper bound little more: by `MARGIN`."""

    rate: float

    def is_kept(self, attack: Attack) -> bool:
        """Return whether the attack stays within the limit; with too few records to tell, it does not, without any it does."""
        return not attack.records or (attack.rate <= self.rate and attack.upper_95 <= self.rate + MARGIN)

    def __str__(self) -> str:
        return f"at most {self.rate:.0%}, upper bound at most {self.rate + MARGIN:.0%}"


class NoBetterThanGuessing:
    """The attack must not succeed more often than chance would at `ALPHA`."""

    def is_kept(self, attack: Attack) -> bool:
        """Return whether the attack stays within the limit."""
        return not attack.beats_chance(ALPHA)

    def __str__(self) -> str:
        return "no better than guessing"


class Never:
    """The attack, whose own bound allows for chance, must not succeed at all."""

    def is_kept(self, attack: Attack) -> bool:
        """Return whether the attack stays within the limit."""
        return not attack.successes

    def __str__(self) -> str:
        return "no success"


Limit = AtMost | NoBetterThanGuessing | Never

MOST_LEARNT = 0.03
"""Share of a firm's figures, told within a tenth, that a release with the firm may tell above one without it."""

MOST_MAXIMA = 0.05
"""Share of industries' maxima that may stand in a release by chance: of whole per cents many are equal."""

_PROMISED: Mapping[str, Limit] = {
    CODES: NoBetterThanGuessing(),
    EXACT: NoBetterThanGuessing(),
    COPIES: Never(),
    NAMES: NoBetterThanGuessing(),
    ORDER: Never(),
    FILTERS: NoBetterThanGuessing(),
}
"""By family, under every policy."""

_OF_EVENTS: Mapping[str, Limit] = {events.TIME: Never(), events.NUMBER: NoBetterThanGuessing()}
"""By name of the attack, under every policy in which an event is one of the originals' still: `lsd`, which promises nothing of
owners."""

_OF_SAMPLED_EVENTS: Mapping[str, Limit] = dict.fromkeys(
    (events.COPIED, events.OWNER, events.OWNERS, events.DAYS, events.COUNT), NoBetterThanGuessing()
)
"""By name of the attack, where events are sampled: they have no owner, and none is one of the originals'."""

_OF_FAMILY: Mapping[str, Mapping[str, Limit]] = {
    LSD.name: _PROMISED,
    GUARDED.name: {**_PROMISED, REGISTER: NoBetterThanGuessing()},
}
"""A register finds a lone company of an industry by its industry alone, which is a guess within the industry."""

_GUARDED: Mapping[str, Limit | None] = {
    **{
        attack: NoBetterThanGuessing()
        for attack in (
            nearest.OWNER,
            nearest.AMONG_FIVE,
            nearest.MAHALANOBIS,
            nearest.WHOLE_YEAR,
            nearest.WHOLE_PANEL,
            nearest.GAPS,
            nearest.WITH_REGISTER,
        )
    },
    **dict.fromkeys((clauses.CLAUSE, clauses.CLAUSES, clauses.NUMBERS), NoBetterThanGuessing()),
    "one filter": None,
}
"""By name of the attack: a sampled record has no owner to be found. Decoys are fewer than firms, so that more of their
categories are too rare to be published: a filter on blanks finds some, and that is told only. Prose is written anew, so that
searching for it leads nowhere; under `lsd` it is the original's under other names, and what a search finds is told."""

_LSD: Mapping[str, Limit | None] = {UNCHANGED: None}
"""Leading digits are kept, so that a measure of short figures comes out as it was: told in the first lines."""

_OF_POLICY: Mapping[str, Mapping[str, Limit | None]] = {LSD.name: _LSD, GUARDED.name: _GUARDED}


def limit_of(family: str, attack: Attack, policy: Policy) -> Limit | None:
    """Return what the attack may find; None if it is only told."""
    if family == ADAPTIVE:
        return _adaptive_limit(attack)
    if family == EVENTS:
        return (_OF_SAMPLED_EVENTS if policy.samples_records else _OF_EVENTS).get(attack.attack)
    of_policy = _OF_POLICY[policy.name]
    return of_policy[attack.attack] if attack.attack in of_policy else _OF_FAMILY[policy.name].get(family)


def _adaptive_limit(attack: Attack) -> Limit | None:
    """Return the limit of an attack by somebody who knows the code: chance for owners, a few points for what is learnt."""
    if isinstance(attack, Separation):
        return None
    if isinstance(attack, Gain):
        return AtMost(MOST_LEARNT)
    return AtMost(MOST_MAXIMA) if attack.attack == MAXIMA else NoBetterThanGuessing()


def judged(found: Mapping[str, Iterable[Attack]], policy: Policy) -> list[dict[str, Any]]:
    """Return the entries of `privacy.json`: each attack with its family, its limit in words, and whether it is kept.

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
        "limit": str(limit or TOLD_ONLY),
        "passed": is_kept if attack.records else None,
    }


def is_over(entry: Mapping[str, Any]) -> bool:
    """Say whether an entry's attack found more than the policy allows; one that had nothing to try did not, nor passed."""
    return entry["passed"] is False


def in_words(entry: Mapping[str, Any]) -> str:
    """Return an entry's verdict in two words."""
    if entry["passed"] is None:
        return NOTHING_TO_TRY
    return "EXCEEDED" if is_over(entry) else TOLD_ONLY if entry["limit"] == TOLD_ONLY else "kept"

"""The content of `privacy.json` besides escapes: first a sentence for everybody, then attacks, kept columns and blanks.

Belongs here: wording and combining. Attacks run in `suite.py`; their limits are in `limits.py`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from anonymize.policy import Policy
from anonymize.quasi_identifiers import Anonymity
from validation.attacks import Attack
from validation.attacks.limits import ADAPTIVE, COPIES, EVENTS, LINKAGE, REGISTER, is_over, judged
from validation.attacks.records import events
from validation.attacks.records.linkage import GAPS, OWNER, WHOLE_PANEL, WITH_REGISTER
from validation.attacks.records.unchanged import SHOWN, Unchanged
from validation.wording import tenths

_OWNERS = (OWNER, WHOLE_PANEL, GAPS, WITH_REGISTER)
"""Attacks of which a success names the company that a record belongs to."""

_OWNERS_OF_EVENTS = (events.OWNER, events.OWNERS, events.DAYS, events.COUNT)
"""The same for events, and for all events of a company together."""

_MOST_UNCHANGED = 0.2
"""A measure is reported from this share of unchanged events beyond chance: if two digits keep one, one in ten recurs."""

DEMONSTRATION = "The key is public, so that every pseudonym can be undone: the originals are invented."


def privacy_report(
    found: Mapping[str, Sequence[Attack]],
    policy: Policy,
    *,
    anonymity: Anonymity | None,
    given_up: pl.DataFrame | None,
    is_demonstration: bool,
    has_figures: bool = True,
    further: Mapping[str, Anonymity] | None = None,
) -> dict[str, Any]:
    """Return the report, which starts with the sentence.

    Args:
        found: Attacks by family.
        policy: The policy of the release.
        anonymity: Class sizes of the published quasi-identifiers, if any are declared.
        given_up: How much of each column is left blank.
        is_demonstration: Whether the key is the public one.
        has_figures: Whether any figures are declared.
        further: Class sizes of further kinds of entities, by kind.
    """
    entries = judged(found, policy)
    sentences = _sentences(found, policy, entries) if has_figures else _of_register(found, policy)
    return {
        "summary": " ".join([*sentences, *([DEMONSTRATION] if is_demonstration else [])]),
        "policy": policy.name,
        "passed": not any(map(is_over, entries)),
        "attacks": entries,
        "quasi_identifiers": None if anonymity is None else _class_sizes(anonymity),
        "further_kinds": {kind: _class_sizes(classes) for kind, classes in (further or {}).items()},
        "given_up": [] if given_up is None else given_up.to_dicts(),
    }


def _class_sizes(classes: Anonymity) -> dict[str, Any]:
    return asdict(classes) | {"share_below": classes.share_below}


def _of_register(found: Mapping[str, Sequence[Attack]], policy: Policy) -> Iterable[str]:
    """Yield the sentences for environments without figures, where a register is the only way to find an entity."""
    yield "No figures are declared."
    attacks = [attack for attack in found.get(REGISTER, ()) if attack.records]
    for attack in attacks:
        yield (
            f"Someone who knows {attack.knowledge} finds {attack.successes:,} of {attack.records:,} records "
            f"({tenths(attack.rate)}; guessing finds {tenths(attack.chance)})."
        )
    if policy.samples_records:
        yield "Places, classes and dates are drawn anew, and none is an entity's own."
    else:
        yield (
            "Codes and names are gone, but places, classes and years are the real ones: whoever has a register of them can "
            "tell who is who. This is pseudonymised data, not anonymous data."
        )


def _sentences(
    found: Mapping[str, Sequence[Attack]], policy: Policy, entries: Sequence[Mapping[str, Any]]
) -> Iterable[str]:
    yield from _of_copies(found.get(COPIES, ()))
    linkage = [attack for attack in found.get(LINKAGE, ()) if attack.records]
    worst = max((a for a in linkage if a.attack in _OWNERS), key=lambda attack: attack.rate, default=None)
    if worst is not None:
        yield (
            f"Someone who knows {worst.knowledge} finds the right company for {worst.successes:,} of {worst.records:,} "
            f"records ({tenths(worst.rate)}; guessing finds {tenths(worst.chance)})."
        )
    known = [attack for attack in found.get(EVENTS, ()) if attack.records and attack.attack in _OWNERS_OF_EVENTS]
    if known:
        most = max(known, key=lambda attack: attack.rate - attack.chance)
        yield (
            f"Someone who knows {most.knowledge}, finds the right company for {most.successes:,} of {most.records:,} "
            f"({tenths(most.rate)}; guessing finds {tenths(most.chance)})."
        )
    kept = [one for one in found.get(EVENTS, ()) if isinstance(one, events.Unchanged) and one.attack == events.FIGURE]
    if unchanged := [
        f"{one.column} of {one.table} ({tenths(one.rate)})" for one in kept if one.rate - one.chance > _MOST_UNCHANGED
    ]:
        yield f"Figures of events that are the originals' to the last digit: {', '.join(unchanged)}."
    if policy.samples_records:
        yield "Records are sampled from statistics of each industry, and no figure, place or date is a company's own."
        yield from _of_attackers([entry for entry in entries if entry["family"] == ADAPTIVE])
    else:
        yield (
            "Names and codes are gone, but the figures are nearly the real ones: whoever has the annual reports can tell "
            "the companies. This is pseudonymised data, not anonymous data."
        )


def _of_copies(attacks: Sequence[Attack]) -> Iterable[str]:
    """Yield a sentence on measures that equal the originals; nothing if there are none."""
    for attack in attacks:
        if isinstance(attack, Unchanged) and attack.successes:
            named = [f"{each.measure} ({each.unchanged / each.figures:.0%})" for each in attack.measures[:SHOWN]]
            more = f" and {attack.successes - SHOWN} more" if attack.successes > SHOWN else ""
            yield (
                f"{attack.successes} of {attack.records} measures are the originals to the last digit, in so many of their "
                f"figures: {', '.join(named)}{more}."
            )


def _of_attackers(entries: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Yield what attackers who know the code found; nothing if they were not tried."""
    if entries and not any(map(is_over, entries)):
        yield "Attackers who have the originals and this code name no more owners than guessing would."
    elif entries:
        yield "Attackers who have the originals and this code find more than the policy allows."

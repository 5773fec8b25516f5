"""The content of `privacy.json` besides escapes: first a sentence for everybody, then attacks, kept columns and blanks.

Belongs here: wording and combining. Attacks run in `suite.py`; their limits are in `limits.py`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import polars as pl

from anonymize.policy import Policy
from anonymize.quasi_identifiers import Anonymity
from pipeline.wording import percent, tenths
from validation.attacks import Attack
from validation.attacks.limits import ADAPTIVE, COPIES, EVENTS, is_over, judged, worst_on_owners
from validation.attacks.records import events
from validation.attacks.records.unchanged import SHOWN, Unchanged

_MOST_UNCHANGED = 0.2
"""A measure is reported from this share of unchanged events beyond chance: if two digits keep one, one in ten recurs."""

DEMONSTRATION = "The key is public, so that every pseudonym can be undone: the originals are invented."


REPORTS_OF_ORIGINALS = "The reports are as revealing as the tables: they compare originals and release cell by cell."
"""Of policies that publish the originals' own records."""


def privacy_report(
    found: Mapping[str, Sequence[Attack]],
    policy: Policy,
    *,
    anonymity: Anonymity | None,
    given_up: pl.DataFrame | None,
    is_demonstration: bool,
    has_panel: bool = True,
    figures_of_events: int = 0,
    further: Mapping[str, Anonymity] | None = None,
) -> dict[str, Any]:
    """Return the report, which starts with the sentence.

    Args:
        found: Attacks by family.
        policy: The policy of the release.
        anonymity: Class sizes of the published quasi-identifiers, if any are declared.
        given_up: How much of each column is left blank.
        is_demonstration: Whether the key is the public one.
        has_panel: Whether a panel of figures is declared.
        figures_of_events: How many figures of events are declared.
        further: Class sizes of further kinds of entities, by kind.
    """
    entries = judged(found, policy)
    sentences = _sentences(
        found, policy, entries, has_panel=has_panel, has_figures=has_panel or bool(figures_of_events)
    )
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


def _sentences(
    found: Mapping[str, Sequence[Attack]],
    policy: Policy,
    entries: Sequence[Mapping[str, Any]],
    *,
    has_panel: bool,
    has_figures: bool,
) -> Iterable[str]:
    if worst := worst_on_owners(entries):
        yield (
            f"Someone who knows {worst['knowledge']} finds the right company for {worst['successes']:,} of "
            f"{worst['records']:,} ({tenths(worst['rate'])}; guessing finds {tenths(worst['chance'])}): {worst['attack']}."
        )
    if not has_figures:
        yield "No figures are declared."
    yield from _of_copies(found.get(COPIES, ()))
    kept = [
        one for one in found.get(EVENTS, ()) if isinstance(one, events.UnchangedRows) and one.attack == events.FIGURE
    ]
    if unchanged := [
        f"{one.column} of {one.table} ({tenths(one.rate)})" for one in kept if one.rate - one.chance > _MOST_UNCHANGED
    ]:
        yield f"Figures of events that are the originals' to the last digit: {', '.join(unchanged)}."
    yield _SAMPLED[has_panel] if policy.samples_records else _PSEUDONYMISED[has_figures]
    if policy.samples_records:
        yield from sentence_of_attackers([entry for entry in entries if entry["family"] == ADAPTIVE])


_SAMPLED = {
    True: "Records are sampled from statistics of each industry, and no figure, place or date is a company's own.",
    False: "Places, classes and dates are drawn anew, and none is an entity's own.",
}
"""By whether a panel is declared."""

_PSEUDONYMISED = {
    True: (
        "Names and codes are gone, but the figures are nearly the real ones: whoever has the annual reports can tell "
        f"the companies. This is pseudonymised data, not anonymous data. {REPORTS_OF_ORIGINALS}"
    ),
    False: (
        "Codes and names are gone, but places, classes and years are the real ones: whoever has a register of them can "
        f"tell who is who. This is pseudonymised data, not anonymous data. {REPORTS_OF_ORIGINALS}"
    ),
}
"""By whether any figures are declared."""


def _of_copies(attacks: Sequence[Attack]) -> Iterable[str]:
    """Yield a sentence on measures that equal the originals; nothing if there are none."""
    for attack in attacks:
        if isinstance(attack, Unchanged) and attack.successes:
            named = [f"{each.measure} ({percent(each.unchanged / each.figures)})" for each in attack.measures[:SHOWN]]
            more = f" and {attack.successes - SHOWN} more" if attack.successes > SHOWN else ""
            yield (
                f"{attack.successes} of {attack.records} measures are the originals to the last digit, in so many of their "
                f"figures: {', '.join(named)}{more}."
            )


def sentence_of_attackers(entries: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Yield what attackers who know the code found; nothing if they were not tried."""
    if entries and not any(map(is_over, entries)):
        yield "Attackers who have the originals and this code name no more owners than guessing would."
    elif entries:
        yield "Attackers who have the originals and this code find more than the policy allows."

"""The content of `privacy.json` besides escapes: first a sentence for everybody, then attacks, kept columns and blanks.

Belongs here: wording and combining. Attacks run in `suite.py`; their limits are in `limits.py`. Where records are sampled it is
the curator's, and what is published is what was tried, the limit, and whether it was kept: attacks have the originals in hand.
Whatever they count is a function of originals without noise, and so is a rounded share: whoever has all other originals
computes it for each company that may be in them, and sees which gives the published share.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from operator import itemgetter
from typing import Any

import polars as pl

from anonymize.policy import Policy
from anonymize.quasi_identifiers import Classes
from pipeline.legible import text_table
from pipeline.model.budget import DELTA, epsilon, largest_area, most_bits
from pipeline.wording import counted, exact_percent, percent
from validation.attacks.limits import (
    ADAPTIVE,
    ALPHA,
    COPIES,
    EVENTS,
    OPINION,
    REPORTED_ONLY,
    beats_guessing,
    in_words,
    is_over,
    is_over_by_bound,
    names_owners,
    p_in_words,
    worst_on_owners,
)
from validation.attacks.records import events
from validation.attacks.records.unchanged import UNCHANGED
from validation.wording import briefly

_MOST_UNCHANGED = 0.2
"""A measure is reported from this share of unchanged events beyond chance: if two digits keep one, one in ten recurs."""

DEMONSTRATION = "The key is public, so that it protects nothing: the originals are invented."


REPORTS_OF_ORIGINALS = (
    "The reports are as revealing as the tables: whatever they compare, they compare with the originals."
)
"""Of policies that publish the originals' own records."""


def privacy_report(
    entries: Sequence[Mapping[str, Any]],
    policy: Policy,
    *,
    anonymity: Classes | None,
    given_up: pl.DataFrame | None,
    is_demonstration: bool,
    has_panel: bool = True,
    figures_of_events: int = 0,
    further: Mapping[str, Classes] | None = None,
) -> dict[str, Any]:
    """Return the report, which starts with the sentence.

    Args:
        entries: What the attacks found, judged (`limits.judged`), in the order of their families.
        anonymity: Class sizes of the published quasi-identifiers, if any are declared.
        given_up: How much of each column is left blank.
        is_demonstration: Whether the key is the public one.
        figures_of_events: How many figures of events are declared.
        further: Class sizes of further kinds of entities, by kind.
    """
    sentences = _sentences(policy, entries, has_panel=has_panel, has_figures=has_panel or bool(figures_of_events))
    return {
        "summary": " ".join([*sentences, *([DEMONSTRATION] if is_demonstration else [])]),
        "policy": policy.name,
        "passed": not any(map(is_over, entries)),
        "attacks": [*entries],
        "quasi_identifiers": anonymity and asdict(anonymity),
        "further_kinds": {kind: asdict(classes) for kind, classes in (further or {}).items()},
        "given_up": [] if given_up is None else given_up.to_dicts(),
    }


def _sentences(
    policy: Policy, entries: Sequence[Mapping[str, Any]], *, has_panel: bool, has_figures: bool
) -> Iterable[str]:
    yield _SAMPLED[has_panel] if policy.samples_records else _PSEUDONYMISED[has_figures]
    if worst := worst_on_owners(entries):
        yield (
            f"Someone who knows {briefly(worst['knowledge'])} finds the right company for {worst['successes']:,} of "
            f"{worst['records']:,} ({percent(worst['rate'])}; guessing finds {percent(worst['chance'])}): {worst['attack']}."
            f"{'' if beats_guessing(worst, ALPHA) else f' Guessing finds as many with {p_in_words(worst)}.'}"
        )
    if not has_figures:
        yield "No figures are declared."
    yield from _of_copies(entries)
    kept = [one for one in entries if (one["family"], one["attack"]) == (EVENTS, events.FIGURE)]
    if unchanged := [
        f"{one['column']} of {one['table']} ({percent(one['rate'])})"
        for one in kept
        if one["rate"] - one["chance"] > _MOST_UNCHANGED
    ]:
        yield f"Figures of events that are the originals' to the last digit: {', '.join(unchanged)}."
    if not policy.samples_records:
        yield REPORTS_OF_ORIGINALS
    else:
        yield from sentence_of_attackers(entries, is_counted=True)


_SAMPLED = {
    True: "Records are sampled from statistics of each industry, and no figure, place or date is a company's own.",
    False: "Places, classes and dates are drawn anew, and none is an entity's own.",
}
"""By whether a panel is declared."""

_PSEUDONYMISED = {
    True: (
        "This is pseudonymised data, not anonymous data: names and codes are gone, but the figures are nearly the "
        "originals'. Where the companies are real, whoever has their annual reports can tell which is which."
    ),
    False: (
        "This is pseudonymised data, not anonymous data: codes and names are gone, but places, classes and years are the "
        "originals'. Of real ones, whoever has a register can tell who is who."
    ),
}
"""By whether any figures are declared."""


def _of_copies(entries: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    """Yield a sentence on measures that equal the originals; nothing if there are none."""
    for entry in entries:
        if (entry["family"], entry["attack"]) == (COPIES, UNCHANGED) and entry["successes"]:
            named = [
                f"{each['measure']} ({percent(each['unchanged'] / each['figures'])})" for each in entry["measures"]
            ]
            yield (
                f"In {entry['successes']} of {entry['records']} measures many figures are the originals to the last digit: "
                f"{briefly(', '.join(named), 'measures')}."
            )


def sentence_of_attackers(entries: Sequence[Mapping[str, Any]], *, is_counted: bool) -> Iterable[str]:
    """Yield what attackers who know the code found: nothing if they were not tried, figures only where these are published.

    What the best attack of all found is said before.
    """
    tried = [entry for entry in entries if entry["family"] == ADAPTIVE]
    best = worst_on_owners(tried)
    if any(map(is_over, tried)):
        is_found = any(is_over(entry) and not is_over_by_bound(entry) for entry in tried)
        over = "find more than the policy allows" if is_found else "are not shown to keep their limits"
        yield f"{_ATTACKERS} {over}."
    elif best and is_counted and best is worst_on_owners(entries):
        yield f"{_ATTACKERS} name no more owners: only {_REFUSED}."
    elif best and is_counted:
        yield (
            f"{_ATTACKERS} name the owner of {percent(best['rate'])} of {counted(best['records'], 'record')} at best, guessing "
            f"{percent(best['chance'])} ({p_in_words(best)}): only {_REFUSED}."
        )
    elif best:
        yield f"{_ATTACKERS} do not name significantly more owners than guessing ({_REFUSED})."


_ATTACKERS = "Attackers who have the originals and this code"
_REFUSED = f"p below {ALPHA:g} is refused"


_PUBLISHED = ("attack", "knowledge", "family", "limit", "passed")

_NOTHING_OWN = "Records are sampled from statistics of the originals, and no figure, place or date is a company's own."
_KEPT_BACK = (
    "What attacks counted with the originals in hand stays with the curator; here stands whether each kept its limit."
)


def outcomes_of(report: Mapping[str, Any], *, doors: Sequence[str], budget: float) -> dict[str, Any]:
    """Return what is published of a privacy report.

    Args:
        report: The whole report (`privacy_report`).
        doors: In words, all ways on which anything passes from the originals to what is published.
        budget: What the statistics spend (rho).
    """
    entries = report["attacks"]
    attackers = sentence_of_attackers(entries, is_counted=False)
    is_public = [DEMONSTRATION] if report["summary"].endswith(DEMONSTRATION) else []
    return {
        "summary": " ".join([_NOTHING_OWN, *attackers, _KEPT_BACK, *is_public]),
        "policy": report["policy"],
        "passed": report["passed"],
        "doors": list(doors),
        "account": _account(budget),
        "attacks": [{name: entry[name] for name in _PUBLISHED} for entry in entries],
        "quasi_identifiers": report["quasi_identifiers"],
        "further_kinds": report["further_kinds"],
        "given_up": [],
    }


def _account(budget: float) -> dict[str, Any]:
    area, bits = largest_area(budget), most_bits(budget)
    return {
        "budget": budget,
        "epsilon": round(epsilon(budget), 3),
        "delta": DELTA,
        "largest_area": round(area, 6),
        "most_bits": round(bits, 3),
        "bounds": (
            f"The statistics satisfy zero-concentrated differential privacy with rho = {budget:g}, for one company replaced by "
            f"another of its industry. From them, whoever has all other companies' figures learns of all figures of a company "
            f"together {bits:.1f} bits at most, and of a company that is among the originals and one that is not tells which "
            f"is which in at most {exact_percent(round(area, 6))} of pairs (the area under the curve; guessing: 50%). "
            "That each gate was kept is not in this account: it is no noised statistic. "
            "How many companies there are, how many of each industry, and how many of these report figures, is stated as known "
            "to everybody."
        ),
    }


HEADER = ("attack", "found", "rate", "upper 95", "chance", "verdict")

_NUMBERS = frozenset({"attacks", "found", "the best found", "rate", "upper 95", "chance"})


def attack_table(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return a header and, under the name of their family, a row for each attack: with what it knows, and its limit.

    Args:
        entries: The field `attacks` of a privacy report.
    """
    families = groupby(entries, key=itemgetter("family"))
    rows = [row for family, of_family in families for row in ((family,), *map(_row, of_family))]
    return text_table(HEADER, rows, numbers=_NUMBERS)


def family_table(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return a header and a row for each family of attacks, worst first: its most successful attack, and what that found.

    Below that of its family stands the most successful attack on owners, if it is another one.
    """
    families = [list(of_family) for _, of_family in groupby(entries, key=itemgetter("family"))]
    worst = [(max(family, key=_success), len(family)) for family in families]
    worst.sort(key=lambda of_family: _success(of_family[0]), reverse=True)
    rows, on_owners = [], worst_on_owners(entries)
    for entry, attacks in worst:
        rows.append((_family_cell(entry), str(attacks), *_found(entry, "rate", "chance")))
        if on_owners and on_owners is not entry and on_owners["family"] == entry["family"]:
            rows.append((f"    {on_owners['attack']}", "", *_found(on_owners, "rate", "chance")))
    return text_table(("family", "attacks", "the best found", "rate", "chance", "verdict"), rows, numbers=_NUMBERS)


def _family_cell(entry: Mapping[str, Any]) -> str:
    """Return the name of a family, and under it the attack that the row shows; there is none where nothing was tried."""
    named = f"\n    {entry['attack']}{'' if names_owners(entry) else ' (names no owner)'}"
    return f"{entry['family']}{named if entry['records'] else ''}{_tries(entry)}"


def _tries(entry: Mapping[str, Any]) -> str:
    """Return as lines more why there was nothing to try, or what a test of membership says of its rate and its tries."""
    if not entry["records"]:
        return f"\n    {entry['detail']}" if entry["detail"] and is_asked(entry) else ""
    return (
        f"\n    rate: of pairs (area under the curve)\n    {entry['detail']}"
        if entry.get("area") and entry["detail"]
        else ""
    )


def _success(entry: Mapping[str, Any]) -> tuple[bool, bool, float]:
    return is_over(entry), entry["records"] > 0, entry["rate"] - entry["chance"]


def _row(entry: Mapping[str, Any]) -> tuple[str, ...]:
    limit = "" if entry["limit"] == REPORTED_ONLY else f"\n    limit: {entry['limit']}"
    return (
        f"  {entry['attack']}\n    knows: {entry['knowledge']}{limit}{_tries(entry)}",
        *_found(entry, "rate", "upper_95", "chance"),
    )


def is_asked(entry: Mapping[str, Any]) -> bool:
    """Say whether an attack was there to try: whoever gives an independent opinion may not be, or have nothing to say."""
    return bool(entry["records"]) or entry["family"] != OPINION


def _found(entry: Mapping[str, Any], *shares: str) -> Iterator[str]:
    if not entry["records"]:  # a share of nothing is no figure
        yield from ("", *("" for _ in shares), in_words(entry) if is_asked(entry) else "not asked")
        return
    yield "" if entry.get("area") else f"{entry['successes']:,} of {entry['records']:,}"
    yield from (percent(entry[name]).replace("under ", "<").replace("over ", ">") for name in shares)
    yield in_words(entry).replace(", ", "\n")

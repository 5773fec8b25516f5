"""With which word each card has to begin, worked out from the figures of reports: half of the oracle for the first screen."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scipy.stats import binomtest

from validation.attacks.limits import REPORTED_ONLY, names_owners

Reports = Mapping[str, Any]
"""Name of a report -> what its JSON holds; one that was not made is absent."""

Pair = tuple[int, int]
"""So many of so many."""


def faithful(of: Reports, *, is_sampled: bool) -> str:
    """Return the first word of the answer."""
    ks, shapes, agreement = (of.get(name) for name in ("ks", "distributions", "consistency"))
    judged = [each for each in (ks, None if is_sampled else shapes, agreement) if each]
    if not all(each["passed"] for each in judged):
        return "No"
    compared = [
        len(ks["tests"]) if ks else 0,
        shapes["judged"]["samples"] if shapes else 0,
        _compared(agreement) if agreement else 0,
    ]
    if not any(compared):
        return "Unknown"
    if shapes and shapes["judged"]["different"] > shapes["judged"]["equivalent"]:
        return "No"
    return "Yes" if all(compared) and not any(_differences(ks, shapes, agreement)) else "Partly"


def _compared(of: Mapping[str, Any]) -> int:
    return sum(each["cells"] for each in of["aggregates"]) + sum(
        len(of[part]) for part in ("totals", "chain", "identities")
    )


def _differences(ks: Any, shapes: Any, agreement: Any) -> Iterator[bool]:
    """Yield of everything that was found whether it differs by more than chance explains."""
    if ks:
        yield from (_is_beyond_chance(*rejections(each)) for each in (ks, *ks.get("events", {}).values()))
    if shapes:
        yield from (not shapes["passed"], shapes["judged"]["different"] > 0)
    if agreement:
        yield from (bool(each["missing"] or each["extra"] or each["changed"]) for each in agreement["structures"])
        yield from (
            each["bounded_cells"] < each["cells"] and bool(each["max_offset"] or each["from_zero"])
            for each in agreement["aggregates"]
        )
        yield from (_is_beyond_chance(*statistics(agreement, is_judged=each)) for each in (True, False))
        yield from (each["disagreeing"] > 0 for part in ("totals", "chain") for each in agreement[part])
        yield from (each["max_residual"] > 0 for each in agreement["identities"])


def rejections(ks: Mapping[str, Any]) -> tuple[Pair, float]:
    return (sum(test["p_value"] <= ks["alpha"] for test in ks["tests"]), len(ks["tests"])), ks["alpha"]


def statistics(of: Mapping[str, Any], *, is_judged: bool) -> tuple[Pair, float]:
    tested = [each for each in of["aggregates"] if each.get("is_judged", True) == is_judged]
    known = [each["ks_p_value"] for each in tested if each["ks_p_value"] is not None]
    return (sum(p_value <= of["alpha"] for p_value in known), len(known)), of["alpha"]


def _is_beyond_chance(found: Pair, alpha: float) -> bool:
    return found[0] > alpha * found[1]


def safe(of: Mapping[str, Any] | None, *, is_demonstration: bool) -> str:
    """Return the first word of the answer."""
    if of is None:
        return "Unknown"
    if of.get("escapes") or any(attack["passed"] is False for attack in of["attacks"]):
        return "No"
    owners = [each for each in of["attacks"] if each["passed"] is not None and names_owners(each)]
    free = [each for each in owners if each["limit"] == REPORTED_ONLY]
    if any(is_sure(each) for each in free) and not is_demonstration:
        return "No"
    if of.get("escapes") is None:
        return "Unknown"
    if is_demonstration:
        return "Yes"
    is_known = not _is_mostly_on_few(of["attacks"]) and all(
        "rate" in each and each["rate"] <= each["chance"] for each in free
    )
    return "Yes" if is_known and any(each["family"] not in {"codes", "names"} for each in owners) else "Unknown"


def _is_mostly_on_few(attacks: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether most attacks with a limit were tried on so few records that none of them could have exceeded it."""
    few = [
        each.get("highest_kept") == 1
        for each in attacks
        if each["limit"] != REPORTED_ONLY and each["passed"] is not None
    ]
    return bool(sum(few)) and sum(few) >= few.count(False)


def is_sure(attack: Mapping[str, Any]) -> bool:
    """Say whether an attack does better than guessing, but for one case of twenty; rows that go together count as fewer."""
    if not attack.get("records"):
        return False
    if attack.get("standard_error") is not None:
        gain = attack["rate"] - (0.5 if attack.get("area") is not None else 0.0)
        return bool(gain > 1.6449 * attack["standard_error"])
    records = round(attack.get("effective_records") or attack["records"])
    found = round(attack["rate"] * records)
    return bool(found and binomtest(found, records, attack["chance"], alternative="greater").pvalue < 0.05)


def hard(of: Reports) -> str:
    """Return how the answer begins; nothing where it is a measure."""
    noise, rates = of.get("noise"), (of.get("expectations") or {}).get("rules", [])
    if noise is None:
        return "Unknown"
    if not noise["rules"]:
        return "Not at all"
    kept = [each["passed"] for each in rates]
    if noise.get("is_blocking"):
        kept += [each["passed"] for each in noise.get("filters", []) if each["limit"] is not None]
        kept += [noise["cleaner"]["passed"]] if noise.get("cleaner") else []
    return "" if all(kept) else "Not as promised"

"""What is published of attacks where records are sampled: what was tried, the limit, and whether it was kept.

Attacks have the originals in hand. Whatever they count is a function of originals without noise, and so is a rounded share:
whoever has all other originals computes it for each company that may be in them, and sees which gives the published share. So
none is published. What is counted of published tables alone stays as it is. The whole report is the curator's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.model.budget import DELTA, epsilon, largest_area, most_bits
from validation.attacks.limits import ADAPTIVE
from validation.attacks.privacy import DEMONSTRATION, sentence_of_attackers

_PUBLISHED = ("attack", "knowledge", "family", "limit", "passed")

_SAMPLED = "Records are sampled from statistics of the originals, and no figure, place or date is a company's own."
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
    attackers = sentence_of_attackers([entry for entry in entries if entry["family"] == ADAPTIVE])
    is_public = [DEMONSTRATION] if report["summary"].endswith(DEMONSTRATION) else []
    return {
        "summary": " ".join([_SAMPLED, *attackers, _KEPT_BACK, *is_public]),
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
            f"together {bits:.1f} bits at most, and tells whether it is among the originals with an area under the curve of "
            f"{area:.4f} at most. That each gate was kept is not in this account: it is no noised statistic. "
            "How many companies there are, how many of each industry, and how many of these report figures, is stated as known "
            "to everybody."
        ),
    }

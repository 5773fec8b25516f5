"""The report on consistency: aggregates, identities, totals and statements across domains, each judged on its own.

Belongs here: combining and judging the findings of `aggregates.py`, `residuals.py`, `totals.py` and `domains.py`. The report is
published: its cells are published cells, and offsets from the originals are rounded (`aggregates.py` says why).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, Literal

from validation.consistency.aggregates import Offset, Sampled, Structure, failures, published_offsets
from validation.consistency.domains import DomainLink
from validation.consistency.residuals import Residual
from validation.consistency.totals import CheckedTotal
from validation.distributions.two_sample import ALPHA

Part = Literal["aggregates", "identities", "totals", "domains"]
"""The parts that pass or fail on their own."""


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What was found on one release."""

    offsets: Sequence[Offset] = ()
    structures: Sequence[Structure] = ()
    residuals: Sequence[Residual] = ()
    totals: Sequence[CheckedTotal] = ()
    links: Sequence[DomainLink] = ()
    sampled: Sampled | None = None
    """What is judged of aggregates if records are sampled; None if none is."""

    def of_aggregates(self) -> Sequence[Offset]:
        """Return the statistics, each with whether it is judged."""
        return [replace(entry, is_judged=self.sampled is None or self.sampled.judges(entry)) for entry in self.offsets]

    def of_cells(self) -> Sequence[Structure]:
        """Return the structures, each with whether it is judged."""
        return [replace(entry, is_judged=self.sampled is None) for entry in self.structures]

    @cached_property
    def entries(self) -> dict[str, list[dict[str, Any]]]:
        """Return the findings as they are published, by the report's fields."""
        return {
            "aggregates": [published_offsets(entry) for entry in self.of_aggregates()],
            "structures": [asdict(entry) for entry in self.of_cells()],
            "identities": [asdict(entry) for entry in self.residuals],
            "totals": [asdict(entry) for entry in self.totals],
            "chain": [link.as_record() for link in self.links],
        }


def defects(found: Findings) -> dict[Part, list[str]]:
    """Return one sentence for each defect, for the curator: what is wrong, where it is worst, what is allowed."""
    return {
        "aggregates": failures(found.offsets, found.structures, sampled=found.sampled),
        "identities": [
            f"identity {r.identity!r} is off by up to {r.max_residual} units of the last digit in {r.records} records, "
            f"most at {dict(r.worst_cell)}; it must hold exactly"
            for r in found.residuals
            if r.max_residual
        ],
        "totals": [
            f"{t.total}: the {t.statistic} of {t.disagreeing} of {t.cells} cells is not that of the parts in {t.parts}, by "
            f"up to {t.max_gap} units of the last digit at {dict(t.worst_cell)}; all must agree exactly"
            for t in found.totals
            if t.disagreeing
        ],
        "domains": [
            f"{link.what}: {link.disagreeing} of {link.cells} cells disagree, most at {dict(link.worst_cell)}; none may"
            for link in found.links
            if link.disagreeing
        ],
    }


def consistency_report(found: Findings) -> dict[str, Any]:
    """Return the content of `consistency.json`."""
    return {"passed": not any(defects(found).values()), "alpha": ALPHA, **found.entries}


def facts_and_samples(part: Part, found: Findings) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """Return the counts of a part of the report, and its entries with the worst first, both as they are published."""
    shown: tuple[str, ...]
    entries = found.entries[_FIELDS.get(part, part)]
    match part:
        case "aggregates":
            shown = ("table", "statistic", "measure", "cells", "max_offset", "ks_p_value")
            ordered = sorted(entries, key=lambda entry: -(entry["max_offset"] or 0))
            counted = {"structures": len(found.structures)}
        case "identities":
            shown = ("identity", "records", "max_residual")
            ordered = sorted(entries, key=lambda entry: (-entry["max_residual"], -entry["records"]))
            counted = _sums(entries, "records")
        case "totals" | "domains":
            is_of_totals = part == "totals"
            shown = ("total", "parts", "statistic") if is_of_totals else ("from", "to", "what")
            shown += ("cells", "disagreeing", *(["max_gap"] if is_of_totals else []))
            ordered = sorted(entries, key=lambda entry: (-entry["disagreeing"], -entry["cells"]))
            counted = _sums(entries, "cells", "disagreeing")
    samples = [{name: entry[name] for name in shown} | {"worst cell": _place(entry["worst_cell"])} for entry in ordered]
    return {"compared": len(entries), **counted}, samples


_FIELDS: Mapping[Part, str] = {"domains": "chain"}
"""Part -> its field in the report, where that has another name."""


def _sums(entries: list[dict[str, Any]], *names: str) -> dict[str, int]:
    return {name: sum(entry[name] for entry in entries) for name in names}


def _place(cell: Mapping[str, object]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in cell.items())

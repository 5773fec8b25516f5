"""The section on consistency: enterprise to industry to region to policy, with the worst cell of everything compared.

Belongs here: words and order; every figure stands in `consistency.json`.
"""

from collections.abc import Mapping, Sequence
from string import Template
from typing import Any

from validation.report.frame import fact_boxes, number
from validation.report.tables import Cell, sortable, word
from validation.report.words import cell_of, spoken


def agreement(consistency: Mapping[str, Any]) -> str:
    """Return the section's HTML."""
    return _BODY.substitute(
        facts=fact_boxes(_facts(consistency)),
        chain=_part("From domain to domain", _CHAIN, consistency.get("chain"), _link, "chain"),
        totals=_part("Totals and their parts", _TOTALS, consistency.get("totals"), _total, "totals"),
        structures=_part("Structure", _STRUCTURES, consistency["structures"], _structure, "structures"),
        identities=_part("Identities", _IDENTITIES, consistency["identities"], _identity, "identities"),
        broken=_part("Rows that break an identity", _BROKEN, consistency["broken"], _breach, "broken identities"),
        given=_part("The originals against themselves", _GIVEN, consistency["given"], _given, "given and derived"),
        aggregates=_part(
            "Every aggregate", _AGGREGATES, _by_offset(consistency["aggregates"]), _aggregate, "aggregates"
        ),
    )


def cells_of(consistency: Mapping[str, Any]) -> int:
    """Return how many cells of aggregates were compared."""
    return sum(entry["cells"] for entry in consistency["aggregates"])


def outside(consistency: Mapping[str, Any]) -> int:
    """Return how many cells are farther from their originals than the policy allows."""
    return sum(entry["outside"] for entry in consistency["aggregates"])


def _facts(consistency: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        ("cells compared", f"{cells_of(consistency):,}"),
        ("cells outside their bound", f"{outside(consistency):,}"),
        ("identities", f"{len(consistency['identities']):,}"),
        ("largest residual", number(max((entry["max_residual"] for entry in consistency["identities"]), default=0))),
    ]


def _part(
    heading: str, headings: Sequence[str], entries: Sequence[Mapping[str, Any]] | None, row: Any, name: str
) -> str:
    if entries is None:
        return f"<h3>{heading}</h3>\n<p>Not told by this build.</p>\n"
    if not entries:
        return f"<h3>{heading}</h3>\n<p>The environment declares none.</p>\n"
    return f"<h3>{heading}</h3>\n{sortable(headings, map(row, entries), name=name)}"


def _by_offset(entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return aggregates, those outside their bound first, then those farthest off."""
    return sorted(entries, key=lambda entry: (-entry["outside"], -abs(entry["max_offset"] or 0)))


def _link(entry: Mapping[str, Any]) -> Sequence[Cell]:
    ends = (entry["from"], entry["to"], entry["what"], entry["cells"], entry["disagreeing"])
    return *ends, cell_of(entry["worst_cell"]), word(entry["passed"], compared=entry["cells"])


def _total(entry: Mapping[str, Any]) -> Sequence[Cell]:
    counts = (
        *(entry[name] for name in ("cells", "disagreeing", "max_gap")),
        cell_of(entry["worst_cell"]),
    )
    verdict = word(not entry["disagreeing"], compared=entry["cells"])
    return _words(entry["total"]), _words(entry["parts"]), entry["statistic"], *counts, verdict


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else spoken(str(value))


def _structure(entry: Mapping[str, Any]) -> Sequence[Cell]:
    wrong = [entry[name] for name in ("missing", "extra", "changed")]
    return entry["table"], entry["content"], entry["cells"], *wrong, word(not any(wrong), compared=entry["cells"])


def _identity(entry: Mapping[str, Any]) -> Sequence[Cell]:
    verdict = word(not entry["max_residual"], compared=entry["records"])
    return entry["identity"], entry["records"], entry["max_residual"], verdict


def _breach(entry: Mapping[str, Any]) -> Sequence[Cell]:
    counts = (entry["originals"], entry["published"], entry["only_published"])
    return entry["identity"], *counts, word(not entry["only_published"])


def _given(entry: Mapping[str, Any]) -> Sequence[Cell]:
    return entry["table"], *(entry[name] for name in ("cells", "agreeing", "only_given", "only_derived"))


def _aggregate(entry: Mapping[str, Any]) -> Sequence[Cell]:
    figures = [entry[name] for name in ("cells", "mean_offset", "max_offset", "bound", "outside", "ks_p_value")]
    return entry["table"], entry["statistic"], entry["measure"], *figures, cell_of(entry.get("worst_cell"))


_CHAIN = ("from", "to", "what", "cells", "disagreeing", "worst cell", "verdict")
_TOTALS = ("total", "parts", "statistic", "cells", "disagreeing", "largest gap", "worst cell", "verdict")
_STRUCTURES = ("table", "content", "cells", "missing", "extra", "changed", "verdict")
_IDENTITIES = ("identity", "records", "largest residual", "verdict")
_BROKEN = ("identity", "in the originals", "in what is published", "only in what is published", "verdict")
_GIVEN = ("given table", "cells", "agreeing", "only given", "only derived")
_AGGREGATES = (
    *(
        "table",
        "statistic",
        "measure",
        "cells",
        "mean offset",
        "largest offset",
        "bound",
        "outside",
        "KS p",
        "worst cell",
    ),
)

_BODY = Template("""<p>Every aggregate is computed again from the anonymised firms and compared with the one computed
from the originals: which cells there are, how far each is off, whether they are distributed alike. Offsets are
relative. Identities between figures hold to the last digit, or they do not hold.</p>
$facts
$chain$totals$identities$broken$structures$given$aggregates""")

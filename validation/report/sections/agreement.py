"""The section on consistency: enterprise to industry to region to policy, with the worst cell of everything compared.

Belongs here: words and order; every figure stands in `consistency.json`.
"""

from collections.abc import Iterator

from markupsafe import Markup

from validation.consistency.aggregates import Structure
from validation.report.documents.consistency import Consistency
from validation.report.html import Cell, Column, Table, fields, render, table, word
from validation.wording import cell_of, number, spoken


def agreement(of: Consistency) -> Markup:
    """Return the section's HTML."""
    counts = {
        "cells compared": cells_of(of),
        "cells outside their bound": outside(of),
        "identities": len(of.identities),
        "largest residual": max((entry.max_residual for entry in of.identities), default=0),
    }
    figures = [(name, number(count)) for name, count in counts.items()]
    return render("agreement.html", figures=figures, parts=list(_parts(of)))


def cells_of(of: Consistency) -> int:
    """Return how many cells of aggregates were compared."""
    return sum(entry.cells for entry in of.aggregates)


def outside(of: Consistency) -> int:
    """Return how many cells are farther from their originals than the policy allows."""
    return sum(entry.outside for entry in of.aggregates)


def _parts(of: Consistency) -> Iterator[Table]:
    agree: dict[str, Column] = _WORST | {"verdict": lambda entry: word(not entry.disagreeing, compared=entry.cells)}
    ends: dict[str, Column] = {"from": "source", **fields("to", "what", "cells", "disagreeing")}
    yield table("From domain to domain", of.chain, ends | agree)
    totals: dict[str, Column] = {"total": lambda entry: spoken(entry.total), "parts": lambda entry: spoken(entry.parts)}
    totals |= fields("statistic", "cells", "disagreeing") | {"largest gap": "max_gap"}
    yield table("Totals and their parts", of.totals, totals | agree)
    structure = fields("table", "content", "cells", "missing", "extra", "changed") | {"verdict": _is_same}
    yield table("Structure", of.structures, structure)
    residual: dict[str, Column] = fields("identity", "records") | {"largest residual": "max_residual"}
    residual |= {"verdict": lambda entry: word(not entry.max_residual, compared=entry.records)}
    yield table("Identities", of.identities, residual)
    sides: dict[str, Column] = {"in the originals": "originals", "in what is published": "published"}
    sides |= {"only in what is published": "only_published", "verdict": lambda entry: word(not entry.only_published)}
    yield table("Rows that break an identity", of.broken, fields("identity") | sides)
    given = {"given table": "table", **fields("cells", "agreeing", "only_given", "only_derived")}
    yield table("The originals against themselves", of.given, given)
    offsets = fields("table", "statistic", "measure", "cells", "mean_offset") | {"largest offset": "max_offset"}
    offsets |= fields("bound", "outside") | {"KS p": "ks_p_value"} | _WORST
    worst_first = sorted(of.aggregates, key=lambda entry: (-entry.outside, -abs(entry.max_offset or 0)))
    yield table("Every aggregate", worst_first, offsets)


def _is_same(entry: Structure) -> Cell:
    return word(not (entry.missing or entry.extra or entry.changed), compared=entry.cells)


_WORST: dict[str, Column] = {"worst cell": lambda entry: cell_of(entry.worst_cell)}

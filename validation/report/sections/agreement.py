"""The section on consistency: enterprise to industry to region to policy, with the worst cell of everything compared.

Belongs here: words and order; every figure stands in `consistency.json`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from validation.report.documents.consistency import Consistency
from validation.report.html import Table, Value, render, word
from validation.wording import cell_of, number, spoken


def agreement(of: Consistency) -> Markup:
    """Return the section's HTML."""
    tables = [(heading, Table(name=heading, headings=headings, rows=rows)) for heading, headings, rows in _parts(of)]
    largest = max((entry.max_residual for entry in of.identities), default=0)
    figures = [
        ("cells compared", number(cells_of(of))),
        ("cells outside their bound", number(outside(of))),
        ("identities", number(len(of.identities))),
        ("largest residual", number(largest)),
    ]
    return render("agreement.html", figures=figures, parts=tables)


def cells_of(consistency: Consistency) -> int:
    """Return how many cells of aggregates were compared."""
    return sum(entry.cells for entry in consistency.aggregates)


def outside(consistency: Consistency) -> int:
    """Return how many cells are farther from their originals than the policy allows."""
    return sum(entry.outside for entry in consistency.aggregates)


def _parts(of: Consistency) -> Iterator[tuple[str, Sequence[str], list[Sequence[Value]]]]:
    yield (
        "From domain to domain",
        _CHAIN,
        [
            (
                *_fields(e, "source", "to", "what", "cells", "disagreeing"),
                cell_of(e.worst_cell),
                _verdict(e, not e.passed),
            )
            for e in of.chain
        ],
    )
    yield (
        "Totals and their parts",
        _TOTALS,
        [
            (
                *(_words(e.total), _words(e.parts)),
                *(*_fields(e, "statistic", "cells", "disagreeing", "max_gap"), cell_of(e.worst_cell)),
                _verdict(e, e.disagreeing),
            )
            for e in of.totals
        ],
    )
    wrong = ("missing", "extra", "changed")
    yield (
        "Structure",
        _STRUCTURES,
        [
            (*_fields(e, "table", "content", "cells", *wrong), _verdict(e, any(_fields(e, *wrong))))
            for e in of.structures
        ],
    )
    yield (
        "Identities",
        _IDENTITIES,
        [
            (*_fields(e, "identity", "records", "max_residual"), word(not e.max_residual, compared=e.records))
            for e in of.identities
        ],
    )
    yield (
        "Rows that break an identity",
        _BROKEN,
        [
            (*_fields(e, "identity", "originals", "published", "only_published"), word(not e.only_published))
            for e in of.broken
        ],
    )
    yield (
        "The originals against themselves",
        _GIVEN,
        [_fields(e, "table", "cells", "agreeing", "only_given", "only_derived") for e in of.given],
    )
    yield (
        "Every aggregate",
        _AGGREGATES,
        [
            (*_fields(e, *_OFFSETS), cell_of(e.worst_cell))
            for e in sorted(of.aggregates, key=lambda e: (-e.outside, -abs(e.max_offset or 0)))
        ],
    )


def _fields(entry: Any, *names: str) -> tuple[Any, ...]:
    return tuple(getattr(entry, name) for name in names)


def _verdict(entry: Any, is_wrong: object) -> Value:
    return word(not is_wrong, compared=entry.cells)


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else spoken(str(value))


_CHAIN = ("from", "to", "what", "cells", "disagreeing", "worst cell", "verdict")
_TOTALS = ("total", "parts", "statistic", "cells", "disagreeing", "largest gap", "worst cell", "verdict")
_STRUCTURES = ("table", "content", "cells", "missing", "extra", "changed", "verdict")
_IDENTITIES = ("identity", "records", "largest residual", "verdict")
_BROKEN = ("identity", "in the originals", "in what is published", "only in what is published", "verdict")
_GIVEN = ("given table", "cells", "agreeing", "only given", "only derived")
_OFFSETS = ("table", "statistic", "measure", "cells", "mean_offset", "max_offset", "bound", "outside", "ks_p_value")
_AGGREGATES = (
    *("table", "statistic", "measure", "cells", "mean offset", "largest offset", "bound", "outside", "KS p"),
    "worst cell",
)

"""The section on expectations: the suite of each published table, what of it was met, and its page of Data Docs.

Belongs here: words and order; every figure stands in `expectations.json`.
"""

from collections.abc import Sequence

from markupsafe import Markup

from validation.report.documents.noise import Expectations, Suite
from validation.report.html import Cell, Table, fields, render, table, word
from validation.wording import number

SHOWN = 200
"""Unmet expectations that the page lists; all stand in `expectations.json`."""

_STRICTNESS = {
    "clean": "The clean variant must meet the strict suite: types, nulls, sets, ranges, uniqueness, references, row counts.",
    "noisy": (
        "The noisy variant must meet a suite of its own, in which each deviation from the strict one is a rule of the "
        "specification, at its rate: noise is verified, not excused."
    ),
}
"""Variant -> what its suite asks."""


def met(of: Expectations) -> Markup:
    """Return the section's HTML."""
    counts = {
        "tables and lists": len(of.tables),
        "expectations": of.expectations,
        "met": of.met,
        "rates verified": len(of.rules),
    }
    unmet = fields("table", "column", "expectation", "observed")
    return render(
        "met.html",
        of=of,
        strictness=_STRICTNESS[of.variant],
        figures=[(name, number(count)) for name, count in counts.items()],
        suites=suites_table(of.tables),
        failed=table("expectations that were not met", of.failed[:SHOWN], unmet),
    )


def suites_table(suites: Sequence[Suite]) -> Table:
    """Return the suite of each table, with a link to its page, and whether it was met."""
    columns = {"table": _linked, **fields("records", "expectations", "met"), "verdict": _is_met}
    return table("tables and their suites", suites, columns)


def _linked(suite: Suite) -> Cell:
    return Cell(Markup('<a href="{}">{}</a>').format(suite.page, suite.table), suite.table)


def _is_met(suite: Suite) -> Cell:
    return word(suite.met == suite.expectations, compared=suite.expectations)

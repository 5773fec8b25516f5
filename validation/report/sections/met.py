"""The section on expectations: the suite of each published table, what of it was met, and its page of Data Docs.

Belongs here: words and order; every figure stands in `expectations.json`.
"""

from collections.abc import Mapping, Sequence
from html import escape
from string import Template
from typing import Any

from validation.report.frame import fact_boxes
from validation.report.tables import Cell, Html, sortable, word
from validation.report.words import cell_of

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


def met(expectations: Mapping[str, Any]) -> str:
    """Return the section's HTML."""
    return _BODY.substitute(
        strictness=_STRICTNESS.get(expectations["variant"], ""),
        facts=fact_boxes(
            [
                ("tables", f"{len(expectations['tables']):,}"),
                ("expectations", f"{expectations['expectations']:,}"),
                ("met", f"{expectations['met']:,}"),
                ("rules verified", f"{len(expectations['rules']):,}"),
            ]
        ),
        tables=sortable(_TABLES, map(_table, expectations["tables"]), name="tables and their suites"),
        failed=_failed(expectations["failed"]),
    )


def _table(entry: Mapping[str, Any]) -> Sequence[Cell]:
    name = Html(f'<a href="{escape(entry["page"])}">{escape(entry["table"])}</a>', entry["table"])
    counts = (entry["records"], entry["expectations"], entry["met"])
    verdict = word(entry["met"] == entry["expectations"], good="met", bad="NOT MET", compared=entry["expectations"])
    return name, *counts, verdict


def _failed(entries: Sequence[Mapping[str, Any]]) -> str:
    if not entries:
        return "<p>Every expectation was met.</p>\n"
    rows = [
        (entry["table"], entry["column"] or "", entry["expectation"], cell_of(entry["observed"]))
        for entry in entries[:SHOWN]
    ]
    told = f"<p>{len(entries):,} expectations were not met; the first {len(rows):,}:</p>\n"
    return told + sortable(("table", "column", "expectation", "observed"), rows, name="expectations that were not met")


_TABLES = ("table", "records", "expectations", "met", "verdict")

_BODY = Template("""<p>Suites of Great Expectations, generated from the environment's declaration. $strictness Every
expectation with what was observed: <a href="data_docs/index.html">Data Docs</a>.</p>
$facts
$tables$failed""")

"""The pages of expectations: what Great Expectations renders of each table, in the frame of all pages, and their index.

Belongs here: the files. What a table must meet is judged in `validation/expectations`, and worded by Great Expectations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from pipeline.model import Environment
from validation.expectations.judging import JudgedTable
from validation.report.documents.noise import Suite
from validation.report.html import render
from validation.report.sections.met import suites_table

PAGES = "data_docs"
"""The folder of the pages, beside the reports."""


INDEX = "index.html"
"""The page with links to those of the tables."""


@dataclass(frozen=True, kw_only=True)
class JudgedExpectations:
    """The findings (`expectations.json`), and the pages by file name."""

    report: Mapping[str, Any]
    pages: Mapping[str, bytes]


def together(environment: Environment, variant: str, tables: Sequence[JudgedTable]) -> JudgedExpectations:
    """Return the findings of all tables of a variant, and their pages."""
    entries = [
        {
            "table": each.table,
            "records": each.records,
            "expectations": each.expectations,
            "met": each.expectations - len(each.failed),
            "page": f"{each.table}.html",
        }
        for each in tables
    ]
    pages = {f"{each.table}.html": _page(each, variant) for each in tables}
    pages[INDEX] = _index(entries, variant=variant, title=environment.title)
    return JudgedExpectations(report=_report(variant, entries, tables), pages=pages)


def _page(of: JudgedTable, variant: str) -> bytes:
    body = Markup(of.page)
    return render("data_docs.html", title=f"{of.table}, {variant}", table=of.table, shown=body).encode()


def _index(tables: Sequence[Mapping[str, Any]], *, variant: str, title: str) -> bytes:
    met, total = (sum(entry[name] for entry in tables) for name in ("met", "expectations"))
    suites = suites_table([Suite(**entry) for entry in tables])
    return render("data_docs_index.html", variant=variant, about=title, met=met, total=total, suites=suites).encode()


def _report(variant: str, entries: Sequence[Mapping[str, Any]], tables: Sequence[JudgedTable]) -> dict[str, Any]:
    failed = [entry for each in tables for entry in each.failed]
    return {
        "passed": not failed,
        "variant": variant,
        "expectations": sum(entry["expectations"] for entry in entries),
        "met": sum(entry["met"] for entry in entries),
        "tables": [{**entry, "page": f"{PAGES}/{entry['page']}"} for entry in entries],
        "failed": failed,
        "rules": [rule for each in tables for rule in each.rules],
    }

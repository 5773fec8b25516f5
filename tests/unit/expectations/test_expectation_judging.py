"""Both variants judged by Great Expectations: what is right is met, and each damage fails just what it should."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import polars as pl
import pytest

from pipeline.model import Environment
from pipeline.model.schema.fields import ColumnFacts
from pipeline.noise.engine import Noised
from pipeline.noise.kinds.files import RenamedColumns
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.kinds.rows import DroppedRows, DuplicateRows
from pipeline.noise.ledger import OPPORTUNITIES, SCHEMA
from pipeline.noise.spec import NoiseSpec, Rule
from pipeline.report_json import report_json
from tests.pages import text_of
from tests.unit.expectations.guild_tables import (
    DUES,
    ENVIRONMENT,
    FACTS,
    KEY,
    SIZE,
    clean_tables,
    noised,
    published,
    rule,
)
from validation.expectations.deviations import breaks
from validation.expectations.evidence import evidence
from validation.expectations.expected import Expected
from validation.expectations.judging import RATE, JudgedTable, NoisyTable, clean_table, noisy_table
from validation.expectations.rates import alpha_of
from validation.expectations.suites import of_columns
from validation.report.data_docs import JudgedExpectations, together


def clean(
    tables: dict[str, pl.DataFrame],
    environment: Environment = ENVIRONMENT,
    entities: int = 50,
    found: Mapping[str, list[Expected]] = MappingProxyType({}),
) -> JudgedExpectations:
    """Judge clean tables, without figures if nothing was found of them."""
    judged = [
        clean_table(environment, table, tables, entities=entities, found=found.get(table.name, []))
        for table in environment.noisy_tables()
        if table.name in tables
    ]
    return together(environment, "clean", judged)


def of(result: Noised) -> NoisyTable:
    """Return what is judged of a table with noise."""
    return NoisyTable(result.frame, result.ledger, result.opportunities)


def noisy(rules: list[Rule], result: Noised, frame: pl.DataFrame | None = None) -> JudgedExpectations:
    """Judge noisy dues, which may be others than the noise left."""
    tables, spec = clean_tables(), NoiseSpec(environment=ENVIRONMENT.name, rules=tuple(rules))
    alpha = alpha_of(spec, result.opportunities)
    noised = {
        "dues": replace(result, frame=result.frame if frame is None else frame),
        "guilds": Noised(tables["guilds"], SCHEMA.to_frame(), OPPORTUNITIES.to_frame()),
    }
    judged = [
        noisy_table(ENVIRONMENT, spec, table, of(noised[table.name]), tables, KEY, alpha=alpha)
        for table in ENVIRONMENT.noisy_tables()
    ]
    return together(ENVIRONMENT, "noisy", judged)


def failed(judged: JudgedExpectations) -> list[tuple[str, str, str]]:
    """Return what was not met: table, column and expectation."""
    return [(entry["table"], entry["column"], entry["expectation"]) for entry in judged.report["failed"]]


def test_clean_tables_meet_the_strict_suite() -> None:
    """All expectations are met, and counted by table."""
    report = clean(clean_tables()).report
    assert report["passed"]
    assert report["met"] == report["expectations"] == sum(entry["expectations"] for entry in report["tables"])
    assert [(entry["table"], entry["records"]) for entry in report["tables"]] == [("guilds", 50), ("dues", SIZE)]
    assert report["rules"] == []


DAMAGE = {
    ("id", "2"): ["expect_column_values_to_be_unique"],
    ("id", "0"): ["expect_column_min_to_be_between"],
    ("id", None): ["expect_column_values_to_not_be_null"],
    ("guild", None): ["expect_column_values_to_not_be_null"],
    ("guild", "ZZ9"): ["expect_column_values_to_refer_to_table"],
    ("year", "1501"): ["expect_column_max_to_be_between"],
    ("year", "1399"): ["expect_column_min_to_be_between"],
    ("year", "in 1450"): ["expect_column_values_to_match_regex"],
    ("value", "1,5"): ["expect_column_values_to_match_regex"],
    ("note", "anything"): [],
}


@pytest.mark.parametrize(("cell", "expectations"), DAMAGE.items(), ids=str)
def test_one_bad_cell_fails_the_expectation_that_is_about_it(
    cell: tuple[str, str | None], expectations: list[str]
) -> None:
    """Each fact fails alone; the expressions that judge noisy cells say the same of the cell."""
    column, text = cell
    tables = clean_tables()
    dues = tables["dues"].with_columns(tables["dues"][column].clone().scatter(0, text))
    assert failed(clean(tables | {"dues": dues})) == [("dues", column, name) for name in expectations]
    referred = {("guilds", "code"): tables["guilds"]["code"]}
    assert dues.select(breaks(FACTS["dues"][column], column, referred).any()).item() == bool(expectations)


def test_a_text_outside_a_closed_set_fails() -> None:
    """A set is closed, and an empty cell is none of its texts."""
    tables = clean_tables()
    guilds = tables["guilds"].with_columns(tables["guilds"]["town"].clone().scatter(1, "Gent"))
    assert failed(clean(tables | {"guilds": guilds})) == [("guilds", "town", "expect_column_values_to_be_in_set")]


def test_columns_in_another_order_and_lost_rows_fail() -> None:
    """The header and, where entities are counted independently, the number of rows are expected as they are."""
    tables = clean_tables()
    turned = tables | {"dues": tables["dues"].select(reversed(tables["dues"].columns))}
    assert failed(clean(turned)) == [("dues", "", "expect_table_columns_to_match_ordered_list")]
    result = noised([])
    assert ("dues", "", "expect_table_row_count_to_equal") in failed(noisy([], result, result.frame[1:]))


def test_a_reference_to_an_absent_table_is_not_asked_for() -> None:
    """A table that a build does not have is not judged, nor what refers to it."""
    tables = {"dues": clean_tables()["dues"]}
    assert clean(tables).report["passed"]
    facts = {"guild": ColumnFacts(refers_to=("guilds", "code"))}
    assert [expected.name for expected in of_columns(facts, tables["dues"], {})] == [
        "expect_column_values_to_not_be_null"
    ]


GAPS = rule(MissingValues(columns=("value",)), 0.1, "gaps")
SPECS = {
    "no noise": [],
    "cells": [GAPS],
    "rows": [GAPS, rule(DroppedRows(), 0.05, "gone"), rule(DuplicateRows(place="after"), 0.05, "twice")],
    "file": [GAPS, rule(RenamedColumns(names={"value": "amount"}), 1.0, "renamed")],
}


@pytest.mark.parametrize("what", SPECS)
def test_noise_by_its_rules_meets_its_suite(what: str) -> None:
    """Cells, rows and columns that rules changed are all accounted for."""
    report = noisy(SPECS[what], noised(SPECS[what])).report
    assert report["passed"]
    assert [entry["rule"] for entry in report["rules"]] == [rule.name for rule in SPECS[what]]
    assert all(
        set(entry) >= {"eligible", "cells", "rate", "expected", "low", "high", "passed"} for entry in report["rules"]
    )


def test_noise_at_double_rate_fails_the_rate_alone() -> None:
    """The ledger tells of every cell, so nothing but the rate is wrong."""
    double = rule(MissingValues(columns=("value",)), 0.2, "gaps")
    assert failed(noisy([GAPS], noised([double]))) == [("dues", "value", RATE)]


@pytest.mark.parametrize("column", ["guild", "year", "value", "note"])
def test_one_change_without_a_rule_fails_the_deviations_alone(column: str) -> None:
    """Whether a rule touches the column or not, a change of its own is found there and only there."""
    result = noised([GAPS])
    row = result.frame["value"].is_not_null().arg_true()[0]
    other = result.frame.with_columns(result.frame[column].clone().scatter(row, result.frame[column][row] + "0"))
    assert failed(noisy([GAPS], result, other)) == [("dues", column, "expect_column_deviations_to_be_rules")]


def test_rows_that_are_none_of_the_ledgers_fail() -> None:
    """Rows in another order than rules left them are no clean rows with noise."""
    result = noised([GAPS])
    assert ("dues", "", "expect_rows_to_come_from_clean_ones") in failed(noisy([GAPS], result, result.frame.reverse()))


def test_figures_are_judged_by_what_other_reports_found() -> None:
    """A measure whose tests are rejected and an identity with a residual fail, on the table that holds the figures."""
    from silt.environments.us_listed import US_LISTED  # noqa: PLC0415  (needed by this test alone)

    def judged(p_value: float, residual: int) -> list[tuple[str, str, str]]:
        tests = [{"measure": "Goodwill", "p_value": p, "statistic": 0.2} for p in (0.9, p_value)]
        rows = pl.DataFrame(schema=dict.fromkeys(US_LISTED.table("company_figures").columns, pl.String))
        found = evidence(
            US_LISTED,
            {"tests": tests, "alpha": 0.05, "allowed": 0},
            {"identities": [{"identity": "a = b", "records": 3, "max_residual": residual}]},
        )
        return failed(clean({"company_figures": rows}, US_LISTED, 0, found))

    place = ("company_figures", "")
    assert judged(0.06, 0) == []
    assert judged(0.05, 0) == [(*place, "expect_distributions_to_be_kept")]
    assert judged(0.06, 1) == [(*place, "expect_identity_to_hold")]


def test_the_same_findings_give_the_same_bytes() -> None:
    """Report and pages hold no clock, no random name and no order of chance."""
    first, second = (noisy(SPECS["rows"], noised(SPECS["rows"])) for _ in range(2))
    assert first.pages == second.pages
    assert report_json(first.report) == report_json(second.report)
    assert json.loads(report_json(first.report))["variant"] == "noisy"


def test_pages_fetch_nothing_and_hold_no_markup_of_the_data() -> None:
    """Every page is complete in itself, links only to its neighbours, and shows texts as texts."""
    result = noised([GAPS])
    bad = result.frame.with_columns(result.frame["note"].clone().scatter(0, "<script>alert(1)</script>"))
    tables = clean_tables()
    named = tables | {"guilds": tables["guilds"].with_columns(town=pl.lit("<script>alert(1)</script>"))}
    for judged in (noisy([GAPS], result, bad), clean(named)):
        for page in judged.pages.values():
            text = page.decode()
            assert not re.search(r"(src|srcset)=|<link|<script>alert|url\(|@import|https?://", text)
            links = set(re.findall(r'\shref="([^"]*)"', text))
            assert all(link in judged.pages or link == "../report.html" or link.startswith("#") for link in links)
            assert "Guilds &lt;of Flanders&gt;" in text


def test_names_of_columns_are_text_on_their_page() -> None:
    """A column that is called like markup, a parameter or a template is shown by its name."""
    name = "<img src=x onerror=alert(1)> ${7*7} $column $$ {{ 7 }} &amp; ]]>"
    odd = published("odd", ["id", name])
    environment = replace(ENVIRONMENT, tables=(odd,), facts={"odd": {"id": ColumnFacts(), name: ColumnFacts()}})
    page = clean({"odd": pl.DataFrame({"id": ["1"], name: ["x"]})}, environment).pages["odd.html"]
    assert b"<img" not in page
    shown = text_of(page)
    assert shown.count(name) == 3
    assert "these, in this order" in shown  # names that are met are not said twice


def test_pages_say_what_is_met_in_words() -> None:
    """A page tells each expectation, and whether it is met by a sign and a word, not by colour alone."""
    result = noised([GAPS])
    pages = noisy([GAPS], result).pages
    text = pages["dues.html"].decode()
    assert "✓ passed" in text
    assert "or changed by a rule of the specification" in re.sub(r"\s+", " ", text)
    assert "gaps" in text
    index = pages["index.html"].decode()
    assert f'href="{DUES.name}.html"' in index
    assert f"{SIZE:,}" in index


def test_an_empty_ledger_and_no_rules_are_judged() -> None:
    """The clean specification is a specification."""
    judged = noisy([], Noised(clean_tables()["dues"], SCHEMA.to_frame(), OPPORTUNITIES.to_frame()))
    assert judged.report["passed"]


def test_what_is_judged_of_a_table_is_kept_as_it_is() -> None:
    """A build keeps it as JSON, and the next one takes it from there: met or not, with rates or without."""
    result = noised(SPECS["rows"])
    spec = NoiseSpec(environment=ENVIRONMENT.name, rules=tuple(SPECS["rows"]))
    for frame in (result.frame, result.frame.reverse()):
        alpha = alpha_of(spec, result.opportunities)
        noised_so = of(replace(result, frame=frame))
        judged = noisy_table(ENVIRONMENT, spec, DUES, noised_so, clean_tables(), KEY, alpha=alpha)
        assert bool(judged.failed) == (frame is not result.frame)
        assert JudgedTable(**json.loads(json.dumps(vars(judged)))) == judged


def test_bounds_of_one_table_count_the_rules_on_all() -> None:
    """A table judged by itself has the bounds that it has among others: mistakes are shared by all of them."""
    result = noised([GAPS])
    spec = NoiseSpec(environment=ENVIRONMENT.name, rules=(GAPS,))
    assert alpha_of(spec, pl.concat([result.opportunities] * 3)) == alpha_of(spec, result.opportunities) / 3

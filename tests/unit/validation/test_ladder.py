"""The ladder, against a slow reader who goes through every question, and its laws."""

import json
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.noise.kinds import KINDS
from pipeline.noise.kinds.interface import Family
from pipeline.noise.ledger import SCHEMA
from silt.environments.us_listed import US_LISTED
from validation.noise.ladder import (
    EVERY,
    GROUP,
    PAIR,
    RECORD,
    TOUCHED,
    UNTOUCHED,
    Reading,
    found_firms,
    ladder,
    reading,
    readings,
)

PROFILE_COLUMNS = US_LISTED.table("company_profile").columns
FIGURES_COLUMNS = US_LISTED.table("company_figures").columns

FIRMS = [("AAAAA", "Energy"), ("BBBBB", "Energy"), ("CCCCC", "Utilities"), ("DDDDD", None)]
PROFILE = pl.DataFrame(
    [
        dict.fromkeys(PROFILE_COLUMNS) | {"id": str(number), "code": code, "sector": sector}
        for number, (code, sector) in enumerate(FIRMS, 1)
    ],
    schema=dict.fromkeys(PROFILE_COLUMNS, pl.String),
)
FIGURES = pl.DataFrame(
    [
        (str(2 * number + place), code, year, measure, "USD", str(100 * number))
        for number, (code, _) in enumerate(FIRMS)
        for place, (year, measure) in enumerate((("2014", "Net Income"), ("2015", "Total Assets")), 1)
    ],
    schema=dict.fromkeys(FIGURES_COLUMNS, pl.String),
    orient="row",
)
CLEAN = {"company_profile": PROFILE, "company_figures": FIGURES}

KIND_OF = {str(kind.family): name for name, kind in sorted(KINDS.items())}
"""One kind for each family."""


def entry(family: str, table: str, row_key: str, column: str, before: str, after: str) -> dict[str, Any]:
    kind = KIND_OF[family]
    texts = {"row_key": row_key, "column": column, "before": before, "after": after}
    return {"table": table, "kind": kind, "rule": kind, "recoverable": True} | texts


def row_text(frame: pl.DataFrame, position: int) -> str:
    return json.dumps({"position": position, "cells": list(frame.row(position))})


def renaming(frame: pl.DataFrame, column: str) -> tuple[str, str]:
    before = {"columns": frame.columns, "dialect": {}}
    after = {"columns": ["renamed" if name == column else name for name in frame.columns], "dialect": {}}
    return json.dumps(before), json.dumps(after)


@st.composite
def entries(draw: st.DrawFn) -> dict[str, Any]:
    """Return one change of any form: a cell, a row that went, came or moved, or the file's columns."""
    family, table = draw(st.sampled_from(sorted(KIND_OF))), draw(st.sampled_from(sorted(CLEAN)))
    frame = CLEAN[table]
    position, column = draw(st.integers(0, frame.height - 1)), draw(st.sampled_from(frame.columns[1:]))
    key = frame["id"][position]
    form = draw(st.sampled_from(["cell", "cell", "cell", "went", "came", "moved", "renamed", "dialect"]))
    if form == "cell":
        return entry(family, table, key, column, frame[column][position] or "", "other")
    if form in {"went", "came"}:
        text = row_text(frame, position)
        return entry(family, table, key, "", *((text, "") if form == "went" else ("", text)))
    if form == "moved":
        return entry(family, table, key, "", "1", "2")
    texts = renaming(frame, column) if form == "renamed" else (json.dumps({"columns": frame.columns}),) * 2
    return entry(family, table, "", "", *texts)


def ledger_of(changes: Sequence[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(list(changes), schema=SCHEMA)


def climbed(ledger: pl.DataFrame, families: Sequence[str]) -> dict[str, Any]:
    """Return the ladder, from how each table is read."""
    ledgers = {name: ledger.filter(table=name) for name in CLEAN}
    firms = found_firms(US_LISTED, PROFILE, ledgers["company_profile"], families)
    read = {name: reading(US_LISTED, name, CLEAN[name], ledgers[name], families, firms=firms) for name in CLEAN}
    each = {name: readings(one, ledgers[name], families) for name, one in read.items()}
    return ladder(US_LISTED, each, families, {name: frame.height for name, frame in CLEAN.items()})


# --- the slow reader ---------------------------------------------------------------------------------------------------


def is_harmed(row: dict[str, str | None], table: str, left: Sequence[dict[str, Any]], columns: set[str]) -> bool:
    for change in left:
        if change["table"] != table:
            continue
        if not change["row_key"]:
            if set(json.loads(change["before"])["columns"]) != set(json.loads(change["after"])["columns"]):
                return True
        elif change["row_key"] == row["id"] and (
            change["column"] in columns or not (change["column"] or change["after"])
        ):
            return True
    return False


def came(table: str, left: Sequence[dict[str, Any]]) -> list[dict[str, str | None]]:
    return [
        dict(zip(CLEAN[table].columns, json.loads(change["after"])["cells"], strict=True))
        for change in left
        if change["table"] == table and change["row_key"] and not change["column"] and not change["before"]
    ]


def slowly(changes: Sequence[dict[str, Any]], mended: Sequence[str]) -> dict[str, float | None]:
    left = [change for change in changes if KINDS[change["kind"]].family not in mended]
    asked = [t for t in ("company_figures",) if any(change["table"] == t for change in changes)]
    asked = asked or ([t for t in CLEAN if any(change["table"] == t for change in changes)] or ["company_figures"])
    records = [
        not is_harmed(row, table, left, set(CLEAN[table].columns)) for table in asked for row in CLEAN[table].to_dicts()
    ]
    groups: dict[tuple[Any, ...], bool] = {}
    if asked == ["company_figures"]:
        for row in FIGURES.to_dicts():
            for firm in PROFILE.to_dicts():
                if firm["code"] != row["code"] or firm["sector"] is None:
                    continue
                group = (row["measure"], row["year"], firm["sector"])
                is_found = not is_harmed(firm, "company_profile", left, {"code", "sector"})
                is_doubled = any(
                    (new["code"], new["sector"]) == (firm["code"], firm["sector"])
                    for new in came("company_profile", left)
                )
                is_right = not is_harmed(row, "company_figures", left, set(FIGURES.columns))
                is_added = any(
                    (new["measure"], new["year"], new["code"]) == (row["measure"], row["year"], row["code"])
                    for new in came("company_figures", left)
                )
                is_good = is_found and is_right and not is_doubled and not is_added
                groups[group] = groups.get(group, True) and is_good
    pairs = [first and second for first, second in permutations(groups.values(), 2)]
    return {
        name: sum(answers) / len(answers) if answers else None
        for name, answers in ((RECORD, records), (GROUP, list(groups.values())), (PAIR, pairs))
    }


@given(st.lists(entries(), max_size=8), st.permutations(sorted(KIND_OF)))
def test_shares_are_those_of_a_slow_reader(changes: list[dict[str, Any]], families: list[str]) -> None:
    """At each step, every question of every size is answered as by a reader who goes through them one by one."""
    steps = climbed(ledger_of(changes), families)["ladder"]
    for step in steps:
        assert step["answered"] == slowly(changes, step["mended"])
        left = [change for change in changes if KINDS[change["kind"]].family not in step["mended"]]
        assert step["changes"] == len(left)


@given(st.lists(entries(), max_size=8), st.permutations(sorted(KIND_OF)))
def test_mending_never_makes_an_answer_wrong(changes: list[dict[str, Any]], families: list[str]) -> None:
    """Shares rise from step to step, one family more is mended in each, and at last everything is right."""
    steps = climbed(ledger_of(changes), families)["ladder"]
    present = {str(KINDS[change["kind"]].family) for change in changes}
    assert [step["mended"] for step in steps] == [
        [family for family in families if family in present][:count] for count in range(len(present) + 1)
    ]
    for question in (RECORD, GROUP, PAIR):
        shares = [step["answered"][question] for step in steps]
        assert shares == sorted(shares, key=lambda share: -1 if share is None else share)
        assert shares[-1] in {1.0, None}
    assert steps[-1]["changes"] == 0


@given(st.lists(entries(), max_size=8), st.integers(0, FIGURES.height))
def test_readings_of_parts_add_up(changes: list[dict[str, Any]], cut: int) -> None:
    """Wherever a table is cut, its parts, each with its own changes and those of the file, are read as the whole is."""
    ledger, families = ledger_of(changes).filter(table="company_figures"), list(Family)
    firms = found_firms(US_LISTED, PROFILE, ledger_of(changes).filter(table="company_profile"), families)
    is_of_file, is_before = pl.col("row_key") == "", pl.col("row_key").is_in(FIGURES["id"][:cut].implode())

    def read(rows: pl.DataFrame, own: pl.DataFrame) -> Reading:
        return reading(US_LISTED, "company_figures", rows, own, families, firms=firms)

    whole = read(FIGURES, ledger)
    first = read(FIGURES[:cut], ledger.filter(is_of_file | is_before))
    both = first + read(FIGURES[cut:], ledger.filter(is_of_file | ~is_before))
    assert readings(both, ledger, families) == readings(whole, ledger, families)
    assert both.groups.sort(pl.all()).equals(whole.groups.sort(pl.all()))


def test_one_changed_figure_costs_one_record_one_group_and_its_pairs() -> None:
    """Of 8 records 7 are right, of 4 groups 3, of 6 pairs 3: the larger the question, the more noise costs."""
    change = entry("units", "company_figures", "1", "value", "0", "1")
    report = climbed(ledger_of([change]), list(Family))
    every = {EVERY: PROFILE.height + FIGURES.height, TOUCHED: 1, UNTOUCHED: ["company_profile"]}
    assert report["questions"] == {"tables": ["company_figures"], RECORD: 8, GROUP: 4, PAIR: 6} | every
    assert report["ladder"][0]["answered"] == {RECORD: 7 / 8, GROUP: 3 / 4, PAIR: 3 / 6}
    assert report["ladder"][1]["answered"] == {RECORD: 1.0, GROUP: 1.0, PAIR: 1.0}


@pytest.mark.parametrize("column", ["code", "sector"])
def test_firm_that_is_not_found_costs_its_groups_alone(column: str) -> None:
    """A changed code or industry of a firm leaves the records of figures right, and no group with that firm."""
    hidden = entry("names", "company_profile", "1", column, "", "other")
    other = entry("format", "company_figures", "8", "unit", "USD", "$")
    answered = climbed(ledger_of([hidden, other]), ["format", "names"])["ladder"][1]["answered"]
    assert answered == {RECORD: 1.0, GROUP: 2 / 4, PAIR: 1 / 6}


def test_without_noise_everything_is_right_at_the_only_step() -> None:
    """An empty ledger has nothing to mend."""
    report = climbed(SCHEMA.to_frame(), list(Family))
    assert [step["answered"] for step in report["ladder"]] == [{RECORD: 1.0, GROUP: 1.0, PAIR: 1.0}]

"""Examples of the noise report: one for each rule and table, true to the ledger, short enough to read."""

import json

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pipeline.noise.described.examples import SHOWN, examples
from pipeline.noise.ledger import SCHEMA

texts = st.text("ab\u6c34 ,.", max_size=60)
entries = st.tuples(
    st.sampled_from(["firms", "figures"]),
    st.just("7"),
    st.sampled_from(["name", "value"]),
    st.just("stray_blanks"),
    st.sampled_from(["first rule", "second rule"]),
    texts,
    texts,
    st.booleans(),
)


def ledger(*rows: tuple[str, ...] | tuple[object, ...]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=SCHEMA, orient="row")


def told(row_key: str, column: str, before: str, after: str) -> tuple[str, str]:
    (example,) = examples(ledger(("firms", row_key, column, "stray_blanks", "rule", before, after, True)), ["rule"])
    return example["before"], example["after"]


@given(st.lists(entries, max_size=12))
def test_every_rule_and_table_has_one_example_of_its_own(rows: list[tuple[object, ...]]) -> None:
    """Each is an entry of the ledger, whole where a whole one fits, in the order of the rules."""
    order = ["second rule", "first rule"]
    found = examples(ledger(*rows), order)
    assert {(example["rule"], example["table"]) for example in found} == {(row[4], row[0]) for row in rows}
    assert [order.index(example["rule"]) for example in found] == sorted(order.index(e["rule"]) for e in found)
    for example in found:
        own = [row for row in rows if (row[4], row[0]) == (example["rule"], example["table"])]
        short = [row for row in own if max(len(str(row[5])), len(str(row[6]))) <= SHOWN]
        assert max(len(example["before"]), len(example["after"])) <= SHOWN
        if short:
            shown = (example["column"], example["before"], example["after"], example["recoverable"])
            assert shown == (short[0][2], *short[0][5:])
        assert (example["kind"], example["family"]) == ("stray_blanks", "names")


def test_long_texts_are_cut_around_what_differs() -> None:
    """The difference stands in what is shown."""
    before, after = told("7", "name", "a" * 100 + "b" + "c" * 100, "a" * 100 + "B" + "c" * 100)
    assert ("b" in before, "B" in after) == (True, True)
    assert (before[0], before[-1], len(before)) == ("\u2026", "\u2026", SHOWN)


def test_rows_tell_their_cells_and_places() -> None:
    """A row that is gone or new tells its first cells, one that moved its places counted from 1."""
    row = json.dumps({"position": 3, "cells": ["1", None, "x"]})
    assert told("7", "", row, "") == ("1, , x", "")
    assert told("7", "", "", row) == ("", "1, , x")
    assert told("7", "", "0", "4") == ("record 1", "record 5")


def test_files_tell_columns_or_dialect() -> None:
    """What went and what came; if nothing did, the new order; if that is the same, what changed of the dialect."""

    def layout(columns: list[str], quote: str = "all") -> str:
        return json.dumps({"columns": columns, "dialect": {"quote": quote, "null": ""}})

    assert told("", "", layout(["a", "b"]), layout(["a", "c"])) == ("b", "c")
    assert told("", "", layout(["a", "b"]), layout(["b", "a"])) == ("a, b", "b, a")
    assert told("", "", layout(["a"]), layout(["a"], "minimal")) == ("quote 'all'", "quote 'minimal'")
    assert told("", "b", json.dumps(["x", None]), "") == ("x, ", "")

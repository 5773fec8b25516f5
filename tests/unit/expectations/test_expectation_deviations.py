"""Deviations of noisy cells: each one that a rule made is told, each one that no rule made is found."""

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import InputError
from pipeline.model.schema.fields import ColumnFacts
from pipeline.noise.kinds.files import RenamedColumns
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.kinds.rows import DroppedRows, DuplicateRows
from pipeline.noise.ledger import SCHEMA
from tests.unit.expectations.guild_tables import DUES, ENVIRONMENT, FACTS, SIZE, clean_tables, noised, published, rule
from validation.expectations.deviations import Deviation, breaks, deviations

CLEAN = clean_tables()["dues"]
REFERRED = {("guilds", "code"): clean_tables()["guilds"]["code"]}
NO_LEDGER = SCHEMA.to_frame()
GAPS = rule(MissingValues(columns=("value",)), 0.1, "gaps")


def found(noisy: pl.DataFrame, ledger: pl.DataFrame) -> dict[str, Deviation]:
    """Return the deviations of `dues` by column."""
    told = deviations(DUES, FACTS["dues"], CLEAN, noisy, ledger, REFERRED)
    return {deviation.column: deviation for deviation in told}


def changed(frame: pl.DataFrame, row: int, column: str, text: str | None) -> pl.DataFrame:
    """Return a frame with another text in one cell."""
    return frame.with_columns(frame[column].clone().scatter(row, text))


def test_a_clean_table_does_not_deviate() -> None:
    """Without noise nothing deviates, breaks or wants an explanation."""
    assert all(
        (deviation.deviating, deviation.breaking, deviation.unexplained, deviation.rules) == (0, 0, 0, ())
        for deviation in found(CLEAN, NO_LEDGER).values()
    )


def test_what_a_rule_did_is_explained_by_it() -> None:
    """Cells that a rule emptied break the strict suite, and each is told."""
    result = noised([GAPS])
    value = found(result.frame, result.ledger)["value"]
    assert value.deviating == value.breaking == value.cells == result.ledger.height > 0
    assert (value.unexplained, value.rules, value.row_keys) == (0, ("gaps",), ())


@given(row=st.integers(0, SIZE - 1), column=st.sampled_from(["guild", "year", "value", "note"]))
def test_one_cell_that_no_rule_changed_is_found(row: int, column: str) -> None:
    """Whatever the column, and whether the new text would do or not: one change without a rule is one unexplained cell."""
    result = noised([GAPS])
    if result.ledger.filter(pl.col("row_key") == str(row + 1), pl.col("column") == column).height:
        return
    told = found(changed(result.frame, row, column, CLEAN[column][row - 1] + "0"), result.ledger)
    assert {name: deviation.unexplained for name, deviation in told.items() if deviation.unexplained} == {column: 1}
    assert told[column].row_keys == (str(row + 1),)


def test_rows_that_went_or_came_are_taken_back_first() -> None:
    """Dropped and doubled rows are no deviations of cells."""
    result = noised([GAPS, rule(DroppedRows(), 0.1, "gone"), rule(DuplicateRows(place="anywhere"), 0.1, "twice")])
    assert sum(deviation.unexplained for deviation in found(result.frame, result.ledger).values()) == 0


def test_renamed_columns_are_taken_back_first() -> None:
    """A column under another name is none that is missing."""
    result = noised([rule(RenamedColumns(names={"value": "amount"}), 1.0)])
    assert "amount" in result.frame.columns
    assert sum(deviation.unexplained for deviation in found(result.frame, result.ledger).values()) == 0


@pytest.mark.parametrize("damage", ["a row is gone", "a row came", "rows changed places"])
def test_other_rows_than_the_ledger_leaves_are_refused(damage: str) -> None:
    """Rows that no rule took, added or moved make the comparison impossible, and it says so."""
    noisy = {
        "a row is gone": CLEAN[1:],
        "a row came": pl.concat([CLEAN, CLEAN[:1]]),
        "rows changed places": CLEAN.reverse(),
    }[damage]
    with pytest.raises(InputError, match="ledger is not of this table 'dues'"):
        found(noisy, NO_LEDGER)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("id", "x"),
        ("id", "0"),
        ("id", "2"),
        ("guild", "ZZ9"),
        ("guild", None),
        ("year", "1399"),
        ("year", "1501"),
        ("value", "1,5"),
        ("value", " 1.5"),
    ],
)
def test_each_fact_can_be_broken(column: str, text: str | None) -> None:
    """A text that the facts do not allow is a broken cell; of equal ones that must not be, all are."""
    broken = changed(CLEAN, 0, column, text).select(breaks(FACTS["dues"][column], column, REFERRED)).to_series()
    assert broken[0]
    assert broken.sum() == (2 if text == "2" else 1)
    assert not CLEAN.select(breaks(FACTS["dues"][column], column, REFERRED)).to_series().any()


def test_sets_and_empty_cells() -> None:
    """A closed set allows its texts, and an empty cell only where the facts do."""
    cells = pl.DataFrame({"town": ["Ghent", "Gent", None]})
    facts = FACTS["guilds"]["town"]
    assert cells.select(breaks(facts, "town", {})).to_series().to_list() == [False, True, False]
    strict = replace(facts, nullable=False)
    assert cells.select(breaks(strict, "town", {})).to_series().to_list() == [False, True, True]
    assert not cells.select(breaks(ColumnFacts(nullable=True), "town", {})).to_series().any()


def test_a_table_without_a_row_key_is_compared_by_place() -> None:
    """Where no column names rows noise does nothing, and any other cell is unexplained."""
    table = published("charters", ("text",), row_key="")
    clean = pl.DataFrame({"text": ["a", "b", "b"]})
    facts = {"text": ColumnFacts()}
    for noisy, unexplained in ((clean, 0), (clean.with_columns(text=pl.Series(["a", "b", "c"])), 1)):
        assert deviations(table, facts, clean, noisy, NO_LEDGER, {})[0].unexplained == unexplained


def test_the_environment_of_these_tests_meets_its_facts() -> None:
    """The tests start from tables that break nothing."""
    for table in ENVIRONMENT.tables:
        rows = clean_tables()[table.name]
        assert not any(
            rows.select(breaks(facts, column, REFERRED)).to_series().any()
            for column, facts in FACTS[table.name].items()
        )

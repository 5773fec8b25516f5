"""The reference cleaner: it carries out a plan without the ledger, and is judged change by change, planted failures and all."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.cleaning_plan import CleaningPlan, Suspicion
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Family, FileKind, Kind, TextFile
from pipeline.noise.ledger import SCHEMA
from tests.bare import bare, published
from validation.noise.cleaner.cleaning import clean_up, cleaning
from validation.noise.cleaner.scoring import Scores, culprits, score

ENVIRONMENT = bare("markets", *(published(name, ("id", "town", "price")) for name in ("stalls", "prices")))

STALLS = pl.DataFrame(
    {"id": ["1", "2", "3", "4"], "town": ["Aachen", "Bremen", None, "Celle"], "price": ["10", "20", "30", "40"]}
)


def ledger(*entries: tuple[str, str, str, str, bool]) -> pl.DataFrame:
    """Return a ledger of `stalls`: row key, column, before, after, recoverable; the kind is named like the column or `rows`."""
    rows = [
        ("stalls", row, column, column or ("rows" if row else "file"), "rule", before, after, recoverable)
        for row, column, before, after, recoverable in entries
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def scores(mended: pl.DataFrame, entries: pl.DataFrame, clean: pl.DataFrame = STALLS) -> Scores:
    return score({"stalls": clean}, {"stalls": mended}, entries, ENVIRONMENT)


def outcomes(judged: Scores) -> list[tuple[str, str, bool, bool]]:
    """Return row key, column, whether recoverable and whether right, of every change."""
    fields = ["row_key", "column", "is_recoverable", "is_right"]
    return sorted(judged.changes.select(fields).rows())


def wrong(judged: Scores) -> list[tuple[str, str]]:
    return sorted(judged.wrong.select("row_key", "column").rows())


def with_cell(frame: pl.DataFrame, row: str, column: str, text: str | None) -> pl.DataFrame:
    return frame.with_columns(pl.when(pl.col("id") == row).then(pl.lit(text)).otherwise(column).alias(column))


def told(position: int, *cells: str | None) -> str:
    """Tell a row as the ledger does."""
    return pl.DataFrame({"told": [{"position": position, "cells": list(cells)}]}).select(
        pl.col("told").struct.json_encode()
    )["told"][0]


# --- cells -------------------------------------------------------------------------------------------------------------


def test_taken_back_missed_and_lost_cells_are_told_apart() -> None:
    """A recoverable cell is right or missed; an unrecoverable one is never missed, and may be right anyway."""
    entries = ledger(
        ("1", "town", "Aachen", "Aix", True),
        ("2", "town", "Bremen", "Brema", True),
        ("1", "price", "10", "11", False),
        ("2", "price", "20", "21", False),
    )
    mended = with_cell(with_cell(STALLS, "2", "town", "Brema"), "1", "price", "11")
    assert outcomes(scores(mended, entries)) == [
        ("1", "price", False, False),
        ("1", "town", True, True),
        ("2", "price", False, True),
        ("2", "town", True, False),
    ]
    assert wrong(scores(mended, entries)) == []


def test_a_cell_is_recoverable_only_if_all_that_was_done_to_it_is() -> None:
    """Two rules on one cell make one change, under each of their kinds, and one of them can lose it."""
    entries = ledger(("1", "town", "Aachen", "Aix", True), ("1", "town", "Aix", "", False))
    entries = entries.with_columns(kind=pl.Series(["drift", "gap"]))
    changes = scores(with_cell(STALLS, "1", "town", None), entries).changes
    assert sorted(changes["kind"]) == ["drift", "gap"]
    assert not changes["is_recoverable"].any()


@pytest.mark.parametrize("text", ["Celler", None])
def test_a_clean_cell_that_was_changed_is_wrong(text: str | None) -> None:
    """Whoever mends what was not broken is counted, whether it put another text there or none."""
    judged = scores(with_cell(STALLS, "4", "town", text), ledger(("1", "town", "Aachen", "Aix", True)))
    assert wrong(judged) == [("4", "town")]
    assert outcomes(judged) == [("1", "town", True, True)]


def test_an_invented_value_is_wrong() -> None:
    """A cell that is empty in the clean table and is filled by the cleaner counts as well."""
    assert wrong(scores(with_cell(STALLS, "3", "town", "Dresden"), ledger())) == [("3", "town")]


@given(data=st.data())
def test_cells_are_judged_as_by_hand(data: st.DataObject) -> None:
    """On any table, noise and mender, the scores are those of a slow comparison cell by cell."""
    texts = st.one_of(st.none(), st.sampled_from(["a", "b"]))
    rows = data.draw(st.integers(1, 5))
    places = [(str(row), column) for row in range(rows) for column in ("town", "price")]
    clean, mended = (
        dict(zip(places, data.draw(st.lists(texts, min_size=len(places), max_size=len(places))), strict=True))
        for _ in range(2)
    )
    noise = data.draw(st.lists(st.tuples(st.sampled_from(places), st.booleans()), max_size=6))
    order = data.draw(st.permutations(range(rows)))
    before, after = (frame_of(cells, rows) for cells in (clean, mended))
    judged = scores(after[order], ledger(*((row, column, "x", "y", ok) for (row, column), ok in noise)), before)
    touched = {place: all(ok for at, ok in noise if at == place) for place, _ in noise}
    assert outcomes(judged) == sorted(
        (*place, recoverable, clean[place] == mended[place]) for place, recoverable in touched.items()
    )
    assert wrong(judged) == sorted(p for p in places if p not in touched and clean[p] != mended[p])


def frame_of(cells: Mapping[tuple[str, str], str | None], rows: int) -> pl.DataFrame:
    columns = {name: [cells[str(row), name] for row in range(rows)] for name in ("town", "price")}
    return pl.DataFrame(
        {"id": [str(row) for row in range(rows)], **columns}, schema=dict.fromkeys(STALLS.columns, pl.String)
    )


# --- rows --------------------------------------------------------------------------------------------------------------


def test_a_row_put_back_whole_is_right_and_one_still_gone_is_missed() -> None:
    """A dropped row is mended when it stands there again with all of its cells."""
    entries = ledger(
        ("1", "", told(0, "1", "Aachen", "10"), "", True),
        ("2", "", told(1, "2", "Bremen", "20"), "", True),
        ("4", "", told(3, "4", "Celle", "40"), "", True),
    )
    mended = with_cell(STALLS, "4", "price", "41").filter(pl.col("id") != "2")
    assert outcomes(scores(mended, entries)) == [("1", "", True, True), ("2", "", True, False), ("4", "", True, False)]
    assert wrong(scores(mended, entries)) == []


def test_a_cell_in_a_row_that_is_lost_cannot_be_recovered() -> None:
    """What was done to a cell before its row went is lost with the row."""
    entries = ledger(("2", "town", "Bremen", "Brema", True), ("2", "", told(1, "2", "Brema", "20"), "", False))
    assert outcomes(scores(STALLS.filter(pl.col("id") != "2"), entries)) == [
        ("2", "", False, False),
        ("2", "town", False, False),
    ]


@pytest.mark.parametrize(("copies", "is_right"), [(0, True), (1, False)])
def test_an_added_row_is_right_when_it_is_gone(copies: int, is_right: bool) -> None:  # noqa: FBT001
    """A copy with its row's key, and a decoy with one of its own, are right once neither stands there any more."""
    entries = ledger(
        ("2", "", "", told(2, "2", "Bremen", "20"), True), ("9", "", "", told(5, "9", "Dresden", "90"), True)
    )
    decoy = pl.DataFrame({"id": ["9"], "town": ["Dresden"], "price": ["90"]})
    mended = pl.concat([STALLS, *[STALLS[1:2], decoy] * copies])
    judged = scores(mended, entries)
    assert outcomes(judged) == [("2", "", True, is_right), ("9", "", True, is_right)]
    assert wrong(judged) == []


def test_rows_that_the_cleaner_drops_or_invents_are_wrong() -> None:
    """A row that noise left and is gone, and one that nobody knows, count as wrong; so does a copy that noise did not make."""
    strange = pl.DataFrame({"id": ["8"], "town": ["Dresden"], "price": ["80"]})
    mended = pl.concat([STALLS[1:], strange, STALLS[3:]])
    assert wrong(scores(mended, ledger())) == [("1", ""), ("4", ""), ("8", "")]


def test_a_moved_row_is_right_in_its_place() -> None:
    """Rows that noise moved are judged by how many rows stand before them, whatever others were added or lost."""
    entries = ledger(("1", "", "0", "1", True), ("2", "", "1", "0", True))
    assert outcomes(scores(STALLS, entries)) == [("1", "", True, True), ("2", "", True, True)]
    assert outcomes(scores(STALLS[[1, 0, 2, 3]], entries)) == [("1", "", True, False), ("2", "", True, False)]


# --- files -------------------------------------------------------------------------------------------------------------

RENAMED = (
    "",
    "",
    '{"columns": ["id", "town", "price"], "dialect": {}}',
    '{"columns": ["id", "place", "price"], "dialect": {}, "renamed": {"town": "place"}, "reshaped": false}',
    True,
)


def test_a_header_put_right_is_mended() -> None:
    """A column that noise renamed is right under its own name."""
    assert outcomes(scores(STALLS, ledger(RENAMED))) == [("", "", True, True)]


def test_cells_under_a_header_that_stayed_wrong_are_judged_still() -> None:
    """Missing the header misses one change; the cells below it count by what stands there, and are not wrong."""
    entries = ledger(RENAMED, ("1", "town", "Aachen", "Aix", True))
    judged = scores(STALLS.rename({"town": "place"}), entries)
    assert outcomes(judged) == [("", "", True, False), ("1", "town", True, True)]
    assert wrong(judged) == []


def test_a_column_that_the_cleaner_loses_is_wrong() -> None:
    """A column that noise left and that is not there any more is one thing wrong, and its changes are missed."""
    judged = scores(STALLS.drop("town"), ledger(("1", "town", "Aachen", "Aix", True)))
    assert outcomes(judged) == [("1", "town", True, False)]
    assert wrong(judged) == [("", "town")]


@pytest.mark.parametrize(("town", "is_right"), [("Bremen", True), ("Brema", False)])
def test_a_dropped_column_is_right_with_all_of_its_cells(town: str, is_right: bool) -> None:  # noqa: FBT001
    """A column that the file lost is mended when it is there again, each cell as it was; an added one when it is gone."""
    layout = '{"columns": ["id", "price", "town price"], "dialect": {}, "renamed": {}, "reshaped": false}'
    entries = ledger(
        ("", "", '{"columns": ["id", "town", "price"], "dialect": {}}', layout, True),
        ("", "town", "[]", "", True),
        ("", "town price", "", "[]", True),
    )
    judged = scores(with_cell(STALLS, "2", "town", town), entries)
    assert outcomes(judged) == [("", "", True, True), ("", "town", True, is_right), ("", "town price", True, True)]
    left = scores(STALLS.with_columns(pl.col("price").alias("town price")), entries)
    assert outcomes(left) == [("", "", True, False), ("", "town", True, True), ("", "town price", True, False)]


def test_rows_of_a_file_that_is_reshaped_are_lost_and_not_wrong() -> None:
    """Where noise made other rows of the rows, nobody can tell which are missing: all columns are lost, nothing is wrong."""
    layout = '{"columns": ["town", "10", "20"], "dialect": {}, "renamed": {}, "reshaped": true}'
    entries = ledger(
        ("", "", '{"columns": ["id", "town", "price"], "dialect": {}}', layout, False),
        *(("", column, "[]", "", False) for column in STALLS.columns),
        *(("", column, "", "[]", False) for column in ("town", "10", "20")),
    )
    judged = scores(pl.DataFrame({"town": ["Aachen"], "10": ["x"], "20": [None]}), entries)
    assert wrong(judged) == []
    assert not judged.changes["is_recoverable"].any()


# --- carrying out a plan -----------------------------------------------------------------------------------------------


class Mends(CellKind):
    """Puts one text in place of another where a plan says so: for judging the cleaner by what its menders do."""

    name: ClassVar[str] = "mends"
    family: ClassVar[Family] = Family.NAMES
    recovery: ClassVar[str] = "Yes, by the plan."

    column: str
    found: str
    truth: str | None

    def edits(self, environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Change nothing."""
        del environment, draws
        return ()

    def mended(
        self, rows: pl.DataFrame, table: PublishedTable, environment: Environment, beside: Frames
    ) -> pl.DataFrame:
        """Put the text."""
        del table, environment, beside
        return rows.with_columns(pl.col(self.column).replace(self.found, self.truth))


class Fills(Mends):
    """Puts what another table says in place of a text."""

    name: ClassVar[str] = "fills"

    def mended(
        self, rows: pl.DataFrame, table: PublishedTable, environment: Environment, beside: Frames
    ) -> pl.DataFrame:
        """Put the other table's cell, row by row."""
        del table, environment
        return rows.with_columns(beside["prices"][self.column])


class Restores(FileKind):
    """Puts a header back."""

    name: ClassVar[str] = "restores"
    family: ClassVar[Family] = Family.FORMAT
    recovery: ClassVar[str] = "Yes, by the plan."

    def choices(self, table: PublishedTable) -> tuple[str, ...]:
        """Change nothing."""
        del table
        return ()

    def restructured(self, file: TextFile, choice: str, draws: Draws) -> TextFile:
        """Change nothing."""
        del choice, draws
        return file

    def mended(
        self, rows: pl.DataFrame, table: PublishedTable, environment: Environment, beside: Frames
    ) -> pl.DataFrame:
        """Rename."""
        del table, environment, beside
        return rows.rename({"place": "town"}, strict=False)


def plan(*kinds: Kind, tables: tuple[str, ...] = ("stalls",)) -> CleaningPlan:
    suspicions = tuple(Suspicion(kind=kind, tables=tables, reason="a test") for kind in kinds)
    return CleaningPlan(environment=ENVIRONMENT.name, suspicions=suspicions)


def test_steps_are_done_in_order_and_only_planned_tables_come_back() -> None:
    """What an earlier suspicion mended, a later one reads; a table without suspicions is not returned."""
    steps = (Mends(column="town", found="Aachen", truth="Aix"), Mends(column="town", found="Aix", truth="Akens"))
    cleaned = clean_up({"stalls": STALLS, "prices": STALLS}, plan(*steps), ENVIRONMENT)
    assert cleaned.keys() == {"stalls"}
    assert cleaned["stalls"]["town"].to_list() == ["Akens", "Bremen", None, "Celle"]


def test_a_step_looks_into_other_tables_as_far_as_they_are_mended() -> None:
    """What stands beside a table is what the plan has made of it so far."""
    first = plan(Mends(column="town", found="Aachen", truth="Aix"), tables=("prices",))
    both = replace(first, suspicions=(*first.suspicions, *plan(Fills(column="town", found="", truth="")).suspicions))
    cleaned = clean_up({"stalls": STALLS, "prices": STALLS}, both, ENVIRONMENT)
    assert cleaned["stalls"]["town"].to_list() == ["Aix", "Bremen", None, "Celle"]


def test_a_column_that_is_not_there_stops_nobody() -> None:
    """A suspicion about a column that the file lost does nothing; a column that it fills is there again."""
    lost = STALLS.drop("town")
    mend, fill = Mends(column="town", found="Aix", truth="Aachen"), Fills(column="town", found="", truth="")
    assert_frame_equal(clean_up({"stalls": lost}, plan(mend), ENVIRONMENT)["stalls"], lost)
    filled = clean_up({"stalls": lost, "prices": STALLS}, plan(fill), ENVIRONMENT)["stalls"]
    assert_frame_equal(filled.select(STALLS.columns), STALLS)


def test_a_suspicion_about_the_file_sees_its_own_columns() -> None:
    """A kind about the file is not given columns that the file does not have."""
    renamed = STALLS.rename({"town": "place"})
    assert_frame_equal(clean_up({"stalls": renamed}, plan(Restores()), ENVIRONMENT)["stalls"], STALLS)


def test_what_is_wrong_is_laid_at_the_door_of_the_last_step_that_changed_it() -> None:
    """Each thing wrong is blamed on one kind; what nobody changed is blamed on nobody."""
    steps = (Mends(column="town", found="Celle", truth="Cella"), Restores(), Fills(column="price", found="", truth=""))
    tables = {"stalls": STALLS, "prices": with_cell(STALLS, "2", "price", "21")}
    mended = clean_up(tables, plan(*steps), ENVIRONMENT)
    judged = score({"stalls": STALLS}, mended, ledger(), ENVIRONMENT)
    wrong_elsewhere = judged.wrong.vstack(pl.DataFrame({"table": "stalls", "row_key": "1", "column": "town"}))
    blamed = culprits(wrong_elsewhere, cleaning(tables, plan(*steps), ENVIRONMENT), ENVIRONMENT)
    assert sorted(blamed.select("row_key", "kind").rows()) == [("1", ""), ("2", "fills"), ("4", "mends")]

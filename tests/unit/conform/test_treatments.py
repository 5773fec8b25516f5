"""Treatments: what is bad is dropped, nulled or rounded where a declaration says so, counted by cause, and nowhere else."""

import random
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.conform import known
from pipeline.conform.cells import understand
from pipeline.conform.treated import lines
from pipeline.errors import InputError
from pipeline.model import Cause, CellTreatment, Column, RawTable, Repeats, Role, RowRule
from tests.unit.conform.folders import conformed, counts, problems


def table(
    column: Column, *, key: tuple[str, ...] = ("k",), repeats: Repeats | None = None, rules: tuple[RowRule, ...] = ()
) -> RawTable:
    return RawTable(name="t", columns=(Column(name="k"), column), key=key, repeats=repeats, rules=rules)


def written(*cells: str) -> dict[str, str]:
    return {"t.csv": "k,x\n" + "".join(f"{row},{cell}\n" for row, cell in enumerate(cells))}


BAD: list[tuple[Cause, Column, str, str]] = [
    ("unreadable", Column(name="x", type="integer"), "seven", "7"),
    ("unreadable", Column(name="x", type="decimal", decimals=1), "7;5", "7.5"),
    ("unreadable", Column(name="x", type="float"), "inf", "0.5"),
    ("unreadable", Column(name="x", type="date"), "31/2/2020", "1/2/2020"),
    ("unreadable", Column(name="x"), "a\x01b", "ab"),
    ("too long", Column(name="x", longest=3), "äbcd", "äbc"),
    ("too precise", Column(name="x", type="decimal", decimals=1), "7.25", "7.2"),
    ("not allowed", Column(name="x", allowed=("A", "B")), "C", "B"),
    ("out of range", Column(name="x", type="integer", minimum=10), "9", "10"),
    ("out of range", Column(name="x", type="decimal", decimals=2, maximum=10), "10.01", "10.00"),
    ("out of range", Column(name="x", type="float", maximum=10), "10.5", "10"),
    ("out of range", Column(name="x", type="date", maximum=2020), "1/1/2021", "31/12/2020"),
    ("empty", Column(name="x", nullable=False), "", "a"),
]


@pytest.mark.parametrize(("cause", "column", "bad", "good"), BAD)
def test_a_bad_cell_is_an_error_unless_its_own_cause_is_treated(
    cause: Cause, column: Column, bad: str, good: str
) -> None:
    """Without a declaration, and with declarations of all other causes, the build stops at the cell."""
    others: dict[Cause, CellTreatment] = {other: "drop" for other, *_ in BAD if other != cause}
    for treat in ({}, others):
        found = problems(written(good, bad), (table(replace(column, treat=treat)),))
        assert [(problem.row, problem.column) for problem in found] == [(3, "x")]


@pytest.mark.parametrize(("cause", "column", "bad", "good"), BAD)
def test_a_row_is_dropped_for_a_bad_cell_and_counted(cause: Cause, column: Column, bad: str, good: str) -> None:
    """The rows without fault stay as they are; the manifest and the log get one line with the number."""
    result = conformed(written(bad, good, bad), (table(replace(column, treat={cause: "drop"})),))
    assert result.frames["t"]["k"].to_list() == ["1"]
    assert result.frames["t"]["x"].null_count() == 0
    assert counts(result) == {("t", "x", cause, "drop"): 2}


@pytest.mark.parametrize(("cause", "column", "bad", "good"), [case for case in BAD if case[0] != "empty"])
def test_a_bad_cell_is_nulled_and_counted(cause: Cause, column: Column, bad: str, good: str) -> None:
    """Its row stays, and so does every other cell."""
    result = conformed(written(bad, good), (table(replace(column, treat={cause: "null"})),))
    assert result.frames["t"]["x"].is_null().to_list() == [True, False]
    assert counts(result) == {("t", "x", cause, "null"): 1}


@pytest.mark.parametrize(("cause", "column", "bad", "good"), [case for case in BAD if case[0] != "empty"])
def test_what_was_nulled_where_nothing_may_be_empty_is_empty(cause: Cause, column: Column, bad: str, good: str) -> None:
    """An error, or, where what is empty is dropped, dropped as that."""
    obligatory = replace(column, treat={cause: "null"}, nullable=False)
    (found,) = problems(written(good, bad), (table(obligatory),))
    assert (found.row, found.expected) == (3, "expected a value; this column may not be empty")
    dropping = replace(obligatory, treat={cause: "null", "empty": "drop"})
    result = conformed(written(good, bad), (table(dropping),))
    assert counts(result) == {("t", "x", cause, "null"): 1, ("t", "x", "empty", "drop"): 1}


numbers = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=6)


@given(st.lists(numbers, min_size=1), st.integers(0, 7))
def test_decimals_are_rounded_half_away_from_zero(values: list[Decimal], decimals: int) -> None:
    """As the decimal module does; what has no more places than declared is as it was, and not counted."""
    column = Column(name="x", type="decimal", decimals=decimals, treat={"too precise": "round"})
    cells = understand(column, pl.Series([f"{value:f}" for value in values]))
    quantum = Decimal(1).scaleb(-decimals)
    rounded = [value.quantize(quantum, ROUND_HALF_UP) for value in values]
    assert cells.values.to_list() == [int(value.scaleb(decimals)) for value in rounded]
    found = [finding.is_found.to_list() for finding in cells.findings if finding.cause == "too precise"]
    is_rounded = [value != nearest for value, nearest in zip(values, rounded, strict=True)]
    assert found == ([is_rounded] if any(is_rounded) else [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.5", 1),
        ("-0.5", -1),
        ("0.49999999999999999999", 0),
        ("0.05", 0),
        ("2.5e-1", 0),
        ("25e-1", 3),
        ("1e-300", 0),
        ("-1e-999999999", 0),
        ("9223372036854775807.4", 9223372036854775807),
    ],
)
def test_numbers_in_any_notation_are_rounded(text: str, expected: int) -> None:
    """Half a quantum away from zero, less than half to zero, up to the largest number there is."""
    column = Column(name="x", type="decimal", treat={"too precise": "round"})
    assert understand(column, pl.Series([text])).values.to_list() == [expected]


@pytest.mark.parametrize("text", ["9223372036854775807.5", "92233720368547758070.5", "1e30", "1.5.5", "x"])
def test_what_is_no_number_of_64_bits_is_not_rounded(text: str) -> None:
    """It stays unreadable, whatever is declared of decimals."""
    column = Column(name="x", type="decimal", treat={"too precise": "round"})
    assert [problem.row for problem in problems(written("1.5", text), (table(column),))] == [3]


def test_a_value_is_judged_as_it_was_rounded() -> None:
    """10.4 is 10, which is in range; 10.5 is 11, which is not."""
    column = Column(name="x", type="decimal", maximum=10, treat={"too precise": "round", "out of range": "null"})
    result = conformed(written("10.4", "10.5", "3"), (table(column),))
    assert result.frames["t"]["x"].to_list() == [10, None, 3]
    assert counts(result) == {("t", "x", "too precise", "round"): 2, ("t", "x", "out of range", "null"): 1}


def test_a_row_is_dropped_once_for_its_first_cause() -> None:
    """Counts of dropped rows add up to the rows that are gone; other faults of such a row are nobody's business."""
    columns = (
        Column(name="k"),
        Column(name="x", type="integer", treat={"unreadable": "drop"}),
        Column(name="y", type="integer", minimum=0, treat={"out of range": "drop"}),
        Column(name="z", type="integer"),
    )
    result = conformed(
        {"t.csv": "k,x,y,z\na,one,-1,bad\nb,1,-1,bad\nc,1,1,1\n"}, (RawTable(name="t", columns=columns, key=("k",)),)
    )
    assert result.frames["t"]["k"].to_list() == ["c"]
    assert counts(result) == {("t", "x", "unreadable", "drop"): 1, ("t", "y", "out of range", "drop"): 1}


def test_a_row_that_breaks_a_rule_is_dropped_where_the_rule_says_so() -> None:
    """Counted under the rule's words."""
    rule = RowRule(column="x", holds=lambda: pl.col("x") > 0, expected="a gain", treatment="drop")
    result = conformed(written("1", "-1", ""), (table(Column(name="x", type="integer"), rules=(rule,)),))
    assert result.frames["t"]["x"].to_list() == [1, None]
    assert counts(result) == {("t", "x", "not a gain", "drop"): 1}


# records with one key ---------------------------------------------------------------------------------------------------

REPEATED = RawTable(
    name="t",
    columns=(Column(name="k"), Column(name="x", type="integer"), Column(name="day", type="integer")),
    key=("k",),
)


def of_records(records: list[tuple[str, int | None, int | None]]) -> dict[str, str]:
    lines = [",".join("" if cell is None else str(cell) for cell in record) for record in records]
    return {"t.csv": "\n".join(["k,x,day", *lines]) + "\n"}


def with_repeats(repeats: Repeats) -> tuple[RawTable]:
    return (RawTable(**(vars(REPEATED) | {"repeats": repeats})),)


records = st.lists(
    st.tuples(st.sampled_from("ab"), st.none() | st.integers(0, 1), st.none() | st.integers(0, 2)), max_size=8
)


@given(records, st.sampled_from([(), ("day",), ("day", "x")]), st.booleans(), st.randoms(use_true_random=False))
def test_records_with_one_key_are_treated_as_a_slow_version_does(
    found: list[tuple[str, int | None, int | None]],
    first_by: tuple[str, ...],
    descending: bool,  # noqa: FBT001
    shuffler: random.Random,
) -> None:
    """One record a key stays, the first by the declared order; ties that differ are an error; row order says nothing."""

    def rank(record: tuple[str, int | None, int | None]) -> list[tuple[bool, int]]:
        cells = [{"x": record[1], "day": record[2]}[name] for name in first_by]
        return [(cell is None, (-cell if descending else cell) if cell is not None else 0) for cell in cells]

    kept, is_error = [], False
    for key in sorted({record[0] for record in found}):
        own = [record for record in found if record[0] == key]
        first = [record for record in own if rank(record) == min(map(rank, own))]
        is_error |= len(set(first)) > 1
        kept.append(first[0])
    tables = with_repeats(Repeats(first_by=first_by, descending=descending))
    files = of_records(shuffler.sample(found, len(found)))
    if is_error:
        assert all("a key that no other record has" in problem.expected for problem in problems(files, tables))
        return
    result = conformed(files, tables)
    assert result.frames["t"].rows() == kept
    dropped = len(found) - len(kept)
    assert counts(result) == ({("t", "k", "key of another record", "drop"): dropped} if dropped else {})
    rows = f"{dropped} row{'s' if dropped > 1 else ''}"
    said = f"t, column 'k': {rows} dropped, since a row that is kept has the same key"
    assert list(lines(result.treated)) == ([said] if dropped else [])


def test_only_records_that_differ_are_reported_where_equal_ones_are_dropped() -> None:
    """The error names the row that differs, not the equal one."""
    found = problems(of_records([("a", 1, 1), ("a", 1, 1), ("a", 2, 1)]), with_repeats(Repeats()))
    assert [problem.row for problem in found] == [4]


def test_a_column_by_which_nothing_can_be_ordered_is_bad_input() -> None:
    """The declaration is told what there is."""
    with pytest.raises(InputError, match=r"unknown column by which a record of 't' comes first 'date'; known: "):
        conformed(of_records([("a", 1, 1)]), with_repeats(Repeats(first_by=("date",))))


# declarations -----------------------------------------------------------------------------------------------------------


def test_identifying_cells_of_dropped_rows_are_kept_for_the_search() -> None:
    """Whoever searches prose has to know the names of companies that were dropped."""
    columns = (
        Column(name="code", role=Role.CODE),
        Column(name="name", role=Role.NAME),
        Column(name="also", role=Role.ALIAS),
        Column(name="phone", role=Role.IDENTIFIER),
        Column(name="size", type="integer", treat={"unreadable": "drop"}),
    )
    raw = RawTable(name="t", columns=columns, key=("code",))
    rows = {"A1": ("Alpha", "Al", "11"), "B1": ("Beta", "Bet", "22")}
    table = "code,name,also,phone,size\nA1,Alpha,Al,11,1\nB1,Beta,Bet,22,big\n"
    result = conformed({"t.csv": table}, (raw,))
    assert result.dropped["t"].rows() == [("B1", *rows["B1"])]
    assert known(result.frames, result.dropped)["t"].rows() == [("A1", *rows["A1"], 1), ("B1", *rows["B1"], None)]


def test_figures_of_both_signs_need_room_together() -> None:
    """They may cancel out in the file, and not in a part of it."""
    column = Column(name="x", type="integer", role=Role.MEASURE)
    (problem,) = problems(written(str(2**62), str(-(2**62))), (table(column),))
    assert "a column whose figures sum to at most" in problem.expected

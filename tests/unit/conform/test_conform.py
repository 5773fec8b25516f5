"""Conforming whole folders: the round trip, each defect at its place, all of a run together, and real tables."""

import csv
import io
import random
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.conform import Conformed, Treated, conform
from pipeline.conform.source import PROBLEMS_SHOWN
from pipeline.conform.treated import lines
from pipeline.errors import WITHHELD, ContractError, InputError, Problem
from pipeline.model import Column, Measure, Panel, RawTable, Reference, Role, RowRule

FIRMS = RawTable(
    name="firms",
    columns=(
        Column(name="code", role=Role.CODE, nullable=False),
        Column(name="name", role=Role.NAME, nullable=False),
        Column(name="industry", nullable=False),
        Column(name="founded", type="date", role=Role.DATE),
        Column(name="load stamp", role=Role.IGNORED),
    ),
    key=("code",),
    ignored=("",),
)
FIGURES = RawTable(
    name="figures",
    columns=(
        Column(name="code", role=Role.CODE, nullable=False),
        Column(name="year", type="integer", nullable=False, minimum=1990, maximum=2030),
        Column(name="revenue", type="decimal", decimals=2, role=Role.MEASURE),
    ),
    key=("code", "year"),
    references=(Reference(columns=("code",), to_table="firms"),),
)
TABLES = (FIRMS, FIGURES)

FIRM_LINES = (
    ",code,name,industry,founded,load stamp",
    "x,000002.SZ,Beta Steel,Steel,7/9/1999,now",
    'x,000001.SZ,"Alpha, Bank",Banking,,now',
    "x,000003.SZ,Gamma,Steel,31/12/2001,",
)
FIGURE_LINES = (
    "code,year,revenue",
    "000001.SZ,2022,1.5",
    "000001.SZ,2021,2.07E+3",
    "000002.SZ,2022.0,-3",
    "000003.SZ,2022,",
)


def conformed(files: Mapping[str, str], tables: tuple[RawTable, ...] = TABLES) -> Conformed:
    with tempfile.TemporaryDirectory() as directory:
        for name, content in files.items():
            (Path(directory) / name).write_text(content, encoding="utf-8", newline="")
        return conform(tables, Path(directory))


def folder(firms: tuple[str, ...] = FIRM_LINES, figures: tuple[str, ...] = FIGURE_LINES) -> dict[str, str]:
    return {"firms.csv": "\n".join(firms) + "\n", "figures.csv": "\n".join(figures) + "\n"}


def problems(files: Mapping[str, str], tables: tuple[RawTable, ...] = TABLES) -> tuple[Problem, ...]:
    with pytest.raises(ContractError, match="problem") as caught:
        conformed(files, tables)
    return caught.value.problems


def changed(lines: tuple[str, ...], row: int, old: str, new: str) -> tuple[str, ...]:
    """Replace a piece of one row (the header is 1), which must be there."""
    assert old in lines[row - 1]
    return (*lines[: row - 1], lines[row - 1].replace(old, new), *lines[row:])


def test_sound_tables_come_out_typed_and_sorted_by_key() -> None:
    """Declared columns in declared order, without the ignored ones; quanta, dates and integers as the model says."""
    frames = conformed(folder()).frames
    assert list(frames) == ["firms", "figures"]
    assert frames["firms"].rows() == [
        ("000001.SZ", "Alpha, Bank", "Banking", None),
        ("000002.SZ", "Beta Steel", "Steel", date(1999, 9, 7)),
        ("000003.SZ", "Gamma", "Steel", date(2001, 12, 31)),
    ]
    assert frames["figures"].schema == {"code": pl.String, "year": pl.Int64, "revenue": pl.Int64}
    assert frames["figures"].rows() == [
        ("000001.SZ", 2021, 207_000),
        ("000001.SZ", 2022, 150),
        ("000002.SZ", 2022, -300),
        ("000003.SZ", 2022, None),
    ]


def test_treatments_are_counted_and_name_no_cell() -> None:
    """What was done is a line for the log, one for all columns of a table with one cause: table, columns, kind, count."""
    treatments = conformed(folder()).treated
    assert treatments == (
        Treated("firms", "", "ignored column", "ignore", 1),
        Treated("firms", "load stamp", "ignored column", "ignore", 1),
        Treated("figures", "revenue", "scientific notation", "read", 1),
    )
    assert list(lines(treatments)) == [
        "firms: 2 columns are ignored as declared",
        "figures, column 'revenue': scientific notation: read, 1 time",
    ]


MIXED = RawTable(
    name="mixed",
    columns=(
        Column(name="name", role=Role.NAME, null_tokens=("#N/A",)),
        Column(name="number", type="integer"),
        Column(name="amount", type="decimal", decimals=3),
        Column(name="share", type="float"),
        Column(name="day", type="date"),
    ),
    key=("number", "day"),
)
DTYPES = {"name": pl.String, "number": pl.Int64, "amount": pl.Int64, "share": pl.Float64, "day": pl.Date}

int64 = st.integers(-(2**63), 2**63 - 1)
rows_of_mixed = st.lists(
    st.tuples(
        st.none() | st.text(alphabet='aé企,"\n\t .', min_size=1, max_size=8),
        int64,
        st.none() | int64,
        st.none() | st.floats(allow_nan=False, allow_infinity=False),
        st.dates(min_value=date(1000, 1, 1)),
    ),
    unique_by=lambda row: (row[1], row[4]),
    max_size=12,
)


def thousandths(count: int) -> str:
    return f"{'-' * (count < 0)}{abs(count) // 1000}.{abs(count) % 1000:03d}"


def as_csv(frame: pl.DataFrame) -> str:
    target = io.StringIO(newline="")
    writer = csv.writer(target, quoting=csv.QUOTE_ALL)
    writer.writerow(frame.columns)
    for name, number, amount, share, day in frame.iter_rows():
        amount_text = None if amount is None else thousandths(amount)
        writer.writerow((name, number, amount_text, share, f"{day.day}/{day.month}/{day.year}"))
    return target.getvalue()


@given(rows_of_mixed, st.randoms(use_true_random=False))
def test_what_was_written_is_read_back_in_any_row_order(
    rows: list[tuple[object, ...]], shuffler: random.Random
) -> None:
    """Typed frame to CSV to conformed frame is the identity on the rows sorted by key, however they were ordered."""
    frame = pl.DataFrame(rows, schema=DTYPES, orient="row").sort("number", "day")
    shuffled = pl.DataFrame(shuffler.sample(rows, len(rows)), schema=DTYPES, orient="row")
    result = conformed({"mixed.csv": as_csv(shuffled)}, (MIXED,)).frames["mixed"]
    assert result.schema == frame.schema
    assert result.equals(frame)


@given(rows_of_mixed)
def test_parquet_gives_what_csv_gives(rows: list[tuple[object, ...]]) -> None:
    """The same table stored with types conforms to the same frame."""
    frame = pl.DataFrame(rows, schema=DTYPES, orient="row")
    decimals = frame.with_columns(
        pl.Series("amount", [None if a is None else thousandths(a) for a in frame["amount"]], pl.String)
    )
    with tempfile.TemporaryDirectory() as directory:
        decimals.write_parquet(Path(directory) / "mixed.parquet")
        stored = conform((MIXED,), Path(directory)).frames["mixed"]
    assert stored.equals(conformed({"mixed.csv": as_csv(frame)}, (MIXED,)).frames["mixed"])


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (folder(changed(FIRM_LINES, 4, "Steel", "St\x00eel")), ("firms.csv", 4, "industry", "St\x00eel")),
        (folder(figures=changed(FIGURE_LINES, 2, "1.5", "1" * 50)), ("figures.csv", 2, "revenue", "1" * 39 + "…")),
        (folder(figures=changed(FIGURE_LINES, 5, "2022", "1215")), ("figures.csv", 5, "year", "1215")),
        (folder(figures=changed(FIGURE_LINES, 3, "2021", "2022")), ("figures.csv", 3, "code, year", WITHHELD)),
        (folder(figures=changed(FIGURE_LINES, 3, "2021", '"2021')), ("figures.csv", 3, "year", '"')),
    ],
)
def test_a_planted_defect_is_found_at_its_place(files: dict[str, str], found: tuple[str, int, str, str]) -> None:
    """File, row, column and value at fault are those of the cell that was spoilt; `tests/catalogue` has many more."""
    first = problems(files)[0]
    assert (first.file, first.row, first.column, first.value) == found


@given(st.sets(st.integers(2, 41), min_size=1), st.sampled_from(["x", "1.234", "1e30"]))
def test_faults_are_found_in_exactly_the_rows_that_were_spoilt(rows: set[int], spoilt: str) -> None:
    """Of forty rows, those with a bad cell are reported and no other."""
    lines = ["code,year,revenue", *(f"c{row},2022,{spoilt if row in rows else '1.5'}" for row in range(2, 42))]
    figures = replace(FIGURES, references=())
    assert [problem.row for problem in problems({"figures.csv": "\n".join(lines)}, (figures,))] == sorted(rows)


def test_all_problems_of_all_tables_are_reported_sorted() -> None:
    """Defects of files, headers, cells, keys and references stand in one error, by file, row and column."""
    files = folder(
        (*changed(changed(FIRM_LINES, 3, "Banking", ""), 2, "7/9/1999", "soon"), "x,000003.SZ,Delta,Steel,,"),
        changed(changed(FIGURE_LINES, 4, "-3", "three"), 2, "000001", "000009"),
    )
    lost = RawTable(name="lost", columns=(Column(name="code"),), key=("code",))
    found = problems(files, (*TABLES, lost))
    assert [(problem.file, problem.row, problem.column) for problem in found] == [
        ("figures.csv", 2, "code"),
        ("figures.csv", 4, "revenue"),
        ("firms.csv", 2, "founded"),
        ("firms.csv", 3, "industry"),
        ("firms.csv", 5, "code"),
        ("lost.csv", 0, ""),
    ]
    assert found[4].expected == "expected a key that no other record has; row 4 has the same"


def test_defects_below_a_defective_header_are_reported_with_it() -> None:
    """Cells and keys of the columns that are there are checked all the same."""
    lines = (*changed(FIRM_LINES, 1, "industry", "sector"), "x,000003.SZ,,Steel,,")
    found = {(problem.row, problem.column) for problem in problems(folder(lines))}
    assert found == {(1, ""), (1, "industry"), (5, "name")}
    lines = (*changed(FIRM_LINES, 1, "industry", "sector"), "x,000003.SZ,Delta,Steel,,")
    assert (5, "code") in {(problem.row, problem.column) for problem in problems(folder(lines))}


def test_each_repeated_key_names_the_first_row_that_has_it() -> None:
    """Three rows of one key are two problems, both pointing at the first."""
    table = RawTable(name="t", columns=(Column(name="k", type="integer"), Column(name="part")), key=("k", "part"))
    found = problems({"t.csv": "k,part\n1,a\n2,a\n1.0,a\n1,b\n1,a\n"}, (table,))
    assert [(problem.row, problem.column, problem.value) for problem in found] == [
        (4, "k, part", "1, a"),
        (6, "k, part", "1, a"),
    ]
    assert {problem.expected for problem in found} == {"expected a key that no other record has; row 2 has the same"}


def test_an_empty_key_is_a_problem_and_repeats_nothing() -> None:
    """A null in the key is reported for its row; two nulls are not the same key."""
    table = RawTable(name="t", columns=(Column(name="k"), Column(name="v")), key=("k", "v"))
    found = problems({"t.csv": "k,v\n,1\n,1\na,3\na,\n"}, (table,))
    assert [(problem.row, problem.column, problem.expected) for problem in found] == [
        (2, "k", "expected a value; the column is part of the key"),
        (3, "k", "expected a value; the column is part of the key"),
        (5, "v", "expected a value; the column is part of the key"),
    ]


def test_a_completed_column_comes_last_and_may_be_part_of_the_key() -> None:
    """`complete` sees typed columns, and the key is checked after it."""
    table = RawTable(
        name="t",
        columns=(Column(name="k"), Column(name="end", type="date")),
        key=("k", "year"),
        complete=lambda frame: frame.with_columns(year=pl.col("end").dt.year().cast(pl.Int64)),
    )
    frame = conformed({"t.csv": "k,end\na,1/2/2016\na,31/12/2015\n"}, (table,)).frames["t"]
    assert frame.rows() == [("a", date(2015, 12, 31), 2015), ("a", date(2016, 2, 1), 2016)]
    (found,) = problems({"t.csv": "k,end\na,1/2/2016\na,31/12/2016\n"}, (table,))
    assert (found.row, found.column) == (3, "k, year")


def test_a_key_that_nobody_declares_is_bad_input() -> None:
    """A declaration whose key names no column is told what there is."""
    table = RawTable(name="t", columns=(Column(name="k"),), key=("id",))
    with pytest.raises(InputError, match=r"unknown key column of the raw table 't' 'id'; known: .*k"):
        conformed({"t.csv": "k\na\n"}, (table,))


def test_a_rule_that_a_row_breaks_is_a_problem_of_its_column() -> None:
    """Rules see typed values; a row at fault shows the cell as it stands in the file; null counts as kept."""
    rule = RowRule(column="revenue", holds=lambda: pl.col("revenue") >= 0, expected="no loss")
    lines = changed(FIGURE_LINES, 3, "2.07E+3", "-2.07E+3")
    found = problems(folder(figures=lines), (FIRMS, replace(FIGURES, rules=(rule,))))
    assert [(problem.row, problem.column, problem.value, problem.expected) for problem in found] == [
        (3, "revenue", "-2.07E+3", "expected no loss"),
        (4, "revenue", "-3", "expected no loss"),
    ]


def test_an_empty_cell_refers_to_nothing() -> None:
    """Null needs no counterpart."""
    columns = tuple(replace(column, nullable=True) for column in FIGURES.columns)
    figures = replace(FIGURES, columns=columns, key=("year",))
    files = folder(figures=("code,year,revenue", ",2022,1", "000001.SZ,2021,1"))
    assert len(conformed(files, (FIRMS, figures)).frames["figures"]) == 2


def test_a_missing_column_breaks_no_reference_to_it() -> None:
    """One misspelt header is one defect, not one for each row that refers to it."""
    found = problems(folder(changed(FIRM_LINES, 1, "code", "cod")))
    assert {problem.file for problem in found} == {"firms.csv"}


def test_a_problem_after_a_quoted_line_end_gives_row_and_line() -> None:
    """The row is the record's, as a spreadsheet shows it; the line is added where it is another."""
    lines = changed(changed(FIRM_LINES, 2, "Beta Steel", '"Beta\nSteel"'), 3, "Banking", "")
    (found,) = problems(folder(lines))
    assert found.row == 3
    assert found.expected == "expected a value; this column may not be empty (line 4 of the file)"


def test_an_absent_optional_table_is_listed_and_its_references_rest() -> None:
    """Without the firms there is nothing to compare the codes with, and the build goes on."""
    files = {"figures.csv": folder()["figures.csv"]}
    result = conformed(files, (replace(FIRMS, required=False), FIGURES))
    assert result.absent == ("firms",)
    assert list(result.frames) == ["figures"]


def test_an_absent_optional_column_is_all_null() -> None:
    """It has its declared type, in its place, even where it may not be empty."""
    table = RawTable(
        name="t",
        columns=(Column(name="a", type="decimal", required=False, nullable=False), Column(name="k")),
        key=("k",),
    )
    frame = conformed({"t.csv": "k\nx\n"}, (table,)).frames["t"]
    assert frame.schema == {"a": pl.Int64, "k": pl.String}
    assert frame.rows() == [(None, "x")]


def test_an_ignored_column_must_be_there() -> None:
    """Its presence is checked though its content is not."""
    (found,) = problems(folder(tuple(line.rsplit(",", 1)[0] for line in FIRM_LINES)))
    assert (found.row, found.column, found.expected) == (1, "load stamp", "the column is missing")


def test_an_empty_table_keeps_its_types() -> None:
    """A header alone gives a frame without rows."""
    frame = conformed({"mixed.csv": ",".join(DTYPES) + "\n"}, (MIXED,)).frames["mixed"]
    assert frame.schema == DTYPES
    assert frame.is_empty()


def test_problems_of_a_column_are_capped_and_counted() -> None:
    """Past the limit, only the number of the rest is told."""
    table = RawTable(name="t", columns=(Column(name="k"), Column(name="v", type="integer")), key=("k",))
    found = problems({"t.csv": "k,v\n" + "".join(f"{row},x\n" for row in range(PROBLEMS_SHOWN + 5))}, (table,))
    assert len(found) == PROBLEMS_SHOWN + 1
    assert str(found[0]) == "t.csv, column 'v'; 5 more such problems in this column"


SPECIAL = {
    "Price": Column(name="Price", type="decimal", decimals=9, null_tokens=("#N/A",)),
    "Ticker Symbol": Column(name="Ticker Symbol", role=Role.CODE, nullable=False),
    "Period Ending": Column(name="Period Ending", type="date", date_format="%m/%d/%Y", nullable=False),
    "For Year": Column(name="For Year", type="integer", minimum=1990, maximum=2030, treat={"out of range": "null"}),
    "Earnings Per Share": Column(name="Earnings Per Share", type="decimal", decimals=3),
    "Estimated Shares Outstanding": Column(name="Estimated Shares Outstanding", type="decimal", decimals=2),
}


def fundamentals(folder: Path, special: Mapping[str, Column]) -> RawTable:
    with (folder / "fundamentals.csv").open(encoding="utf-8", newline="") as file:
        names = [name for name in next(csv.reader(file)) if name]
    columns = tuple(special.get(name) or Column(name=name, type="decimal", role=Role.MEASURE) for name in names)
    return RawTable(name="fundamentals", columns=columns, key=("Ticker Symbol", "Period Ending"), ignored=("",))


def test_listed_companies_conform_with_their_defects_treated_and_counted(listed_tables: Path) -> None:
    """The defects of the real tables are treated as declared: junk columns, `#N/A`, a year of 1215."""
    result = conform((fundamentals(listed_tables, SPECIAL),), listed_tables)
    frame = result.frames["fundamentals"]
    assert len(frame) == 1781
    assert frame["For Year"].null_count() == 173 + 1
    kinds = {(treatment.column, treatment.cause.split("'")[0].strip()): treatment.count for treatment in result.treated}
    assert kinds["", "ignored column"] == 2
    assert kinds["For Year", "out of range"] == 1
    assert kinds["Price", "null token"] == frame["Price"].null_count()


def test_their_defects_that_nobody_declared_are_problems(listed_tables: Path) -> None:
    """Without its declarations, the same table is refused: the year, the tokens and the decimals each in their rows."""
    plain = {name: Column(name=name, type=column.type, date_format="%m/%d/%Y") for name, column in SPECIAL.items()}
    year = Column(name="For Year", type="integer", minimum=1990)
    with pytest.raises(ContractError, match="problem") as caught:
        conform((fundamentals(listed_tables, {**plain, "For Year": year}),), listed_tables)
    found = caught.value.problems
    assert [problem.value for problem in found if problem.column == "For Year"] == ["1215"]
    assert {problem.value for problem in found if problem.column == "Price" and problem.row} > {"#N/A"}


def test_figures_are_of_years_with_four_digits(tmp_path: Path) -> None:
    """From the first year to the last that a date can have."""
    (tmp_path / "t.csv").write_text("code,year,sales\n" + "".join(f"A,{year},1\n" for year in (0, 1, 9999, 10_000)))
    columns = (Column(name="code"), Column(name="year", type="integer"), Column(name="sales", type="integer"))
    panel = Panel(measures=(Measure(name="sales", unit="", decimals=0),), tables=("t",))
    with pytest.raises(ContractError) as caught:
        conform((RawTable(name="t", columns=columns, key=("code", "year")),), tmp_path, panel=panel)
    assert [(problem.row, problem.value) for problem in caught.value.problems] == [(2, "0"), (5, "10000")]

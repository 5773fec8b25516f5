"""Reading raw files: CSV against the standard library's reader, Parquet by round trip, and what cannot be read."""

import csv
import io
import json
import tempfile
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Literal

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pipeline.conform.files.listing import digests_of
from pipeline.conform.reading import read
from pipeline.conform.source import PROBLEMS_SHOWN, Source
from pipeline.errors import ContractError, InputError, Problem
from pipeline.model import Column, CsvDialect, RawTable, Role
from pipeline.parquet import read_parquet

FIRMS = RawTable(name="firms", columns=(Column(name="code", role=Role.CODE), Column(name="city")), key=("code",))

texts = st.text(alphabet='aé企,"\n\t ', max_size=6) | st.sampled_from(["a\r\nb", "a\rb", "#", "\ufeff", "NA", "null"])
bodies = st.lists(st.lists(texts, min_size=2, max_size=2), max_size=8)


def source_of(content: bytes, table: RawTable = FIRMS, *, ending: str = ".csv") -> Source:
    with tempfile.TemporaryDirectory() as directory:
        (Path(directory) / (table.file + ending)).write_bytes(content)
        source = read(table, Path(directory))
    assert source is not None
    return source


def problems_of(content: bytes, table: RawTable = FIRMS, *, ending: str = ".csv") -> list[Problem]:
    with pytest.raises(ContractError, match="problem") as caught:
        source_of(content, table, ending=ending)
    return list(caught.value.problems)


def place(problem: Problem) -> tuple[int, str, str]:
    return problem.row, problem.column, problem.value


@given(
    rows=bodies,
    end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
)
def test_csv_is_what_the_standard_library_reads(rows: list[list[str]], end: str, quoting: int, mark: bytes) -> None:
    """Each cell is the text that was written, null if empty, with any line end, quoting and byte order mark."""
    # NOTE: minimal quoting leaves a return alone unquoted, which is refused (`tests/catalogue`).
    assume(quoting == csv.QUOTE_ALL or not any("\r" in cell for row in rows for cell in row))
    target = io.StringIO(newline="")
    csv.writer(target, lineterminator=end, quoting=quoting).writerows([["code", "city"], *rows])  # type: ignore[arg-type]
    source = source_of(mark + target.getvalue().encode())
    assert source.headers == ("code", "city")
    assert source.text.rows() == [tuple(cell or None for cell in row) for row in rows]


@given(st.lists(texts, max_size=8))
def test_one_column_may_be_empty(cells: list[str]) -> None:
    """In a table of one column, an empty line is a record whose cell is empty."""
    target = io.StringIO(newline="")
    csv.writer(target, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([["code"], *([cell] for cell in cells)])
    assert source_of(target.getvalue().encode()).text.to_series().to_list() == [cell or None for cell in cells]
    assert source_of(b"code\n\nx\n\n").text.to_series().to_list() == [None, "x", None]


def test_large_files_with_quoted_line_ends_are_read_whole() -> None:
    """A file that a parser reads in parallel pieces keeps every record, though half of its line feeds are quoted."""
    cells = [f'"{row}",\n{"x," * (row % 40)}' for row in range(60_000)]
    target = io.StringIO(newline="")
    csv.writer(target, lineterminator="\n").writerows(
        [["code", "city"], *([str(row), cell] for row, cell in enumerate(cells))]
    )
    source = source_of(target.getvalue().encode())
    assert source.text.rows() == [(str(row), cell) for row, cell in enumerate(cells)]
    assert source.lines is not None
    assert source.lines[:4].tolist() == [1, 2, 4, 6]


def test_unnamed_and_repeated_headers_are_kept_apart() -> None:
    """Columns are told apart by position, so two without a name do not collide."""
    source = source_of(b",,code\n1,2,3\n")
    assert source.headers == ("", "", "code")
    assert source.text.row(0) == ("1", "2", "3")


@pytest.mark.parametrize("content", [b"code,city\n", b"code,city", b"\xef\xbb\xbfcode,city\r\n"])
def test_a_header_alone_is_an_empty_table(content: bytes) -> None:
    """No records is not an error of the file."""
    source = source_of(content)
    assert source.headers == ("code", "city")
    assert source.text.shape == (0, 2)


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b'code,city\n1,a\n2,"b\n3,c\n', (3, "city", '"')),
        (b'code,city\n1,a\n"2",b"\n3,c\n', (3, "city", '"')),
        (b'code,city\n1,"a\nb"\n2,"c"d\n', (3, "city", '"')),
        (b'code,city\n1,a "b" c\n', (2, "city", '"')),
        (b'code,city\n1,"a\n2,"b"\n', (2, "city", '"')),
        (b'code,"city\n1,a\n', (1, "", '"')),
    ],
)
def test_a_broken_quote_is_found_at_its_record(content: bytes, found: tuple[int, str, str]) -> None:
    """The record and column whose quoting breaks are named, wherever a parser would have noticed."""
    problems = problems_of(content)
    assert [place(problem) for problem in problems] == [found]
    assert "quotes" in problems[0].expected


def test_the_physical_line_is_named_where_it_differs_from_the_row() -> None:
    """After a quoted line end, a record's row and line are two numbers, and the problem gives both."""
    (problem,) = problems_of(b'code,city\n1,"a\nb"\n2,c"d\n')
    assert problem.row == 3
    assert problem.expected.endswith("(line 4 of the file)")


@pytest.mark.parametrize(
    ("content", "value", "row", "column"),
    [
        (b"code,city\n1,a\n2,M\xfcnchen\n", "byte 0xFC at offset 17", 3, "city"),
        (b"\xef\xbb\xbfcode,city\n1,\xff\n", "byte 0xFF at offset 15", 2, "city"),
        (b"c\xf6de,city\n1,a\n", "byte 0xF6 at offset 1", 1, ""),
        ("code,city\n1,企业\n".encode("gbk"), "byte 0xC6 at offset 12", 2, "city"),
        ("code,city\n".encode("utf-16"), "byte 0xFF at offset 0", 1, ""),
    ],
)
def test_a_file_that_is_not_utf8_is_refused(content: bytes, value: str, row: int, column: str) -> None:
    """The first byte that is not UTF-8 is named with its offset, row and column."""
    declared = '`RawTable(..., dialect=CsvDialect(encoding="cp1252"))`'
    expected = f"the file must be UTF-8; save it in that encoding, or declare the one that it has, as in {declared}"
    assert problems_of(content) == [Problem("firms.csv", row, column, value, expected)]


def test_each_record_of_another_width_is_found() -> None:
    """All of them are reported, blank lines too."""
    problems = problems_of(b"code,city\n1\n2,b\n3,c,d\n\n")
    assert [place(problem) for problem in problems] == [
        (2, "", "1 field"),
        (4, "", "3 fields"),
        (5, "", "1 field"),
    ]
    assert problems[0].expected == "expected 2, as the header has; cells are read once every row has its fields"


def test_problems_of_width_are_capped_and_counted() -> None:
    """Past the limit, only their number is told."""
    problems = problems_of(b"code,city\n" + b"1\n" * (PROBLEMS_SHOWN + 7))
    assert len(problems) == PROBLEMS_SHOWN + 1
    assert problems[0] == Problem("firms.csv", 0, "", "", "7 more records have another number of fields")


def test_a_cell_of_the_first_record_is_never_taken_for_a_column_name() -> None:
    """Without a header row, a broken quote names no column: what stands in row 1 identifies a company."""
    (problem,) = problems_of(b'Acme Corp,Rome\nBeta Inc,"Oslo\n')
    assert place(problem) == (2, "", '"')


@pytest.mark.parametrize(
    ("series", "texts_read"),
    [
        (pl.Series(["a", "", None]), ["a", None, None]),
        (pl.Series([1, -2, None]), ["1", "-2", None]),
        (pl.Series([2**64 - 1], dtype=pl.UInt64), ["18446744073709551615"]),
        (pl.Series([True, False]), ["true", "false"]),
        (pl.Series([Decimal("1.20")], dtype=pl.Decimal(10, 2)), ["1.20"]),
        (pl.Series(["x", "y"], dtype=pl.Categorical), ["x", "y"]),
        (pl.Series(["x"], dtype=pl.Enum(["x"])), ["x"]),
        (pl.Series([None]), [None]),
        (pl.Series([date(2022, 12, 31)]), ["2022-12-31"]),
        (pl.Series([datetime(2022, 12, 31)]), ["2022-12-31"]),  # noqa: DTZ001 - stored without a zone
    ],
)
def test_parquet_columns_become_text(series: pl.Series, texts_read: list[str | None], tmp_path: Path) -> None:
    """Every stored type is written as the text that a CSV would hold."""
    series.alias("city").to_frame().write_parquet(tmp_path / "firms.parquet")
    source = read(FIRMS, tmp_path)
    assert source is not None
    assert source.text.to_series().to_list() == texts_read


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_parquet_floats_lose_nothing(numbers: list[float]) -> None:
    """The text of a stored float is read back to the same float."""
    target = io.BytesIO()
    pl.DataFrame({"city": numbers}, schema={"city": pl.Float64}).write_parquet(target)
    source = source_of(target.getvalue(), ending=".parquet")
    assert [float(text) for text in source.text.to_series()] == numbers


def test_parquet_dates_are_written_as_declared(tmp_path: Path) -> None:
    """A stored date of a date column follows its format; one with a time of day does not, and is refused later."""
    table = RawTable(name="t", columns=(Column(name="day", type="date"),), key=("day",))
    noon = datetime(2022, 12, 31) + timedelta(hours=12)  # noqa: DTZ001 - stored without a zone
    pl.DataFrame({"day": [noon - timedelta(hours=12), noon, None]}).write_parquet(tmp_path / "t.parquet")
    source = read(table, tmp_path)
    assert source is not None
    assert source.text.to_series().to_list() == ["31/12/2022", "2022-12-31 12:00:00.000000", None]


def test_parquet_columns_without_text_are_refused_unless_they_are_dropped(tmp_path: Path) -> None:
    """A nested column is a problem, an ignored one is not."""
    pl.DataFrame({"city": [[1]], "extra": [[2]]}).write_parquet(tmp_path / "firms.parquet")
    with pytest.raises(ContractError, match=r"column 'city'; expected .* stored as List\(Int64\)") as caught:
        read(RawTable(name="firms", columns=FIRMS.columns, key=("code",), ignored=("extra",)), tmp_path)
    assert len(caught.value.problems) == 1


def test_days_that_have_no_text_are_refused_with_their_row(tmp_path: Path) -> None:
    """Parquet holds days of years that no calendar names; polars cannot even print them."""
    days = pl.Series([0, 2**31 - 1, None, -(2**31)], dtype=pl.Int32).cast(pl.Date)
    moments = pl.Series([0, None, 2**62, -(2**62)], dtype=pl.Int64).cast(pl.Datetime("ms"))
    pl.DataFrame({"code": days, "city": moments}).write_parquet(tmp_path / "firms.parquet")
    with pytest.raises(ContractError, match="years 1 to 9999") as caught:
        read(FIRMS, tmp_path)
    assert [place(found) for found in caught.value.problems] == [
        (row, column, "(a day beyond the calendar)")
        for row, column in [(3, "code"), (4, "city"), (5, "city"), (5, "code")]
    ]


def test_damaged_parquet_is_read_or_refused() -> None:
    """Whichever byte is another one, the process goes on: polars' own reader ends it, or asks for all memory there is."""
    stored = io.BytesIO()
    table = pl.DataFrame({"code": ["a", "b", None], "city": [1, 2, 3], "is_open": [True, None, False]})
    table.write_parquet(stored)
    assert read_parquet(stored.getvalue()).equals(table)
    outcomes = set()
    for place in range(len(stored.getvalue())):
        for bits in (1, 0x80, 0xFF):
            content = bytearray(stored.getvalue())
            content[place] ^= bits
            try:
                outcomes.add(type(read_parquet(bytes(content))))
            except (OSError, ValueError) as error:
                outcomes.add(OSError if isinstance(error, OSError) else ValueError)
    assert outcomes == {pl.DataFrame, OSError, ValueError}


PAIRS = RawTable(name="pairs", columns=(Column(name="key"), Column(name="value", role=Role.NAME)), key=("key",))


@given(st.dictionaries(st.text(min_size=1, alphabet='a企"\n'), st.text(alphabet='b业"\n'), max_size=5))
def test_a_flat_json_object_is_a_table_of_two_columns(pairs: dict[str, str]) -> None:
    """Each pair is a record of key and value."""
    source = source_of(json.dumps(pairs).encode(), PAIRS, ending=".json")
    assert source.headers == ("key", "value")
    assert source.text.rows() == [(key, value or None) for key, value in pairs.items()]


def test_json_keys_that_repeat_are_all_kept() -> None:
    """A repeated key is a record of its own, so that the check of keys finds it."""
    assert source_of(b'{"a": "b", "a": "c"}', PAIRS, ending=".json").text.rows() == [("a", "b"), ("a", "c")]


@pytest.mark.parametrize(
    ("content", "row", "expected"),
    [
        (b'{"a": "b"\n"c": "d"}', 2, "the file must be JSON"),
        (b'["a", "b"]', 0, "the file must hold one JSON object"),
        (b'{"a": "b",\n"c": ["d"]}', 3, "expected a key and a value that are text"),
        (b'{"a": 1}', 2, "expected a key and a value that are text"),
        (b'{"a": {"b": "c"}}', 2, "expected a key and a value that are text"),
        (b'{"a": "\\ud800"}', 2, "expected a key and a value that are text"),
        (b'{"a": "\xff"}', 0, "the file must be UTF-8"),
    ],
)
def test_json_that_is_no_flat_object_of_text_is_refused(content: bytes, row: int, expected: str) -> None:
    """Each kind of defect is named, with its place if it has one."""
    (problem,) = problems_of(content, PAIRS, ending=".json")
    assert problem.row == row
    assert problem.expected.startswith(expected)


def test_an_optional_file_may_be_missing(tmp_path: Path) -> None:
    """Then there is nothing to read."""
    assert read(RawTable(name="t", columns=FIRMS.columns, key=("code",), required=False), tmp_path) is None


def test_what_is_read_is_what_was_known(tmp_path: Path) -> None:
    """A file that was written, came or went since its digest was taken is refused: nothing is kept of it under that digest."""
    file = tmp_path / "firms.csv"
    file.write_text("code\n1\n")
    known = digests_of([FIRMS], tmp_path)
    assert read(FIRMS, tmp_path, known=known) is not None
    file.write_text("code\n2\n")
    with pytest.raises(InputError, match=r"firms\.csv was written while it was read; run again"):
        read(FIRMS, tmp_path, known=known)
    with pytest.raises(InputError, match=r"files of the table 'firms' in .* came or went while it was read; run again"):
        read(FIRMS, tmp_path, known={})


def test_a_file_that_cannot_be_opened_is_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason of the operating system is told, without a stack trace."""
    (tmp_path / "firms.csv").touch()

    def refuse(_path: Path, _mode: str) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"can't read .*firms\.csv: Permission denied; make it readable"):
        read(FIRMS, tmp_path)


SEPARATORS: tuple[Literal[",", ";", "\t", "|"], ...] = (",", ";", "\t", "|")
ENCODINGS: tuple[Literal["utf-16", "gb18030"], ...] = ("utf-16", "gb18030")


@given(
    rows=bodies, separator=st.sampled_from(SEPARATORS), encoding=st.sampled_from(ENCODINGS), titles=st.integers(0, 3)
)
def test_a_declared_dialect_is_read(
    rows: list[list[str]], separator: Literal[",", ";", "\t", "|"], encoding: Literal["utf-16", "gb18030"], titles: int
) -> None:
    """Whatever separator, encoding and lines before the header are declared: each cell is the text that was written."""
    dialect = CsvDialect(separator=separator, encoding=encoding, title_lines=titles)
    target = io.StringIO(newline="")
    csv.writer(target, lineterminator="\n", quoting=csv.QUOTE_ALL, delimiter=separator).writerows(
        [["code", "city"], *rows]
    )
    content = ("a title\n" * titles + target.getvalue()).removesuffix("\n")
    source = source_of(content.encode(encoding), replace(FIRMS, dialect=dialect))
    assert source.headers == ("code", "city")
    assert [list(row) for row in source.text.iter_rows()] == [[cell or None for cell in row] for row in rows]


def test_rows_of_totals_are_left_out_and_counted() -> None:
    """What is wrong in the other rows is told with the line on which it stands."""
    table = replace(FIRMS, dialect=CsvDialect(title_lines=1, totals=("Total", "")))
    source = source_of(b"2024\ncode,city\nA,Ulm\n,Total\n,\nB,Bonn\n", table)
    assert (source.text["0"].to_list(), source.totals) == (["A", "B"], 2)
    assert (
        source.cell_problem(1, ("city",), "Bonn", "another town").expected
        == "expected another town (line 6 of the file)"
    )


def test_another_encoding_than_is_declared_is_named() -> None:
    """It says which encoding the declaration wants."""
    (problem,) = problems_of(b"code,city\nA,K\xff\n", replace(FIRMS, dialect=CsvDialect(encoding="gb18030")))
    assert "the file must be gb18030, as its declaration says" in problem.expected

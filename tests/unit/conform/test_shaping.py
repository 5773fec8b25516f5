"""Tables in wide format and files by period are read as the long tables of which they were made."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.conform import ALIKE, conform
from pipeline.errors import ContractError
from pipeline.model import Column, CsvDialect, RawTable, Reshape
from tests.unit.conform.test_reading import source_of

CODE, YEAR = Column(name="firm", nullable=False), Column(name="year", type="integer", nullable=False)
FIGURES = tuple(Column(name=name, type="integer") for name in ("sales", "costs"))
BOOKS = RawTable(name="books", columns=(CODE, YEAR, *FIGURES), key=("firm", "year"))
WIDE = Reshape(figures={"sales": "sales_{year}", "costs": "{year} costs"})
NAMED = Reshape(figures={"value": "{year}"}, named_by="measure")
LONG = Reshape(figures={"value": "value"}, named_by="measure")

figures = st.one_of(st.none(), st.integers(-(10**6), 10**6))
panels = st.dictionaries(
    st.tuples(st.sampled_from("ABCDE"), st.integers(2010, 2014)),
    st.tuples(figures, figures).filter(lambda row: any(cell is not None for cell in row)),
    min_size=1,
)


def _table(reshape: Reshape | None = None, file: str = "") -> RawTable:
    return RawTable(name="books", file=file, columns=BOOKS.columns, key=BOOKS.key, reshape=reshape)


def _frame(panel: dict[tuple[str, int], tuple[int | None, int | None]]) -> pl.DataFrame:
    rows = [(firm, year, *row) for (firm, year), row in sorted(panel.items())]
    return pl.DataFrame(
        rows,
        schema=dict(zip(("firm", "year", "sales", "costs"), (pl.String, *[pl.Int64] * 3), strict=True)),
        orient="row",
    )


def _wide(frame: pl.DataFrame) -> pl.DataFrame:
    apart = [
        frame.select("firm", pl.format(pattern, "year").alias("header"), pl.col(name).alias("value"))
        for name, pattern in (("sales", "sales_{}"), ("costs", "{} costs"))
    ]
    return pl.concat(apart).pivot("header", index="firm", values="value")


def _measures(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.unpivot(["sales", "costs"], index=["firm", "year"], variable_name="measure", value_name="value")


def _measures_by_year(frame: pl.DataFrame) -> pl.DataFrame:
    return _measures(frame).pivot("year", index=["firm", "measure"])


@given(panel=panels, shape=st.sampled_from(("wide", "named", "long", "files")))
def test_what_was_made_of_a_long_table_is_read_as_it(
    panel: dict[tuple[str, int], tuple[int | None, int | None]], shape: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whether periods or figures stand in headers, in rows or in the names of files."""
    frame, folder = _frame(panel), tmp_path_factory.mktemp("raw")
    declared = {"wide": _table(WIDE), "named": _table(NAMED), "long": _table(LONG), "files": _table(file="b-{year}")}[
        shape
    ]
    if shape == "files":
        for (year,), part in frame.group_by("year"):
            part.drop("year").write_csv(folder / f"b-{year}.csv")
    else:
        made: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
            "wide": _wide,
            "long": _measures,
            "named": _measures_by_year,
        }
        made[shape](frame).write_csv(folder / "books.csv")
    if shape in ("named", "long") and any(frame[each.name].null_count() == frame.height for each in FIGURES):
        return  # a figure that nobody has stands nowhere
    assert conform([declared], folder).frames["books"].equals(frame)


@pytest.mark.parametrize(
    ("declared", "files", "found"),
    [
        (_table(WIDE), {"books": "firm,sales_2020,2020 costs\nA,1,\nB,x,\n"}, "row 3, column 'sales_2020': found 'x'"),
        (_table(NAMED), {"books": "firm,measure,2020\nA,sales,1\nA,costs,x\n"}, "books.csv, row 3, column '2020': found 'x'"),
        (
            _table(NAMED),
            {"books": "firm,measure,2019,2020\nA,sales,1,2\nA,sales,,4\n"},
            "books.csv, row 3, column 'measure': found 'sales'; expected a name that no other row",
        ),
        (_table(NAMED), {"books": "firm,measure,2020\nA,sales,1\nA,,1\n"}, "row 3, column 'measure'; expected the name"),
        (
            _table(WIDE),
            {"books": "firm,sales_2020,2020 costs\nA,1,2\nB,1,2\nA,3,4\n"},
            "books.csv, row 4, columns 'firm, year': found 'A, 2020'; expected a key that no other record has; row 2 has",
        ),
        (_table(WIDE), {"books": "firm,sales_2020,costs\nA,1,2\n"}, "column 'costs': found '{year} costs'; no header is"),
        (
            _table(file="b{year}"),
            {"b2020": "firm,sales,costs\nA,1,2\n", "b2021": "firm,sales,costs\nA,1,x\n"},
            "b2021.csv, row 2, column 'costs': found 'x'",
        ),
        (
            _table(file="b{year}"),
            {"b2020": "firm,sales,costs\nA,1,2\n", "b2021": "firm,sales\nA,1\n"},
            "b2021.csv, row 1, column 'costs'; the column is missing, which another file of the table has",
        ),
        (
            _table(file="b{year}"),
            {"b2020": "firm,sales,costs\nA,1,2\nA,1,3\n"},
            "b2020.csv, row 3, columns 'firm, year': found 'A, 2020'; expected a key that no other record has; row 2 of b2020",
        ),
        (_table(file="b{year}"), {"b": "firm,sales,costs\n"}, "the file is missing; looked for b{year}.csv"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_where_it_stands(
    declared: RawTable, files: Mapping[str, str], found: str, tmp_path: Path
) -> None:
    """With the file, row and header in which it stands, before it was reshaped."""
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    with pytest.raises(ContractError, match=re.escape(found)):
        conform([declared], tmp_path)


def test_a_table_without_figures_keeps_its_rows(tmp_path: Path) -> None:
    """Also that of a firm which has no figure at all."""
    (tmp_path / "books.csv").write_text("firm,city,sales_2020,2020 costs\nA,Ulm,1,2\nB,Bonn,,\n")
    listing = RawTable(name="books", columns=(CODE, Column(name="city")), key=("firm",), reshape=WIDE)
    assert conform([listing], tmp_path).frames["books"].rows() == [("A", "Ulm"), ("B", "Bonn")]


def test_what_is_left_out_is_known_from_all_rows(tmp_path: Path) -> None:
    """A comment on a single figure may hold an address that prose repeats."""
    rows = "A,sales,1,\nA,costs,2,a@b.example\nA,staff,3,c@b.example\n"
    (tmp_path / "books.csv").write_text(f"firm,measure,2020,mail\n{rows}")
    table = replace(
        _table(NAMED), columns=(CODE, YEAR, Column(name="sales", type="integer")), ignored=("mail", "costs", "staff")
    )
    dropped = conform([table], tmp_path).dropped["books"]
    assert set(dropped[ALIKE]) == {"a@b.example", "c@b.example"}


def test_what_an_attribute_holds_that_is_surely_somebodys_is_known(tmp_path: Path) -> None:
    """An address, a number with its country, a number with check digits; not what may be a quantity, nor what is public."""
    rows = "A,a@b.example,+49 89 1234567,1 000-5 000,DE89370400440532013000,www.b.example/shop,x@y.example\n"
    (tmp_path / "firms.csv").write_text(f"firm,mail,phone,size,account,site,press\n{rows}")
    kept = (Column(name=name) for name in ("mail", "phone", "size", "account", "site"))
    columns = (CODE, *kept, Column(name="press", public="their own choice"))
    dropped = conform([RawTable(name="firms", columns=columns, key=("firm",))], tmp_path).dropped["firms"]
    assert set(dropped[ALIKE]) == {"a@b.example", "+49 89 1234567", "DE89370400440532013000", "www.b.example/shop"}


def test_blank_lines_and_notes_are_not_read() -> None:
    """Only where the declaration says so; a blank line within a file that says nothing of it is named."""
    dialect = CsvDialect(title_lines=1, foot=("Source:", "* "), totals=("",))
    table = RawTable(name="books", columns=(CODE, FIGURES[0]), key=("firm",), dialect=dialect)
    content = b"Books\nfirm,sales\nA,1\n\n  ,2\r\n\r\nB,3\n* estimated\nSource: X, Y, Z\n"
    source = source_of(content, table)
    assert source.text.rows() == [("A", "1"), ("  ", "2"), ("B", "3")]
    assert (source.totals, source.place(2, "sales").line) == (2, 7)
    with pytest.raises(ContractError, match=r"row 3.*expected 2"):
        source_of(content, replace(table, dialect=CsvDialect(title_lines=1, foot=("*",))))

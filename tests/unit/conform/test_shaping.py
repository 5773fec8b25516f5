"""Tables in wide format and files by period are read as the long tables of which they were made."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.conform import conform
from pipeline.model import Column, RawTable, Reshape

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


@settings(deadline=None, max_examples=40)
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
        made = {
            "wide": _wide,
            "long": _measures,
            "named": lambda each: _measures(each).pivot("year", index=["firm", "measure"]),
        }
        made[shape](frame).write_csv(folder / "books.csv")
    if shape in ("named", "long") and any(frame[each.name].null_count() == frame.height for each in FIGURES):
        return  # a figure that nobody has stands nowhere
    assert conform([declared], folder).frames["books"].equals(frame)

"""Formats: whatever a table holds is read back from every format, and what a release cannot have is refused."""

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow.parquet import write_table as write_parquet

from pipeline.errors import InputError
from pipeline.model import Column, Dialect, DocumentRows
from pipeline.parquet import ColumnError
from pipeline.publish.files import write_table
from pipeline.publish.formats import FORMATS, Format, WrittenAs, format_of, refuse_unsteady
from pipeline.publish.formats.document import DocumentFormat
from pipeline.release.settings import ReleaseSettings
from tests.json_lines import JsonLines
from tests.unit.publish.test_files import COLUMNS, cells, frame_of, keys, table


def rows_of(text: str) -> pl.DataFrame:
    """Read a document that has a list for each column."""
    columns = json.loads(text)
    return pl.DataFrame(columns, dict.fromkeys(columns, pl.String))


DOCUMENT = DocumentRows(row_key="id", rows=rows_of, text=lambda rows: json.dumps(rows.to_dict(as_series=False)))
EVERY = (*FORMATS.values(), JsonLines(), DocumentFormat(DOCUMENT))

TYPES = {
    "year": Column(name="year", type="integer"),
    "rate": Column(name="rate", type="float"),
    "day": Column(name="day", type="date", date_format="%d.%m.%Y"),
    "at": Column(name="at", type="timestamp", date_format="%Y-%m-%d %H:%M"),
}
YEARS = ("year", "rate", "day", "at", "note")
readable = st.tuples(
    st.none() | st.integers(-(10**17), 10**17).map(str),
    st.none() | st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.none() | st.dates().map(lambda day: f"{day.day}.{day.month:02}.{day.year:04}"),
    st.none() | st.datetimes().map(lambda at: f"{at.year:04}-{at.month:02}-{at.day:02} {at:%H:%M}"),
    cells,
)


@pytest.mark.parametrize("each", EVERY, ids=lambda each: each.name)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(blocks=st.lists(st.lists(st.tuples(keys, cells, cells), max_size=3), min_size=1, max_size=3))
def test_blocks_of_text_are_read_back_from_every_format(
    tmp_path: Path, each: Format, blocks: list[list[tuple[str | None, ...]]]
) -> None:
    """All of them, one column of them, their header and their number; null has the text of the dialect where there is one."""
    frames, file = [frame_of(COLUMNS, rows) for rows in blocks], tmp_path / f"t{each.suffix}"
    written = WrittenAs(dialect=Dialect(null="nothing") if each.has_dialects else Dialect())
    each.write(iter(frames), written, file)
    text = pl.concat(frames)
    assert each.read(file, written).equals(text)
    assert each.read(file, written, COLUMNS[1:2]).equals(text.select(COLUMNS[1]))
    assert (each.header(file), each.records(file)) == (text.columns, text.height)


@pytest.mark.parametrize("each", EVERY, ids=lambda each: each.name)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(readable, max_size=4), broken=st.none() | st.sampled_from(YEARS))
def test_numbers_and_times_have_the_same_values_in_every_format(
    tmp_path: Path, each: Format, rows: list[tuple[str | None, ...]], broken: str | None
) -> None:
    """Whatever their type is written as; a column with a cell that cannot be read so has all of its texts."""
    text, written = frame_of(YEARS, rows), WrittenAs(types=TYPES)
    text = text.with_columns(pl.lit("about 7").alias(broken)) if broken else text
    each.write([text], written, file := tmp_path / f"t{each.suffix}")
    read = each.read(file, written)
    assert read.schema == dict.fromkeys(YEARS, pl.String)
    assert written.typed(read).equals(written.typed(text))


def test_a_column_of_another_type_than_is_written_is_refused(tmp_path: Path) -> None:
    """Parquet names it: a year that is a text where all could be numbers, or one that stands there twice."""
    pl.DataFrame({"year": ["2023", None]}).write_parquet(file := tmp_path / "t.parquet")
    with pytest.raises(ColumnError, match="expected cells of the type Int64, not String"):
        FORMATS["parquet"].read(file, WrittenAs(types=TYPES))
    write_parquet(pa.table([[1], [2]], names=["year", "year"]), file)
    with pytest.raises(ColumnError, match="the column is there 2 times"):
        FORMATS["parquet"].read(file, WrittenAs(types=TYPES))


@pytest.mark.parametrize("each", EVERY, ids=lambda each: each.name)
def test_what_is_no_file_of_a_format_is_an_error_that_names_it(tmp_path: Path, each: Format) -> None:
    """And no traceback."""
    (file := tmp_path / f"t{each.suffix}").write_bytes(b'"PAR1\xff')
    with pytest.raises(InputError, match=file.name):
        each.read(file, WrittenAs())


def test_formats_that_a_release_cannot_have_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unknown ones, those whose bytes differ each time, and endings of no format."""

    class Unsteady(JsonLines):
        name, is_deterministic = "unsteady", False

    monkeypatch.setitem(FORMATS, "unsteady", Unsteady())
    with pytest.raises(InputError, match="'unsteady' have other bytes each time"):
        refuse_unsteady("unsteady")
    with pytest.raises(InputError, match="unknown format 'parket'; known: csv, parquet, unsteady; did you mean"):
        ReleaseSettings(version="1.0.0", formats=("csv", "parket"))
    with pytest.raises(InputError, match=r"unknown ending of the published table 't.xls' '.xls'; known: .csv"):
        format_of(replace(table("id"), path="t.xls"))


def test_a_dialect_that_a_format_has_not_is_refused(tmp_path: Path) -> None:
    """Where it is declared and where noise gives it, before anything is written."""
    declared = replace(table("id", quote="non_empty"), path="t.parquet")
    with pytest.raises(InputError, match="published table 't': found a dialect, which Parquet has not"):
        write_table(frame_of(("id",), [("1",)]), declared, tmp_path)
    assert not list(tmp_path.iterdir())
    write_table(frame_of(("id",), [("1",)]), replace(declared, dialect=Dialect()), tmp_path)

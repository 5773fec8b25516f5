"""Published files: tables read back as they were, by other readers, in both dialects; bad frames are refused."""

import csv
import hashlib
import io
from pathlib import Path
from typing import Literal

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.errors import InputError
from pipeline.model import Dialect, PublishedDocument, PublishedTable, Truth
from pipeline.publish.files import FileRecord, write_document, write_table

Quote = Literal["minimal", "non_empty"]


def rendered(_truth: Truth) -> pl.DataFrame:
    raise AssertionError


def table(*columns: str, quote: Quote = "minimal", folder: Literal["database", "ideal"] = "database") -> PublishedTable:
    return PublishedTable(
        path="enterprise/t.csv", columns=columns, needs=(), render=rendered, dialect=Dialect(quote), folder=folder
    )


def frame_of(columns: tuple[str, ...], rows: list[tuple[str | None, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


COLUMNS = ("id", 'a,"b"', "c\n甲")
cells = st.none() | st.text(st.characters(codec="utf-8") | st.sampled_from(',"\r\n\ufeff\0 \t'), min_size=1, max_size=6)
keys = st.text(st.characters(codec="utf-8"), min_size=1, max_size=3)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(keys, cells, cells), max_size=5), quote=st.sampled_from(["minimal", "non_empty"]))
def test_any_text_reads_back(tmp_path: Path, rows: list[tuple[str | None, ...]], quote: Quote) -> None:
    """Python's csv reader gets every cell back, and polars tells every null, in both dialects."""
    frame = frame_of(COLUMNS, rows)
    record = write_table(frame, table(*COLUMNS, quote=quote), tmp_path)
    content = (tmp_path / record.path).read_bytes()
    records = list(csv.reader(io.StringIO(content.decode(), newline="")))
    assert records == [list(COLUMNS), *([cell or "" for cell in row] for row in rows)]
    # Polars leaves doubled quotes in headers as they are.
    assert pl.read_csv(content, infer_schema=False, new_columns=COLUMNS).equals(frame)


def test_minimal_dialect_bytes(tmp_path: Path) -> None:
    """Minimal: quotes where they must be, line feeds, null as the empty field, no byte-order mark."""
    record = write_table(frame_of(("id", "v"), [("1", 'a,"b"'), ("2", None), ("3", "甲")]), table("id", "v"), tmp_path)
    assert (tmp_path / record.path).read_bytes() == 'id,v\n1,"a,""b"""\n2,\n3,甲\n'.encode()


def test_non_empty_dialect_bytes(tmp_path: Path) -> None:
    """Every field that is not empty is quoted, the header's too (reference section 1.3: policy_release_status)."""
    frame = frame_of(("id", "industryId", "targetName"), [("1", None, "发布政策数量")])
    record = write_table(frame, table(*frame.columns, quote="non_empty"), tmp_path)
    assert (tmp_path / record.path).read_bytes() == '"id","industryId","targetName"\n"1",,"发布政策数量"\n'.encode()


def test_record_describes_the_file(tmp_path: Path) -> None:
    """Path below the variant, bytes, records, columns and digest are those of the file."""
    record = write_table(frame_of(("id", "v"), [("1", "x\ny")]), table("id", "v", folder="ideal"), tmp_path)
    content = (tmp_path / "ideal/enterprise/t.csv").read_bytes()
    assert record == FileRecord(
        path="ideal/enterprise/t.csv",
        bytes=len(content),
        records=1,
        columns=2,
        sha256=hashlib.sha256(content).hexdigest(),
    )


@pytest.mark.parametrize(
    ("frame", "found"),
    [
        (pl.DataFrame({"id": ["1"], "w": ["2"]}), r"id \(String\), w \(String\)"),
        (pl.DataFrame({"v": ["1"], "id": ["2"]}), r"v \(String\), id \(String\)"),
        (pl.DataFrame({"id": ["1"], "v": [2]}), r"id \(String\), v \(Int64\)"),
    ],
)
def test_other_columns_are_refused(tmp_path: Path, frame: pl.DataFrame, found: str) -> None:
    """Other names, another order or numbers are an error that shows what was found and what is declared."""
    with pytest.raises(InputError, match=f"'t': the rendering gave the columns {found}; declared, all text: id, v"):
        write_table(frame, table("id", "v"), tmp_path)


def test_empty_text_is_refused(tmp_path: Path) -> None:
    """An empty text, which no reader can tell from null, is an error with its place."""
    with pytest.raises(InputError, match="'t', record 2, column 'v': found an empty text"):
        write_table(frame_of(("id", "v"), [("1", None), ("2", "")]), table("id", "v"), tmp_path)


def test_byte_order_mark_is_refused(tmp_path: Path) -> None:
    """A mark that readers would take off the first header is an error."""
    with pytest.raises(InputError, match="'t': the header begins with a byte-order mark"):
        write_table(frame_of(("\ufeffid",), [("1",)]), table("\ufeffid"), tmp_path)


def test_document_is_written_as_it_is(tmp_path: Path) -> None:
    """A document's bytes are its text in UTF-8, line ends untouched, and it has no counts."""
    document = PublishedDocument(path="names.json", needs=(), render=lambda _: "")
    record = write_document('{"甲": "a"}\r\n', document, tmp_path)
    content = (tmp_path / "database/names.json").read_bytes()
    assert content == '{"甲": "a"}\r\n'.encode()
    assert (record.path, record.bytes, record.records, record.columns) == (
        "database/names.json",
        len(content),
        None,
        None,
    )

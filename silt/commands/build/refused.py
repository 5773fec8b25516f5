"""What no step knows of a refused build, for the curator's files: how it was called, and where the raw tables hold a leak."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import polars as pl

from pipeline.conform.reading import read
from pipeline.conform.source import CellPlace, Source
from pipeline.errors import GateError, SiltError
from pipeline.model import RawTable
from pipeline.places import CURATOR
from pipeline.private import private_file
from pipeline.publish.publication import REFUSED
from pipeline.publish.refusal import FINDINGS
from validation.report.head.completed import completed

_PLACE = ("raw_file", "raw_row", "raw_column")


def complete(
    error: GateError, tables: Iterable[RawTable], *, folder: Path, raw: Path, build: str, stands: str
) -> list[str]:
    """Complete the findings and pages of a refused build, whose error names the page; return the raw places of the findings.

    A failure to do so hides no refusal.
    """
    rows = list[str]()
    if not error.report:
        return rows
    with suppress(SiltError, OSError):
        rows = _complete_findings(folder / CURATOR / REFUSED / FINDINGS, tables, raw)
        for page in sorted(Path(error.report).parent.rglob("*.html")):
            text = completed(page.read_text(encoding="utf-8"), build=build, raw_rows=rows, stands=stands)
            private_file(page).write_text(text, encoding="utf-8")
    return rows


def _complete_findings(file: Path, tables: Iterable[RawTable], raw: Path) -> list[str]:
    """Write beside each finding the first raw cell with its words; return these places in words, in the order of rows."""
    if not file.is_file():
        return []
    findings = pl.read_csv(file, infer_schema=False)
    sources = [source for table in tables if (source := read(table, raw)) is not None]
    cells = findings.filter(pl.col("column").fill_null("") != "").unique("written", keep="first", maintain_order=True)
    places = {row["written"]: _place(sources, row["written"], row["column"]) for row in cells.iter_rows(named=True)}
    found = [dict(zip(_PLACE, (at.file, str(at.row), at.column), strict=True)) if at else {} for at in places.values()]
    beside = pl.DataFrame(found or [{}], schema=dict.fromkeys(_PLACE, pl.String)).head(len(places))
    beside = beside.with_columns(written=pl.Series(list(places), dtype=pl.String))
    joined = findings.join(beside, on="written", how="left", maintain_order="left")
    first, others = ("file", "row", "column"), findings.columns[3:]
    private_file(file).write_bytes(joined.select(*first, *_PLACE, *others).write_csv().encode())
    known = sorted({(at.file, at.row, at.column) for at in places.values() if at})
    return [f"{file}, row {row}, column {column}" for file, row, column in known]


def _place(sources: Iterable[Source], text: str, column: str) -> CellPlace | None:
    """Return the first raw cell that holds a text, in a column of that name if one does."""
    found = sorted(_places(sources, text), key=lambda at: at.column != column)
    return found[0] if found else None


def _places(sources: Iterable[Source], text: str) -> Iterator[CellPlace]:
    """Yield the first cell of each raw column that holds a text."""
    for source in sources:
        for position, header in enumerate(source.headers):
            record = source.column(position).str.contains(text, literal=True).arg_max()
            if record is not None and text in (source.column(position)[record] or ""):
                yield source.place(record, header)

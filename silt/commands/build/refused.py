"""What no step knows of a refused build, for the curator's files: how it was called, and where the raw tables hold a leak."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
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
from validation.report.head.completed import TRIAL, completed

_PLACE = ("raw_file", "raw_row", "raw_column")


def complete(
    error: GateError, tables: Iterable[RawTable], *, folder: Path, raw: Path, build: str, trial: str, stands: str
) -> list[str]:
    """Complete the findings and pages of a refused build, whose error names the page; return the raw places of the findings.

    A failure to do so hides no refusal.
    """
    rows = list[str]()
    if trial:
        error.failing = {gate: why.replace(f"`{TRIAL}`", f"`{trial}`") for gate, why in error.failing.items()}
    if not error.report:
        return rows
    with suppress(SiltError, OSError):
        rows = _complete_findings(folder / CURATOR / REFUSED / FINDINGS, tables, raw)
        for page in sorted(Path(error.report).parent.rglob("*.html")):
            text = completed(page.read_text(encoding="utf-8"), build=build, trial=trial, raw_rows=rows, stands=stands)
            private_file(page).write_text(text, encoding="utf-8")
    return rows


def _complete_findings(file: Path, tables: Iterable[RawTable], raw: Path) -> list[str]:
    """Write beside each finding the raw cell that it comes from; return these places, the first of each column first."""
    if not file.is_file():
        return []
    findings = pl.read_csv(file, infer_schema=False)
    sources = [source for table in tables if (source := read(table, raw)) is not None]
    at_hand = _Places(sources)
    places = [at_hand.of(row) for row in findings.iter_rows(named=True)]
    found = [dict(zip(_PLACE, (at.file, str(at.row), at.column), strict=True)) if at else {} for at in places]
    beside = pl.DataFrame(found or [{}], schema=dict.fromkeys(_PLACE, pl.String)).head(len(places))
    first, others = findings.columns[:3], findings.columns[3:]
    private_file(file).write_bytes(findings.hstack(beside).select(*first, *_PLACE, *others).write_csv().encode())
    known = sorted({(at.file, at.column, at.row) for at in places if at})
    of_column = [(place, *at) for _, group in groupby(known, key=itemgetter(0, 1)) for place, at in enumerate(group)]
    return [f"{file}, row {row}, column {column}" for _, file, column, row in sorted(of_column)]


class _Places:
    """Finds raw cells."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._known: dict[str, list[CellPlace]] = {}

    def of(self, finding: Mapping[str, str | None]) -> CellPlace | None:
        """Return the raw cell that a finding comes from, which is none of a report's.

        It is the one of a column of that name with the same words around, or else the first with the words that were found: in
        a column of that name, and in a table called as the published one, if one has them there.
        """
        column, table = finding["column"], Path(finding["file"] or "").stem
        if not column:
            return None
        words = finding["written"] or ""
        around = (finding.get("before") or "") + words + (finding.get("after") or "")
        # Words around are those of one finding, of which there may be thousands: they are looked for where they should be.
        found = list(_places(self._sources, around, column=column)) or self._holding(words)
        return min(found, key=lambda at: (at.column != column, Path(at.file).stem != table), default=None)

    def _holding(self, text: str) -> list[CellPlace]:
        if text not in self._known:
            self._known[text] = list(_places(self._sources, text))
        return self._known[text]


def _places(sources: Iterable[Source], text: str, *, column: str = "") -> Iterator[CellPlace]:
    """Yield the first cell of each raw column that holds a text, or of each column of a name."""
    for source in sources:
        for position, header in enumerate(source.headers):
            if column not in {"", header}:
                continue
            record = source.column(position).str.contains(text, literal=True).arg_max()
            if record is not None and text in (source.column(position)[record] or ""):
                yield source.place(record, header)

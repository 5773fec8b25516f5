"""What no step knows of a refused build, for the curator's files: how it was called, and where the raw tables hold a leak."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path

import polars as pl

from pipeline.conform.reading import read
from pipeline.conform.source import CellPlace, Source
from pipeline.errors import GateError, SiltError
from pipeline.model import RawTable, Role
from pipeline.places import CURATOR
from pipeline.private import private_file
from pipeline.publish.publication import REFUSED
from pipeline.publish.refusal import EXEMPTIONS, FINDINGS
from validation.report.head.completed import TRIAL, RawPlaces, completed

_LISTING = (Role.NAME, Role.ALIAS, Role.CODE, Role.IDENTIFIER)

_PLACE = ("raw_file", "raw_row", "raw_column")


def complete(
    error: GateError,
    tables: Iterable[RawTable],
    *,
    folder: Path,
    raw: Path,
    build: str,
    trial: str,
    added: str = "",
    stands: str,
) -> list[str]:
    """Complete the findings and pages of a refused build, whose error names the page; return the raw places of the findings.

    A failure to do so hides no refusal.
    """
    raw_places = RawPlaces()
    if trial:
        error.failing = {gate: why.replace(f"`{TRIAL}`", f"`{trial}`") for gate, why in error.failing.items()}
    if not error.report:
        return []
    with suppress(SiltError, OSError):
        raw_places = _complete_findings(folder / CURATOR / REFUSED / FINDINGS, tables, raw)
        for page in sorted(Path(error.report).parent.rglob("*.html")):
            text = page.read_text(encoding="utf-8")
            text = completed(text, build=build, trial=trial, added=added, raw=raw_places, stands=stands)
            private_file(page).write_text(text, encoding="utf-8")
    return list(raw_places.found)


def _complete_findings(file: Path, tables: Iterable[RawTable], raw: Path) -> RawPlaces:
    """Write beside each finding the raw cell that it comes from, and that which lists the name or code; return these places."""
    if not file.is_file():
        return RawPlaces()
    findings = pl.read_csv(file, infer_schema=False)
    sources = [source for table in tables if (source := read(table, raw)) is not None]
    at_hand = _Places(sources)
    places = [at_hand.of(row) for row in findings.iter_rows(named=True)]
    found = [dict(zip(_PLACE, (at.file, str(at.row), at.column), strict=True)) if at else {} for at in places]
    beside = pl.DataFrame(found or [{}], schema=dict.fromkeys(_PLACE, pl.String)).head(len(places))
    at = {token: _listed(sources, token) for token in findings["token"].unique().drop_nulls() if token}
    in_words = [_said(place) if (place := at.get(token)) else "" for token in findings["token"]]
    listed = beside.with_columns(listed_in=pl.Series(in_words, dtype=pl.String))
    first, others = findings.columns[:3], findings.columns[3:]
    every = findings.hstack(listed).select(*first, *_PLACE, *others, "listed_in")
    private_file(file).write_bytes(every.write_csv().encode())
    has_proposals = file.with_name(EXEMPTIONS).is_file()
    known = {place: listing for place, listing in zip(places, in_words, strict=True) if place}
    return RawPlaces(found=_in_words(known), has_proposals=has_proposals)


def _in_words(known: Mapping[CellPlace, str]) -> list[str]:
    """Return places in words, the first of each column first, each with the cell that lists its name or code, if one does."""
    by_column = groupby(sorted(known, key=attrgetter("file", "column", "row")), key=attrgetter("file", "column"))
    ordered = [(place, at) for _, group in by_column for place, at in enumerate(group)]
    listed = {at: f" (listed in {known[at]})" if known[at] not in ("", _said(at)) else "" for at in known}
    return [f"{_said(at)}{listed[at]}" for _, at in sorted(ordered, key=itemgetter(0))]


def _said(at: CellPlace) -> str:
    return f"{at.file}, row {at.row}, column {at.column}"


def _listed(sources: Iterable[Source], token: str) -> CellPlace | None:
    """Return the first raw cell that is a name or code, and no more; None for what prose says, or is part of a name."""
    for source in sources:
        for column in source.table.of_role(*_LISTING):
            if token and column.name in source.headers:
                is_it = source.column(source.headers.index(column.name)).str.strip_chars() == token
                if is_it.any():
                    return source.place(is_it.arg_max() or 0, column.name)
    return None


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

"""What no step knows of a refused build, for the curator's files: how it was called, and where the raw tables hold a leak."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from operator import attrgetter, itemgetter
from os.path import relpath
from pathlib import Path
from typing import NamedTuple

import polars as pl

from anonymize.keys.identity_map import unseal
from pipeline.conform.reading import read
from pipeline.conform.source import CellPlace, Source
from pipeline.errors import GateError, SiltError
from pipeline.keyed import Key
from pipeline.model import RawTable, Role
from pipeline.model.plain_codes import plain_code
from pipeline.places import CURATOR
from pipeline.private import private_file
from pipeline.publish.publication import REFUSED, WOULD_BE_PUBLISHED
from pipeline.publish.refusal import EXEMPTIONS, FINDINGS
from pipeline.publish.variant import IDENTITY_MAP
from validation.escapes.documents import TextDocument
from validation.report.head.completed import TRIAL, RawPlaces, completed

_LISTING = (Role.NAME, Role.ALIAS, Role.CODE, Role.IDENTIFIER)

_PLACE = ("raw_file", "raw_row", "raw_column")


def complete(
    error: GateError,
    tables: Iterable[RawTable],
    *,
    registers: Collection[str],
    folder: Path,
    variant: str,
    raw: Path,
    key: Key,
    trial: str,
    **words: str,
) -> list[str]:
    """Complete the findings and pages of a refused build, whose error names the page; return the raw places of the findings.

    A failure to do so hides no refusal.

    Args:
        registers: Tables that list entities, by name: what several tables hold is listed there.
        variant: The one that was searched.
        key: The release key, which opens the identity map of the refused variant.
        trial: The command that tries budgets; this and the other words are as `completed` takes them.
    """
    raw_places = RawPlaces()
    if trial:
        error.failing = {gate: why.replace(f"`{TRIAL}`", f"`{trial}`") for gate, why in error.failing.items()}
    if not error.report:
        return []
    with suppress(SiltError, OSError):
        file = folder / CURATOR / REFUSED / FINDINGS
        kept = Path(error.report).parent.parent
        public = kept if kept.name == WOULD_BE_PUBLISHED else kept / variant / WOULD_BE_PUBLISHED
        if file.is_file():
            sources = [source for table in tables if (source := read(table, raw)) is not None]
            known = unseal((public.parent / CURATOR / IDENTITY_MAP).read_bytes(), key)
            registered = sorted(sources, key=lambda source: source.table.name not in registers)
            raw_places = _complete_findings(file, registered, _Places(sources, public, known))
        for page in sorted(Path(error.report).parent.rglob("*.html")):
            text = page.read_text(encoding="utf-8")
            text = completed(text, trial=trial, raw=raw_places, **words)
            for name in (FINDINGS, EXEMPTIONS):
                text = text.replace(f'"../../../{name}"', f'"{relpath(file.with_name(name), page.parent)}"')
            private_file(page).write_text(text, encoding="utf-8")
    return list(raw_places.found)


def _complete_findings(file: Path, registered: Sequence[Source], at_hand: "_Places") -> RawPlaces:
    """Write beside each finding the raw cell that it comes from, and that which lists the name or code; return these places."""
    findings = pl.read_csv(file, infer_schema=False)
    places = [at_hand.of(row) for row in findings.iter_rows(named=True)]
    found = [dict(zip(_PLACE, (at.file, str(at.row), at.column), strict=True)) if at else {} for at in places]
    beside = pl.DataFrame(found or [{}], schema=dict.fromkeys(_PLACE, pl.String)).head(len(places))
    at = {token: _listed(registered, token) for token in findings["token"].unique().drop_nulls() if token}
    in_words = [_said(place) if (place := at.get(token)) else "" for token in findings["token"]]
    listed = beside.with_columns(listed_in=pl.Series(in_words, dtype=pl.String))
    first, others = findings.columns[:3], findings.columns[3:]
    every = findings.hstack(listed).select(*first, *_PLACE, *others, "listed_in")
    private_file(file).write_bytes(every.write_csv().encode())
    has_proposals = file.with_name(EXEMPTIONS).is_file()
    known: dict[CellPlace, tuple[str, str]] = {}
    for place, listing, row in zip(places, in_words, findings.iter_rows(named=True), strict=True):
        if place:
            known.setdefault(place, ("{file}, row {row}, column {column}".format(**row), listing))
    return RawPlaces(found=_in_words(known), has_proposals=has_proposals)


def _in_words(known: Mapping[CellPlace, tuple[str, str]]) -> list[str]:
    """Return pairs in words, the first of each column first: a raw cell, its published row, and the cell that lists it."""
    by_column = groupby(sorted(known, key=attrgetter("file", "column", "row")), key=attrgetter("file", "column"))
    ordered = [(place, at) for _, group in by_column for place, at in enumerate(group)]
    listed = {at: f" (listed in {of})" if of not in ("", _said(at)) else "" for at, (_, of) in known.items()}
    return [f"{_said(at)}: published in {known[at][0]}{listed[at]}" for _, at in sorted(ordered, key=itemgetter(0))]


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


class _Held(NamedTuple):
    """Cells of a raw column that hold a text: their records, counted from 0, and the text of these."""

    source: Source
    column: str
    records: pl.Series
    text: pl.DataFrame

    @property
    def names(self) -> set[str]:
        """Return what a published table may be called that has these cells."""
        return {self.source.table.name, Path(self.source.place(self.records[0], self.column).file).stem}


class _Places:
    """Finds raw cells. Of cells with one text, a published row has that of its own entity, and rows that are alike one each."""

    def __init__(self, sources: Sequence[Source], public: Path, known: pl.DataFrame) -> None:
        """Take raw tables, the folder of the refused variant, and its identity map."""
        self._sources = sources
        self._public = public
        self._originals = known.group_by(plain_code(pl.col("pseudonym"))).agg("original")
        self._held: dict[tuple[str, str], list[_Held]] = {}
        self._tables: dict[str, pl.DataFrame] = {}
        self._taken: set[CellPlace] = set()

    def of(self, finding: Mapping[str, str | None]) -> CellPlace | None:
        """Return the raw cell that a finding comes from, which is none of a report's.

        It is one of a column of that name with the same words around, or else of any with the words that were found: in a
        column of that name, and in a table called as the published one, if one has them there.
        """
        column, file = finding["column"], finding["file"] or ""
        if not column:
            return None
        words = finding["written"] or ""
        around = (finding.get("before") or "") + words + (finding.get("after") or "")
        held = self._holding(around, column) or self._holding(words)
        if not held:
            return None
        published, table = self._published(file, int(finding["row"] or 0)), Path(file).stem
        ranked = [(each.column != column, table not in each.names, *_nearest(each, published), each) for each in held]
        *_, records, of = min(ranked, key=itemgetter(0, 1, 2))
        places = [of.source.place(record, of.column) for record in records]
        place = next((at for at in places if at not in self._taken), places[0])
        self._taken.add(place)
        return place

    def _published(self, file: str, row: int) -> tuple[pl.Series, pl.Series]:
        """Return the cells of a published row, and the originals of all that are pseudonyms."""
        if file not in self._tables:
            path = self._public / file
            self._tables[file] = TextDocument(file, path).table() if path.is_file() else pl.DataFrame()
        table = self._tables[file]
        cells = pl.Series("cell", table.row(row - 1) if 0 < row <= table.height else (), dtype=pl.String).drop_nulls()
        plain = cells.to_frame().select(pseudonym=plain_code(pl.col("cell")))
        return cells, plain.join(self._originals, on="pseudonym")["original"].explode()

    def _holding(self, text: str, column: str = "") -> list[_Held]:
        """Return the cells of each raw column that hold a text, or of each column of a name."""
        if (text, column) not in self._held:
            self._held[text, column] = list(_holding(self._sources, text, column))
        return self._held[text, column]


def _holding(sources: Iterable[Source], text: str, column: str) -> Iterator[_Held]:
    for source in sources:
        for position, header in enumerate(source.headers):
            if column in {"", header}:
                records = source.column(position).str.contains(text, literal=True).arg_true()
                if len(records):
                    yield _Held(source, header, records, source.text[records])


def _nearest(held: _Held, published: tuple[pl.Series, pl.Series]) -> tuple[int, list[int]]:
    """Return how unlike a published row the likest records are, and these: an entity weighs more than all other cells."""
    same, whose = (pl.sum_horizontal(pl.all().str.strip_chars().is_in(each.implode())) for each in published)
    alike = held.text.select((same + whose * (held.text.width + 1)).cast(pl.Int64)).to_series()
    most = int(alike.item(alike.arg_max() or 0))
    return -most, held.records.filter(alike == most).to_list()

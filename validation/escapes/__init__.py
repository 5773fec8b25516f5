"""The escape scan: does anything that identifies a company stand anywhere in a variant's files? It never repairs.

    identifiers.py    the tokens that identify a company
    documents.py      what is searched: files, texts and names, also with escapes and markup undone
    literal.py        finds tokens as they are written, in every byte
    loose.py          finds what the finder of prose finds (`anonymize/mentions`), in every cell and line
    code_columns.py   finds tokens of any length, alone in the cells of columns that hold codes
    findings.py       findings for the curator: which token, where, and the words around it
    exemptions.py     which findings are exempted, and what answers the others
    patterns.py       many patterns at once, in long data
    before_noise.py   finds what noise hides in a table while reports still show it
    files.py          the search of one file, which needs no other, and its result, which can be kept
    scan.py           the search of one staged variant, and its result; scan_set.py searches an ablation's variants together

Each of them says what it leaves out because it would be a false alarm: a gate with many false alarms is switched off. The
content of compressed files is not searched; a variant has none. An `Escape` never holds the text that escaped.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.errors import WITHHELD
from validation.escapes.documents import TextDocument, documents_of
from validation.escapes.files import File, FileFindings, Place, SearchFiles, SearchTerms, search_files
from validation.escapes.findings import SCHEMA
from validation.escapes.identifiers import Identifiers

__all__ = ["BEFORE_NOISE", "Escape", "Found", "Identifiers", "documents_of", "find_escapes_in_texts", "merged"]


BEFORE_NOISE = " (before noise)"
"""What findings write after the path of a table's file as it was before noise."""


@dataclass(frozen=True, order=True)
class Escape:
    """One kind of identifier found in one column of one file; the value itself is withheld.

    `row` is the first record in a CSV file (the header is row 1), the first line in any other file, and 0 for the
    file's name or a match that spans lines; `rows` is the number of rows. `column` is empty if it is unknown.
    """

    file: str
    row: int
    column: str
    kind: str
    rows: int

    @property
    def published(self) -> str:
        """Return the path of the published file, also where a table before noise is meant."""
        return self.file.removesuffix(BEFORE_NOISE)


@dataclass(frozen=True, repr=False)
class Found:
    """The findings of several files, for the curator alone: unlike an `Escape` they hold the text that escaped."""

    files: Mapping[str, FileFindings]
    """By path; only of files in which something was found."""
    paths: Mapping[str, FileFindings]
    """What was found in the paths themselves."""
    withheld: Collection[str]
    """Names of files, folders and columns that identify a company."""

    def __bool__(self) -> bool:
        return bool(self.files or self.paths)

    def escapes(self, *, without: pl.DataFrame | None = None) -> tuple[Escape, ...]:
        """Return the escapes, sorted by file and row, without places where everything that was found is exempted."""
        exempted = {} if without is None else dict(_rows_by_place(without))
        return tuple(sorted(_escapes(self._places(), self.withheld, exempted)))

    def findings(self) -> pl.DataFrame:
        """Return each token where it stands, with the words around it (`findings.SCHEMA`)."""
        tables = [found.table(path) for path, found in (*self.files.items(), *self.paths.items())]
        return pl.concat([SCHEMA.to_frame(), *tables]).unique().sort(*SCHEMA.names())

    def _places(self) -> Iterator[tuple[str, Place]]:
        """Yield each place with its path; what is found in a path itself has no row."""
        for path, found in self.files.items():
            yield from ((path, place) for place in found.places)
        for path, found in self.paths.items():
            yield from ((path, place._replace(rows=(0,))) for place in found.places)


def find_escapes_in_texts(texts: Mapping[str, str], identifiers: Identifiers) -> tuple[Escape, ...]:
    """Search texts that are no published files, such as logs and metadata; an escape's `file` is the text's name."""
    return merged(
        [File(TextDocument(name, text)) for name, text in texts.items()], SearchTerms.of(identifiers)
    ).escapes()


def merged(files: Sequence[File], terms: SearchTerms, searched: SearchFiles = search_files) -> Found:
    """Search files, and the names of files, folders and of the columns in which something is found."""
    by_path = {file.document.name: found for file, found in zip(files, searched(files, terms), strict=True)}
    names = {part for path in by_path for part in (path, *path.split("/"))}
    columns = {place.column for found in by_path.values() for place in found.places} - names - {""}
    of_names = [File(TextDocument(name, name, is_name=True)) for name in sorted(names | columns)]
    searched_names = zip(of_names, search_files(of_names, terms), strict=True)
    withheld = {file.document.name: found for file, found in searched_names if found}
    return Found(
        {path: found for path, found in by_path.items() if found},
        {path: found for path, found in withheld.items() if path in by_path},
        frozenset(withheld),
    )


_Place = tuple[str, str, str]
"""File, column and kind."""


def _escapes(
    places: Iterable[tuple[str, Place]], withheld: Collection[str], exempted: Mapping[_Place, pl.Series]
) -> Iterator[Escape]:
    """Combine what several searches found in one place."""
    rows: dict[tuple[_Place, bool], list[pl.Series]] = defaultdict(list)
    for path, place in places:
        rows[(path, place.column, place.kind), place.rows[0] > 0].append(pl.Series(place.rows, dtype=pl.Int64))
    for (place_of, _), found in rows.items():
        distinct = pl.concat(found).unique().sort()
        left = distinct.filter(~distinct.is_in(exempted.get(place_of, _NO_ROW.clear()).implode()))
        path, column, kind = place_of
        if len(left):
            yield Escape(_shown(path, withheld), int(left[0]), _shown(column, withheld), kind, len(left))


_NO_ROW = pl.Series([0], dtype=pl.Int64)


def _rows_by_place(findings: pl.DataFrame) -> Iterator[tuple[_Place, pl.Series]]:
    for (file, column, kind), of_place in findings.group_by("file", "column", "kind"):
        yield (str(file), str(column), str(kind)), of_place["row"].unique()


def _shown(path: str, withheld: Collection[str]) -> str:
    """Return a path or the name of a column without the parts that identify a company."""
    parts = [WITHHELD if part in withheld else part for part in path.split("/")]
    return WITHHELD if path in withheld and WITHHELD not in parts else "/".join(parts)

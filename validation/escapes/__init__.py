"""The escape scan: does anything that identifies a company stand anywhere in a variant's files? It never repairs.

    identifiers.py    the tokens that identify a company
    documents.py      what is searched: files, texts and names, also with escapes and markup undone
    literal.py        finds tokens as they are written, in every byte
    loose.py          finds what the finder of prose finds (`anonymize/mentions`), in every cell and line
    code_columns.py   finds tokens of any length, alone in the cells of columns that hold codes
    findings.py       findings for the curator: which token, where, and the words around it
    exemptions.py     which findings are exempted
    distinct.py       the distinct lines of many versions of a file; scan_set.py searches an ablation's variants by them
    scan.py           the search of one staged variant, and its result

Each of them says what it leaves out because it would be a false alarm: a gate with many false alarms is switched off. The
content of compressed files is not searched; a variant has none. An `Escape` never holds the text that escaped.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipeline.errors import WITHHELD
from validation.escapes.code_columns import search_code_columns
from validation.escapes.documents import Document, Hit
from validation.escapes.findings import findings
from validation.escapes.identifiers import Identifiers
from validation.escapes.literal import search_literally
from validation.escapes.loose import search_loosely

__all__ = ["Escape", "Found", "Identifiers", "documents_of", "find_escapes_in_texts", "search"]


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


@dataclass(frozen=True, repr=False)
class Found:
    """The result of a search, for the curator alone: unlike an `Escape` it holds the text that escaped."""

    identifiers: Identifiers
    hits: tuple[Hit, ...]
    in_code_columns: tuple[Hit, ...]
    withheld: frozenset[str]
    """Names of files, folders and columns that identify a company."""

    def __bool__(self) -> bool:
        """Say whether anything was found."""
        return bool(self.hits or self.in_code_columns)

    def escapes(self, *, without: pl.DataFrame | None = None) -> tuple[Escape, ...]:
        """Return the escapes, sorted by file and row, without places where everything that was found is exempted."""
        exempted = {} if without is None else dict(_rows_by_place(without))
        return tuple(sorted(_escapes([*self.hits, *self.in_code_columns], self.withheld, exempted)))

    def findings(self) -> pl.DataFrame:
        """Return each token where it stands, with the words around it (`findings.SCHEMA`)."""
        return findings(self.hits, self.in_code_columns, self.identifiers)


def search(
    folder: Path,
    identifiers: Identifiers,
    *,
    code_columns: Mapping[str, tuple[str, ...]],
    relaid: Mapping[str, str] | None = None,
) -> Found:
    """Search all files below `folder`.

    Args:
        folder: The folder to search.
        identifiers: What must not be there.
        code_columns: Columns of codes by path below `folder`; an absent path is skipped, because files may be left out of a
            variant.
        relaid: CSV text by path. It is searched for codes instead of the file, if noise changed the file's columns of codes.

    Raises:
        InputError: A file lacks one of its code columns.
    """
    return _find(documents_of(folder), identifiers, code_columns, relaid or {})


def find_escapes_in_texts(texts: Mapping[str, str], identifiers: Identifiers) -> tuple[Escape, ...]:
    """Search texts that are no published files, such as logs and metadata; an escape's `file` is the text's name."""
    return _find([Document(name, text) for name, text in texts.items()], identifiers, {}, {}).escapes()


def documents_of(folder: Path) -> list[Document]:
    """Return all files below a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [Document(path.relative_to(folder).as_posix(), path) for path in files]


def _find(
    documents: list[Document],
    identifiers: Identifiers,
    code_columns: Mapping[str, tuple[str, ...]],
    relaid: Mapping[str, str],
) -> Found:
    names = {part for document in documents for part in (document.name, *document.name.split("/"))}
    hits = _search([*documents, *_of_names(names)], identifiers)
    in_columns = [Document(one.name, relaid.get(one.name, one.source)) for one in documents]
    code_hits = search_code_columns(in_columns, code_columns, identifiers)
    columns = {hit.column for hit in (*hits, *code_hits)} - names - {""}
    hits += _search(_of_names(columns), identifiers) if columns else []
    withheld = frozenset(hit.document.name for hit in hits if hit.document.is_name)
    paths = {document.name for document in documents}
    return Found(identifiers, tuple(hit for hit in hits if hit.document.name in paths), tuple(code_hits), withheld)


def _of_names(names: Collection[str]) -> list[Document]:
    return [Document(name, name, is_name=True) for name in sorted(names)]


def _search(documents: list[Document], identifiers: Identifiers) -> list[Hit]:
    """Search in both ways at once: most time of either is spent outside of Python's lock."""
    with ThreadPoolExecutor(2) as threads:
        loosely = threads.submit(lambda: list(search_loosely(documents, identifiers)))
        literally = threads.submit(lambda: list(search_literally(documents, identifiers)))
        return [*literally.result(), *loosely.result()]


_Place = tuple[str, str, str]
"""File, column and kind."""


def _escapes(hits: Iterable[Hit], withheld: Collection[str], exempted: Mapping[_Place, pl.Series]) -> Iterator[Escape]:
    """Combine the hits of several searches in one place; a name's hits have no row."""
    rows: dict[tuple[_Place, bool], list[pl.Series]] = defaultdict(list)
    for hit in hits:
        has_rows = not hit.document.is_name and hit.rows[0] > 0
        rows[(hit.document.name, hit.column, hit.kind), has_rows].append(hit.rows if has_rows else _NO_ROW)
    for (place, _), found in rows.items():
        distinct = pl.concat(found).unique().sort()
        left = distinct.filter(~distinct.is_in(exempted.get(place, _NO_ROW.clear()).implode()))
        path, column, kind = place
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

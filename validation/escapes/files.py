"""The search of one file, and its result: small and of plain values, so that it can be kept while the file stays as it is.

What is found in a file depends on its content, on what is searched for, and on which of its columns hold codes. Names of files,
and what several files have to do with each other, belong to `__init__.py`.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Self

import polars as pl

from validation.escapes.code_columns import plain_tokens, search_code_columns, stand_in
from validation.escapes.documents import BLOCK_BYTES, BROKEN, Hit, TextDocument, lettered
from validation.escapes.findings import SCHEMA, findings
from validation.escapes.identifiers import Identifiers, PackedValue
from validation.escapes.literal import Forms, forms_of, has_more_than_cells, in_bytes, in_cells, search_literally
from validation.escapes.loose import Finders, finders_of, search_loosely, stands_in

BATCH_BYTES = 64 * 2**20
"""Of the files whose texts are in memory at a time."""


class Place(NamedTuple):
    """Where tokens of one kind stand in a file."""

    column: str
    kind: str
    rows: tuple[int, ...]
    """Records or lines, counted from 1; 0 if unknown."""


@dataclass(frozen=True, repr=False)
class FileFindings:
    """What was found in a file, whatever its name; for the curator alone."""

    places: tuple[Place, ...] = ()
    rows: tuple[tuple[str | int | None, ...], ...] = ()
    """Each token where it stands, as in `findings.SCHEMA` without the file."""

    def __bool__(self) -> bool:
        return bool(self.places)

    def table(self, file: str) -> pl.DataFrame:
        """Return each token where it stands (`findings.SCHEMA`), under the file's name."""
        schema = {name: dtype for name, dtype in SCHEMA.items() if name != "file"}
        return pl.DataFrame(self.rows, schema, orient="row").with_columns(file=pl.lit(file)).select(SCHEMA.names())


@dataclass(frozen=True)
class File:
    """A file, or a text that is in none, and how its codes are to be searched."""

    document: TextDocument
    code_columns: tuple[str, ...] = ()
    relaid: str | None = None
    """CSV text that is searched for codes instead of the file, if noise changed the file's columns of codes."""

    def key(self) -> str:
        """Return a digest of all that its findings depend on, besides what is searched for and the code that searches."""
        depends = (
            self.document.digest,
            self.document.is_table,
            self.document.is_name,
            self.code_columns,
            self.relaid,
        )
        return hashlib.sha256(repr(depends).encode()).hexdigest()


class SearchTerms(NamedTuple):
    """What is searched for, prepared for each search."""

    identifiers: PackedValue[Identifiers]
    """What is listed; it is asked for where something is found."""
    forms: Forms
    finders: Finders
    plain: Mapping[str, pl.Series]

    @classmethod
    def of(cls, identifiers: Identifiers) -> Self:
        """Prepare identifiers, which takes longer than most searches."""
        return cls(
            PackedValue.of(identifiers), forms_of(identifiers), finders_of(identifiers), plain_tokens(identifiers)
        )


SearchFiles = Callable[[Sequence[File], SearchTerms], Sequence[FileFindings]]
"""Searches files, or knows what was found in them; the findings of each are in the order of the files."""


def search_files(files: Sequence[File], terms: SearchTerms) -> list[FileFindings]:
    """Search files; what is found in one does not depend on the others, but together they are searched faster.

    Raises:
        InputError: A file lacks one of its code columns.
    """
    holds_nothing = [_holds_nothing(fresh(file), terms) for file in files]
    left = [file for file, is_done in zip(files, holds_nothing, strict=True) if not is_done]
    found = (
        findings
        for batch in batches(left, least=BATCH_BYTES)
        for findings in _search_together(list(map(fresh, batch)), terms)
    )
    return [FileFindings() if is_done else next(found) for is_done in holds_nothing]


def _holds_nothing(file: File, terms: SearchTerms) -> bool:
    """Say whether it is certain that nothing stands in a long table, block by block; if not, it is searched as a whole."""
    document = file.document
    if not document.is_table or document.size <= BLOCK_BYTES or file.relaid is not None:
        return False
    has_more = has_more_than_cells(document, terms.forms)
    try:
        header = document.cells().first().collect().row(0)
        codes = [header.index(column) for column in file.code_columns if column in header]
        return (
            len(codes) == len(file.code_columns)
            and not (has_more and any(in_bytes(document, terms.forms)))
            and not any(
                (not has_more and any(in_cells(columns, terms.forms)))
                or stands_in(columns, terms.finders)
                or any(stand_in(block.to_series(place), terms.plain) for place in codes)
                for block in document.blocks()
                for columns in [lettered(block.lazy())]
            )
        )
    except BROKEN:
        return False


def stands_across(file: Path, place: int, terms: SearchTerms) -> bool:
    """Say whether anything may stand across a place in a file, given in bytes, as where one of its parts ends."""
    first = max(place - terms.forms.overlap, 0)
    with file.open("rb") as content:
        content.seek(first)
        around = content.read(place + terms.forms.overlap - first)
    return any(in_bytes(TextDocument(file.name, around.decode(errors="replace")), terms.forms))


def fresh(file: File) -> File:
    """Return the same file, with nothing of it in memory yet."""
    return replace(file, document=replace(file.document))


def _search_together(files: Sequence[File], terms: SearchTerms) -> Iterator[FileFindings]:
    loosely: dict[TextDocument, list[Hit]] = defaultdict(list)
    for hit in search_loosely(dict.fromkeys(file.document for file in files), terms.finders):
        loosely[hit.document].append(hit)
    for file in files:
        hits = [*search_literally(file.document, terms.forms), *loosely[file.document]]
        yield _findings(hits, list(_in_codes(file, terms)), terms)


def _in_codes(file: File, terms: SearchTerms) -> Iterator[Hit]:
    if file.code_columns:
        document = TextDocument(file.document.name, file.document.source if file.relaid is None else file.relaid)
        yield from search_code_columns(document, file.code_columns, terms.plain)


def _findings(hits: Sequence[Hit], in_codes: Sequence[Hit], terms: SearchTerms) -> FileFindings:
    if not (hits or in_codes):
        return FileFindings()
    places = sorted({Place(hit.column, hit.kind, tuple(hit.rows)) for hit in (*hits, *in_codes)})
    return FileFindings(
        tuple(places), tuple(findings(hits, in_codes, terms.identifiers.value, terms.finders).drop("file").rows())
    )


def batches(files: Iterable[File], *, least: int) -> Iterator[list[File]]:
    """Divide files into batches of at least so many bytes; the last may be smaller."""
    batch: list[File] = []
    for file in files:
        batch.append(file)
        if sum(one.document.size for one in batch) >= least:
            yield batch
            batch = []
    if batch:
        yield batch


def each_once(search: SearchFiles = search_files) -> SearchFiles:
    """Return a search to which files of the same content are given once, however often it is used."""
    known: dict[str, FileFindings] = {}

    def searched(files: Sequence[File], terms: SearchTerms) -> list[FileFindings]:
        keys = [file.key() for file in files]
        new = {key: file for key, file in reversed([*zip(keys, files, strict=True)]) if key not in known}
        known.update(zip(new, search(list(new.values()), terms), strict=True))
        return [known[key] for key in keys]

    return searched

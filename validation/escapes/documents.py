"""The input of the escape scan: files, texts and names, also with escapes and markup undone.

What is searched for, and how, belongs to the searches.
"""

import codecs
import hashlib
import html
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from io import BufferedReader
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import polars as pl
from polars.exceptions import ComputeError, NoDataError, SchemaError

from anonymize.mentions.finding import LONGEST_GAP
from pipeline.publish.files import read_undeclared
from pipeline.publish.formats import format_of_path
from pipeline.publish.formats.csv import Csv

BROKEN = (ComputeError, NoDataError, SchemaError)
"""Exceptions from reading a file that is no CSV as one."""

LETTER = r"[A-Za-z]|[^\x00-\x7f]"
"""Regular expression of what counts as a letter: all that is not ASCII may be one."""

ENCODED = r"\\+[\"/nrtu]|%[0-9a-fA-F]{2}|&#?[0-9A-Za-z]+;|<[^<>]*>"
"""Regular expression of the escapes and markup that `readings` undoes."""

_ESCAPING_LINE = re.compile(r"^.*?[\\%&].*", re.MULTILINE)

_INLINE = re.compile(
    r"</?(?:a|abbr|b|bdi|bdo|big|cite|code|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var"
    r"|wbr)(?:\s[^<>\n]*)?/?>",
    re.IGNORECASE,
)
"""Tags of HTML's text-level elements, and of those that are obsolete."""


_NO_DATA = re.compile(
    r"<style>.*?</style>|<script>.*?</script>"
    r"|(?<=\s)(?:class|style|d|points|transform|viewBox|width|height|[xy][12]?|c[xy]|r[xy]?|fill|stroke[a-z-]*|font-[a-z]+"
    r"|opacity|text-anchor|dominant-baseline|offset|colspan|rowspan|tabindex)=\"[^\"<>]*\"(?=[^<>]*>)",
    re.DOTALL,
)
"""What shows no data in a page: style sheets, our scripts (data has a type of its own), class names, geometry of charts."""

_PARAMETER = re.compile(r"\"(?:alpha|beta|delta|epsilon|power|rho|sigma)\":(?= -?\d)")
"""What reports in JSON call numbers of statistics: fields of ours."""

_BESIDE = re.compile(r"(?<!\\)\",(?=\s*\")")
_APART = '",' + " " * LONGEST_GAP
"""Texts beside each other in a list of JSON, and what is put between them: like cells, they are not one text."""

BLOCK_BYTES = 16 * 2**20
"""Bytes of a long table that are read at a time (our choice: they take 150 MB while they are searched)."""


@dataclass(frozen=True)
class TextDocument:
    """A file (a path), or a text that is in none."""

    name: str
    """Path below the searched folder, or the name of the text."""
    source: Path | str
    is_name: bool = False
    """Whether the text is the name of a file, folder or column."""

    @property
    def is_table(self) -> bool:
        """Return whether it is a file of records."""
        return isinstance(self.source, Path) and format_of_path(self.source.name) is not None

    @cached_property
    def csv(self) -> Path | bytes:
        """Return a table as CSV: the file, or what is read back of one in another format."""
        assert isinstance(self.source, Path)  # noqa: S101  (it is a table)
        if self.source.suffix == Csv.suffix:
            return self.source
        return read_undeclared(self.source).write_csv().encode()

    @cached_property
    def readings(self) -> tuple[str, ...]:
        """Return all of it as it is and, if that differs, with its escapes and its markup undone."""
        return readings(self.text())

    @cached_property
    def columns(self) -> tuple[pl.Series, ...] | None:
        """Return the distinct cells with a letter of each column of a table; None for any other document or a broken one."""
        try:
            return lettered(self.cells()) if self.is_table else None
        except BROKEN:
            return None

    @property
    def size(self) -> int:
        """Return how many bytes or characters it has."""
        return self.source.stat().st_size if isinstance(self.source, Path) else len(self.source)

    @cached_property
    def digest(self) -> str:
        """Return the SHA-256 of its bytes in hexadecimal."""
        with self.open() as content:
            return hashlib.file_digest(content, "sha256").hexdigest()

    def open(self) -> BufferedReader | io.BytesIO:
        """Open its bytes, those of a table as CSV."""
        found = self.csv if self.is_table else self.source
        if isinstance(found, Path):
            return found.open("rb")
        return io.BytesIO(found.encode(errors="replace") if isinstance(found, str) else found)

    def text(self) -> str:
        """Return all of it, of a page what it shows, each line in its place; bytes that are no UTF-8 are replaced.

        Texts that JSON lists beside each other stand farther apart than the words of a name.
        Names of parameters of statistics in a report in JSON are left out: they are Greek letters, and so are storms.
        """
        with self.open() as content:
            text = _BESIDE.sub(_APART, content.read().decode(errors="replace"))
        silent = None if self.is_name else {".html": _NO_DATA, ".json": _PARAMETER}.get(Path(self.name).suffix)
        return silent.sub(lambda part: "\n" * part[0].count("\n"), text) if silent else text

    def cells(self) -> pl.LazyFrame:
        """Return the cells of a table, with its header as the first row; reading a broken file fails."""
        return pl.scan_csv(self.csv, has_header=False, infer_schema=False)

    def table(self) -> pl.DataFrame:
        """Return the same cells; nothing for any other document or a broken one."""
        try:
            return self.cells().collect() if self.is_table else pl.DataFrame()
        except BROKEN:
            return pl.DataFrame()

    def blocks(self) -> Iterator[pl.DataFrame]:
        """Yield the same cells, some records after the others; reading a broken file fails.

        NOTE: a file that polars reads by itself is mapped, and counts as memory until all of it is read.
        """
        schema = self.cells().collect_schema()
        for place, records in enumerate(self._records()):
            # What begins with a byte-order mark is read without it.
            raw = codecs.BOM_UTF8 + records if place and records.startswith(codecs.BOM_UTF8) else records
            yield pl.read_csv(raw, has_header=False, schema=schema)

    def _records(self) -> Iterator[bytes]:
        """Yield the bytes of a table as CSV, some records after the others."""
        rest = b""
        with self.open() as content:
            while chunk := content.read(BLOCK_BYTES):
                records, rest = _divided(rest + chunk)
                yield from [records] if records else []
        yield from [rest] if rest else []

    def records(self) -> pl.LazyFrame:
        """Return the records of a table, or of a text that is CSV, under the names of their columns."""
        return pl.scan_csv(self.csv if self.is_table else self.open(), infer_schema=False)


def documents_of(folder: Path) -> list[TextDocument]:
    """Return all files below a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [TextDocument(path.relative_to(folder).as_posix(), path) for path in files]


def lettered(cells: pl.LazyFrame) -> tuple[pl.Series, ...]:
    """Return the distinct cells with a letter of each column."""
    names = cells.collect_schema().names()
    found = cells.select(pl.col(name).filter(pl.col(name).str.contains(LETTER)).unique().implode() for name in names)
    return tuple(each.explode(empty_as_null=False).rename("text") for each in found.collect().iter_columns())


def _divided(raw: bytes) -> tuple[bytes, bytes]:
    """Divide what begins with a record where its last whole one ends: at a line break that is not between quotation marks."""
    end = raw.rfind(b"\n") + 1
    while raw.count(b'"', 0, end) % 2:
        end = raw.rfind(b"\n", 0, end - 1) + 1
    return raw[:end], raw[end:]


class Hit(NamedTuple):
    """Tokens of one kind that were found in one column of a document."""

    document: TextDocument
    column: str
    kind: str
    rows: pl.Series
    """Records or lines, counted from 1 (Int64); 0 if unknown."""


def readings(text: str) -> tuple[str, ...]:
    """Return a text as it is and, if that differs, with its escapes undone, and with its markup removed as well.

    Lines stay lines. Only markup within a line is removed, because the cells of a table are not one text.
    """
    decoded = _ESCAPING_LINE.sub(lambda line: _decoded(line[0]), text)
    return tuple(dict.fromkeys((text, decoded, _INLINE.sub("", decoded))))


def _decoded(line: str) -> str:
    """Undo JSON's escapes (also of JSON in JSON), percent encoding and HTML entities."""
    if "\\" in line:
        units = re.sub(r"\\+u([0-9a-fA-F]{4})", lambda match: chr(int(match.group(1), 16)), line)
        characters = units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        line = re.sub(r'\\+(["/])', r"\1", re.sub(r"\\+[nrt]", " ", characters))
    return html.unescape(unquote(line)).replace("\n", " ")

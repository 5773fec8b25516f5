"""The input of the escape scan: files, texts and names, also with escapes and markup undone.

What is searched for, and how, belongs to the searches.
"""

import html
import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar
from urllib.parse import unquote

import polars as pl
from polars.exceptions import ComputeError, NoDataError

BROKEN = (ComputeError, NoDataError)
"""Exceptions from reading a file that is no CSV as one."""

ENCODED = r"\\+[\"/nrtu]|%[0-9a-fA-F]{2}|&#?[0-9A-Za-z]+;|<[^<>]*>"
"""Regular expression of the escapes and markup that `readings` undoes."""

_ESCAPING = re.compile(r"[\\%&]")

_INLINE = re.compile(
    r"</?(?:a|abbr|b|bdi|bdo|big|cite|code|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|tt|u|var"
    r"|wbr)(?:\s[^<>\n]*)?/?>",
    re.IGNORECASE,
)
"""Tags of HTML's text-level elements, and of those that are obsolete."""


@dataclass(frozen=True)
class Document:
    """A file (a path), or a text that is in none."""

    name: str
    """Path below the searched folder, or the name of the text."""
    source: Path | str
    is_name: bool = False
    """Whether the text is the name of a file, folder or column."""

    @property
    def is_csv(self) -> bool:
        """Return whether it is a file of records."""
        return isinstance(self.source, Path) and self.source.suffix == ".csv"

    def open(self) -> BinaryIO:
        """Open its bytes."""
        if isinstance(self.source, Path):
            return self.source.open("rb")
        return io.BytesIO(self.source.encode(errors="replace"))

    def text(self) -> str:
        """Return all of it; bytes that are no UTF-8 are replaced."""
        with self.open() as content:
            return content.read().decode(errors="replace")

    def cells(self) -> pl.LazyFrame:
        """Return the cells of a CSV file, with its header as the first row; reading a broken file fails."""
        return pl.scan_csv(self.source, has_header=False, infer_schema=False)

    def table(self) -> pl.DataFrame:
        """Return the same cells; nothing for any other document or a broken one."""
        try:
            return self.cells().collect() if self.is_csv else pl.DataFrame()
        except BROKEN:
            return pl.DataFrame()

    def records(self) -> pl.LazyFrame:
        """Return the records of a CSV file or text under the names of their columns."""
        return pl.scan_csv(self.open() if isinstance(self.source, str) else self.source, infer_schema=False)


class Hit(NamedTuple):
    """Tokens of one kind that were found in one column of a document."""

    document: Document
    column: str
    kind: str
    rows: pl.Series
    """Records or lines, counted from 1 (Int64); 0 if unknown."""


Searched = TypeVar("Searched")


def batches(items: Iterable[Searched], size: Callable[[Searched], int], *, least: int) -> Iterator[list[Searched]]:
    """Divide items into batches of at least this size together; the last may be smaller."""
    batch: list[Searched] = []
    total = 0
    for item in items:
        batch.append(item)
        total += size(item)
        if total >= least:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def readings(text: str) -> tuple[str, ...]:
    """Return a text as it is and, if that differs, with its escapes undone, and with its markup removed as well.

    Lines stay lines. Only markup within a line is removed, because the cells of a table are not one text.
    """
    decoded = "\n".join(_decoded(line) for line in text.split("\n"))
    return tuple(dict.fromkeys((text, decoded, _INLINE.sub("", decoded))))


def _decoded(line: str) -> str:
    """Undo JSON's escapes (also of JSON in JSON), percent encoding and HTML entities."""
    if not _ESCAPING.search(line):
        return line
    units = re.sub(r"\\+u([0-9a-fA-F]{4})", lambda match: chr(int(match.group(1), 16)), line)
    characters = units.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    unescaped = re.sub(r'\\+(["/])', r"\1", re.sub(r"\\+[nrt]", " ", characters))
    return html.unescape(unquote(unescaped)).replace("\n", " ")

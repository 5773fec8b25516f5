"""What stands in a folder of raw tables: each file as text, each column with its type and what is counted of it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from keyword import iskeyword
from pathlib import Path

import polars as pl

from pipeline.conform.first_look.shapes import SeenTable, seen
from pipeline.guess.typing import cells, share, typed
from pipeline.guess.words import PROSE, WHEN, YEAR, words
from pipeline.model import Column, CsvDialect, Reshape
from pipeline.model.environment import OF_STAGES

_LONG_TEXT = 40
_MANY_WORDS = 6
"""Signs and gaps between words of a text's cells in the mean, from which on it is prose (our choice)."""


_LEGAL_FORM = (
    r"(?i)(?:^|[\s,])(?:inc|corp|co|llc|llp|ltd|limited|plc|company|gmbh|ag|kg|kgaa|ohg|gbr|e\.?\s?k|se|s\.?a\.?|s\.?a\.?r\.?l|"
    r"s\.?a\.?s|s\.?p\.?a|s\.?r\.?l|s\.?l|b\.?v|n\.?v|oy|ab|a/s|pty|group|holdings?|corporation|incorporated)\.?(?:$|[\s,)])"
    r"|公司|集团|企业$|厂$|株式会社"
)
"""Legal forms, as they stand at the end of companies' names or before the next word."""

_OUR_TIME, _NEAR_TIME, _MOST = (1800, 2100), (1900, 2050), 0.9
"""Years that a header may speak of, those that are known without one, and which part has to be of the former (our choice)."""

_CLOCKS_SEEN = 100
"""Distinct whole numbers without a minute from 60 on that no figure would be, at least: chance has 1 of 10**22 (0.6 ** 100)."""

_COMPANIES = 0.3
"""Part of a column's cells with a legal form, from which on it holds names of companies (our choice: many do without)."""


@dataclass(frozen=True, eq=False)
class Looked:
    """One raw column, looked at."""

    text: pl.Series = field(repr=False)
    column: Column
    """The column with the guessed type, and no role yet."""
    notes: tuple[str, ...] = ()
    """What was guessed of the type."""

    @property
    def name(self) -> str:
        """Return its header."""
        return self.column.name

    @cached_property
    def values(self) -> pl.Series:
        """Return the cells as they will be conformed."""
        return cells(self.column, self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the words of the header."""
        return frozenset(words(self.name))

    @cached_property
    def distinct(self) -> int:
        """Return how many values there are."""
        return self.text.drop_nulls().n_unique()

    @cached_property
    def filled(self) -> int:
        """Return how many cells are not empty."""
        return len(self.text) - self.text.null_count()

    @property
    def is_unique(self) -> bool:
        """Say whether every row has a value of its own."""
        return 0 < self.distinct == len(self.text)

    @property
    def is_number(self) -> bool:
        """Say whether it holds figures, or numbers that name something."""
        return self.column.type in ("integer", "decimal")

    @property
    def is_time(self) -> bool:
        """Say whether it holds days or times of day."""
        return self.column.type in ("date", "timestamp")

    @cached_property
    def is_year(self) -> bool:
        """Say whether it holds years: whole numbers of our time, and its header calls them so."""
        return self.column.type == "integer" and bool(YEAR & self.words) and self._is_within(*_OUR_TIME, part=_MOST)

    @cached_property
    def may_be_year(self) -> bool:
        """Say whether it behaves like years, whatever its header says: few of a short time, most of them often."""
        if self.is_year or not self._is_within(*_NEAR_TIME):
            return self.is_year
        distinct = self.values.drop_nulls().n_unique()
        span = int(self.values.max()) - int(self.values.min()) + 1  # type: ignore[arg-type]
        return distinct > 1 and span <= 2 * distinct and 2 * distinct <= self.values.count()

    @cached_property
    def says_when(self) -> str:
        """Say which part of a date or time it is, by header and range, or as clocks (`1755`); the empty text if none."""
        for word in words(self.name):
            if word in WHEN and self._is_within(*WHEN[word]):
                return word
        is_clock = self._is_within(0, 2400) and (self.values.drop_nulls() % 100 < 60).all()  # noqa: PLR2004
        return "clock" if is_clock and self.values.drop_nulls().n_unique() > _CLOCKS_SEEN else ""

    def _is_within(self, least: int, most: int, part: float = 1.0) -> bool:
        """Say whether it holds whole numbers, of which such a part is between two others."""
        return self.column.type == "integer" and share(self.values.is_between(least, most)) >= part

    @cached_property
    def legal_forms(self) -> int:
        """Return in how many cells a company's legal form stands, if that are enough to tell; else 0."""
        if self.column.type != "text" or self.is_prose or not self.filled:
            return 0
        found = self.text.str.contains(_LEGAL_FORM)
        return int(found.sum()) if share(found) >= _COMPANIES else 0

    @cached_property
    def is_prose(self) -> bool:
        """Say whether its cells are sentences."""
        texts = self.text.drop_nulls()
        if self.column.type != "text" or not len(texts) or self.column.allowed:
            return False
        if self.words & PROSE:
            return True
        length, gaps = texts.str.len_chars().sum() / len(texts), texts.str.count_matches(r"\s").sum() / len(texts)
        return length > _LONG_TEXT and gaps > _MANY_WORDS


@dataclass(frozen=True, eq=False)
class Looks:
    """One raw table, looked at."""

    name: str
    """A name that a declaration may use."""
    file: str
    columns: Mapping[str, Looked]
    """By header, without those that have none and those that are there twice."""
    ignored: tuple[str, ...]
    height: int
    dialect: CsvDialect = CsvDialect()  # noqa: RUF009  (frozen)
    notes: tuple[str, ...] = ()
    """What was guessed of how the file is written."""
    reshape: Reshape | None = None
    is_drawn: bool = False
    """Whether it is a part of a file, in which its rows stand several times."""

    @cached_property
    def texts(self) -> pl.DataFrame:
        """Return the rows as text, each once."""
        return pl.DataFrame([each.text.alias(name) for name, each in self.columns.items()]).unique(maintain_order=True)


def part(table: Looks, name: str, columns: Sequence[str], *, once: str = "") -> Looks:
    """Return some columns of a table as a table of its own over the same file; with one row for each value of `once`."""
    others = tuple(each for each in table.columns if each not in columns)
    rows = table.columns[once].text.arg_unique() if once else pl.int_range(table.height, eager=True)
    taken = {each: replace(table.columns[each], text=table.columns[each].text.gather(rows)) for each in columns}
    ignored, drawn = (*table.ignored, *others), bool(once)
    return replace(table, name=name, columns=taken, ignored=ignored, height=len(rows), is_drawn=drawn)


def look(folder: Path) -> tuple[Looks, ...]:
    """Read every CSV and Parquet file of a folder.

    Raises:
        ContractError: A file is none; holds the problems of all of them.
        InputError: There is no such folder, or none of these files in it.
    """
    found: list[Looks] = []
    for each in seen(folder):
        found.append(_looked(each, [table.name for table in found]))
    return tuple(found)


def _looked(table: SeenTable, taken: list[str]) -> Looks:
    source, raw = table.source, table.source.table
    counts = Counter(source.headers)
    texts = {name: source.column(place) for place, name in enumerate(source.headers) if name and counts[name] == 1}
    found = {name: typed(name, text) for name, text in texts.items() if name not in table.ignored}
    if raw.dialect.separator == ";" or any(each.column.numerals.mark == "," for each in found.values()):
        found = {name: typed(name, texts[name], mark=",") for name in found}
    columns = {name: Looked(texts[name], each.column, each.notes) for name, each in found.items()}
    ignored = (*(header for header in counts if header not in columns and header not in table.ignored), *table.ignored)
    name, height = _name(raw.file, taken), source.text.height
    taken_by = f"? called {name!r}: Silt itself has a table {raw.file!r}" if raw.file in OF_STAGES else ""
    notes = (*table.notes, *filter(None, [taken_by]))
    return Looks(name, raw.file, columns, ignored, height, raw.dialect, notes, raw.reshape)


def _name(file: str, taken: list[str]) -> str:
    """Return a file's name as one that a declaration may use for its table: if it has no such signs, what it means."""
    file = re.sub(r"\{\w+\}", "", file)
    plain = re.sub(r"[^0-9A-Za-z_]+", "_", file).strip("_") or "_".join(filter(str.isascii, words(file))) or "table"
    if plain in OF_STAGES or iskeyword(plain) or plain[0].isdigit():
        plain = f"raw_{plain}"
    return plain if plain not in taken else f"{plain}_{len(taken)}"

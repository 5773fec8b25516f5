"""What every format is, and what it is given of a table. How a file is spelled belongs to the formats."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import polars as pl

from pipeline.conform.cells import typed
from pipeline.model import Column, Dialect


@dataclass(frozen=True, kw_only=True)
class WrittenAs:
    """How a published table is written, as far as its format can express it."""

    dialect: Dialect = field(default_factory=Dialect)
    types: Mapping[str, Column] = field(default_factory=dict)
    """Columns that are numbers or times, if each of their cells can be read so; all others are text."""

    def typed(self, text: pl.DataFrame) -> pl.DataFrame:
        """Return columns as their types; one with a cell that cannot be read so stays text."""
        return typed(self.types, text)


class Format(ABC):
    """One way to write a table as a file. Cells are text, or null; no cell is the empty text."""

    name: ClassVar[str]
    """Also the folder of a release that has tables in this format."""
    title: ClassVar[str]
    """What people call it."""
    suffix: ClassVar[str]
    """Ending of its files, with the dot."""
    media_type: ClassVar[str]
    has_dialects: ClassVar[bool] = False
    is_text: ClassVar[bool] = True
    """Whether a file is lines of text in UTF-8."""
    is_of_parts: ClassVar[bool] = False
    """Whether a file of several blocks is the files of these one after the other, without their headers but for the first's."""
    is_deterministic: ClassVar[bool] = True
    """Whether the same cells give the same bytes, with the same versions of libraries."""

    @abstractmethod
    def write(self, blocks: Iterable[pl.DataFrame], written: WrittenAs, file: Path) -> None:
        """Write a table, given as blocks of text columns, at least one. The file is replaced."""

    @abstractmethod
    def read(self, file: Path, written: WrittenAs, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Read a table, or some of its columns, back as text.

        A column that was written as text has the same cells. A column with a type has the same values.

        Raises:
            ValueError: A column is not written as `write` does (`ColumnError`).
            InputError: The file is no such table.
        """

    def header(self, file: Path) -> list[str]:
        """Read the names of the columns alone."""
        return self.read(file, WrittenAs()).columns

    def records(self, file: Path) -> int:
        """Read the number of records alone."""
        return self.read(file, WrittenAs()).height

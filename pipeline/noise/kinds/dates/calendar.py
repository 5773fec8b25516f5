"""Calendar shift: whole series are dated some years off, and nothing in them says so."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar

import polars as pl

from pipeline.keyed import Key
from pipeline.model import Environment
from pipeline.noise.documents.fields import PATTERN, Some, Text
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Family, WrittenColumn
from pipeline.noise.kinds.parts.date_texts import replaced
from pipeline.noise.mechanisms import ColumnName

_YEAR = r"[0-9]{4}"
_FOUR_DIGITS = {year: str(year) for year in range(1000, 10_000)}


class CalendarShift(CellKind):
    """Moves the year of all rows of a series by some years, in every column that tells it."""

    name: ClassVar[str] = "calendar_shift"
    family: ClassVar[Family] = Family.DATES
    recovery: ClassVar[str] = "No: the series agrees with itself; only a source from outside dates it."

    columns: Some[WrittenColumn]
    """Columns that tell the year, moved together; a row whose first one tells none is left alone."""
    years: int
    """How many years later (earlier if negative)."""
    consistent_by: ColumnName
    """The column that tells which series a row belongs to: each is moved as a whole or not at all, in all tables alike."""
    series: Annotated[Text, PATTERN] | None = None
    """A regular expression (Rust syntax) whose first group is the series' name in `consistent_by`; all of it if not given."""
    pattern: Annotated[Text, PATTERN] = _YEAR
    """A regular expression (Rust syntax): the first four digits of what it first finds in a text are the year."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse no move, and a pattern of series that has no group."""
        if self.years == 0:
            yield Refusal("years", self.years, "a whole number but 0")
        if self.series and not pl.Series([""]).str.extract_groups(self.series).struct.fields:
            yield Refusal("series", self.series, "a regular expression with a group")

    def edits(self, _environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return the one edit, of all the columns."""
        first, whether = self.columns[0], draws.shared("whether")
        is_in_series = pl.col(self.consistent_by).str.contains(self.series) if self.series else pl.lit(value=True)
        return (
            Edit(
                column=first,
                owner=self.consistent_by,
                whether=_PartKey(whether.secret, self.series) if self.series else whether,
                is_eligible=is_in_series & self._year(pl.col(first)).is_not_null(),
                after={column: pl.coalesce(self._moved(pl.col(column)), column) for column in self.columns},
            ),
        )

    def _year(self, text: pl.Expr) -> pl.Expr:
        """Return the year that a text gets, null if it has none, or would have more or fewer than four digits then."""
        year = text.str.extract(self.pattern, 0).str.extract(f"({_YEAR})", 1).cast(pl.Int64) + self.years
        return year.replace_strict(_FOUR_DIGITS, default=None, return_dtype=pl.String)

    def _moved(self, text: pl.Expr) -> pl.Expr:
        """Return the text with its year moved, null if there is none to move."""
        return replaced(text, self.pattern, text.str.extract(self.pattern, 0).str.replace(_YEAR, self._year(text)))


@dataclass(frozen=True)
class _PartKey(Key):
    """Draws by what the first group of a pattern finds in an identity, so that its other parts do not matter."""

    pattern: str

    def mac(self, *identity: pl.Expr | str) -> pl.Expr:
        """Return the PRF of each row's identity as 64 hexadecimal digits, null where the pattern finds nothing."""
        parts = (pl.col(part) if isinstance(part, str) else part for part in identity)
        return super().mac(*(part.str.extract(self.pattern, 1) for part in parts))

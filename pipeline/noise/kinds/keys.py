"""Join keys that do not join: one table writes them in another way, or with blanks that nobody sees."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated

import polars as pl

from pipeline.documents.fields import Some, Text, Within
from pipeline.documents.problems import Refusal
from pipeline.model import Environment
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, Restored, WrittenColumn, drawn
from pipeline.noise.mechanisms import ColumnName

_NUMBER = r"^[0-9]+$"
_LEADING_ZEROS = r"^0+([0-9]+)$"


class ReformattedKeys(ColumnsKind):
    """Writes a key with a prefix, a suffix, padded with zeros or without its leading zeros (`123` becomes `bid_123`).

    Zeros are added to and taken from whole numbers only, and before prefix and suffix are put on. Without `consistent_by`
    each cell is decided on alone; rate 1 gives a table that writes all of its keys in its own way.
    """

    name = "reformatted_keys"
    family = Family.KEYS
    recovery = "Yes, by taking prefix, suffix and padding off; leading zeros that were lost do not come back."

    columns: Some[WrittenColumn]
    """Columns that hold keys; a table's own row key is never one of them."""
    prefix: Text | None = None
    """Put before the key; no clean key of the columns may begin with it."""
    suffix: Text | None = None
    """Put after the key; no clean key of the columns may end with it."""
    pad_to: Annotated[int, Within(2)] | None = None
    """Length in digits up to which zeros are put before a number; numbers of the columns have no leading zeros of their own."""
    strip_zeros: bool = False
    """Whether the leading zeros of a number are lost, as when a spreadsheet has read it."""
    consistent_by: ColumnName | None = None
    """An entity's column: whether its keys are written in the other way is then decided once for each, in all tables alike."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a kind that does nothing, and zeros both added and lost."""
        if not (self.prefix or self.suffix or self.pad_to is not None or self.strip_zeros):
            yield Refusal("", "no change", "at least one of prefix, suffix, pad_to, strip_zeros")
        if self.pad_to is not None and self.strip_zeros:
            yield Refusal("strip_zeros", self.strip_zeros, "false beside pad_to")

    def _edit(self, column: str, draws: Draws, restored: Restored) -> Edit:
        edit = super()._edit(column, draws, restored)
        of = self.consistent_by
        return replace(edit, owner=of, whether=draws.shared("whether")) if of else edit

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return self._reformatted(text) != text

    def _steps(self, column: str, _draws: Draws) -> Mapping[str, pl.Expr]:
        return {"key": self._reformatted(pl.col(column))}

    def _reformatted(self, text: pl.Expr) -> pl.Expr:
        key = text
        if self.pad_to is not None:
            key = pl.when(text.str.contains(_NUMBER)).then(text.str.pad_start(self.pad_to, "0")).otherwise(text)
        if self.strip_zeros:
            key = text.str.replace(_LEADING_ZEROS, "${1}")
        return pl.lit(self.prefix or "") + key + pl.lit(self.suffix or "")

    def _restored(self, text: pl.Expr) -> pl.Expr:
        """Take prefix, suffix and padding off whatever has them all."""
        prefix, suffix = self.prefix or "", self.suffix or ""
        begun = text.str.strip_prefix(prefix)
        key = begun.str.strip_suffix(suffix)
        is_reformatted = text.str.starts_with(prefix) & begun.str.ends_with(suffix) & (key != "")
        if self.pad_to is not None:
            is_padded = key.str.contains(_NUMBER) & (key.str.len_bytes() == self.pad_to)
            key = pl.when(is_padded).then(key.str.replace(_LEADING_ZEROS, "${1}")).otherwise(key)
        return pl.when(is_reformatted).then(key).otherwise(text)


_BLANK = " "


class TrailingBlanks(ColumnsKind):
    """Puts one or more blanks after a key, so that it looks the same and joins nothing."""

    name = "trailing_blanks"
    family = Family.KEYS
    recovery = "Yes, by taking blanks off the end."

    columns: Some[WrittenColumn]
    """Columns that hold keys; keys that end in a blank anyway are left alone."""
    most: Annotated[int, Within(1)] = 3
    """The largest number of blanks; each number from one to it alike."""

    def _edit(self, column: str, draws: Draws, restored: Restored) -> Edit:
        return replace(super()._edit(column, draws, restored), is_recoverable=pl.lit(value=True))

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return ~text.str.ends_with(_BLANK)

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        more = (draws.uniform(column, "how many") * self.most).cast(pl.UInt32)
        width = pl.col(column).str.len_chars() + 1 + more
        return {"width": width, "text": pl.col(column).str.pad_end(drawn("width"), _BLANK)}

    def _restored(self, text: pl.Expr) -> pl.Expr:
        return text.str.strip_chars_end(_BLANK)

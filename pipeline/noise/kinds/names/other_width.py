"""Other width: ASCII characters are written in their full-width forms. Blanks are another kind."""

import string
from typing import ClassVar, Literal

import polars as pl

from pipeline.noise.documents.fields import Some
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, drawn

_Characters = Literal["digits", "letters", "signs"]
_ASCII = {"digits": string.digits, "letters": string.ascii_letters, "signs": string.punctuation}
_FULL_WIDTH = 0xFF01 - 0x21
"""Between a character of ASCII and its full-width form (Unicode, block Halfwidth and Fullwidth Forms)."""


class OtherWidth(ColumnsKind):
    """Writes digits, letters or signs of ASCII in full width (２０２２), all of them in the cell."""

    name: ClassVar[str] = "other_width"
    family: ClassVar[Family] = Family.FORMAT
    recovery: ClassVar[str] = (
        "Yes: every full-width form back to ASCII, where no ASCII form of such characters is left."
    )

    columns: Some[WrittenColumn]
    """Columns of texts, each with its own draw; texts with a full-width form of such characters already are left."""
    characters: Some[_Characters] = ("digits", "letters")
    """What is written in full width. Leave out `signs` where Chinese text uses full-width ones anyway."""

    def _edit(self, column: str, draws: Draws) -> Edit:
        cell = pl.col(column)
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=cell.str.contains_any([*self._ascii]) & ~cell.str.contains_any([*self._full_width]),
            draws={"wide": cell.str.replace_many([*self._ascii], [*self._full_width])},
            after={column: drawn("wide")},
            is_recoverable=self._restored(drawn("wide")) == cell,
        )

    def _restored(self, text: pl.Expr) -> pl.Expr:
        """Return in ASCII what has all characters of that set in full width."""
        narrow = text.str.replace_many([*self._full_width], [*self._ascii])
        return pl.when(text.str.contains_any([*self._ascii])).then(text).otherwise(narrow)

    @property
    def _ascii(self) -> str:
        return "".join(_ASCII[name] for name in self.characters)

    @property
    def _full_width(self) -> str:
        return "".join(chr(ord(character) + _FULL_WIDTH) for character in self._ascii)

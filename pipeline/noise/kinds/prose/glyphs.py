"""Lost glyphs: characters that a font or an encoding did not have stand as question marks. Other damage is another kind."""

from typing import Annotated, ClassVar, Literal

import polars as pl

from pipeline.noise.documents.fields import Some, Within
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.sentences import counted, replaced_after

_GLYPHS = {"han": r"[\x{3400}-\x{4dbf}\x{4e00}-\x{9fff}]", "latin": "[A-Za-z]"}
"""Ranges rather than Unicode's scripts, which a regular expression takes long to learn."""


class LostGlyphs(ColumnsKind):
    """Replaces characters at drawn places of a text by `?`."""

    name: ClassVar[str] = "lost_glyphs"
    family: ClassVar[Family] = Family.PROSE
    recovery: ClassVar[str] = "No: a reader may guess the character, the text does not tell it."

    columns: Some[WrittenColumn]
    """Columns of texts, each with its own draw."""
    most: Annotated[int, Within(1)] = 3
    """Most characters that one text loses; from 1 to this many, each alike."""
    script: Literal["han", "latin"] = "han"
    """Whose characters are lost."""

    def _edit(self, column: str, draws: Draws) -> Edit:
        glyph = _GLYPHS[self.script]
        steps = {"lost": counted(draws.uniform(column, "number"), self.most), "0": pl.col(column)}
        for step in range(self.most):
            before, place = drawn(str(step)), draws.uniform(column, f"place {step}")
            after = replaced_after(before, place, glyph, "?")
            steps[str(step + 1)] = pl.when(drawn("lost") > step).then(after).otherwise(before)
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=pl.col(column).str.contains(glyph),
            draws=steps,
            after={column: drawn(str(self.most))},
        )

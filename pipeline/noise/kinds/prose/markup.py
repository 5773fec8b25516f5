"""Markup: HTML around a text and in it, as a web page leaves it. Marks of printed pages are another kind."""

from collections.abc import Mapping
from typing import ClassVar, Literal

import polars as pl

from pipeline.noise.documents.fields import Some
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.sentences import picked

Form = Literal["paragraphs", "indents", "quotes", "blanks"]

_ENTITIES: Mapping[Form, Mapping[str, str]] = {
    "quotes": {"“": "&ldquo;", "”": "&rdquo;", "‘": "&lsquo;", "’": "&rsquo;"},
    "blanks": {" ": "&nbsp;"},
}
_INDENT = "&ensp;&ensp;"
_PARAGRAPHS = ("<p>", '<p style="font-weight: 400;">', '<p style="text-align: justify;">')
"""Beginnings of a paragraph; the second is the release's (reference 1.3), the others ours. Entities: reference 4.25."""
_END = "</p>"

_MARKUP = "[<>&]"


class Markup(ColumnsKind):
    """Writes a text that has no markup as HTML: paragraphs by line, indents, entities; texts with `<`, `>` or `&` stay."""

    name: ClassVar[str] = "markup"
    family: ClassVar[Family] = Family.PROSE
    recovery: ClassVar[str] = "Yes: without tags, and with entities as characters, it is the text again."

    columns: Some[WrittenColumn]
    """Columns of texts, each with its own draw; texts that have markup already are left alone."""
    forms: Some[Form] = ("paragraphs", "indents", "quotes")
    """What is written: each line as a paragraph of one drawn style, an indent before each line, quotes or blanks as
    entities."""

    def _edit(self, column: str, draws: Draws) -> Edit:
        text = pl.col(column)
        style = picked(draws.uniform(column, "style"), _PARAGRAPHS)
        is_plain = ~text.str.contains(_MARKUP)
        marked = pl.when(is_plain).then(self._marked(text, drawn("style"))).otherwise(text)
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=is_plain & (self._marked(text, pl.lit(_PARAGRAPHS[0])) != text),
            draws={"style": style},
            after={column: marked},
            is_recoverable=pl.lit(value=True),
        )

    def _marked(self, text: pl.Expr, style: pl.Expr) -> pl.Expr:
        for form, entities in _ENTITIES.items():
            if form in self.forms:
                text = text.str.replace_many(dict(entities))
        is_paragraph = "paragraphs" in self.forms
        begin = pl.concat_str(style if is_paragraph else pl.lit(""), pl.lit(_INDENT if "indents" in self.forms else ""))
        end = pl.lit(_END if is_paragraph else "")
        # A replacement that is null is refused where it is the only one; such a row is null by its beginning.
        between = (end + pl.lit("\n") + begin).fill_null("")
        return begin + text.str.replace_all("\n", between, literal=True) + end

    @property
    def _characters(self) -> dict[str, str]:
        """Return what every tag and entity stands for in the text."""
        characters = dict.fromkeys((*_PARAGRAPHS, _END), "") if "paragraphs" in self.forms else {}
        characters |= {_INDENT: ""} if "indents" in self.forms else {}
        written = [entities for form, entities in _ENTITIES.items() if form in self.forms]
        return characters | {entity: character for entities in written for character, entity in entities.items()}

    def _restored(self, text: pl.Expr) -> pl.Expr:
        """Return the text of which the marked-up one is this, from first character to last; this itself if there is none."""
        plain = text.str.replace_many(self._characters)
        style = pl.coalesce(pl.when(text.str.starts_with(tag)).then(pl.lit(tag)) for tag in _PARAGRAPHS)
        is_marked = self._marked(plain, style.fill_null(_PARAGRAPHS[0])) == text
        return pl.when(is_marked & ~plain.str.contains(_MARKUP)).then(plain).otherwise(text)

"""Shuffled sentences: a text whose sentences lost their order, as a summariser writes them. Lost text is another kind."""

from typing import ClassVar

import polars as pl

from pipeline.keyed import SEPARATOR
from pipeline.noise.documents.fields import Some, Text
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, clean, drawn
from pipeline.noise.kinds.parts.sentences import sentences

_QUOTES = ["“", "”", "‘", "’"]


class ShuffledSentences(ColumnsKind):
    """Puts the sentences of a text in another, drawn order; typographic quotes may turn into something else on the way."""

    name: ClassVar[str] = "shuffled_sentences"
    family: ClassVar[Family] = Family.PROSE
    recovery: ClassVar[str] = "No: the text does not tell the order that its sentences had."

    columns: Some[WrittenColumn]
    """Columns of texts, each with its own draw; texts of one sentence are left alone."""
    quotes_as: Text | None = None
    """What stands for each typographic quote then (`;` in the release); they stay if not given."""

    def _edit(self, column: str, draws: Draws) -> Edit:
        cut = drawn("sentences")
        shuffled = self._shuffled(cut, column, draws)
        is_same = drawn("shuffled") == pl.col(column)
        other = pl.when(is_same).then(cut.list.reverse().list.join("")).otherwise(drawn("shuffled"))
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=sentences(pl.col(column)).list.n_unique() > 1,
            draws={"sentences": sentences(pl.col(column)), "shuffled": shuffled},
            after={column: other if self.quotes_as is None else other.str.replace_many(_QUOTES, [self.quotes_as])},
        )

    def _shuffled(self, cut: pl.Expr, column: str, draws: Draws) -> pl.Expr:
        # NOTE: list.eval sees no other column, so the owner travels before every sentence
        owner, key = clean(draws.row_key) + pl.lit(SEPARATOR), draws.of(column, "order")
        joined = owner + cut.list.join(pl.lit(SEPARATOR) + pl.lit(SEPARATOR) + owner)
        owned = joined.str.split(SEPARATOR + SEPARATOR)
        ordered = owned.list.eval(pl.element().sort_by(key.mac(pl.element())).str.split(SEPARATOR).list.get(1))
        return ordered.list.join("")

"""Contradicted in prose: a sentence states another figure, or another name, than a table does. The table stands."""

from collections.abc import Iterator, Mapping
from typing import Annotated

import polars as pl

from pipeline.documents.fields import NOT_EMPTY, KnownName, Share, Some, Text, Within
from pipeline.documents.problems import Refusal
from pipeline.model import Environment
from pipeline.model.identities import rounded_quotient
from pipeline.noise.kinds.interface import Draws, Edit, Family, Lookup, OneEdit, WrittenColumn, drawn
from pipeline.noise.kinds.parts.figures import PLACES, only, quanta
from pipeline.noise.kinds.parts.sentences import inserted, picked
from pipeline.noise.mechanisms import ColumnName
from pipeline.numerals import decimal_text, power_of_ten

_PARTS = 10**6
"""Parts that a whole is divided into to compare shares exactly."""

_MOST_DECIMALS = 6
_VALUE = "{value}"


class ContradictedInProse(OneEdit):
    """Puts a sentence into prose that tells another value than a table beside does: a figure off by a share, or another name.

    The sentence stands behind one of the prose's own, each alike.
    """

    name = "contradicted_in_prose"
    family = Family.DEFINITIONS
    recovery = "No: table and prose disagree and nothing says which is right, unless a third place repeats it."

    prose: WrittenColumn
    """The column of prose."""
    table: Annotated[str, KnownName("table beside")]
    """The table beside whose value is contradicted."""
    same: Some[ColumnName]
    """Columns in which the prose's row and the table's agree (a code); an empty cell agrees with nothing."""
    value: Text
    """The column of the table that holds the value."""
    templates: Some[Text]
    """Sentences, each alike, with `{value}` where the other value stands."""
    which: Annotated[Mapping[str, Text], NOT_EMPTY] | None = None
    """Columns of the table, and the text of each in the row that is meant: the measure, the year."""
    vocabulary: Annotated[str, KnownName("vocabulary")] | None = None
    """Names to take the other value from, each alike; if not given, the value is a figure and is moved up or down."""
    least: Share = 0.1
    """The smallest change of a figure as a share of it (our choice: no rounding explains it)."""
    most: Share = 0.5
    """The largest change of a figure as a share of it (our choice: the order of magnitude stays)."""
    per: Annotated[int, Within(1)] = 1
    """How much of the figure's unit one unit of the sentence is: 100000000 to tell 元 in 亿元."""
    decimals: Annotated[int, Within(0, _MOST_DECIMALS)] = 2
    """Decimals of the figure in the sentence."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse columns that are not there, sentences without a place for the value, and numbers out of bounds."""
        there = environment.table(self.table).columns
        named = [("value", self.value), *(("same", c) for c in self.same), *(("which", c) for c in self.which or {})]
        yield from (
            Refusal(field, column, f"columns of {self.table}") for field, column in named if column not in there
        )
        yield from (
            Refusal("templates", text, f"sentences with {_VALUE}, once")
            for text in self.templates
            if text.count(_VALUE) != 1
        )
        if self.vocabulary is not None and len(environment.vocabulary(self.vocabulary).aliases) < 2:  # noqa: PLR2004
            yield Refusal("vocabulary", self.vocabulary, "a vocabulary of two names or more")
        if not 1 / _PARTS <= self.least <= self.most < 1:
            yield Refusal("least", self.least, f"a share from {1 / _PARTS:f} to `most`, which is less than 1")

    def _edit(self, environment: Environment, draws: Draws) -> Edit:
        names = None if self.vocabulary is None else tuple(environment.vocabulary(self.vocabulary).aliases)
        other = _other_name(drawn("value"), names, drawn("size")) if names else self._other_figure(drawn("value"))
        is_there = drawn("value").is_in(list(names)) if names else self._bounds(drawn("value"))[1] > 0
        uniforms = {name: draws.uniform(self.prose, name) for name in ("size", "sign", "template", "place")}
        return Edit(
            column=self.prose,
            owner=draws.row_key,
            lookups={"value": self._lookup()},
            is_eligible=is_there.fill_null(value=False),
            draws={**uniforms, "sentence": self._sentence(other)},
            after={self.prose: inserted(pl.col(self.prose), drawn("place"), drawn("sentence"), is_whole=True)},
        )

    def _lookup(self) -> Lookup:
        meant = [pl.col(column) == text for column, text in (self.which or {}).items()]
        return Lookup(
            table=self.table,
            on=tuple((pl.col(column), pl.col(column)) for column in self.same),
            where=pl.all_horizontal(pl.lit(value=True), *meant),
            value=only(pl.col(self.value)),
        )

    def _stated(self, value: pl.Expr) -> pl.Expr:
        """Return the figure as the sentence would state it, in quanta of its decimals (Int128)."""
        return rounded_quotient(quanta(value), power_of_ten(pl.lit(PLACES - self.decimals)).cast(pl.Int128) * self.per)

    def _bounds(self, value: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
        """Return the smallest change of what would be stated, in quanta, and how many changes there are from it on."""
        size = self._stated(value).abs()
        least = (size * round(self.least * _PARTS) + (_PARTS - 1)) // _PARTS
        return least, (size * round(self.most * _PARTS) // _PARTS - least + 1) * (size > 0)

    def _other_figure(self, value: pl.Expr) -> pl.Expr:
        least, count = self._bounds(value)
        change = least + (drawn("size") * count).floor().cast(pl.Int128)
        sign = pl.when(drawn("sign") < 1 / 2).then(-1).otherwise(1)
        return decimal_text(self._stated(value) + change * sign, self.decimals)

    def _sentence(self, stated: pl.Expr) -> pl.Expr:
        return picked(drawn("template"), self.templates).str.replace(_VALUE, stated, literal=True)


def _other_name(value: pl.Expr, names: tuple[str, ...], uniform: pl.Expr) -> pl.Expr:
    """Return one of the names but the value itself, each alike."""
    own = value.replace_strict({name: rank for rank, name in enumerate(names)}, default=None, return_dtype=pl.Int64)
    step = 1 + (uniform * (len(names) - 1)).cast(pl.Int64)
    return ((own + step) % len(names)).replace_strict(dict(enumerate(names)), default=None, return_dtype=pl.String)

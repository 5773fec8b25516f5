"""Damaged names: cut off, glued together in a list, or another category in their place. Names that mean the same drift."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Annotated, Literal

import polars as pl

from pipeline.documents.fields import KnownName, Some, Text, Within
from pipeline.documents.problems import Refusal
from pipeline.model import Environment
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.known_names import NamesKind, any_of, only_meanings
from pipeline.noise.kinds.parts.slips import option, picked


class TruncatedNames(NamesKind):
    """Cuts some of the first or last characters off a name; one always stays.

    From one to `most` of them go, each number alike.
    """

    name = "truncated_names"
    family = Family.NAMES
    recovery = "Yes, where a vocabulary is given and exactly one of its names ends or begins like that."

    columns: Some[WrittenColumn]
    """Columns of names, each with its own draw."""
    end: Literal["first", "last", "both"] = "first"
    """Which characters are lost; with `both` it is drawn for each cell, the first or the last."""
    most: Annotated[int, Within(1)] = 2
    """The largest number of characters lost."""
    separator: Text | None = None
    """What stands between the names of a list; its first name loses first characters, its last name last ones."""
    vocabulary: Annotated[str, KnownName("vocabulary")] | None = None
    """The names, if a reader can know them."""

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        return {
            "is first": self._is_first(draws, column),
            "lost": self._lost(pl.col(column), draws.uniform(column, "how many")),
            "cut": _cut(pl.col(column), drawn("is first"), drawn("lost")),
        }

    def _is_first(self, draws: Draws, column: str) -> pl.Expr:
        if self.end != "both":
            return pl.lit(self.end == "first")
        return draws.uniform(column, "which end") < 0.5  # noqa: PLR2004  (each alike)

    def _fits(self, cell: pl.Expr) -> pl.Expr:
        """Return whether the names at those ends that may be cut have two characters or more."""
        ends = {"first": [self._name(cell, 0)], "last": [self._name(cell, -1)]}
        names = ends["first"] + ends["last"] if self.end == "both" else ends[self.end]
        return pl.all_horizontal(name.str.len_chars() > 1 for name in names)

    def _lost(self, cell: pl.Expr, uniform: pl.Expr) -> pl.Expr:
        """Return how many characters go: none of a name that has one only."""
        name = pl.when(drawn("is first")).then(self._name(cell, 0)).otherwise(self._name(cell, -1))
        spare = name.str.len_chars().cast(pl.Int64) - 1
        most = pl.min_horizontal(spare, self.most)
        return pl.min_horizontal((uniform * most).cast(pl.Int64) + 1, most)

    def _name(self, cell: pl.Expr, index: int) -> pl.Expr:
        return cell if self.separator is None else cell.str.split(self.separator).list.get(index)

    def _meaning(self, names: frozenset[str]) -> Callable[[str], str]:
        lost = [(name, number) for name in names for number in range(1, min(self.most, len(name) - 1) + 1)]
        firsts = [(name[number:], name) for name, number in lost if self.end != "last"]
        lasts = [(name[:-number], name) for name, number in lost if self.end != "first"]
        meanings = only_meanings(firsts + lasts, names)
        return lambda name: meanings.get(name, name)


def _cut(cell: pl.Expr, is_first: pl.Expr, lost: pl.Expr) -> pl.Expr:
    head = cell.str.slice(0, cell.str.len_chars().cast(pl.Int64) - lost)
    return pl.when(is_first).then(cell.str.slice(lost)).otherwise(head)


class GluedNames(NamesKind):
    """Spoils one boundary in a list of names, so that two read as one or the rest is missing."""

    name = "glued_names"
    family = Family.NAMES
    recovery = "Yes, where a vocabulary is given and its names split the text in exactly one way."

    columns: Some[WrittenColumn]
    """Columns of lists, each with its own draw; cells of one name are left."""
    separator: Text
    """What stands between the names of a list."""
    forms: Some[Literal["lost", "other_sign", "and_others"]] = ("lost",)
    """What becomes of the boundary, each alike: nothing, `sign`, or `ending` in place of all that follows."""
    sign: Text = "、"
    """The sign that stands instead, in the form `other_sign`."""
    ending: Text = "等"
    """What stands for the rest, in the form `and_others` (never recoverable)."""
    vocabulary: Annotated[str, KnownName("vocabulary")] | None = None
    """The names, if a reader can know them."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a sign that is the separator."""
        if self.sign == self.separator:
            yield Refusal("sign", self.sign, "another text than `separator`")

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return text.str.contains(self.separator, literal=True)

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        head = drawn("items").list.head(drawn("kept")).list.join(self.separator)
        tail = drawn("items").list.slice(drawn("kept")).list.join(self.separator)
        joint = pl.when(drawn("form") == "other_sign").then(pl.lit(self.sign)).otherwise(pl.lit(""))
        rest = pl.when(drawn("form") == "and_others").then(pl.lit(self.ending)).otherwise(joint + tail)
        is_list = drawn("items").list.len() > 1
        return {
            "items": pl.col(column).str.split(self.separator),
            "form": picked(pl.lit([*self.forms]), draws.uniform(column, "form")),
            "kept": self._kept(draws.uniform(column, "where")),
            "glued": pl.when(is_list & (head + tail != "")).then(head + rest).otherwise(pl.col(column)),
        }

    def _kept(self, uniform: pl.Expr) -> pl.Expr:
        """Draw how many names stand before the boundary."""
        return (uniform * (drawn("items").list.len().cast(pl.Int64) - 1)).cast(pl.Int64) + 1

    def _meaning(self, names: frozenset[str]) -> Callable[[str], str]:
        joints = {"lost": "", "other_sign": self.sign}
        signs = tuple(joints[form] for form in self.forms if form in joints)
        lengths = tuple(sorted({*map(len, names)}))
        return partial(_split, names=names, lengths=lengths, signs=signs, separator=self.separator)


def _split(text: str, names: frozenset[str], lengths: tuple[int, ...], signs: tuple[str, ...], separator: str) -> str:
    """Return the names that make up a text, separated, or the text if it is a name or is made up in no way or in two.

    Goes from cut to cut: `ways[end]` holds up to two ways to make up the text until there.
    """
    if text in names:
        return text
    ways: list[list[tuple[str, ...]]] = [[()], *([] for _ in text)]
    for start, until in enumerate(ways[:-1]):
        for sign in signs if start else ("",) * bool(signs):
            if until and text.startswith(sign, start):
                _go_on(text, start + len(sign), until[:2], ways, names, lengths)
    return separator.join(ways[-1][0]) if len(ways[-1]) == 1 else text


def _go_on(
    text: str,
    start: int,
    until: list[tuple[str, ...]],
    ways: list[list[tuple[str, ...]]],
    names: frozenset[str],
    lengths: tuple[int, ...],
) -> None:
    """Add the ways that have one name more, from a place on."""
    for length in lengths:
        name = text[start : start + length]
        if len(name) == length and name in names:
            ways[start + length] += [(*way, name) for way in until]


class WrongCategory(ColumnsKind):
    """Writes another category of the column in place of the right one.

    Each of the others is drawn alike.
    """

    name = "wrong_category"
    family = Family.NAMES
    recovery = "No, unless another column or table says the category as well."
    claims_realism = True

    columns: Some[WrittenColumn]
    """Columns of categories, each with its own draw."""
    values: Some[Text]
    """The closed set of categories."""
    at: Literal["whole", "prefix"] = "whole"
    """Where the category stands: it is the cell, or its beginning (部委政策-浙江省人民政府); the longest that fits counts."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a set in which nothing else can be drawn."""
        if len(self.values) == 1:
            yield Refusal("values", self.values[0], "two values or more")

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return self._value(text).is_not_null()

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        others = {value: [other for other in self.values if other != value] for value in self.values}
        value, cell = drawn("value"), pl.col(column)
        rest = cell.str.slice(value.str.len_chars())
        other = option(value, others, draws.uniform(column, "what"))
        return {"value": self._value(cell), "text": pl.concat_str(other, rest).fill_null(cell)}

    def _value(self, cell: pl.Expr) -> pl.Expr:
        """Return the category that stands in a cell, null if there is none."""
        if self.at == "whole":
            return pl.when(cell.is_in(self.values)).then(cell)
        return cell.str.extract("^" + any_of(self.values), 1)

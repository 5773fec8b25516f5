"""Truncated names: the first or last characters of a name are lost. Names cut into prose are another kind."""

from collections.abc import Callable
from typing import Annotated, ClassVar, Literal

import polars as pl

from pipeline.noise.documents.fields import KnownName, Some, Text, Within
from pipeline.noise.kinds.interface import Draws, Edit, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.known_names import Mended, NamesKind, only_meanings


class TruncatedNames(NamesKind):
    """Cuts the first or last characters off a name, one to `most` of them, each number alike; one character always stays."""

    name: ClassVar[str] = "truncated_names"
    family: ClassVar[Family] = Family.NAMES
    recovery: ClassVar[str] = "Yes, where a vocabulary is given and exactly one of its names ends or begins like that."

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

    def _edit(self, column: str, mended: Mended, draws: Draws) -> Edit:
        cell, is_first = pl.col(column), self._is_first(draws, column)
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=self._can_lose(cell),
            draws={
                "is first": is_first,
                "lost": self._lost(cell, draws.uniform(column, "how many")),
                "cut": _cut(cell, drawn("is first"), drawn("lost")),
            },
            after={column: drawn("cut")},
            is_recoverable=mended(drawn("cut")) == cell,
        )

    def _is_first(self, draws: Draws, column: str) -> pl.Expr:
        if self.end != "both":
            return pl.lit(self.end == "first")
        return draws.uniform(column, "which end") < 0.5  # noqa: PLR2004  (each alike)

    def _can_lose(self, cell: pl.Expr) -> pl.Expr:
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

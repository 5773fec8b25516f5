"""Glued names: the sign between two names of a list is lost or another, or the rest of the list is left out."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, ClassVar, Literal

import polars as pl

from pipeline.model import Environment
from pipeline.noise.documents.fields import KnownName, Some, Text
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import Draws, Edit, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.known_names import Mended, NamesKind
from pipeline.noise.kinds.parts.slips import picked


class GluedNames(NamesKind):
    """Spoils one boundary in a list of names, so that two read as one or the rest is missing."""

    name: ClassVar[str] = "glued_names"
    family: ClassVar[Family] = Family.NAMES
    recovery: ClassVar[str] = "Yes, where a vocabulary is given and its names split the text in exactly one way."

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

    def _edit(self, column: str, mended: Mended, draws: Draws) -> Edit:
        cell = pl.col(column)
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=cell.str.contains(self.separator, literal=True),
            draws={
                "items": cell.str.split(self.separator),
                "form": picked(pl.lit([*self.forms]), draws.uniform(column, "form")),
                "kept": self._kept(draws.uniform(column, "where")),
                "glued": self._glued(cell),
            },
            after={column: drawn("glued")},
            is_recoverable=mended(drawn("glued")) == cell,
        )

    def _kept(self, uniform: pl.Expr) -> pl.Expr:
        """Draw how many names stand before the boundary."""
        return (uniform * (drawn("items").list.len().cast(pl.Int64) - 1)).cast(pl.Int64) + 1

    def _glued(self, cell: pl.Expr) -> pl.Expr:
        head = drawn("items").list.head(drawn("kept")).list.join(self.separator)
        tail = drawn("items").list.slice(drawn("kept")).list.join(self.separator)
        joint = pl.when(drawn("form") == "other_sign").then(pl.lit(self.sign)).otherwise(pl.lit(""))
        rest = pl.when(drawn("form") == "and_others").then(pl.lit(self.ending)).otherwise(joint + tail)
        is_list = drawn("items").list.len() > 1
        return pl.when(is_list & (head + tail != "")).then(head + rest).otherwise(cell)

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

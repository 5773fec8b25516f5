"""Naming drift: a canonical name gives way to one of its aliases. Typos and lost characters are other kinds."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import polars as pl

from pipeline.environment.model import Environment, Vocabulary
from pipeline.keyed import SEPARATOR, Key
from pipeline.noise.documents import Known, NotEmpty, Refusal, Text
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Family, WrittenColumn, clean, drawn
from pipeline.noise.mechanisms import ColumnName

_Drift = tuple[dict[str, pl.Expr], pl.Expr, pl.Expr]
"""What is drawn, the new text, and whether the old one can be recovered."""

_ITEM = "\x1e"
"""Stands between the items of a list while they are drawn for."""


@dataclass(frozen=True, kw_only=True)
class NamingDrift(CellKind):
    """Replaces canonical names of a vocabulary by an alias; the longest name that fits counts."""

    name: ClassVar[str] = "naming_drift"
    family: ClassVar[Family] = Family.NAMES
    recovery: ClassVar[str] = "Yes, from the other spellings in the column, unless two names share the alias."

    columns: Annotated[tuple[WrittenColumn, ...], NotEmpty()]
    vocabulary: Annotated[str, Known("vocabulary")]
    position: Literal["whole", "prefix", "contains", "list"] = "whole"
    """Where in the cell the name stands: all of it, its beginning, its first occurrence, every item of a list."""
    separator: Text | None = None
    """What stands between the items of a list."""
    choice: Literal["uniform", "ranked"] = "uniform"
    """Each alias alike, or the n-th of the vocabulary's order with weight 1/n (our choice: few forms make up most)."""
    consistent_by: ColumnName | None = None
    """An entity's column: whether its cells drift, and to which alias, is then decided once for each entity."""
    blank: Annotated[tuple[WrittenColumn, ...], NotEmpty()] | None = None
    """Columns that are emptied where the name drifts (an id, since the alias is in no dictionary)."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse a list without separator (and the reverse), a name that blanks itself, and unusable aliases."""
        if (self.position == "list") != (self.separator is not None):
            yield Refusal("separator", self.separator, "a text if position is list, nothing otherwise")
        if set(self.columns) & set(self.blank or ()):
            yield Refusal("blank", self.blank, "other columns than `columns`")
        aliases = [alias for row in environment.vocabulary(self.vocabulary).aliases.values() for alias in row]
        if not aliases or "" in aliases:
            yield Refusal("vocabulary", self.vocabulary, "a vocabulary that has aliases, none of them empty")

    def edits(self, environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return one edit a column, of the name and the cells to blank."""
        names = _Names(environment.vocabulary(self.vocabulary), self.choice)
        return tuple(self._edit(column, names, draws) for column in self.columns)

    def _edit(self, column: str, names: "_Names", draws: Draws) -> Edit:
        owner = self.consistent_by or draws.row_key
        drift = self._list_drift if self.position == "list" else self._drift
        draw, after, is_recoverable = drift(pl.col(column), clean(owner), names, draws.of(column, "what"))
        return Edit(
            column=column,
            owner=owner,
            is_eligible=self._has_name(pl.col(column), names),
            draws=draw,
            after={column: after, **{blank: pl.lit(None, pl.String) for blank in self.blank or ()}},
            is_recoverable=is_recoverable,
        )

    def _has_name(self, text: pl.Expr, names: "_Names") -> pl.Expr:
        if self.separator is not None:
            return text.str.split(self.separator).list.eval(pl.element().is_in(names.drifting)).list.any()
        return names.found(text, self.position).is_not_null()

    def _drift(self, text: pl.Expr, owner: pl.Expr, names: "_Names", key: Key) -> _Drift:
        name, uniform, alias = drawn("name"), drawn("uniform"), drawn("alias")
        draws = {
            "name": names.found(text, self.position),
            "uniform": key.uniform(owner, name),
            "alias": names.alias(name, uniform),
        }
        around = text.str.splitn(name, 2)
        after = pl.concat_str(around.struct.field("field_0"), alias, around.struct.field("field_1"))
        return draws, after.fill_null(text), names.is_unambiguous(alias)

    def _list_drift(self, text: pl.Expr, owner: pl.Expr, names: "_Names", key: Key) -> _Drift:
        # NOTE: list.eval sees no other column, so the owner travels inside every item
        separator = self.separator or ""
        owned = owner + pl.lit(SEPARATOR)
        items = (owned + text.str.replace_all(separator, pl.lit(_ITEM) + owned, literal=True)).str.split(_ITEM)
        item = pl.element().str.split(SEPARATOR).list.get(1)
        alias = names.alias(item, key.uniform(pl.element()))
        after = drawn("items").list.join(separator)
        is_recoverable = drawn("items").list.eval(names.is_unambiguous(pl.element())).list.all()
        return {"items": items.list.eval(pl.coalesce(alias, item))}, after, is_recoverable


class _Names:
    """A vocabulary as expressions: which name stands in a text, and which alias is drawn for it."""

    def __init__(self, vocabulary: Vocabulary, choice: Literal["uniform", "ranked"]) -> None:
        self._aliases = {name: aliases for name, aliases in vocabulary.aliases.items() if aliases}
        self._choice = choice
        # names without aliases take part as well, so that no shorter name is found inside them
        longest_first = sorted(vocabulary.aliases, key=lambda name: (-len(name), name))
        self._any = f"({'|'.join(pl.escape_regex(name) for name in longest_first)})"
        self.drifting = list(self._aliases)
        self.ambiguous = _ambiguous(vocabulary.aliases)

    def found(self, text: pl.Expr, position: str) -> pl.Expr:
        """Return the drifting name that stands in a text, null if there is none."""
        pattern = {"prefix": "^" + self._any, "contains": self._any}.get(position)
        name = text if pattern is None else text.str.extract(pattern, 1)
        return pl.when(name.is_in(self.drifting)).then(name)

    def alias(self, name: pl.Expr, uniform: pl.Expr) -> pl.Expr:
        """Return the alias that a uniform draw on [0, 1) picks, null for what is no drifting name."""
        bounds = {name: _bounds(len(aliases), self._choice) for name, aliases in self._aliases.items()}
        rank = pl.lit(0)
        for index in range(max(len(row) for row in bounds.values()) - 1):
            bound = {name: row[index] for name, row in bounds.items() if index < len(row)}
            rank += (uniform >= name.replace_strict(bound, default=1.0, return_dtype=pl.Float64)).cast(pl.Int32)
        by_rank = {f"{name}/{n}": alias for name, row in self._aliases.items() for n, alias in enumerate(row)}
        ranked = pl.concat_str(name, rank, separator="/")
        return ranked.replace_strict(by_rank, default=None, return_dtype=pl.String)

    def is_unambiguous(self, alias: pl.Expr) -> pl.Expr:
        """Return whether one canonical name alone can be meant."""
        return ~alias.is_in(self.ambiguous).fill_null(value=False)


def _bounds(count: int, choice: str) -> list[float]:
    """Return the upper bounds of `count` adjoining intervals that fill [0, 1); the last is 1."""
    weights = [1 / rank if choice == "ranked" else 1.0 for rank in range(1, count + 1)]
    return [sum(weights[: index + 1]) / sum(weights) for index in range(count)]


def _ambiguous(aliases: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the aliases that stand for two names, or are themselves another's name."""
    meant = [(alias, name) for name, row in aliases.items() for alias in {*row, name}]
    counts = (
        pl.DataFrame(meant, schema=["alias", "name"], orient="row").group_by("alias").agg(pl.col("name").n_unique())
    )
    return counts.filter(pl.col("name") > 1)["alias"].sort().to_list()

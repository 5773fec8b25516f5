"""Scope mismatch: a figure of another scope under the row's own label. Wrong labels are other kinds."""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

import polars as pl

from pipeline.model import Environment
from pipeline.noise.documents.fields import NOT_EMPTY, KnownName, Some, Text
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Family, Lookup, WrittenColumn, drawn
from pipeline.noise.kinds.parts.figures import only, unless_changed
from pipeline.noise.mechanisms import ColumnName


class ScopeMismatch(CellKind):
    """Gives a row the figure of its sibling of another scope (all exchanges, the nation, another year); the label stays."""

    name: ClassVar[str] = "scope_mismatch"
    family: ClassVar[Family] = Family.DEFINITIONS
    recovery: ClassVar[str] = "No: the figure is right for another row, and its own stands nowhere else."

    figure: WrittenColumn
    """The column of figures."""
    same: Some[ColumnName]
    """Columns in which a row and its sibling agree; an empty cell agrees with nothing."""
    scope: ColumnName | None = None
    """The column that says the scope."""
    instead: Annotated[Mapping[str, Text], NOT_EMPTY] | None = None
    """What stands in `scope`, and what stands there in the sibling's row; other rows are left alone."""
    position: Literal["whole", "prefix", "contains"] = "whole"
    """Where in `scope` the keys of `instead` stand: all of it, its beginning, its first occurrence."""
    table: Annotated[str, KnownName("table beside")] | None = None
    """The table beside in which the sibling stands (with columns of the same names); the row's own if not given."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse a scope without its siblings', siblings that are the row itself, and a table without the columns."""
        if (self.scope is None) != (self.instead is None):
            yield Refusal("instead", self.instead, "given together with scope")
        if self.scope is None and self.table is None:
            yield Refusal("scope", self.scope, "a column, or a table where the sibling stands")
        if self.figure in {*self.same, self.scope}:
            yield Refusal("figure", self.figure, "another column than scope and same")
        if self.table is not None:
            there = environment.table(self.table).columns
            needed = (self.figure, *self.same, *((self.scope,) if self.scope else ()))
            yield from (Refusal("table", self.table, f"a table with a column {c}") for c in needed if c not in there)

    def edits(self, _environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return the one edit, of the figure."""
        other = drawn("other")
        return (
            Edit(
                column=self.figure,
                owner=draws.row_key,
                lookups={"other": Lookup(table=self.table or "", on=self._agreeing(), value=only(pl.col(self.figure)))},
                is_eligible=(other != pl.col(self.figure)).fill_null(value=False),
                after={self.figure: unless_changed(self.figure, other)},
            ),
        )

    def _agreeing(self) -> tuple[tuple[pl.Expr, pl.Expr], ...]:
        agreeing = tuple((pl.col(column), pl.col(column)) for column in self.same)
        if self.scope is None:
            return agreeing
        return (*agreeing, (self._other_scope(pl.col(self.scope)), pl.col(self.scope)))

    def _other_scope(self, scope: pl.Expr) -> pl.Expr:
        """Return what stands in the sibling's scope, null where nothing is to stand instead; the longest key counts."""
        other = pl.lit(None, pl.String)
        for key, instead in sorted((self.instead or {}).items(), key=lambda pair: (len(pair[0]), pair[0])):
            other = pl.when(self._has(scope, key)).then(scope.str.replace(key, instead, literal=True)).otherwise(other)
        return other

    def _has(self, scope: pl.Expr, key: str) -> pl.Expr:
        """Return whether a key stands in a scope where it is to stand."""
        if self.position == "contains":
            return scope.str.contains(key, literal=True)
        return scope.str.starts_with(key) if self.position == "prefix" else scope == key

"""Roll-ups that go wrong: a stock summed like a flow, and a part counted twice. Both look at the parts of a total."""

from collections.abc import Iterator
from typing import Annotated, Literal

import polars as pl

from pipeline.documents.fields import PATTERN, KnownName, Some
from pipeline.documents.problems import Refusal
from pipeline.model import Environment
from pipeline.noise.kinds.interface import Draws, Edit, Family, Lookup, NoisyRows, OneEdit, WrittenColumn, clean, drawn
from pipeline.noise.kinds.parts.figures import PLACES, figure_text, only, quanta, sum_of, unless_changed
from pipeline.noise.mechanisms import ColumnName, Conditions


class _Rollup(OneEdit):
    """A figure that is made of others: its parts are the rows, here or in a table beside, that agree with its row."""

    family = Family.DEFINITIONS

    figure: WrittenColumn
    """The column of figures, of totals and parts alike."""
    same: Some[ColumnName] | None = None
    """Columns in which a total and its parts agree; an empty cell agrees with nothing."""
    label: ColumnName | None = None
    """A column of which a total and its parts share a piece only: the name of the series before its period."""
    series: Annotated[str, PATTERN] | None = None
    """A regular expression whose first group is the piece of `label` that is shared."""
    table: Annotated[str, KnownName("table beside")] | None = None
    """The table beside in which the parts stand (with columns of the same names); the total's own if not given."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse a label without its series (and the reverse), parts that agree in nothing, a table without the columns."""
        if (self.label is None) != (self.series is None):
            yield Refusal("series", self.series, "given together with label")
        if self.same is None and self.label is None:
            yield Refusal("same", self.same, "at least one column here, or a label")
        if self.figure in {*(self.same or ()), self.label}:
            yield Refusal("figure", self.figure, "another column than same and label")
        if self.series is not None and not pl.Series([""]).str.extract_groups(self.series).struct.fields:
            yield Refusal("series", self.series, "a regular expression with a group")
        if self.table is not None:
            there = environment.table(self.table).columns
            needed = (self.figure, *(self.same or ()), *((self.label,) if self.label else ()))
            yield from (Refusal("table", self.table, f"a table with a column {c}") for c in needed if c not in there)

    def _lookup(self, value: pl.Expr, *where: pl.Expr) -> Lookup:
        agreeing = [pl.col(column) for column in self.same or ()]
        if self.label is not None and self.series is not None:
            agreeing.append(pl.col(self.label).str.extract(self.series, 1))
        is_part = pl.all_horizontal(pl.lit(value=True), *where)
        return Lookup(table=self.table or "", on=tuple((cell, cell) for cell in agreeing), where=is_part, value=value)

    def _replaced(self, noisy: NoisyRows, lookups: dict[str, Lookup], after: pl.Expr) -> pl.DataFrame:
        """Return rows with the figure replaced by `after` over what was looked up; as they are if columns are missing."""
        needed = {self.figure, *(self.same or ()), *((self.label,) if self.label else ())}
        rows, source = noisy.rows, noisy.beside.get(self.table) if self.table else noisy.rows
        if source is None or not needed <= set(rows.columns) & set(source.columns):
            return rows
        found = rows
        for name, lookup in lookups.items():
            found = lookup.joined(found, source, name)
        return found.with_columns(pl.coalesce(after, pl.col(self.figure)).alias(self.figure)).select(rows.columns)


class StockAsFlow(_Rollup):
    """Writes the sum over all periods where the last one's figure would be right, as of a number of employees."""

    name = "stock_as_flow"
    recovery = "Yes where `closing` says which period in a table beside holds the truth; otherwise No."

    stock: Conditions
    """Which rows hold a stock. In the same table, its periods are such rows as well, the row itself among them."""
    closing: Conditions | None = None
    """Which of the periods, in the table beside, holds the figure at the end."""

    def refusals(self, environment: Environment) -> Iterator[Refusal]:
        """Refuse a closing period in the same table, whose figures are changed themselves."""
        yield from super().refusals(environment)
        if self.closing is not None and self.table is None:
            yield Refusal("closing", self.closing, "nothing, unless the periods stand in a table beside")

    def _edit(self, _environment: Environment, draws: Draws) -> Edit:
        total = figure_text(drawn("sum"), PLACES, like=pl.col(self.figure))
        is_other = ((total != pl.col(self.figure)) & quanta(pl.col(self.figure)).is_not_null()).fill_null(value=False)
        is_closing = drawn("closing") == clean(self.figure) if self.closing else pl.lit(value=False)
        return Edit(
            column=self.figure,
            owner=draws.row_key,
            lookups=self._lookups(),
            is_eligible=pl.all_horizontal(is_other, self._is_stock()),
            after={self.figure: unless_changed(self.figure, total)},
            is_recoverable=is_closing.fill_null(value=False),
        )

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Return stocks that are the sum of several periods as the closing period has them."""
        if self.closing is None or not noisy.has(*(condition.column for condition in self.stock)):
            return noisy.rows
        is_sum = quanta(pl.col(self.figure)) == drawn("sum")
        after = pl.when(is_sum & self._is_stock()).then(drawn("closing"))
        return self._replaced(noisy, self._lookups(), after)

    def _is_stock(self) -> pl.Expr:
        return pl.all_horizontal(condition.holds() for condition in self.stock)

    def _lookups(self) -> dict[str, Lookup]:
        where = () if self.table else (self._is_stock(),)
        lookups = {"sum": self._lookup(sum_of(pl.col(self.figure)), *where)}
        if self.closing is not None:
            is_closing = [condition.holds() for condition in self.closing]
            lookups["closing"] = self._lookup(only(pl.col(self.figure)), *is_closing)
        return lookups


class DoubleCounting(_Rollup):
    """Counts a part of a roll-up twice, or all of them: the figure grows by the part's, exactly."""

    name = "double_counting"
    recovery = "Yes where the figure was the exact sum of parts that are there: add them up again."
    claims_realism = True

    total: Conditions
    """Which rows hold a total."""
    parts: Conditions | None = None
    """Which of the rows that agree are its parts; all if not given. In the same table, a total is never a part."""
    counted: Literal["one", "all"] = "one"
    """What is counted twice: one part, each alike, or all of them (a total of the parts twice over)."""

    def _edit(self, _environment: Environment, draws: Draws) -> Edit:
        number, uniform = quanta(pl.col(self.figure)), draws.uniform(self.figure, "what")
        rank = (uniform * drawn("parts").list.len()).cast(pl.Int64)
        extra = drawn("sum") if self.counted == "all" else drawn("parts").list.get(rank, null_on_oob=True)
        grown = figure_text(drawn("grown"), PLACES, like=pl.col(self.figure))
        restored = figure_text(drawn("sum"), PLACES, like=grown)
        is_countable = number.is_not_null() & (drawn("parts").list.len() > 0)
        is_more = is_countable & (drawn("sum") != 0) if self.counted == "all" else is_countable
        return Edit(
            column=self.figure,
            owner=draws.row_key,
            lookups=self._lookups(),
            is_eligible=pl.all_horizontal(is_more.fill_null(value=False), self._is_total()),
            draws={"grown": number + extra},
            after={self.figure: unless_changed(self.figure, grown)},
            is_recoverable=(quanta(grown).is_not_null() & (restored == clean(self.figure))).fill_null(value=False),
        )

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Return totals that exceed the sum of their parts by a part (or by all of them) as that sum."""
        if not noisy.has(*(condition.column for condition in (*self.total, *(self.parts or ())))):
            return noisy.rows
        extra = quanta(pl.col(self.figure)) - drawn("sum")
        is_twice = extra == drawn("sum") if self.counted == "all" else drawn("parts").list.contains(extra)
        is_twice &= self._is_total() & (drawn("parts").list.len() > 0)
        after = pl.when(is_twice).then(figure_text(drawn("sum"), PLACES, like=pl.col(self.figure)))
        return self._replaced(noisy, self._lookups(), after)

    def _is_total(self) -> pl.Expr:
        return pl.all_horizontal(condition.holds() for condition in self.total)

    def _lookups(self) -> dict[str, Lookup]:
        number = quanta(pl.col(self.figure))
        where = [condition.holds() for condition in self.parts or ()]
        where += [] if self.table else [~self._is_total()]
        return {
            "sum": self._lookup(sum_of(pl.col(self.figure)), *where),
            "parts": self._lookup(number.filter(number != 0).sort(), *where),
        }

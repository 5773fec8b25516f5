"""Derives aggregates: statistics and counts over groups of entities, exact to the last digit.

Sums are taken over integers. A mean is the exact quotient, rounded half away from zero to 15 significant digits, as many as a
spreadsheet keeps (reference release, section 1.3). The same functions serve anonymised firms and originals. Comparing the two
belongs to `validation/consistency/aggregates.py`; names and order of published rows belong to the declarations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.derive.figure_rows import figure_rows
from pipeline.errors import InputError
from pipeline.model import PERIOD, Aggregate, Derivation, Environment, Frames, Measure, Panel
from pipeline.model.identities import rounded_quotient
from pipeline.model.refused.failing import declared_function
from pipeline.numerals import digit_count, power_of_ten

STATISTICS = ("sum", "mean", "max", "min", "median")
"""Every statistic, in published order; measures that are not additive have no sum."""

EXTREMES = ("max", "min")
"""Statistics that are one firm's figure, however many firms a group has."""

MEAN_DIGITS = 15
"""Significant digits of a mean."""


def derive_aggregate(
    environment: Environment, aggregate: Aggregate, entities: pl.DataFrame, figures: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """Return the tables that an aggregate gives, by name: statistics, and counts if any are declared."""
    code = environment.entities.code
    tables = {aggregate.name: statistics(aggregate, entities, figures, panel=environment.panel, code=code)}
    return tables | {aggregate.counts_name: counts(aggregate, entities)} if aggregate.counts else tables


def derive_further(derivation: Derivation, tables: Frames) -> pl.DataFrame:
    """Return an environment's own table, or raise `InputError` if its declaration returns anything else."""
    made = derivation.derive(tables)
    if not isinstance(made, pl.DataFrame):
        raise InputError(f"derivation {derivation.name!r}: a value of type {type(made).__name__} instead of a frame")
    return made


def statistics(
    aggregate: Aggregate, entities: pl.DataFrame, figures: pl.DataFrame, *, panel: Panel, code: str
) -> pl.DataFrame:
    """Return the statistics of each group, year and measure over the entities that report the measure.

    Returns:
        Columns `aggregate.by`, `year`, `measure`, `statistic`, `n` (entities that report it), `mantissa` and `scale`
        (value = mantissa * 10**-scale, Int64 and Int64; null where n = 0). Sorted by all but the numbers.
    """
    by, value = [*aggregate.by, PERIOD, "measure"], pl.col("value")
    # One measure after the other: the figures of all of them, each beside its groups, take many times the panel's memory.
    summaries = [
        contributions(aggregate, entities, figures, measures=measures, code=code)
        .filter(in_domain(aggregate))
        .group_by(by)
        .agg(
            n=value.count(),
            sum=value.cast(pl.Int128).sum(),
            max=value.max(),
            min=value.min(),
            twice_median=_twice_median(value),
        )
        .collect()
        for measures in [[measure] for measure in panel.measures] or [[]]
    ]
    complete = _complete(pl.concat(summaries), aggregate, panel.measures)
    return _melt(complete, by, panel.measures)


def counts(aggregate: Aggregate, entities: pl.DataFrame) -> pl.DataFrame:
    """Return how many entities each group has, by each declared breakdown.

    Returns:
        Columns `aggregate.by`, every column that occurs in a breakdown (null where the row is not broken down by it),
        `breakdown` (the breakdown's columns joined by "+", "" for the group itself) and `count`. Only cells with entities.
    """
    members = _members(aggregate, entities.lazy()).drop_nulls(list(aggregate.by))
    broken_by = list(dict.fromkeys(column for breakdown in aggregate.counts for column in breakdown))
    tables = [
        members.group_by([*aggregate.by, *breakdown])
        .agg(count=pl.len().cast(pl.Int64))
        .drop_nulls(list(breakdown))
        .with_columns(
            *(pl.lit(None, pl.String).alias(column) for column in broken_by if column not in breakdown),
            breakdown=pl.lit("+".join(breakdown)),
        )
        .select(*aggregate.by, *broken_by, "breakdown", "count")
        for breakdown in aggregate.counts
    ]
    return pl.concat(tables).sort(*aggregate.by, "breakdown", *broken_by).collect()


def contributions(
    aggregate: Aggregate, entities: pl.DataFrame, figures: pl.DataFrame, *, measures: Sequence[Measure], code: str
) -> pl.LazyFrame:
    """Return every figure of some measures in every group to which it contributes, totals included.

    Returns:
        Columns `code`, `aggregate.by`, `year`, `measure` and `value` (quanta, never null). They include groups outside of the
        domain, and entities without a value in a `by` column; filter by `in_domain` for the groups that are derived.
    """
    names = [measure.name for measure in measures]
    groups = _members(aggregate, entities.lazy()).select(code, *aggregate.by)
    selected = figure_rows(figures.lazy(), names, index={code: code, PERIOD: PERIOD})
    if aggregate.years is not None:
        selected = selected.filter(pl.col(PERIOD).is_in(aggregate.years))
    return groups.join(selected, on=code).drop_nulls("value").select(code, *aggregate.by, PERIOD, "measure", "value")


def in_domain(aggregate: Aggregate) -> pl.Expr:
    """Return whether a row belongs to a group that is derived: every `by` column has a value, and a declared one."""
    return pl.all_horizontal(
        *(pl.col(column).is_not_null() for column in aggregate.by),
        *(pl.col(column).is_in(_values(column, aggregate)) for column in aggregate.domain),
    )


@dataclass(frozen=True, kw_only=True)
class Nesting:
    """A total and its parts: each cell of one aggregate is the sum of cells of another, or of other cells of its own."""

    total: Aggregate
    parts: Aggregate
    takes_totals: bool = False
    """Whether the parts are the totals of `parts`, or the cells that those totals sum up."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the `by` columns in which a total and its parts agree, beside year and measure."""
        over = self.total.total_over if self.total is self.parts else ""
        return tuple(column for column in self.total.by if column != over)

    def is_total(self) -> pl.Expr:
        """Return whether a cell of `total` is a sum of parts."""
        if self.total is self.parts:
            return pl.col(self.total.total_over) == self.total.total_label
        return pl.lit(value=True)

    def is_part(self) -> pl.Expr:
        """Return whether a cell of `parts` is a part."""
        if not _has_totals_between(self.total, self.parts):
            return ~self.is_total() if self.total is self.parts else pl.lit(value=True)
        # Firms without a value in that column are in no total over it, but they are in the coarser aggregate.
        is_total = pl.col(self.parts.total_over) == self.parts.total_label
        return (is_total if self.takes_totals else ~is_total).fill_null(value=True)


def nestings(aggregates: Sequence[Aggregate]) -> list[Nesting]:
    """Return which aggregates sum up which: a declared total its own cells, a coarser aggregate a finer one's."""
    return [
        Nesting(total=total, parts=parts, takes_totals=takes_totals)
        for total in aggregates
        for parts in aggregates
        if (total.total_over if total is parts else set(total.by) < set(parts.by) and total.members == parts.members)
        for takes_totals in ((False, True) if _has_totals_between(total, parts) else (False,))
    ]


def _has_totals_between(total: Aggregate, parts: Aggregate) -> bool:
    """Return whether the finer of two aggregates has totals over a column that the coarser one lacks."""
    return total is not parts and bool(parts.total_over) and parts.total_over not in total.by


def _members(aggregate: Aggregate, entities: pl.LazyFrame) -> pl.LazyFrame:
    """Return the entities that count, then again as members of the total; a total leaves out those without a part."""
    with declared_function(f"`members` of the aggregate {aggregate.name!r}"):
        members = aggregate.members(entities).select(entities.collect_schema().names())
        members.collect_schema()
    if not aggregate.total_over:
        return members
    of_total = members.drop_nulls(aggregate.total_over)
    return pl.concat([members, of_total.with_columns(pl.lit(aggregate.total_label).alias(aggregate.total_over))])


# Twice the median is a whole number of quanta, even where the median lies half-way between two figures.
def _twice_median(value: pl.Expr) -> pl.Expr:
    ordered = value.cast(pl.Int128).sort()
    return ordered.get((pl.len() - 1) // 2) + ordered.get(pl.len() // 2)


def _complete(summary: pl.DataFrame, aggregate: Aggregate, measures: Sequence[Measure]) -> pl.DataFrame:
    """Add the groups of the declared domain that no entity reports for, with n = 0."""
    axes = [_axis(column, aggregate, summary) for column in aggregate.by]
    axes.append(pl.DataFrame({PERIOD: aggregate.years or summary[PERIOD].unique().sort()}, schema={PERIOD: pl.Int64}))
    axes.append(pl.DataFrame({"measure": [measure.name for measure in measures]}))
    by = [*aggregate.by, PERIOD, "measure"]
    if not aggregate.domain:
        return summary
    grid = axes[0]
    for axis in axes[1:]:
        grid = grid.join(axis, how="cross")
    return grid.join(summary, on=by, how="left").with_columns(pl.col("n").fill_null(0))


def _axis(column: str, aggregate: Aggregate, summary: pl.DataFrame) -> pl.DataFrame:
    if column not in aggregate.domain:
        return summary.select(pl.col(column).unique().sort())
    return pl.DataFrame({column: _values(column, aggregate)})


def _values(column: str, aggregate: Aggregate) -> tuple[str, ...]:
    """Return the declared values of a column, the total's label included."""
    return aggregate.domain[column] + ((aggregate.total_label,) if column == aggregate.total_over else ())


def _melt(summary: pl.DataFrame, by: list[str], measures: Sequence[Measure]) -> pl.DataFrame:
    facts = pl.DataFrame(
        [(measure.name, measure.decimals, measure.additive) for measure in measures],
        schema={"measure": pl.String, "decimals": pl.Int64, "additive": pl.Boolean},
        orient="row",
    )
    known = summary.join(facts, on="measure")
    decimals = pl.col("decimals")
    mean, mean_scale = _mean(pl.col("sum"), pl.col("n"), decimals)
    values = {
        "sum": (pl.col("sum"), decimals),
        "mean": (mean, mean_scale),
        "max": (pl.col("max"), decimals),
        "min": (pl.col("min"), decimals),
        "median": (pl.col("twice_median") * 5, decimals + 1),
    }
    parts = [
        (known.filter("additive") if statistic == "sum" else known).select(
            *by,
            pl.lit(statistic).alias("statistic"),
            pl.col("n").cast(pl.Int64),
            values[statistic][0].cast(pl.Int64).alias("mantissa"),
            values[statistic][1].cast(pl.Int64).alias("scale"),
        )
        for statistic in STATISTICS
    ]
    return pl.concat(parts).sort(*by, "statistic")


def _mean(total: pl.Expr, n: pl.Expr, decimals: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Return mantissa and scale of total / n at `MEAN_DIGITS` significant digits.

    A mean below 1 has `MEAN_DIGITS` decimals; a mean whose whole part is longer keeps all digits of it.
    """
    whole_digits = digit_count((total.abs() // n).cast(pl.Int128) // power_of_ten(decimals))
    scale = (MEAN_DIGITS - whole_digits).clip(0, MEAN_DIGITS)
    return rounded_quotient(total * power_of_ten(scale), n.cast(pl.Int128) * power_of_ten(decimals)), scale

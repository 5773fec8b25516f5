"""Which cells of the aggregates are not published: small ones, dominated ones, and those that would give them away.

A cell is one group, year and measure; all its statistics are published or none. Decided over all aggregates of an environment
at once, because one table's cells are the sums of another's. Deriving the statistics belongs to `pipeline/derive.py`; what an
outsider still reads from the published cells to `validation/attacks/cells.py`. Suppression hides nothing that is published
beside it: where the tables of the single firms are published too, whoever has them computes every cell again.

Source of the rules: Hundepool et al., Statistical Disclosure Control (2012), chapter 4, "Magnitude tabular data".
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.derive import Nesting, contributions, in_domain, nestings
from pipeline.environment.model import PERIOD, Aggregate, Environment
from pipeline.errors import InputError

COUNT, DOMINANCE, COMPLEMENTARY, EXTREME = "count", "dominance", "complementary", "extreme"
"""Why a cell is suppressed: too few firms; one too large; to protect another; or only its maximum and minimum."""

EXTREMES = ("max", "min")
"""Statistics that are one firm's figure, however many firms the cell has."""

_ROUNDING = 1e-6
"""Above the rounding of a leverage, below what a leverage of a cell in a cycle of n equations is short of 1, about 1 / n."""

_EQUATION = ("line", "total")
"""Columns that name an equation: the pair of tables it is between, and its total's cell."""


@dataclass(frozen=True, kw_only=True)
class CellRule:
    """Which cells may be published; the defaults let every cell be.

    `minimum_count` is the threshold rule: with 3, no firm of a cell can subtract itself and see the only other one.
    `largest_share` is the dominance rule for one contributor, (1, k) with k in per cent: above it the sum is close to the
    largest firm's figure. It is taken of absolute values, so that losses do not hide a large firm; ratios, of which only
    means are published, are held to it as well. Extremes are one firm's figure in any cell: the other two rules let them be
    published with their cell, and `keeps_extremes=False` suppresses all of them.
    """

    minimum_count: int = 1
    largest_share: float = 1.0
    """Above 0, at most 1."""
    keeps_extremes: bool = True

    def __post_init__(self) -> None:
        if self.minimum_count < 1:
            raise InputError(f"a cell rule's minimum_count is {self.minimum_count}; allowed: 1 or more")
        if not 0 < self.largest_share <= 1:
            raise InputError(f"a cell rule's largest_share is {self.largest_share}; allowed: above 0, at most 1")

    def has_enough(self, n: pl.Expr) -> pl.Expr:
        """Return whether so many firms are enough."""
        return n >= self.minimum_count

    def is_dominated(self, largest: pl.Expr, magnitude: pl.Expr) -> pl.Expr:
        """Return whether the largest |figure| is too large a share of the sum of all |figures|; zeros have no largest."""
        return largest.cast(pl.Float64) > self.largest_share * magnitude.cast(pl.Float64)

    def allows(self, n: pl.Expr, largest: pl.Expr, magnitude: pl.Expr) -> pl.Expr:
        """Return whether a cell may be published for its own sake."""
        return self.has_enough(n) & ~self.is_dominated(largest, magnitude)


def suppressed_cells(
    environment: Environment, entities: pl.DataFrame, figures: pl.DataFrame, rule: CellRule
) -> pl.DataFrame:
    """Return the cells of all aggregates that are not to be published. For the curator alone: it lists small cells.

    First the cells that break the rule. Then, until nothing more is needed, those that protect them: wherever a total equals
    the sum of parts (a declared total of an aggregate, or a coarser aggregate of the same entities), no suppressed cell is the
    only unknown, and what remains when the published parts are taken from a published total obeys the rule like a cell. Parts
    that are never published (outside the domain, or of firms without a group) count as unknown. The smallest cell that
    suffices is taken; where none does alone, the largest ones until they do. At last no suppressed cell follows from all
    equations together either. Bounds on a cell are not kept wide: that would be linear programming over the whole table
    (Fischetti and Salazar 2001).

    Args:
        environment: Declares aggregates, panel and entities.
        entities: The first entity table.
        figures: The panel.
        rule: Which cells may be published.

    Returns:
        Columns `aggregate`, the `by` columns of all aggregates (null where another's), `year`, `measure`, `n` and `reason`.
        `EXTREME` concerns maximum and minimum, every other reason all statistics. Sorted by all but n and reason.
    """
    cells = _cells(environment, entities, figures).with_columns(reason=_primary_reason(rule))
    terms = _equations(environment.aggregates, cells)
    while len(added := _complements(cells, terms, rule)) or len(added := _companions(cells, terms)):
        is_added = pl.col("cell").is_in(added.implode())
        cells = cells.with_columns(reason=pl.when(is_added).then(pl.lit(COMPLEMENTARY)).otherwise("reason"))
    if not rule.keeps_extremes:
        is_kept = ~pl.col("is_hidden") & pl.col("reason").is_null()
        cells = cells.with_columns(reason=pl.when(is_kept).then(pl.lit(EXTREME)).otherwise("reason"))
    return cells.drop_nulls("reason").sort("cell").drop("cell", "largest", "magnitude", "is_hidden")


def suppress(statistics: pl.DataFrame, aggregate: Aggregate, suppressed: pl.DataFrame) -> pl.DataFrame:
    """Return an aggregate's statistics with mantissa and scale null where they are suppressed; n and all rows stay.

    Args:
        statistics: What `derive.statistics` gives.
        aggregate: Whose statistics they are.
        suppressed: What `suppressed_cells` gives.
    """
    keys = [*aggregate.by, PERIOD, "measure"]
    reasons = suppressed.filter(aggregate=aggregate.name).select(*keys, "reason")
    is_cell = pl.col("reason").is_not_null() & (pl.col("reason") != EXTREME)
    is_extreme = (pl.col("reason") == EXTREME) & pl.col("statistic").is_in(EXTREMES)
    is_published = ~(is_cell | is_extreme).fill_null(value=False)
    return (
        statistics.join(reasons, on=keys, how="left", maintain_order="left")
        .with_columns(pl.when(is_published).then(column).alias(column) for column in ("mantissa", "scale"))
        .drop("reason")
    )


def _cells(environment: Environment, entities: pl.DataFrame, figures: pl.DataFrame) -> pl.DataFrame:
    """Return every cell with firms, numbered by `cell`, with firms `n`, sum and maximum of |figures|, and `is_hidden`."""
    size = pl.col("value").abs()
    facts = {"n": pl.Int64, "largest": pl.Int64, "magnitude": pl.Int128, "is_hidden": pl.Boolean}
    tables = [pl.DataFrame(schema={"aggregate": pl.String, PERIOD: pl.Int64, "measure": pl.String, **facts})]
    for aggregate in environment.aggregates:
        keys = [*aggregate.by, PERIOD, "measure"]
        firms = contributions(aggregate, entities, figures, panel=environment.panel, code=environment.entities.code)
        summary = firms.group_by(keys).agg(
            n=pl.len().cast(pl.Int64), largest=size.max(), magnitude=size.cast(pl.Int128).sum()
        )
        named = summary.select(pl.lit(aggregate.name).alias("aggregate"), pl.all(), is_hidden=~in_domain(aggregate))
        tables.append(named.sort(keys).collect())
    by = dict.fromkeys(column for aggregate in environment.aggregates for column in aggregate.by)
    order = ["aggregate", *by, PERIOD, "measure", *facts]
    return pl.concat(tables, how="diagonal").select(order).with_row_index("cell")


def _primary_reason(rule: CellRule) -> pl.Expr:
    is_judged = ~pl.col("is_hidden")
    return (
        pl.when(is_judged & ~rule.has_enough(pl.col("n")))
        .then(pl.lit(COUNT))
        .when(is_judged & rule.is_dominated(pl.col("largest"), pl.col("magnitude")))
        .then(pl.lit(DOMINANCE))
    )


def _equations(aggregates: Sequence[Aggregate], cells: pl.DataFrame) -> pl.DataFrame:
    """Return the terms of every equation total = sum of parts: `_EQUATION`, `cell`, `is_total`."""
    terms = [
        term.with_columns(line=pl.lit(line, pl.Int64))
        for line, nesting in enumerate(nestings(aggregates))
        for term in _terms(nesting, cells)
    ]
    number = cells.schema["cell"]
    nothing = pl.Schema({"total": number, "cell": number, "is_total": pl.Boolean(), "line": pl.Int64()})
    return pl.concat([nothing.to_frame(), *terms])


def _terms(nesting: Nesting, cells: pl.DataFrame) -> Iterable[pl.DataFrame]:
    keys = [*nesting.keys, PERIOD, "measure"]
    totals = cells.filter(~pl.col("is_hidden"), nesting.is_total(), aggregate=nesting.total.name)
    parts = cells.filter(nesting.is_part(), aggregate=nesting.parts.name)
    numbered = totals.select(*keys, total="cell")
    yield totals.select(total="cell", cell="cell", is_total=pl.lit(value=True))
    yield numbered.join(parts, on=keys).select("total", "cell", is_total=pl.lit(value=False))


def _complements(cells: pl.DataFrame, terms: pl.DataFrame, rule: CellRule) -> pl.Series:
    """Return further cells to suppress, one pass over all equations; none if every equation is safe."""
    known = _described(terms, cells)
    candidates = known.filter(~pl.col("is_unknown")).join(_unsafe_equations(known, rule), on=_EQUATION)
    n, largest, magnitude = _cell("")
    ordered = candidates.with_columns(is_enough=_is_cover(rule, n, largest, magnitude)).sort(
        *_EQUATION,
        "is_total",
        ~pl.col("is_enough"),
        pl.when("is_enough").then(magnitude).otherwise(magnitude * -1),
        "cell",
    )
    so_far = (column.over(_EQUATION) for column in (n.cum_sum(), largest.cum_max(), magnitude.cum_sum()))
    is_safe = pl.col("is_total") | pl.col("is_total_unknown") | _is_cover(rule, *so_far)
    safe_before = is_safe.cast(pl.Int64).cum_sum().over(_EQUATION) - is_safe.cast(pl.Int64)
    return ordered.filter(safe_before == 0)["cell"].unique().sort()


def _is_cover(rule: CellRule, n: pl.Expr, largest: pl.Expr, magnitude: pl.Expr) -> pl.Expr:
    """Return whether parts with these facts, added to what is unknown, make a cell that could be published."""
    rest_n, rest_largest, rest_magnitude = _cell("rest_")
    return rule.allows(rest_n + n, pl.max_horizontal(rest_largest, largest), rest_magnitude + magnitude)


def _unsafe_equations(known: pl.DataFrame, rule: CellRule) -> pl.DataFrame:
    """Return the equations that give something away, each with what is unknown of its parts, as if it were one cell."""
    rest = pl.col("is_unknown") & ~pl.col("is_total")
    equations = known.group_by(_EQUATION).agg(
        rest_n=pl.col("n").filter(rest).sum(),
        rest_largest=pl.col("largest").filter(rest).max().fill_null(0),
        rest_magnitude=pl.col("magnitude").filter(rest).sum(),
        unknowns=pl.col("is_unknown").sum(),
        suppressed=pl.col("reason").count(),
        is_total_unknown=(pl.col("is_unknown") & pl.col("is_total")).any(),
    )
    is_alone = (pl.col("suppressed") > 0) & (pl.col("unknowns") == 1)
    is_seen = ~pl.col("is_total_unknown") & (pl.col("rest_n") > 0) & ~rule.allows(*_cell("rest_"))
    return equations.filter(is_alone | is_seen).drop("unknowns", "suppressed")


def _companions(cells: pl.DataFrame, terms: pl.DataFrame) -> pl.Series:
    """Return the smallest published cell of every equation with a suppressed one that all equations together fix."""
    known = _described(terms, cells)
    # Equations hold within a year and a measure, so that each has a system of its own.
    systems = known.filter("is_unknown").partition_by(PERIOD, "measure")
    fixed = pl.concat([pl.Series("cell", [], known.schema["cell"]), *(_fixed_cells(system) for system in systems)])
    touched = known.filter(pl.col("cell").is_in(fixed.implode())).select(_EQUATION).unique()
    candidates = known.join(touched, on=_EQUATION).filter(~pl.col("is_unknown")).sort("is_total", "magnitude", "cell")
    return candidates.group_by(_EQUATION, maintain_order=True).first()["cell"].unique().sort()


def _fixed_cells(system: pl.DataFrame) -> pl.Series:
    """Return the suppressed cells that have one value in every solution of a system: those of leverage 1.

    A linear function of the unknowns is fixed by equations A x = b if it is in the row space of A, and a unit vector is there
    if its projection on that space, the diagonal of A' (A A')+ A, is 1. All coefficients are 1 or -1.
    """
    rows, columns = (
        system.select(pl.struct(names).rank("dense") - 1).to_series().to_numpy() for names in (_EQUATION, ["cell"])
    )
    matrix = np.zeros((int(rows.max()) + 1, int(columns.max()) + 1))
    matrix[rows, columns] = np.where(system["is_total"], -1.0, 1.0)
    leverage = ((np.linalg.pinv(matrix @ matrix.T, hermitian=True) @ matrix) * matrix).sum(axis=0)
    is_fixed = pl.Series(leverage[columns] > 1 - _ROUNDING)
    return system.filter(is_fixed, pl.col("reason").is_not_null())["cell"].unique()


def _described(terms: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """Return the terms of all equations with what is needed of their cells."""
    is_unknown = pl.col("is_hidden") | pl.col("reason").is_not_null()
    facts = cells.select("cell", PERIOD, "measure", "n", "largest", "magnitude", "reason", is_unknown=is_unknown)
    return terms.join(facts, on="cell")


def _cell(prefix: str) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    return pl.col(f"{prefix}n"), pl.col(f"{prefix}largest"), pl.col(f"{prefix}magnitude")

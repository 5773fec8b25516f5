"""Mutants of derived tables: statistics, counts and totals that no longer follow from the firms, or from the policies."""

import polars as pl

from assets.making.keys import Stage
from assets.making.store import Value
from tests.mutants.figures import FREE
from tests.mutants.mutant import Change, Made, Mutant, Place

NATIONAL, REGIONAL, COUNTS, POLICIES = "national", "regional", "national_counts", "policy_counts"

_RECOMPUTED = "every published statistic is worked out again from the published firms"


def _cell(table: str, column: str, changed: pl.Expr, where: pl.Expr) -> Change:
    """Change one column in the first row that a condition chooses."""

    def change(made: Made) -> dict[Place, Value]:
        frame = made.table(Stage.DERIVED, table)
        is_first = pl.int_range(pl.len()) == pl.arg_where(where.fill_null(value=False)).first()
        return {
            (Stage.DERIVED, table): frame.with_columns(pl.when(is_first).then(changed).otherwise(column).alias(column))
        }

    return change


def _biased(made: Made) -> dict[Place, Value]:
    frame = made.table(Stage.DERIVED, NATIONAL)
    is_sum = (pl.col("measure") == FREE) & (pl.col("statistic") == "sum")
    higher = pl.col("mantissa") + pl.col("mantissa") * 9 // 1000
    return {
        (Stage.DERIVED, NATIONAL): frame.with_columns(
            pl.when(is_sum).then(higher).otherwise("mantissa").alias("mantissa")
        )
    }


_IS_STATED = (pl.col("measure") == FREE) & (pl.col("mantissa") > 0)
_PLUS_ONE = pl.col("mantissa") + 1

AGGREGATE_MUTANTS = (
    Mutant(
        name="perturbed aggregate",
        does="One industry's median market value is 5 % too high.",
        change=_cell(
            NATIONAL, "mantissa", pl.col("mantissa") * 21 // 20, _IS_STATED & (pl.col("statistic") == "median")
        ),
        meant="aggregates_agree",
        also={"domains_agree": _RECOMPUTED},
    ),
    Mutant(
        name="biased sums",
        does="Every industry's sum of market values is 0.9 % too high, less than the digits of one firm may move.",
        change=_biased,
        meant="aggregates_agree",
        also={
            "totals_are_their_parts": "the nation's sums no longer are those of its provinces",
            "domains_agree": _RECOMPUTED,
        },
    ),
    Mutant(
        name="aggregate off by one",
        does="One industry's median market value is off by one unit of its last digit.",
        change=_cell(NATIONAL, "mantissa", _PLUS_ONE, _IS_STATED & (pl.col("statistic") == "median")),
        meant="domains_agree",
    ),
    Mutant(
        name="total off by one",
        does="One province's sum over all industries is off by one unit of its last digit.",
        change=_cell(
            REGIONAL,
            "mantissa",
            _PLUS_ONE,
            _IS_STATED & (pl.col("statistic") == "sum") & (pl.col("industry") == "全行业"),
        ),
        meant="totals_are_their_parts",
        also={"domains_agree": _RECOMPUTED},
    ),
    Mutant(
        name="count off by one",
        does="One industry has a firm too many.",
        change=_cell(COUNTS, "count", pl.col("count") + 1, pl.col("breakdown") == ""),
        meant="aggregates_agree",
        also={
            "totals_are_their_parts": "the count of the industry is the sum of its counts by ownership",
            "domains_agree": "firms are counted again in the published profile",
        },
    ),
    Mutant(
        name="policy count off by one",
        does="One agency has released a policy too many.",
        change=_cell(POLICIES, "count", pl.col("count") + 1, pl.col("layer") == 2),
        meant="domains_agree",
    ),
)

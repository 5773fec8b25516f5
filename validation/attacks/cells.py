"""Single firms in published aggregates: small cells, extremes, dominated cells, and subtracting nested tables.

The attacker knows from the public register which firms are in a cell, and from annual reports their original figures: an
attack succeeds where a published value, or a difference of published values, comes out as one of those. Which cells are
published is decided in `pipeline/suppression.py`, which shares no arithmetic with this file. The published tables of single
firms are not used here: where they are published, every cell can be computed from them again.
"""

from collections.abc import Sequence

import polars as pl

from pipeline.derive import Nesting, contributions, in_domain, nestings
from pipeline.environment.model import PERIOD, Aggregate, Environment, Frames
from pipeline.numerals import as_float
from validation.attacks import Attack

READ_OFF = 0.01
"""How near a published value must be to a firm's figure to be it: what three kept digits leave open."""

ESTIMATED = 0.05
"""How near an estimate must be to a firm's figure to disclose it; the p of the p % rule is mostly 5 to 15 (our choice: 5)."""

FEW = 2
"""Cells of so many firms are small: one of two firms subtracts itself and sees the other."""


def cell_attacks(
    environment: Environment, published: Frames, entities: pl.DataFrame, originals: pl.DataFrame
) -> list[Attack]:
    """Attack the cells of every aggregate, then every pair of tables (or table and its own total) that are nested.

    Figures of 0 are not counted as anybody's. Records of small and dominated cells are all cells of the originals, published or
    not: one that is not published is an attack that failed. Records of a difference are the totals that are published while
    some part is not. Guessing is not told apart (`chance` is 0): a guess within a few per cent has no natural rate.

    Args:
        environment: Declares aggregates, panel and entities.
        published: Statistics by the aggregate's name, as derived, null where suppressed.
        entities: The first entity table of the originals.
        originals: The panel of the originals.
    """
    firms = {a.name: _firms(environment, a, entities, originals) for a in environment.aggregates}
    values = {a.name: _values(published[a.name], a) for a in environment.aggregates}
    return [
        *(
            attack
            for aggregate in environment.aggregates
            for attack in _cell_attacks(aggregate, firms[aggregate.name], values[aggregate.name])
        ),
        *(_differencing(nesting, firms, values) for nesting in nestings(environment.aggregates)),
    ]


def _cell_attacks(aggregate: Aggregate, firms: pl.DataFrame, values: pl.DataFrame) -> list[Attack]:
    keys = _keys(aggregate.by)
    figure = pl.col("figure")
    cells = (
        firms.filter(in_domain(aggregate))
        .with_columns(firms=pl.len().over(keys), originals=figure.sum().over(keys))
        .join(values, on=keys, how="left")
    )
    # Who knows all other figures of a cell has the one that is left off by as much as the published total is.
    others = pl.col("originals") - figure
    rest = pl.col("mean") * pl.col("firms") - others
    whole = cells.sort(figure.abs(), descending=True).group_by(keys, maintain_order=True).first()
    large = whole.filter(pl.col("firms") > FEW)
    extremes = cells.filter(pl.col("firms") > FEW).group_by(keys).agg(figure.max(), pl.col("max").first())
    knowledge = f"which firms are in each cell of {aggregate.name}, and their figures"
    found = {
        "cell of one firm": (cells.filter(firms=1).select(figure, estimate=rest), READ_OFF),
        "cell of two firms, asked by one of them": (cells.filter(firms=FEW).select(figure, estimate=rest), ESTIMATED),
        "largest figure of a cell": (extremes.select(figure, estimate="max"), READ_OFF),
        "dominated cell": (large.select(figure, estimate=pl.col("mean") * pl.col("firms")), ESTIMATED),
    }
    return [_attack(name, knowledge, estimates, tolerance) for name, (estimates, tolerance) in found.items()]


def _differencing(nesting: Nesting, firms: Frames, values: Frames) -> Attack:
    """Subtract the published parts from each published total, and take what is left for the largest firm of the others."""
    keys = _keys(nesting.keys)
    totals = _sums(nesting.total, firms, values).filter(nesting.is_total()).drop_nulls("sum").select(*keys, total="sum")
    parts = _sums(nesting.parts, firms, values).filter(nesting.is_part())
    known = parts.group_by(keys).agg(pl.col("sum").sum())
    unknown = parts.filter(pl.col("sum").is_null()).select(_keys(nesting.parts.by))
    left = (
        firms[nesting.parts.name]
        .join(unknown, on=_keys(nesting.parts.by), nulls_equal=True)
        .sort(pl.col("figure").abs(), descending=True)
        .group_by(keys, maintain_order=True)
        .agg(pl.col("figure").first())
    )
    estimates = totals.join(known, on=keys).join(left, on=keys)
    names = " and ".join(dict.fromkeys((nesting.total.name, nesting.parts.name)))
    return _attack(
        "differencing",
        f"which firms are in each cell of {names}, and their figures",
        estimates.select("figure", estimate=pl.col("total") - pl.col("sum")),
        ESTIMATED,
    )


def _firms(
    environment: Environment, aggregate: Aggregate, entities: pl.DataFrame, originals: pl.DataFrame
) -> pl.DataFrame:
    """Return the firms of every cell with their `figure` in units, those of groups that are not derived included."""
    panel = environment.panel
    decimals = {measure.name: measure.decimals for measure in panel.measures}
    scale = pl.col("measure").replace_strict(decimals, return_dtype=pl.Int64)
    rows = contributions(aggregate, entities, originals, panel=panel, code=environment.entities.code)
    return rows.select(*_keys(aggregate.by), figure=as_float(pl.col("value"), scale)).collect()


def _values(published: pl.DataFrame, aggregate: Aggregate) -> pl.DataFrame:
    """Return the published mean and maximum of each cell, null where they are not published."""
    value = as_float(pl.col("mantissa"), pl.col("scale"))
    return published.group_by(_keys(aggregate.by)).agg(
        value.filter(statistic=statistic).first().alias(statistic) for statistic in ("mean", "max")
    )


def _sums(aggregate: Aggregate, firms: Frames, values: Frames) -> pl.DataFrame:
    """Return the published sum of each cell with firms, null where it is not published."""
    keys = _keys(aggregate.by)
    cells = firms[aggregate.name].group_by(keys).len()
    return cells.join(values[aggregate.name], on=keys, how="left").with_columns(sum=pl.col("mean") * pl.col("len"))


def _keys(by: Sequence[str]) -> list[str]:
    return [*by, PERIOD, "measure"]


def _attack(name: str, knowledge: str, estimates: pl.DataFrame, tolerance: float) -> Attack:
    """Count the estimates within the tolerance of the figure; columns `figure` and `estimate`, null where there is none."""
    tried = estimates.filter(pl.col("figure") != 0)
    error = (pl.col("estimate") - pl.col("figure")).abs()
    return Attack(
        attack=name,
        knowledge=knowledge,
        records=tried.height,
        successes=tried.filter(error <= tolerance * pl.col("figure").abs()).height,
        detail=f"{tried['estimate'].count()} of them had a published value to go by; success is to be within {tolerance:.0%}",
    )

"""Differencing of counts: what a release's counts leave for one company when all others are taken away."""

import numpy as np
import polars as pl

from benchmarks.learnt.guesses import Guesses
from benchmarks.learnt.others import ALL_OTHERS
from pipeline.model import PERIOD
from validation.attacks.adaptive.populations import CODE, INDUSTRY, Population


def counts(originals: Population, published: Population) -> list[Guesses]:
    """Guess categories, the years reported, losses and zeros of every company from the published counts of its industry.

    The control guesses what is commonest among the others of the industry.
    """
    register = [
        _differenced(f"{column} of a company", *(_of_register(side, column) for side in (originals, published)))
        for column in originals.register
    ]
    years = _differenced("years reported", *(_of_years(side) for side in (originals, published)))
    signs = [
        _differenced(what, *(_of_figures(side, is_so) for side in (originals, published)))
        for what, is_so in (("a figure is a loss", pl.col("value") < 0), ("a figure is zero", pl.col("value") == 0))
    ]
    return [*register, years, *signs]


_CELL = ("cell", INDUSTRY)
"""What is counted apart."""

_LEAST_ERROR = 1e-3
"""Scale of the errors of counts have none, to divide by."""


def _of_register(side: Population, column: str) -> pl.DataFrame:
    listed = side.entities.select(CODE, INDUSTRY, answer=pl.col(column).cast(pl.String)).drop_nulls("answer")
    return listed.with_columns(cell=pl.lit(""))


def _of_years(side: Population) -> pl.DataFrame:
    years = side.figures.group_by(CODE).agg(answer=pl.col(PERIOD).sort().cast(pl.String).str.join(", "))
    return years.join(side.entities.select(CODE, INDUSTRY), on=CODE).with_columns(cell=pl.lit(""))


def _of_figures(side: Population, is_so: pl.Expr) -> pl.DataFrame:
    long = side.figures.unpivot(side.measures, index=[CODE, PERIOD], variable_name="measure").drop_nulls("value")
    cell = pl.format("{}, {}", "measure", PERIOD)
    return long.select(CODE, cell.alias("cell"), answer=is_so.cast(pl.String)).join(
        side.entities.select(CODE, INDUSTRY), on=CODE
    )


def _differenced(attack: str, originals: pl.DataFrame, published: pl.DataFrame) -> Guesses:
    """Ask for the answer of each company in cells in which the others have several.

    The guess is the likeliest answer, if each is as likely as it is frequent among the others, and published counts are theirs
    and the target's with errors by Laplace's law, whose scale follows from all cells together.
    """
    others = pl.col("there").cast(pl.Int64) - (pl.col("answer") == pl.col("truth")).cast(pl.Int64)
    left = pl.col("now").cast(pl.Int64) - pl.col("others")
    surprise = (left.abs() - (left - 1).abs()) / (left.abs().mean() + _LEAST_ERROR)
    tried = (
        originals.rename({"answer": "truth"})
        .join(_answers(originals, published), on=_CELL)
        .with_columns(others=others)
        .filter((pl.col("others") + pl.col("now")) > 0)
        .filter((pl.col("others") > 0).sum().over(CODE, *_CELL) > 1)
        .with_columns(score=surprise + (pl.col("others") + 0.5).log())
    )
    best = (
        tried.sort("answer")
        .group_by(CODE, *_CELL, "truth", maintain_order=True)
        .agg(
            guess=pl.col("answer").get(pl.col("score").arg_max()),
            commonest=pl.col("answer").get(pl.col("others").arg_max()),
        )
        .sort(CODE, *_CELL)
    )
    right, control = ((best[name] == best["truth"]).to_numpy().astype(np.float64) for name in ("guess", "commonest"))
    return Guesses(attack=attack, knowledge=ALL_OTHERS, codes=best[CODE].to_list(), right=right, control=control)


def _answers(originals: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Return how many companies of each cell give each answer, `there` and `now`; nothing if nothing is published."""
    sides = [
        side.group_by(*_CELL, "answer").agg(pl.len().alias(name))
        for side, name in ((originals, "there"), (published, "now"))
    ]
    both = sides[0].join(sides[1], on=[*_CELL, "answer"], how="full", coalesce=True).fill_null(0)
    return both if published.height else both.clear()

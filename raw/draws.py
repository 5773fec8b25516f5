"""The public key of generated originals, and the few ways in which generators draw from it.

Everything drawn is a function of this key and of its purpose, so that everybody generates the same originals. Drawing firms,
policies and series belongs to their own modules.
"""

import math

import polars as pl

from pipeline.keyed import Key

CORPUS_KEY = Key(b"Silt's generated corpus is public")
"""No secret: the corpus is the same for everybody, and protects nobody."""


def scaled(number: int, scale: float) -> int:
    """Return a number of records at a scale, at least one."""
    return max(1, round(number * scale))


def normal(key: Key, *label: pl.Expr | str) -> pl.Expr:
    """Return one standard normal deviate for each row (Float64, |z| <= 3.5) by Box and Muller's transform (1958)."""
    # 1 - u is never 0, so that the logarithm is finite.
    radius = (-2 * (1 - key.derive("radius").uniform(*label)).log()).sqrt()
    angle = 2 * math.pi * key.derive("angle").uniform(*label)
    return (radius * angle.cos()).clip(-3.5, 3.5)


def pick(frame: pl.DataFrame, choices: pl.DataFrame, *, by: list[str], uniform: pl.Expr) -> pl.DataFrame:
    """Add to each row one row of `choices` that agrees in the columns `by`, with probability in proportion to its `weight`.

    Args:
        frame: Rows to choose for; the result has another order.
        choices: Columns `by`, `weight` (> 0) and those that are added; its row order is part of the draw.
        by: Columns on which both agree; at least one.
        uniform: A deviate on [0, 1) for each row.
    """
    weight = pl.col("weight").cast(pl.Float64)
    # Each choice begins where the weights before it end; the deviate falls to the last one that begins below it.
    edges = choices.with_columns(edge=((weight.cum_sum() - weight) / weight.sum()).over(by)).drop("weight")
    return (
        frame.with_columns(deviate=uniform)
        .sort("deviate")
        .join_asof(edges.sort("edge"), left_on="deviate", right_on="edge", by=by, check_sortedness=False)
        .drop("deviate", "edge")
    )


def one_of(words: tuple[str, ...], draw: pl.Expr) -> pl.Expr:
    """Return one of the words for each row, all equally likely; `draw` is uniform on a range much above their number."""
    return pl.lit(pl.Series(words)).gather(draw % len(words))


def ragged(quanta: pl.Expr, digits: pl.Expr) -> pl.Expr:
    """Return whole quanta whose digits after the sixth are drawn; `digits` is uniform on a range much above their number.

    The last bits of exp and log differ between mathematical libraries, but the first six digits do not, so that the corpus is
    the same on every machine.
    """
    leading = quanta.round_sig_figs(6).cast(pl.Int64)
    return leading + leading.sign() * (digits % (leading.abs() // 10**6 + 1))

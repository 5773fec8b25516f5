"""Exact figure search: which published figures occur in the originals, alone and two together in one record?

Belongs here: what a full-text search over every annual report finds. `linkage.py` looks for the nearest figure instead, and
needs no equal figure at all.
"""

from collections.abc import Sequence

import polars as pl

from pipeline.model import Measure
from pipeline.numerals import power_of_ten
from validation.attacks import Attack

DISTINCTIVE_DIGITS = 3
"""Significant digits beyond those that `lsd` keeps from which a figure is distinctive (our choice): its fresh digits then equal
those of one given original at most once in 900 draws. Shorter figures, zero among them, are equal by chance or by design."""

PAIR = 2
"""Number of different figures that must occur together."""

COMMON = 100
"""Most original rows with a figure for the figure to count in a pair (our choice): more common figures single nobody out."""

_KNOWLEDGE = "every figure of the originals"
_FIGURE = ("measure", "value")
_CLASS = ("measure", "is_negative", "digits", "zeros", "lead")
"""What fresh low digits do not change: sign, number of digits, zeros that end the decimals, leading digits."""


def exact_figure_attacks(
    originals: pl.DataFrame, published: pl.DataFrame, measures: Sequence[Measure], *, entity: str
) -> list[Attack]:
    """Search every distinctive published figure among the originals of its measure, alone and in pairs.

    *Alone*: a record is a published figure; it is found if any row of the originals' column has it.

    *Pairs*: a record is a published row with two different distinctive figures. It is found if at least two of its figures
    occur together in one original row, and no other company has a row with as many: the attacker names that company. The
    detail says how often rightly; naming a wrong company means that the wrong company's figures are published.

    `chance` is the rate with low digits drawn anew. *Alone*: the mean, over the published figures, of the number of different
    originals in the figure's class (`_CLASS`) over the number of distinctive figures in that class. *Pairs*: the mean expected
    number of agreeing pairs, 1 at most, of a row with its own original; two agreements with another company's row are rarer by
    orders of magnitude, and left out.

    Args:
        originals: `entity` and a column of quanta for each measure.
        published: The measures, anonymised; row i belongs to the company of row i of `originals`.
        measures: The figures, and how many of their digits the mechanism keeps.
        entity: Column that identifies the company.
    """
    known, found = (_distinctive(frame, measures) for frame in (originals, published))
    companies = originals.select(pl.col(entity).alias("company")).with_row_index("row")
    figures = sum(published[measure.name].count() for measure in measures)
    return [
        _alone(known, found, companies, too_short=figures - found.height),
        _pairs(known, found, companies),
    ]


def _alone(originals: pl.DataFrame, published: pl.DataFrame, companies: pl.DataFrame, *, too_short: int) -> Attack:
    holders = originals.join(companies, on="row").group_by(_FIGURE).agg(pl.col("company").unique())
    found = published.join(holders, on=_FIGURE).join(companies.rename({"company": "owner"}), on="row")
    of_one = found.filter(pl.col("company").list.len() == 1)
    right = of_one.filter(pl.col("company").list.first() == pl.col("owner"))
    return Attack(
        attack="exact figure, alone",
        knowledge=_KNOWLEDGE,
        records=published.height,
        successes=found.height,
        chance=_chance_alone(originals, published),
        detail=(
            f"Of those found {of_one.height:,} stand with one company only, {right.height:,} times the right one; "
            f"{too_short:,} figures too short to tell were not searched."
        ),
    )


def _pairs(originals: pl.DataFrame, published: pl.DataFrame, companies: pl.DataFrame) -> Attack:
    searched = published.group_by("row").agg(pl.col("value").n_unique()).filter(pl.col("value") >= PAIR)
    named = _named(originals, published.join(searched, on="row", how="semi"), companies)
    right = named.join(companies, on=["row", "company"], how="semi")
    return Attack(
        attack="exact figures, pairs",
        knowledge=_KNOWLEDGE,
        records=searched.height,
        successes=named.height,
        chance=_chance_of_pairs(originals, published.join(searched, on="row", how="semi")),
        detail=f"For {right.height:,} of the records found the company named is the right one.",
    )


def _named(originals: pl.DataFrame, published: pl.DataFrame, companies: pl.DataFrame) -> pl.DataFrame:
    """Return `row, company` of each published row whose figures name one company."""
    candidates = originals.filter(pl.len().over(_FIGURE) <= COMMON).rename({"row": "original"})
    together = (
        published.join(candidates, on=_FIGURE)
        .group_by("row", "original")
        .agg(pl.col("value").n_unique().alias("together"))
        .filter(pl.col("together") >= PAIR)
    )
    return (
        together.join(companies.rename({"row": "original"}), on="original")
        .filter(pl.col("together") == pl.col("together").max().over("row"))
        .unique(["row", "company"])
        .filter(pl.len().over("row") == 1)
        .select("row", "company")
    )


def _chance_alone(originals: pl.DataFrame, published: pl.DataFrame) -> float:
    of_class = originals.group_by(_CLASS).agg(pl.col("value").n_unique().alias("originals"))
    expected = pl.col("originals").fill_null(0) / pl.col("choices")
    agreeing = published.join(of_class, on=_CLASS, how="left").select(expected.sum()).item()
    return float(agreeing / max(published.height, 1))


def _chance_of_pairs(originals: pl.DataFrame, published: pl.DataFrame) -> float:
    """Return the mean over rows of the sum of p * q over pairs of figures: half the square of the sum less the squares."""
    own = published.join(originals, on=["row", *_CLASS], how="semi").with_columns(p=1 / pl.col("choices"))
    squares = (pl.col("p").sum() ** 2 - (pl.col("p") ** 2).sum()) / 2
    # In the order of rows, because another order of summing changes the last digits.
    agreeing = own.group_by("row", maintain_order=True).agg(squares.clip(0, 1).alias("pairs"))["pairs"].sum()
    return float(agreeing / max(published["row"].n_unique(), 1))


def _distinctive(frame: pl.DataFrame, measures: Sequence[Measure]) -> pl.DataFrame:
    """Return the distinctive figures, one a row: `row`, `_FIGURE`, the rest of `_CLASS`, and `choices`.

    `measure` is the measure's place in the sequence, `choices` the number of distinctive figures in the class.
    """
    return pl.concat([_distinctive_of(frame, place, measure) for place, measure in enumerate(measures)])


def _distinctive_of(frame: pl.DataFrame, place: int, measure: Measure) -> pl.DataFrame:
    text = pl.col("value").abs().cast(pl.String)
    length, significant = (part.str.len_bytes().cast(pl.Int64) for part in (text, text.str.strip_chars_end("0")))
    kept, decimals = measure.significant_digits, measure.decimals
    zeros = (length - significant).clip(upper_bound=decimals)
    described = (
        frame.lazy()
        .select(
            pl.int_range(pl.len(), dtype=pl.UInt32).alias("row"), pl.lit(place).alias("measure"), value=measure.name
        )
        .filter(significant >= kept + DISTINCTIVE_DIGITS)
        .with_columns(is_negative=pl.col("value") < 0, digits=length - zeros, zeros=zeros, lead=text.str.slice(0, kept))
    )
    fresh = power_of_ten(pl.col("digits") - kept)
    # The last decimal of a fraction is never 0; whole numbers that end in zeros may have too few significant digits.
    choices = (
        pl.when(pl.col("zeros") < decimals).then(fresh // 10 * 9).otherwise(fresh - 10 ** (DISTINCTIVE_DIGITS - 1))
    )
    return described.with_columns(choices=choices).collect()

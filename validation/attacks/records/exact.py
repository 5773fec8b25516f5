"""Exact figure search: which published figures occur in the originals, alone and two together in one record?

Belongs here: what a full-text search over every annual report finds. `linkage.py` looks for the nearest figure instead, and
needs no equal figure at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
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
_CLASS = ("is_negative", "digits", "zeros", "lead")
"""What fresh low digits of a measure do not change: sign, number of digits, zeros that end the decimals, leading digits."""

_NEVER = np.iinfo(np.int64).max


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
    companies, rows = originals[entity], _Rows(published.height)
    found = []
    # One measure after the other: all figures of all, each with its class, take many times the memory of the panel.
    for place, measure in enumerate(measures):
        of_measure = _searched(originals, published, measure, companies)
        rows.add(of_measure.searched, of_measure.own, place)
        found.append(of_measure.without_figures())
    return [_alone(found), _pairs(pl.concat([each.same for each in found]), rows, companies)]


@dataclass(frozen=True, kw_only=True)
class _Found:
    """What the search for the figures of one measure finds."""

    too_short: int
    searched: pl.DataFrame
    """`row, value` of the published figures that are searched."""
    successes: int
    """How many of them the originals have."""
    of_one: int
    """How many one company's rows have, and no other's."""
    right: int
    """How many of these are the right company's."""
    expected: pl.Series
    """The number of originals that each agrees with, if low digits were drawn anew."""
    same: pl.DataFrame
    """`row, value, original`: the original rows that have a published row's figure, if it is not too common."""
    own: pl.DataFrame
    """`row, p` of the figures in the class of their own original: the probability that they agree with it."""

    def without_figures(self) -> "_Found":
        """Return the result without what `_Rows` has added up."""
        return replace(self, searched=self.searched.clear(), own=self.own.clear())


class _Rows:
    """What the figures that are searched come to in each published row, measure by measure."""

    def __init__(self, rows: int) -> None:
        self._first = np.zeros(rows, np.int64)
        self.has_pair = np.zeros(rows, np.bool_)
        """Whether two of the row's figures differ."""
        self.since = np.full(rows, _NEVER)
        """The place of the first measure whose figure is in the class of its own original."""
        self._p, self._squares = np.zeros(rows), np.zeros(rows)

    def add(self, searched: pl.DataFrame, own: pl.DataFrame, place: int) -> None:
        """Add the figures of a measure, by its place, as `_Found` has them."""
        row, value = searched["row"].to_numpy(), searched["value"].to_numpy()
        # No distinctive figure is zero.
        self._first[row] = np.where(self._first[row] == 0, value, self._first[row])
        self.has_pair[row] |= self._first[row] != value
        row, p = own["row"].to_numpy(), own["p"].to_numpy()
        self.since[row] = np.minimum(self.since[row], place)
        self._p[row] += p
        self._squares[row] += p**2

    def pairs(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.float64]:
        """Return the sum of p * q over pairs of figures of each row: half the square of the sum less the squares."""
        return np.clip((self._p[rows] ** 2 - self._squares[rows]) / 2, 0, 1)


def _searched(originals: pl.DataFrame, published: pl.DataFrame, measure: Measure, companies: pl.Series) -> _Found:
    known, searched = (_distinctive(frame, measure) for frame in (originals, published))
    company = companies.gather(known["row"])
    holders = (
        known.with_columns(company.alias("company"))
        .group_by("value")
        .agg(pl.col("company").first(), companies=pl.col("company").n_unique(), originals=pl.len())
    )
    found = searched.select("row", "value").join(holders, on="value")
    of_one = found.filter(pl.col("companies") == 1)
    of_class = known.group_by(_CLASS).agg(pl.col("value").n_unique().alias("originals"))
    agreeing = searched.join(of_class, on=_CLASS, how="left", maintain_order="left")
    own = searched.join(known, on=["row", *_CLASS], how="semi", maintain_order="left")
    singled_out = found.filter(pl.col("originals") <= COMMON).select("row", "value")
    return _Found(
        too_short=published[measure.name].count() - searched.height,
        searched=searched.select("row", "value"),
        successes=found.height,
        of_one=of_one.height,
        right=of_one.filter(companies.gather(of_one["row"]) == of_one["company"]).height,
        expected=agreeing.select(pl.col("originals").fill_null(0) / pl.col("choices")).to_series(),
        same=singled_out.join(known.select("value", original="row"), on="value"),
        own=own.select("row", p=1 / pl.col("choices")),
    )


def _alone(found: Sequence[_Found]) -> Attack:
    expected = pl.concat([each.expected for each in found], rechunk=True)
    return Attack(
        attack="exact figure, alone",
        knowledge=_KNOWLEDGE,
        records=len(expected),
        successes=sum(each.successes for each in found),
        chance=float(expected.sum()) / max(len(expected), 1),
        detail=(
            f"Of those found {sum(each.of_one for each in found):,} stand with one company only, "
            f"{sum(each.right for each in found):,} times the right one; "
            f"{sum(each.too_short for each in found):,} figures too short to tell were not searched."
        ),
    )


def _pairs(same: pl.DataFrame, rows: _Rows, companies: pl.Series) -> Attack:
    owners = companies.to_frame("company").with_row_index("row")
    named = _named(same.filter(pl.Series(rows.has_pair).gather(same["row"])), owners)
    right = named.join(owners, on=["row", "company"], how="semi")
    return Attack(
        attack="exact figures, pairs",
        knowledge=_KNOWLEDGE,
        records=int(rows.has_pair.sum()),
        successes=named.height,
        chance=_chance_of_pairs(rows),
        detail=f"{right.height:,} of the {named.height:,} companies named are the right ones." if named.height else "",
    )


def _named(same: pl.DataFrame, companies: pl.DataFrame) -> pl.DataFrame:
    """Return `row, company` of each published row whose figures name one company."""
    together = (
        same.group_by("row", "original")
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


def _chance_of_pairs(rows: _Rows) -> float:
    """Return the mean over the rows that are searched."""
    own = np.flatnonzero(rows.has_pair & (rows.since != _NEVER))
    # By the first such figure, then by row: another order of summing changes the last digits.
    agreeing = pl.Series(rows.pairs(own[np.lexsort((own, rows.since[own]))])).sum()
    return float(agreeing / max(int(rows.has_pair.sum()), 1))


def _distinctive(frame: pl.DataFrame, measure: Measure) -> pl.DataFrame:
    """Return the distinctive figures, one a row: `row`, `value`, `_CLASS`, and how many `choices` there are in the class."""
    text = pl.col("value").abs().cast(pl.String)
    length, significant = (part.str.len_bytes().cast(pl.Int64) for part in (text, text.str.strip_chars_end("0")))
    kept, decimals = measure.significant_digits, measure.decimals
    zeros = (length - significant).clip(upper_bound=decimals)
    described = (
        frame.lazy()
        .select(pl.int_range(pl.len(), dtype=pl.UInt32).alias("row"), value=measure.name)
        .filter(significant >= kept + DISTINCTIVE_DIGITS)
        .with_columns(is_negative=pl.col("value") < 0, digits=length - zeros, zeros=zeros, lead=text.str.slice(0, kept))
    )
    fresh = power_of_ten(pl.col("digits") - kept)
    # The last decimal of a fraction is never 0; whole numbers that end in zeros may have too few significant digits.
    choices = (
        pl.when(pl.col("zeros") < decimals).then(fresh // 10 * 9).otherwise(fresh - 10 ** (DISTINCTIVE_DIGITS - 1))
    )
    return described.with_columns(choices=choices).collect()

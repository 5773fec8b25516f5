"""Draws categories from noised counts: how many entities have each, over everybody and within strata, and nothing else.

Known to everybody are the entities that are drawn, with what was drawn of them before, and how many there are; the declared
vocabulary, where there is one. A *count* is a sum over entities: each gives 1 to the cell of its category, or shares of 1 to
several (its rows). So its contribution has no negative entry and a norm of 1 at most, and two such vectors differ by sqrt(2) at
most, since |a - b|**2 = |a|**2 + |b|**2 - 2 a.b: that is the sensitivity (`SENSITIVITY`), into whatever strata cells are split.

Two statistics make the shares of one attribute. The first counts categories over everybody (or within `over`), the second
within the strata in which entities draw. The second is shrunk to the first by its noise, and counts of a declared vocabulary to
equal ones (`expected_counts`). Where cells of the second would be smaller than their noise, there is the first alone. Entities
then draw evenly, so that drawing adds next to no noise of its own.

A category outside a declared vocabulary is published if its noised count exceeds `threshold`: where every entity has one of its
own, not one of all these is published, but with a probability of `PASSES` at most. All others are blank. Which attributes there
are belongs to `attributes.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import log, pi, sqrt

import numpy as np
import polars as pl
import scipy

from anonymize.synthesis.account import BudgetAccount
from anonymize.synthesis.cube import Floats
from pipeline.keyed import SEPARATOR, Key

SENSITIVITY = sqrt(2)
"""Of every count: proved above."""

MOST_OF_CATEGORIES = 1 / 32
"""What the counts of one attribute may spend together. Their noise is then four times the sensitivity, and whoever has all
other entities distinguishes two categories at most 5 points better than by guessing: Phi(sqrt(2 / 32) / 2) = 0.55."""

PASSES = 0.01
"""Probability at most that an attribute publishes any category that one entity alone has, and that no vocabulary declares."""

WEIGHT = f"{SEPARATOR}weight"
"""What a row counts for: 1 where an entity has one; those of one entity together no more than 1."""

OVER_EVERYBODY = 0.75
"""Part of what an attribute spends that goes to the first statistic: it decides what is published at all."""

SHARE = f"{SEPARATOR}share"
"""What of its stratum has a category."""

_ALL, _COUNT, _SIGMA, _PRIOR = (f"{SEPARATOR}{name}" for name in ("all", "count", "sigma", "prior"))
_STRATUM, _PLACE, _FROM, _ROW = (f"{SEPARATOR}{name}" for name in ("stratum", "place", "from", "row"))
_FEWEST_PUBLISHED = 0.5
"""Part of a stratum that the published categories have at least, where they stand for all."""

_EXACT = 1e-3
"""A prior mean of fewer standard deviations than this is not changed by what was counted."""

_LOGARITHMS, _HALVINGS = (-8.0, 0.0), 30
"""Of what prior means are multiplied by: the least and the most, and how often their distance is halved."""


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """What counts may spend."""

    account: BudgetAccount
    rho: float
    """Of one attribute."""
    cells: int
    """How many categories, each in its stratum, there can be at most: as many numbers are in the account, whatever is there."""


@dataclass(frozen=True, kw_only=True)
class Categories:
    """An attribute: columns whose values go together."""

    name: str
    """In the account."""
    columns: tuple[str, ...]
    over: tuple[str, ...] = ()
    """Columns that make the strata of the first statistic."""
    within: tuple[str, ...] = ()
    """Columns that make the strata in which is drawn; those of `over` are among them."""
    known: pl.DataFrame | None = None
    """The declared vocabulary: the columns of `over` and of the attribute. What is not in it is not counted."""
    leaves_blank: bool = True
    """Whether null is what remains (and is no category); if not, the published categories share all, or there are none."""


def threshold(sigma: float, cells: int) -> float:
    """Return what a noised count has to exceed: any of so many counts of 1 does with probability `PASSES` (Bonferroni)."""
    return 1.0 + float(scipy.special.ndtri(1 - PASSES / max(cells, 1))) * sigma


def expected_counts(noised: Floats, sigma: float, prior: Floats) -> Floats:
    """Return the means of counts given that they were noised, each having an exponential law with a known mean before.

    That law is the one of most entropy on positive numbers. The mean is that of a normal law cut off at 0, around the noised
    count less sigma**2 / prior: near the noised count where the prior mean is far above the noise, near the prior if far below.
    """
    before = np.maximum(prior, _EXACT * sigma)
    standard = (noised - sigma**2 / before) / sigma
    ratio = np.exp(-(standard**2) / 2 - log(2 * pi) / 2 - scipy.special.log_ndtr(standard))
    means: Floats = np.where(prior < _EXACT * sigma, prior, sigma * np.maximum(standard + ratio, 0.0))
    return means


def shrunk(cells: pl.DataFrame, sigma: float, strata: Sequence[str]) -> pl.DataFrame:
    """Return the noised counts of cells replaced by `expected_counts`, which add up to the entities of each stratum.

    Those are known, and so the prior means (`_PRIOR`, with the same sum) are multiplied by what makes them so: in a stratum
    where few categories have nearly all entities, all others are expected to have fewer.
    """
    sizes = pl.col(_PRIOR).sum().over(strata).alias(SHARE)
    of = cells.select(sizes, pl.struct(strata).rank("dense").alias(_STRATUM) - 1)
    places, total = of[_STRATUM].to_numpy(), of[SHARE].to_numpy()
    noised, prior = cells[_COUNT].to_numpy(), cells[_PRIOR].to_numpy()
    low, high = (np.full(cells.height, bound) for bound in _LOGARITHMS)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        means = expected_counts(noised, sigma, prior * np.exp(middle))
        is_low = (np.bincount(places, means)[places] < total) if cells.height else middle < 0
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return cells.with_columns(pl.Series(_COUNT, expected_counts(noised, sigma, prior * np.exp(low)), dtype=pl.Float64))


def counted(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return the count of each combination of values, sorted by them."""
    return frame.group_by(columns).agg(pl.col(WEIGHT).sum().alias(_COUNT)).sort(columns)


def passing(allowance: Allowance, name: str, counts: pl.DataFrame, rho: float) -> pl.DataFrame:
    """Return the cells whose noised count exceeds the threshold, with that count and its `_SIGMA`."""
    total = np.zeros(max(allowance.cells, counts.height))
    total[: counts.height] = counts[_COUNT].to_numpy()
    noised = allowance.account.noised(name, total, sensitivity=SENSITIVITY, rho=rho)
    cells = counts.with_columns(pl.Series(_COUNT, noised.values[: counts.height]), pl.lit(noised.sigma).alias(_SIGMA))
    return cells.filter(pl.col(_COUNT) > threshold(noised.sigma, total.size))


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """What a release knows of an attribute."""

    categories: Categories
    common: pl.DataFrame
    """The published categories of each stratum of `over`, with the noised count of the entities that have each."""
    allowance: Allowance = field(repr=False)

    def published(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the originals with null for what is not published."""
        of, columns = self.categories, list(self.categories.columns)
        found = self.common.select(*of.over, *columns, pl.lit(value=True).alias(SHARE))
        joined = frame.join(found, on=[*of.over, *columns], how="left", nulls_equal=True, maintain_order="left")
        return joined.with_columns(pl.when(pl.col(SHARE)).then(pl.col(columns))).drop(SHARE)

    def drawn(self, frame: pl.DataFrame, targets: pl.DataFrame, *, entity: Sequence[str], key: Key) -> pl.DataFrame:
        """Return the targets with the attribute drawn.

        Args:
            frame: The originals: `WEIGHT`, the strata's columns and the attribute's.
            targets: What is drawn: `entity` and the strata's columns.
            entity: Columns that identify a row of the targets.
            key: Key of this purpose.
        """
        return drawn_evenly(targets, self._shares(frame, targets), self.categories, entity=entity, key=key)

    def _shares(self, frame: pl.DataFrame, targets: pl.DataFrame) -> pl.DataFrame:
        of, columns = self.categories, list(self.categories.columns)
        shares = self.common.with_columns((pl.col(_COUNT) / pl.col(_COUNT).sum().over(of.over)).alias(SHARE))
        if not _is_split(of, targets, self.allowance):
            return shares
        strata = _sizes(targets, of.within, _PRIOR)
        cells = strata.join(shares.drop(_COUNT), on=of.over, nulls_equal=True, maintain_order="left_right")
        counts = counted(self.published(frame) if of.leaves_blank else frame, [*of.within, *columns])
        cells = cells.join(counts, on=[*of.within, *columns], how="left", nulls_equal=True, maintain_order="left")
        noised = self.allowance.account.noised(
            f"{of.name}, within strata",
            cells[_COUNT].fill_null(0).to_numpy(),
            sensitivity=SENSITIVITY,
            rho=self.allowance.rho * (1 - OVER_EVERYBODY),
        )
        expected = (pl.col(_PRIOR) * pl.col(SHARE)).alias(_PRIOR)
        cells = shrunk(cells.with_columns(expected, pl.Series(_COUNT, noised.values)), noised.sigma, of.within)
        return cells.with_columns((pl.col(_COUNT) / pl.col(_COUNT).sum().over(of.within)).alias(SHARE))


def fit_categories(of: Categories, frame: pl.DataFrame, targets: pl.DataFrame, allowance: Allowance) -> Fitted:
    """Count an attribute over everybody.

    Args:
        frame: The originals: `WEIGHT`, the strata's columns and the attribute's.
        targets: What will be drawn: the strata's columns, and `WEIGHT` if an entity has several rows.
        allowance: What the attribute may spend.
    """
    is_split = _is_split(of, targets, allowance)
    rho = allowance.rho * (OVER_EVERYBODY if is_split else 1.0)
    sizes = _sizes(targets, of.over, SHARE)
    counts = counted(frame, [*of.over, *of.columns])
    if of.known is None:
        common = _of_unknown(of, counts, sizes, allowance, rho)
    else:
        common = _of_vocabulary(of, of.known, counts, sizes, allowance.account, rho)
    return Fitted(categories=of, common=common.select(*of.over, *of.columns, _COUNT), allowance=allowance)


def draw_categories(
    of: Categories,
    frame: pl.DataFrame,
    targets: pl.DataFrame,
    allowance: Allowance,
    *,
    entity: Sequence[str],
    key: Key,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the targets with an attribute drawn, and the originals with null for what of it is not published."""
    frame, targets = _in_all(frame), _in_all(targets)
    of = everywhere(of)
    fitted = fit_categories(of, frame, targets, allowance)
    drawn = fitted.drawn(frame, targets, entity=entity, key=key.derive(of.name))
    return drawn.drop(_ALL), fitted.published(frame).drop(_ALL)


def everywhere(of: Categories) -> Categories:
    """Return the attribute with one column more in its strata, the same everywhere, so that there is always one."""
    known = None if of.known is None else _in_all(of.known)
    return replace(of, over=(_ALL, *of.over), within=(_ALL, *of.within), known=known)


def _is_split(of: Categories, targets: pl.DataFrame, allowance: Allowance) -> bool:
    """Say whether there is a second statistic: not where a mean cell of a vocabulary would be less than its noise."""
    if of.known is None or set(of.within) == set(of.over):
        return set(of.within) != set(of.over)
    cells = of.known.height * targets.select(of.within).n_unique() / max(targets.select(of.over).n_unique(), 1)
    return targets.height > cells * SENSITIVITY / sqrt(2 * allowance.rho * (1 - OVER_EVERYBODY))


def _in_all(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.lit(value=True).alias(_ALL))


def _sizes(targets: pl.DataFrame, strata: Sequence[str], name: str) -> pl.DataFrame:
    """Return how many entities each stratum has: their rows weigh as those of the originals do."""
    size = pl.col(WEIGHT).sum() if WEIGHT in targets.columns else pl.len().cast(pl.Float64)
    return targets.group_by(strata).agg(size.alias(name)).sort(strata)


def _of_vocabulary(
    of: Categories, known: pl.DataFrame, counts: pl.DataFrame, sizes: pl.DataFrame, account: BudgetAccount, rho: float
) -> pl.DataFrame:
    """Return a count for each category of the vocabulary, shrunk to equal ones."""
    keys = [*of.over, *of.columns]
    cells = known.join(counts, on=keys, how="left", nulls_equal=True, maintain_order="left")
    total = cells[_COUNT].fill_null(0).to_numpy()
    noised = account.noised(of.name, total, sensitivity=SENSITIVITY, rho=rho)
    equal = (pl.col(SHARE) / pl.len().over(of.over)).alias(_PRIOR)
    cells = cells.with_columns(pl.Series(_COUNT, noised.values)).join(
        sizes, on=of.over, nulls_equal=True, maintain_order="left"
    )
    return shrunk(cells.with_columns(equal), noised.sigma, of.over)


def _of_unknown(
    of: Categories, counts: pl.DataFrame, sizes: pl.DataFrame, allowance: Allowance, rho: float
) -> pl.DataFrame:
    """Return a count for each category that passes; what remains of the entities, if noise does not explain it, is blank.

    Where nothing is left blank, those that pass stand for all: if together they have too few of a stratum, none is published.
    """
    columns = list(of.columns)
    is_there = pl.any_horizontal(pl.col(columns).is_not_null())
    cells = passing(allowance, of.name, counts.filter(is_there) if of.leaves_blank else counts, rho)
    found = sizes.join(
        cells.group_by(of.over).agg(pl.col(_COUNT).sum(), pl.col(_SIGMA).pow(2).sum().sqrt()),
        on=of.over,
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    if not of.leaves_blank:
        are_enough = pl.col(_COUNT) > pl.col(SHARE) * _FEWEST_PUBLISHED
        return cells.join(found.filter(are_enough), on=of.over, how="semi", nulls_equal=True)
    left = pl.col(SHARE) - pl.col(_COUNT).fill_null(0)
    is_noise = left <= -float(scipy.special.ndtri(PASSES)) * pl.col(_SIGMA).fill_null(0)
    blank = found.with_columns(
        pl.when(~is_noise).then(left).alias(_COUNT),
        *(pl.lit(None, counts.schema[column]).alias(column) for column in columns),
    )
    keys = [*of.over, *columns, _COUNT]
    return pl.concat([cells.select(keys), blank.select(keys)]).filter(pl.col(_COUNT) > 0)


def drawn_evenly(
    targets: pl.DataFrame, shares: pl.DataFrame, of: Categories, *, entity: Sequence[str], key: Key
) -> pl.DataFrame:
    """Return the targets with a category each: in their stratum in an order drawn by key, at equal distances on its shares.

    Each category gets its share of the stratum to within one entity (systematic sampling, Madow and Madow 1944). A stratum
    without shares is blank.
    """
    strata = targets.select(of.within).unique().sort(of.within).with_row_index(_STRATUM)
    offsets = pl.Series(_FROM, key.uniforms(strata.height, "offsets"))
    places = targets.with_row_index(_ROW).join(
        strata.with_columns(offsets), on=of.within, how="left", nulls_equal=True, maintain_order="left"
    )
    rank = key.mac(*entity).rank("ordinal").over(_STRATUM) - 1
    places = places.with_columns(((rank + pl.col(_FROM)) / pl.len().over(_STRATUM)).alias(_PLACE)).drop(_FROM)
    cells = strata.join(shares, on=_shared(of, shares), nulls_equal=True, maintain_order="left_right")
    ends = pl.col(SHARE).cum_sum().over(_STRATUM)
    cells = cells.select(_STRATUM, *of.columns, (ends - pl.col(SHARE)).clip(lower_bound=0).alias(_FROM))
    found = places.sort(_PLACE).join_asof(
        cells.sort(_FROM), left_on=_PLACE, right_on=_FROM, by=_STRATUM, check_sortedness=False
    )
    return found.sort(_ROW).select(*targets.columns, *of.columns)


def _shared(of: Categories, shares: pl.DataFrame) -> list[str]:
    """Return the strata's columns that the shares have: all of `within`, or those of `over` where that is the same."""
    return [column for column in of.within if column in shares.columns]

"""Values: which original figures can be read off a release, no matter whose they are?

First maxima: is an industry's largest figure of a year in the release, to three digits? Then groups: reports publish counts,
means and standard deviations of groups of originals; published values with these moments may be the group's own.
"""

import numpy as np
import polars as pl

from pipeline.derive.figure_rows import figure_rows
from pipeline.keyed import Key
from pipeline.model import PERIOD
from pipeline.wording import exact_percent
from validation.attacks import Attack
from validation.attacks.adaptive.arrays import Floats, Integers
from validation.attacks.adaptive.findings import Gain, gain
from validation.attacks.adaptive.populations import CODE, INDUSTRY, Population
from validation.attacks.adaptive.reidentification.pairs import three_digits

MAXIMA, MOMENTS = "industry's maximum read to three digits", "values found by the moments of their group"
"""Names of the attacks."""

NEAR = 0.01
"""Relative error up to which a value found by moments counts as the original."""

SMALLEST_GROUP = 3
"""Smallest group that is searched for: the moments of fewer firms disclose the values without any release."""

LARGEST_GROUP = 12
"""Largest group that is searched for; the moments of more firms fit too many subsets."""

GROUPS = 2_000
"""Largest number of groups that are searched for, drawn by key."""

DIGITS = 6
"""Significant digits of published means and standard deviations."""

_JITTER = 0.2
_JITTERED = 20
_LEAST_OF_THREE_DIGITS = 100
_STEPS = 40


def maxima_attack(originals: Population, release: Population, key: Key) -> Attack:
    """Search for each industry's largest figure of a year and measure among those published, to three digits.

    Chance is how often a value within 20 % of it is found instead. Maxima below 100 quanta have no three digits.
    """
    sides = [_long(side) for side in (originals, release)]
    cell = [INDUSTRY, PERIOD, "measure"]
    largest = sides[0].group_by(cell).agg(pl.col("value").max()).filter(pl.col("value") >= _LEAST_OF_THREE_DIGITS)
    both = largest.join(sides[1].group_by(cell).agg(pl.col("value").alias("published")), on=cell).sort(cell)
    found = np.zeros(both.height)
    jittered = np.zeros(both.height)
    draws = key.uniforms(both.height * _JITTERED, "maxima").reshape(both.height, _JITTERED)
    factors = 1 + _JITTER * (2 * draws - 1)
    for row, (maximum, published) in enumerate(both.select("value", "published").iter_rows()):
        there = _digits(np.asarray(published, np.float64))
        found[row] = np.isin(_digits(np.asarray([maximum], np.float64)), there).any()
        jittered[row] = np.isin(_digits(maximum * factors[row]), there).mean()
    return Attack(
        attack=MAXIMA,
        knowledge="nothing but the release",
        records=both.height,
        successes=int(found.sum()),
        chance=float(jittered.mean()) if both.height else 0.0,
    )


def moments_attack(originals: Population, release: Population, key: Key, *, group: str) -> Gain:
    """Search the release for values of groups by their moments, compared with guessing evenly spaced quantiles.

    Args:
        originals: Has the groups.
        release: Searched within the group's industry and year.
        key: Decides which groups are searched for.
        group: Column of the originals' entities; reports publish moments of its groups.
    """
    sides = _long(originals, group), _long(release)
    cell = [INDUSTRY, PERIOD, "measure"]
    wanted = sides[0].drop_nulls(group).group_by([*cell, group]).agg(pl.col("value").sort())
    wanted = wanted.filter(pl.col("value").list.len().is_between(SMALLEST_GROUP, LARGEST_GROUP))
    wanted = wanted.sort(key.derive("groups").mac(*cell, group)).head(GROUPS)
    both = wanted.join(sides[1].group_by(cell).agg(pl.col("value").sort().alias("published")), on=cell)
    counts = [
        _found(np.asarray(truth, np.float64), np.asarray(published, np.float64))
        for truth, published in both.sort([*cell, group]).select("value", "published").iter_rows()
    ]
    right, guessed, asked = np.asarray(counts, np.float64).reshape(-1, 3).T
    return gain(
        MOMENTS,
        f"count, mean and standard deviation of each {group}, to {DIGITS} digits",
        with_firm=right,
        without=guessed,
        guessed=asked,
        detail=f"Values are found within {exact_percent(NEAR)}; the control guesses quantiles of the published values.",
    )


def _long(side: Population, *columns: str) -> pl.DataFrame:
    """Return one row for each figure that is not zero: industry, year, measure, value, and columns of the entities."""
    figures = side.figures.join(side.entities.select(CODE, INDUSTRY, *columns), on=CODE)
    floats = figures.lazy().with_columns(pl.col(side.measures).cast(pl.Float64))
    rows = figure_rows(floats, side.measures, index={name: name for name in (INDUSTRY, PERIOD, *columns)})
    return rows.drop_nulls("value").filter(pl.col("value") != 0).collect()


def _digits(values: Floats) -> Integers:
    mantissas, exponents = three_digits(values)
    return mantissas * 64 + exponents


def _found(truth: Floats, published: Floats) -> tuple[int, int, int]:
    """Return how many values of a group are found, how many by guessing quantiles, and how many there are."""
    size = len(truth)
    start = np.round((np.arange(size) + 0.5) / size * len(published) - 0.5).astype(np.int64)
    if size > len(published):
        return 0, 0, size
    quantiles = start.clip(0, len(published) - 1)
    subset = _searched(published, quantiles, _rounded(truth.mean()), _rounded(truth.std()))
    return _near(truth, published[subset]), _near(truth, published[quantiles]), size


def _searched(published: Floats, start: Integers, mean: float, deviation: float) -> Integers:
    """Return positions of the subset whose moments are nearest, improved by the best single exchange until there is none."""
    size = len(start)
    scale = abs(mean) + deviation + 1.0
    # Scaled, so that errors of the first and second moment are comparable.
    values = published / scale
    wanted = np.asarray([mean / scale, (deviation**2 + mean**2) / scale**2]) * size
    chosen = start.copy()
    for _ in range(_STEPS):
        moments = np.asarray([values[chosen].sum(), (values[chosen] ** 2).sum()])
        swapped = np.stack([power[None, :] - power[chosen][:, None] for power in (values, values**2)], axis=-1)
        errors = np.abs(moments + swapped - wanted).sum(axis=-1)
        # A value may be chosen once only.
        errors[:, chosen] = np.inf
        place, new = np.unravel_index(errors.argmin(), errors.shape)
        if errors[place, new] >= np.abs(moments - wanted).sum():
            break
        chosen[place] = new
    return chosen


def _near(truth: Floats, guesses: Floats) -> int:
    """Return how many values are near the guess of their rank; the guesses are sorted."""
    return int((np.abs(truth[:, None] - guesses) <= NEAR * np.abs(truth)[:, None]).any(axis=1).sum())


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS - 1}e}")

"""The two distributions of a sample as curves that readers can look at without reading any figure off them.

Belongs here: how much of a distribution may be published. A curve is a row of blocks of figures that are neighbours in
size, each published by its mean. Blocks do not overlap, hold at least `COMPANIES` figures, and their means keep `DIGITS`
significant digits. So no point and no difference of points is one company's figure, and a point discloses less than the
release discloses of each figure.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from validation.distributions.samples import Floats, Integers, Samples, SortedFigures, from_signed_log, rows_of

COMPANIES = 5
"""Smallest number of figures in a point; cells of published aggregates need three (`anonymize/policy.py`)."""

POINTS = (9, 3)
"""Numbers of points that a curve may have. The middles of three equal blocks are among those of nine, so that one list of
probabilities serves both. Nine are enough to see a shift, a spread or a tail in a picture."""

DIGITS = 2
"""Significant digits of a point; `lsd` keeps three of each figure."""

_ROUNDING = 1e-12
"""Means of gains and losses that cancel out are this close to 0."""

Curve = list[float | None]

_SIDES = ("original", "anonymised")


def curves_of(samples: Samples) -> pl.DataFrame:
    """Return the curves of originals and anonymised figures.

    Means of blocks are taken on the signed log scale and published in the measure's unit; a block stands for the quantile
    in its middle.

    Returns:
        One row a sample: `samples.KEYS`, and for each side a list of values with null if there are fewer blocks; null
        instead of both lists for a sample with fewer figures than the fewest points need.
    """
    points = _points(np.minimum(*(side.sizes for side in samples.sides)))
    has_points = pl.Series(points > 0)
    return samples.labels.with_columns(
        pl.when(has_points).then(_curves(side, points)).alias(name)
        for name, side in zip(_SIDES, samples.sides, strict=True)
    )


def curves(found: pl.DataFrame, tests: pl.DataFrame) -> dict[str, Any]:
    """Return `probabilities`, and `curves`: for each test the pair of lists of `curves_of`, or None.

    Args:
        tests: columns `samples.KEYS`; the tests, in this order.
    """
    pairs = found[rows_of(found, tests)].select(_SIDES).rows()
    most = POINTS[0]
    return {
        "probabilities": [round((i + 0.5) / most, 4) for i in range(most)],
        "curves": [None if before is None else [before, after] for before, after in pairs],
    }


def curves_json(found: Mapping[str, Any]) -> bytes:
    """Return the curves as JSON, one pair a line, each number in its shortest spelling (`17e7`)."""
    spelled: dict[float | None, str] = {None: "null"}

    def text(curve: Curve) -> str:
        for value in curve:
            if value not in spelled:
                spelled[value] = _shortest(value)
        return f"[{','.join([spelled[value] for value in curve])}]"

    pairs = ",\n".join("null" if pair is None else f"[{','.join(map(text, pair))}]" for pair in found["curves"])
    return f'{{"probabilities":{json.dumps(found["probabilities"])},"curves":[\n{pairs}\n]}}\n'.encode()


def coarse(values: Floats) -> Floats:
    """Return the values rounded to `DIGITS` significant digits; values within `_ROUNDING` of 0 become 0."""
    sizes = np.abs(values)
    is_nonzero = sizes >= _ROUNDING
    exponents = np.floor(np.log10(np.where(is_nonzero, sizes, 1.0))) - DIGITS + 1
    scale = 10.0 ** np.abs(exponents)
    rounded = np.where(exponents >= 0, np.round(values / scale) * scale, np.round(values * scale) / scale)
    return np.asarray(np.where(is_nonzero, rounded, 0.0))


def _points(sizes: Integers) -> Integers:
    """Return the number of points that a sample of each size may have."""
    points = np.zeros_like(sizes)
    for count in sorted(POINTS):
        points[sizes >= count * COMPANIES] = count
    return points


def _curves(side: SortedFigures, points: Integers) -> pl.Series:
    """Return each sample's curve; all null if it may have no points."""
    published = points[side.number] > 0
    number = side.number[published]
    place = np.flatnonzero(published) - side.starts[number]
    block = place * points[number] // side.sizes[number]
    most = POINTS[0]
    # The middle of one of k blocks is the middle of the central one of the `most` / k finest blocks in it.
    slot = number * most + (2 * block + 1) * most // points[number] // 2
    slots = points.size * most
    sums = np.bincount(slot, weights=side.values[published], minlength=slots)
    sizes = np.bincount(slot, minlength=slots)
    means = coarse(from_signed_log(sums / np.maximum(sizes, 1)))
    means[sizes == 0] = np.nan
    return pl.Series(means).fill_nan(None).reshape((points.size, most)).arr.to_list()


def _shortest(value: float | None) -> str:
    plain = f"{value:.12g}"
    mantissa, exponent = f"{value:.{DIGITS - 1}e}".split("e")
    whole = str(int(mantissa.replace(".", "")))
    return min(plain, f"{whole}e{int(exponent) - DIGITS + 1}", key=len)

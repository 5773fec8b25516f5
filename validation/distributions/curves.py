"""The two distributions of a sample as curves that readers can look at without reading any figure off them.

Belongs here: how much of a distribution may be published. A curve is a row of blocks of figures that are neighbours in
size, each published by its mean. Blocks do not overlap, hold at least `COMPANIES` figures, and their means keep `DIGITS`
significant digits. So no point and no difference of points is one company's figure, and a point discloses less than the
release discloses of each figure.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from validation.distributions.samples import Floats, Integers, Samples, Side, from_signed_log

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


def curves(samples: Samples, tests: pl.DataFrame) -> dict[str, Any]:
    """Return the curves of originals and anonymised figures, a pair for each test.

    Means of blocks are taken on the signed log scale and published in the measure's unit; a block stands for the quantile
    in its middle.

    Args:
        samples: the figures of both sides.
        tests: columns `samples.KEYS`; the tests, in this order.

    Returns:
        `probabilities`, and `curves`: two lists of values for each test, with None if there are fewer blocks; None instead of
        lists for a test with fewer figures than the fewest points need.
    """
    points = _points(np.minimum(*(side.sizes for side in samples.sides)))
    before, after = (_curves(side, points) for side in samples.sides)
    most = POINTS[0]
    return {
        "probabilities": [round((i + 0.5) / most, 4) for i in range(most)],
        "curves": [[before[row], after[row]] if points[row] else None for row in samples.rows(tests).tolist()],
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


def _curves(side: Side, points: Integers) -> Sequence[Curve]:
    """Return each sample's curve; all None if it may have no points."""
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
    rows: Sequence[Curve] = pl.Series(means).fill_nan(None).reshape((points.size, most)).to_list()
    return rows


def _shortest(value: float | None) -> str:
    plain = f"{value:.12g}"
    mantissa, exponent = f"{value:.{DIGITS - 1}e}".split("e")
    whole = str(int(mantissa.replace(".", "")))
    return min(plain, f"{whole}e{int(exponent) - DIGITS + 1}", key=len)

"""What `distributions.json` and `ks.json` state of a cell, as functions of the originals in it.

Written anew from the published descriptions, as a stranger would; a test compares it with `validation/distributions/shape.py`.
"""

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import numpy.typing as npt

from validation.distributions.samples import from_signed_log

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Stated = Mapping[str, float | Floats]
"""Name of a statistic -> what is published of it, of one cell or of one cell a trial; NaN if nothing is."""

HALF_STEPS = dict.fromkeys(
    ("shift", "distance", "factor", "spread", "tails", "skewness", "kurtosis", "decile"), 0.005
) | {"statistic": 0.001}
"""Half of the last published digit of each statistic. The Kolmogorov-Smirnov distance has twelve digits but goes in steps: as
much less than a step as lets a search find its way."""

RATIOS = tuple(HALF_STEPS)[:-1]
DISTANCE = ("statistic",)

_DECILES = np.arange(1, 10) / 10
_TAILS = np.asarray([0.05, 0.95])
_ZERO = 0.005
"""What is smaller than any unit of a figure is 0."""
_NEVER, _BOUND = 1e3, 1e9
"""Difference where a statistic is undefined for the figures that are tried, and the largest one in half steps."""


def residuals(figures: Floats, published: Floats, stated: Stated) -> Floats:
    """Return by how many half steps the statistics of tried figures differ from those that are stated.

    Args:
        figures: One row a trial, the figures of a cell as signed logs.
        published: The release's figures of the same cell as signed logs in order, one row a trial, or one for all.
        stated: What is published of the cell.

    Returns:
        One row a trial, one column a statistic.
    """
    ordered = np.sort(figures, axis=-1)
    with np.errstate(all="ignore"):  # what is undefined or beyond all bounds is never near what is stated
        found = [
            np.where(np.isnan(value), 0.0, np.nan_to_num(_STATISTICS[name](ordered, published) - value, nan=_NEVER))
            / HALF_STEPS[name]
            for name, value in stated.items()
        ]
    return np.asarray(np.clip(np.stack(found, axis=-1), -_BOUND, _BOUND))


def statistics(figures: Floats, published: Floats, names: Iterable[str] = RATIOS) -> dict[str, Floats]:
    """Return the statistics of cells as they would be stated: rounded, one row a cell."""
    ordered = np.sort(figures, axis=-1)
    with np.errstate(all="ignore"):
        return {name: np.round(_STATISTICS[name](ordered, published), 12 if name in DISTANCE else 2) for name in names}


def _shift(first: Floats, second: Floats) -> Floats:
    return np.asarray((second.mean(axis=-1) - first.mean(axis=-1)) / _sd(first))


def _wasserstein(first: Floats, second: Floats) -> Floats:
    weights, places = _segments(first.shape[-1], second.shape[-1])
    return np.asarray(np.abs(first[:, places[0]] - second[:, places[1]]) @ weights / _sd(first))


def _factor(first: Floats, second: Floats) -> Floats:
    return np.exp(_mean_log_size(second) - _mean_log_size(first))


def _spread(first: Floats, second: Floats) -> Floats:
    return _sd(second) / _sd(first)


def _tails(first: Floats, second: Floats) -> Floats:
    low, high = (end[:, None] for end in np.quantile(first, _TAILS, axis=-1))
    shares = [((side < low) | (side > high)).mean(axis=-1) for side in (first, second)]
    return np.asarray(shares[1] - shares[0])


def _skewness(first: Floats, second: Floats) -> Floats:
    return _moment(second, 3) - _moment(first, 3)


def _kurtosis(first: Floats, second: Floats) -> Floats:
    return _moment(second, 4) - _moment(first, 4)


def _decile(first: Floats, second: Floats) -> Floats:
    moved = np.quantile(second, _DECILES, axis=-1) - np.quantile(first, _DECILES, axis=-1)
    return np.asarray(np.abs(moved).max(axis=0) / _sd(first))


def _kolmogorov_smirnov(first: Floats, second: Floats) -> Floats:
    """Return the largest difference of the cumulative shares, taken at the last of equal figures."""
    sizes = first.shape[-1], second.shape[-1]
    both = np.concatenate([first, np.broadcast_to(second, (len(first), sizes[1]))], axis=-1)
    order = both.argsort(axis=-1)
    ahead = np.where(order < sizes[0], 1 / sizes[0], -1 / sizes[1]).cumsum(axis=-1)[:, :-1]
    is_last = np.diff(np.take_along_axis(both, order, axis=-1), axis=-1) > 0
    return np.asarray(np.where(is_last, np.abs(ahead), 0.0).max(axis=-1))


_STATISTICS: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "shift": _shift,
    "distance": _wasserstein,
    "factor": _factor,
    "spread": _spread,
    "tails": _tails,
    "skewness": _skewness,
    "kurtosis": _kurtosis,
    "decile": _decile,
    "statistic": _kolmogorov_smirnov,
}


def _sd(side: Floats) -> Floats:
    return np.asarray(side.std(axis=-1, ddof=1))


def _moment(side: Floats, power: int) -> Floats:
    deviations = side - side.mean(axis=-1, keepdims=True)
    powers = np.multiply.reduce([deviations] * power)  # many times as fast as `**`
    return np.asarray(powers.mean(axis=-1) / side.std(axis=-1) ** power)


def _mean_log_size(side: Floats) -> Floats:
    sizes = np.abs(from_signed_log(side))
    counted = sizes > _ZERO
    return np.asarray(np.log(np.where(counted, sizes, 1.0)).sum(axis=-1) / counted.sum(axis=-1))


def _segments(first: int, second: int) -> tuple[Floats, tuple[Integers, Integers]]:
    """Return pieces of (0, 1) on which both quantile functions are constant: their lengths, and the ranks on both sides."""
    ends = np.unique(
        np.concatenate([np.arange(1, size + 1) * other for size, other in ((first, second), (second, first))])
    )
    starts = np.concatenate([[0], ends[:-1]])
    return (ends - starts) / (first * second), (starts // second, starts // first)

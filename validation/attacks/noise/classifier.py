"""A small classifier that distinguishes two kinds of rows by position, metadata and formatting, never by words.

`filters.py` uses one column at a time, this module all columns together: a ridge logistic regression on the form of every
cell (missing, length, number, decimals, shares of kinds of characters), cut at the deciles. It learns from one half of the
rows and is counted on the other. The caller decides which rows are compared.
"""

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy

from pipeline.keyed import Key
from validation.attacks import Attack
from validation.attacks.noise.filters import GUESSING
from validation.attacks.noise.looks import Counts, Matrix, NoiseLooks

_BINS = 10
_RIDGE = 10.0
"""Weight of the squared coefficients (our choice): with hundreds of features on some thousand rows, it keeps chance down."""


def classifier_attack(
    first: pl.DataFrame, second: pl.DataFrame, *, kinds: str, key: Key, looks: NoiseLooks | None = None
) -> Attack:
    """Distinguish two kinds of rows by a classifier on the form of their cells.

    Args:
        first: Rows of one kind as text, with their position in the file if that is to be used.
        second: Rows of the other kind, with the same columns.
        kinds: The two kinds, for the report.
        key: Decides in which half a row is.
        looks: What the rows look like, where they have been looked at already.

    Returns:
        Records are twice the rows of the rarer kind in the half that was not learnt from; successes are the records classified
        rightly at the classifier's balanced accuracy. No records if a kind is missing in a half.
    """
    rows = pl.concat([first, second.select(first.columns)])
    looks = looks or NoiseLooks.of([rows])
    is_first = np.arange(rows.height) < first.height
    is_tried = rows.select(key.draw(pl.int_range(pl.len())) % 2 == 1).to_series().to_numpy()
    halves = [is_first[is_tried == half] for half in (False, True)]
    records = 2 * min(int(min(half.sum(), (~half).sum())) for half in halves)
    accuracy = _accuracy(_features(rows, looks), is_first, is_tried) if records else GUESSING
    return Attack(
        attack="a small classifier",
        knowledge=f"position, metadata and formatting of {kinds}",
        records=records,
        successes=round(records * accuracy),
        chance=GUESSING,
    )


def _accuracy(features: Matrix, is_first: npt.NDArray[np.bool_], is_tried: npt.NDArray[np.bool_]) -> float:
    """Return the balanced accuracy on the half that it is tried on."""
    weights = _fitted(features[~is_tried], is_first[~is_tried])
    guess = features[is_tried] @ weights > 0
    truth = is_first[is_tried]
    return float((guess[truth].mean() + (~guess[~truth]).mean()) / 2)


def _fitted(features: Matrix, is_first: npt.NDArray[np.bool_]) -> Matrix:
    """Return the coefficients of a ridge logistic regression in which both kinds have the same total weight."""
    sign = np.where(is_first, 1.0, -1.0)
    weight = np.where(is_first, 0.5 / is_first.mean(), 0.5 / (~is_first).mean())

    def loss(coefficients: Matrix) -> tuple[float, Matrix]:
        margin = sign * (features @ coefficients)
        slope = -weight * sign * scipy.special.expit(-margin)
        value = weight @ np.logaddexp(0, -margin) + _RIDGE / 2 * coefficients @ coefficients
        return float(value), features.T @ slope + _RIDGE * coefficients

    start = np.zeros(features.shape[1])
    return np.asarray(scipy.optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 100}).x)


def _features(rows: pl.DataFrame, looks: NoiseLooks) -> Matrix:
    """Return a row of zeros and ones for each row: the tenth of its column in which each number lies.

    A number that is missing in some rows has a column for these; one that lies in the same tenth everywhere has no other.
    """
    numbers = looks.numbers[looks.places(rows)].swapaxes(1, 2).reshape(-1, rows.height)
    tenth = _tenths(numbers)
    at = np.arange(len(tenth))[:, None]
    is_present = np.zeros((len(tenth), _BINS + 1), dtype=np.bool_)
    is_present[at, tenth] = True
    is_known = is_present & (is_present[:, 1:].sum(axis=1, keepdims=True) > 1)
    is_known[:, 0] = is_present[:, 0] & is_present[:, 1:].any(axis=1)
    column = np.where(is_known, is_known.cumsum().reshape(is_known.shape), 0)
    features = np.zeros((rows.height, 1 + int(is_known.sum())))
    features[np.arange(rows.height), column[at, tenth]] = 1.0
    features[:, 0] = 1.0
    return features


def _tenths(numbers: Matrix) -> Counts:
    """Return the tenth of its row in which each number lies, from 1; 0 for those that are missing."""
    ordered, is_missing = np.sort(numbers, axis=1), np.isnan(numbers)
    sizes, which = np.unique((~is_missing).sum(axis=1), return_inverse=True)
    shares = np.linspace(0, 1, _BINS + 1)[1:-1]
    ranks = np.array([np.quantile(np.arange(max(size, 1)), shares, method="nearest") for size in sizes], dtype=np.int64)
    edges = np.take_along_axis(ordered, ranks[which], axis=1)
    tenths = np.ones(numbers.shape, dtype=np.int64)
    for edge in edges.T:
        tenths += numbers > edge[:, None]
    return np.where(is_missing, 0, tenths)

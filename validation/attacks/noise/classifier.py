"""A small classifier that distinguishes two kinds of rows by position, metadata and formatting, never by words.

`filters.py` uses one column at a time, this module all columns together: a ridge logistic regression on the form of every
cell (missing, length, number, decimals, shares of kinds of characters), cut at the deciles. It learns from one half of the
rows and is counted on the other. The caller decides which rows are compared.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.optimize import minimize
from scipy.special import expit

from pipeline.keyed import Key
from validation.attacks import Attack
from validation.attacks.noise.filters import GUESSING

_BINS = 10
_RIDGE = 10.0
"""Weight of the squared coefficients (our choice): with hundreds of features on some thousand rows, it keeps chance down."""

_CHARACTERS = {
    "digits": r"[0-9]",
    "han": r"\p{Han}",
    "latin": r"\p{Latin}",
    "blanks": r"\s",
    "signs": r"[^\p{L}\p{N}\s]",
}

Matrix = npt.NDArray[np.float64]


def classifier_attack(first: pl.DataFrame, second: pl.DataFrame, *, kinds: str, key: Key) -> Attack:
    """Distinguish two kinds of rows by a classifier on the form of their cells.

    Args:
        first: Rows of one kind as text, with their position in the file if that is to be used.
        second: Rows of the other kind, with the same columns.
        kinds: The two kinds, for the report.
        key: Decides in which half a row is.

    Returns:
        Records are twice the rows of the rarer kind in the half that was not learnt from; successes are the records classified
        rightly at the classifier's balanced accuracy. No records if a kind is missing in a half.
    """
    rows = pl.concat([first, second.select(first.columns)])
    is_first = np.arange(rows.height) < first.height
    is_tried = rows.select(key.draw(pl.int_range(pl.len())) % 2 == 1).to_series().to_numpy()
    halves = [is_first[is_tried == half] for half in (False, True)]
    records = 2 * min(int(min(half.sum(), (~half).sum())) for half in halves)
    accuracy = _accuracy(_features(rows), is_first, is_tried) if records else GUESSING
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
        slope = -weight * sign * expit(-margin)
        value = weight @ np.logaddexp(0, -margin) + _RIDGE / 2 * coefficients @ coefficients
        return float(value), features.T @ slope + _RIDGE * coefficients

    start = np.zeros(features.shape[1])
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 100}).x)


def _features(rows: pl.DataFrame) -> Matrix:
    """Return a row of zeros and ones for each row: the tenth of its column in which each number lies."""
    looked_at = rows.select(number for column in rows.columns for number in _numbers(column))
    binned = [column for name in looked_at.columns for column in _binned(looked_at[name].to_numpy())]
    return np.column_stack([np.ones(rows.height), *binned])


def _numbers(column: str) -> Iterator[pl.Expr]:
    """Yield the numbers that describe a column's cells; NaN if there is nothing to describe."""
    text = pl.col(column).cast(pl.String)
    length = text.str.len_chars()
    looks = {
        "length": length,
        "number": text.cast(pl.Float64, strict=False),
        "decimals": text.str.extract(r"\.([0-9]+)$", 1).str.len_bytes().fill_null(0),
        "last digit": text.str.extract(r"([0-9])$", 1).cast(pl.Float64),
        **{name: text.str.count_matches(pattern) / length for name, pattern in _CHARACTERS.items()},
    }
    for name, look in looks.items():
        number = look.cast(pl.Float64)
        yield pl.when(text.is_not_null() & number.is_finite()).then(number).otherwise(np.nan).alias(f"{column}: {name}")


def _binned(numbers: Matrix) -> Iterator[Matrix]:
    """Yield indicators of the tenths of a column of numbers, and of missing numbers; nothing for a constant."""
    is_missing = np.isnan(numbers)
    if 0 < is_missing.sum() < len(numbers):
        yield is_missing.astype(np.float64)
    there = numbers[~is_missing]
    if not len(there):
        return
    edges = np.unique(np.quantile(there, np.linspace(0, 1, _BINS + 1)[1:-1], method="nearest"))
    tenth = np.searchsorted(edges, np.nan_to_num(numbers), side="left")
    present = np.unique(tenth[~is_missing])
    for bin_ in present if len(present) > 1 else []:
        yield ((tenth == bin_) & ~is_missing).astype(np.float64)

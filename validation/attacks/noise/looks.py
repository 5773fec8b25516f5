"""What cells look like, without a word of what they mean: numbers and orders that follow from one text alone.

They are worked out once for each text that is distinct, in whatever rows and columns it stands. Which cells are looked at, and
by what two kinds of rows are distinguished, belongs to `filters.py` and `classifier.py`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.numerals import number_of

Counts = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float64]

NOWHERE = -1
"""The rank of a text that lacks a property."""

_TIMES = ("%d/%m/%Y %H:%M:%S", "%d/%m/%Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d")
_CLASSES = {r"\p{Han}+": "汉", r"\p{Latin}+": "A", r"[0-9]+": "9", r"\s+": " "}
"""Replacement of each run of characters in the shape of a text; signs between runs stay."""

_CHARACTERS = {
    "digits": r"[0-9]",
    "han": r"\p{Han}",
    "latin": r"\p{Latin}",
    "blanks": r"\s",
    "signs": r"[^\p{L}\p{N}\s]",
}

_TEXT, _PLACE = "text", "place"


@dataclass(frozen=True)
class NoiseLooks:
    """What the texts of some rows look like; the last entry is that of an empty cell."""

    texts: pl.DataFrame
    """Each distinct `text` with its `place`."""
    ranks: Mapping[str, Counts]
    """Property that a filter can use, the simplest first -> the rank of each text by it, `NOWHERE` for those that lack it."""
    numbers: Matrix
    """Numbers that describe each text, one column a number; NaN where there is nothing to describe."""

    @classmethod
    def of(cls, frames: Iterable[pl.DataFrame]) -> "NoiseLooks":
        """Look at all cells of some rows."""
        cells = pl.concat([pl.Series(_TEXT, [], pl.String), *map(_stacked, frames)])
        texts = cells.drop_nulls().unique().to_frame()
        empty = pl.Series(_TEXT, [None], pl.String).to_frame()
        every = pl.concat([texts, empty])
        properties = every.select(
            property_.rank("dense").fill_null(0).cast(pl.Int64) - 1 for property_ in _properties()
        )
        ranks = {name: ranked.to_numpy() for name, ranked in zip(RANGES, properties.get_columns(), strict=True)}
        return cls(texts.with_row_index(_PLACE), ranks, _described(every[_TEXT]))

    def places(self, rows: pl.DataFrame) -> Counts:
        """Return, for each column and row, the place of the cell's text among the texts."""
        cells = _stacked(rows).to_frame().join(self.texts, on=_TEXT, how="left", maintain_order="left")
        found = cells[_PLACE].fill_null(self.texts.height).to_numpy()
        return found.astype(np.int64).reshape(rows.width, rows.height)


RANGES: Mapping[str, bool] = {
    "missing or not": False,
    "a constant": False,
    "shape of the text": False,
    "first character": False,
    "last character": False,
    "length": True,
    "range of numbers": True,
    "range of times": True,
}
"""Properties of a text that a filter can use, the simplest first, each with whether it is used as a range."""


def _stacked(rows: pl.DataFrame) -> pl.Series:
    """Return all cells as text, column by column."""
    return pl.concat([pl.Series(_TEXT, [], pl.String), *(column.cast(pl.String).alias(_TEXT) for column in rows)])


def _properties() -> list[pl.Expr]:
    text = shape = pl.col(_TEXT)
    for run, sign in _CLASSES.items():
        shape = shape.str.replace_all(run, sign)
    time = pl.coalesce(text.str.to_datetime(form, strict=False) for form in _TIMES)
    properties = (
        text.is_null().cast(pl.Int8),
        text,
        shape,
        text.str.head(1),
        text.str.tail(1),
        text.str.len_chars().cast(pl.Int64),
        number_of(text),
        time.dt.epoch("s"),
    )
    return [each.alias(name) for name, each in zip(RANGES, properties, strict=True)]


def _described(texts: pl.Series) -> Matrix:
    """Return length, number, decimals, last digit, and the shares of kinds of characters of each text; NaN for none."""
    text = pl.col(_TEXT)
    looks = texts.to_frame().select(
        text.str.len_chars().cast(pl.Float64),
        number=number_of(text),
        decimals=pl.when(text.is_not_null())
        .then(text.str.extract(r"\.([0-9]+)$", 1).str.len_bytes().fill_null(0))
        .cast(pl.Float64),
        digit=text.str.extract(r"([0-9])$", 1).cast(pl.Float64),
    )
    length = looks[_TEXT].fill_null(np.nan).to_numpy()[:, None]
    with np.errstate(invalid="ignore"):
        numbers = np.column_stack([looks.fill_null(np.nan).to_numpy(), _counted(texts) / length])
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _counted(texts: pl.Series) -> Counts:
    """Return how many characters of each kind each text has, after a look at each character that occurs."""
    counts = np.zeros((len(texts), len(_CHARACTERS)), dtype=np.int64)
    points = np.frombuffer("".join(texts.drop_nulls()).encode("utf-32-le"), dtype="<u4")
    if not len(points):
        return counts
    present = np.flatnonzero(np.bincount(points))
    characters = pl.Series([chr(point) for point in present])
    length = texts.str.len_chars().fill_null(0).to_numpy().astype(np.int64)
    has_any, starts = length > 0, length.cumsum() - length
    is_of_kind = np.zeros(int(present[-1]) + 1, dtype=np.bool_)
    for kind, pattern in enumerate(_CHARACTERS.values()):
        is_of_kind[present] = characters.str.contains(pattern).to_numpy()
        counts[has_any, kind] = np.add.reduceat(is_of_kind[points], starts[has_any], dtype=np.int64)
    return counts

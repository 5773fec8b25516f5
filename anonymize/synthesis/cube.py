"""The panel as a cube of numbers (firm, year, column), and groups of firms. Only the shape changes here; nothing is drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.model import PERIOD

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Cube:
    """Figures of n firms, t years and m columns, in quanta."""

    firms: tuple[str, ...]
    """Sorted."""
    years: tuple[int, ...]
    """Sorted."""
    values: Floats
    """Shape (n, t, m); NaN where nothing is reported."""
    has_row: Booleans
    """Whether the firm has a row for the year, shape (n, t)."""


def cube_of(figures: pl.DataFrame, columns: Sequence[str], *, code: str, firms: pl.Series | None = None) -> Cube:
    """Return the cube of a panel frame: `code`, `PERIOD` and columns of numbers or Booleans, one row a code and year.

    Its firms are those of the frame, or all that are given.
    """
    firms = (figures[code] if firms is None else firms).unique().sort()
    years = figures[PERIOD].unique().sort()
    at = places_in(figures[code], firms), places_in(figures[PERIOD], years)
    values = np.full((len(firms), len(years), len(columns)), np.nan)
    values[at] = figures.select(pl.col(columns).cast(pl.Float64).fill_null(float("nan"))).to_numpy()
    has_row = np.zeros(values.shape[:2], np.bool_)
    has_row[at] = True
    return Cube(firms=tuple(firms), years=tuple(years), values=values, has_row=has_row)


def members_of(labels: Sequence[str]) -> dict[str, Integers]:
    """Return the positions of each label's members, labels sorted."""
    places: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        places.setdefault(label, []).append(place)
    return {label: np.asarray(places[label]) for label in sorted(places)}


def order_of(scores: Floats) -> Integers:
    """Return the places of scores in rising order. Scores with the same nine digits keep the order that they have.

    Two firms can grow to one level on two ways. Their scores then differ in last bits, and processors differ in which.
    """
    share, exponent = np.frexp(scores)
    order: Integers = np.argsort(np.ldexp(np.round(share, 9), exponent), kind="stable")
    return order


def places_in(values: pl.Series, domain: pl.Series) -> Integers:
    """Return the position of each value in the domain."""
    places: Mapping[object, int] = {value: place for place, value in enumerate(domain)}
    return np.asarray([places[value] for value in values], np.int64)

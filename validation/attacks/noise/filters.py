"""How well one filter distinguishes decoys from firms, or rows that noise changed from rows that it left alone.

A filter uses one column: missing or not, a constant, the shape of the text, a range. An agent that solves a task in such an
environment with one `WHERE` has not been tested, so a column may separate the kinds only if the shape of the tables
declares it. The filter is chosen on one half of the rows and counted on the other, because the best of many filters is good
by chance on the rows that it was chosen on. The caller decides which rows are compared.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.keyed import Key
from pipeline.wording import percent
from validation.attacks import Attack
from validation.attacks.noise.looks import NOWHERE, RANGES, Counts, NoiseLooks

Flags = npt.NDArray[np.bool_]

GUESSING = 0.5
"""The balanced accuracy of a filter that does not depend on the kind of a row."""


@dataclass(frozen=True, kw_only=True)
class NoiseFilter:
    """The best filter on one column."""

    column: str
    kind: str
    records: int
    """Twice the rows of the rarer kind in the half that it was not chosen on."""
    chosen: float
    """Balanced accuracy on the half of the rows that it was chosen on, 0.5 to 1."""
    accuracy: float
    """Balanced accuracy on the other half, 0 to 1: the mean of the shares of both kinds that it classifies rightly."""


@dataclass(frozen=True)
class _Range:
    """A filter that selects the values from `low` to `high`, inclusive; `gain` is above 0 if it selects the first kind."""

    low: int
    high: int
    gain: int
    """The weight of the selected rows."""


@dataclass(frozen=True)
class _Half:
    """The rows of one half."""

    cells: Counts
    """The place of each text, by column and row."""
    weight: Counts
    """The number of rows of the other kind, negative for the second kind: exact, and equal for both kinds."""

    @classmethod
    def of(cls, cells: Counts, is_first: Flags) -> "_Half":
        """Weigh the rows."""
        count = int(is_first.sum())
        return cls(cells, np.where(is_first, len(is_first) - count, -count))

    @property
    def rarer(self) -> int:
        """Return the number of rows of the rarer kind."""
        return min(int((self.weight > 0).sum()), int((self.weight < 0).sum()))

    @property
    def most(self) -> int:
        """Return the gain of a filter that selects all rows of the first kind and none of the second."""
        return int(self.weight.clip(0).sum())


def filter_attack(
    first: pl.DataFrame,
    second: pl.DataFrame,
    *,
    kinds: str,
    key: Key,
    inherent: Collection[str] = (),
    looks: NoiseLooks | None = None,
) -> Attack:
    """Distinguish two kinds of rows by the best filter on one column.

    Args:
        first: Published rows of one kind, as text.
        second: Rows of the other kind; only columns that both have are used.
        kinds: The two kinds, for the report: "decoys against firms".
        key: Decides which half the filter is chosen on.
        inherent: Columns that separate the kinds by declaration; named in the detail, never counted.
        looks: What the rows look like, where they have been looked at already.

    Returns:
        Records are twice the rows of the rarer kind in the half that was not chosen on; successes are the records classified
        rightly at the filter's balanced accuracy. No records if no column that counts has a filter.
    """
    found = best_filters(first, second, key=key, looks=looks)
    counted = [one for one in found if one.column not in inherent][:1]
    declared = [one for one in found if one.column in inherent]
    return Attack(
        attack="one filter",
        knowledge=f"the published rows: {kinds}",
        records=sum(one.records for one in counted),
        successes=sum(round(one.records * one.accuracy) for one in counted),
        chance=GUESSING,
        detail=_detail(counted, declared),
    )


def best_filters(
    first: pl.DataFrame, second: pl.DataFrame, *, key: Key, looks: NoiseLooks | None = None
) -> list[NoiseFilter]:
    """Return the best filter on each column that both frames have, sorted by the half that it was chosen on.

    Nothing is returned if a kind has no row in one of the halves. Arguments as in `filter_attack`.
    """
    columns = [column for column in first.columns if column in second.columns]
    rows = pl.concat([first.select(columns), second.select(columns)])
    looks = looks or NoiseLooks.of([rows])
    is_first = np.arange(rows.height) < first.height
    cells, is_tried = looks.places(rows), _is_tried(first.height, second.height, key)
    learnt, tried = (_Half.of(cells[:, half], is_first[half]) for half in (~is_tried, is_tried))
    if not learnt.rarer or not tried.rarer:
        return []
    found = [_best_filter(learnt, tried, column, place, looks) for place, column in enumerate(columns)]
    return sorted(found, key=lambda one: -one.chosen)


def _detail(counted: list[NoiseFilter], declared: list[NoiseFilter]) -> str:
    sentences = {"Best filter": counted, "Recorded apart by declaration": declared}
    return " ".join(
        f"{opening}: {'; '.join(f'{one.column} ({one.kind}), {percent(one.accuracy)}' for one in filters)}."
        for opening, filters in sentences.items()
        if filters
    )


def _is_tried(first: int, second: int, key: Key) -> Flags:
    """Return which rows of either kind the filter is not chosen on."""
    kind = pl.concat([pl.repeat(0, first, eager=True), pl.repeat(1, second, eager=True)])
    row = pl.concat([pl.int_range(count, eager=True) for count in (first, second)])
    return pl.select(key.draw(pl.lit(kind), pl.lit(row)) % 2 == 0).to_series().to_numpy()


def _best_filter(learnt: _Half, tried: _Half, column: str, place: int, looks: NoiseLooks) -> NoiseFilter:
    """Return the filter that separates best on one half, the simplest of several, and its accuracy on the other."""
    found = {
        kind: _best_range(looks.ranks[kind][learnt.cells[place]], learnt.weight, is_ordered=is_ordered)
        for kind, is_ordered in RANGES.items()
    }
    kind, chosen = max(((kind, one) for kind, one in found.items() if one), key=lambda pair: abs(pair[1].gain))
    ranks = looks.ranks[kind][tried.cells[place]]
    gain = int(tried.weight[(ranks >= chosen.low) & (ranks <= chosen.high)].sum()) / tried.most
    return NoiseFilter(
        column=column,
        kind=kind,
        records=2 * tried.rarer,
        chosen=_accuracy(abs(chosen.gain) / learnt.most),
        # A range that selects the second kind is used the other way round.
        accuracy=_accuracy(gain if chosen.gain > 0 else -gain),
    )


def _best_range(ranks: Counts, weight: Counts, *, is_ordered: bool) -> _Range | None:
    """Return the value or range whose shares of the two kinds differ most; None without values.

    The best range lies between the lowest and the highest point of the difference of the two distribution functions
    (Kuiper 1960), so that one pass over the sorted values finds it.

    Args:
        ranks: Of each row by its value; `NOWHERE` if it has none.
        weight: Of each row.
        is_ordered: Whether a range may hold several values.
    """
    has_value = ranks != NOWHERE
    values, which = np.unique(ranks[has_value], return_inverse=True)
    if not len(values):
        return None
    # Sums of whole numbers far below 2**53: exact.
    weights = np.bincount(which, weight[has_value]).astype(np.int64)
    start = int(np.abs(weights).argmax())
    end = start + 1
    if is_ordered:
        walk = np.concatenate([[0], weights.cumsum()])
        lowest, highest = int(walk.argmin()), int(walk.argmax())
        start, end = (min(lowest, highest), max(lowest, highest)) if lowest != highest else (start, end)
    return _Range(int(values[start]), int(values[end - 1]), int(weights[start:end].sum()))


def _accuracy(gain: float) -> float:
    return (1 + gain) / 2

"""How well one filter distinguishes decoys from firms, or rows that noise changed from rows that it left alone.

A filter uses one column: missing or not, a constant, the shape of the text, a range. An agent that solves a task in such an
environment with one `WHERE` has not been tested, so a column may separate the kinds only if the shape of the tables
declares it. The filter is chosen on one half of the rows and counted on the other, because the best of many filters is good
by luck on the rows that it was chosen on. The caller decides which rows are compared.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.keyed import SEPARATOR, Key
from validation.attacks import Attack

GUESSING = 0.5
"""The balanced accuracy of a filter that does not depend on the kind of a row."""

_TIMES = ("%d/%m/%Y %H:%M:%S", "%d/%m/%Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d")
_CLASSES = {r"\p{Han}+": "汉", r"\p{Latin}+": "A", r"[0-9]+": "9", r"\s+": " "}
"""Replacement of each run of characters in the shape of a text; signs between runs stay."""

_KIND, _IS_TRIED, _VALUE, _WEIGHT = (f"{SEPARATOR}{name}" for name in ("kind", "is_tried", "value", "weight"))


@dataclass(frozen=True, kw_only=True)
class Filter:
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

    low: object
    high: object
    gain: int
    """The weight of the selected rows."""


def filter_attack(
    first: pl.DataFrame, second: pl.DataFrame, *, kinds: str, key: Key, inherent: Collection[str] = ()
) -> Attack:
    """Distinguish two kinds of rows by the best filter on one column.

    Args:
        first: Published rows of one kind, as text.
        second: Rows of the other kind; only columns that both have are used.
        kinds: The two kinds, for the report: "decoys against firms".
        key: Decides which half the filter is chosen on.
        inherent: Columns that separate the kinds by declaration; named in the detail, never counted.

    Returns:
        Records are twice the rows of the rarer kind in the half that was not chosen on; successes are the records classified
        rightly at the filter's balanced accuracy. No records if no column that counts has a filter.
    """
    found = best_filters(first, second, key=key)
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


def best_filters(first: pl.DataFrame, second: pl.DataFrame, *, key: Key) -> list[Filter]:
    """Return the best filter on each column that both frames have, sorted by the half that it was chosen on.

    Nothing is returned if a kind has no row in one of the halves.
    """
    columns = [column for column in first.columns if column in second.columns]
    rows = pl.concat([_of_kind(frame.select(columns), key, kind) for kind, frame in enumerate((first, second))])
    learnt, tried = (_weighted(rows.filter(pl.col(_IS_TRIED) == is_tried)) for is_tried in (False, True))
    if min(half[_KIND].n_unique() for half in (learnt, tried)) < len((first, second)):
        return []
    rarer = min(tried.group_by(_KIND).len()["len"])
    found = [_best_filter(learnt, tried, column, records=2 * rarer) for column in columns]
    return sorted(found, key=lambda one: -one.chosen)


def rows_by_ledger(published: pl.DataFrame, ledger: pl.DataFrame, *, row_key: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Split the rows of a noisy table into those that noise changed and the others, without the columns that it changed.

    Args:
        published: Rows of the noisy table as text: those that the noise could have changed, because other rows show what a
            rule is about, not which rows it chose.
        ledger: The ledger's rows of this table (and of one rule, to ask about that rule).
        row_key: The published column that `row_key` of the ledger refers to.
    """
    is_changed = published[row_key].is_in(ledger["row_key"].unique().to_list())
    untouched = published.drop(ledger["column"].unique().to_list(), strict=False)
    return untouched.filter(is_changed), untouched.filter(~is_changed)


def _detail(counted: list[Filter], declared: list[Filter]) -> str:
    sentences = {"Best filter": counted, "Told apart by declaration": declared}
    return " ".join(
        f"{opening}: {'; '.join(f'{one.column} ({one.kind}), {one.accuracy:.1%}' for one in filters)}."
        for opening, filters in sentences.items()
        if filters
    )


def _of_kind(frame: pl.DataFrame, key: Key, kind: int) -> pl.DataFrame:
    row = pl.int_range(pl.len(), dtype=pl.Int64)
    return frame.with_columns(pl.lit(kind).alias(_KIND), (key.draw(pl.lit(kind), row) % 2 == 0).alias(_IS_TRIED))


def _weighted(half: pl.DataFrame) -> pl.DataFrame:
    """Weigh each row by the number of rows of the other kind, negative for the second kind: exact, and equal for both kinds."""
    others = pl.len().cast(pl.Int64) - pl.len().over(_KIND).cast(pl.Int64)
    return half.with_columns(pl.when(pl.col(_KIND) == 0).then(others).otherwise(-others).alias(_WEIGHT))


def _best_filter(learnt: pl.DataFrame, tried: pl.DataFrame, column: str, *, records: int) -> Filter:
    """Return the filter that separates best on one half, the simplest of several, and its accuracy on the other."""
    features = _features(column)
    cells = learnt.group_by(column).agg(pl.col(_WEIGHT).sum()).lazy()
    steps = pl.collect_all([_steps(cells, feature) for feature, _ in features.values()])
    found = {
        kind: _best_range(values, is_ordered=is_ordered)
        for (kind, (_, is_ordered)), values in zip(features.items(), steps, strict=True)
    }
    kind, chosen = max(((kind, one) for kind, one in found.items() if one), key=lambda pair: abs(pair[1].gain))
    is_selected = features[kind][0].is_between(pl.lit(chosen.low), pl.lit(chosen.high))
    gain = float(tried.select(pl.col(_WEIGHT).filter(is_selected).sum()).item()) / _most(tried)
    return Filter(
        column=column,
        kind=kind,
        records=records,
        chosen=_accuracy(abs(chosen.gain) / _most(learnt)),
        # A range that selects the second kind is used the other way round.
        accuracy=_accuracy(gain if chosen.gain > 0 else -gain),
    )


def _features(column: str) -> dict[str, tuple[pl.Expr, bool]]:
    """Return the properties of a column that a filter can use, the simplest first, each with whether it is used as a range."""
    text = pl.col(column).cast(pl.String)
    shape = text
    for run, sign in _CLASSES.items():
        shape = shape.str.replace_all(run, sign)
    time = pl.coalesce(text.str.to_datetime(form, strict=False) for form in _TIMES)
    return {
        "missing or not": (text.is_null().cast(pl.Int8), False),
        "a constant": (text, False),
        "shape of the text": (shape, False),
        "first character": (text.str.head(1), False),
        "last character": (text.str.tail(1), False),
        "length": (text.str.len_chars().cast(pl.Int64), True),
        "range of numbers": (text.cast(pl.Float64, strict=False), True),
        "range of times": (time.dt.epoch("s"), True),
    }


def _steps(cells: pl.LazyFrame, feature: pl.Expr) -> pl.LazyFrame:
    """Return the values of a feature in their order, each with the weight of its rows."""
    weight = pl.col(_WEIGHT)
    values = cells.select(feature.alias(_VALUE), weight).drop_nulls(_VALUE)
    return values.group_by(_VALUE).agg(weight.sum()).sort(_VALUE)


def _best_range(steps: pl.DataFrame, *, is_ordered: bool) -> _Range | None:
    """Return the value or range whose shares of the two kinds differ most; None without values.

    The best range lies between the lowest and the highest point of the difference of the two distribution functions
    (Kuiper 1960), so that one pass over the sorted values finds it.
    """
    if steps.is_empty():
        return None
    weights = steps[_WEIGHT].to_numpy()
    start = int(np.abs(weights).argmax())
    end = start + 1
    if is_ordered:
        walk = np.concatenate([[0], weights.cumsum()])
        lowest, highest = int(walk.argmin()), int(walk.argmax())
        start, end = (min(lowest, highest), max(lowest, highest)) if lowest != highest else (start, end)
    return _Range(steps[_VALUE][start], steps[_VALUE][end - 1], int(weights[start:end].sum()))


def _most(half: pl.DataFrame) -> int:
    """Return the gain of a filter that selects all rows of the first kind and none of the second."""
    return int(half[_WEIGHT].clip(lower_bound=0).sum())


def _accuracy(gain: float) -> float:
    return (1 + gain) / 2

"""Samples of figures: originals and release, paired by company, or by rank if the companies differ.

Belongs here: which figures make a sample, their scale, and their order within it. Statistics of samples belong to
`shape.py` and `curves.py`; they go measure by measure, so that one measure's figures are in memory at a time, and are merged
(`Shapes.merged`). The Kolmogorov-Smirnov test needs neither pairs nor a scale, and builds its samples itself.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.model import PERIOD, Measure

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]

KEYS = ("level", "measure", "group", "year")
"""The columns that identify a sample."""


@dataclass(frozen=True)
class SortedFigures:
    """The figures of originals or release, sorted within each sample."""

    values: Floats
    """Figures on the signed log scale, sample after sample, ascending within each."""
    number: Integers
    """Number of each figure's sample."""
    row: Integers
    """Row in `Samples` of each figure."""
    sizes: Integers
    """Number of figures of each sample; may be 0."""

    @cached_property
    def starts(self) -> Integers:
        """Return the start of each sample."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)


@dataclass(frozen=True)
class Merged:
    """The figures of both together, sorted within each sample."""

    values: Floats
    number: Integers
    row: Integers
    """Row in `Samples` of each figure."""
    is_anonymised: Booleans


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Figures of both, one row for each company (or rank), year, measure and level in which either has a figure."""

    labels: pl.DataFrame
    """The columns `KEYS`, one row a sample; samples are numbered by its rows."""
    sample: Integers
    """Number of each row's sample, ascending."""
    original: Floats
    """On the signed log scale, NaN if not reported."""
    anonymised: Floats
    """The same of the release."""

    @property
    def count(self) -> int:
        """Return the number of samples."""
        return self.labels.height

    @cached_property
    def merged(self) -> Merged:
        """Return both sides' figures, sorted together."""
        values = np.concatenate([self.original, self.anonymised])
        number = np.tile(self.sample, 2)
        # The order of equal figures is arbitrary, and nothing that is computed depends on it.
        order = np.argsort(values)[: values.size - np.count_nonzero(np.isnan(values))]
        order = order[_by_number(number[order], self.count)]
        rows = self.sample.size
        return Merged(values[order], number[order], order % max(rows, 1), order >= rows)

    @cached_property
    def sides(self) -> tuple[SortedFigures, SortedFigures]:
        """Return originals and anonymised figures, each sorted."""
        return self._side(~self.merged.is_anonymised), self._side(self.merged.is_anonymised)

    def total(self, values: Floats) -> Floats:
        """Return the sum over each sample of one number a row; NaN counts as 0."""
        totals = np.zeros(self.count)
        occupied, starts = self._occupied
        if starts.size:
            totals[occupied] = np.add.reduceat(np.where(np.isnan(values), 0.0, values), starts)
        return totals

    @cached_property
    def _occupied(self) -> tuple[Integers, Integers]:
        """Return the samples that have rows, and where each starts."""
        return np.unique(self.sample, return_index=True)

    def _side(self, chosen: Booleans) -> SortedFigures:
        number = self.merged.number[chosen]
        sizes = np.bincount(number, minlength=self.count).astype(np.int64)
        return SortedFigures(self.merged.values[chosen], number, self.merged.row[chosen], sizes)


def rows_of(labels: pl.DataFrame, named: pl.DataFrame) -> Integers:
    """Return the rows of `labels` with these `KEYS`, in the order of `named`; all must exist."""
    numbered = labels.select(KEYS).with_row_index("number")
    found = named.select(KEYS).join(numbered, on=KEYS, how="left", nulls_equal=True, maintain_order="left")
    return found["number"].to_numpy().astype(np.int64)


def paired_samples(
    originals: pl.DataFrame, anonymised: pl.DataFrame, *, measures: Iterable[Measure], levels: Mapping[str, str]
) -> Iterator[Samples]:
    """Pair the figures that either side reports, by level, group and year; yield the samples of each measure.

    Args:
        originals: column `PERIOD`, one for each measure (quanta) and each level.
        anonymised: one for each measure; row i belongs to the company and year of row i of `originals`.
        levels: level -> column whose values, null among them, make its groups.
    """
    placed = {level: _places(originals, column) for level, column in levels.items()}
    starts = np.cumsum([0, *(names.height for names, _ in placed.values())])
    for measure in measures:
        rows, before, after = _either(originals[measure.name], anonymised[measure.name], measure.decimals)
        sample = np.concatenate(
            [places[rows] + start for (_, places), start in zip(placed.values(), starts[:-1], strict=True)]
        )
        order = _by_number(sample, int(starts[-1]))
        labels = [
            names.select(level=pl.lit(level), measure=pl.lit(measure.name), group="group", year="year")
            for level, (names, _) in placed.items()
        ]
        yield Samples(
            labels=pl.concat(labels),
            sample=sample[order],
            original=np.tile(before, len(placed))[order],
            anonymised=np.tile(after, len(placed))[order],
        )


def ranked_samples(
    originals: pl.DataFrame, anonymised: pl.DataFrame, *, measures: Iterable[Measure], levels: Mapping[str, str]
) -> Iterator[Samples]:
    """Pair the figures of different companies by rank, the smallest with the smallest; yield the samples of each measure.

    With equally many figures on both sides, these are the pairs of the optimal transport of one distribution to the other
    (Villani 2009, Optimal Transport, remark 2.19), so that errors of paired differences are errors of the transport. If one
    side has more, its largest figures have no partner; errors are larger then, and less can be shown. Anybody with both tables
    can do it: it needs no owner.

    Args:
        originals: column `PERIOD`, one for each measure (quanta) and each level.
        anonymised: the same columns; rows of other companies, and another number of them.
        levels: level -> column whose values, null among them, make its groups.
    """
    for measure in measures:
        laid = pl.concat(
            _ranked(originals, anonymised, measure, column).with_columns(level=pl.lit(level))
            for level, column in levels.items()
        ).with_columns(measure=pl.lit(measure.name))
        order = pl.col("level").replace_strict({level: i for i, level in enumerate(levels)}, return_dtype=pl.Int64)
        labels = laid.select(KEYS).unique().sort(order, "group", "year", nulls_last=True)
        placed = laid.join(labels.with_row_index("sample"), on=KEYS, nulls_equal=True).sort("sample", "rank")
        before, after = (
            signed_log(placed[name].fill_null(np.nan).to_numpy() / 10.0**measure.decimals)
            for name in ("value", "value_anonymised")
        )
        yield Samples(
            labels=labels, sample=placed["sample"].to_numpy().astype(np.int64), original=before, anonymised=after
        )


def signed_log(values: Floats) -> Floats:
    """Return sign(v) * log(1 + |v|): near v for small figures, a logarithm for large ones, defined for losses and 0."""
    return np.asarray(np.copysign(np.log1p(np.abs(values)), values))


def from_signed_log(values: Floats) -> Floats:
    """Return the figures with these signed logs."""
    return np.asarray(np.copysign(np.expm1(np.abs(values)), values))


def _by_number(numbers: Integers, count: int) -> Integers:
    """Return a stable sorting order of numbers below `count`."""
    # numpy sorts integers of 16 bits by radix, several times as fast as by comparison.
    return np.argsort(numbers.astype(np.min_scalar_type(count)), kind="stable")


def _either(original: pl.Series, anonymised: pl.Series, decimals: int) -> tuple[Integers, Floats, Floats]:
    """Return the rows in which either side reports the measure, and both figures there, in signed logs of its unit."""
    rows = np.flatnonzero((original.is_not_null() | anonymised.is_not_null()).to_numpy())
    before, after = (
        signed_log(side.cast(pl.Float64).fill_null(np.nan).to_numpy()[rows] / 10.0**decimals)
        for side in (original, anonymised)
    )
    return rows, before, after


def _ranked(originals: pl.DataFrame, anonymised: pl.DataFrame, measure: Measure, column: str) -> pl.DataFrame:
    """Return `group, year, rank, value, value_anonymised` of each figure and its partner, null where there is none."""
    first, second = (
        side.select(group=pl.col(column), year=PERIOD, value=pl.col(measure.name).cast(pl.Float64))
        .drop_nulls("value")
        .with_columns(rank=pl.col("value").rank("ordinal").over("group", "year"))
        for side in (originals, anonymised)
    )
    return first.join(
        second, on=["group", "year", "rank"], how="full", coalesce=True, nulls_equal=True, suffix="_anonymised"
    )


def _places(originals: pl.DataFrame, column: str) -> tuple[pl.DataFrame, Integers]:
    """Return the groups and years of a level, sorted, and the one to which each row belongs."""
    rows = originals.select(group=pl.col(column), year=PERIOD)
    names = rows.unique().sort("group", "year", nulls_last=True).with_row_index("place")
    places = rows.join(names, on=["group", "year"], how="left", nulls_equal=True, maintain_order="left")["place"]
    return names, places.to_numpy().astype(np.int64)

"""Do the published tables agree across domains (enterprise, industry, region, policy)? Each statement is checked by its source.

Belongs here: comparing what is published without noise with what follows from other published tables (`recomputed.py`), in the
words of the declaration (`pipeline/model/schema/domains.py`): exactly, and means to their last digit. Sums of aggregates belong
to `totals.py`, comparisons with the originals to `aggregates.py`. All inputs are published, so that any reader can repeat it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from pipeline.derive import EXTREMES
from pipeline.model import PERIOD, Aggregate, Environment, Frames, LazyFrames
from pipeline.model.periods import Frequency, period_number
from pipeline.model.schema.domains import Domain, NamedElsewhere, StatedCounts, StatedRecount, StatedStatistics
from validation.consistency.recomputed import (
    CELL,
    PLACES,
    PublishedFirms,
    counts_again,
    in_places,
    published_firms,
    statistics_again,
)
from validation.consistency.worst import worst_cell

_GAP = "gap"
"""Column of the relative distance from the expected value: null if there is none, infinite if nothing can stand there."""

_STATISTICS = ("sum", "mean", "max", "min", "median")

Stated = StatedStatistics | StatedCounts | StatedRecount | NamedElsewhere


@dataclass(frozen=True, kw_only=True)
class DomainLink:
    """A statement that published tables make about each other, and the number of cells that contradict it."""

    source: Domain
    target: Domain
    what: str
    cells: int
    """Cells that both tables have, or should have."""
    disagreeing: int
    worst_cell: Mapping[str, object]
    """The published cell farthest from its expected value; empty if all agree."""
    table: str = ""
    """The published table that makes the statement."""
    stated: Stated | None = None
    """The declaration of the statement; None for figures that a table repeats."""
    wrong: pl.DataFrame = field(default_factory=pl.DataFrame, repr=False, compare=False)
    """The cells that contradict it, the farthest first: their place, what stands there, and what should."""

    def as_record(self) -> dict[str, Any]:
        """Return the link as the report has it."""
        return {
            "from": self.source,
            "to": self.target,
            "what": self.what,
            "cells": self.cells,
            "disagreeing": self.disagreeing,
            "worst_cell": dict(self.worst_cell),
            "passed": not self.disagreeing,
        }


def domain_links(
    environment: Environment, published: Frames | LazyFrames, schema: Mapping[str, pl.DataType]
) -> list[DomainLink]:
    """Compute again what published tables state of each other; nothing if no domains are declared.

    Args:
        environment: Declares domains and views.
        published: Published tables as text, without noise, by name. Statements about absent tables are left out.
        schema: Columns and types of the first entity table as it is conformed.

    Raises:
        InputError: Domains are declared without views, or they name something that is not declared.
    """
    domains = environment.domains
    if domains is None:
        return []
    firms = published_firms(environment, published, schema)
    aggregates = {aggregate.name: aggregate for aggregate in environment.aggregates}
    return [
        *_repetitions(firms),
        *_statistics(
            [stated for stated in domains.statistics if stated.table in published],
            aggregates,
            firms,
            published,
            additive=[measure.name for measure in environment.panel.measures if measure.additive],
            frequency=environment.panel.period.frequency,
        ),
        *(
            _counts(stated, aggregates[stated.aggregate], firms, published)
            for stated in domains.counts
            if stated.table in published
        ),
        *(_recount(stated, published) for stated in domains.recounts if {stated.table, stated.rows} <= set(published)),
        *(_names(named, published) for named in domains.names if {named.table, named.to_table} <= set(published)),
    ]


def _repetitions(firms: PublishedFirms) -> list[DomainLink]:
    """Compare tables that repeat figures with the first table that has them."""
    links = []
    for each in firms.repeated:
        gap = _distance(pl.col("value"), pl.col("expected").cast(pl.Float64))
        what = f"figures of {each.table} are those of {each.first}"
        link = _link(each.differing.with_columns(gap.alias(_GAP)), CELL, "enterprise", "enterprise", what)
        links.append(replace(link, table=each.table, cells=each.cells))
    return links


# --- statistics --------------------------------------------------------------------------------------------------------


def _statistics(
    listed: list[StatedStatistics],
    aggregates: Mapping[str, Aggregate],
    firms: PublishedFirms,
    published: Frames | LazyFrames,
    *,
    additive: list[str],
    frequency: Frequency,
) -> list[DomainLink]:
    again = {
        name: statistics_again(aggregates[name], firms, firms.panel)
        for name in dict.fromkeys(s.aggregate for s in listed)
    }
    links = []
    for stated in listed:
        aggregate = aggregates[stated.aggregate]
        place = [*aggregate.by, PERIOD, "measure", "statistic"]
        expected = _every_statistic(_without_totals(again[aggregate.name], aggregate, stated), additive)
        cells = (
            # An empty cell counts as absent: the expected values add the cells that should be there.
            stated.read(published[stated.table].lazy().collect())
            .drop_nulls("value")
            .with_columns(period_number(pl.col(PERIOD), frequency), stated=in_places(pl.col("value")))
            .join(expected, on=place, how="full", coalesce=True, maintain_order="left_right")
        )
        what = f"statistics in {stated.table} are those of the firms"
        links.append(replace(_judged(cells, place, stated.domain, what), table=stated.table, stated=stated))
    return links


def _without_totals(
    computed: pl.DataFrame, aggregate: Aggregate, stated: StatedStatistics | StatedCounts
) -> pl.DataFrame:
    if stated.has_totals or not aggregate.total_over:
        return computed
    return computed.filter(pl.col(aggregate.total_over) != aggregate.total_label)


def _every_statistic(computed: pl.DataFrame, additive: list[str]) -> pl.DataFrame:
    has_sum = pl.col("measure").is_in(additive)
    names = pl.DataFrame({"statistic": _STATISTICS})
    return computed.join(names, how="cross").filter((pl.col("statistic") != "sum") | has_sum)


def _judged(cells: pl.DataFrame, place: list[str], domain: Domain, what: str) -> DomainLink:
    """Return the link of cells with what is stated (`value`, `stated`) and computed again (`n`, ...)."""
    has_firms = pl.col("n").fill_null(0) > 0
    is_empty = pl.col("value").is_null()
    # Where no entity reports, a table may leave the place empty or state the empty sum.
    is_right = pl.when(has_firms).then(_is_exact()).otherwise(is_empty | (pl.col("stated") == 0)).fill_null(value=False)
    gap = pl.when(~is_right).then(_distance(pl.col("stated"), _expected()))
    counted = cells.with_columns(gap.alias(_GAP)).filter(has_firms | pl.col(_GAP).is_not_null())
    return _link(counted, place, "enterprise", domain, what)


def _is_exact() -> pl.Expr:
    """Return whether a stated number is the statistic; a mean, rounded to 15 significant digits and at most 15 decimals."""
    stated, total, n = pl.col("stated"), pl.col("sum"), pl.col("n").cast(pl.Int128)
    whole = (total.abs() // n) // _ONE
    digits = pl.when(whole > 0).then(whole.cast(pl.String).str.len_chars()).otherwise(0).clip(0, PLACES)
    unit = pl.lit(10, pl.Int64).pow(digits.cast(pl.Int64)).cast(pl.Int128)
    return _of_statistic(
        {
            "sum": stated == total,
            "mean": 2 * (stated * n - total).abs() <= unit * n,
            "max": stated == pl.col("max"),
            "min": stated == pl.col("min"),
            "median": 2 * stated == pl.col("twice_median"),
        }
    )


def _expected() -> pl.Expr:
    expected = {name: pl.col(name) for name in ("sum", *EXTREMES)}
    expected |= {"mean": pl.col("sum") / pl.col("n"), "median": pl.col("twice_median") / 2}
    return _of_statistic({name: value.cast(pl.Float64) for name, value in expected.items()})


_ONE = pl.lit(10**PLACES, pl.Int128)


def _of_statistic(values: Mapping[str, pl.Expr]) -> pl.Expr:
    return pl.coalesce(*(pl.when(pl.col("statistic") == name).then(value) for name, value in values.items()))


# --- counts and names --------------------------------------------------------------------------------------------------


def _counts(
    stated: StatedCounts, aggregate: Aggregate, firms: PublishedFirms, published: Frames | LazyFrames
) -> DomainLink:
    expected = _without_totals(counts_again(aggregate, firms.entities, stated.breakdowns), aggregate, stated)
    place = [column for column in expected.columns if column != "count"]
    text = stated.read(published[stated.table].lazy().collect()).drop_nulls("value")
    stated_numbers = text.select(*place, stated=pl.col("value").cast(pl.Int64, strict=False))
    what = f"numbers of entities in {stated.table} are those of the published list"
    link = _counted(stated_numbers, expected.rename({"count": "expected"}), place, ("enterprise", stated.domain), what)
    return replace(link, table=stated.table, stated=stated)


def _recount(stated: StatedRecount, published: Frames | LazyFrames) -> DomainLink:
    expected = stated.recount(published[stated.rows].lazy().collect())
    place = [column for column in expected.columns if column != "value"]
    number = pl.col("value").cast(pl.Int64, strict=False)
    stated_numbers = published[stated.table].lazy().select(*place, stated=number).collect()
    what = f"numbers in {stated.table} are those of the rows of {stated.rows}"
    domains = (stated.rows_domain, stated.domain)
    link = _counted(stated_numbers, expected.select(*place, expected=number), place, domains, what)
    return replace(link, table=stated.table, stated=stated)


def _counted(
    stated_numbers: pl.DataFrame, expected: pl.DataFrame, place: list[str], domains: tuple[Domain, Domain], what: str
) -> DomainLink:
    """Compare numbers; an empty cell counts as zero."""
    both = stated_numbers.join(
        expected, on=place, how="full", coalesce=True, nulls_equal=True, maintain_order="left_right"
    )
    stated, counted = pl.col("stated").fill_null(0), pl.col("expected").fill_null(0)
    gap = pl.when(stated != counted).then(_distance(stated, counted.cast(pl.Float64)))
    cells = both.filter((stated != 0) | (counted != 0)).with_columns(gap.alias(_GAP))
    return _link(cells, place, *domains, what)


def _names(named: NamedElsewhere, published: Frames | LazyFrames) -> DomainLink:
    values, known = (
        published[table].lazy().select(pl.col(column).unique()).collect().to_series().drop_nulls()
        for table, column in ((named.table, named.column), (named.to_table, named.to_column))
    )
    if named.separator:
        values = values.str.split(named.separator).explode()
    unknown = pl.when(~pl.col(named.column).is_in(known.implode())).then(float("inf"))
    cells = values.unique().sort().to_frame(named.column).with_columns(unknown.alias(_GAP))
    what = f"{named.column} in {named.table}: each stands in {named.to_table}"
    link = _link(cells, [named.column], named.domain, named.to_domain, what)
    return replace(link, table=named.table, stated=named)


def _distance(stated: pl.Expr, expected: pl.Expr) -> pl.Expr:
    """Return |stated - expected| / |expected|; infinite if either is missing or the expected value is zero."""
    distance = (stated.cast(pl.Float64) - expected).abs() / expected.abs()
    return distance.fill_nan(float("inf")).fill_null(float("inf"))


def _link(cells: pl.DataFrame, place: Sequence[str], source: Domain, target: Domain, what: str) -> DomainLink:
    wrong = cells.drop_nulls(_GAP)
    return DomainLink(
        source=source,
        target=target,
        what=what,
        cells=cells.height,
        disagreeing=wrong.height,
        worst_cell=worst_cell(wrong, place, _GAP),
        wrong=wrong.sort(_GAP, *place, descending=[True, *(False for _ in place)], nulls_last=True),
    )

"""Do the totals of derived aggregates equal the sums of their parts?

Belongs here: equations between aggregates (`pipeline.derive.nestings`: a national cell and the provinces' cells, a total over
industries and the industries' cells), and between an aggregate and all entities. The *rest* is what no part covers, because a
group is not published or firms have no group; it is taken from the firms themselves. Sums and numbers of firms add up, in exact
integers, and the maximum of a total is the maximum of its parts. Means and medians of totals do not follow from those of parts:
`domains.py` computes them anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.derive import Nesting, contributions, in_domain, nestings
from pipeline.model import PERIOD, Aggregate, Environment, Frames
from validation.consistency.recomputed import members_of
from validation.consistency.worst import worst_cell

COUNT = "count"
"""Name of the statistic that counts firms; `n` counts those that report a measure."""

_MEASURED = ("sum", "max", "min")


@dataclass(frozen=True, kw_only=True)
class CheckedTotal:
    """One statistic of totals against their parts and the rest."""

    total: str
    """The table of the totals; the entity table if the total is over all entities."""
    parts: str
    statistic: str
    cells: int
    """Number of totals."""
    disagreeing: int
    max_gap: int
    """The largest |total - parts|, in units of the last digit; in firms for counts of firms."""
    worst_cell: Mapping[str, object]
    """The total with that gap; empty if all agree."""


def totals_over_parts(
    environment: Environment, entities: pl.DataFrame, figures: pl.DataFrame, derived: Frames
) -> list[CheckedTotal]:
    """Compare every total that the declaration implies with its parts.

    Args:
        entities: The first entity table, anonymised.
        figures: The panel, anonymised.
        derived: Tables that the aggregates give, by name.
    """
    lines = nestings(environment.aggregates)
    rests = {
        aggregate.name: contributions(
            aggregate, entities, figures, measures=environment.panel.measures, code=environment.entities.code
        ).filter(~in_domain(aggregate))
        for aggregate in environment.aggregates
    }
    return [
        *(total for line in lines for total in _nested(line, rests[line.parts.name], derived)),
        *(
            total
            for each in environment.aggregates
            for total in _whole(environment, each, (entities, figures), derived)
        ),
        *(total for line in lines for total in _nested_counts(line, entities, derived)),
        *(t for each in environment.aggregates for t in _everyone_counted(environment, each, entities, derived)),
        *(total for each in environment.aggregates for total in _broken_down(each, entities, derived)),
    ]


# --- statistics --------------------------------------------------------------------------------------------------------


def _nested(line: Nesting, rest: pl.LazyFrame, derived: Frames) -> list[CheckedTotal]:
    """Compare the totals of an aggregate with the cells that they sum up, of a finer aggregate or its own."""
    keys = [*line.keys, PERIOD, "measure"]
    totals = derived[line.total.name].filter(line.is_total(), _has_parts(line), _in_years(line.parts))
    parts = _long(derived[line.parts.name].filter(line.is_part()), keys)
    return _compared(
        _long(totals, keys),
        pl.concat([parts, _summary(rest.filter(line.is_part()), keys)]),
        names=(line.total.name, f"{line.parts.name}, totals" if line.takes_totals else line.parts.name),
    )


def _whole(
    environment: Environment, aggregate: Aggregate, firms: tuple[pl.DataFrame, pl.DataFrame], derived: Frames
) -> list[CheckedTotal]:
    """Compare the figures of all entities that count with an aggregate's cells."""
    code, panel, keys = environment.entities.code, environment.panel, [PERIOD, "measure"]
    together = Aggregate(name=aggregate.name, by=(), years=aggregate.years, members=aggregate.members)
    everyone = contributions(together, *firms, measures=panel.measures, code=code)
    is_additive = pl.col("measure").is_in([measure.name for measure in panel.measures if measure.additive])
    rest = contributions(aggregate, *firms, measures=panel.measures, code=code).filter(
        ~in_domain(aggregate), _is_group(aggregate)
    )
    parts = _long(derived[aggregate.name].filter(_is_group(aggregate)), keys)
    return _compared(
        _summary(everyone, keys).filter((pl.col("statistic") != "sum") | is_additive),
        pl.concat([parts, _summary(rest, keys)]),
        names=(environment.entities.tables[0], aggregate.name),
    )


def _has_parts(line: Nesting) -> pl.Expr:
    """Return whether the finer aggregate has parts of a cell; it has parts of a total only if it has the same total."""
    total, parts = line.total, line.parts
    has_same = (total.total_over, total.total_label) == (parts.total_over, parts.total_label)
    return pl.lit(value=True) if has_same else _is_group(total)


def _in_years(aggregate: Aggregate) -> pl.Expr:
    return pl.lit(value=True) if aggregate.years is None else pl.col(PERIOD).is_in(aggregate.years)


def _is_group(aggregate: Aggregate) -> pl.Expr:
    """Return whether a row is no total over a column."""
    if not aggregate.total_over:
        return pl.lit(value=True)
    return pl.col(aggregate.total_over).ne_missing(aggregate.total_label)


def _long(statistics: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Return cells with firms as `keys`, `statistic` and `value` (Int128); the number of firms is the statistic `n`."""
    named = statistics.filter(pl.col("n") > 0)
    # Every cell has a maximum, so that these rows are one a cell.
    numbers = named.filter(statistic="max").select(
        *keys, pl.lit("n").alias("statistic"), pl.col("n").cast(pl.Int128).alias("value")
    )
    measured = named.filter(pl.col("statistic").is_in(_MEASURED))
    return pl.concat([numbers, measured.select(*keys, "statistic", pl.col("mantissa").cast(pl.Int128).alias("value"))])


def _summary(firms: pl.LazyFrame, keys: list[str]) -> pl.DataFrame:
    """Return the same for single figures: `keys` and `value`."""
    value = pl.col("value").cast(pl.Int128)
    summary = firms.group_by(keys).agg(n=pl.len().cast(pl.Int128), sum=value.sum(), max=value.max(), min=value.min())
    return summary.collect(engine="streaming").unpivot(["n", *_MEASURED], index=keys, variable_name="statistic")


# --- counts ------------------------------------------------------------------------------------------------------------


def _nested_counts(line: Nesting, entities: pl.DataFrame, derived: Frames) -> list[CheckedTotal]:
    """Compare an aggregate's numbers of firms with those of a finer aggregate, or its own, by the breakdowns of both."""
    breakdowns = [each for each in line.total.counts if each in line.parts.counts]
    if not breakdowns or line.takes_totals:
        return []
    keys = [*line.keys, *dict.fromkeys(column for breakdown in breakdowns for column in breakdown), "breakdown"]
    is_common = pl.col("breakdown").is_in(["+".join(breakdown) for breakdown in breakdowns])
    totals = derived[line.total.counts_name].filter(line.is_total(), _has_parts(line), is_common)
    parts = derived[line.parts.counts_name].filter(line.is_part(), is_common)
    without_group = pl.any_horizontal(pl.col(column).is_null() for column in line.parts.by)
    left = members_of(line.parts, entities).filter(without_group, line.is_part())
    rest = [_tally(left, keys, breakdown, line.keys) for breakdown in breakdowns]
    names = line.total.counts_name, line.parts.counts_name
    return _compared(_numbers(totals, keys), pl.concat([_numbers(parts, keys), *rest]), names=names)


def _everyone_counted(
    environment: Environment, aggregate: Aggregate, entities: pl.DataFrame, derived: Frames
) -> list[CheckedTotal]:
    """Compare the number of entities that count with the numbers of all groups."""
    if () not in aggregate.counts:
        return []
    keys, everyone = ["breakdown"], members_of(aggregate, entities).filter(_is_group(aggregate))
    groups = derived[aggregate.counts_name].filter(_is_group(aggregate), breakdown="")
    without_group = everyone.filter(pl.any_horizontal(pl.col(column).is_null() for column in aggregate.by))
    parts = pl.concat([_numbers(groups, keys), _tally(without_group, keys, (), ())])
    names = environment.entities.tables[0], aggregate.counts_name
    return _compared(_tally(everyone, keys, (), ()), parts, names=names)


def _broken_down(aggregate: Aggregate, entities: pl.DataFrame, derived: Frames) -> list[CheckedTotal]:
    """Compare the numbers of each breakdown with those of every finer breakdown."""
    found, members = [], members_of(aggregate, entities)
    for coarse, fine in ((a, b) for a in aggregate.counts for b in aggregate.counts if set(a) < set(b)):
        keys, counts = [*aggregate.by, *coarse], derived[aggregate.counts_name]
        totals, parts = (_numbers(counts.filter(breakdown="+".join(each)), keys) for each in (coarse, fine))
        lacking = members.drop_nulls(keys).filter(
            pl.any_horizontal(pl.col(c).is_null() for c in fine if c not in coarse)
        )
        rest = _tally(lacking, keys, coarse, aggregate.by)
        names = _broken(aggregate, coarse), _broken(aggregate, fine)
        found += _compared(totals, pl.concat([parts, rest]), names=names)
    return found


def _broken(aggregate: Aggregate, breakdown: tuple[str, ...]) -> str:
    return f"{aggregate.counts_name} by {' and '.join(breakdown)}" if breakdown else aggregate.counts_name


def _numbers(counts: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    return counts.select(*keys, pl.lit(COUNT).alias("statistic"), pl.col("count").cast(pl.Int128).alias("value"))


def _tally(entities: pl.DataFrame, keys: list[str], breakdown: tuple[str, ...], by: tuple[str, ...]) -> pl.DataFrame:
    """Count entities by groups and a breakdown; the other columns of `keys` are null, as in tables of counts."""
    named = entities.drop_nulls(list(breakdown)).with_columns(breakdown=pl.lit("+".join(breakdown)))
    used = [key for key in keys if key in (*by, *breakdown, "breakdown")]
    tally = named.group_by(used).agg(count=pl.len())
    return _numbers(tally.with_columns(pl.lit(None, pl.String).alias(key) for key in keys if key not in used), keys)


# --- comparing ---------------------------------------------------------------------------------------------------------


def _compared(totals: pl.DataFrame, parts: pl.DataFrame, *, names: tuple[str, str]) -> list[CheckedTotal]:
    """Compare long totals with long parts, statistic by statistic: columns of keys, `statistic`, `value`."""
    keys = [column for column in totals.columns if column != "value"]
    value, statistic = pl.col("value"), pl.col("statistic").first()
    together = parts.group_by(keys).agg(
        expected=pl.when(statistic == "max")
        .then(value.max())
        .when(statistic == "min")
        .then(value.min())
        .otherwise(value.sum()),
    )
    cells = totals.join(together, on=keys, how="left", nulls_equal=True)
    gaps = cells.with_columns(gap=(value - pl.col("expected").fill_null(0)).abs()).partition_by(
        "statistic", as_dict=True
    )
    return [_total(frame, str(name), keys, names) for (name,), frame in sorted(gaps.items())]


def _total(cells: pl.DataFrame, statistic: str, keys: Sequence[str], names: tuple[str, str]) -> CheckedTotal:
    place = [key for key in keys if key not in ("statistic", "breakdown")]
    wrong = cells.filter(pl.col("gap") > 0)
    return CheckedTotal(
        total=names[0],
        parts=names[1],
        statistic=statistic,
        cells=cells.height,
        disagreeing=wrong.height,
        max_gap=max(wrong["gap"].to_list(), default=0),
        worst_cell=worst_cell(wrong, place, "gap"),
    )

"""Cross-domain consistency: do aggregates of the anonymised firms agree with those of the originals?

Belongs here: structure, mean offset and distribution shape of aggregates (DataClaw, appendix A.2), against the originals'.
Aggregates against each other belong to `totals.py` and `domains.py`, identities to `residuals.py`, the report on all of them to
`report.py`, deriving aggregates to `pipeline/derive/`.

What is gated, and why no more:

- **Structure**, of releases that keep their firms: the same cells, the same firms in each, the same counts.
- **Shape**, always: Kolmogorov-Smirnov between the cells of originals and release. Ranks are not sensitive to denominators near
  zero.
- **Offset**, if it is bounded: if a mechanism moves no firm's figure by more than the share b and keeps its sign,
  then sum, mean, max, min and median of figures of one sign move by no more than b either (all five are monotone and
  homogeneous), and by a unit for each figure that may move so far because it is alone in its period. Where signs mix a sum may
  cancel, and outputs of identities (growth, ratios, differences) may blow up; their offsets are only reported. A mechanism
  without such a bound is held to structure and shape.

Sampled records belong to other firms: only their shape is judged, of aggregates by industry, and a stated share of comparisons
may fail (`Sampled`).

The report names the place of the largest offset, because readers want to look there. So the largest offset is rounded to whole
per cents and two digits at most: with a finer one, original = published / (1 + offset) would disclose a figure of the originals
where one firm makes the cell. Rounded, it stays open by a quarter of a per cent each way, as by the three digits that `lsd`
keeps. The attacker of the threat model has the originals, and can compute all of it himself.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

import polars as pl

from pipeline.derive import EXTREMES
from pipeline.model import PERIOD, Environment, Panel
from pipeline.numerals import as_float
from pipeline.wording import exact_percent
from validation.consistency.worst import named_cell, worst_cell
from validation.distributions.two_sample import ALPHA, two_sample_tests

MOST_OF_CELLS = 0.75
"""Share of comparisons of distributions over cells that may fail if records are sampled (our choice). Where industries are
small, noise draws them towards each other: on us-listed half of the statistics differ. Figures of another scale fail in all."""

MEAN_SHARE = 0.5
"""Share of the bound that a mean offset may use (0.5 % at three kept digits): fair noise cancels out. Our choice."""

ENOUGH_CELLS = 30
"""Number of cells from which a mean offset is gated and offsets are published with more digits.

Fresh digits move one figure by at most b with a standard deviation of 0.41 b, so the mean of 30 has 0.075 b, and `MEAN_SHARE`
is over six of those. An offset over few cells would disclose an original: with one cell, original = published / (1 + offset).
"""

FINE_DIGITS = 2
"""Significant digits of a published offset over enough cells."""

COARSE_PLACES = 2
"""Decimals of a published offset over fewer cells, or of a named cell: whole per cents, and `FINE_DIGITS` digits at most."""

NEAR = 0.1
"""|Offset| up to which a cell counts as near (our choice: what a reader of an aggregate may still call about right)."""

_TIE = 1 + 1e-9
"""By what a limit is stretched so that a decimal number right on it counts, whatever binary fractions make of it."""

STATISTIC_KEYS = (PERIOD, "measure", "statistic")


@dataclass(frozen=True, kw_only=True)
class Offset:
    """One statistic of one measure over all cells of a table; offset = (anonymised - original) / |original|."""

    table: str
    statistic: str
    measure: str
    cells: int
    """Cells with a value on both sides."""
    mean_offset: float | None
    """Mean of the signed offsets; null without cells."""
    max_offset: float | None
    """The largest |offset|; null without cells."""
    near: int
    """Cells with an |offset| of 10 % or less. Their number says less of any one cell than the largest offset does."""
    ks_p_value: float | None
    """Of the original cells against the anonymised ones; null if they are too few to be evidence."""
    from_zero: int
    """Cells that were zero and are not any more: they have no offset and do not count in mean and maximum."""
    bound: float | None
    """The gated bound of one cell's |offset|, null if there is none."""
    bounded_cells: int
    """Cells whose firms' figures all have one sign, if there is a bound."""
    bounded_mean_offset: float | None
    outside: int
    """Bounded cells beyond bound and steps by more than one unit of their last digit."""
    worst_cell: Mapping[str, str | int | float | None]
    """The cell with the largest |offset|; empty if no offset is above zero."""
    is_judged: bool = True
    """Whether a defect refuses the build; of others a report tells."""


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """What is judged if records are sampled."""

    recomputed: Collection[str]
    """Measures that are outputs of identities."""
    by_industry: Collection[str]
    """Aggregates by industry, the only ones for which a model of industries makes a promise."""

    @classmethod
    def of(cls, environment: Environment) -> "Sampled":
        """Return what is judged of an environment's aggregates."""
        industries = {environment.entities.industry, environment.entities.sub_industry}
        return cls(
            recomputed={identity.output for identity in environment.panel.identities},
            by_industry={each.name for each in environment.aggregates if set(each.by) <= industries},
        )

    def judges(self, entry: Offset) -> bool:
        """Say whether a statistic is judged."""
        return (
            entry.table in self.by_industry and entry.measure not in self.recomputed and entry.statistic not in EXTREMES
        )


@dataclass(frozen=True, kw_only=True)
class Structure:
    """How far two aggregate tables have the same cells."""

    table: str
    content: str
    cells: int
    """Cells of the originals."""
    missing: int
    extra: int
    changed: int
    """Cells of both tables with different numbers of firms, or with a value in one table only."""
    worst_cell: Mapping[str, object]
    """The cell whose numbers of firms differ most; empty if all cells are the same."""
    is_judged: bool = True
    """Whether a difference refuses the build. If records are sampled, so are their categories, and cells differ."""

    @property
    def is_same(self) -> bool:
        """Say whether both tables have the same cells."""
        return not (self.missing or self.extra or self.changed)


def lsd_bounds(panel: Panel) -> dict[str, float]:
    """Return the most that the `lsd` mechanism moves a figure, as a share of it: below 10**(1 - kept digits).

    Outputs of identities are recomputed, not perturbed, and have no bound.
    """
    outputs = {identity.output for identity in panel.identities}
    return {m.name: 10.0 ** (1 - m.significant_digits) for m in panel.measures if m.name not in outputs}


def lsd_steps(panel: Panel) -> dict[str, float]:
    """Return by how much a figure may move beyond that bound: one unit of its last decimal, if it is alone in its period."""
    return {m.name: 10.0**-m.decimals for m in panel.measures if panel.moves(m.name)}


def compare_aggregates(
    originals: pl.DataFrame,
    anonymised: pl.DataFrame,
    *,
    table: str,
    bounds: Mapping[str, float],
    steps: Mapping[str, float] = MappingProxyType({}),
) -> list[Offset]:
    """Compare the values of an aggregate table's cells; sorted by measure and statistic.

    Args:
        originals: the columns that make the groups, then `PERIOD`, `measure`, `statistic`, `n`, `mantissa`, `scale`.
        anonymised: the same columns; row order does not matter. Cells in one table only belong to `compare_structure`.
        table: the aggregate's name.
        bounds: the most that a firm's figure may move, by measure; offsets of a measure without a bound are not gated.
        steps: by how much it may move besides, by measure.
    """
    by = _groups(originals)
    keys = [*by, *STATISTIC_KEYS]
    cells = _with_offsets(_paired(originals, anonymised, keys), [*by, PERIOD, "measure"], bounds, steps)
    p_values = _shape(cells)
    grouped = cells.sort(keys, nulls_last=True).partition_by("measure", "statistic", maintain_order=True, as_dict=True)
    return [
        _offsets(group, table, bounds.get(str(name[0])), p_values.get((str(name[0]), str(name[1]))), [*by, PERIOD])
        for name, group in sorted(grouped.items())
    ]


def compare_structure(originals: pl.DataFrame, anonymised: pl.DataFrame, *, table: str) -> Structure:
    """Compare which cells of statistics there are, how many firms each has, and whether it has a value."""
    keys = [*_groups(originals), *STATISTIC_KEYS]
    sides = [f.select(*keys, "n", has_value=pl.col("mantissa").is_not_null()) for f in (originals, anonymised)]
    return _structure(*sides, keys=keys, table=table, content="statistics")


def compare_counts(originals: pl.DataFrame, anonymised: pl.DataFrame, *, table: str) -> Structure:
    """Compare the counts of firms, column `count`; every other column is part of a cell's name."""
    keys = [column for column in originals.columns if column != "count"]
    return _structure(originals, anonymised, keys=keys, table=table, content="counts")


def failures(
    offsets: Iterable[Offset],
    structures: Iterable[Structure],
    *,
    sampled: Sampled | None = None,
) -> list[str]:
    """Return one sentence for each defect, for the curator: what is wrong, where it is worst, what is allowed.

    If records are sampled, cells count other firms, and the share `MOST_OF_CELLS` of the comparisons of distributions may
    fail. Extremes (one firm's figure, which no model keeps), outputs of identities, and tables that are not
    by industry are then reported and not judged. `sampled` is None if no record is sampled.
    """
    if sampled is None:
        return [*_structural_defects(structures), *(sentence for entry in offsets for sentence in _defects(entry))]
    return _rejected_share(entry for entry in offsets if sampled.judges(entry))


def _structural_defects(structures: Iterable[Structure]) -> list[str]:
    return [
        f"{s.table}, {s.content}: of {s.cells} cells {s.missing} are missing, {s.extra} are extra and {s.changed} "
        "count other firms; all must be the same"
        for s in structures
        if not s.is_same
    ]


def _rejected_share(offsets: Iterable[Offset]) -> list[str]:
    p_values = [entry.ks_p_value for entry in offsets if entry.ks_p_value is not None]
    rejected = sum(p_value <= ALPHA for p_value in p_values)
    if rejected <= MOST_OF_CELLS * len(p_values):
        return []
    return [
        (
            f"{rejected} of {len(p_values)} statistics have another distribution over their cells (p <= {ALPHA}); "
            f"{int(MOST_OF_CELLS * len(p_values))} are allowed"
        )
    ]


def _groups(statistics: pl.DataFrame) -> list[str]:
    return [c for c in statistics.columns if c not in {*STATISTIC_KEYS, "n", "mantissa", "scale"}]


def _paired(originals: pl.DataFrame, anonymised: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    value = as_float(pl.col("mantissa"), pl.col("scale"))
    last_digit = 10.0 ** -pl.col("scale").cast(pl.Float64)
    sides = [
        frame.select(
            *keys, value.alias(name), last_digit.alias(f"{name} digit"), pl.col("n").alias(f"{name} n")
        ).drop_nulls(name)
        for name, frame in (("original", originals), ("anonymised", anonymised))
    ]
    return sides[0].join(sides[1], on=keys, nulls_equal=True)


def _with_offsets(
    cells: pl.DataFrame, cell: list[str], bounds: Mapping[str, float], steps: Mapping[str, float]
) -> pl.DataFrame:
    original, change = pl.col("original"), pl.col("anonymised") - pl.col("original")
    is_same = pl.col("original") == pl.col("anonymised")
    extremes = [original.filter(pl.col("statistic") == name).first().over(cell) for name in ("min", "max")]
    bound = pl.col("measure").replace_strict(dict(bounds), default=None, return_dtype=pl.Float64)
    step = pl.col("measure").replace_strict(dict(steps), default=0.0, return_dtype=pl.Float64)
    stepping = step * pl.when(pl.col("statistic") == "sum").then("original n").otherwise(1)
    # Published numbers are rounded, so one unit of the last digit is allowed on top of the bound.
    allowed = bound * original.abs() + stepping + pl.max_horizontal("original digit", "anonymised digit")
    return cells.with_columns(
        offset=pl.when(is_same).then(0.0).when(original != 0).then(change / original.abs()),
        # The bound holds for sums and means only if all figures of the cell have one sign: minimum and maximum show it.
        is_bounded=(bound.is_not_null() & ((extremes[0] >= 0) | (extremes[1] <= 0))).fill_null(False),
        is_outside=change.abs() > allowed,
    )


def _shape(cells: pl.DataFrame) -> dict[tuple[str, str], float | None]:
    names = cells.select("measure", "statistic").unique().sort("measure", "statistic").with_row_index("sample")
    numbered = cells.join(names, on=["measure", "statistic"])
    values = [
        numbered.select("sample", value=side, is_anonymised=pl.lit(i))
        for i, side in enumerate(("original", "anonymised"))
    ]
    p_values = two_sample_tests(pl.concat(values)).select("sample", "p_value").join(names, on="sample")
    return {(measure, statistic): p for _, p, measure, statistic in p_values.rows()}


def _offsets(cells: pl.DataFrame, table: str, bound: float | None, p_value: float | None, place: list[str]) -> Offset:
    known = cells.drop_nulls("offset")
    bounded = cells.filter("is_bounded")
    # Cells come sorted, so that the first of equal ones is always the same.
    worst = known["offset"].abs().arg_max()
    largest = None if worst is None else abs(known["offset"][worst])
    return Offset(
        table=table,
        statistic=cells["statistic"][0],
        measure=cells["measure"][0],
        cells=cells.height,
        from_zero=cells.height - known.height,
        mean_offset=_mean(known["offset"]),
        max_offset=largest,
        near=known.filter(pl.col("offset").abs() <= NEAR * _TIE).height,
        ks_p_value=p_value,
        bound=bound,
        bounded_cells=bounded.height,
        bounded_mean_offset=_mean(bounded["offset"].drop_nulls()),
        outside=bounded.filter("is_outside").height,
        worst_cell=named_cell(known.select(place).row(worst, named=True)) if worst is not None and largest else {},
    )


def _mean(values: pl.Series) -> float | None:
    # fsum rounds once, so that neither order nor threads can change a digit.
    return math.fsum(values) / len(values) if len(values) else None


def _structure(
    originals: pl.DataFrame, anonymised: pl.DataFrame, *, keys: list[str], table: str, content: str
) -> Structure:
    facts = [column for column in originals.columns if column not in keys]
    sides = originals.with_columns(is_original=True), anonymised.with_columns(is_anonymised=True)
    both = sides[0].join(
        sides[1], on=keys, how="full", coalesce=True, nulls_equal=True, suffix=" anonymised", validate="1:1"
    )
    is_changed = pl.any_horizontal(pl.col(fact).ne_missing(pl.col(f"{fact} anonymised")) for fact in facts)
    # A cell of one side only has its own number of firms as difference.
    number, other = (pl.col(f"{facts[0]}{suffix}").cast(pl.Int64).fill_null(0) for suffix in ("", " anonymised"))
    differing = both.filter(is_changed).with_columns(difference=(number - other).abs())
    return Structure(
        table=table,
        content=content,
        cells=originals.height,
        missing=both["is_anonymised"].null_count(),
        extra=both["is_original"].null_count(),
        changed=differing.drop_nulls(["is_original", "is_anonymised"]).height,
        worst_cell=worst_cell(differing, keys, "difference"),
    )


def published_offsets(entry: Offset) -> dict[str, Any]:
    """Return one statistic as the report has it: rounded, with its worst cell."""
    return asdict(entry) | {
        "mean_offset": _coarse(entry.mean_offset, entry.cells - entry.from_zero),
        "max_offset": _coarse(entry.max_offset, 0),
        "bounded_mean_offset": _coarse(entry.bounded_mean_offset, entry.bounded_cells),
    }


def _coarse(offset: float | None, cells: int) -> float | None:
    """Round once, because rounding twice (1.846, 1.85, 1.9) may give another number."""
    if not offset:
        return offset
    places = FINE_DIGITS - 1 - math.floor(math.log10(abs(offset)))
    return round(offset, places if cells >= ENOUGH_CELLS else min(places, COARSE_PLACES))


def _defects(entry: Offset) -> Iterable[str]:
    where, bound = f"{entry.table}, {entry.statistic} of {entry.measure!r}", exact_percent(entry.bound or 0)
    if entry.outside:
        yield (
            f"{where}: {entry.outside} of {entry.bounded_cells} bounded cells moved by more than {bound}; "
            f"the largest offset of all is at {dict(entry.worst_cell)}"
        )
    if _is_biased(entry):
        yield f"{where}: the mean offset uses more than {exact_percent(MEAN_SHARE)} of the bound of {bound}"
    if entry.ks_p_value is not None and entry.ks_p_value <= ALPHA:
        yield f"{where}: the cells have another distribution (p = {entry.ks_p_value:.3g}); p > {ALPHA} is allowed"


def _is_biased(entry: Offset) -> bool:
    if entry.bound is None or entry.bounded_mean_offset is None or entry.statistic not in {"sum", "mean"}:
        return False
    return entry.bounded_cells >= ENOUGH_CELLS and abs(entry.bounded_mean_offset) > MEAN_SHARE * entry.bound

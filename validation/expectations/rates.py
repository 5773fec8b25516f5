"""Cells that each rule changed: as many as the specification says, by exact bounds?

A rule decides by one draw for each owner (a row, or an entity whose cells are decided on together), with the probability
that its mechanism gives. So the number of chosen cells is a sum of independent variables with a known distribution. The
bounds are its quantiles, at `MISTAKES` divided by the number of bounds (Bonferroni): so rarely is a build refused although
its noise keeps its rates.

What is verified, and what is not: no rule may change more cells than were chosen. Rules on cells, and rules that drop or
double rows, may not change fewer either, among the cells that no earlier rule touched (an emptied cell stays empty, and a
rewritten one may not be eligible any more). A unit that is drawn again may stay the same, at a known rate. For their
figures, for decoys (no code may be free) and for files, only too many changes are noticed. Reordered rows are not counted,
because one row that moves moves others.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.keyed import Key
from pipeline.model import Environment, PublishedTable
from pipeline.noise.engine import eligible_in_blocks
from pipeline.noise.kinds.decoys import DecoyRows
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, FileKind
from pipeline.noise.kinds.rows import ReorderedRows
from pipeline.noise.kinds.units import UnitMismatch
from pipeline.noise.mechanisms import AtRandom, CompletelyAtRandom, Mechanism, NotAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from pipeline.noise.steps import Source
from validation.laws import of_successes

MISTAKES = 1e-4
"""Share of builds with correct rates that are refused by chance, over all bounds (our choice)."""

Chances = Mapping[tuple[float, ...], int]
"""Number of owners by the chances of their cells, falling: with one draw u, the cells with a chance above u are chosen."""

_ROWS, _CHANCE, _OWNER = "\x1frow_key", "\x1fchance", "\x1fowner"

_NEVER = 1e-15
"""Probability that a distribution is cut at on either side, and chances that count as none."""

_FEW = 20
"""If fewer than one in so many eligible cells were touched before, finding out which is not worth the time."""


@dataclass(frozen=True, kw_only=True)
class RuleRate:
    """What one rule changed in one column of one table ("" for rows and files), as shares of the eligible cells."""

    rule: str
    kind: str
    table: str
    column: str
    eligible: int
    cells: int
    rate: float
    expected: float
    low: float
    high: float
    passed: bool

    @property
    def is_free(self) -> bool:
        """Say whether any count is within the bounds: that they are kept shows nothing."""
        return not self.eligible or (self.low <= 0.0 and self.high >= 1.0)


def rule_rates(
    environment: Environment,
    spec: NoiseSpec,
    ledger: pl.DataFrame,
    opportunities: pl.DataFrame,
    clean: Mapping[str, Source],
    key: Key,
    alpha: float,
) -> tuple[RuleRate, ...]:
    """Return how often each rule of a specification changed something, and how often it may.

    Args:
        ledger: All changes (`pipeline.noise.ledger.SCHEMA`), in order of application within a table.
        opportunities: Number of cells that each rule could change (`pipeline.noise.ledger.OPPORTUNITIES`).
        clean: The clean tables, as text.
        key: The release key; it determines which cells are decided on together. The draws themselves are not repeated.
        alpha: How rarely each bound is exceeded by chance (`alpha_of`).
    """
    rules = {rule.name: rule for rule in spec.rules}
    ledgers = {str(name): part for (name,), part in ledger.partition_by("table", as_dict=True).items()}
    return tuple(
        _Place(
            environment=environment,
            spec=spec,
            rule=rules[row["rule"]],
            published=environment.table(row["table"]),
            column=row["column"],
            eligible=row["eligible"],
            ledger=ledgers.get(row["table"], ledger.clear()),
            clean=clean,
            key=key,
        ).judged(alpha)
        for row in _counted(spec, opportunities)
    )


def alpha_of(spec: NoiseSpec, opportunities: pl.DataFrame) -> float:
    """Return how rarely each bound may be exceeded by chance, so that all tables together keep to `MISTAKES`."""
    return MISTAKES / max(1, 2 * len(_counted(spec, opportunities)))


def _counted(spec: NoiseSpec, opportunities: pl.DataFrame) -> list[dict[str, Any]]:
    kinds = {rule.name: rule.kind for rule in spec.rules}
    return [row for row in opportunities.iter_rows(named=True) if not isinstance(kinds[row["rule"]], ReorderedRows)]


def bounds(chances: Chances, alpha: float) -> tuple[int, int]:
    """Return the smallest and largest allowed number of chosen cells; each is exceeded with probability `alpha` at most.

    The distribution is the convolution of one binomial for each chance, and of one for cells that are decided on together.
    """
    alone = {cells[0]: owners for cells, owners in chances.items() if len(cells) == 1 and cells[0] > _NEVER}
    together = {cells: owners for cells, owners in chances.items() if len(cells) > 1}
    # The law is kept only where it has probability worth counting: with millions of cells the rest would be zeros.
    start, law = 0, np.ones(1)
    for chance, count in alone.items():
        first, own = of_successes(count, chance, rarest=_NEVER)
        start, law = start + first, np.convolve(law, own)
    if together:
        law = np.convolve(law, _law_of_groups(together))
    below, above = np.cumsum(law), np.cumsum(law[::-1])
    low = start + int(np.searchsorted(below, alpha, side="right"))
    return low, start + law.size - 1 - int(np.searchsorted(above, alpha, side="right"))


def _law_of_groups(chances: Chances) -> npt.NDArray[np.float64]:
    """Return the probability of 0, 1, 2 ... chosen cells, by the characteristic function: exact up to rounding.

    Hong (2013), On computing the distribution function for the Poisson binomial distribution.
    """
    size = sum(len(cells) * owners for cells, owners in chances.items())
    angles = np.exp(2j * np.pi * np.arange(size + 1) / (size + 1))
    characteristic = np.ones(size + 1, dtype=np.complex128)
    for cells, owners in chances.items():
        # Cells of an owner share one draw, so exactly k are chosen with the probability between two consecutive chances.
        falling = np.array([1.0, *cells, 0.0])
        characteristic *= np.polyval((falling[:-1] - falling[1:])[::-1], angles) ** owners
    return np.clip(np.fft.fft(characteristic).real / (size + 1), 0, 1)


@dataclass(frozen=True, kw_only=True)
class _Place:
    """One rule in one column of one table."""

    environment: Environment
    spec: NoiseSpec
    rule: Rule
    published: PublishedTable
    column: str
    eligible: int
    ledger: pl.DataFrame
    clean: Mapping[str, Source]
    key: Key

    def judged(self, alpha: float) -> RuleRate:
        """Return the count, the share and its bounds."""
        share, changed = self._share_changed(), self._changed()
        chances = _thinned(self._all_chances, share[1])
        high = bounds(chances, alpha)[1]
        low, unexpectedly_few = 0, False
        if share[0]:
            touched = self._touched()
            low = bounds(_thinned(self._untouched(touched), share[0]), alpha)[0]
            unexpectedly_few = changed.filter(~changed.is_in(touched.implode())).len() < low
        cells, eligible = changed.len(), max(1, self.eligible)
        return RuleRate(
            rule=self.rule.name,
            kind=self.rule.kind.name,
            table=self.published.name,
            column=self.column,
            eligible=self.eligible,
            cells=cells,
            rate=cells / eligible,
            expected=sum(sum(chance) * owners for chance, owners in chances.items()) / eligible,
            low=low / eligible,
            high=high / eligible,
            passed=cells <= high and not unexpectedly_few,
        )

    def _changed(self) -> pl.Series:
        """Return the row keys of the entries that count: cells, rows that came or went, files."""
        own = self.ledger.filter(pl.col("rule") == self.rule.name, pl.col("column") == self.column)
        is_moved = (
            (pl.col("before") != "") & (pl.col("after") != "") & (pl.col("column") == "") & (pl.col("row_key") != "")
        )
        return own.filter(~is_moved)["row_key"]

    def _share_changed(self) -> tuple[float, float]:
        """Return the smallest and largest share of chosen cells whose text changes."""
        kind = self.rule.kind
        if isinstance(kind, UnitMismatch):
            families = [
                [unit for unit in family if kind.units is None or unit in kind.units]
                for family in self.environment.units.values()
            ]
            kept = [1 - 1 / len(family) for family in families if family]
            return (min(kept) if self.column == kind.unit_column else 0.0), max(kept)
        return (0.0 if isinstance(kind, DecoyRows | FileKind) else 1.0), 1.0

    @cached_property
    def _all_chances(self) -> Chances:
        """Return the chances of the eligible cells."""
        mechanism = self.rule.mechanism
        if isinstance(mechanism, CompletelyAtRandom) and not self._is_together:
            return {(mechanism.rate,): self.eligible}
        rows = self._eligible_rows
        if rows.height != self.eligible:  # which rows are eligible is unknown here: a bound that holds for any of them
            return {(max(_levels(mechanism)),): self.eligible}
        return self._chances(rows)

    def _untouched(self, touched: pl.Series) -> Chances:
        """Return the chances of the eligible cells that no earlier rule touched; at most those of all eligible cells."""
        if touched.is_empty():
            return self._all_chances
        if len(self._all_chances) == 1 and touched.len() * _FEW < self.eligible and not self._is_together:
            return {cells: owners - touched.len() for cells, owners in self._all_chances.items()}
        rows = self._eligible_rows
        is_known = rows.height == self.eligible
        return self._chances(rows.filter(~pl.col(_ROWS).is_in(touched.implode()))) if is_known else {}

    def _chances(self, rows: pl.DataFrame) -> Chances:
        if not self._is_together:
            return {(chance,): count for chance, count in rows[_CHANCE].value_counts(sort=True).iter_rows()}
        cells = rows.group_by(_OWNER).agg(pl.col(_CHANCE).sort(descending=True))[_CHANCE]
        return Counter(map(tuple, cells.to_list()))

    @property
    def _is_together(self) -> bool:
        """Return whether cells of several rows are decided on together."""
        return self._edit is not None and self._edit.owner != self.published.row_key

    @cached_property
    def _eligible_rows(self) -> pl.DataFrame:
        """Return the keys of the clean rows whose cell the rule could change, their chances, and who decides on them."""
        rule, edit = self.rule, self._edit
        judged = edit.column if edit else getattr(rule.kind, "judged_by", None) or self.published.row_key
        if edit is not None and len(getattr(rule.kind, "columns", ())) > 1:
            kind: Any = rule.kind
            rule = replace(rule, kind=replace(kind, columns=(edit.column,)))
        table = self.clean[self.published.name]
        beside = {name: self.clean[name] for name in self.published.beside if name in self.clean}
        blocks = eligible_in_blocks(table, self.published, rule, self.environment, self.key, beside)
        columns = [pl.col(self.published.row_key).alias(_ROWS), _chance(rule.mechanism, judged).alias(_CHANCE)]
        if edit is not None and self._is_together:  # alike if decided together
            columns.append((edit.whether or self._draws.of(edit.column, "whether")).uniform(edit.owner).alias(_OWNER))
        is_there = pl.col(self.column).is_not_null() if self.column else pl.lit(value=True)
        key = pl.col(self.published.row_key)
        return pl.concat(block.filter(key.is_in(keys.implode()) & is_there).select(columns) for block, keys in blocks)

    @cached_property
    def _edit(self) -> Edit | None:
        """Return the edit of a rule on cells to the column; None for rows and files."""
        if not isinstance(self.rule.kind, CellKind):
            return None
        edits = self.rule.kind.edits(self.environment, self._draws)
        return next(edit for edit in edits if self.column in edit.after)

    @property
    def _draws(self) -> Draws:
        return Draws(rule=self.key.derive("noise", self.rule.name), table=self.published)

    def _touched(self) -> pl.Series:
        """Return the rows in which an earlier rule changed a cell that this one reads or writes."""
        edit = self._edit
        read = {""} if edit is None else set(edit.after) | _read(edit, self.published)
        names = [rule.name for rule in self.spec.rules]
        earlier = names[: names.index(self.rule.name)]
        before = self.ledger.filter(pl.col("rule").is_in(earlier), pl.col("column").is_in(sorted(read)))
        return before["row_key"].unique()


def _read(edit: Edit, published: PublishedTable) -> set[str]:
    """Return the columns whose current text decides what the edit does."""
    used = [*edit.draws.values(), *edit.after.values()]
    return {root for expression in used for root in expression.meta.root_names()} & set(published.columns)


def _levels(mechanism: Mechanism) -> list[float]:
    """Return the chances that a mechanism may give, rising."""
    match mechanism:
        case CompletelyAtRandom():
            return [mechanism.rate]
        case AtRandom():
            return sorted({*mechanism.rates.values(), mechanism.otherwise})
        case NotAtRandom():
            rates = [*(mechanism.rates or {}).values(), *(band.rate for band in mechanism.bands or ())]
            return sorted({*rates, mechanism.otherwise})


def _chance(mechanism: Mechanism, column: str) -> pl.Expr:
    """Return the chance of each cell: the largest level at which a draw just below it is a hit."""
    chance = pl.lit(0.0)
    for level in _levels(mechanism):
        if level > 0:
            # A literal would lose the rows if polars sees that all cells have the same chance.
            draw = pl.repeat(float(np.nextafter(level, 0)), pl.len())
            is_hit = mechanism.hits(draw, column)
            chance = pl.when(is_hit).then(level).otherwise(chance)
    return chance


def _thinned(chances: Chances, share: float) -> Chances:
    """Return the chances if only a share of choices changes anything; cells decided on together change all or none."""
    return {tuple(chance * share for chance in cells): owners for cells, owners in chances.items()}

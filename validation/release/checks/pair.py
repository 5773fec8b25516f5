"""The noisy variant against the clean one: what noise changed, cell by cell and row by row, and whether it may have.

Without the ledger nobody can say which rule changed a cell. If the release discloses its noise, its report says how many each
rule changed in a column, and so how many cells can differ; a column that no rule writes to cannot differ at all. If it does
not, only the records can be compared.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.conform.source import HEADER_ROWS, shortened
from pipeline.errors import Problem
from pipeline.model import PublishedTable
from pipeline.noise.kinds.rows import ReorderedRows
from pipeline.wording import exact_percent
from validation.release.opened import SHOWN, Release, ReleasedVariant

_LEAST = 0.5
"""Share of clean records that have to be found in the noisy table, or the two are not of one build (our choice)."""

Rules = Mapping[tuple[str, str], list[int]]
"""Table and column ("" for rows) -> how many cells each rule changed there."""


@dataclass(frozen=True, kw_only=True)
class TablePair:
    """A table without and with noise, records in both side by side in the order of the noisy one.

    Columns are aligned when they are asked for: all of them together would take much memory.
    """

    table: PublishedTable
    sides: tuple[pl.DataFrame, pl.DataFrame]
    """The clean and the noisy table whole, each in its own order."""
    places: pl.DataFrame
    """Columns `clean` and `noisy`: where each record stands in either."""
    gone: int
    come: int
    """Records that are in the clean or in the noisy table alone, or there once more."""

    @property
    def columns(self) -> list[str]:
        """Return the names of the columns."""
        return self.sides[0].columns

    @property
    def height(self) -> int:
        """Return how many records are in both."""
        return self.places.height

    def clean(self, column: str) -> pl.Series:
        """Return a column without noise."""
        return self.sides[0][column].gather(self.places["clean"])

    def noisy(self, column: str) -> pl.Series:
        """Return a column with noise."""
        return self.sides[1][column].gather(self.places["noisy"])

    def row(self, record: int) -> int:
        """Return the row of the noisy file in which a record stands."""
        return int(self.places["noisy"][record]) + HEADER_ROWS + 1

    def differing(self, column: str) -> pl.Series:
        """Return the numbers of the records that differ in a column."""
        return self.noisy(column).ne_missing(self.clean(column)).arg_true()


def noise_within_bounds(release: Release) -> Iterator[Problem]:
    """Find cells and records that differ although no rule says so, or more or fewer than rules changed."""
    noisy = release.noisy
    rules = stated_rules(noisy) if noisy else None
    if noisy is None or rules is None:
        return
    for pair in pairs(release):
        yield from _of_rows(noisy, pair, rules)
        for column in pair.table.columns:
            yield from _of_cells(noisy, pair, column, rules)


def of_one_build(release: Release) -> Iterator[Problem]:
    """Find noisy tables in which few of the clean records are."""
    for pair in pairs(release):
        every = pair.height + pair.gone
        if release.noisy and pair.height < _LEAST * every:
            path, found = release.noisy.path_of(pair.table.name), f"{pair.height:,} of {every:,} clean records"
            yield Problem(path, 0, pair.table.row_key, found, f"expected at least {exact_percent(_LEAST)} of them")


def pairs(release: Release) -> Iterator[TablePair]:
    """Yield the tables that both variants have in the declared form, with keys to align their records by."""
    environment, noisy = release.environment, release.noisy
    for table in environment.noisy_tables() if environment and noisy else ():
        clean = release.truth.get(table.name)
        other = noisy.read(noisy.path_of(table.name)) if noisy and table.row_key else None
        if clean is not None and other is not None and other.columns == list(table.columns):
            yield paired(table, clean, other)


def paired(table: PublishedTable, clean: pl.DataFrame, noisy: pl.DataFrame) -> TablePair:
    """Align two tables by their row key; which of them comes first makes no difference to how many cells differ.

    Of a key only the first record in each table is held against the other, so cells are counted once; copies of a record are
    counted among those gone or come: of 3 records with a key of which 1 is left, 2 are gone.
    """
    key, is_first = table.row_key, pl.col(table.row_key).is_first_distinct()
    numbered = [side.select(key).with_row_index(name) for side, name in ((clean, "clean"), (noisy, "noisy"))]
    one, other = (side.filter(is_first) for side in numbered)
    both = other.join(one, on=key, how="inner", maintain_order="left")
    spare, others = (side.filter(~is_first).group_by(key).len() for side in numbered)
    again = spare.join(others, on=key).select(pl.min_horizontal("len", "len_right").sum()).item()
    return TablePair(
        table=table,
        sides=(clean, noisy),
        places=both.select("clean", "noisy"),
        gone=clean.height - both.height - again,
        come=noisy.height - both.height - again,
    )


def stated_rules(noisy: ReleasedVariant) -> Rules | None:
    """Return what the published report on noise says that rules changed; None if there is no such report."""
    listed = noisy.report("noise").get("rules")
    if not isinstance(listed, list):
        return None
    rules: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for rule in listed:
        is_moving = rule["kind"] == ReorderedRows.name
        rules[rule["table"], "moved" if is_moving else rule["column"]].append(int(rule["cells"]))
    return rules


def _of_rows(noisy: ReleasedVariant, pair: TablePair, rules: Rules) -> Iterator[Problem]:
    path = noisy.path_of(pair.table.name)
    if (pair.table.name, "moved") in rules:
        return
    stated = sum(rules.get((pair.table.name, ""), []))
    if pair.gone + pair.come != stated:
        found = f"{pair.gone:,} records less and {pair.come:,} more than the clean table"
        yield Problem(path, 0, "", found, f"the report on noise tells of {stated:,} that rules dropped or added")


def _of_cells(noisy: ReleasedVariant, pair: TablePair, column: str, rules: Rules) -> Iterator[Problem]:
    path, stated = noisy.path_of(pair.table.name), rules.get((pair.table.name, column), [])
    differing = pair.differing(column)
    if differing.len() > sum(stated):
        for record in differing.head(SHOWN):
            found, expected = (side(column)[record] or "nothing" for side in (pair.noisy, pair.clean))
            expected_of = f"rules changed {sum(stated):,} cells of the column, and {differing.len():,} differ"
            yield Problem(
                path, pair.row(record), column, shortened(found), f"the clean cell is {expected!r}: {expected_of}"
            )
    # NOTE: a rule on rows can drop what another changed, and one rule can take back what another did.
    least = max(stated, default=0) - sum(rules.get((pair.table.name, ""), []))
    if differing.len() < least:
        found = f"{differing.len():,} cells that differ"
        yield Problem(path, 0, column, found, f"the report on noise tells of a rule that changed {max(stated):,}")

"""Order: does the order of published rows or ids disclose anything about the originals?

Belongs here: the published orders of entities, the columns of the originals to compare with, and Spearman's rank correlation
between them. Renderings make the keyed order.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy

from anonymize.tables import original_figures
from pipeline.keyed import SEPARATOR
from pipeline.model import PERIOD, Entities, Environment, Frames, LazyFrames, PublishedTable, RawTable, Role
from pipeline.numerals import number_of
from validation.attacks import Attack

ENTITY, POSITION = f"{SEPARATOR}entity", f"{SEPARATOR}position"
"""Columns of the published code and of its place, in every frame here; no column of a table can have these names."""

KNOWLEDGE = "every column of the raw tables, and the order of their rows"

LIMIT = 0.03
"""Rank correlation up to which an order counts as random, however many rows there are: a thousandth of the variance."""

FAMILY_WISE = 0.001
"""Probability that a random order correlates beyond the bound with any column at all."""

FEWEST = 20
"""Smallest number of entities for a correlation: for fewer, the normal law of the bound does not hold."""

RAW_ROW = "row in "
"""Prefix of the columns that hold an entity's row in a raw table."""

_COLUMN, _CELL, _PLACE = f"{SEPARATOR}column", f"{SEPARATOR}cell", f"{SEPARATOR}place"

SAMPLE = 1_000
"""Rows, evenly spaced, in which columns of codes or prose are looked for: most rows of them hold such."""


def order_attacks(tables: Iterable[PublishedTable], published: LazyFrames, originals: pl.DataFrame) -> list[Attack]:
    """Attack the order of rows and ids of every published table whose rows belong to entities.

    Args:
        published: Their text by name; a table that was left out may be absent.
        originals: Of `original_columns`.
    """
    # Numbers in the order of the values have the same ranks, and are put in order many times as fast as texts.
    ordered = originals.with_columns(pl.exclude(ENTITY).rank("dense"))
    return [
        order_attack(f"order of {table.name}, {kind}", positions, ordered)
        for table in tables
        if table.name in published
        for kind, positions in published_orders(table, published[table.name], originals[ENTITY]).items()
    ]


def order_attack(
    attack: str, positions: pl.DataFrame, originals: pl.DataFrame, *, knowledge: str = KNOWLEDGE
) -> Attack:
    """Correlate one order of the entities with every column of the originals: each column beyond the bound is a success.

    Args:
        attack: Name of the attack.
        positions: One row an entity: `ENTITY`, `POSITION` (of any sortable type).
        originals: One row an entity: `ENTITY` and the columns to compare with, of any sortable type.
        knowledge: What the attacker knows besides the published tables: the columns compared with.
    """
    found = rank_correlations(positions.join(originals, on=ENTITY))
    size, limit = pl.col("correlation").abs(), bound(found["n"].to_numpy(), found.height)
    found = found.with_columns(size, limit=limit).sort(pl.col("correlation") / pl.col("limit"), descending=True)
    return Attack(
        attack=attack,
        knowledge=knowledge,
        records=found.height,
        successes=found.filter(pl.col("correlation") > pl.col("limit")).height,
        chance=FAMILY_WISE / max(found.height, 1),
        detail="".join(_in_words(row) for row in _nearest_to_bound(found).iter_rows(named=True)),
    )


def _nearest_to_bound(found: pl.DataFrame) -> pl.DataFrame:
    """Return the first column, if any. The order of raw rows is named only if it is a success, since it is no data."""
    is_raw_order = pl.col("column").str.starts_with(RAW_ROW)
    return found.filter(~is_raw_order | (pl.col("correlation") > pl.col("limit"))).head(1)


def rank_correlations(frame: pl.DataFrame) -> pl.DataFrame:
    """Return Spearman's rank correlation of `POSITION` with every other column but `ENTITY`, over rows with a value.

    Ties have their mean rank (Kendall, "Rank Correlation Methods", chapter 3).

    Returns:
        `column`, `n` (rows with a value) and `correlation`; columns with fewer than `FEWEST` values, or with one value
        only, are left out.
    """
    columns = frame.drop(ENTITY, POSITION).columns
    # Positions are ranked once for all columns that are known everywhere.
    where_known = {
        name: pl.when(pl.col(name).is_not_null()).then(POSITION) if frame[name].null_count() else pl.col(POSITION)
        for name in columns
    }
    correlations = frame.select(pl.corr(where_known[name].rank(), pl.col(name).rank()).alias(name) for name in columns)
    found = pl.DataFrame(
        {
            "column": columns,
            "n": [frame[name].count() for name in columns],
            "correlation": correlations.row(0) if columns else [],
        },
        schema={"column": pl.String, "n": pl.Int64, "correlation": pl.Float64},
    )
    return found.filter(pl.col("n") >= FEWEST, pl.col("correlation").is_not_nan())


def bound(n: npt.NDArray[np.int64], columns: int) -> npt.NDArray[np.float64]:
    """Return the |rank correlation| that counts as a success: `LIMIT`, or the reach of a random order if that is larger.

    Under a random order Spearman's coefficient has mean 0 and variance 1 / (n - 1), ties or not, and is close to normal
    (Kendall, "Rank Correlation Methods", chapter 5). Bonferroni: each of the columns, on both sides, has its share of
    `FAMILY_WISE`. From 21,000 entities on `LIMIT` is the larger of the two where there are 100 columns.
    """
    z = -scipy.special.ndtri(FAMILY_WISE / (2 * max(columns, 1)))
    return np.maximum(LIMIT, z / np.sqrt(n - 1))


def _in_words(row: Mapping[str, Any]) -> str:
    return (
        f"Nearest to its bound: |rank correlation| {row['correlation']:.3f} with {row['column']!r}, over {row['n']:,} "
        f"entities, for which the bound is {row['limit']:.3f}."
    )


def published_orders(table: PublishedTable, rows: pl.LazyFrame, entities: pl.Series) -> dict[str, pl.DataFrame]:
    """Return the orders in which a published table holds its entities, by kind; none if its rows belong to no entity.

    The place of an entity is that of its first row, among entities with about as many rows. If ids count the rows upwards they
    are the row order, and not returned again.

    Args:
        entities: Every published code.
    """
    code = code_column(rows, entities)
    if code is None:
        return {}
    places = rows.select(pl.col(code).alias(ENTITY), id=_number(table.row_key)).with_row_index("row")
    orders = {"rows": _placed(places, "row")}
    is_upwards = code == table.row_key or streamed(places.select(pl.col("id").is_sorted())).item()
    return orders if is_upwards else orders | {"ids": _placed(places, "id")}


def original_columns(
    environment: Environment, kind: Entities, conformed: Frames, raw: LazyFrames, codes: Mapping[str, str]
) -> pl.DataFrame:
    """Return the columns of the originals to compare with, one row an entity.

    Args:
        raw: Raw tables by name as they were read: text, the declared columns that are there, rows in the order of the
            file, which conformed tables have lost. Tables without a code are skipped.
        codes: Raw code -> published code.

    Returns:
        `ENTITY` (the published code), every column of the entity tables, each entity's latest figure of each measure
        (the last period may have a few alone, where chance reaches far), and for each raw table with a code the entity's
        first row number and the ignored columns of that row.
    """
    listed = pl.concat([conformed[table] for table in kind.tables if table in conformed], how="diagonal_relaxed")
    columns = listed.unique(kind.code, keep="first", maintain_order=True)
    if not kind.kind:
        figures = original_figures(environment, conformed)
        latest = figures.group_by(kind.code).agg(pl.exclude(PERIOD).last(ignore_nulls=True))
        columns = columns.join(latest, on=kind.code, how="left", suffix=" (figure)")
    for table in environment.raw_tables:
        if table.name in raw and table.of_role(Role.CODE, of=kind.kind):
            columns = columns.join(_first_rows(table, raw[table.name], kind), on=kind.code, how="left")
    entity = pl.col(kind.code).replace_strict(codes, default=None, return_dtype=pl.String)
    return columns.select(entity.alias(ENTITY), pl.all()).drop_nulls(ENTITY)


def _first_rows(table: RawTable, raw: pl.LazyFrame, kind: Entities) -> pl.DataFrame:
    """Return the code, and the number and ignored columns of its first row, under names with the table's name."""
    there, code = raw.collect_schema(), table.of_role(Role.CODE, of=kind.kind)[0].name
    names = [column.name for column in table.of_role(Role.IGNORED) if column.name in there]
    rows = streamed(raw.select(code, *names))
    named = [_sortable(rows[name]).alias(f"{name!r} in {table.name}") for name in names]
    place = pl.Series(f"{RAW_ROW}{table.name}", range(rows.height))
    entity = rows[code].alias(kind.code)
    return pl.DataFrame([entity, place, *named]).unique(kind.code, keep="first", maintain_order=True)


def _sortable(text: pl.Series) -> pl.Series:
    """Return texts of numbers as numbers, because as text they would sort differently."""
    numbers = number_of(text)
    return numbers if numbers.null_count() == text.null_count() else text


def code_column(rows: pl.LazyFrame, entities: pl.Series) -> str | None:
    """Return the column that holds published codes: the one with the largest share of them, if that is more than half."""
    return code_among(evenly_spaced(rows, SAMPLE), entities)


def code_among(some: pl.DataFrame, entities: pl.Series) -> str | None:
    """Return the same, given some rows."""
    cells = some.unpivot(variable_name=_COLUMN, value_name=_CELL)
    held = cells.filter(pl.col(_CELL).is_in(entities.implode())).group_by(_COLUMN).len()
    found = dict.fromkeys(some.columns, 0) | dict(held.iter_rows())
    code = max(found, key=lambda name: found[name])
    return code if found[code] > some.height / 2 else None


def evenly_spaced(rows: pl.LazyFrame, most: int) -> pl.DataFrame:
    """Return rows of a table at equal distances, the first among them: at least so many, if there are so many."""
    height = rows.select(pl.len()).collect().item()
    is_taken = pl.col(_PLACE) % max(1, height // most) == 0
    return streamed(rows.with_row_index(_PLACE).filter(is_taken).drop(_PLACE))


def streamed(rows: pl.LazyFrame) -> pl.DataFrame:
    """Return the rows, read batch by batch: no long table need be in memory."""
    return rows.collect(engine="streaming")


def _number(column: str) -> pl.Expr:
    """Return the column as whole numbers, null if there is none; a missing column gives nulls only."""
    return pl.col(column).str.strip_chars().cast(pl.Int64, strict=False) if column else pl.lit(None, pl.Int64)


def _placed(places: pl.LazyFrame, order: str) -> pl.DataFrame:
    """Return how early each entity's first row comes among entities with about as many rows, as a share of them.

    The first of many rows comes early in every order, so among all entities it would disclose how many rows an entity has.
    """
    found = streamed(places.drop_nulls(order).group_by(ENTITY).agg(first=pl.col(order).min(), rows=pl.len()))
    # Entities with the same number of rows are always in one group.
    alike = pl.col("rows").rank("min") // FEWEST
    return found.select(ENTITY, (pl.col("first").rank("ordinal") / pl.len()).over(alike).alias(POSITION))

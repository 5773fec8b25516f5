"""Draws the rows that further tables have about entities: how many each has, and what stands in them.

A row's columns are drawn each by itself, from counts to which an entity gives 1 in total, however many rows it has
(`categories.py`). Codes of other entities are given out evenly by key. What is withheld is null, and so is prose, which is
composed anew from what is published. Events belong to `events/`, tables of names to `pseudonyms.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from anonymize.policy import UNDER_LSD
from anonymize.synthesis.entities.attributes import looked_up_years, midyear
from anonymize.synthesis.entities.categories import WEIGHT, Allowance, Categories, draw_categories
from anonymize.synthesis.entities.firms import REPORTS, Purpose, unsaid
from pipeline.errors import InputError
from pipeline.keyed import SEPARATOR, Key
from pipeline.model import Column, Entities, Environment, Frames, RawTable, Role
from pipeline.model.treatments import Treatment, quasi_identifiers, treatments

_MOST_ROWS = 64
"""Rows of an entity that are counted: the first ones by their values."""

_ROWS, _PLACE, _TURN = (f"{SEPARATOR}{name}" for name in ("rows", "place", "turn"))


def drawn_rows(
    purpose: Purpose, conformed: Frames, patterns: pl.DataFrame, entities: Frames
) -> dict[str, pl.DataFrame]:
    """Return the rows of every further table whose owners are of a kind.

    Args:
        patterns: Of `patterns_of`.
        entities: The kind's tables, of `drawn_entities`.
    """
    first = next(iter(entities))
    strata = [*quasi_identifiers(purpose.environment, first).kept, REPORTS]
    listed = {name: conformed[name] for name in entities}
    listed[first] = listed[first].join(patterns, on=purpose.code, how="left")
    originals, targets = (_everybody(side, purpose.code, strata) for side in (listed, entities))
    return {
        table.name: _drawn_table(purpose, table, conformed, originals, targets)
        for table in tables_beside(purpose.environment, purpose.kind, conformed)
        if _owner(purpose.environment, table).of == purpose.kind.kind
    }


def tables_beside(environment: Environment, kind: Entities, conformed: Frames) -> list[RawTable]:
    """Return the tables with rows about a kind, besides those that list it, give its figures or names, or are its events."""
    return [
        table
        for table in environment.raw_tables
        if table.name in conformed
        and table.name not in (*kind.tables, *environment.panel.tables)
        and table.name not in (events.table for events in environment.events)
        and table.of_role(Role.CODE, of=kind.kind)
        and not table.of_role(Role.ALIAS, of=kind.kind)
    ]


def refuse_unlisted(environment: Environment, kind: Entities, conformed: Frames) -> None:
    """Refuse rows about entities of a further kind that no table of it lists: nobody could have them.

    Raises:
        InputError: There are such rows.
    """
    listed = pl.concat(
        [pl.Series("code", [], pl.String), *(conformed[name][kind.code] for name in kind.tables if name in conformed)]
    )
    for table in tables_beside(environment, kind, conformed):
        for column in table.of_role(Role.CODE, of=kind.kind):
            codes = conformed[table.name][column.name].drop_nulls()
            if missing := codes.filter(~codes.is_in(listed.implode())).n_unique():
                raise InputError(
                    f"{missing:,} codes in column {column.name!r} of {table.name!r} are in no table that lists {kind.called}: "
                    "the policy 'guarded' draws such rows for those that are listed; list them (`Entities.tables`), leave the "
                    f"rows out, or {UNDER_LSD}"
                )


def _owner(environment: Environment, table: RawTable) -> Column:
    return environment.owner(table.name) or table.of_role(Role.CODE)[0]


def _everybody(entities: Frames, code: str, strata: Sequence[str]) -> pl.DataFrame:
    """Return every entity once, with its strata."""
    frames = [
        frame.select(
            code,
            *(
                (pl.col(name) if name in frame.columns else pl.lit(value=False)).alias(_stratum(name))
                for name in strata
            ),
        )
        for frame in entities.values()
    ]
    return pl.concat(frames).unique(code, keep="first", maintain_order=True)


def _stratum(column: str) -> str:
    """Return what a stratum's column is called beside those of the rows."""
    return f"{SEPARATOR}{column} of its entity"


@dataclass(frozen=True, kw_only=True)
class _Rows:
    """A table whose rows are drawn."""

    table: RawTable
    owner: str
    """Column of the code of the rows' entities."""
    strata: tuple[str, ...]
    counting: pl.DataFrame
    """The originals' rows that are counted, with the strata of their entities."""
    allowance: Allowance
    key: Key

    def drawn(self, column: str, originals: pl.DataFrame, rows: pl.DataFrame, *, leaves_blank: bool) -> pl.DataFrame:
        """Return the rows with a column drawn."""
        of = Categories(
            name=f"{self.table.name}: {column}".replace(SEPARATOR, ""),
            columns=(column,),
            over=(_stratum(REPORTS),),
            within=self.strata,
            leaves_blank=leaves_blank,
        )
        return draw_categories(of, originals, rows, self.allowance, entity=[self.owner, _PLACE], key=self.key)[0]


def _drawn_table(
    purpose: Purpose, table: RawTable, conformed: Frames, originals: pl.DataFrame, targets: pl.DataFrame
) -> pl.DataFrame:
    owner, schema = _owner(purpose.environment, table).name, conformed[table.name].schema
    key = purpose.key.derive(table.name, "rows")
    of_entities = originals.rename({purpose.code: owner}), targets.rename({purpose.code: owner})
    rows = conformed[table.name].join(of_entities[0], on=owner)
    of = _Rows(
        table=table,
        owner=owner,
        strata=tuple(originals.columns[1:]),
        counting=_counting(rows, owner),
        allowance=replace(purpose.allowance, cells=_MOST_ROWS * originals.height),
        key=key,
    )
    full = _empty_rows(of, rows, *of_entities)
    published = [column for column in _published(purpose.environment, table) if column.name in schema]
    others = [column for column in table.of_role(Role.CODE) if column.name != owner]
    for column in published:
        full = _with_values(of, column, full)
    for column in others:
        full = _with_codes(of, column, full, _codes(purpose.environment, column, conformed))
    given = [owner, *(column.name for column in (*published, *others))]
    left = pl.Schema({name: dtype for name, dtype in schema.items() if name not in given})
    needed = [column.name for column in (*published, *others) if not column.nullable and not _is_number(table, column)]
    full = full.with_columns(unsaid(purpose.environment, table.name, left, owner)).sort(key.mac(owner, _PLACE))
    full = full.drop_nulls(needed) if needed else full
    full = full.with_columns(
        pl.int_range(1, pl.len() + 1).alias(each.name) for each in published if _is_number(table, each)
    )
    unique = full.unique(table.key, keep="first", maintain_order=True) if set(table.key) <= set(given) else full
    return unique.select(schema.names()).cast(schema)


def _published(environment: Environment, table: RawTable) -> list[Column]:
    """Return the columns whose values are published."""
    decided = treatments(environment, table)
    kept = {Treatment.QUASI_IDENTIFIER, Treatment.DATE, Treatment.PUBLIC}
    return [
        column
        for column in (*table.columns, *table.adds)
        if decided.get(column.name) in kept and column.role is not Role.TEXT
    ]


def _is_number(table: RawTable, column: Column) -> bool:
    """Say whether a column alone identifies rows, so that rows are numbered anew."""
    return table.key == (column.name,) and column.type in {"text", "integer"}


def _empty_rows(of: _Rows, rows: pl.DataFrame, originals: pl.DataFrame, targets: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of every entity, without values: code, strata, `_PLACE` and `WEIGHT`."""
    known = originals.join(rows.group_by(of.owner).len(_ROWS), on=of.owner, how="left")
    counts = known.with_columns(_rounded(pl.col(_ROWS).fill_null(0)).alias(_ROWS), pl.lit(1.0).alias(WEIGHT))
    single = replace(of, allowance=replace(of.allowance, cells=originals.height))
    having = single.drawn(_ROWS, counts, targets.with_columns(pl.lit(0).alias(_PLACE)), leaves_blank=False).filter(
        pl.col(_ROWS) > 0
    )
    weighed = having.with_columns(pl.int_ranges(pl.col(_ROWS)).alias(_PLACE), (1 / pl.col(_ROWS)).alias(WEIGHT))
    return weighed.explode(_PLACE).drop(_ROWS)


def _rounded(number: pl.Expr) -> pl.Expr:
    """Return a number of rows as it is counted: from 4 on, down to a power of two or one and a half of one."""
    power = 2 ** number.clip(lower_bound=1).log(2).floor().cast(pl.Int64)
    half = pl.when(number >= power + power // 2).then(power + power // 2).otherwise(power)
    return pl.when(number < 4).then(number.cast(pl.Int64)).otherwise(half)  # noqa: PLR2004


def _counting(rows: pl.DataFrame, owner: str) -> pl.DataFrame:
    """Return the rows that are counted, each for its part of its owner."""
    first = looked_up_years(rows).sort(rows.columns).group_by(owner, maintain_order=True).head(_MOST_ROWS)
    return first.with_columns((1 / pl.len().over(owner)).alias(WEIGHT))


def _with_values(of: _Rows, column: Column, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with a column drawn; what is kept of their entities stays what it is."""
    if _stratum(column.name) in of.strata:
        return rows.with_columns(pl.col(_stratum(column.name)).alias(column.name))
    if _is_number(of.table, column):
        return rows
    drawn = of.drawn(column.name, of.counting, rows, leaves_blank=column.nullable)
    is_date = column.type == "date"
    return drawn.with_columns(midyear(pl.col(column.name)).alias(column.name)) if is_date else drawn


def _codes(environment: Environment, column: Column, conformed: Frames) -> pl.Series:
    kind = next(kind for kind in environment.kinds if kind.kind == column.of)
    listed = [conformed[name][kind.code] for name in kind.tables if name in conformed]
    return pl.concat([pl.Series([], dtype=pl.String), *listed]).unique().sort()


def _with_codes(of: _Rows, column: Column, rows: pl.DataFrame, codes: pl.Series) -> pl.DataFrame:
    """Give out codes, each as often as every other one; as many rows have none as the counts say."""
    key, is_there = of.key.derive(column.name), f"{column.name}{SEPARATOR} is there"
    marked = of.counting.with_columns(pl.col(column.name).is_not_null().alias(is_there))
    drawn = of.drawn(is_there, marked, rows, leaves_blank=False)
    turns = pl.DataFrame({column.name: codes}).sort(key.mac(column.name)).with_row_index(_TURN)
    turn = (key.mac(of.owner, _PLACE).rank("ordinal") - 1) % max(len(codes), 1)
    given = drawn.with_columns(turn.cast(turns.schema[_TURN]).alias(_TURN)).join(
        turns, on=_TURN, how="left", maintain_order="left"
    )
    return given.with_columns(pl.when(is_there).then(column.name).alias(column.name)).drop(is_there, _TURN)

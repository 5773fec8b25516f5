"""Draws what is no number in an event: categories, and the codes of other entities.

A category is drawn from the shares that it has in the industry, each column by itself. Which other entity an event names says
nothing of it: how often entities are named is a distribution, and who is named how often is drawn by key.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from anonymize.synthesis.cube import members_of
from anonymize.synthesis.events.rows import EventModel
from anonymize.synthesis.marginal import FEWEST, marginal, noised
from anonymize.synthesis.owned import chosen, shares_of
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import Column, Environment, Events, Frames, RawTable, Role
from pipeline.model.fates import Fate, fates

_OF_NUMBERS = (Role.MEASURE, Role.TIME, Role.DATE, Role.NUMBER, Role.TEXT)
"""Roles of the columns that are drawn otherwise, numbered, or written anew."""


def draw_values(
    environment: Environment,
    events: Events,
    conformed: Frames,
    originals: pl.DataFrame,
    drawn: pl.DataFrame,
    *,
    model: EventModel,
    key: Key,
) -> pl.DataFrame:
    """Return the drawn events with a column for each category and each code of another entity.

    Args:
        environment: Declares the table.
        events: The events.
        conformed: Tables by name, those that list entities among them.
        originals: `owner`, `industry`, and the table's columns.
        drawn: `entity` and `industry` of each drawn event, and columns that stay.
        model: Knows the pools.
        key: Key of this purpose.

    Raises:
        InputError: No value of a category is that of enough entities.
    """
    table = environment.raw_table(events.table)
    pools = [model.pool_of(label) for label in drawn["industry"]]
    told = {}
    for column in _valued(environment, table, events):
        purpose = key.derive(column.name)
        if column.role is Role.CODE:
            told[column.name] = _codes(environment, column, conformed, originals, drawn.height, purpose)
        else:
            told[column.name] = _categories(table, column, originals, model, pools, purpose)
    named = [_name(table, column, environment) for column in table.of_role(Role.NAME)]
    coded = drawn.with_columns(pl.col("entity").alias(events.entity), *told.values())
    return coded.with_columns(name for name in named if name is not None)


def _valued(environment: Environment, table: RawTable, events: Events) -> list[Column]:
    """Return the columns that are drawn here: those that are published, but for numbers, texts, and names told by a code."""
    decided = fates(environment, table)
    return [
        column
        for column in (*table.columns, *table.adds)
        if decided.get(column.name, Fate.WITHHELD) is not Fate.WITHHELD
        and column.role not in _OF_NUMBERS
        and column.name != events.entity
        and not (column.role is Role.NAME and table.of_role(Role.CODE, of=column.of))
    ]


def _name(table: RawTable, column: Column, environment: Environment) -> pl.Expr | None:
    """Return the code in place of a name that it tells: the anonymiser names a row by its code."""
    codes = table.of_role(Role.CODE, of=environment.kind(column.of).kind)
    return pl.col(codes[0].name).alias(column.name) if codes else None


def _categories(
    table: RawTable, column: Column, originals: pl.DataFrame, model: EventModel, pools: Sequence[str], key: Key
) -> pl.Series:
    """Draw a column from the shares in each pool, or over all where no value of the pool is that of enough entities."""
    values, owners = originals[column.name].to_list(), originals["owner"].to_numpy()
    everywhere = shares_of(values, owners)
    if not everywhere:
        raise InputError(
            f"column {column.name!r} of the events {table.name!r} has no value that {FEWEST} entities or more have, and the "
            "policy 'guarded' draws values from those alone; give it the role NUMBER if it numbers rows, IGNORED if it can be "
            "left out, make its categories coarser, or publish under 'lsd' and read what that is worth"
        )
    of_pool = members_of([model.pool_of(label) for label in originals["industry"]])
    uniform, found = key.uniforms(len(pools), "values"), np.empty(len(pools), object)
    for pool, rows in members_of(pools).items():
        held = of_pool.get(pool, np.zeros(0, np.int64))
        shares = shares_of([values[at] for at in held], owners[held]) or everywhere
        found[rows] = chosen(shares, uniform[rows])
    return pl.Series(column.name, found.tolist(), dtype=originals.schema[column.name])


def _codes(
    environment: Environment, column: Column, conformed: Frames, originals: pl.DataFrame, count: int, key: Key
) -> pl.Series:
    """Draw codes: how often entities of the kind are named is as in the originals, and by key which is named how often."""
    named = originals[column.name]
    codes = _listed(environment, column, conformed, named)
    missing = dict(shares_of(named.is_null().to_list(), originals["owner"].to_numpy())).get(True, 0.0)
    often = pl.DataFrame({"code": codes}).join(named.value_counts().rename({named.name: "code"}), on="code", how="left")
    told = marginal([often["count"].fill_null(0).to_numpy().astype(np.float64)])
    weights = noised(told, key, "noise").values(codes.len()) if told else np.ones(codes.len())
    order = pl.DataFrame({"code": codes}).sort(key.mac("code"))["code"].to_list()
    total = weights.sum()
    shares = {None: missing} | {
        code: (1 - missing) * weight / total for code, weight in zip(order, weights.tolist(), strict=True) if total
    }
    return pl.Series(column.name, chosen(shares, key.uniforms(count, "codes")), dtype=pl.String)


def _listed(environment: Environment, column: Column, conformed: Frames, named: pl.Series) -> pl.Series:
    """Return the codes of a kind that its tables list, or those that the column names where none does."""
    kind = environment.kind(column.of)
    listed = [conformed[name][kind.code] for name in kind.tables if name in conformed]
    return (pl.concat(listed) if listed else named.drop_nulls()).unique().sort().alias("code")

"""Draws what is no number in an event: weekdays, categories, and the codes of other entities.

Each is drawn by itself from noised counts by industry (`synthesis/entities/categories.py`), in which an entity counts for
one, its rows for equal parts of it. Which other entity an event names says nothing of it: of those that a table lists each
is named as often.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from anonymize.policy import UNDER_LSD
from anonymize.synthesis.account import BudgetAccount
from anonymize.synthesis.entities.categories import WEIGHT, Allowance, Categories, fit_categories
from anonymize.synthesis.events.columns import PLACE, WEEKDAY
from pipeline.errors import InputError
from pipeline.keyed import SEPARATOR, Key
from pipeline.model import PERIOD, Column, Environment, Events, Frames, RawTable, Role
from pipeline.model.treatments import Treatment, treatments

_OF_NUMBERS = (Role.MEASURE, Role.TIME, Role.DATE, Role.NUMBER, Role.TEXT)
"""Roles of the columns that are drawn otherwise, numbered, or written anew."""

_EVERYWHERE, _NAMED = "everywhere", "names somebody"
"""Columns of the stratum of all rows, and of whether a row names another entity."""


def own_name(column: str) -> str:
    """Return what a column of a table is called here, where some names are those of owners and periods."""
    return f"{SEPARATOR}{column}" if column in ("entity", "industry", PERIOD) else column


@dataclass(frozen=True, kw_only=True)
class Values:
    """Draws columns of one table."""

    table: RawTable
    originals: pl.DataFrame
    """Those that are looked at: `entity`, `industry`, `WEEKDAY` and the table's columns (`own_name`)."""
    account: BudgetAccount
    rho: float
    """What each column may spend."""
    cells: int
    """As many values as the rows can have at most."""
    about: str
    """The table, in the account."""

    def drawn(self, rows: pl.DataFrame, of: Categories, key: Key) -> tuple[pl.Series, dict[str, Any]]:
        """Return a column drawn for rows with `entity`, `industry`, `PERIOD` and `PLACE`, and what is known of it."""
        weight = (1 / pl.len().over("entity")).alias(WEIGHT)
        originals, targets = (
            side.with_columns(weight, pl.lit(value=True).alias(_EVERYWHERE)) for side in (self.originals, rows)
        )
        allowance = Allowance(account=self.account, rho=self.rho, cells=self.cells)
        fitted = fit_categories(of, originals, targets, allowance)
        drawn = fitted.drawn(originals, targets, entity=("entity", PERIOD, PLACE), key=key)
        column = drawn[of.columns[0]]
        counts = [{"value": str(value), "entities": round(count, 2)} for _, value, count in fitted.common.iter_rows()]
        return column, {"statistic": of.name, "values": counts}

    def categories(self, column: Column) -> Categories:
        """Return what is drawn of a column of the table."""
        known = None
        if column.allowed is not None:
            values = [*column.allowed, *([None] if column.nullable else [])]
            name = own_name(column.name)
            known = pl.Series(name, values, self.originals.schema[name]).to_frame()
        return self.of(column.name, known, leaves_blank=column.nullable and known is None)

    def of(self, name: str, known: pl.DataFrame | None, *, leaves_blank: bool = False) -> Categories:
        """Return what is drawn of a column, of which values may be known to everybody."""
        return Categories(
            name=f"{self.about}{name}",
            columns=(own_name(name),),
            over=(_EVERYWHERE,),
            within=(_EVERYWHERE, "industry"),
            known=None if known is None else known.select(pl.lit(value=True).alias(_EVERYWHERE), own_name(name)),
            leaves_blank=leaves_blank,
        )


def draw_weekdays(values: Values, rows: pl.DataFrame, key: Key) -> tuple[pl.Series, list[dict[str, Any]]]:
    """Return the weekday of each row, 0 being Monday, and what is known of weekdays."""
    days = pl.Series(WEEKDAY, range(7), pl.Int64).to_frame()
    drawn, described = values.drawn(rows, values.of(WEEKDAY, days), key)
    return drawn, [described]


def draw_values(
    environment: Environment, events: Events, conformed: Frames, values: Values, rows: pl.DataFrame, key: Key
) -> tuple[pl.DataFrame, list[dict[str, Any]]]:
    """Return the rows with a column for each category and each code of another entity, and what is known of these.

    Raises:
        InputError: No value of a category that is always there passes.
    """
    table, drawn, described = values.table, [], []
    for column in valued(environment, table, events):
        purpose, codes = key.derive(column.name), codes_listed(environment, column, conformed)
        if codes is None:
            series, known = _categories(column, values, rows, purpose)
        else:
            series, known = _codes(column, codes, values, rows, purpose)
        drawn.append(series.alias(column.name).cast(conformed[table.name].schema[column.name]))
        described.append(known)
    named = [_name(table, column, environment) for column in table.of_role(Role.NAME)]
    coded = rows.with_columns(pl.col("entity").alias(events.entity), *drawn)
    return coded.with_columns(name for name in named if name is not None), described


def valued(environment: Environment, table: RawTable, events: Events) -> list[Column]:
    """Return the columns that are drawn here: all that are published but numbers, texts, and names that follow from a code."""
    decided = treatments(environment, table)
    return [
        column
        for column in (*table.columns, *table.adds)
        if decided.get(column.name, Treatment.WITHHELD) is not Treatment.WITHHELD
        and column.role not in _OF_NUMBERS
        and not column.follows
        and column.name != events.entity
        and not (column.role is Role.NAME and table.of_role(Role.CODE, of=column.of))
    ]


def _name(table: RawTable, column: Column, environment: Environment) -> pl.Expr | None:
    """Return the code in place of a name that follows from it: the anonymiser names a row by its code."""
    codes = table.of_role(Role.CODE, of=environment.kind(column.of).kind)
    return pl.col(codes[0].name).alias(column.name) if codes else None


def _categories(column: Column, values: Values, rows: pl.DataFrame, key: Key) -> tuple[pl.Series, dict[str, Any]]:
    drawn, described = values.drawn(rows, values.categories(column), key)
    if not (column.nullable or described["values"]):
        raise InputError(
            f"column {column.name!r} of the events {values.table.name!r} may not be empty, and none of its values has enough "
            "entities to be published; declare its values (`allowed`), give it the role NUMBER if it numbers rows, IGNORED if "
            f"it can be left out, make its categories coarser, or {UNDER_LSD}"
        )
    return drawn, described


def _codes(
    column: Column, codes: pl.Series, values: Values, rows: pl.DataFrame, key: Key
) -> tuple[pl.Series, dict[str, Any]]:
    """Draw which rows name somebody, and whom: anybody who is listed."""
    is_named = values.originals[own_name(column.name)].is_not_null().alias(f"{column.name}: {_NAMED}")
    asked = replace(values, originals=values.originals.with_columns(is_named))
    both = pl.Series(is_named.name, [False, True]).to_frame()
    drawn, described = asked.drawn(rows, values.of(is_named.name, both), key)
    places = (key.uniforms(rows.height, "codes") * len(codes)).astype(np.int64)
    return codes.gather(places).set(~drawn, None), described


def codes_listed(environment: Environment, column: Column, conformed: Frames) -> pl.Series | None:
    """Return the codes of an entity's kind that its tables list; None where none does, or where it is no code."""
    kind = environment.kind(column.of)
    listed = [conformed[name][kind.code] for name in kind.tables if name in conformed]
    return pl.concat(listed).unique().sort() if listed and column.role is Role.CODE else None

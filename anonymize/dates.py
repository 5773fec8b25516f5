"""Redraws the dates of entities: the year stays, the day is drawn by key, and the order of a row's dates is kept.

A trading day is redrawn from Monday to Friday, except 1 January, when no exchange opens. Other holidays depend on year and
country and are unknown here, so that a redrawn listing may fall on one. Moving dates between years, and the order of dates in
different tables, do not belong here.
"""

from collections.abc import Sequence

import polars as pl

from pipeline.keyed import SEPARATOR, Key


def redraw_dates(
    frame: pl.DataFrame, *, columns: Sequence[str], entity: str, key: Key, trading_days: Sequence[str] = ()
) -> pl.DataFrame:
    """Return the frame with each date redrawn within its year, uniform over the allowed days.

    A day is PRF(key, entity, column, year). The dates of a row that fall in one year exchange their draws so that the draws
    have the original order, and equal dates stay equal: a <= b still holds for every two columns of a row for which it held.
    If one of these dates is a trading day, all of them are drawn as trading days, because it may get any of the draws.
    Different dates may get the same day, so that every year has enough days. Nulls stay null. An entity's dates in two tables
    agree if both tables have the same of these columns.

    Args:
        columns: the frame's Date columns of which this holds.
        entity: column that identifies the row's entity; never null.
        key: the key of this purpose.
        trading_days: those of `columns` whose dates are trading days; one that was none (a typing error) becomes one.
    """
    drawn = frame.lazy().select(
        *columns, *(_drawn(column, pl.col(entity), trading_days, key).alias(_draw_of(column)) for column in columns)
    )
    return frame.with_columns(drawn.select(_shared_out(column, columns) for column in columns).collect())


def _drawn(column: str, entity: pl.Expr, trading_days: Sequence[str], key: Key) -> pl.Expr:
    year = pl.col(column).dt.year()
    share = key.uniform(entity, pl.lit(column), year)
    days_in_year = 365 + pl.col(column).dt.is_leap_year().cast(pl.Int64)
    day = pl.date(year, 1, 1) + pl.duration(days=(share * days_in_year).cast(pl.Int64))
    if not trading_days:
        return day
    is_beside_trading_day = pl.any_horizontal((pl.col(other).dt.year() == year) for other in trading_days)
    return pl.when(is_beside_trading_day).then(_trading_day(year, share)).otherwise(day)


def _trading_day(year: pl.Expr, share: pl.Expr) -> pl.Expr:
    """Return the weekday of the year at a share of all its weekdays, 0 <= share < 1, counted from 2 January."""
    # 1 January is left out: no exchange is open then.
    from_day = pl.date(year, 1, 2)
    weekdays = pl.business_day_count(from_day, pl.date(year + 1, 1, 1))
    return from_day.dt.add_business_days((share * weekdays).cast(pl.Int32), roll="forward")


def _shared_out(column: str, columns: Sequence[str]) -> pl.Expr:
    """Return the draw whose rank among the row's draws of this year is the rank of the date."""
    counted = [_counts(other, column, columns) for other in columns]
    draws = pl.concat_list(
        pl.when(counts).then(pl.col(_draw_of(other))) for other, counts in zip(columns, counted, strict=True)
    )
    rank = pl.sum_horizontal(
        counts & (pl.col(other) < pl.col(column)) for other, counts in zip(columns, counted, strict=True)
    )
    return draws.list.drop_nulls().list.sort().list.get(rank, null_on_oob=True).alias(column)


def _counts(other: str, column: str, columns: Sequence[str]) -> pl.Expr:
    """Return whether another column's date is in this date's year and in no column before it: equal dates draw once."""
    same_year = pl.col(other).dt.year() == pl.col(column).dt.year()
    before = columns[: columns.index(other)]
    return pl.all_horizontal(same_year, *(pl.col(earlier).ne_missing(pl.col(other)) for earlier in before))


def _draw_of(column: str) -> str:
    return f"{column}{SEPARATOR}draw"

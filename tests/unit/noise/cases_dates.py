"""Cases of the kinds that spoil dates, times and periods."""

from datetime import datetime, timedelta

import polars as pl

from pipeline.noise.kinds.dates import (
    CalendarShift,
    CollapsedPeriod,
    ImpossibleSeconds,
    MixedDateFormats,
    PartialYear,
    SwappedDayMonth,
)
from pipeline.noise.kinds.interface import Kind
from tests.bare import published
from tests.unit.noise.applied import environment_of
from tests.unit.noise.kind_case import KindCase

_DAYS = [datetime(1951, 1, 1) + timedelta(days=row * 397, seconds=row * 7919) for row in range(56)]  # noqa: DTZ001
_MONTH = r"[0-9]{4}年[0-9]{1,2}月"
_SERIES = ("CPI:当月同比", "货运量", "no period", "PMI:2000=100", None)


def _day(moment: datetime) -> str:
    return f"{moment.day}/{moment.month}/{moment.year}"


def _label(row: int, moment: datetime) -> str | None:
    series = _SERIES[row % 5]
    return series if series in {None, "no period"} else f"{series}（{moment.year}年{moment.month}月）"


_ROWS = pl.DataFrame(
    [
        {
            "id": f"r{row}",
            "founded": _day(moment) if row % 9 else None,
            "loaded": f"{_day(moment)} {moment:%H:%M:%S}" if row % 7 else None,
            "label": _label(row, moment),
            "year": str(moment.year) if row % 8 else None,
        }
        for row, moment in enumerate(_DAYS)
    ],
    schema=dict.fromkeys(("id", "founded", "loaded", "label", "year"), pl.String),
)
_TABLE = published("events", _ROWS.columns)


def _case(kind: Kind, name: str = "") -> KindCase:
    return KindCase(kind=kind, environment=environment_of(_TABLE), published=_TABLE, rows=_ROWS, name=name)


CASES_OF_DATES = (
    _case(
        MixedDateFormats(
            columns=("founded",), format="%-d/%-m/%Y", formats=("%m/%d/%Y", "%Y-%m-%d", "%d/%m/%y", "%B %-d, %Y")
        )
    ),
    _case(
        MixedDateFormats(columns=("loaded",), format="%-d/%-m/%Y %H:%M:%S", formats=("%Y年%-m月%-d日 %H:%M:%S", "%c")),
        "mixed_date_formats with times",
    ),
    _case(SwappedDayMonth(columns=("founded",), format="%-d/%-m/%Y")),
    _case(ImpossibleSeconds(columns=("loaded",))),
    _case(CollapsedPeriod(columns=("label",), pattern=_MONTH, period="1974年1月")),
    _case(PartialYear(columns=("label",), pattern=f"（{_MONTH}）", replacement="（年度）")),
    _case(
        CalendarShift(
            columns=("label", "year"), years=4, consistent_by="label", series="^(.*)（", pattern="（[0-9]{4}|^[0-9]{4}$"
        )
    ),
)

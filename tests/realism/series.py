"""Documented facts on macro series: what is repeated, how it is sorted, and which periods it tells."""

import polars as pl

from tests.realism.comparing import Documented, Part, Tables, of_examples, of_number, of_range, of_text
from tests.realism.counting import ALWAYS, number, part, texts

STATUS, DETAIL, YEARLY = (f"national_industry_{end}" for end in ("status", "status_detail", "yearly_status"))
REGIONAL_YEARLY = "regional_industry_yearly_status"

_OF_YEAR = "（年度）"
_LABEL = r"^(?<series>.+)（(?<period>[^（）]+)）$"
_LAST_YEAR = "2022"


def _labelled(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with `series` and `period`, as their labels tell them."""
    return frame.with_columns(pl.col("targetName").str.extract_groups(_LABEL).alias("parts")).unnest("parts")


def _repeated(tables: Tables) -> pl.DataFrame:
    return tables[STATUS].filter(pl.col("targetName").str.ends_with(_OF_YEAR))


def _cpi(tables: Tables) -> int:
    return _repeated(tables).filter(pl.col("targetName").str.starts_with("CPI:当月同比"), year=_LAST_YEAR).height


def _is_repeat(frame: pl.DataFrame) -> pl.Series:
    return frame.select(pl.exclude("id")).is_duplicated()


def _duplicates(tables: Tables) -> list[str]:
    rows = tables[DETAIL].filter(_is_repeat(tables[DETAIL]))
    return texts(rows.select(shown=pl.format("{} {}", "targetName", "value")), "shown")


def _in_lexical_order(tables: Tables) -> list[str]:
    """Return neighbouring days of a series of which the earlier one stands second."""
    days = _labelled(tables[DETAIL]).with_columns(
        pl.col("period").str.to_date("%Y年%m月%d日", strict=False).alias("day")
    )
    is_back = (pl.col("series") == pl.col("series").shift(1)) & (pl.col("day") < pl.col("day").shift(1))
    shown = pl.format("{} before {}", pl.col("period").shift(1), "period")
    return texts(days.select(is_back=is_back, shown=shown).filter("is_back"), "shown")


def _collapsed(tables: Tables) -> int:
    """Return the rows with a period that stands at least `_MANY` times in one series."""
    return (
        _labelled(tables[DETAIL]).filter(pl.len().over("series", "period") >= _MANY, pl.col("period") != "年度").height
    )


def _share_of_year_before(tables: Tables) -> str:
    rows = (
        tables[YEARLY].filter(pl.col("targetName").str.starts_with("公路客运量")).select("year", number()).drop_nulls()
    )
    by_year = dict(rows.iter_rows())
    last, before = by_year.get(_LAST_YEAR), by_year.get(str(int(_LAST_YEAR) - 1))
    return f"{last:,} against {before:,} ({last / before:.0%})" if last and before else "not there"


def _sorted_by_value(tables: Tables) -> Part:
    pairs = tables[REGIONAL_YEARLY].select(now=number(), before=number().shift(1)).drop_nulls()
    return part(pairs, pl.col("now") >= pl.col("before"))


def _ids_out_of_order(tables: Tables) -> list[str]:
    ids = tables[REGIONAL_YEARLY].with_columns(place=pl.int_range(1, pl.len() + 1).cast(pl.String))
    return texts(ids.filter(pl.col("id") != pl.col("place")), "id")


def _of_last_year(tables: Tables) -> Part:
    return part(tables[REGIONAL_YEARLY], pl.col("year") == _LAST_YEAR)


def _spellings_of_kilowatt_hours(tables: Tables) -> list[str]:
    found = texts(tables[DETAIL].filter(pl.col("targetUnit").is_in(_KILOWATT_HOURS)), "targetUnit")
    return found if len(found) == len(_KILOWATT_HOURS) else []


_KILOWATT_HOURS = ("亿千瓦时", "亿千瓦小时")
_MANY = 10
"""Values for one period of one series from which on the period was lost, not repeated (our choice)."""

SERIES: tuple[Documented, ...] = (
    of_number("rows by year that the status table repeats", "4.14", (STATUS,),
        "776", 776, 776, lambda tables: _repeated(tables).height),
    of_range(f"of these, dated {_LAST_YEAR}", "4.14", (STATUS,),
        *ALWAYS, lambda tables: part(_repeated(tables), pl.col("year") == _LAST_YEAR)),
    of_number(f"different values of CPI:当月同比 for {_LAST_YEAR}", "4.14", (STATUS,), "73", 73, 73, _cpi),
    of_examples("macro rows that are there twice", "4.13", (DETAIL,),
        ("发电量:火电…3月 4017.4", "ids 121/122"), _duplicates),
    of_number("monthly values whose period is lost: one month for all", "4.16", (DETAIL,),
        "several hundred, `1974年1月`", 200, 999, _collapsed),
    of_examples("days in the order of their text", "4.16", (DETAIL,),
        ("1月10日 before 1月1日",), _in_lexical_order),
    of_text(f"part of a year as a year: 公路客运量 of {_LAST_YEAR} against the year before", "4.16", (YEARLY,),
        "465,655 against 1,459,099 (32%)", _share_of_year_before),
    of_range("regional rows by year: neighbours in the order of their values", "4.15", (REGIONAL_YEARLY,),
        "all, sorted by value", 1.0, 1.0, _sorted_by_value),
    of_examples("their ids, out of order", "4.15", (REGIONAL_YEARLY,), ("280", "283", "402"), _ids_out_of_order),
    of_range(f"their year, whatever their label says: {_LAST_YEAR}", "4.15", (REGIONAL_YEARLY,),
        *ALWAYS, _of_last_year),
    of_examples("two spellings of one unit", "3.4", (DETAIL,), _KILOWATT_HOURS, _spellings_of_kilowatt_hours),
)  # fmt: skip

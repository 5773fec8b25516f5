"""Documented facts on statistics: the names of indicators, units of money, digits of converted and of large figures."""

from collections.abc import Callable

import polars as pl

from raw.vocabulary.indicators import INDICATOR_NAMES, INDICATORS, MONEY, MONEY_UNITS
from silt.environments.dataclaw_18.industry import SUFFIXES
from tests.realism.comparing import (
    Documented,
    Part,
    Tables,
    of_counts,
    of_examples,
    of_number,
    of_range,
    of_share,
    of_text,
)
from tests.realism.counting import ALWAYS, number, part, texts

NATIONAL, REGIONAL = "national_industry_status", "regional_industry_status"

SUM = SUFFIXES["sum"]
SAMPLED = ("总资产", "净利润金额", "营业利润金额")
"""Indicators of whose names the reference counted the forms."""

RESIDUE_DIGITS, RESIDUE_DECIMALS = 16, 10
"""Digits, and decimals, from which on a figure has binary residue: a double keeps 15 digits (so many have means, section 1.3),
and cents in the largest unit have nine decimals."""

_INDICATOR_OF = {form: name for name, forms in INDICATOR_NAMES.items() for form in (name, *forms)}
_UNIT_OF = {measure.name: measure.unit for measure in INDICATORS}
_STATISTIC = rf"^(?<form>.+)(?<statistic>{'|'.join(SUFFIXES.values())})$"


def statistics(tables: Tables, table: str = NATIONAL) -> pl.DataFrame:
    """Return the rows of statistics, with `form` (the name as it stands), `indicator`, its `unit`, and `statistic`."""
    parts = pl.col("targetName").str.extract_groups(_STATISTIC).alias("parts")
    named = tables[table].with_columns(parts).unnest("parts")
    known = named.with_columns(indicator=pl.col("form").replace_strict(_INDICATOR_OF, default=None))
    return known.drop_nulls("indicator").with_columns(unit=pl.col("indicator").replace_strict(_UNIT_OF))


def _money(tables: Tables) -> pl.DataFrame:
    return statistics(tables).filter(pl.col("unit") == MONEY, pl.col("targetUnit").is_in(list(MONEY_UNITS)))


def _canonical(indicator: str, *, is_sum: bool | None = None) -> Callable[[Tables], Part]:
    """Return a measure: rows of the indicator with its canonical name, of sums alone or of the others if asked."""
    rows = pl.lit(value=True) if is_sum is None else (pl.col("statistic") == SUM) == is_sum

    def measure(tables: Tables) -> Part:
        return part(statistics(tables).filter(rows, indicator=indicator), pl.col("form") == indicator)

    return measure


def _others_canonical(tables: Tables) -> Part:
    others = statistics(tables).filter(pl.col("unit") == MONEY, ~pl.col("indicator").is_in(SAMPLED))
    return part(others, pl.col("form") == pl.col("indicator"))


def _forms(indicator: str) -> Callable[[Tables], dict[str, int]]:
    def measure(tables: Tables) -> dict[str, int]:
        own = statistics(tables).filter(indicator=indicator)
        return {form: own.filter(form=form).height for form in (indicator, *INDICATOR_NAMES[indicator])}

    return measure


def _not_money(tables: Tables) -> Part:
    kept = (pl.col("form") == pl.col("indicator")) & (pl.col("targetUnit") == pl.col("unit"))
    return part(statistics(tables).filter(pl.col("unit") != MONEY), kept)


def _units(*indicators: str) -> Callable[[Tables], dict[str, int]]:
    """Return a measure: rows in each unit, of some indicators or of all that are money."""

    def measure(tables: Tables) -> dict[str, int]:
        rows = _money(tables).filter(pl.col("indicator").is_in(indicators or list(_UNIT_OF)))
        return {unit: rows.filter(targetUnit=unit).height for unit in MONEY_UNITS}

    return measure


def _neighbours_in_other_units(tables: Tables) -> list[str]:
    """Return neighbouring statistics of one indicator and industry in different units, with name and unit."""
    same = pl.all_horizontal(pl.col(column) == pl.col(column).shift(1) for column in ("industry", "indicator"))
    other = pl.col("targetUnit") != pl.col("targetUnit").shift(1)
    shown = pl.format("{} {} / {} {}", *(pl.col(c).shift(n) for n in (1, 0) for c in ("targetName", "targetUnit")))
    return texts(_money(tables).select(is_pair=same & other, shown=shown).filter("is_pair"), "shown")


_DIGITS = pl.col("value").str.replace_all(r"[^0-9]", "").str.strip_chars_start("0").str.len_chars()
_DECIMALS = pl.col("value").str.extract(r"\.(\d*)$").str.len_chars()
_HAS_RESIDUE = (_DIGITS >= RESIDUE_DIGITS) & (_DECIMALS >= RESIDUE_DECIMALS)


def _residue(tables: Tables) -> list[str]:
    converted = _money(tables).filter(pl.col("targetUnit") != MONEY, _HAS_RESIDUE)
    return texts(converted.with_columns(shown=pl.format("{}{}", "value", "targetUnit")), "shown")


def _residue_of_base(tables: Tables) -> Part:
    return part(_money(tables).filter(pl.col("targetUnit") == MONEY).drop_nulls("value"), _HAS_RESIDUE)


def _scientific(tables: Tables) -> list[str]:
    return texts(tables[REGIONAL].filter(pl.col("value").str.contains(r"^-?\d(\.\d+)?E\+\d+$")), "value")


def _largest_share(tables: Tables) -> str:
    own = statistics(tables).filter(indicator="研发投入占比", statistic=SUFFIXES["max"]).select(number()).drop_nulls()
    return f"{own.max().item():,} % (n = {own.height} industries)" if own.height else "none"


def _negative_debt_ratios(tables: Tables) -> list[str]:
    return texts(statistics(tables).filter(number() < 0, indicator="资产负债率"), "value")


def _provinces_with_statistics(tables: Tables) -> int:
    return statistics(tables, REGIONAL).drop_nulls("value")["province"].n_unique()


FIGURES: tuple[Documented, ...] = (
    of_range("总资产, all but the sum: rows with the canonical name", "3.5", (NATIONAL,),
        "about half", 0.33, 0.56, _canonical("总资产", is_sum=False)),
    of_range(f"总资产{SUM}: rows with the canonical name", "3.5", (NATIONAL,),
        *ALWAYS, _canonical("总资产", is_sum=True)),
    of_share("净利润金额: rows with the canonical name", "3.5", (NATIONAL,), (23, 70), _canonical("净利润金额")),
    of_counts("营业利润金额: rows by name", "3.5", (NATIONAL,),
        {"营业利润金额": 28, "营业利润": 9, "营业利润总额": 9, "经营利润金额": 4}, _forms("营业利润金额")),
    of_range("the five other indicators of money: rows with the canonical name", "11.6", (NATIONAL,),
        "33 to 56 %, by indicator", 0.33, 0.56, _others_canonical),
    of_range("indicators that are not money: rows with canonical name and own unit", "3.5", (NATIONAL,),
        *ALWAYS, _not_money),
    of_counts("营业利润金额: rows by unit", "3.4", (NATIONAL,),
        {"元": 11, "万元": 8, "十万元": 10, "百万元": 9, "千万元": 12}, _units("营业利润金额")),
    of_counts("all money: rows by unit", "3.4", (NATIONAL,),
        {"元": 11, "万元": 8, "十万元": 10, "百万元": 9, "千万元": 12}, _units()),
    of_examples("neighbouring statistics of one indicator in different units", "4.1", (NATIONAL,),
        ("资产合计均值 万元 / 总资产最大值 十万元",), _neighbours_in_other_units),
    of_examples("binary residue in converted figures", "4.3", (NATIONAL,),
        ("89153.33036780001百万元", "1576673.8463519001十万元", "33.241873989999995千万元"), _residue),
    of_range(f"binary residue in figures left in {MONEY}", "4.3", (NATIONAL,),
        "none, they keep the short original", 0.0, 0.0, _residue_of_base),
    of_examples("scientific notation of few digits in regional figures", "4.17", (REGIONAL,),
        ("2.28062E+11", "3.64435E+11", "1.88709E+11"), _scientific),
    of_text("largest 研发投入占比 of any industry: outliers are kept", "4.18", (NATIONAL,),
        "934,642.8 %", _largest_share),
    of_examples("debt ratios below zero", "4.18", (NATIONAL,), ("-47.1",), _negative_debt_ratios),
    of_number("provinces of the 34 that have statistics", "4.10", (REGIONAL,),
        "16", 16, 16, _provinces_with_statistics),
)  # fmt: skip

"""The figures of the domestic firms, whole: amounts, counts, gaps, extremes and identities, and the tables made of them.

Assembles what the other modules decide. A firm that was listed in a year has no figures from before the year before.
"""

import polars as pl

from pipeline.model import Panel
from pipeline.model.identities import stated_by
from pipeline.numerals import decimal_text
from raw.corpus.figures.drawn import YEARS, make_figures
from raw.corpus.figures.inventions import add_inventions
from raw.corpus.figures.outliers import plant
from raw.corpus.gaps import forget_amounts, forget_counts
from raw.vocabulary.indicators import IDENTITIES, INDICATORS

STATUS, HISTORY = "company_operation_status", "company_operation_history"

_PANEL = Panel(tables=(STATUS, HISTORY), measures=INDICATORS, identities=IDENTITIES)
_TOGETHER = 8_000
"""Firms that are drawn together, as far as they are of other industries (our choice): all draws of so many take 300 MB."""

_NAMES = tuple(measure.name for measure in INDICATORS)


def make_panel(firms: pl.DataFrame, scale: float) -> pl.DataFrame:
    """Return the figures of the firms as cells.

    Returns:
        Columns `firm`, `company_type`, `measure`, and quanta (Int64, null if not reported) by year: `"2020"`, `"2021"`,
        `"2022"`.
    """
    return forget_counts(map(_whole, _some_industries(firms)), scale=scale)


def _some_industries(firms: pl.DataFrame) -> list[pl.DataFrame]:
    """Return all firms of some industries after those of others, which need nothing of each other."""
    sizes = firms.group_by("industry_id").len().sort("industry_id")
    part = (pl.col("len").cum_sum() - pl.col("len")) // _TOGETHER
    numbered = firms.join(sizes.select("industry_id", part=part), on="industry_id").sort("firm")
    return numbered.partition_by("part", maintain_order=True, include_key=False)


def _whole(firms: pl.DataFrame) -> pl.DataFrame:
    """Return the cells of the firms of an industry, counts among them that are to be forgotten."""
    figures = make_figures(firms).filter(pl.col("year") >= pl.col("listed").dt.year() - 1)
    stated = _stated(plant(forget_amounts(add_inventions(figures))))
    long = stated.unpivot(_NAMES, index=["firm", "company_type", "year"], variable_name="measure")
    by_year = long.pivot("year", index=["firm", "company_type", "measure"], values="value", on_columns=YEARS)
    return by_year.sort("firm", "measure")


def operation_tables(cells: pl.DataFrame, firms: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the last year's and the earlier years' wide tables as text, rows by code and year."""
    names = firms.select("firm", bmCode="code", 企业名称="legal", first=pl.col("listed").dt.year() - 1)
    years = {year: _wide(cells, names, year) for year in YEARS}
    history = pl.concat([years[year] for year in YEARS[:-1]]).sort("bmCode", "year")
    return {STATUS: years[YEARS[-1]].sort("bmCode"), HISTORY: history}


def _stated(figures: pl.DataFrame) -> pl.DataFrame:
    """Compute the outputs of the identities in the order of their declaration."""
    for identity in IDENTITIES:
        figures = figures.with_columns(stated_by(identity, _PANEL, code="firm").alias(identity.output))
    return figures


def _wide(cells: pl.DataFrame, names: pl.DataFrame, year: int) -> pl.DataFrame:
    decimals = pl.col("measure").replace_strict({measure.name: measure.decimals for measure in INDICATORS})
    text = decimal_text(pl.col(str(year)), decimals.cast(pl.Int64)).alias("text")
    rows = cells.select("firm", "measure", text).pivot("measure", index="firm", values="text", on_columns=_NAMES)
    reporting = names.filter(pl.col("first") <= year).join(rows, on="firm")
    return reporting.select("企业名称", "bmCode", pl.lit(str(year)).alias("year"), *_NAMES)

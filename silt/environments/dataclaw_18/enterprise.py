"""Declares and renders the enterprise tables of `dataclaw-18`: profiles, narratives and the long tables of figures.

Headers are the reference's, misspellings included (section 1.1 and the decisions of section 0).
"""

from collections.abc import Callable
from dataclasses import replace

import polars as pl

from pipeline.model import (
    PERIOD,
    Field,
    Measure,
    Parts,
    PublishedTable,
    Truth,
    origins,
)
from pipeline.model.identities import period_before, rounded_quotient
from pipeline.numerals import decimal_text
from pipeline.render.long import FIGURE, NUMBER, LongCell, LongSection, long_table, one_by_one
from raw.vocabulary.indicators import INDICATORS, TARGET_CODES
from raw.vocabulary.listing import OWNERSHIPS
from silt.environments.dataclaw_18.fields import (
    FIRM,
    ID,
    INDUSTRY_ID,
    INDUSTRY_NAMES,
    LABEL,
    LATEST,
    LATEST_YEAR,
    STAMPS,
    VALUE,
    YEAR,
    as_text,
    followed,
    ideal,
    names,
    nullable,
)
from silt.environments.dataclaw_18.raw_tables import (
    CODE,
    COMPANY_CORE,
    NAME,
    OF_THE_ROW,
    OPERATION_NAME,
    OVERSEAS,
    PROFILE_COLUMNS,
)
from silt.environments.dataclaw_18.stamps import day_text, load_stamps

COUNTRIES_OF_FILE = {
    "as": ("日本", "新加坡", None),
    "eu": ("英国", "德国", "法国"),
    "na": ("美国", "加拿大"),
    "oc": ("澳大利亚",),
}
"""Which overseas firms stand in which file; None is a firm without a country."""

_RATE_CODE, _CHANGE_CODE = "_YOY", "_CHG"
"""Endings of the codes of year-over-year rows: the rate in percent, and the difference."""
_RATE_NAME = "同比"
_RATE_DECIMALS = 2

_ADDITIVE = [measure for measure in INDICATORS if measure.additive]
_CODES, _RATE_CODES = tuple(TARGET_CODES.values()), tuple(TARGET_CODES[each.name] + _RATE_CODE for each in _ADDITIVE)
_LABELS = (*(measure.name for measure in INDICATORS), *(measure.name + _RATE_NAME for measure in _ADDITIVE))
_UNITS = tuple(dict.fromkeys(measure.unit for measure in INDICATORS))

_MEASURES = tuple(measure.name for measure in INDICATORS)
_PANEL = origins("figures", (CODE, PERIOD, *_MEASURES))
"""Each figure that is reported is a row, so that every column of the panel decides which rows there are."""

_OVERSEAS = followed(
    PROFILE_COLUMNS,
    Field(CODE, pattern="[0-9]{6}", unique=True),
    *nullable(INDUSTRY_ID, Field("industry", allowed=INDUSTRY_NAMES), Field("ownership", allowed=OWNERSHIPS)),
)
_PROFILE = tuple(
    replace(field, type="text", pattern=field.form) if field.name == INDUSTRY_ID.name else field for field in _OVERSEAS
)
"""The number of the industry is opened as the text that it is in the raw table."""

_CORE = followed(COMPANY_CORE.columns, FIRM)
_TARGET_CODE = Field("targetCode", origins=(), allowed=_CODES, meaning="what the figure is, by code")
_OF_PANEL = replace(VALUE, origins=origins("figures", _MEASURES))
_PANEL_YEAR = replace(YEAR, meaning=OF_THE_ROW)
_STATUS = (
    ID,
    FIRM,
    replace(_TARGET_CODE, allowed=(*_CODES, *_RATE_CODES)),
    replace(LABEL, origins=(), allowed=_LABELS),
    Field("targetUnit", origins=(), allowed=_UNITS),
    _OF_PANEL,
    *STAMPS,
    LATEST,
)
_DETAIL = (ID, FIRM, YEAR, _TARGET_CODE, _OF_PANEL)
_YEARLY = (
    ID,
    FIRM,
    _PANEL_YEAR,
    replace(_TARGET_CODE, allowed=(*(code + _CHANGE_CODE for code in _CODES), *_RATE_CODES)),
    replace(_OF_PANEL, meaning="the figure", unit_in=_TARGET_CODE.name),
)
_OPERATION = (
    Field(OPERATION_NAME, nullable=None, origins=(("company_profile", NAME),)),
    *as_text((FIRM, _PANEL_YEAR)),
    *(Field(name, nullable=None) for name in _MEASURES),
)

_NARRATIVES = 10_000
"""Narratives of a block at most: one has 2 KB."""


def render_profile(truth: Truth) -> Parts:
    """Render the firms in keyed order, the overseas ones that the release repeats scattered among them.

    The release has them at the end, where a filter on `id` finds them all: a trace of how it was made, not of its shape.
    """
    profile = truth.tables["company_profile"]
    return one_by_one(profile.sort(truth.order.mac(pl.lit("profile"), CODE)), _profile_text)


def render_overseas(file: str, truth: Truth) -> pl.DataFrame:
    """Render the overseas firms of one file; the four files share one sequence of ids."""
    everyone = truth.tables["overseas_profile"].sort(truth.order.mac(pl.lit("overseas"), CODE))
    rows = _profile_text(everyone.with_row_index(NUMBER, 1).cast({NUMBER: pl.Int64}), everyone.height)
    return rows.filter(pl.col("country").is_in(COUNTRIES_OF_FILE[file], nulls_equal=True))


def render_core(truth: Truth) -> Parts:
    """Render the narratives in keyed order, each on one line."""
    core = truth.tables["company_core"].sort(truth.order.mac(pl.lit("core"), CODE), PERIOD)
    return one_by_one(core, _core_text, records=_NARRATIVES)


def render_status(truth: Truth) -> Parts:
    """Render the last year's indicators, then their yearly rates: the release repeats tables in tables, too."""
    figures, order = truth.tables["figures"], _in_order(truth, "status")
    latest = order.filter(figures[PERIOD].gather(order) == LATEST_YEAR)
    sections = [LongSection(rows=latest, cells=cells) for cells in (_VALUES, _RATES)]
    return long_table(sections, _with_year_before(figures), _status_text, index=(CODE, PERIOD))


def render_detail(truth: Truth) -> Parts:
    """Render every figure of every year."""
    sections = [LongSection(rows=_in_order(truth, "detail"), cells=_VALUES)]
    return long_table(sections, truth.tables["figures"].__getitem__, _detail_text, index=(CODE, PERIOD))


def render_yearly(truth: Truth) -> Parts:
    """Render the changes over the year before: differences of every indicator, rates of those that can be summed."""
    sections = [LongSection(rows=_in_order(truth, "yearly"), cells=_CHANGES)]
    return long_table(sections, _with_year_before(truth.tables["figures"]), _detail_text, index=(CODE, PERIOD))


def render_operation(truth: Truth) -> pl.DataFrame:
    """Render the wide table of the last year: one row a firm, by code; whole numbers end in `.0`."""
    names = truth.tables["company_profile"].select(pl.col(NAME).alias(OPERATION_NAME), CODE)
    latest = truth.tables["figures"].filter(pl.col(PERIOD) == LATEST_YEAR).join(names, on=CODE).sort(CODE)
    figures = [decimal_text(pl.col(m.name), m.decimals, least=1).alias(m.name) for m in INDICATORS]
    return latest.select(OPERATION_NAME, CODE, pl.col(PERIOD).cast(pl.String), *figures)


def _profile_text(firms: pl.DataFrame, rows: int) -> pl.DataFrame:
    days = [day_text(column) for column in ("completedDate", "listingDate", "delistingDate")]
    return _stamped(firms, rows).with_columns(days).select(pl.col(names(_PROFILE)).cast(pl.String))


def _core_text(narratives: pl.DataFrame, rows: int) -> pl.DataFrame:
    one_line = pl.col("bmCoreVieContent").str.replace_all(r"\s*[\r\n]+\s*", " ")
    return _stamped(narratives, rows).with_columns(one_line).select(pl.col(names(_CORE)).cast(pl.String))


def _status_text(records: pl.DataFrame, rows: int) -> pl.DataFrame:
    return _stamped(records, rows).rename({FIGURE: "value"}).select(pl.col(names(_STATUS)).cast(pl.String))


def _detail_text(records: pl.DataFrame, _rows: int) -> pl.DataFrame:
    return records.rename({NUMBER: "id", FIGURE: "value"}).select(pl.col(names(_DETAIL)).cast(pl.String))


def _stamped(records: pl.DataFrame, rows: int) -> pl.DataFrame:
    return records.with_columns(pl.col(NUMBER).alias("id")).with_columns(load_stamps(rows))


def _in_order(truth: Truth, table: str) -> pl.Series:
    """Return the numbers of the rows of figures by firm in keyed order, then year."""
    figures = truth.tables["figures"].select(CODE, PERIOD).with_row_index("row")
    firms = figures.select(pl.col(CODE).unique()).with_columns(
        firm=truth.order.mac(pl.lit(table), CODE).rank("ordinal")
    )
    return figures.join(firms, on=CODE).sort("firm", PERIOD)["row"]


def _with_year_before(figures: pl.DataFrame) -> Callable[[pl.Series], pl.DataFrame]:
    """Return what gathers rows of figures and beside each those of the year before, if reported."""
    earlier = figures.with_row_index("row").select(row=period_before("row", code=CODE))["row"]

    def gathered(rows: pl.Series) -> pl.DataFrame:
        before = figures.select(pl.col(m.name).alias(_before(m.name)) for m in INDICATORS)
        return pl.concat([figures[rows], before.select(pl.all().gather(earlier.gather(rows)))], how="horizontal")

    return gathered


def _before(measure: str) -> str:
    return f"\x1fbefore:{measure}"


def _value(measure: Measure) -> LongCell:
    """Return the record of a figure itself."""
    return LongCell(
        figure=pl.col(measure.name),
        decimals=measure.decimals,
        labels={"targetCode": TARGET_CODES[measure.name], "targetName": measure.name, "targetUnit": measure.unit},
    )


def _difference(measure: Measure) -> LongCell:
    """Return the record of a figure's difference from that of the year before."""
    return LongCell(
        figure=pl.col(measure.name) - pl.col(_before(measure.name)),
        decimals=measure.decimals,
        labels={"targetCode": TARGET_CODES[measure.name] + _CHANGE_CODE, "targetName": None, "targetUnit": None},
    )


def _rate(measure: Measure) -> LongCell:
    """Return the record of a figure's change over the year before in percent; there is none over nothing."""
    now, before = pl.col(measure.name), pl.col(_before(measure.name))
    change = (now - before).cast(pl.Int128) * (100 * 10**_RATE_DECIMALS)
    return LongCell(
        figure=rounded_quotient(change, before.abs()).cast(pl.Int64),
        decimals=_RATE_DECIMALS,
        labels={
            "targetCode": TARGET_CODES[measure.name] + _RATE_CODE,
            "targetName": measure.name + _RATE_NAME,
            "targetUnit": "%",
        },
    )


_VALUES = [_value(measure) for measure in INDICATORS]
_RATES = [_rate(measure) for measure in INDICATORS if measure.additive]
_CHANGES = [
    cell
    for measure in INDICATORS
    for cell in ([_difference(measure), _rate(measure)] if measure.additive else [_difference(measure)])
]
"""By indicator, then by code: `_CHG` comes before `_YOY`."""


def _overseas_table(file: str) -> PublishedTable:
    countries = tuple(country for country in COUNTRIES_OF_FILE[file] if country)
    own = {
        "companyType": Field("companyType", allowed=(OVERSEAS,)),
        "country": Field("country", allowed=countries, nullable=True),
    }
    return PublishedTable(
        path=f"enterprise/company_profile_{file}.csv",
        fields=tuple(own.get(field.name, field) for field in _OVERSEAS),
        source="overseas_profile",
        rows_from=origins("overseas_profile", (CODE, "country")),  # one sequence of ids runs through the four files
        render=lambda truth: render_overseas(file, truth),
        description="Overseas firms that carry no figures.",
    )


_PROFILE_TABLE = PublishedTable(
    path="enterprise/company_profile.csv",
    fields=_PROFILE,
    source="company_profile",
    render=render_profile,
    beside=("company_core",),
    description="One row for each listed firm, and for some overseas ones.",
)
_CORE_TABLE = PublishedTable(
    path="enterprise/company_core.csv",
    fields=_CORE,
    source="company_core",
    render=render_core,
    beside=("company_profile", "company_operation_status"),
    description="Narratives of core competitiveness.",
)

ENTERPRISE_TABLES = (
    _PROFILE_TABLE,
    *(_overseas_table(file) for file in COUNTRIES_OF_FILE),
    _CORE_TABLE,
    PublishedTable(
        path="enterprise/company_operation_status.csv",
        fields=_STATUS,
        source="figures",
        rows_from=_PANEL,
        uses=("company_operation_history",),
        render=render_status,
        beside=("company_operation_status_detail",),
        description="The 48 indicators of each firm for 2022, and their yearly rates.",
    ),
    PublishedTable(
        path="enterprise/company_operation_status_detail.csv",
        fields=_DETAIL,
        source="figures",
        rows_from=_PANEL,
        uses=("company_operation_history",),
        render=render_detail,
        description="The 48 indicators of each firm for every year.",
    ),
    PublishedTable(
        path="enterprise/company_operation_yearly_status.csv",
        fields=_YEARLY,
        source="figures",
        rows_from=_PANEL,
        needs=("figures", "company_operation_history"),
        render=render_yearly,
        description="Changes over the year before.",
    ),
)

IDEAL_ENTERPRISE_TABLES = (
    ideal(_PROFILE_TABLE, "As in the database."),
    PublishedTable(
        path="company_operation_status.csv",
        folder="ideal",
        fields=_OPERATION,
        source="figures",
        rows_from=(*origins("figures", (CODE, PERIOD)), ("company_profile", CODE)),
        row_key=CODE,
        needs=("figures", "company_profile"),
        render=render_operation,
        description="The 48 indicators of each firm for 2022, one row a firm.",
    ),
    ideal(_CORE_TABLE, "As in the database."),
)

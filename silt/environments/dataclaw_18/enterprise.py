"""Renders the enterprise tables of `dataclaw-18`: profiles, narratives and the long tables of figures.

Headers stand here once, misspellings included (reference, section 1.1 and the decisions of section 0).
"""

import polars as pl

from pipeline.model import PERIOD, Decoys, EntityView, LongFigures, NameList, PublishedTable, Role, Truth, Views
from pipeline.model.identities import period_before, rounded_quotient
from pipeline.numerals import decimal_text
from raw.vocabulary.indicators import INDICATORS, TARGET_CODES
from silt.environments.dataclaw_18.raw_tables import CODE, NAME, OPERATION_NAME, OVERSEAS, PROFILE_COLUMNS
from silt.environments.dataclaw_18.stamps import day_text, load_stamps, numbered

COMPANY_ITEMS = "company_items"
"""The field of the bilingual name list that holds the firms."""

LATEST_YEAR = 2022
"""The year that the environment is about; the years before stand in the detail tables."""

PROFILE_HEADER = tuple(column.name for column in PROFILE_COLUMNS)
CORE_HEADER = ("id", CODE, PERIOD, "hasRun", "bmCoreVieContent", "isDelete", "createTime", "updateTime")
STATUS_HEADER = ("id", CODE, "targetCode", "targetName", "targetUnit", "value", "createTime", "updateTime", PERIOD)
DETAIL_HEADER = ("id", CODE, PERIOD, "targetCode", "value")
OPERATION_HEADER = (OPERATION_NAME, CODE, PERIOD, *(measure.name for measure in INDICATORS))

COUNTRIES_OF_FILE = {
    "as": ("日本", "新加坡", None),
    "eu": ("英国", "德国", "法国"),
    "na": ("美国", "加拿大"),
    "oc": ("澳大利亚",),
}
"""Which overseas firms stand in which file; None is a firm without a country."""

RATE_CODE, CHANGE_CODE = "_YOY", "_CHG"
"""Endings of the codes of year-over-year rows: the rate in percent, and the difference."""
RATE_NAME = "同比"
_RATE_DECIMALS = 2

_FACTS = pl.DataFrame(
    [(m.name, TARGET_CODES[m.name], m.unit, m.decimals, m.additive, rank) for rank, m in enumerate(INDICATORS)],
    schema={
        "measure": pl.String,
        "code": pl.String,
        "unit": pl.String,
        "decimals": pl.Int64,
        "additive": pl.Boolean,
        "rank": pl.Int64,
    },
    orient="row",
)


def render_profile(truth: Truth) -> pl.DataFrame:
    """Render the firms in keyed order, the overseas ones that the release repeats scattered among them.

    The release has them at the end, where a filter on `id` finds them all: a trace of how it was made, not of its shape.
    """
    profile = truth.tables["company_profile"]
    return _profile_text(numbered(profile.sort(truth.order.mac(pl.lit("profile"), CODE))))


def render_overseas(file: str, truth: Truth) -> pl.DataFrame:
    """Render the overseas firms of one file; the four files share one sequence of ids."""
    everyone = numbered(truth.tables["overseas_profile"].sort(truth.order.mac(pl.lit("overseas"), CODE)))
    return _profile_text(everyone).filter(pl.col("country").is_in(COUNTRIES_OF_FILE[file], nulls_equal=True))


def render_core(truth: Truth) -> pl.DataFrame:
    """Render the narratives in keyed order, each on one line."""
    core = numbered(truth.tables["company_core"].sort(truth.order.mac(pl.lit("core"), CODE), PERIOD))
    one_line = pl.col("bmCoreVieContent").str.replace_all(r"\s*[\r\n]+\s*", " ")
    return core.with_columns(one_line, *load_stamps()).select(pl.col(CORE_HEADER).cast(pl.String))


def render_status(truth: Truth) -> pl.DataFrame:
    """Render the last year's indicators, then their yearly rates: the release repeats tables in tables, too."""
    values = _long(truth).filter(pl.col(PERIOD) == LATEST_YEAR)
    latest = values.with_columns(targetName=pl.col("measure"), targetUnit=pl.col("unit"), targetCode=pl.col("code"))
    rates = _rates(values).with_columns(targetName=pl.col("measure") + RATE_NAME, targetUnit=pl.lit("%"))
    rows = pl.concat([_in_order(latest, truth, "status"), _in_order(rates, truth, "status")], how="diagonal")
    return numbered(rows).with_columns(*load_stamps()).select(_text(STATUS_HEADER))


def render_detail(truth: Truth) -> pl.DataFrame:
    """Render every figure of every year."""
    rows = _long(truth).with_columns(targetCode=pl.col("code"))
    return numbered(_in_order(rows, truth, "detail")).select(_text(DETAIL_HEADER))


def render_yearly(truth: Truth) -> pl.DataFrame:
    """Render the changes over the year before: differences of every indicator, rates of those that can be summed."""
    values = _long(truth)
    rows = pl.concat([_differences(values), _rates(values)])
    return numbered(_in_order(rows, truth, "yearly")).select(_text(DETAIL_HEADER))


def render_operation(truth: Truth) -> pl.DataFrame:
    """Render the wide table of the last year: one row a firm, by code; whole numbers end in `.0`."""
    names = truth.tables["company_profile"].select(pl.col(NAME).alias(OPERATION_NAME), CODE)
    latest = truth.tables["figures"].filter(pl.col(PERIOD) == LATEST_YEAR).join(names, on=CODE).sort(CODE)
    figures = [decimal_text(pl.col(m.name), m.decimals, keeps_point=True).alias(m.name) for m in INDICATORS]
    return latest.select(OPERATION_NAME, CODE, pl.col(PERIOD).cast(pl.String), *figures)


def _profile_text(numbered_rows: pl.DataFrame) -> pl.DataFrame:
    days = [day_text(column) for column in ("completedDate", "listingDate", "delistingDate")]
    return numbered_rows.with_columns(*days, *load_stamps()).select(pl.col(PROFILE_HEADER).cast(pl.String))


def _long(truth: Truth) -> pl.DataFrame:
    """Return one row for each figure with its facts, and `before`: the same figure of the year before, if reported."""
    names = [measure.name for measure in INDICATORS]
    figures = truth.tables["figures"].select(CODE, PERIOD, *names)
    earlier = figures.select(CODE, PERIOD, *(period_before(name, code=CODE) for name in names))
    long = [frame.unpivot(names, index=[CODE, PERIOD], variable_name="measure") for frame in (figures, earlier)]
    return long[0].with_columns(before=long[1]["value"]).drop_nulls("value").join(_FACTS, on="measure")


def _rates(values: pl.DataFrame) -> pl.DataFrame:
    known = values.filter(pl.col("additive") & pl.col("before").is_not_null() & (pl.col("before") != 0))
    change = (pl.col("value") - pl.col("before")).cast(pl.Int128) * (100 * 10**_RATE_DECIMALS)
    return known.with_columns(
        value=rounded_quotient(change, pl.col("before").abs()).cast(pl.Int64),
        decimals=pl.lit(_RATE_DECIMALS, pl.Int64),
        targetCode=pl.col("code") + RATE_CODE,
    )


def _differences(values: pl.DataFrame) -> pl.DataFrame:
    known = values.drop_nulls("before")
    return known.with_columns(value=pl.col("value") - pl.col("before"), targetCode=pl.col("code") + CHANGE_CODE)


def _in_order(rows: pl.DataFrame, truth: Truth, table: str) -> pl.DataFrame:
    """Sort by firm in keyed order, then year, indicator and code."""
    firms = rows.select(pl.col(CODE).unique()).with_columns(firm=truth.order.mac(pl.lit(table), CODE).rank("ordinal"))
    return rows.join(firms, on=CODE).sort("firm", PERIOD, "rank", "targetCode")


def _text(header: tuple[str, ...]) -> list[pl.Expr]:
    value = decimal_text(pl.col("value"), pl.col("decimals")).alias("value")
    return [value if column == "value" else pl.col(column).cast(pl.String) for column in header]


def _overseas_table(file: str) -> PublishedTable:
    return PublishedTable(
        path=f"enterprise/company_profile_{file}.csv",
        columns=PROFILE_HEADER,
        needs=("overseas_profile",),
        render=lambda truth: render_overseas(file, truth),
        description="Overseas firms that carry no figures.",
    )


ENTERPRISE_TABLES = (
    PublishedTable(
        path="enterprise/company_profile.csv",
        columns=PROFILE_HEADER,
        needs=("company_profile",),
        render=render_profile,
        beside=("company_core",),
        description="One row for each listed firm, and for some overseas ones.",
    ),
    *(_overseas_table(file) for file in COUNTRIES_OF_FILE),
    PublishedTable(
        path="enterprise/company_core.csv",
        columns=CORE_HEADER,
        needs=("company_core",),
        render=render_core,
        beside=("company_profile", "company_operation_status"),
        description="Narratives of core competitiveness.",
    ),
    PublishedTable(
        path="enterprise/company_operation_status.csv",
        columns=STATUS_HEADER,
        needs=("figures",),
        uses=("company_operation_history",),
        render=render_status,
        beside=("company_operation_status_detail",),
        description="The 48 indicators of each firm for 2022, and their yearly rates.",
    ),
    PublishedTable(
        path="enterprise/company_operation_status_detail.csv",
        columns=DETAIL_HEADER,
        needs=("figures",),
        uses=("company_operation_history",),
        render=render_detail,
        description="The 48 indicators of each firm for every year.",
    ),
    PublishedTable(
        path="enterprise/company_operation_yearly_status.csv",
        columns=DETAIL_HEADER,
        needs=("figures", "company_operation_history"),
        render=render_yearly,
        description="Changes over the year before.",
    ),
)

IDEAL_ENTERPRISE_TABLES = (
    PublishedTable(
        path="company_profile.csv",
        folder="ideal",
        columns=PROFILE_HEADER,
        needs=("company_profile",),
        render=render_profile,
        description="As in the database.",
    ),
    PublishedTable(
        path="company_operation_status.csv",
        folder="ideal",
        columns=OPERATION_HEADER,
        row_key=CODE,
        needs=("figures", "company_profile"),
        render=render_operation,
        description="The 48 indicators of each firm for 2022, one row a firm.",
    ),
    PublishedTable(
        path="company_core.csv",
        folder="ideal",
        columns=CORE_HEADER,
        needs=("company_core",),
        render=render_core,
        description="As in the database.",
    ),
)

_OVERSEAS_SHAPE = ("companyType", "country", "exchange", "plate", "province", "city", "area", "ownership", "industryId")
"""Columns in which the release itself writes overseas firms differently."""

DECOYS = Decoys(
    among="company_profile",
    is_decoy=lambda: pl.col("companyType").eq_missing(OVERSEAS),
    apart=tuple(f"company_profile_{file}" for file in COUNTRIES_OF_FILE),
    inherent=_OVERSEAS_SHAPE,
    inherent_apart=(*_OVERSEAS_SHAPE, "id"),
)
"""Overseas firms. In their own files ids count them from 1 on, as in the release."""

_INDICATOR_OF_CODE = {code: measure for measure, code in TARGET_CODES.items()}
"""Codes of yearly rates and differences are not among them."""

VIEWS = Views(
    entities=EntityView(
        table="company_profile",
        columns={column.name: column.name for column in PROFILE_COLUMNS if column.role is not Role.IGNORED},
        vocabularies={"industry": "industries"},
    ),
    figures=(
        LongFigures(
            table="company_operation_status_detail",
            code=CODE,
            year=PERIOD,
            measure="targetCode",
            value="value",
            labels=_INDICATOR_OF_CODE,
        ),
        LongFigures(
            table="company_operation_status",
            code=CODE,
            year=PERIOD,
            measure="targetCode",
            unit="targetUnit",
            value="value",
            labels=_INDICATOR_OF_CODE,
        ),
    ),
    english=NameList(document="bilingual_translation_english_chinese", field=COMPANY_ITEMS),
)
"""All years first: the table of the last year repeats it, in units of its own."""

"""The raw tables of `dataclaw-18`: the shape of the paper's cleaned release, and what stands beside it.

Seven tables are those of the cleaned release (reference, section 1.2), so that a holder of it can build from it. The others,
all optional, hold what one year and one file cannot: further years, aliases, overseas firms, macro series, definitions.
"""

from dataclasses import replace

import polars as pl

from pipeline.model import Column, QuasiIdentifier, QuasiIdentifiers, RawTable, Reference, Role, RowRule
from raw.vocabulary.indicators import INDICATORS

CODE, NAME = "bmCode", "bmCompanyName"
OPERATION_NAME = "企业名称"
OVERSEAS = "国外"
"""The company type of overseas decoys."""

FIRST_YEAR, LAST_YEAR = 1900, 2100
"""Years outside are typing errors, whatever the column."""

OF_THE_ROW = "year that the row is about"

_FLAG = ("0", "1")
_GIVEN_NUMBER = "a statistic or count as its publisher computed it"


def _ignored(name: str, *, public: str = "") -> Column:
    return Column(name=name, role=Role.IGNORED, public=public)


def _date(name: str, description: str, *, is_trading_day: bool = False) -> Column:
    return Column(
        name=name,
        role=Role.DATE,
        type="date",
        minimum=FIRST_YEAR,
        maximum=LAST_YEAR,
        is_trading_day=is_trading_day,
        description=description,
    )


def _year(*, public: str = "") -> Column:
    return Column(
        name="year",
        type="integer",
        nullable=False,
        minimum=FIRST_YEAR,
        maximum=LAST_YEAR,
        public=public,
        description=OF_THE_ROW,
    )


def _plain(**described: str) -> tuple[Column, ...]:
    """Return columns that may hold any text, or none; each with what it holds."""
    return tuple(Column(name=name, description=description) for name, description in described.items())


def _flag(name: str, description: str = "mark of the database", *, public: str = "") -> Column:
    return Column(name=name, allowed=_FLAG, public=public, description=description)


_OF_THE_EDITION = "the year of the edition, the same in every row"
_OF_THE_DATABASE = "a mark of the database, the same in every row"
_OF_DELETED = "mark of the database for deleted rows"
_OF_LOADING = "load stamps count the rows of a table; the published ones are invented in the same way"
_LOAD_STAMPS = tuple(_ignored(name, public=_OF_LOADING) for name in ("createTime", "updateTime"))
_PLACES = {"province": "province", "city": "city", "area": "district or county"}
_OF_THE_STATE = "series of the whole economy, published by statistical offices; no company's figure"
_OF_AGENCIES = "policies as their agencies published them; about no company"


PROFILE_COLUMNS = (
    _ignored("id"),
    _year(public=_OF_THE_EDITION),
    Column(name=CODE, role=Role.CODE, nullable=False),
    Column(
        name="companyType",
        nullable=False,
        allowed=("沪深", "港股", OVERSEAS),
        description="where the company is listed: the mainland, Hong Kong, or overseas",
    ),
    Column(name=NAME, role=Role.NAME, nullable=False),
    _date("completedDate", "when the company was founded"),
    _date("listingDate", "when trading of its shares began", is_trading_day=True),
    _date("delistingDate", "when trading of its shares ended", is_trading_day=True),
    *_plain(
        industryId="number of the industry",
        secondIndustryId="number of the sub-industry",
        firstClassificationId="number of the strategic emerging industry",
        secondClassificationId="number of the part of the strategic emerging industry",
        secondClassification="part of the strategic emerging industry",
        firstClassification="strategic emerging industry",
        secondIndustry="sub-industry",
        industry="industry",
        **_PLACES,
        exchange="stock exchange",
        plate="board of the exchange",
        ownership="who owns the company: the state, private persons, foreigners",
    ),
    _flag("multipleList", "1 for a company that several exchanges list"),
    _flag("isResult", "0 for a second listing, which aggregates leave out"),
    *_plain(country="country"),
    _flag("isDelete", _OF_DELETED, public=_OF_THE_DATABASE),
    _flag("companyStatusType", "state of the company, nearly always 0"),
    *_LOAD_STAMPS,
)


QUASI_IDENTIFIERS = QuasiIdentifiers(
    kept=("industry",),
    dealt=(
        QuasiIdentifier(column="companyType", along=("industryId",)),
        QuasiIdentifier(column="secondIndustry", along=("secondIndustryId",)),
        QuasiIdentifier(column="country", within="companyType"),
        QuasiIdentifier(column="province", within="companyType"),
        QuasiIdentifier(column="exchange", within="companyType"),
        QuasiIdentifier(column="ownership", within="exchange"),
        QuasiIdentifier(column="plate", within="exchange"),
        QuasiIdentifier(column="multipleList", within="companyType"),
        QuasiIdentifier(column="isResult", within="companyType"),
        QuasiIdentifier(column="companyStatusType", within="companyType"),
        QuasiIdentifier(column="firstClassification", along=("firstClassificationId",)),
        QuasiIdentifier(column="secondClassification", along=("secondClassificationId",), within="firstClassification"),
        QuasiIdentifier(column="city", within="province"),
        QuasiIdentifier(column="listingDate", along=("completedDate", "delistingDate"), within="plate"),
        QuasiIdentifier(column="area", within="city"),
    ),
)
"""What hangs together: places within places, an owner and a board within the exchange that has them, a listing within the time
of its board. An overseas firm has the industry's name but the id 0, so that
the id gives the company type away and goes with it."""


def _has_industry() -> pl.Expr:
    return (pl.col("companyType") == OVERSEAS) | pl.col("industry").is_not_null()


_EVERY_FIRM_HAS_AN_INDUSTRY = RowRule(
    column="industry", holds=_has_industry, expected="every firm that is not overseas has an industry"
)

_OPERATION_COLUMNS = (
    Column(name=OPERATION_NAME, role=Role.NAME, nullable=False),
    Column(name=CODE, role=Role.CODE, nullable=False),
    _year(),
    *(measure.column() for measure in INDICATORS),
)

_IN_PROFILE = Reference(columns=(CODE,), to_table="company_profile")

_MACRO_COLUMNS = (
    *_plain(industryId="number of the industry", industry="industry"),
    _year(),
    Column(name="targetName", nullable=False, description="what the figure is"),
    *_plain(targetUnit="unit of the figure"),
    Column(name="value", type="decimal", decimals=6, nullable=False, description="a macro series, no firm's figure"),
)


def _macro(name: str, description: str, *, is_regional: bool) -> RawTable:
    province = _plain(province="province") if is_regional else ()
    return RawTable(
        name=name,
        required=False,
        key=("year", "targetName"),
        columns=(*province, *_MACRO_COLUMNS),
        public=_OF_THE_STATE,
        description=description,
    )


def given_aggregate(name: str, place: str, columns: tuple[str, ...]) -> RawTable:
    """Declare a wide table of aggregates that the originals' publisher computed: one row an industry and place."""
    return RawTable(
        name=name,
        required=False,
        key=("行业", place),
        columns=(
            Column(name="行业", nullable=False),
            Column(name=place, nullable=False),
            *(Column(name=column, type="float", description=_GIVEN_NUMBER) for column in columns),
        ),
        description="Aggregates of the originals as given; compared with, never published.",
    )


COMPANY_PROFILE = RawTable(
    name="company_profile",
    key=(CODE,),
    columns=PROFILE_COLUMNS,
    rules=(_EVERY_FIRM_HAS_AN_INDUSTRY,),
    description="One row for each listed firm, and for some overseas ones.",
)

OVERSEAS_PROFILE = RawTable(
    name="overseas_profile", required=False, key=(CODE,), columns=PROFILE_COLUMNS, description="Overseas decoy firms."
)

COMPANY_OPERATION_STATUS = RawTable(
    name="company_operation_status",
    key=(CODE, "year"),
    columns=_OPERATION_COLUMNS,
    references=(_IN_PROFILE,),
    description="The 48 indicators of each firm for the last year.",
)

COMPANY_OPERATION_HISTORY = RawTable(
    name="company_operation_history",
    required=False,
    key=(CODE, "year"),
    columns=_OPERATION_COLUMNS,
    references=(_IN_PROFILE,),
    description="The 48 indicators for the years before.",
)

COMPANY_CORE = RawTable(
    name="company_core",
    key=(CODE, "year"),
    columns=(
        _ignored("id"),
        Column(name=CODE, role=Role.CODE, nullable=False),
        _year(public=_OF_THE_EDITION),
        _flag("hasRun", public=_OF_THE_DATABASE),
        Column(name="bmCoreVieContent", role=Role.TEXT, nullable=False),
        _flag("isDelete", _OF_DELETED, public=_OF_THE_DATABASE),
        *_LOAD_STAMPS,
    ),
    references=(_IN_PROFILE,),
    description="Narratives of core competitiveness.",
)

POLICY_RESOURCE = RawTable(
    name="policy_resource",
    key=("title", "writtenDate", "issueAuthor"),
    columns=(
        _ignored("id"),
        Column(name="title", role=Role.TEXT, nullable=False),
        *(Column(name=name, role=Role.TEXT) for name in ("content", "clearContent", "summary", "attachmentList")),
        *_plain(originalUrl="address of the policy"),
        replace(_date("writtenDate", "when the policy was signed"), role=Role.ATTRIBUTE),
        replace(_date("publishDate", "when the policy was published"), role=Role.ATTRIBUTE, nullable=False),
        Column(name="policyClassification", nullable=False, description="kind of policy"),
        *_plain(**_PLACES, issueAuthor="agency that issued the policy"),
        *_LOAD_STAMPS,
        _flag("isDelete", _OF_DELETED),
        Column(name="machineSummary", role=Role.TEXT),
        *_plain(industry="industry"),
    ),
    public=_OF_AGENCIES,
    description="Policy texts with agencies, regions, industries and dates.",
)

COMPANY_TRANSLATION = RawTable(
    name="company_translation_english_chinese",
    required=False,
    key=("key",),
    columns=(Column(name="key", role=Role.NAME, nullable=False), Column(name="value", role=Role.ALIAS, nullable=False)),
    description="Legal names and their English forms.",
)

POLICY_TRANSLATION = RawTable(
    name="policy_translation_english_chinese",
    required=False,
    key=("key",),
    columns=(Column(name="key", role=Role.TEXT, nullable=False), Column(name="value", role=Role.TEXT, nullable=False)),
    public=_OF_AGENCIES,
    description="Policy titles and their English forms.",
)

COMPANY_ALIAS = RawTable(
    name="company_alias",
    required=False,
    key=("alias",),
    columns=(
        Column(name=CODE, role=Role.CODE, nullable=False),
        Column(name="alias", role=Role.ALIAS, nullable=False),
        Column(name="kind", nullable=False, allowed=("short", "english", "subsidiary", "product")),
    ),
    references=(_IN_PROFILE,),
    description="Short and English names, subsidiaries and products, as the narratives mention them.",
)

MACRO = (
    _macro("national_macro_detail", "Macro series by day and month.", is_regional=False),
    _macro("national_macro_yearly", "Macro series by year.", is_regional=False),
    _macro("regional_macro_detail", "Regional series by day and month.", is_regional=True),
    _macro("regional_macro_yearly", "Regional series as the yearly table holds them.", is_regional=True),
)

INTERNAL_METRICS = RawTable(
    name="internal_metrics",
    required=False,
    key=("interal_knowladge",),
    columns=(_ignored("id"), Column(name="interal_knowladge", nullable=False, description="definition of a metric")),
    public="definitions of metrics, in the words of the publisher; about no company",
    description="Internal definitions of metrics.",
)

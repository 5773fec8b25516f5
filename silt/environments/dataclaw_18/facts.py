"""What is true of every column of the published tables of `dataclaw-18`, before noise.

Sets come from the vocabularies where rendering makes the cells of them, or where the environment stands on them; columns that
holders of raw tables may fill as they like (cities, boards) have no closed set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pipeline.model import PERIOD, Column
from pipeline.model.claims.facts import ColumnFacts, TableFacts
from raw.vocabulary.geography import PROVINCES
from raw.vocabulary.indicators import INDICATORS, TARGET_CODES
from raw.vocabulary.industries import INDUSTRIES, TOTAL_INDUSTRY
from raw.vocabulary.listing import OWNERSHIPS
from silt.environments.dataclaw_18.enterprise import CHANGE_CODE, COUNTRIES_OF_FILE, LATEST_YEAR, RATE_CODE, RATE_NAME
from silt.environments.dataclaw_18.name_list import ITEM, TRANSLATION
from silt.environments.dataclaw_18.raw_tables import (
    CODE,
    COMPANY_CORE,
    FIRST_YEAR,
    LAST_YEAR,
    OVERSEAS,
    POLICY_RESOURCE,
    PROFILE_COLUMNS,
    QUASI_IDENTIFIERS,
)

_DAY = "([1-9]|[12][0-9]|3[01])/([1-9]|1[0-2])/[12][0-9]{3}"
_ID = ColumnFacts(type="integer", minimum=1, unique=True)
_CODE = ColumnFacts(pattern="[0-9]{6}")
_FIRM = replace(_CODE, refers_to=("company_profile", CODE))
_YEAR = ColumnFacts(type="integer", minimum=FIRST_YEAR, maximum=LAST_YEAR)
_LATEST = ColumnFacts(type="integer", allowed=(str(LATEST_YEAR),))
_FIGURE = ColumnFacts(type="decimal")
_STAMPS = dict.fromkeys(("createTime", "updateTime"), ColumnFacts(pattern=f"{_DAY} [0-2][0-9]:[0-5][0-9]:[0-5][0-9]"))

_INDUSTRY_NAMES = tuple(industry.name for industry in INDUSTRIES)
_INDUSTRY_IDS = tuple(str(industry.id) for industry in INDUSTRIES)
_INDUSTRY = {
    "industryId": ColumnFacts(type="integer", allowed=(*_INDUSTRY_IDS, TOTAL_INDUSTRY[0])),
    "industry": ColumnFacts(allowed=(*_INDUSTRY_NAMES, TOTAL_INDUSTRY[1])),
}
_OPEN_INDUSTRY = {name: replace(facts, nullable=True) for name, facts in _INDUSTRY.items()}
_PROVINCE = {"province": ColumnFacts(allowed=tuple(province.name for province in PROVINCES))}

_RATE_CODES = tuple(TARGET_CODES[measure.name] + RATE_CODE for measure in INDICATORS if measure.additive)
_RATE_NAMES = tuple(measure.name + RATE_NAME for measure in INDICATORS if measure.additive)


def _followed(columns: Sequence[Column]) -> dict[str, ColumnFacts]:
    """Return what conforming makes sure of in raw columns that are published as they are."""
    drawn = {name for item in QUASI_IDENTIFIERS.dealt for name in item.columns}
    return {
        column.name: ColumnFacts(
            type="integer" if column.type == "integer" else "text",
            nullable=column.nullable or column.name in drawn,
            allowed=column.allowed,
            minimum=column.minimum if column.type == "integer" else None,
            maximum=column.maximum if column.type == "integer" else None,
            pattern=_DAY if column.type == "date" else "",
        )
        for column in columns
    }


_PROFILE: TableFacts = {
    **_followed(PROFILE_COLUMNS),
    "id": _ID,
    CODE: replace(_CODE, unique=True),
    "industryId": replace(_INDUSTRY["industryId"], nullable=True),
    "industry": ColumnFacts(allowed=_INDUSTRY_NAMES, nullable=True),
    "ownership": ColumnFacts(allowed=OWNERSHIPS, nullable=True),
    **_STAMPS,
}


def _overseas(countries: tuple[str | None, ...]) -> TableFacts:
    named = tuple(country for country in countries if country is not None)
    return {
        **_PROFILE,
        "companyType": ColumnFacts(allowed=(OVERSEAS,)),
        "country": ColumnFacts(allowed=named, nullable=True),
    }


_MACRO: TableFacts = {
    "id": _ID,
    **_OPEN_INDUSTRY,
    PERIOD: _YEAR,
    "targetName": ColumnFacts(),
    "targetUnit": ColumnFacts(nullable=True),
    "value": _FIGURE,
}
_STATISTICS: TableFacts = {
    "id": _ID,
    **_INDUSTRY,
    "targetName": ColumnFacts(),
    "targetUnit": ColumnFacts(nullable=True),
    "value": replace(_FIGURE, nullable=True),
    **_STAMPS,
    PERIOD: _LATEST,
}

FACTS: Mapping[str, TableFacts] = {
    "company_profile": _PROFILE,
    **{f"company_profile_{file}": _overseas(countries) for file, countries in COUNTRIES_OF_FILE.items()},
    "company_core": {**_followed(COMPANY_CORE.columns), "id": _ID, CODE: _FIRM, **_STAMPS},
    "company_operation_status": {
        "id": _ID,
        CODE: _FIRM,
        "targetCode": ColumnFacts(allowed=(*TARGET_CODES.values(), *_RATE_CODES)),
        "targetName": ColumnFacts(allowed=(*(measure.name for measure in INDICATORS), *_RATE_NAMES)),
        "targetUnit": ColumnFacts(allowed=tuple(dict.fromkeys(measure.unit for measure in INDICATORS))),
        "value": _FIGURE,
        **_STAMPS,
        PERIOD: _LATEST,
    },
    "company_operation_status_detail": {
        "id": _ID,
        CODE: _FIRM,
        PERIOD: _YEAR,
        "targetCode": ColumnFacts(allowed=tuple(TARGET_CODES.values())),
        "value": _FIGURE,
    },
    "company_operation_yearly_status": {
        "id": _ID,
        CODE: _FIRM,
        PERIOD: _YEAR,
        "targetCode": ColumnFacts(allowed=(*(code + CHANGE_CODE for code in TARGET_CODES.values()), *_RATE_CODES)),
        "value": _FIGURE,
    },
    "national_industry_status": _STATISTICS,
    "national_industry_status_detail": _MACRO,
    "national_industry_yearly_status": _MACRO,
    "regional_industry_status": {**_STATISTICS, **_PROVINCE},
    "regional_industry_status_detail": {**_MACRO, **_PROVINCE},
    "regional_industry_yearly_status": {**_MACRO, **_PROVINCE},
    "policy_resource": {**_followed(POLICY_RESOURCE.columns), "id": _ID, **_STAMPS},
    "policy_release_status": {
        "id": _ID,
        **_OPEN_INDUSTRY,
        "targetName": ColumnFacts(),
        "value": ColumnFacts(type="integer", minimum=1),
        **_STAMPS,
        PERIOD: _LATEST,
        "province": ColumnFacts(nullable=True),
    },
    "internal_metrics": {"id": _ID, "interal_knowladge": ColumnFacts(unique=True)},
    "bilingual_translation_english_chinese": {ITEM: ColumnFacts(unique=True), TRANSLATION: ColumnFacts(nullable=True)},
}
"""By table; of the bilingual document, of its rows."""

"""How the published tables of `dataclaw-18` are read back, and which of their firms are decoys."""

import polars as pl

from pipeline.model import PERIOD, Decoys, EntityView, LongFigures, NameList, Views
from raw.vocabulary.indicators import TARGET_CODES
from silt.environments.dataclaw_18.enterprise import COUNTRIES_OF_FILE
from silt.environments.dataclaw_18.raw_tables import CODE, OVERSEAS

COMPANY_ITEMS = "company_items"
"""The field of the bilingual name list that holds the firms."""

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

"""The environment `dataclaw-18`: the 18 files of the DataClaw paper, declared.

Raw tables in `raw_tables.py`, renderings in `enterprise.py`, `industry.py`, `policy.py`; names of the trade in
`raw/vocabulary`; the generated originals in `raw/corpus`, by whose grammar `prose.py` writes; fields that several tables have
in `fields.py`.
"""

from dataclasses import replace

import polars as pl

from pipeline.model import (
    AliasSource,
    Corpus,
    Entities,
    Environment,
    Field,
    Panel,
    PublishedDocument,
    PublishedTable,
    Truth,
    Vocabulary,
)
from raw.corpus import VERSION, generate
from raw.corpus.stamps import numbered
from raw.vocabulary import english
from raw.vocabulary.agencies import AGENCY_ALIASES, AGENCY_NAMES
from raw.vocabulary.geography import PROVINCE_ALIASES
from raw.vocabulary.indicators import IDENTITIES, INDICATOR_NAMES, INDICATORS, KNOWN_FIGURES, MONEY_UNITS
from raw.vocabulary.industries import INDUSTRY_SYNONYMS
from raw.vocabulary.metrics import METRICS_IN_OTHER_LANGUAGE
from raw.vocabulary.units import UNIT_LABELS
from silt.environments.dataclaw_18 import industry, raw_tables
from silt.environments.dataclaw_18.domains import DOMAINS
from silt.environments.dataclaw_18.enterprise import ENTERPRISE_TABLES, IDEAL_ENTERPRISE_TABLES
from silt.environments.dataclaw_18.fields import ID, names
from silt.environments.dataclaw_18.name_list import ITEM, TRANSLATION, json_text, name_list_rows
from silt.environments.dataclaw_18.policy import IDEAL_POLICY_TABLES, POLICY_COUNTS, POLICY_TABLES
from silt.environments.dataclaw_18.prose import PROSE
from silt.environments.dataclaw_18.views import COMPANY_ITEMS, DECOYS, VIEWS

_POLICY_ITEMS = "policy_items"
"""The field of the bilingual name list that holds the titles of policies."""

_METRICS = (ID, Field("interal_knowladge", unique=True))
_TITLES = "policy_translation_english_chinese"
_NAME_LIST = (
    Field(ITEM, unique=True, origins=(("names", "legal"), (_TITLES, "key"))),
    Field(TRANSLATION, nullable=True, origins=(("names", "english"), (_TITLES, "value"))),
)


def _render_metrics(truth: Truth) -> pl.DataFrame:
    return numbered(truth.tables["internal_metrics"].sort("interal_knowladge")).select(
        pl.col(names(_METRICS)).cast(pl.String)
    )


def _company_items(truth: Truth) -> dict[str, str]:
    listed = truth.tables["names"].sort("legal")
    return dict(listed.select("legal", "english").iter_rows())


def _render_bilingual(truth: Truth) -> str:
    titles = truth.tables.get(_TITLES)
    policy_items = {} if titles is None else dict(titles.sort("key").select("key", "value").iter_rows())
    return json_text({COMPANY_ITEMS: _company_items(truth), _POLICY_ITEMS: policy_items})


DATACLAW_18 = Environment(
    name="dataclaw-18",
    title="The data environment of the DataClaw paper: firms, industries and policies of China, 2022",
    raw_tables=(
        raw_tables.COMPANY_PROFILE,
        raw_tables.COMPANY_OPERATION_STATUS,
        raw_tables.COMPANY_CORE,
        raw_tables.given_aggregate("national_industry_status", "district", industry.WIDE_COLUMNS),
        raw_tables.given_aggregate("regional_industry_status", "省份", industry.WIDE_COLUMNS),
        raw_tables.POLICY_RESOURCE,
        raw_tables.COMPANY_TRANSLATION,
        raw_tables.COMPANY_OPERATION_HISTORY,
        raw_tables.COMPANY_ALIAS,
        raw_tables.OVERSEAS_PROFILE,
        raw_tables.POLICY_TRANSLATION,
        *raw_tables.MACRO,
        raw_tables.INTERNAL_METRICS,
    ),
    entities=Entities(
        tables=("company_profile", "overseas_profile"),
        code=raw_tables.CODE,
        name=raw_tables.NAME,
        industry="industry",
        sub_industry="secondIndustry",
        language="zh",
        code_mention=r"(?<![\d.])(\d{5,6})(?:\.(?:SZ|SH|HK|BJ))?(?!\d)",
        aliases=(
            AliasSource(table="company_alias", code=raw_tables.CODE, alias="alias", kind="kind"),
            AliasSource(table="company_translation_english_chinese", name="key", alias="value", only_kind="english"),
        ),
    ),
    panel=Panel(
        tables=("company_operation_status", "company_operation_history"),
        measures=INDICATORS,
        identities=IDENTITIES,
        known=KNOWN_FIGURES,
    ),
    aggregates=(industry.NATIONAL, industry.REGIONAL),
    derivations=(POLICY_COUNTS,),
    prose=PROSE,
    tables=(
        *ENTERPRISE_TABLES,
        *industry.INDUSTRY_TABLES,
        *POLICY_TABLES,
        PublishedTable(
            path="internal_metrics.csv",
            fields=_METRICS,
            source="internal_metrics",
            render=_render_metrics,
            description="Internal definitions of metrics.",
        ),
        *IDEAL_ENTERPRISE_TABLES,
        *industry.IDEAL_INDUSTRY_TABLES,
        *IDEAL_POLICY_TABLES,
    ),
    documents=(
        PublishedDocument(
            path="bilingual_translation_english_chinese.json",
            needs=("names",),
            uses=(_TITLES,),
            render=_render_bilingual,
            rows=replace(
                name_list_rows(COMPANY_ITEMS, _POLICY_ITEMS), fields=_NAME_LIST, rows_from=_NAME_LIST[0].origins or ()
            ),
            description="Company names and policy titles in English: the only bridge from questions to data.",
        ),
        PublishedDocument(
            path="company_translation_english_chinese.json",
            folder="ideal",
            needs=("names",),
            render=lambda truth: json_text(_company_items(truth)),
            description="Company names in English.",
        ),
    ),
    vocabularies=(
        Vocabulary(name="indicators", aliases=INDICATOR_NAMES),
        Vocabulary(name="agencies", aliases=AGENCY_ALIASES),
        Vocabulary(name="agency_names", aliases=AGENCY_NAMES),
        Vocabulary(name="unit_labels", aliases=UNIT_LABELS),
        Vocabulary(name="industries", aliases=INDUSTRY_SYNONYMS),
        Vocabulary(name="provinces", aliases=PROVINCE_ALIASES),
        Vocabulary(name="provinces_in_english", aliases=english.PROVINCES_IN_ENGLISH),
        Vocabulary(name="industries_in_english", aliases=english.INDUSTRIES_IN_ENGLISH),
        Vocabulary(name="ownerships_in_english", aliases=english.OWNERSHIPS_IN_ENGLISH),
        Vocabulary(name="exchanges_in_english", aliases=english.EXCHANGES_IN_ENGLISH),
        Vocabulary(name="metrics_in_other_language", aliases=METRICS_IN_OTHER_LANGUAGE),
    ),
    quasi_identifiers=raw_tables.QUASI_IDENTIFIERS,
    decoys=DECOYS,
    views=VIEWS,
    domains=DOMAINS,
    units={"元": MONEY_UNITS},
    corpus=Corpus(version=VERSION, generate=generate),
    english=english.NAMES_IN_ENGLISH,
)

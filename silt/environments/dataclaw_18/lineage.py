"""Where the columns of the published tables of `dataclaw-18` come from; the renderings beside this module are its truth."""

from collections.abc import Iterable, Mapping

from pipeline.model import PERIOD
from pipeline.model.claims.lineage import Origin, TableLineage, made, origins, taken
from raw.vocabulary.indicators import INDICATORS
from silt.environments.dataclaw_18.enterprise import (
    CORE_HEADER,
    COUNTRIES_OF_FILE,
    DETAIL_HEADER,
    OPERATION_HEADER,
    PROFILE_HEADER,
    STATUS_HEADER,
)
from silt.environments.dataclaw_18.industry import DETAIL_HEADER as MACRO_HEADER
from silt.environments.dataclaw_18.industry import (
    NATIONAL_WIDE_HEADER,
    REGIONAL_DETAIL_HEADER,
    REGIONAL_STATUS_HEADER,
    REGIONAL_WIDE_HEADER,
    count_labels,
    statistic_labels,
)
from silt.environments.dataclaw_18.industry import STATUS_HEADER as NATIONAL_STATUS_HEADER
from silt.environments.dataclaw_18.name_list import ITEM, TRANSLATION
from silt.environments.dataclaw_18.policy import RELEASE_HEADER, RESOURCE_HEADER
from silt.environments.dataclaw_18.raw_tables import CODE, NAME, OPERATION_NAME

_FIGURES = "figures"
_MEASURES = tuple(measure.name for measure in INDICATORS)
_MADE = ("id", "createTime", "updateTime")
"""Made by rendering wherever they stand."""

_PANEL = origins(_FIGURES, (CODE, PERIOD, *_MEASURES))
"""Each figure that is reported is a row, so that every column of the panel decides which rows there are."""


def _same(header: Iterable[str], table: str, *, rows: tuple[Origin, ...] = ()) -> TableLineage:
    """Return the lineage of a table that is another one as text."""
    columns = [column for column in header if column not in _MADE]
    return TableLineage(columns=made(header) | taken(table, columns), rows=rows)


def _long(header: Iterable[str]) -> TableLineage:
    """Return the lineage of a table with a row for each figure."""
    known = {"value": origins(_FIGURES, _MEASURES)} | taken(_FIGURES, (CODE, PERIOD))
    return TableLineage(columns=made(header) | known, rows=_PANEL)


def _statistics(header: Iterable[str], aggregate: str, macro: str, *, places: tuple[str, ...] = ()) -> TableLineage:
    """Return the lineage of a long table of statistics, counts and repeated macro series."""
    counts = f"{aggregate}_counts"
    industries = ((aggregate, "industry"), (counts, "industry"))
    known: dict[str, tuple[Origin, ...]] = {
        "industryId": industries,
        "industry": industries,
        "targetName": (
            *origins(aggregate, ("measure", "statistic")),
            *origins(counts, ("industry", "ownership", "exchange", "breakdown")),
            (macro, "targetName"),
        ),
        "targetUnit": ((aggregate, "measure"), (macro, "targetUnit")),
        "value": (*origins(aggregate, ("mantissa", "scale", "n", "measure")), (counts, "count"), (macro, "value")),
        **{place: ((aggregate, place), (counts, place), (macro, place)) for place in places},
    }
    rows = (*origins(aggregate, ("measure", "statistic")), *origins(counts, ("ownership", "exchange", "breakdown")))
    return TableLineage(columns=made(header) | known, rows=rows)


def _wide(header: Iterable[str], aggregate: str, *, keys: tuple[str, ...]) -> TableLineage:
    """Return the lineage of a wide table, in which labels choose the column and keys the row."""
    of_counts = origins(f"{aggregate}_counts", (*keys, "ownership", "exchange", "count"))
    of_statistics = origins(aggregate, (*keys, "measure", "statistic", "mantissa", "scale"))
    counted = {label: of_counts for *_, label in count_labels()}
    stated = {label: of_statistics for *_, label in statistic_labels()}
    return TableLineage(columns=made(header) | counted | stated)


_OPERATION = TableLineage(
    columns=taken(_FIGURES, OPERATION_HEADER) | {OPERATION_NAME: (("company_profile", NAME),)},
    rows=(*origins(_FIGURES, (CODE, PERIOD)), ("company_profile", CODE)),
)

_RELEASE = TableLineage(
    columns=made(RELEASE_HEADER)
    | taken("policy_counts", ("industry", "targetName", "province"))
    | {"industryId": (("policy_counts", "industry"),), "value": (("policy_counts", "count"),)}
)

_BILINGUAL = TableLineage(
    columns={
        ITEM: (("names", "legal"), ("policy_translation_english_chinese", "key")),
        TRANSLATION: (("names", "english"), ("policy_translation_english_chinese", "value")),
    },
    rows=(("names", "legal"), ("policy_translation_english_chinese", "key")),
)

_OVERSEAS = _same(
    PROFILE_HEADER, "overseas_profile", rows=(("overseas_profile", CODE), ("overseas_profile", "country"))
)
"""One sequence of ids runs through the four files."""

_PROFILE, _CORE = _same(PROFILE_HEADER, "company_profile"), _same(CORE_HEADER, "company_core")
_RESOURCE = _same(RESOURCE_HEADER, "policy_resource")

LINEAGE: Mapping[str, TableLineage] = {
    "company_profile": _PROFILE,
    **{f"company_profile_{file}": _OVERSEAS for file in COUNTRIES_OF_FILE},
    "company_core": _CORE,
    "company_operation_status": _long(STATUS_HEADER),
    "company_operation_status_detail": _long(DETAIL_HEADER),
    "company_operation_yearly_status": _long(DETAIL_HEADER),
    "national_industry_status": _statistics(NATIONAL_STATUS_HEADER, "national", "national_macro_yearly"),
    "national_industry_status_detail": _same(MACRO_HEADER, "national_macro_detail"),
    "national_industry_yearly_status": _same(MACRO_HEADER, "national_macro_yearly"),
    "regional_industry_status": _statistics(
        REGIONAL_STATUS_HEADER, "regional", "regional_macro_yearly", places=("province",)
    ),
    "regional_industry_status_detail": _same(REGIONAL_DETAIL_HEADER, "regional_macro_detail"),
    "regional_industry_yearly_status": _same(REGIONAL_DETAIL_HEADER, "regional_macro_yearly"),
    "policy_resource": _RESOURCE,
    "policy_release_status": _RELEASE,
    "internal_metrics": _same(("id", "interal_knowladge"), "internal_metrics"),
    "bilingual_translation_english_chinese": _BILINGUAL,
    "ideal_company_profile": _PROFILE,
    "ideal_company_core": _CORE,
    "ideal_company_operation_status": _OPERATION,
    "ideal_national_industry_status": _wide(NATIONAL_WIDE_HEADER, "national", keys=("industry",)),
    "ideal_regional_industry_status": _wide(REGIONAL_WIDE_HEADER, "regional", keys=("province", "industry")),
    "ideal_policy_resource": _RESOURCE,
}

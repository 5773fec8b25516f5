"""Documented facts on records: how many there are, which ids are missing, and in which languages they are."""

import polars as pl

from pipeline.model.claims.documented import (
    Documented,
    DocumentedNumber,
    DocumentedRange,
    DocumentedShare,
    Part,
    Tables,
)
from silt.environments.dataclaw_18.enterprise import ENTERPRISE_TABLES
from silt.environments.dataclaw_18.industry import INDUSTRY_TABLES
from silt.environments.dataclaw_18.policy import POLICY_TABLES
from silt.environments.dataclaw_18.realism.counting import number, part

METRICS = "internal_metrics"

_FILES = (*(table.name for table in (*ENTERPRISE_TABLES, *INDUSTRY_TABLES, *POLICY_TABLES)), METRICS)
_RECORDS = 2_063_299
_NEAR = 0.01
"""How far our records may be from theirs, as a share (our choice)."""


def _missing_ids(table: str, missing: int, of: int) -> DocumentedShare:
    def measure(tables: Tables) -> Part:
        largest, there = (
            tables[table].select(number("id").max().fill_null(0), n=number("id").drop_nulls().n_unique()).row(0)
        )
        return int(largest) - there, int(largest)

    return DocumentedShare(
        what=f"ids missing in {table}", where="4.20", needs=(table,), documented=(missing, of), measure=measure
    )


def _chinese_metrics(tables: Tables) -> Part:
    return part(tables[METRICS], pl.col("interal_knowladge").str.contains(r"\p{Han}"))


RECORDS: tuple[Documented, ...] = (
    DocumentedNumber(
        what=f"records of the {len(_FILES)} files, give or take {_NEAR:.0%}",
        where="0",
        needs=_FILES,
        stated=f"{_RECORDS:,}",
        least=round(_RECORDS * (1 - _NEAR)),
        most=round(_RECORDS * (1 + _NEAR)),
        measure=lambda tables: sum(tables[file].height for file in _FILES),
    ),
    _missing_ids("national_industry_status", 687, 12_794),
    _missing_ids("policy_release_status", 7, 7_799),
    _missing_ids("policy_resource", 15, 1_144),
    _missing_ids("company_core", 350, 5_257),
    DocumentedRange(
        what="metrics told in Chinese",
        where="4.21",
        needs=(METRICS,),
        stated="about half",
        low=0.4,
        high=0.6,
        measure=_chinese_metrics,
    ),
)

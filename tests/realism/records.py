"""Documented facts on records: how many there are, which ids are missing, and in which languages they are."""

import polars as pl

from silt.environments.dataclaw_18.enterprise import ENTERPRISE_TABLES
from silt.environments.dataclaw_18.industry import INDUSTRY_TABLES
from silt.environments.dataclaw_18.policy import POLICY_TABLES
from tests.realism.comparing import Documented, Part, Tables, of_number, of_range, of_share
from tests.realism.counting import number, part

METRICS = "internal_metrics"

_FILES = (*(table.name for table in (*ENTERPRISE_TABLES, *INDUSTRY_TABLES, *POLICY_TABLES)), METRICS)
_RECORDS = 2_063_299
_NEAR = 0.01
"""How far our records may be from theirs, as a share (our choice)."""


def _all_records(tables: Tables) -> int:
    return sum(tables[file].height for file in _FILES)


def _missing_ids(table: str, missing: int, of: int) -> Documented:
    def measure(tables: Tables) -> Part:
        largest, there = (
            tables[table].select(number("id").max().fill_null(0), n=number("id").drop_nulls().n_unique()).row(0)
        )
        return int(largest) - there, int(largest)

    return of_share(f"ids missing in {table}", "4.20", (table,), (missing, of), measure)


def _chinese_metrics(tables: Tables) -> Part:
    return part(tables[METRICS], pl.col("interal_knowladge").str.contains(r"\p{Han}"))


RECORDS: tuple[Documented, ...] = (
    of_number(f"records of the {len(_FILES)} files, give or take {_NEAR:.0%}", "0", _FILES,
        f"{_RECORDS:,}", round(_RECORDS * (1 - _NEAR)), round(_RECORDS * (1 + _NEAR)), _all_records),
    _missing_ids("national_industry_status", 687, 12_794),
    _missing_ids("policy_release_status", 7, 7_799),
    _missing_ids("policy_resource", 15, 1_144),
    _missing_ids("company_core", 350, 5_257),
    of_range("metrics told in Chinese", "4.21", (METRICS,), "about half", 0.4, 0.6, _chinese_metrics),
)  # fmt: skip

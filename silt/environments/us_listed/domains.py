"""What the published tables of `us-listed` say of each other: statistics of sectors and states, and their names."""

from functools import partial

import polars as pl

from pipeline.model import PERIOD
from pipeline.model.schema.domains import Domain, Domains, NamedElsewhere, StatedStatistics

_PROFILE = "company_profile"


def _read(group: str, by: str, published: pl.DataFrame) -> pl.DataFrame:
    return published.select(pl.col(group).alias(by), PERIOD, "measure", "statistic", "value")


def _stated(table: str, group: str, by: str, domain: Domain) -> tuple[StatedStatistics, NamedElsewhere]:
    statistics = StatedStatistics(table=table, aggregate=table, domain=domain, read=partial(_read, group, by))
    names = NamedElsewhere(
        table=table, column=group, domain=domain, to_table=_PROFILE, to_column=group, to_domain="enterprise"
    )
    return statistics, names


def domains(sector: str, state: str) -> Domains:
    """Declare them, given the columns of sectors and states in the raw table."""
    stated = (
        _stated("sector_aggregates", "sector", sector, "industry"),
        _stated("state_aggregates", "state", state, "region"),
    )
    return Domains(statistics=tuple(each for each, _ in stated), names=tuple(each for _, each in stated))

"""What the published tables of `dataclaw-18` say of each other: statistics, numbers of firms and of policies, industries.

Written from the words that stand in the tables, apart from the renderings (`industry.py`) and the counting (`policy.py`) that
are held against it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial

import polars as pl

from pipeline.model import PERIOD
from pipeline.model.schema.domains import Domain, Domains, NamedElsewhere, StatedCounts, StatedRecount, StatedStatistics
from raw.vocabulary.industries import INDUSTRIES, TOTAL_INDUSTRY
from silt.environments.dataclaw_18.fields import LATEST_YEAR
from silt.environments.dataclaw_18.industry import COUNT, TOTAL_COUNT, count_labels, statistic_labels
from silt.environments.dataclaw_18.policy import AGENCY_SEPARATOR, INDUSTRY_SEPARATOR

_OWNERS, _EXCHANGES, _PAIRS = ("ownership",), ("exchange",), ("ownership", "exchange")
_WIDE = {"industry": "行业", "province": "省份"}
"""Columns of groups -> those of the wide tables."""

_STATISTICS = pl.DataFrame(statistic_labels(), schema=["measure", "statistic", "label"], orient="row")
_COUNTS = pl.DataFrame(
    count_labels(), schema={"ownership": pl.String, "exchange": pl.String, "label": pl.String}, orient="row"
)


def _count_names() -> pl.DataFrame:
    """Return how a long table names the number of firms of each industry: `industry`, `label`, `targetName`."""
    total = TOTAL_INDUSTRY[1]
    names = [
        *((total, label, label) for label in _COUNTS["label"]),
        *((industry.name, TOTAL_COUNT, industry.name + COUNT) for industry in INDUSTRIES),
        *(
            (i.name, label, f"{i.name}-{label}")
            for i in INDUSTRIES
            for label in _COUNTS["label"]
            if label != TOTAL_COUNT
        ),
    ]
    return pl.DataFrame(names, schema=["industry", "label", "targetName"], orient="row")


_COUNT_NAMES = _count_names()


def _long_statistics(by: tuple[str, ...], published: pl.DataFrame) -> pl.DataFrame:
    named = published.join(_STATISTICS, left_on="targetName", right_on="label")
    return named.select(*by, PERIOD, "measure", "statistic", "value")


def _long_counts(by: tuple[str, ...], published: pl.DataFrame) -> pl.DataFrame:
    named = published.join(_COUNT_NAMES, on=["industry", "targetName"]).join(_COUNTS, on="label")
    return named.select(*by, *_PAIRS, "value")


def _wide_statistics(by: tuple[str, ...], published: pl.DataFrame) -> pl.DataFrame:
    named = _unpivoted(by, published, _STATISTICS)
    return named.select(*by, pl.lit(str(LATEST_YEAR)).alias(PERIOD), "measure", "statistic", "value")


def _wide_counts(by: tuple[str, ...], published: pl.DataFrame) -> pl.DataFrame:
    return _unpivoted(by, published, _COUNTS).select(*by, *_PAIRS, "value")


def _unpivoted(by: tuple[str, ...], published: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    columns = {_WIDE[name]: name for name in by}
    long = published.unpivot(labels["label"].to_list(), index=list(columns), variable_name="label")
    return long.rename(columns).join(labels, on="label")


def recount_policies(policies: pl.DataFrame) -> pl.DataFrame:
    """Count the policies of the last year one by one, for the nation and their province.

    Args:
        policies: The published texts.

    Returns:
        Columns `province`, `industry`, `targetName` and `value`, all text.
    """
    counted = Counter(
        (province, *name)
        for policy in policies.iter_rows(named=True)
        if policy["publishDate"] and policy["publishDate"].endswith(f"/{LATEST_YEAR}")
        for province in {None, policy["province"]}
        for name in _names_of(policy)
    )
    rows = [(*name, str(count)) for name, count in counted.items()]
    return pl.DataFrame(
        rows, schema=dict.fromkeys(("province", "industry", "targetName", "value"), pl.String), orient="row"
    )


def _names_of(policy: Mapping[str, str | None]) -> Iterator[tuple[str | None, str]]:
    """Return the industry, or none, and the name of each number in which a policy counts."""
    kind = policy["policyClassification"]
    agencies = set((policy["issueAuthor"] or "").split(AGENCY_SEPARATOR)) - {""}
    industries = set((policy["industry"] or "").split(INDUSTRY_SEPARATOR)) - {""}
    yield None, "发布政策数量"
    yield from ((None, f"{agency}发布政策数量") for agency in agencies)
    yield from ((industry, "政策数量") for industry in industries)
    if kind:
        groups = (None, *industries)
        yield from ((group, f"{kind}政策数量") for group in groups)
        yield from ((group, f"{kind}-{agency}政策数量") for group in groups for agency in agencies)


_NATION, _PROVINCE = ("industry",), ("province", "industry")
_EACH_WAY = ((), _OWNERS, _EXCHANGES, _PAIRS)

_LONG_TABLE, _WIDE_TABLE = "{}_industry_status", "ideal_{}_industry_status"
_FIRMS, _TEXTS, _RELEASED = "company_profile", "policy_resource", "policy_release_status"

_AGGREGATES: tuple[tuple[str, Domain, tuple[str, ...], tuple[tuple[str, ...], ...]], ...] = (
    ("national", "industry", _NATION, _EACH_WAY),
    ("regional", "region", _PROVINCE, ((), _PAIRS)),
)
"""Aggregate, domain, groups, how the long table breaks numbers of firms down. The wide one has every breakdown, no totals."""


def _in_dictionary(table: str, domain: Domain, separator: str = "") -> NamedElsewhere:
    """Say that the industries of a table are those of the national one."""
    return NamedElsewhere(
        table=table,
        column="industry",
        domain=domain,
        to_table=_LONG_TABLE.format("national"),
        to_column="industry",
        to_domain="industry",
        separator=separator,
    )


DOMAINS = Domains(
    statistics=tuple(
        StatedStatistics(
            table=table.format(name),
            aggregate=name,
            domain=domain,
            read=partial(read, by),
            has_totals=table == _LONG_TABLE,
        )
        for table, read in ((_LONG_TABLE, _long_statistics), (_WIDE_TABLE, _wide_statistics))
        for name, domain, by, _ in _AGGREGATES
    ),
    counts=tuple(
        StatedCounts(
            table=table.format(name),
            aggregate=name,
            domain=domain,
            breakdowns=long if table == _LONG_TABLE else _EACH_WAY,
            read=partial(read, by),
            has_totals=table == _LONG_TABLE,
        )
        for table, read in ((_LONG_TABLE, _long_counts), (_WIDE_TABLE, _wide_counts))
        for name, domain, by, long in _AGGREGATES
    ),
    recounts=(
        StatedRecount(table=_RELEASED, domain="policy", rows=_TEXTS, rows_domain="policy", recount=recount_policies),
    ),
    names=(
        _in_dictionary(_FIRMS, "enterprise"),
        _in_dictionary(_LONG_TABLE.format("regional"), "region"),
        _in_dictionary(_TEXTS, "policy", INDUSTRY_SEPARATOR),
        _in_dictionary(_RELEASED, "policy"),
    ),
)

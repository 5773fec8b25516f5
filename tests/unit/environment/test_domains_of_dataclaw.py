"""How `dataclaw-18` reads its own tables: numbers of policies counted one by one, names of statistics and of counts."""

from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raw.vocabulary.industries import INDUSTRIES, TOTAL_INDUSTRY
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.dataclaw_18.domains import DOMAINS, recount_policies
from silt.environments.dataclaw_18.policy import AGENCY_SEPARATOR, INDUSTRY_SEPARATOR, policy_counts

KINDS, AGENCIES = ("部委政策", "地方政策", None), ("国家药监局", "工信部", "发改委")
NAMES = [industry.name for industry in INDUSTRIES[:3]]


def several(names: list[str] | tuple[str, ...], separator: str) -> st.SearchStrategy[str | None]:
    return st.one_of(st.none(), st.lists(st.sampled_from(names), min_size=1, unique=True).map(separator.join))


POLICIES = st.lists(
    st.tuples(
        st.sampled_from([date(2021, 12, 31), date(2022, 1, 1), date(2022, 12, 31), None]),
        st.sampled_from(["北京市", "上海市", None]),
        st.sampled_from(KINDS),
        several(AGENCIES, AGENCY_SEPARATOR),
        several(NAMES, INDUSTRY_SEPARATOR),
    ),
    max_size=12,
)
COLUMNS = {
    "publishDate": pl.Date,
    "province": pl.String,
    "policyClassification": pl.String,
    "issueAuthor": pl.String,
    "industry": pl.String,
}


@given(POLICIES)
def test_policies_counted_one_by_one_are_those_that_are_derived(policies: list[tuple[object, ...]]) -> None:
    """Two counts written apart agree on any policies: joint ones, those of no agency, of no industry, of other years."""
    frame = pl.DataFrame(policies, schema=COLUMNS, orient="row")
    derived = policy_counts({"policy_resource": frame}).select(
        "province", "industry", "targetName", value=pl.col("count").cast(pl.String)
    )
    recounted = recount_policies(frame.with_columns(pl.col("publishDate").dt.strftime("%-d/%-m/%Y")))
    assert recounted.sort(pl.all()).equals(derived.sort(pl.all()))


@pytest.mark.parametrize(
    ("industry", "name", "group"),
    [
        (TOTAL_INDUSTRY[1], "企业总数", (None, None)),
        (TOTAL_INDUSTRY[1], "民营企业企业数量", ("民营企业", None)),
        (TOTAL_INDUSTRY[1], "民营企业-上交所企业数量", ("民营企业", "上交所")),
        (NAMES[0], f"{NAMES[0]}企业数量", (None, None)),
        (NAMES[0], f"{NAMES[0]}-上交所企业数量", (None, "上交所")),
        (NAMES[0], f"{NAMES[0]}-民营企业-上交所企业数量", ("民营企业", "上交所")),
        (NAMES[0], f"{NAMES[1]}企业数量", None),
        (NAMES[0], f"{NAMES[0]}-企业总数", None),
    ],
)
def test_numbers_of_firms_are_told_by_their_names(
    industry: str, name: str, group: tuple[str | None, str | None] | None
) -> None:
    """The grammar of the release (reference, section 3.3), and names that no table has."""
    counts = next(stated for stated in DOMAINS.counts if stated.table == "national_industry_status")
    row = pl.DataFrame({"industry": [industry], "targetName": [name], "value": ["5"], "year": ["2022"]})
    expected = [] if group is None else [(industry, *group, "5")]
    assert counts.read(row).rows() == expected


def test_declared_tables_are_published() -> None:
    """Every table that a domain names is declared, and each domain has a link."""
    assert set(DOMAINS.tables()) <= {table.name for table in DATACLAW_18.tables}
    stated = [*DOMAINS.statistics, *DOMAINS.counts, *DOMAINS.recounts, *DOMAINS.names]
    assert {each.domain for each in stated} == {"enterprise", "industry", "region", "policy"}

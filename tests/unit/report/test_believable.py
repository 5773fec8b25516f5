"""The first screen says nothing that a table below it contradicts, however a build came out."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymize.policy import GUARDED, LSD
from tests.unit.report import findings
from tests.unit.report.contradictions import contradictions
from tests.unit.report.findings import page
from tests.unit.report.outcomes import ONE_AMISS, outcomes, reports_of


def contradicted(
    outcome: Mapping[str, str],
    policy: str,
    *,
    is_demonstration: bool = False,
    refused_by: tuple[str, ...] = (),
    is_curators: bool = False,
) -> list[str]:
    """Return what the page of an outcome says and its reports do not."""
    reports = reports_of(outcome, policy, is_curators=is_curators)
    manifest = findings.manifest(policy=policy, is_demonstration_key=is_demonstration)
    made = page(reports, manifest=manifest, refused_by=refused_by, has_figures="ks" in reports)
    return contradictions(reports, made, policy=policy, is_demonstration=is_demonstration)


@pytest.mark.parametrize("outcome", ONE_AMISS, ids=str)
def test_no_card_contradicts_a_table_below_it(outcome: dict[str, str]) -> None:
    """Nothing compared, one gate failed, findings that are only reported, no bounds, missing cells: each by itself."""
    assert contradicted(outcome, LSD.name) == []


@given(outcome=outcomes)
@settings(max_examples=10)
def test_nor_on_the_page_that_compares_sampled_records_with_the_originals(outcome: dict[str, str]) -> None:
    """It is the curator's: it has no tables, and its noise is none."""
    assert contradicted(outcome, GUARDED.name, is_curators=True) == []


@given(
    outcome=outcomes,
    policy=st.sampled_from([LSD.name, GUARDED.name]),
    is_demonstration=st.booleans(),
    refused_by=st.sampled_from([(), ("ledger_is_exact",)]),
)
@settings(max_examples=20)
def test_nor_where_much_is_amiss(
    *, outcome: dict[str, str], policy: str, is_demonstration: bool, refused_by: tuple[str, ...]
) -> None:
    """Of both policies, with keys that are public or not, refused or published."""
    assert contradicted(outcome, policy, is_demonstration=is_demonstration, refused_by=refused_by) == []

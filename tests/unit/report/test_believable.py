"""The first screen says nothing that a table below it contradicts, however a build came out."""

from typing import Any

from hypothesis import given

from tests.unit.report import findings
from tests.unit.report.contradictions import contradictions
from tests.unit.report.findings import page
from tests.unit.report.outcomes import outcomes, reports_of


@given(outcomes)
def test_no_card_contradicts_a_table_below_it(outcome: dict[str, Any]) -> None:
    """Of 40 made-up outcomes: nothing compared, one gate failed, findings that are only reported, no bounds, refused."""
    reports = reports_of(outcome)
    keyed = {name: outcome[name] for name in ("policy", "is_demonstration")}
    manifest = findings.manifest(policy=keyed["policy"], is_demonstration_key=keyed["is_demonstration"])
    made = page(reports, manifest=manifest, refused_by=outcome["refused_by"], has_figures="ks" in reports)
    assert contradictions(reports, made, **keyed) == []

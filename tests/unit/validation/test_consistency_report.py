"""The report on consistency: each part passes or fails on its own, and names its worst."""

from dataclasses import replace
from typing import Any

import pytest

from pipeline.report_json import report_json
from validation.consistency.aggregates import Offset, Sampled, Structure
from validation.consistency.domains import DomainLink
from validation.consistency.report import Findings, Part, consistency_report, defects, facts_and_samples
from validation.consistency.residuals import Residual
from validation.consistency.totals import CheckedTotal

PLACE = {"industry": "steel", "year": 2022}
SOUND: dict[str, Any] = {
    "offsets": [
        Offset(
            table="by industry",
            statistic="sum",
            measure="sales",
            cells=40,
            from_zero=0,
            mean_offset=0.00123,
            max_offset=0.00789,
            near=40,
            ks_p_value=0.9,
            bound=0.01,
            bounded_cells=40,
            bounded_mean_offset=0.00123,
            outside=0,
            worst_cell=PLACE,
        )
    ],
    "structures": [
        Structure(table="by industry", content="counts", cells=40, missing=0, extra=0, changed=0, worst_cell={})
    ],
    "residuals": [Residual(identity="a = b", records=5, max_residual=0)],
    "totals": [
        CheckedTotal(
            total="nation", parts="by industry", statistic="sum", cells=3, disagreeing=0, max_gap=0, worst_cell={}
        )
    ],
    "links": [
        DomainLink(source="enterprise", target="industry", what="sums of sales", cells=40, disagreeing=0, worst_cell={})
    ],
}
BROKEN: dict[Part, dict[str, Any]] = {
    "aggregates": {"structures": [replace(SOUND["structures"][0], changed=1, worst_cell=PLACE)]},
    "identities": {"residuals": [replace(SOUND["residuals"][0], max_residual=1, worst_cell={"code": "7"})]},
    "totals": {"totals": [replace(SOUND["totals"][0], disagreeing=1, max_gap=7, worst_cell=PLACE)]},
    "domains": {"links": [replace(SOUND["links"][0], disagreeing=1, worst_cell=PLACE)]},
}
PARTS: list[Part] = ["aggregates", "identities", "totals", "domains"]


def test_sound_findings_pass() -> None:
    """Nothing is wrong with findings of which none disagrees."""
    assert defects(Findings(**SOUND)) == {part: [] for part in PARTS}
    assert consistency_report(Findings(**SOUND))["passed"] is True


@pytest.mark.parametrize("part", PARTS)
def test_each_part_fails_alone(part: Part) -> None:
    """One disagreement makes its own part fail with one sentence, and with it the report, and no other part."""
    findings = Findings(**(SOUND | BROKEN[part]))
    wrong = defects(findings)
    assert {name for name, sentences in wrong.items() if sentences} == {part}
    assert len(wrong[part]) == 1
    assert consistency_report(findings)["passed"] is False


@pytest.mark.parametrize(("part", "place"), [("identities", "'7'"), ("totals", "steel"), ("domains", "steel")])
def test_sentences_name_the_worst(part: Part, place: str) -> None:
    """What the curator reads says where to look."""
    assert place in defects(Findings(**(SOUND | BROKEN[part])))[part][0]


@pytest.mark.parametrize("part", ["identities", "totals", "domains"])
def test_what_must_agree_in_itself_must_do_so_where_records_are_sampled(part: Part) -> None:
    """However figures came about, identities, totals and domains hold exactly; counts of firms may differ then."""
    sampled = Findings(**(SOUND | BROKEN[part] | BROKEN["aggregates"]), sampled=Sampled(recomputed=(), by_industry=()))
    assert {name for name, sentences in defects(sampled).items() if sentences} == {part}


@pytest.mark.parametrize("sampled", [None, Sampled(recomputed=(), by_industry=())])
def test_report_says_what_is_judged(sampled: Sampled | None) -> None:
    """What the report says of an entry is what the gate does with it."""
    found = Findings(**(SOUND | BROKEN["aggregates"]), sampled=sampled)
    report = consistency_report(found)
    told = {entry["is_judged"] for part in ("aggregates", "structures") for entry in report[part]}
    assert told == {sampled is None}
    assert bool(defects(found)["aggregates"]) == (sampled is None)


def test_report_has_the_fields_of_the_contract() -> None:
    """Each list's entries have the promised fields."""
    report = consistency_report(Findings(**SOUND))
    promised = {"table", "statistic", "measure", "cells", "mean_offset", "max_offset", "ks_p_value", "worst_cell"}
    assert promised <= report["aggregates"][0].keys()
    assert report["aggregates"][0]["max_offset"] == 0.01
    assert {"identity", "records", "max_residual"} <= report["identities"][0].keys()
    assert report["chain"][0] == {
        "from": "enterprise",
        "to": "industry",
        "what": "sums of sales",
        "cells": 40,
        "disagreeing": 0,
        "worst_cell": {},
        "passed": True,
    }
    assert report["totals"][0].keys() >= {
        "total",
        "parts",
        "statistic",
        "cells",
        "disagreeing",
        "max_gap",
        "worst_cell",
    }
    assert report_json(report)


@pytest.mark.parametrize("part", PARTS)
def test_samples_show_the_worst_first(part: Part) -> None:
    """A check shows its worst entry first, with its place, and offsets only as they are published."""
    field = {"aggregates": "offsets", "identities": "residuals", "totals": "totals", "domains": "links"}[part]
    both = SOUND | {field: [*SOUND[field], *BROKEN[part].get(field, [])]}
    facts, samples = facts_and_samples(part, Findings(**both))
    assert facts["compared"] == len(both[field])
    assert samples[0]["worst cell"] in {"industry: steel, year: 2022", "code: 7"}
    assert all("0.00789" not in str(sample) for sample in samples)

"""Outcomes of the checks on noise and on attacks: what passes, what only warns, and what a person is shown."""

import json
import re
from typing import Any

import polars as pl
import pytest

from anonymize.policy import GUARDED
from assets.evidence.attacks import _highest_rates, _nearest_to_limits
from assets.evidence.noise_report import _mending, _realism
from assets.making.results import CheckOutcome, Fact, recorded
from assets.noisy import _exactness, _is_exact
from assets.wiring.gates import CAUSE, IN_THE_REPORT, TRIED, in_the_report, kept_apart
from pipeline.model import Dialect, PublishedTable
from pipeline.noise.changes import NoiseChanges
from pipeline.noise.engine import NoisedBlock
from pipeline.noise.ledger import OPPORTUNITIES, SCHEMA
from silt.commands.build.ran import Ran
from silt.commands.build.running import _with_counts
from tests.unit.report import findings

KIND = {"kind": "stray_blanks", "recoverable": 4, "mended": 3, "missed": 1, "wrong": 0}
CLEANER: dict[str, Any] = {
    "passed": False,
    "recoverable": 9,
    "mended": 8,
    "missed": 1,
    "wrong": 0,
    "aggregates_are_exact": True,
    "kinds": [KIND | {"kind": "unit_synonyms", "recoverable": 5, "mended": 5, "missed": 0}, KIND],
}
FILTER = {
    "rule": "blanks",
    "table": "firms",
    "attack": "one filter",
    "rate": 0.5,
    "limit": 0.6,
    "passed": True,
    "records": 9,
}


def shown(outcome: CheckOutcome, name: str) -> str:
    value = outcome.metadata[name]
    return str(value.value if isinstance(value, Fact) else value)


@pytest.mark.parametrize("is_default", [True, False])
def test_own_noise_must_be_mended_and_a_users_only_warns(is_default: bool) -> None:  # noqa: FBT001
    """The outcome is the cleaner's; the kind that was missed most stands first, and a picture beside it."""
    outcome = _mending(CLEANER, {}, is_default=is_default)
    assert (outcome.is_passed, outcome.is_warning) == (False, not is_default)
    assert shown(outcome, "missed") == "1"
    assert shown(outcome, "samples").splitlines()[2].startswith("| stray_blanks | 4 | 3 | 1 |")
    assert "data:image/svg+xml;base64," in shown(outcome, "picture")
    assert _mending({**CLEANER, "passed": True}, {}, is_default=is_default).is_passed
    untried = _mending(None, {}, is_default=is_default)
    assert (untried.is_passed, shown(untried, TRIED)) == (True, "not tried: no plan says how these tables are cleaned")


def test_noise_that_is_told_apart_is_named() -> None:
    """What claims realism and is told apart fails; what claims none, or was not tried, is not judged, or shown."""
    told = {**FILTER, "rule": "typos", "rate": 0.9, "passed": False}
    free = {**FILTER, "rule": "free", "limit": None, "rate": 1.0}
    idle = {**FILTER, "records": 0}
    outcome = _realism([FILTER, told, free, idle], {}, is_default=True)
    assert not outcome.is_passed
    assert (shown(outcome, "is_detected"), shown(outcome, "held_to_a_limit")) == ("typos in firms", "2")
    assert "free" not in shown(outcome, "samples")
    assert shown(outcome, "samples").splitlines()[2].startswith("| typos |")
    assert _realism([FILTER, free], {}, is_default=True).is_passed
    assert _realism([told], {}, is_default=False).is_warning
    assert [*_realism([free, idle], {}, is_default=True).metadata] == [TRIED]


def test_a_check_of_two_gates_has_the_words_of_both() -> None:
    """Of sampled records, aggregates are judged by how many of their statistics differ, beside totals and identities."""
    free = findings.consistency()
    free["aggregates"] = [each | {"bound": None, "bounded_cells": 0} for each in free["aggregates"]]
    free["structures"] = [each | {"is_judged": False} for each in free["structures"]]
    said = in_the_report(GUARDED, consistency=json.dumps(free))("aggregates_agree")[IN_THE_REPORT]
    assert "Totals and identities hold: passed; " in said
    assert "of the judged statistics of aggregates differ from the originals: passed; " in said


def test_a_refusal_of_the_curators_has_its_cause_and_no_figure() -> None:
    """The record of the graph says what to do and where the figures are; whoever builds reads those of the failed gate."""
    facts = {"rejected": 30, CAUSE: "Mend the measure.", TRIED: "in part"}
    kept = kept_apart(CheckOutcome(check="no_distribution_differs", is_passed=False, metadata=facts))
    refused = Ran(checks=[recorded(kept)], failures=[], is_success=False).refused()
    expected = "how far it was tried in part, figures on the curator's page. Mend the measure."
    assert refused == {"no_distribution_differs": expected}
    assert _with_counts(refused, {}, GUARDED) == refused
    content = json.dumps(findings.ks(findings.a_test(p_value=1e-9)) | {"passed": False, "rejected": 1})
    told = _with_counts(refused, {"ks": content}, GUARDED)["no_distribution_differs"]
    assert re.fullmatch(r".* in part, Figures .*: FAILED; 1 of 1 KS test rejected .*[^.]\. Mend the measure\.", told)
    passing = json.dumps(findings.ks(findings.a_test()) | {"passed": True, "rejected": 0})
    assert _with_counts(refused, {"ks": passing}, GUARDED) == refused


@pytest.mark.parametrize("is_exact", [True, False])
def test_ledger_is_told_by_its_changes(is_exact: bool) -> None:  # noqa: FBT001
    """Changes are counted by form; texts with line ends and bars stay in their cell of the table."""
    ledger = pl.DataFrame(
        [
            ("firms", "1", "name", "stray_blanks", "blanks", "a|b\nc", "a|b\nc ", True),
            ("firms", "2", "", "dropped_rows", "gone", '{"position": 0, "cells": ["2"]}', "", False),
        ],
        schema=SCHEMA,
        orient="row",
    )
    rows = [("blanks", "firms", "name", 4), ("gone", "firms", "", 0)]
    opportunities = pl.DataFrame(rows, schema=OPPORTUNITIES, orient="row")
    outcome = _exactness(ledger, opportunities, is_exact=is_exact)
    assert outcome.is_passed is is_exact
    assert [shown(outcome, name) for name in ("changes", "cells", "rows")] == ["2", "1", "1"]
    assert shown(outcome, "samples").splitlines()[2] == "| blanks | name | a/b c | a/b c |"


@pytest.mark.parametrize("is_changed", [True, False])
def test_a_block_must_be_what_its_ledger_says(is_changed: bool) -> None:  # noqa: FBT001
    """A change that no entry explains is found."""
    published = PublishedTable(path="firms.csv", columns=("id", "name"), needs=(), render=lambda _truth: pl.DataFrame())
    nothing = [pl.DataFrame(schema=schema) for schema in (OPPORTUNITIES, SCHEMA, OPPORTUNITIES)]
    clean = pl.DataFrame({"id": ["1"], "name": ["a"]})
    frame = clean.with_columns(name=pl.lit("b")) if is_changed else clean
    block = NoisedBlock(clean, frame, NoiseChanges.of_cells([], *nothing), Dialect())
    assert _is_exact(published, "", block) is not is_changed


def test_attacks_nearest_to_their_limits_stand_first() -> None:
    """A broken limit before kept ones, then by what is found beyond chance; what is told only is not among them."""
    entry = {
        "family": "names",
        "attack": "a",
        "records": 9,
        "rate": 0.2,
        "chance": 0.1,
        "limit": "no success",
        "passed": True,
    }
    near, broken = entry | {"attack": "near", "rate": 0.3}, entry | {"attack": "broken", "rate": 0.0, "passed": False}
    told = entry | {"attack": "told", "rate": 1.0, "limit": "reported only", "family": "linkage"}
    assert [attack["attack"] for attack in _nearest_to_limits([entry, told, near, broken])] == ["broken", "near", "a"]
    assert _highest_rates([entry, told, near, broken]) == {"names": 0.3, "linkage": 1.0}

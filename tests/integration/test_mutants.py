"""Negative controls: each check finds the mutant that it is there for, and nobody else's without a reason written down."""

import re
from pathlib import Path

import pytest

from assets.making.keys import Stage
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.integration.conftest import Build
from tests.integration.readme import ROOT
from tests.integration.refusals import DAGSTERS_OWN_WARNING
from tests.mutants.catalogue import MUTANTS, table
from tests.mutants.laboratory import GATE_OF_FILES, Laboratory, checks_of
from tests.mutants.mutant import Made, Mutant, Place

pytestmark = [
    pytest.mark.filterwarnings("ignore::dagster.BetaWarning", "ignore::dagster.PreviewWarning"),
    pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING),
]

ONE_OF_EACH = tuple({mutant.meant: mutant for mutant in MUTANTS}.values())
"""The last mutant of each check, which changes least; `make mutants` tries them all."""


@pytest.fixture(scope="module")
def bench(small: Build, landed: Path) -> Laboratory:
    """Return a laboratory with the small build."""
    return Laboratory(environment=DATACLAW_18, folder=landed, built=small.folder.parent)


def unchanged(*places: Place) -> Mutant:
    """Return a mutant that changes nothing, and has everything made anew that depends on some tables."""

    def change(made: Made) -> dict[Place, object]:
        return {place: made.table(*place) for place in places}

    return Mutant(name="nothing", does="Nothing is wrong.", change=change, meant="")  # type: ignore[arg-type]


@pytest.mark.slow
def test_what_nobody_changed_passes_every_check(bench: Laboratory) -> None:
    """The control: everything behind the figures is made anew, and every check of the graph passes."""
    outcome = bench.outcome(unchanged((Stage.ANONYMISED, "figures"), (Stage.ANONYMISED, "internal_metrics")))
    assert outcome.failed == frozenset()
    assert outcome.passed == checks_of(bench.environment)


@pytest.mark.slow
@pytest.mark.parametrize("mutant", ONE_OF_EACH, ids=lambda mutant: mutant.name)
def test_a_mutant_is_caught_by_the_check_meant_for_it(bench: Laboratory, mutant: Mutant) -> None:
    """The check meant for it fails, beside it those that are declared with a reason, and no other.

    Files are written and searched for those alone that the search is to find; `make mutants` searches them for all.
    """
    assert bench.outcome(mutant, publishes=GATE_OF_FILES in mutant.expected).failed == mutant.expected


def test_each_check_has_a_mutant(bench: Laboratory) -> None:
    """Every check of the graph is the one meant for some mutant."""
    assert {mutant.meant for mutant in MUTANTS} == checks_of(bench.environment)


def test_mutants_have_names_of_their_own_and_say_why() -> None:
    """Names are unique, and each reason is a sentence's worth."""
    names = [mutant.name for mutant in MUTANTS]
    assert len(set(names)) == len(names)
    assert all(mutant.meant not in mutant.also for mutant in MUTANTS)
    assert all(len(reason.split()) > 3 for mutant in MUTANTS for reason in mutant.also.values())


def test_the_page_on_evidence_holds_the_table() -> None:
    """Between its markers stand the declarations, as `make mutants` prints them."""
    page = (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- mutants -->\n(.*?)<!-- /mutants -->", page, re.DOTALL)
    assert found, "the page has no table of mutants"
    assert found.group(1).strip() == table().strip()

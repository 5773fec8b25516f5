"""Negative controls: each check finds the mutant that it is there for, and nobody else's without a reason written down."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from silt.environments.dataclaw_18 import DATACLAW_18
from tests.integration.conftest import Build
from tests.integration.readme import ROOT, between
from tests.integration.refusals import DAGSTERS_OWN_WARNING
from tests.mutants.catalogue import MUTANTS, table
from tests.mutants.laboratory import GATE_OF_FILES, Laboratory, checks_of
from tests.mutants.mutant import Mutant

pytestmark = [
    pytest.mark.filterwarnings("ignore::dagster.BetaWarning", "ignore::dagster.PreviewWarning"),
    pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING),
]


def fewest() -> Iterator[Mutant]:
    """Yield a few mutants for which every check fails once; `make mutants` tries them all."""
    left = {check for mutant in MUTANTS for check in mutant.expected}
    while left:
        most = max(reversed(MUTANTS), key=lambda mutant: len(left & mutant.expected))
        left -= most.expected
        yield most


@pytest.fixture(scope="module")
def bench(small: Build, landed: Path) -> Laboratory:
    """Return a laboratory with the small build."""
    return Laboratory(environment=DATACLAW_18, folder=landed, built=small.folder.parent)


@pytest.mark.slow
def test_a_mutant_is_caught_by_the_checks_meant_for_it(bench: Laboratory) -> None:
    """Those that are declared fail, each with a reason, and no other; each check that fails for one passes for another.

    Files are written and searched for those alone that the search is to find; that it passes, every build shows.
    """
    outcomes = {mutant.name: bench.outcome(mutant, publishes=GATE_OF_FILES in mutant.expected) for mutant in fewest()}
    assert {name: found.failed for name, found in outcomes.items()} == {
        mutant.name: mutant.expected for mutant in fewest()
    }
    passed = {check for found in outcomes.values() for check in found.passed}
    assert passed == checks_of(bench.environment) - {GATE_OF_FILES}


def test_each_check_has_a_mutant() -> None:
    """Every check of the graph is the one meant for some mutant."""
    assert {mutant.meant for mutant in MUTANTS} == checks_of(DATACLAW_18)


def test_mutants_have_names_of_their_own_and_say_why() -> None:
    """Names are unique, and each reason is a sentence's worth."""
    names = [mutant.name for mutant in MUTANTS]
    assert len(set(names)) == len(names)
    assert all(mutant.meant not in mutant.also for mutant in MUTANTS)
    assert all(len(reason.split()) > 3 for mutant in MUTANTS for reason in mutant.also.values())


def test_the_page_on_mutants_holds_the_table() -> None:
    """Between its markers stand the declarations, as `make mutants` prints them."""
    assert between(ROOT / "tests/mutants/README.md", "mutants") == table().strip()

"""The pages of shipped builds say nothing on their first screen that a table below it contradicts."""

import json
from pathlib import Path

import pytest

from tests.integration.conftest import Build, built_page
from tests.integration.readme import PAGES
from tests.shared_builds import SharedBuilds
from tests.unit.report.contradictions import contradictions

BUILDS = (
    *("built_example", "small", "listed"),
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("lines_guarded", "listed_guarded", "small_guarded")),
)
"""Fixtures: of both policies, with and without a panel, with figures of events, from tables of a user's and generated ones."""


def refuse_contradictions(folder: Path) -> None:
    """Look at every page of a build: of both variants, and under a policy that samples records of the curator's, too."""
    pages = sorted(folder.rglob("reports/report.html"))
    assert pages
    for page in pages:
        reports = {file.stem: json.loads(file.read_bytes()) for file in page.parent.glob("*.json")}
        manifest = json.loads(next(page.parents[2].glob("*/manifest.json")).read_bytes())
        keyed = {"policy": manifest["policy"], "is_demonstration": manifest["is_demonstration_key"]}
        found = contradictions(reports, page.read_bytes(), **keyed)
        assert (page.relative_to(folder), found) == (page.relative_to(folder), [])


@pytest.mark.parametrize("name", BUILDS)
def test_no_card_contradicts_a_table_below_it(name: str, request: pytest.FixtureRequest) -> None:
    """Each card says what follows from the figures of the reports, and no more."""
    made = request.getfixturevalue(name)
    refuse_contradictions(made.folder if isinstance(made, Build) else made)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_nor_does_a_card_of_a_documented_example(builds: SharedBuilds, page: Path) -> None:
    """The examples of the documentation are small: where nothing is compared, nothing is said to agree."""
    refuse_contradictions(built_page(builds, page))

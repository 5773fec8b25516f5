"""The pages of shipped builds say nothing on their first screen that a table below it contradicts."""

import json
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.integration.conftest import Build, built_page
from tests.integration.readme import PAGES
from tests.shared_builds import SharedBuilds
from tests.unit.report.contradictions import contradictions
from validation.report.documents import read
from validation.report.documents.distributions import Ks
from validation.report.sections.samples import shares_of_critical

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


@pytest.mark.parametrize("name", BUILDS)
def test_distance_is_critical_where_scipy_rejects(name: str, request: pytest.FixtureRequest) -> None:
    """Of each test of a build, D over its critical value is 1 or more if and only if the exact test rejects."""
    made = request.getfixturevalue(name)
    files = sorted((made.folder if isinstance(made, Build) else made).rglob("reports/ks.json"))
    assert files
    for file in files:
        ks = read(Ks, json.loads(file.read_bytes()))
        shares = shares_of_critical(ks.tests, ks.alpha)
        found = {
            (test.n, test.n_anonymised, test.statistic): share for test, share in zip(ks.tests, shares, strict=True)
        }
        assert {sample: share >= 1 for sample, share in found.items()} == {
            sample: _rejects(*sample) for sample in found
        }


@cache
def _rejects(n: int, m: int, distance: float) -> bool:
    """Say whether scipy's exact test rejects samples with this distance, at the level of the paper."""
    i, j = next((i, j) for i, j in np.ndindex(n + 1, m + 1) if abs(i / n - j / m - distance) < 1e-9)
    samples = np.repeat([0, 1], [i, n - i]), np.repeat([0, 1], [j, m - j])
    with warnings.catch_warnings(action="ignore"):  # a p of 1 may exceed it by a rounding
        return bool(stats.ks_2samp(*samples, method="exact").pvalue <= 0.05)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_nor_does_a_card_of_a_documented_example(builds: SharedBuilds, page: Path) -> None:
    """The examples of the documentation are small: where nothing is compared, nothing is said to agree."""
    refuse_contradictions(built_page(builds, page))

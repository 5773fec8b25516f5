"""The budget: what a holder declares, what a build is told, and what a rho comes to."""

from dataclasses import replace
from math import inf, nan
from pathlib import Path

import pytest

from assets.making.parameters import BUDGET, MANIFEST
from assets.wiring.resources import Workspace
from pipeline.errors import InputError
from pipeline.model import Budget, Environment
from pipeline.model.budget import epsilon
from silt.commands.check.checking import checked
from silt.environments.us_listed import US_LISTED

WRONG = (0.0, -1.0, nan, inf, -inf)


def spent(tmp_path: Path, environment: Environment, **settings: object) -> float:
    """Return the budget of a build with these settings."""
    key = tmp_path / "own.key"
    key.write_text("5eed" * 16 + "\n")
    key.chmod(0o600)
    for table in US_LISTED.raw_tables:
        (tmp_path / f"{table.file}.csv").touch()
    asked = Workspace(**{"raw": str(tmp_path), "key_file": str(key), **settings}).request(environment)
    spent = BUDGET.of(asked)
    assert MANIFEST.of(asked).budget == (spent if spent < inf else None)
    return spent


def test_option_goes_before_declaration_before_default(tmp_path: Path) -> None:
    """Each is taken where what goes before it is not given; under `lsd` nothing is bounded."""
    declared = replace(US_LISTED, budget=Budget(of_a_release=5))
    assert spent(tmp_path, declared, policy="guarded", budget=3) == 3
    assert spent(tmp_path, declared, policy="guarded") == 5
    assert spent(tmp_path, US_LISTED, policy="guarded") == Budget().of_a_release == 10
    assert spent(tmp_path, declared) == inf


@pytest.mark.parametrize("rho", WRONG)
def test_what_is_no_budget_is_refused(tmp_path: Path, rho: float) -> None:
    """Only a number above 0 can be spent, wherever it is given."""
    with pytest.raises(InputError, match=r"found .* for a budget; give a number above 0.*--budget"):
        spent(tmp_path, US_LISTED, policy="guarded", budget=rho, raw="")
    (problem,) = checked("us-listed", raw=None, noise=None, policy="guarded", budget=rho).problems
    assert "for a budget; give a number above 0" in str(problem)
    with pytest.raises(InputError, match=r"Budget\.of_a_release"):
        Budget(of_a_release=rho)
    with pytest.raises(InputError, match=r"Budget\.in_all"):
        Budget(in_all=rho)


def test_all_releases_may_spend_what_one_does() -> None:
    """A sum below that is a contradiction."""
    assert Budget(in_all=10).in_all == 10
    with pytest.raises(InputError, match="all releases may spend 9"):
        Budget(in_all=9)


@pytest.mark.parametrize(("rho", "bound"), [(0.5, 5.298526), (20.0, 50.348543), (40.0, 82.919321)])
def test_epsilon_of_a_budget(rho: float, bound: float) -> None:
    """Bun and Steinke 2016, proposition 1.3, at delta 1e-5: `awk 'BEGIN{print r + 2*sqrt(r*log(1e5))}'`."""
    assert epsilon(rho) == pytest.approx(bound, abs=1e-6)

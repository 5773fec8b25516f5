"""Cleaning plans: what is read, that every problem is told with its place, and that the plans shipped load."""

from dataclasses import fields
from pathlib import Path

import pytest

from pipeline.model import Environment
from pipeline.noise.cleaning_plan import CleaningPlan, Suspicion, load_plan
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.kinds.units import UnitMismatch
from pipeline.places import default_cleaning_plan
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.us_listed import US_LISTED
from tests.unit.noise.conftest import small_environment

SMALL = small_environment()
PLAN = """
environment: small
description: A test.
suspicions:
  - kind: unit_mismatch
    tables: [figures]
    parameters: {unit_column: unit, value_column: value}
    reason: Labels name several units.
  - kind: missing_values
    tables: [figures, policies]
    parameters: {columns: [firm]}
    reason: Firms are missing.
"""


def read(tmp_path: Path, text: str) -> CleaningPlan:
    file = tmp_path / "plan.yaml"
    file.write_text(text, encoding="utf-8")
    return load_plan(file, SMALL)


def test_plan_is_read_in_order(tmp_path: Path) -> None:
    """Suspicions come as kinds with their parameters, in the order of the file."""
    plan = read(tmp_path, PLAN)
    units = Suspicion(
        kind=UnitMismatch(unit_column="unit", value_column="value"),
        tables=("figures",),
        reason="Labels name several units.",
    )
    gaps = Suspicion(kind=MissingValues(columns=("firm",)), tables=("figures", "policies"), reason="Firms are missing.")
    assert plan == CleaningPlan(environment="small", description="A test.", suspicions=(units, gaps))


def test_a_plan_within_some_tables_is_about_them_alone(tmp_path: Path) -> None:
    """Suspicions without a table left go; the others keep their order."""
    part = read(tmp_path, PLAN).within({"policies"})
    assert [(suspicion.kind.name, suspicion.tables) for suspicion in part.suspicions] == [
        ("missing_values", ("policies",))
    ]


@pytest.mark.parametrize("environment", [DATACLAW_18, US_LISTED], ids=lambda environment: environment.name)
def test_shipped_plans_load(environment: Environment) -> None:
    """Each environment of Silt's own has a plan that fits it."""
    assert load_plan(default_cleaning_plan(environment.name), environment).suspicions


def test_a_plan_has_no_place_for_what_noise_did() -> None:
    """A suspicion says where and what for; neither mechanism nor rule nor condition is among its fields."""
    assert [field.name for field in fields(Suspicion)] == ["kind", "tables", "reason"]

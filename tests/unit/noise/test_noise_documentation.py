"""The page on noise specifications names everything that one may hold, and the specifications shipped load."""

from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from pipeline.environment.dataclaw_18 import DATACLAW_18
from pipeline.environment.model import Environment
from pipeline.environment.us_listed import US_LISTED
from pipeline.noise.documents import yaml_name
from pipeline.noise.kinds import KINDS
from pipeline.noise.mechanisms import Band, Condition, Mechanism
from pipeline.noise.spec import Rule, load_spec

SPECS = Path(__file__).parents[3] / "noise_specs"
NAMEABLE = sorted(
    set(KINDS)
    | {yaml_name(item) for kind in KINDS.values() for item in fields(kind)}  # type: ignore[arg-type]
    | {mechanism.type for mechanism in get_args(Mechanism)}
    | {yaml_name(item) for part in (*get_args(Mechanism), Band, Condition, Rule) for item in fields(part)}
)
SHIPPED = [
    (environment, path)
    for environment in (DATACLAW_18, US_LISTED)
    for path in sorted((SPECS / environment.name).glob("*.yaml"))
]


@pytest.mark.parametrize("name", NAMEABLE)
def test_page_names_everything_a_specification_may_hold(name: str) -> None:
    """Every kind, parameter, mechanism and field stands in `noise_specs/README.md`."""
    assert f"`{name}`" in (SPECS / "README.md").read_text("utf-8")


@pytest.mark.parametrize("kind", KINDS)
def test_page_names_the_parameters_in_the_row_of_their_kind(kind: str) -> None:
    """The table of kinds has a row for every kind that names all of its parameters."""
    lines = (SPECS / "README.md").read_text("utf-8").splitlines()
    row = next(line for line in lines if line.startswith(f"| `{kind}` |"))
    assert all(f"`{yaml_name(item)}`" in row for item in fields(KINDS[kind]))  # type: ignore[arg-type]


@pytest.mark.parametrize(("environment", "path"), SHIPPED, ids=lambda value: getattr(value, "name", ""))
def test_shipped_specifications_load(environment: Environment, path: Path) -> None:
    """Each file under `noise_specs/` fits its environment; the clean one has no rules, the others have some."""
    assert bool(load_spec(path, environment).rules) == (path.stem != "clean")


@pytest.mark.parametrize("environment", [DATACLAW_18, US_LISTED], ids=lambda environment: environment.name)
def test_default_specification_has_every_kind(environment: Environment) -> None:
    """The realistic default of an environment uses every kind, and all three mechanisms for missing values."""
    rules = load_spec(SPECS / environment.name / "noisy.yaml", environment).rules
    assert {rule.kind.name for rule in rules} == KINDS.keys()
    gaps = {type(rule.mechanism) for rule in rules if rule.kind.name == "missing_values"}
    assert gaps == set(get_args(Mechanism))

"""The page on noise specifications holds what follows from the kinds, and what is shipped loads: an example of every kind."""

import inspect
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest

from pipeline.documents.document import summary, yaml_name
from pipeline.model import Environment
from pipeline.noise.described.kinds_page import Parameter, kinds_page, parameters
from pipeline.noise.kinds import KINDS, interface
from pipeline.noise.kinds.interface import Family
from pipeline.noise.mechanisms import Band, Condition, Mechanism
from pipeline.noise.spec import RuleDocument, load_spec
from silt.environments.registry import ENVIRONMENTS
from tests.unit.noise.shipped_specifications import SHIPPED, SPECS

PAGE = (SPECS / "README.md").read_text("utf-8")
KINDS_PAGE = kinds_page()
NAMEABLE = sorted(
    {mechanism.type for mechanism in get_args(Mechanism)}
    | {yaml_name(item.name) for part in (*get_args(Mechanism), Band, Condition, RuleDocument) for item in fields(part)}
)
EXAMPLES = [(environment, path) for environment, path in SHIPPED if path.parent.name == "kinds"]


def name_of(value: object) -> str:
    """Return a test's id."""
    return value.stem if isinstance(value, Path) else str(getattr(value, "name", value))


@pytest.mark.parametrize("name", NAMEABLE)
def test_page_names_what_every_rule_may_hold(name: str) -> None:
    """Every mechanism, and every field of rules, mechanisms and conditions, stands in the hand-written part."""
    assert f"`{name}`" in PAGE.split("\n<!-- kinds -->\n")[0]


def test_table_of_kinds_has_each_kind_in_its_family() -> None:
    """Families stand in their order, each with the rows of its kinds, and no kind is left out or told twice."""
    told: dict[str, list[str]] = {}
    for line in KINDS_PAGE.splitlines():
        if line.startswith("### "):
            told[line.removeprefix("### ").lower()] = []
        elif line.startswith("| `"):
            told[list(told)[-1]].append(line.split("`")[1])
    by_family = {str(f): [k.name for k in KINDS.values() if k.family == f] for f in Family}
    assert list(told.items()) == [(family, kinds) for family, kinds in by_family.items() if kinds]


def test_each_module_of_a_family_holds_a_kind() -> None:
    """What is no kind stands in `parts/` or is `interface.py`, so that a newcomer can tell kinds by the tree."""
    folder = Path(interface.__file__).parent
    modules = {file.relative_to(folder) for file in folder.rglob("*.py")} - {Path("interface.py")}
    modules = {module for module in modules if module.name != "__init__.py"}
    named = {Path(inspect.getfile(kind)).relative_to(folder) for kind in KINDS.values()}
    assert {module for module in modules if module.parent.name != "parts"} == named


@pytest.mark.parametrize("kind", KINDS)
def test_kind_and_its_parameters_are_documented(kind: str) -> None:
    """The row of a kind holds what happens, every parameter with what it means, and whether the truth can be found."""
    row = next(line for line in KINDS_PAGE.splitlines() if line.startswith(f"| `{kind}` |"))
    assert row.replace("\\|", "").count("|") == 6
    assert summary(KINDS[kind]).replace("|", "\\|") in row
    assert KINDS[kind].recovery.startswith(("Yes", "No"))
    assert KINDS[kind].recovery.replace("|", "\\|") in row
    for parameter in every_parameter(parameters(KINDS[kind])):
        assert f"`{parameter.name}`" in row
        assert parameter.doc, f"{kind}: a docstring of one line is missing under {parameter.name}"


def every_parameter(found: tuple[Parameter, ...]) -> list[Parameter]:
    """Return parameters and those inside them."""
    return [item for parameter in found for item in (parameter, *every_parameter(parameter.parts))]


@pytest.mark.parametrize(("environment", "path"), SHIPPED, ids=name_of)
def test_shipped_specifications_load(environment: Environment, path: Path) -> None:
    """Each specification under `noise_specs/` fits its environment; the clean one has no rules, the others have some."""
    assert bool(load_spec(path, environment).rules) == (path.stem != "clean")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_an_example(kind: str) -> None:
    """In at least one environment's folder `kinds/` a specification is named after the kind."""
    assert kind in {path.stem for _, path in EXAMPLES}


@pytest.mark.parametrize(("environment", "path"), EXAMPLES, ids=name_of)
def test_example_shows_its_kind_alone(environment: Environment, path: Path) -> None:
    """An example shows the kind that it is named after, in a rule or a few, and nothing else."""
    assert {rule.kind.name for rule in load_spec(path, environment).rules} == {path.stem}


@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=name_of)
def test_default_specification_uses_every_mechanism(environment: Environment) -> None:
    """In the realistic default of an environment, values are missing by all three mechanisms."""
    rules = load_spec(SPECS / environment.name / "noisy.yaml", environment).rules
    gaps = {type(rule.mechanism) for rule in rules if rule.kind.name == "missing_values"}
    assert gaps == set(get_args(Mechanism))

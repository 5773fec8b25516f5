"""A file of families is refused before anything runs, with the place and the remedy of each mistake."""

from copy import deepcopy
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

import silt.environments
from pipeline.documents.document import YamlDocument
from pipeline.errors import SpecError
from pipeline.model import Environment
from pipeline.tasks.families import load_families
from pipeline.tasks.program.operators import How, Operator, Statistic, Where
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.us_listed import US_LISTED
from tests.unit.tasks.small import PHRASINGS

GOOD: dict[str, Any] = {
    "environment": "us-listed",
    "families": [
        {
            "name": "median",
            "category": "sector",
            "slots": {
                "sector": {"values": {"table": "company_profile", "column": "sector"}},
                "measure": {"choices": ["Price", "Earnings Per Share"]},
            },
            "steps": {
                "figures": {
                    "type": "table",
                    "table": "company_figures",
                    "where": [{"column": "measure", "is": "$measure"}],
                },
                "revenue": {
                    "type": "table",
                    "table": "company_figures",
                    "where": [{"column": "measure", "is": "Current Ratio"}],
                },
                "firms": {
                    "type": "table",
                    "table": "company_profile",
                    "where": [{"column": "sector", "is": "$sector"}],
                },
                "both": {
                    "type": "join",
                    "left": "figures",
                    "right": "firms",
                    "keys": {"code": "code"},
                    "take": {"name": "name"},
                },
                "median": {"type": "aggregate", "of": "both", "statistic": "median", "column": "value"},
                "other": {"type": "aggregate", "of": "revenue", "statistic": "max", "column": "value"},
                "gap": {"type": "compute", "how": "ratio", "first": "@median", "second": "@other"},
            },
            "answer": {"of": ["gap"]},
            "wording": {"en": [f"{text} {{sector}} {{measure}}" for text in PHRASINGS]},
        }
    ],
}


def write(folder: Path, document: object) -> Path:
    file = folder / "tasks.yaml"
    file.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return file


def test_a_good_file_is_read(tmp_path: Path) -> None:
    assert [each.name for each in load_families(write(tmp_path, GOOD), US_LISTED).families] == ["median"]


MISTAKES: dict[str, tuple[tuple[str | int, ...], object, str]] = {
    "unknown table": (
        ("steps", "firms", "table"),
        "company_profil",
        r"steps\.firms\.table: found 'company_profil'; allowed: .*did you mean 'company_profile'",
    ),
    "unknown column": (
        ("steps", "median", "column"),
        "valu",
        r"steps\.median\.column: found 'valu'; .*did you mean 'value'",
    ),
    "unknown column of a condition": (
        ("steps", "firms", "where", 0, "column"),
        "sektor",
        r"steps\.firms\.where\[0\]\.column: found 'sektor'; .*did you mean 'sector'",
    ),
    "unknown step": (("steps", "median", "of"), "bot", r"steps\.median: found 'bot'; allowed: a step: .*'both'"),
    "unknown slot": (
        ("steps", "firms", "where", 0, "is"),
        "$secto",
        r"steps\.firms: found '\$secto'; .*did you mean '\$sector'",
    ),
    "cycle": (
        ("steps", "both", "left"),
        "both",
        r"steps: found 'both -> both'; allowed: steps that do not read each other in a cycle",
    ),
    "units that differ": (
        ("steps", "gap", "how"),
        "difference",
        r"steps\.gap\.second: found '%'; allowed: the unit of `first`: USD",
    ),
    "a statistic of texts": (
        ("steps", "median", "column"),
        "name",
        r"steps\.median\.column: found 'name'; allowed: a column of numbers; this one holds texts",
    ),
    "a number from a text": (
        ("steps", "firms", "where", 0),
        {"column": "sector", "above": 3},
        r"where\[0\]\.above: found 'sector'; allowed: a column of numbers or dates",
    ),
    "a condition of another type": (
        ("steps", "firms", "where", 0, "is"),
        3,
        r"where\[0\]\.is: found 'number'; allowed: a text",
    ),
    "two conditions in one": (
        ("steps", "firms", "where", 0, "contains"),
        "x",
        r"where\[0\]: found 'is, contains'; allowed: exactly one of",
    ),
    "joined columns of two types": (("steps", "both", "keys"), {"code": "id"}, r"keys: .*columns of one type"),
    "unknown operator": (("steps", "median", "type"), "agregate", r"steps\.median\.type: .*did you mean 'aggregate'"),
    "answer of rows": (("answer", "of"), ["both"], r"answer\.of: found 'both'; allowed: steps that give one value"),
    "a slot of nothing": (
        ("slots", "sector", "values", "column"),
        "sectr",
        r"slots\.sector\.values\.column: .*did you mean 'sector'",
    ),
    "a slot that stands later": (
        ("slots", "sector", "differs_from"),
        ["measure"],
        r"slots\.sector\.differs_from: found 'measure'; allowed: a slot that stands before",
    ),
    "few phrasings": (("wording", "en"), ["{sector} {measure}?"], r"wording\.en.*at least"),
    "a silent slot": (("wording", "en", 0), "What of {sector}?", r"wording\.en\[0\]: .*measure is missing"),
    "a column in the words": (
        ("wording", "en", 1),
        "Read sub_industry of {sector} {measure}",
        r"wording\.en\[1\]: found 'sub_industry'; allowed: words",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_has_place_and_remedy(tmp_path: Path, mistake: str) -> None:
    place, value, message = MISTAKES[mistake]
    document = deepcopy(GOOD)
    of: Any = document["families"][0]
    for step in place[:-1]:
        of = of[step]
    of[place[-1]] = value
    if mistake == "units that differ":
        document["families"][0]["steps"]["figures"]["where"][0]["is"] = "Price"
    with pytest.raises(SpecError, match=message):
        load_families(write(tmp_path, document), US_LISTED)


def test_a_measured_table_has_its_columns(tmp_path: Path) -> None:
    measured = {"sector_aggregates": {"label": "measur", "value": "value"}, "sectors": {"label": "a", "value": "b"}}
    with pytest.raises(SpecError) as refused:
        load_families(write(tmp_path, GOOD | {"measured": measured}), US_LISTED)
    assert "measured.sector_aggregates.label: found 'measur'" in str(refused.value)
    assert "measured.sectors: found 'sectors'; allowed: one of company_figures" in str(refused.value)


@pytest.mark.parametrize("environment", [DATACLAW_18, US_LISTED], ids=lambda environment: environment.name)
def test_each_level_that_a_category_states_has_families(environment: Environment) -> None:
    file = Path(silt.environments.__file__).parent / environment.name.replace("-", "_") / "tasks.yaml"
    shipped = load_families(file, environment)
    assert {(family.category, family.how_hard) for family in shipped.families} == set(shipped.tasks)


PAGE = (Path(__file__).parents[3] / "docs/tasks.md").read_text(encoding="utf-8")


def test_the_page_has_a_family_that_can_be_used(tmp_path: Path) -> None:
    file = tmp_path / "tasks.yaml"
    file.write_text(PAGE.split("```yaml\n")[1].split("```")[0], encoding="utf-8")
    assert load_families(file, US_LISTED).families


@pytest.mark.parametrize("operator", get_args(Operator), ids=lambda operator: operator.type)
def test_the_page_has_every_operator_and_its_fields(operator: type[YamlDocument]) -> None:
    line = next(line for line in PAGE.splitlines() if line.startswith(f"| `{operator.type}` |"))  # type: ignore[attr-defined]
    assert [each.name for each in fields(operator) if each.name != "type" and f"`{each.name}`" not in line] == []  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [*Where.exactly_one_of, *get_args(Statistic), *get_args(How), "separator"])
def test_the_page_has_every_condition_statistic_and_operation(name: str) -> None:
    assert f"`{name}" in PAGE

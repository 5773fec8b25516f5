"""Types of reports: what is written is what the published schemas say, and nothing else is written or read."""

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from pipeline.report_json import report_json
from tests.schemas import SCHEMAS, file_of, schema
from tests.unit.report import findings
from validation.attacks import Attack
from validation.attacks import suite as _  # noqa: F401  # declares every kind of attack
from validation.report.documents import KINDS, Reports, privacy, written

ROOT = Path(__file__).parents[3]
CONTRACT = {
    "ks": {"Test": ["measure", "group", "n", "statistic", "p_value", "detectable_shift"], "": ["alpha", "passed"]},
    "consistency": {
        "Offset": ["table", "statistic", "measure", "cells", "mean_offset", "max_offset", "ks_p_value"],
        "Residual": ["identity", "records", "max_residual"],
        "": ["aggregates", "identities", "passed"],
    },
    "privacy": {
        "AttackCounts": ["attack", "knowledge", "records", "successes", "rate", "upper_95"],
        "": ["attacks", "passed"],
    },
    "noise": {"RuleChanges": ["rule", "kind", "table", "column", "cells", "rate", "recoverable"], "": ["rules"]},
}
"""Report -> its parts -> the fields that users rely on."""

TEXTS = {"multiplicity", "summary", "policy"}
"""Fields of a report that are text."""


def published(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((ROOT / file_of(name)).read_text(encoding="utf-8")))


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where there is an object in a report."""
    if isinstance(node, dict):
        yield path
    for step, inner in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from places(inner, (*path, step))


def at(report: dict[str, Any], path: tuple[Any, ...]) -> Any:
    for step in path:
        report = report[step]
    return report


@pytest.mark.parametrize("name", SCHEMAS)
def test_published_schemas_are_those_of_the_types(name: str) -> None:
    """Whoever changes a type runs `python -m tests.schemas`; a schema of nothing is not there."""
    assert (ROOT / file_of(name)).read_text(encoding="utf-8") == schema(name)
    Draft202012Validator.check_schema(json.loads(schema(name)))
    files = {path.name for path in (ROOT / file_of(name)).parent.glob("*.json")}
    assert files == {file_of(each).name for each in SCHEMAS}


@pytest.mark.parametrize("name", CONTRACT)
def test_schemas_require_what_users_rely_on(name: str) -> None:
    """The stable fields of the contract are required."""
    made = json.loads(schema(name))
    for part, names in CONTRACT[name].items():
        assert set(names) <= set((made["$defs"][part] if part else made)["required"])


@pytest.mark.parametrize("name", KINDS)
def test_a_report_is_written_as_it_is(name: str) -> None:
    """The bytes are those of the report, its fields in their order, and they are what the schema says."""
    report = findings.reports()[name]
    assert written(name, report) == report_json(report)
    assert published(name).is_valid(json.loads(written(name, report)))


@pytest.mark.parametrize("name", KINDS)
def test_types_and_schemas_refuse_the_same(name: str) -> None:
    """Another field anywhere, or text where there is a number or a list, is refused by both."""
    for path in places(findings.reports()[name]):
        report = deepcopy(findings.reports()[name])
        if any(step in ("answered", "worst_cell", "met", "missed", "margins") for step in path[-1:]):
            continue  # names are free there
        at(report, path)["another"] = 1
        assert not published(name).is_valid(report), path
        with pytest.raises(ValidationError, match="another"):
            written(name, report)
    for field in findings.reports()[name]:
        broken = findings.reports()[name] | {field: "text" if field not in TEXTS else 3}
        assert not published(name).is_valid(broken), field
        with pytest.raises(ValidationError, match=field):
            written(name, broken)


def attacks(kind: type[Attack] = Attack) -> Iterator[type[Attack]]:
    """Yield every kind of attack that is declared anywhere."""
    yield kind
    for inner in kind.__subclasses__():
        yield from attacks(inner)


@pytest.mark.parametrize("kind", [*attacks()], ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_every_attack_can_be_reported(kind: type[Attack]) -> None:
    """Whatever a kind of attack tells beyond the others, `privacy.json` has a field for it."""
    assert {field.name for field in fields(kind)} <= set(privacy.AttackCounts.model_fields)


def test_what_is_refused_is_not_repeated() -> None:
    """An error names the field and not what stands there, which may be anybody's name."""
    with pytest.raises(ValidationError, match=r"ks\.tests\.0\.n\b") as error:
        Reports.of({"ks": report_json(findings.ks(findings.a_test(n="Somebody Ltd"))).decode()})
    assert "Somebody" not in str(error.value)


def test_reports_that_were_not_made_are_absent() -> None:
    """Of a build that made one report, the others are none."""
    found = Reports.of({"noise": '{"rules": []}'})
    assert found.noise is not None
    assert (found.noise.rules, found.ks, found.privacy) == ((), None, None)

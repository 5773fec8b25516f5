"""The loader of noise specifications: what it reads, and that every problem is named with its place."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.errors import SpecError
from pipeline.model import Environment
from pipeline.noise.kinds import KINDS
from pipeline.noise.kinds.interface import FileKind, Kind, RowKind
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.kinds.names.drift import NamingDrift
from pipeline.noise.mechanisms import AtRandom, Band, CompletelyAtRandom, Condition, NotAtRandom
from pipeline.noise.spec import NoiseSpec, Rule, load_spec
from silt.environments.dataclaw_18 import DATACLAW_18


def good_rule(**changes: Any) -> dict[str, Any]:
    """Return a rule without problems, with fields changed."""
    return {
        "name": "gaps",
        "kind": "missing_values",
        "tables": ["figures"],
        "mechanism": {"type": "completely_at_random", "rate": 0.5},
        "parameters": {"columns": ["value"]},
        "reason": "A test.",
    } | changes


def drift(**parameters: Any) -> dict[str, Any]:
    """Return a rule of naming drift with parameters changed."""
    return good_rule(kind="naming_drift", parameters={"columns": ["measure"], "vocabulary": "measures"} | parameters)


def units(**parameters: Any) -> dict[str, Any]:
    """Return a rule of unit mismatch with parameters changed."""
    return good_rule(kind="unit_mismatch", parameters={"unit_column": "unit", "value_column": "value"} | parameters)


def loaded(tmp_path: Path, environment: Environment, /, *rules: Any, **changes: Any) -> NoiseSpec:
    """Write a specification and load it."""
    path = tmp_path / "noise.yaml"
    path.write_text(
        yaml.safe_dump({"environment": "small", "rules": list(rules)} | changes, allow_unicode=True), "utf-8"
    )
    return load_spec(path, environment)


def test_what_concerns_a_table_does_not_depend_on_rules_on_others(tmp_path: Path, environment: Environment) -> None:
    """Reports keep what they found of a table by it: a rate of another table must not make them look again."""
    other = good_rule(name="others", tables=["policies"], parameters={"columns": ["agencies"]})
    rarer = other | {"mechanism": {"type": "completely_at_random", "rate": 0.4}}
    before = loaded(tmp_path, environment, good_rule(), other)
    after = loaded(tmp_path, environment, rarer, good_rule(), description="Of another day.")
    assert before.on("figures") == after.on("figures")
    assert before.on("policies") != after.on("policies")


def test_every_part_is_read(tmp_path: Path, environment: Environment) -> None:
    """Rules come out typed, in order, with their defaults."""
    spec = loaded(
        tmp_path,
        environment,
        good_rule(where=[{"column": "unit", "in": ["yuan"]}, {"column": "firm", "is_null": False}], recoverable=True),
        drift(position="list", separator=";", blank=["unit"], consistent_by="firm")
        | {"name": "names", "mechanism": {"type": "at_random", "column": "unit", "rates": {"yuan": 1}}},
        good_rule(
            name="mnar", mechanism={"type": "not_at_random", "bands": [{"below": 0, "rate": 0.5}], "otherwise": 0.1}
        ),
        description="What for.",
    )
    assert replace(spec, digest="") == NoiseSpec(
        environment="small",
        description="What for.",
        rules=(
            Rule(
                name="gaps",
                kind=MissingValues(columns=("value",)),
                tables=("figures",),
                where=(Condition(column="unit", in_=("yuan",)), Condition(column="firm", is_null=False)),
                mechanism=CompletelyAtRandom(rate=0.5),
                reason="A test.",
                recoverable=True,
            ),
            Rule(
                name="names",
                kind=NamingDrift(
                    columns=("measure",),
                    vocabulary="measures",
                    position="list",
                    separator=";",
                    blank=("unit",),
                    consistent_by="firm",
                ),
                tables=("figures",),
                mechanism=AtRandom(column="unit", rates={"yuan": 1.0}),
                reason="A test.",
            ),
            Rule(
                name="mnar",
                kind=MissingValues(columns=("value",)),
                tables=("figures",),
                mechanism=NotAtRandom(bands=(Band(below=0.0, rate=0.5),), otherwise=0.1),
                reason="A test.",
            ),
        ),
    )


def test_empty_specification_is_the_clean_one(tmp_path: Path, environment: Environment) -> None:
    """A file without rules loads."""
    assert loaded(tmp_path, environment).rules == ()


BROKEN: dict[str, tuple[Any, str]] = {
    "rate": (good_rule(mechanism={"type": "completely_at_random", "rate": 1.5}),
        r"rules\[0\]\.mechanism\.rate: found 1\.5; allowed: a number from 0 to 1"),
    "negative rate": (good_rule(mechanism={"type": "at_random", "column": "unit", "rates": {"yuan": -1}}),
        r"rules\[0\]\.mechanism\.rates\.yuan: found -1; allowed: a number from 0 to 1"),
    "kind of a wrong type": (good_rule(kind=["typos"]), r"rules\[0\]\.kind: found \['typos'\]; allowed: a text"),
    "column of one table only": (good_rule(tables=["figures", "policies"]),
        r"columns\[0\]: found 'value'; allowed: one of firm, measure\n"),
    "vocabulary": (drift(vocabulary="words"),
        r"vocabulary: found 'words'; allowed: one of agencies, measures, nothing"),
    "vocabulary without aliases": (drift(vocabulary="nothing"), r"vocabulary: found 'nothing'; .* that has aliases"),
    "position": (drift(position="end"),
        r"position: found 'end'; allowed: one of whole, prefix, contains, list"),
    "list without separator": (drift(position="list"), r"separator: found None; allowed: a text if position is list"),
    "separator without list": (drift(separator=";"), r"separator: found ';'; allowed: .* nothing otherwise"),
    "blanked name": (drift(blank=["measure"]), r"blank: found \('measure',\); allowed: other columns"),
    "unit": (units(units=["yuan", "euro"]), r"units\[1\]: found 'euro'; allowed: one of 10k, kt, million, ton, yuan"),
    "units of two families": (units(units=["yuan", "kt"]),
        r"units: found 'yuan, kt'; allowed: units of one family: yuan, 10k, million; ton, kt"),
    "value as its own label": (units(value_column="unit"), r"value_column: found 'unit'; allowed: another column"),
    "misspelt mechanism": (good_rule(mechanism={"type": "at_randm", "rate": 1}),
        r"mechanism\.type: found 'at_randm'; allowed: one of at.*; did you mean 'at_random'\?"),
    "mechanism of a wrong type": (good_rule(mechanism=0.5), r"mechanism: found 0\.5; allowed: a mapping with `type`"),
    "bands and rates": (
        good_rule(mechanism={"type": "not_at_random", "bands": [{"below": 1, "rate": 1}], "rates": {"a": 1}}),
        r"mechanism: found 'bands, rates'; allowed: exactly one of bands, rates"),
    "neither bands nor rates": (good_rule(mechanism={"type": "not_at_random", "otherwise": 1}),
        r"mechanism: found 'none of them'; allowed: exactly one of bands, rates"),
    "falling bands": (
        good_rule(mechanism={"type": "not_at_random", "bands": [{"below": 1, "rate": 1}, {"below": 0, "rate": 1}]}),
        r"mechanism\.bands: found \[1\.0, 0\.0\]; allowed: bounds that rise"),
    "rates by number": (good_rule(mechanism={"type": "at_random", "column": "unit", "rates": {2022: 1}}),
        r"mechanism\.rates\[2022\]: found 2022; allowed: a text \(quote it\)"),
    "condition with two tests": (good_rule(where=[{"column": "unit", "equals": "a", "in": ["b"]}]),
        r"where\[0\]: found 'in, equals'; allowed: exactly one of in, not_in, equals, matches, is_null"),
    "condition on nothing and on a text": (good_rule(where=[{"column": "unit", "equals": "a", "is_null": True}]),
        r"where\[0\]: found 'equals, is_null'; allowed: exactly one of in, not_in, equals, matches, is_null"),
}  # fmt: skip


@pytest.mark.parametrize(("rule", "message"), BROKEN.values(), ids=BROKEN)
def test_problem_is_refused_with_its_place(rule: Any, message: str, tmp_path: Path, environment: Environment) -> None:
    """A wrong value is named with file, place, value and what is allowed; nothing else is complained of."""
    with pytest.raises(SpecError, match=message) as raised:
        loaded(tmp_path, environment, rule)
    assert str(raised.value).startswith("1 problem ")
    assert str(tmp_path / "noise.yaml") in str(raised.value)


def test_all_problems_come_at_once_in_order(tmp_path: Path, environment: Environment) -> None:
    """Every problem of every rule is in one error, sorted by place, rule 10 after rule 2."""
    bad = [good_rule(name=f"rule {n}", kind="no such kind", tables=["x"], colour="red") for n in range(11)]
    with pytest.raises(SpecError, match=r"33 problems") as raised:
        loaded(tmp_path, environment, *bad)
    places = [line.split(": ")[1] for line in str(raised.value).splitlines()[1:-1]]
    fields = ("colour", "kind", "tables[0]")
    assert places == [f"'rule {n}', rules[{n}].{field}" for n in range(11) for field in fields]


def test_problems_of_parameters_and_rule_come_together(tmp_path: Path, environment: Environment) -> None:
    """A wrong rate does not hide a wrong column."""
    rule = good_rule(mechanism={"type": "completely_at_random", "rate": 2}, parameters={"columns": ["nope"]})
    with pytest.raises(SpecError, match=r"2 problems(.|\n)*rate(.|\n)*columns\[0\]"):
        loaded(tmp_path, environment, rule)


BY_RATE = {"type": "at_random", "column": "unit", "rates": {"yuan": 1}}
BY_VALUE = {"type": "not_at_random", "rates": {"yuan": 1}}
SOME = [{"column": "unit", "equals": "yuan"}]


def of_level(level: type[Kind]) -> list[str]:
    """Return the registered kinds of a level."""
    return [name for name, kind in KINDS.items() if issubclass(kind, level)]


@pytest.mark.parametrize("kind", of_level(FileKind))
def test_kinds_on_files_choose_no_rows(kind: str, tmp_path: Path, environment: Environment) -> None:
    """A rule on the file takes one mechanism and no conditions; both are told at once, and why."""
    for mechanism in (BY_RATE, BY_VALUE):
        with pytest.raises(SpecError) as raised:
            loaded(tmp_path, environment, good_rule(kind=kind, mechanism=mechanism, where=SOME))
        told = str(raised.value)
        assert f"rules[0].mechanism.type: found '{mechanism['type']}'; allowed: completely_at_random: {kind} " in told
        assert re.search(rf"rules\[0\]\.where: found \[.*'yuan'.*\]; allowed: nothing: {kind} changes the whole", told)


@pytest.mark.parametrize("kind", of_level(RowKind))
def test_rows_are_judged_by_a_column_with_one_mechanism_alone(
    kind: str, tmp_path: Path, environment: Environment
) -> None:
    """A row kind's `judged_by` names a column of the tables, and is refused where no mechanism looks at it."""
    place = r"rules\[0\]\.parameters\.judged_by: found "
    with pytest.raises(SpecError, match=rf"{place}'value'; allowed: nothing: only the mechanism not_at_random"):
        loaded(tmp_path, environment, good_rule(kind=kind, mechanism=BY_RATE, parameters={"judged_by": "value"}))
    with pytest.raises(SpecError, match=rf"{place}'valeu'; allowed: one of .*; did you mean 'value'\?"):
        loaded(tmp_path, environment, good_rule(kind=kind, mechanism=BY_VALUE, parameters={"judged_by": "valeu"}))


@pytest.mark.parametrize("kind", of_level(RowKind))
def test_rows_may_be_judged_by_their_own_value(kind: str, tmp_path: Path, environment: Environment) -> None:
    """With `not_at_random`, nothing is said against `judged_by`."""
    rule = good_rule(kind=kind, mechanism=BY_VALUE, parameters={"judged_by": "value", "nonsense": 1})
    with pytest.raises(SpecError) as raised:
        loaded(tmp_path, environment, rule)
    assert "judged_by: found" not in str(raised.value)


MOVED = {
    "name": "moved",
    "kind": "moved_to_prose",
    "tables": ["company_profile", "company_core"],
    "mechanism": {"type": "completely_at_random", "rate": 0.5},
    "parameters": {
        "attribute": {"table": "company_profile", "column": "province"},
        "narrative": {"table": "company_core", "column": "bmCoreVieContent"},
        "joined_by": "bmCode",
        "templates": [" 公司注册地位于{value}。"],
        "place": "end",
    },
    "reason": "A test.",
}
"""A rule whose tables decide together."""
BY_YEAR = {"type": "at_random", "column": "year", "rates": {"2022": 0.5}}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"tables": ["company_core"]}, "rules[0].tables: found"),
        ({"mechanism": BY_YEAR}, "rules[0].mechanism.type: found 'at_random'; allowed: completely_at_random"),
        ({"where": [{"column": "year", "equals": "2022"}]}, "rules[0].where: found"),
    ],
    ids=["one table", "mechanism", "where"],
)
def test_tables_that_decide_together_are_not_torn_apart(changes: dict[str, Any], line: str, tmp_path: Path) -> None:
    """What vanishes in one table and is told in another needs both, and the same rows of both; the rule itself loads."""
    assert loaded(tmp_path, DATACLAW_18, MOVED, environment="dataclaw-18").rules[0].kind.spans
    with pytest.raises(SpecError, match=re.escape(line)):
        loaded(tmp_path, DATACLAW_18, MOVED | changes, environment="dataclaw-18")


def test_a_kind_is_read_by_its_earlier_name(tmp_path: Path) -> None:
    """The rule is the same, and the ledger has the present name."""
    earlier, present = (
        loaded(tmp_path, DATACLAW_18, MOVED | {"kind": kind}, environment="dataclaw-18").rules
        for kind in ("told_in_prose", "moved_to_prose")
    )
    assert earlier == present


def test_decoys_cannot_be_known_by_a_table_that_is_not_beside(tmp_path: Path) -> None:
    """A table that noise may not look into is refused, where it would make the rule do nothing."""
    known_in = {"key": "bmCode", "table": "company_core", "column": "bmCode"}
    decoys = MOVED | {
        "kind": "decoy_rows",
        "tables": ["company_profile_as"],
        "parameters": {"keys": ["bmCode"], "id_offset": 4000, "known_in": known_in},
    }
    with pytest.raises(
        SpecError, match=r"rules\[0\]\.parameters\.known_in\.table: found 'company_core'; allowed: nothing"
    ):
        loaded(tmp_path, DATACLAW_18, decoys, environment="dataclaw-18")

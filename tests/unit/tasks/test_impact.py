"""What noise does to tasks: the rules that are said to be the cause are, shown by taking them out of the specification."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from pipeline.noise.ablation import AblationPlan, ablations
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds.interface import Family
from pipeline.noise.spec import NoiseSpec, load_spec
from pipeline.tasks.drawing import Draw, Drawer
from pipeline.tasks.families import Families
from pipeline.tasks.running.clean import Clean
from silt.environments.us_listed import US_LISTED
from tests.unit.tasks.small import COMPANIES, KEY, database, family, figures_of
from validation.tasks.impact import Impact, NoiseParts, accounted, impacts
from validation.tasks.naive import naive_answer

RULES = """
environment: us-listed
rules:
- {name: gaps, kind: missing_values, tables: [company_figures], parameters: {columns: [value]},
   mechanism: {type: completely_at_random, rate: 0.25}, reason: tested}
- {name: units, kind: unit_mismatch, tables: [company_figures], parameters: {unit_column: unit, value_column: value},
   mechanism: {type: completely_at_random, rate: 0.3}, reason: tested}
- {name: twice, kind: duplicate_rows, tables: [company_figures], parameters: {place: after},
   mechanism: {type: completely_at_random, rate: 0.25}, reason: tested}
- {name: sectors, kind: naming_drift, tables: [company_profile], mechanism: {type: completely_at_random, rate: 0.9},
   parameters: {columns: [sector], vocabulary: sectors, choice: ranked}, reason: tested}
"""

SUM = {
    "rows": {"type": "table", "table": "company_figures", "where": [{"column": "year", "is": "$year"}]},
    "total": {"type": "aggregate", "of": "rows", "statistic": "sum", "column": "value"},
}
OWN = {
    "rows": {
        "type": "table",
        "table": "company_figures",
        "where": [{"column": "code", "is": "$code"}, {"column": "year", "is": "$year"}],
    },
    "value": {"type": "lookup", "of": "rows", "column": "value"},
}
YEARS = range(1990, 2014)
YEAR = {"year": {"values": {"table": "company_figures", "column": "year"}}}
CODE = {"code": {"values": {"table": "company_figures", "column": "code"}}}


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Clean:
    values = {code[-1]: f"{number}234567.25" for number, (code, _, _) in enumerate(COMPANIES, 1)}
    figures = [figure for year in YEARS for figure in figures_of("Total Revenue", values, year)]
    return Clean(US_LISTED, database(tmp_path_factory.mktemp("clean"), figures))


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> NoiseSpec:
    file = tmp_path_factory.mktemp("spec") / "noisy.yaml"
    file.write_text(RULES, encoding="utf-8")
    return load_spec(file, US_LISTED)


@pytest.fixture(scope="module")
def draws(clean: Clean) -> dict[str, Draw]:
    asked = (family(SUM, "total", slots=YEAR, name="sum"), family(OWN, "value", slots=CODE | YEAR, name="own"))
    drawer = Drawer(Families(environment="us-listed", families=asked), clean, KEY)
    return {f"{each.name} {number}": drawer.draw(each, number) for each in asked for number in range(40)}


def noised(clean: Clean, table: str, spec: NoiseSpec) -> Noised:
    return apply_noise(clean.texts(table), US_LISTED.table(table), spec, US_LISTED, KEY)


def parts_of(clean: Clean, spec: NoiseSpec) -> NoiseParts:
    return NoiseParts(
        environment=US_LISTED,
        spec=spec,
        known=clean.known,
        noised=lambda table, part: noised(clean, table, part).frame,
        ledger=pl.concat(noised(clean, table, spec).ledger for table in ("company_figures", "company_profile")),
    )


@pytest.fixture(scope="module")
def found(clean: Clean, spec: NoiseSpec, draws: dict[str, Draw]) -> dict[str, Impact]:
    every = tuple(Family)
    plan = AblationPlan(noise=Path(), spec=spec, ladder=every, leave_one_out=every, only_one=every)
    return impacts(draws, parts_of(clean, spec), ablations(plan), clean.texts)


def answer(clean: Clean, spec: NoiseSpec, draw: Draw, *rules: str) -> object:
    """Return the naive reader's answer on tables that a specification of these rules makes."""
    part = replace(spec, rules=tuple(rule for rule in spec.rules if rule.name in rules))
    return naive_answer(draw, parts_of(clean, part).noisy)


def test_a_rule_that_is_the_cause_alone_is_one_and_no_other_is(
    clean: Clean, spec: NoiseSpec, draws: dict[str, Draw], found: dict[str, Impact]
) -> None:
    """A specification without it makes the task right, and without any other rule it stays wrong."""
    alone = {name: impact for name, impact in found.items() if impact.cause == "one"}
    names = [rule.name for rule in spec.rules]
    assert Counter(impact.broken_by[0] for impact in alone.values()).keys() == {"gaps", "units", "twice"}
    for name, impact in alone.items():
        restoring = [
            rule
            for rule in names
            if answer(clean, spec, draws[name], *(each for each in names if each != rule)) == impact.gold
        ]
        assert tuple(restoring) == impact.broken_by


def test_rules_that_spoil_a_task_independently_each_do_so_alone(
    clean: Clean, spec: NoiseSpec, draws: dict[str, Draw], found: dict[str, Impact]
) -> None:
    """No rule taken out helps; each of those that are named is enough."""
    several = {name: impact for name, impact in found.items() if impact.cause == "several"}
    assert len(several) > 10
    for name, impact in several.items():
        assert all(answer(clean, spec, draws[name], rule) != impact.gold for rule in impact.broken_by)


def test_every_wrong_task_has_a_cause_and_no_right_one(found: dict[str, Impact]) -> None:
    """Alone and together account for all that the naive reader gets wrong; without noise it is right."""
    assert all(impact.naive["clean"] == impact.gold for impact in found.values())
    assert all((impact.cause == "") == impact.is_robust for impact in found.values())
    counts = accounted(found)
    assert 0 < counts["wrong"] < counts["tasks"] == len(found)
    together = sum(entry["tasks"] for entry in counts["together"])
    assert sum(counts["alone"].values()) + together == counts["wrong"]


def test_rows_that_came_twice_and_cells_that_changed_are_touched(
    clean: Clean, spec: NoiseSpec, draws: dict[str, Draw], found: dict[str, Impact]
) -> None:
    """A task of one cell is touched by a rule just if the ledger has its row, with its column or whole."""
    ledger = parts_of(clean, spec).ledger.filter(pl.col("table") == "company_figures")
    figures = clean.texts("company_figures")
    for name, impact in found.items():
        if name.startswith("own"):
            slots = draws[name].slots
            row = figures.filter(code=slots["code"], year=str(slots["year"]))["id"].item()
            changes = ledger.filter(pl.col("row_key") == row, pl.col("column").is_in(["", "value", "code", "year"]))
            assert set(impact.touched) == set(changes["rule"])


def test_a_task_may_read_no_row_of_a_table(
    clean: Clean, spec: NoiseSpec, draws: dict[str, Draw], found: dict[str, Impact]
) -> None:
    """What it reads elsewhere is touched as before."""
    name, draw = next((name, draw) for name, draw in draws.items() if found[name].touched)
    table, _ = next(iter(draw.outcome.read))
    read = {(table, "unread"): frozenset[str](), **draw.outcome.read}
    empty = replace(draw, outcome=replace(draw.outcome, read=read))
    plan = AblationPlan(noise=Path(), spec=spec, ladder=(), leave_one_out=(), only_one=())
    (impact,) = impacts({name: empty}, parts_of(clean, spec), ablations(plan), clean.texts).values()
    assert impact.touched == found[name].touched


def test_each_part_and_each_task_is_counted(clean: Clean, spec: NoiseSpec, draws: dict[str, Draw]) -> None:
    """The whole, none, and each rule without and alone are parts; on the tables of the cleaner, tasks are counted."""
    said, two = list[str](), dict(list(draws.items())[:2])
    impacts(two, parts_of(clean, spec), (), clean.texts, watch=said.append)
    parts = 2 + 2 * len(spec.rules)
    assert said == [
        *(f"part {number} of {parts} of the noise" for number in range(1, parts + 1)),
        *(f"task {number} of 2 on the tables that the cleaner mended" for number in (1, 2)),
    ]


def test_what_the_cleaner_mends_is_answerable(found: dict[str, Impact]) -> None:
    """A cleaner that gave the clean figures back makes every task answerable; a noisy table alone does not."""
    assert all(impact.is_answerable for impact in found.values())
    assert not all(replace(impact, mended=None).is_answerable for impact in found.values())


def test_without_a_cleaner_nobody_knows_whether_a_wrong_answer_can_be_had(found: dict[str, Impact]) -> None:
    """What the naive reader gets right can be had; of the rest it is not said that it cannot."""
    untried = [replace(impact, mended=impact.naive["noisy"], has_cleaner=False) for impact in found.values()]
    assert {impact.is_answerable for impact in untried} == {True, None}
    assert all(impact.is_answerable == (impact.is_robust or None) for impact in untried)
    assert accounted({str(i): impact for i, impact in enumerate(untried)})["answerable"] < len(untried)

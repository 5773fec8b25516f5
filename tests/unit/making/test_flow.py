"""How originals flow: real graphs let them out through doors alone, and every step that is made to read them is refused."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest

from anonymize.policy import GUARDED, LSD
from assets.every_step import declared_steps, ordered
from assets.making.flow import Door, FlowError, doors_of, refuse_leaks, ways_of_originals
from assets.making.keys import TREATED, Place, Stage, dropped
from assets.making.parameters import ABSENT, KEY, MANIFEST, MASTER, NOISE, PLAN, POLICY, RAW, StepParameter
from assets.making.request import Request
from assets.making.scheduler import Scheduler
from assets.making.step import Step
from assets.making.store import Store
from assets.wiring.resources import Workspace
from pipeline.model import Environment
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.us_listed import US_LISTED
from tests.unit.events.lines_declared import LINES

_MIDDLE: Place = (Stage.IDENTITY, "in between")


def graph(environment: Environment) -> list[Step]:
    """Return the steps of an environment as they are where records are sampled."""
    return [step.under(GUARDED) for step in ordered(declared_steps(environment))]


LISTED = graph(US_LISTED)
CONFORMED: Place = (Stage.CONFORMED, US_LISTED.entities.tables[0])
ORIGINALS = (
    CONFORMED,
    (Stage.CONFORMED, US_LISTED.panel.tables[0]),
    (Stage.RAW, TREATED),
    (Stage.IDENTITY, dropped(US_LISTED.entities.tables[0])),
)

_AT_ORIGINALS = {"conformed", "raw/texts", "anonymised/figures", "anonymised/names", "reports/attacks"}
"""Steps that read originals and have doors, or make nothing but the curator's."""


def outside(steps: Sequence[Step]) -> list[str]:
    """Return the names of steps that make something that is not the curator's, and are at no door."""
    every = (step for step in steps if step.label not in _AT_ORIGINALS)
    return [step.label for step in every if not {stage for stage, _ in step.makes} <= {Stage.CURATOR, Stage.IDENTITY}]


def mutated(steps: Sequence[Step], label: str, **changes: Any) -> list[Step]:
    """Return steps of which one is changed: more that it reads or uses."""
    (found,) = (step for step in steps if step.label == label)
    more = {name: getattr(found, name) | {value} for name, value in changes.items()}
    return [replace(found, **more) if step is found else step for step in steps]


def by_way_of(steps: Sequence[Step], place: Place) -> list[Step]:
    """Return steps with one more, that makes a place of the curator's of another place, behind the one that makes this."""
    (maker,) = (number for number, step in enumerate(steps) if place in step.makes)
    between = replace(
        steps[maker], name="between", label="between", reads=frozenset({place}), uses=frozenset(), doors={}
    )
    between = replace(between, makes=frozenset({_MIDDLE}))
    return [*steps[: maker + 1], between, *steps[maker + 1 :]]


@pytest.mark.parametrize("environment", [DATACLAW_18, US_LISTED, LINES], ids=lambda each: each.name)
def test_real_graphs_let_nothing_out(environment: Environment) -> None:
    """What originals reach but for doors is the curator's: conformed tables, counts of raw tables, reports on originals."""
    steps = graph(environment)
    refuse_leaks(steps)
    assert {stage for stage, _ in ways_of_originals(steps)} == {
        Stage.RAW,
        Stage.CONFORMED,
        Stage.IDENTITY,
        Stage.CURATOR,
    }


def test_doors_are_these() -> None:
    """Figures and what is drawn with them, the map with names, and the outcomes of gates: another door is a decision."""
    doors = doors_of(LISTED)
    found = {door: {place for place, of in doors.items() if of is door} for door in Door}
    assert found[Door.OUTCOME] == {(Stage.REPORTS, "attacks"), (Stage.CURATOR, "compared")}
    assert {(stage, name) for stage, name in found[Door.MAP] if stage != Stage.ANONYMISED} == {
        (Stage.IDENTITY, "codes"),
        (Stage.IDENTITY, "identity_map"),
        (Stage.IDENTITY, "identifiers"),
    }
    assert {(stage, name) for stage, name in found[Door.STATISTICS] if stage != Stage.IDENTITY} == {
        (Stage.ANONYMISED, "figures"),
        (Stage.REPORTS, "model"),
    }


def test_there_are_mutants_enough() -> None:
    """Each of these steps is tried with originals in every way below."""
    assert len(outside(LISTED)) >= 20


@pytest.mark.parametrize("label", outside(LISTED))
def test_a_step_that_reads_originals_is_refused(label: str) -> None:
    """A report, rendering, page, derived table, profile or manifest: each is refused by name, with the way there."""
    for place in ORIGINALS:
        with pytest.raises(FlowError, match=rf"step '{label}' makes .* by way of the raw tables -> {'/'.join(place)}"):
            refuse_leaks(mutated(LISTED, label, reads=place))


@pytest.mark.parametrize("label", outside(LISTED))
def test_a_step_that_reads_originals_in_a_roundabout_way_is_refused(label: str) -> None:
    """What is made of originals in between is told on the way."""
    steps = by_way_of(LISTED, CONFORMED)
    with pytest.raises(FlowError, match=f"step '{label}' makes .* -> {'/'.join(CONFORMED)} -> {'/'.join(_MIDDLE)} -> "):
        refuse_leaks(mutated(steps, label, reads=_MIDDLE))


@pytest.mark.parametrize("label", outside(LISTED))
def test_a_step_that_uses_the_raw_tables_is_refused(label: str) -> None:
    """The raw tables come by a parameter, and no place."""
    with pytest.raises(FlowError, match=rf"step '{label}' makes .* by way of the raw tables -> "):
        refuse_leaks(mutated(LISTED, label, uses=RAW))


@pytest.mark.parametrize(
    "step", [step for step in ordered(declared_steps(US_LISTED)) if step.withheld], ids=lambda step: step.label
)
def test_a_step_that_is_handed_what_it_is_handed_elsewhere_is_refused(step: Step) -> None:
    """What is withheld of a step is withheld for a reason: with it, the build would not start."""
    with pytest.raises(FlowError, match=f"step '{step.label}' "):
        refuse_leaks([step if each.name == step.name else each for each in LISTED])


def test_doors_of_one_step_are_no_doors_of_another() -> None:
    """What a step at a door makes besides holds originals: counts of prose lead nowhere but to the curator."""
    with pytest.raises(FlowError, match=r"step 'reports/profile_clean' .* -> identity/prose -> "):
        refuse_leaks(mutated(LISTED, "reports/profile_clean", reads=(Stage.IDENTITY, "prose")))


def test_no_other_aspect_holds_originals(request_: Request) -> None:
    """Whatever else a step may use is the same whatever the raw tables hold."""
    others: list[StepParameter[Any]] = [ABSENT, KEY, MANIFEST, MASTER, NOISE, PLAN, POLICY]
    before = [str(parameter.of(request_)) for parameter in others]
    request_ = replace(request_, raw_files=dict.fromkeys(request_.raw_files, "of other originals"))
    assert [str(parameter.of(request_)) for parameter in others] == before


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    """Return a request under `guarded`, of raw tables that are not there yet."""
    key = tmp_path / "own.key"
    key.write_text("5eed" * 16 + "\n")
    key.chmod(0o600)
    for table in US_LISTED.raw_tables:
        (tmp_path / f"{table.file}.csv").touch()
    settings = Workspace(raw=str(tmp_path), key_file=str(key), out=str(tmp_path / "out"), policy=GUARDED.name)
    return settings.request(US_LISTED)


def test_a_build_is_refused_before_it_starts(request_: Request) -> None:
    """Where records are sampled, nothing makes the steps of such a graph; elsewhere reports may compare with originals."""
    steps = mutated(ordered(declared_steps(US_LISTED)), "reports/profile_clean", reads=CONFORMED)
    with pytest.raises(FlowError, match="reports/profile_clean"):
        Scheduler(request_, steps, Store(request_.store))
    Scheduler(replace(request_, policy=LSD), steps, Store(request_.store))


def test_a_step_is_not_handed_what_is_withheld(request_: Request) -> None:
    """The published comparison reads originals under `lsd`, and is not even given their names under `guarded`."""
    steps = ordered(declared_steps(US_LISTED))
    (of_lsd,) = (step for step in steps if step.label == "reports/distributions")
    scheduler = Scheduler(request_, steps, Store(request_.store))
    (of_guarded,) = (step for step in scheduler.steps if step.label == "reports/distributions")
    assert (
        of_lsd.reads - of_guarded.reads
        == of_lsd.withheld
        == {place for place in of_lsd.reads if place[0] == "conformed"}
    )


def test_a_ledger_is_published_by_what_is_told_of_it() -> None:
    """Reports tell of what stands there: it is not the curator's."""
    (of_noise,) = (step for step in LISTED if (Stage.LEDGER, "company_figures") in step.makes)
    alone = replace(of_noise, makes=frozenset({(Stage.LEDGER, "company_figures")}), uses=frozenset({RAW}))
    with pytest.raises(FlowError, match="makes ledger/company_figures of the originals"):
        refuse_leaks([alone])


def test_a_door_is_one_where_originals_come() -> None:
    """What a step of nothing makes passes no door."""
    (figures,) = (step for step in LISTED if step.label == "anonymised/figures")
    assert doors_of([replace(figures, uses=frozenset({RAW}))]) == figures.doors != {}
    assert doors_of([replace(figures, uses=frozenset(), reads=frozenset())]) == {}


def test_a_budget_without_bound_is_none_in_a_manifest(request_: Request) -> None:
    """JSON has no infinity."""
    assert MANIFEST.of(request_).budget == request_.budget
    assert MANIFEST.of(replace(request_, policy=LSD, budget=inf)).budget is None

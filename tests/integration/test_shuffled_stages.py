"""Records of both sides are found by the identity map: in which order rows lie between the stages makes no difference."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl
import pytest

from anonymize.tables import NAMES
from assets.every_step import declared_steps, ordered
from assets.evidence.sides import of_both_sides, paired_events
from assets.making.engines import Engine
from assets.making.keys import ATTRIBUTES, Place, Stage
from assets.making.request import Request
from assets.making.results import Result
from assets.making.scheduler import Scheduler, Watch
from assets.making.step import Run, StepOutcome
from assets.making.store import Store, Value
from assets.wiring.resources import Workspace
from pipeline.model import Frames
from silt.environments.registry import find_environment
from tests.integration.conftest import built_page
from tests.integration.readme import PAGES
from tests.integration.refusals import DAGSTERS_OWN_WARNING
from tests.shared_builds import SharedBuilds
from tests.stages import kept

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)]

REPORTS = ("distributions", "consistency", "attacks")


@dataclass(frozen=True)
class Between:
    """A finished build, and what it keeps between the stages."""

    request: Request
    folder: Path
    """Where it was built."""

    def made_anew(self, instead: Mapping[Place, Value] | None = None) -> dict[str, Value]:
        """Make the reports, from other tables where some are given."""
        scheduler = self.scheduler(instead)
        made = [step for step in scheduler.steps if any((Stage.REPORTS, name) in step.makes for name in REPORTS)]
        assert all(scheduler.outcome(step).is_passed for step in made)
        return {"/".join(place): scheduler.value(place) for step in made for place in step.makes}

    def scheduler(self, instead: Mapping[Place, Value] | None = None, *, watch: Watch = lambda *_: None) -> Scheduler:
        """Return what makes the steps."""
        steps = ordered(declared_steps(self.request.environment))
        return Scheduler(self.request, steps, Store(self.request.store), instead=instead, watch=watch)

    def shuffled(self, stage: str) -> dict[Place, Value]:
        """Return the tables of a stage that reports compare, with their rows in another order."""
        environment = self.request.environment
        compared = [*of_both_sides(environment), (Stage.ANONYMISED, environment.entities.tables[0])]
        places = [place for place in compared if place[0] == stage]
        if stage == Stage.ANONYMISED:
            places.append((Stage.IDENTITY, ATTRIBUTES))
        frames = {place: kept(self.folder, *place) for place in dict.fromkeys(places)}
        return {
            place: frame.sample(fraction=1.0, shuffle=True, seed=7)
            for place, frame in frames.items()
            if isinstance(frame, pl.DataFrame) and frame.height > 1
        }

    def paired(self, instead: Mapping[Place, Value] | None = None) -> tuple[Frames, Frames]:
        """Return both sides of the events, as a step that compares them gets them."""
        scheduler, found = self.scheduler(instead), []
        step = next(step for step in scheduler.steps if (Stage.REPORTS, "consistency") in step.makes)

        def body(run: Run) -> Iterator[Result]:
            found.append(paired_events(run))
            return iter(())

        scheduler.outcome(replace(step, name="pairing", body=body))
        return found[0]


@dataclass
class Noted:
    """An engine that notes what it performs: steps, and parts of them."""

    engine: Engine
    performed: list[tuple[str, str]] = field(default_factory=list)

    @property
    def at_once(self) -> int:
        """Return how many steps are performed at a time."""
        return self.engine.at_once

    def __call__(self, run: Run) -> StepOutcome:
        """Note a run, and perform it."""
        self.performed.append((run.step.label, run.part.name if run.part else "whole"))
        return self.engine(run)


@pytest.fixture
def ferries(builds: SharedBuilds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Between:
    """Return a finished build with events."""
    page = next(page for page in PAGES if page.stem == "events")
    monkeypatch.chdir(shutil.copytree(built_page(builds, page), tmp_path, dirs_exist_ok=True))
    request = Workspace(raw="ferries", noise="ferries.yaml").request(find_environment("ferries.py:FERRIES"))
    return Between(request, Path("environments/ferries"))


def test_only_what_reads_a_change_is_made_again(ferries: Between) -> None:
    """Other invented names: of all attacks those on names. Another rate of noise: nothing that compares with the originals."""

    def made(build: Between, instead: Mapping[Place, Value] | None = None) -> set[tuple[str, str]]:
        scheduler = build.scheduler(instead)
        scheduler.engine = noted = Noted(scheduler.engine)
        for step in scheduler.steps:
            if (Stage.REPORTS, "noise") in step.makes or any((Stage.REPORTS, name) in step.makes for name in REPORTS):
                scheduler.outcome(step)
        return set(noted.performed)

    place = (Stage.ANONYMISED, NAMES)
    names = kept(ferries.folder, *place)
    assert isinstance(names, pl.DataFrame)
    others = {place: names.with_columns(pl.exclude("code").reverse())}
    assert made(ferries, others) == {("reports/attacks", "names"), ("reports/attacks", "whole")}
    rates = Path("ferries.yaml").read_text().replace("rate: 0.2", "rate: 0.3")
    Path("harsher.yaml").write_text(rates)
    harsher = Workspace(raw="ferries", noise="harsher.yaml").request(ferries.request.environment)
    steps = {label for label, _ in made(replace(ferries, request=harsher))}
    assert "reports/noise" in steps
    assert not {label for label in steps if label.rpartition("/")[2].startswith(REPORTS)}


def test_shuffled_events_are_paired_as_before(ferries: Between) -> None:
    """Events, firms and figures on either side are shuffled: each event has its own original, and reports stay as they are."""
    build = ferries
    before = build.made_anew()
    then, now = (side["sailings"] for side in build.paired())
    assert then["passengers"].is_null().to_list() == now["passengers"].is_null().to_list()
    for stages in ([Stage.ANONYMISED], [Stage.ANONYMISED, Stage.CONFORMED]):
        shuffled = {place: frame for stage in stages for place, frame in build.shuffled(stage).items()}
        assert len(shuffled) > len(stages)
        assert build.made_anew(shuffled) == before
        assert all(
            frame.equals(pair)
            for frame, pair in zip((then, now), (side["sailings"] for side in build.paired(shuffled)), strict=True)
        )

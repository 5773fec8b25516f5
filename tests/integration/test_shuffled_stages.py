"""Records of both sides are found by the identity map: in which order rows lie between the stages makes no difference."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl
import pytest

from assets.every_step import declared_steps, ordered
from assets.evidence.sides import of_both_sides, paired_events
from assets.making.keys import ATTRIBUTES, Place, Stage
from assets.making.request import Request
from assets.making.results import Result
from assets.making.scheduler import Scheduler, Watch
from assets.making.step import Run
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


def test_shuffled_events_are_paired_as_before(
    builds: SharedBuilds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Events, firms and figures on either side are shuffled: each event has its own original, and reports stay as they are."""
    page = next(page for page in PAGES if page.stem == "events")
    monkeypatch.chdir(shutil.copytree(built_page(builds, page), tmp_path, dirs_exist_ok=True))
    request = Workspace(raw="ferries", noise="ferries.yaml").request(find_environment("ferries.py:FERRIES"))
    build = Between(request, Path("environments/ferries"))
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

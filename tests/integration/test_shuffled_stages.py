"""Records of both sides are found by the identity map: in which order rows lie between the stages makes no difference."""

import shutil
from dataclasses import replace
from pathlib import Path

import dagster as dg
import polars as pl
import pytest

from assets.evidence.sides import of_both_sides, paired_events
from assets.wiring.keys import KS, Stage, beside, key
from assets.wiring.request import Request
from assets.wiring.resources import Workspace
from assets.wiring.steps import Run
from assets.wiring.store import Value, read_stage, write_stage
from pipeline.places import CURATOR
from silt.cli import main
from silt.definitions import build_defs
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.registry import find_environment
from tests.integration.conftest import SCALE, Build
from tests.integration.readme import PAGES, example_command, write_example
from tests.integration.refusals import DAGSTERS_OWN_WARNING

pytestmark = pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)

REPORTS = ("distributions", "consistency", "attacks")


def made_anew(request: Request) -> dict[str, Value]:
    """Make the reports from what lies between the stages."""
    environment = request.environment
    assets = [key(environment, Stage.REPORTS, name) for name in REPORTS]
    job = build_defs(environment, request=request).resolve_implicit_global_asset_job_def()
    with dg.DagsterInstance.ephemeral() as instance:
        assert job.execute_in_process(instance=instance, asset_selection=assets).success
    names = [*REPORTS, *(name for stage, name in beside(environment) if stage == Stage.REPORTS)]
    return {name: read_stage(request.out, (environment.name, Stage.REPORTS, name)) for name in names}


def shuffle(request: Request, stage: str) -> int:
    """Put the rows of all tables of a stage that reports compare in another order; return how many tables have one."""
    changed = 0
    for place in of_both_sides(request.environment):
        path = (request.environment.name, *place)
        frame = read_stage(request.out, path) if place[0] == stage else None
        if isinstance(frame, pl.DataFrame):
            shuffled = frame.sample(fraction=1.0, shuffle=True, seed=7)
            changed += not shuffled.equals(frame)
            write_stage(request.out, path, shuffled)
    return changed


def test_shuffled_firms_and_figures_change_no_report(corpus: Path, small: Build, tmp_path: Path) -> None:
    """Reports on the small build are the same to the last byte after the anonymised tables are shuffled."""
    inner = Path(DATACLAW_18.name, CURATOR)
    shutil.copytree(small.folder.parent / inner, tmp_path / inner)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(corpus)
        request = replace(Workspace(scale=SCALE).request(DATACLAW_18), out=tmp_path, raw=small.raw)
    before = made_anew(request)
    assert shuffle(request, Stage.ANONYMISED) == 2
    assert made_anew(request) == before
    assert len(str(before[KS])) > 1000


def test_shuffled_events_are_paired_as_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events, firms and figures on either side are shuffled: each event has its own original, and reports stay as they are."""
    page = next(page for page in PAGES if page.stem == "events")
    write_example(tmp_path, page)
    monkeypatch.chdir(tmp_path)
    assert main(example_command(page)) == 0
    request = Workspace(raw="ferries", noise="ferries.yaml").request(find_environment("ferries.py:FERRIES"))
    run = Run(request=request, reads=frozenset(of_both_sides(request.environment)), log=print)
    before = made_anew(request)
    then, now = (side["sailings"] for side in paired_events(run))
    assert then["passengers"].is_null().to_list() == now["passengers"].is_null().to_list()
    for stage in (Stage.ANONYMISED, Stage.CONFORMED):
        assert shuffle(request, stage) > 1
        assert made_anew(request) == before
        assert all(
            frame.equals(pair)
            for frame, pair in zip((then, now), (side["sailings"] for side in paired_events(run)), strict=True)
        )

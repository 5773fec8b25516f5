"""Reports on some companies: where there are more than a limit, a build attacks and compares those that the key draws."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assets.every_step import declared_steps, ordered
from assets.making.keys import ATTACKS, DISTRIBUTIONS, KS, ON_FIGURES, Stage
from assets.making.scheduler import Scheduler
from assets.making.store import Store
from assets.wiring.resources import Workspace
from pipeline.places import CURATOR, STORE
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.integration.conftest import SCALE, Build
from tests.integration.refusals import DAGSTERS_OWN_WARNING
from validation.report.documents import written

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings(DAGSTERS_OWN_WARNING)]

FEW = 40


def test_reports_on_some_state_of_how_many(
    corpus: Path, small: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is found of all is within the bounds of what is found of some; reports are what their types say."""
    store = tmp_path / STORE
    shutil.copytree(small.folder / CURATOR / STORE, store)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(corpus)
        request = replace(Workspace(scale=SCALE, store=str(store)).request(DATACLAW_18), out=tmp_path, raw=small.raw)
    monkeypatch.setattr("validation.drawn.MOST", FEW)
    # A step of another name is made again.
    asked = {(Stage.CURATOR, ON_FIGURES), (Stage.REPORTS, ATTACKS), (Stage.REPORTS, DISTRIBUTIONS)}
    steps = [
        replace(step, name=f"{step.name}_of_some") if asked & step.makes else step
        for step in ordered(declared_steps(DATACLAW_18))
    ]
    scheduler = Scheduler(request, steps, Store(store))

    def made(name: str) -> dict[str, Any]:
        text = str(scheduler.value((Stage.REPORTS, name)))
        assert written("privacy" if name == ATTACKS else name, json.loads(text))
        return dict(json.loads(text))

    for step in steps:
        if asked & step.makes:
            scheduler.outcome(step)
    _is_within(made(ATTACKS), json.loads((small.clean / "reports/privacy.json").read_text()))
    ks, whole = made(KS), json.loads((small.clean / "reports/ks.json").read_text())
    assert ks["drawn"] == made(DISTRIBUTIONS)["drawn"]
    assert FEW <= ks["drawn"]["companies"] < ks["drawn"]["of"]
    assert "drawn" not in whole
    assert ks["unequal_sizes"] == 0
    assert 0 < sum(test["n"] for test in ks["tests"]) < sum(test["n"] for test in whole["tests"])


def _is_within(some: dict[str, Any], whole: dict[str, Any]) -> None:
    known = {(each["attack"], each["knowledge"]): each for each in whole["attacks"]}
    drawn = [each for each in some["attacks"] if "drawn_from" in each]
    assert len(drawn) > 3
    for each in drawn:
        of_all = known[each["attack"], each["knowledge"]]
        assert each["records"] < each["drawn_from"] == of_all["records"]
        assert of_all["rate"] <= each["upper_95"]
        assert of_all["chance"] == pytest.approx(each["chance"], abs=0.2)

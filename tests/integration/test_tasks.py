"""Tasks of a build: made, checked, recomputed from the question's words and the published files alone, refused whole."""

import argparse
import csv
import json
import re
import shutil
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml

import silt.environments
from assets.making.keys import op_name
from assets.making.scheduler import Scheduler
from assets.making.store import Store
from assets.tasks.asset import TASKS, tasks_key_of
from assets.wiring.event_log import without_record
from pipeline.publish.publication import exclusive
from silt.commands.tasks import requested
from silt.definitions import build_defs
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.integration.conftest import Build, run_silt

SHIPPED = Path(silt.environments.__file__).parent / "dataclaw_18/tasks.yaml"

ASKED = {"figure_of_firm", "firm_share_of_industry", "growth_of_firm", "leaders_of_industry"}
"""Families for which a corpus of a fiftieth has enough firms."""


@pytest.fixture(scope="module")
def tasked(small: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a copy of a build, with tasks."""
    out = tmp_path_factory.mktemp("tasked")
    shutil.copytree(small.folder / "clean", out / "dataclaw-18/clean")
    families = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
    families["families"] = [each for each in families["families"] if each["name"] in ASKED]
    for each in families["families"]:
        each["wording"] = {"zh": each["wording"]["zh"]}  # with the tables' own words for figures
        if "industry" in each["slots"]:
            each["slots"]["industry"]["values"] |= {"least": 5}
    families["categories"] = {"enterprise_industry_analysis": {"any": 60}}
    (out / "few.yaml").write_text(yaml.safe_dump(families, allow_unicode=True, sort_keys=False), encoding="utf-8")
    done = run_silt("tasks", "make", "--out", out, "--families", out / "few.yaml", "--dev", "1", cwd=out)
    assert done.returncode == 0, done.stderr
    return out / "dataclaw-18"


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def rows(folder: Path, name: str) -> list[dict[str, str]]:
    with next((folder / "clean/database").rglob(f"{name}.csv")).open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def test_what_was_made_is_checked(tasked: Path) -> None:
    done = run_silt("tasks", "check", "--out", tasked.parent, cwd=tasked)
    assert done.returncode == 0, done.stderr
    assert "60 right, as their statements and commitments say" in done.stdout


def test_leaders_are_those_that_a_reader_finds(tasked: Path) -> None:
    """From the question's words, with nothing of ours: firms of the industry at home, their figure, sorted."""
    asked = [each for each in records(tasked / "tasks/dev.jsonl") if each["family"] == "leaders_of_industry"]
    firms, figures = rows(tasked, "company_profile"), rows(tasked, "company_operation_status")
    industries = {firm["industry"] for firm in firms} - {""}
    measures = {figure["targetName"] for figure in figures}
    assert len(asked) > 2
    for task in asked:
        industry = max((name for name in industries if name in task["question"]), key=len)
        measure = max((name for name in measures if name in task["question"]), key=len)
        names = {
            firm["bmCode"]: firm["bmCompanyName"]
            for firm in firms
            if firm["industry"] == industry and firm["companyType"] != "国外"
        }
        own = [each for each in figures if each["bmCode"] in names and each["targetName"] == measure and each["value"]]
        own.sort(key=lambda each: -float(each["value"]))
        top = int(re.findall(r"(?<![\d.])[234](?![\d.])", task["question"])[0])
        assert task["answer"] == [names[each["bmCode"]] for each in own[:top]], task["question"]


def test_the_graph_makes_the_same_tasks(tasked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The asset makes the bytes that the command made, and its checks pass; nobody could try a build without noise."""
    before = {file.name: file.read_bytes() for file in (tasked / "tasks").iterdir()}
    monkeypatch.chdir(tasked)
    options = argparse.Namespace(out=str(tasked.parent), raw="", noise="", key_file="")
    request = requested(DATACLAW_18, options)
    with exclusive(request.folder), without_record() as instance:
        job = build_defs(DATACLAW_18, scheduler=Scheduler(request, (), Store(tasked / "store"))).resolve_job_def(TASKS)
        config = {"config": {"families": str(tasked.parent / "few.yaml"), "dev": "1"}}
        done = job.execute_in_process(
            run_config={"ops": {op_name(DATACLAW_18, TASKS, TASKS): config}},
            asset_selection=[dg.AssetKey(tasks_key_of(DATACLAW_18))],
            instance=instance,
        )
    assert {file.name: file.read_bytes() for file in (tasked / "tasks").iterdir()} == before
    failed = [check.check_name for check in done.get_asset_check_evaluations() if not check.passed]
    assert failed == ["answerable_from_noisy"]


def test_families_are_explained(tasked: Path) -> None:
    done = run_silt("tasks", "explain", "--family", "debt_after_a_rise", cwd=tasked)
    assert done.returncode == 0, done.stderr
    assert "risen: changed of @debts and $rise" in done.stdout
    done = run_silt("tasks", "explain", "--family", "debt_after_a_fall", cwd=tasked)
    assert done.returncode == 2
    assert "did you mean 'debt_after_a_rise'" in done.stderr

"""`silt score` on tasks of real builds: gold of each task is right in all its ways of writing, and wrong once it is spoilt."""

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from pipeline.tasks.scoring.files import tasks_with_gold
from tests.integration.conftest import Build, run_silt
from tests.shared_builds import SharedBuilds
from tests.unit.tasks.spoilt import misjudged


@pytest.fixture(scope="session")
def listed_tasks(builds: SharedBuilds, listed: Build) -> Path:
    """Return the folder of a copy of a build of us-listed, with all its tasks."""

    def make(folder: Path) -> None:
        shutil.copytree(listed.folder.parents[1], folder, dirs_exist_ok=True)
        done = run_silt("tasks", "make", "--environment", "us-listed", cwd=folder)
        assert done.returncode == 0, done.stderr

    return builds.made("listed-with-tasks", make) / "environments/us-listed"


def test_each_task_of_us_listed_accepts_its_gold_and_nothing_spoilt(listed_tasks: Path) -> None:
    """All that its families state: 255."""
    assert len(tasks_with_gold(listed_tasks)) == 255
    assert misjudged(listed_tasks) == []


def test_what_a_naive_reader_answers_is_right_where_no_rule_breaks_the_task(
    tasked_example: Path, tmp_path: Path
) -> None:
    """Scored as `silt tasks check` says, with the tutorial's tasks, whose noise is another with each key; a hedge is wrong."""
    impact = json.loads((tasked_example / "environments/shops/tasks/impact.json").read_bytes())
    naive = {name: each["naive"]["noisy"] for name, each in impact.items()} | {"dev-0001": "36 or 51"}
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps({"id": name, "answer": answer}) + "\n" for name, answer in naive.items()))
    checked = run_silt("tasks", "check", "--environment", "shops.py:SHOPS", cwd=tasked_example).stdout
    (command,) = re.findall("^  next +silt (.*)$", checked, re.MULTILINE)
    done = run_silt(*shlex.split(command.replace("ANSWERS.jsonl", str(file))), cwd=tasked_example)
    assert done.returncode == 0, done.stderr
    assert (
        "scored     6 tasks: 6 of dev\n  left out   test: the file answers none of its tasks\n  right " in done.stdout
    )
    found = json.loads((tmp_path / "results.json").read_bytes())
    right = {name for name, each in impact.items() if not each["broken_by"]} - {"dev-0001"}
    assert {each["id"] for each in found["verdicts"] if each["verdict"] == "right"} == right
    assert (
        found["accuracy"]["right"] == sum(each["right"] for each in found["by_rule"] if not each["name"]) == len(right)
    )


def test_tasks_of_another_clean_build_are_neither_scored_nor_checked(tasked_example: Path, tmp_path: Path) -> None:
    """Their answers may be right no longer; tasks without a clean variant beside them are scored."""
    out, named = tmp_path / "out", ["--environment", "shops.py:SHOPS"]
    shutil.copytree(tasked_example / "environments", out)
    (answers := tmp_path / "answers.jsonl").write_text('{"id": "dev-0001", "answer": 1}')
    manifest = out / "shops/clean/manifest.json"
    manifest.write_text(manifest.read_text() + "\n")
    for command in (["score", answers, *named], ["tasks", "check", *named]):
        done = run_silt(*command, "--out", out, cwd=tasked_example)
        said = " ".join(done.stderr.split())
        assert done.returncode == 2, said
        again = f"make them again: silt tasks make --environment shops.py:SHOPS --out {out}"
        assert said.endswith(f"are of another clean build than {out}/shops/clean; {again}")
    assert not (tmp_path / "results.json").exists()
    shutil.rmtree(out / "shops/clean")
    assert run_silt("score", answers, *named, "--out", out, cwd=tasked_example).returncode == 0

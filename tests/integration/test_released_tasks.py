"""Releases with tasks: what is public of them, what is refused, and what a stranger learns of noise that is not disclosed."""

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.errors import GateError, InputError
from pipeline.model import Environment
from pipeline.noise.spec import load_spec
from pipeline.publish.files import sha256
from pipeline.release.assembling import Given, assemble
from pipeline.release.settings import Asked
from pipeline.report_json import report_json
from silt.environments.registry import find_environment
from tests.integration.conftest import run_silt
from validation.release.checks.files import none_besides
from validation.release.checks.tasks import answers_follow, tasks_agree
from validation.release.diff.differences import differences
from validation.release.opened import Release, opened

PUBLIC = {"commitments.json", "dev.jsonl", "manifest.json", "manual.md", "test.jsonl"}

CLEAN_ALONE = {"clean_answer", "steps", "milestones", "sql", "evidence"}
"""What of a task shows the clean tables, besides its answer."""


@pytest.fixture(scope="module")
def environment(tasked_example: Path) -> Environment:
    return find_environment(f"{tasked_example / 'shops.py'}:SHOPS")


@pytest.fixture
def build(tasked_example: Path, tmp_path: Path) -> Path:
    """Return a copy of the build, to be changed."""
    return Path(shutil.copytree(tasked_example / "environments/shops", tmp_path / "shops"))


def release(environment: Environment, build: Path, version: str = "1.0.0", **asked: Any) -> Path:
    """Make a release with tasks beside the build."""
    given = Given(spec=load_spec(Path(environment.declared_in.rpartition(":")[0]).parent / "shops.yaml", environment))
    asked = {"variants": ("noisy", "clean")} | asked
    return assemble(environment, build, build.parent, Asked(version=version, date=0, tasks=True, **asked), given)


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def problems(folder: Path, environment: Environment) -> list[str]:
    found = opened(folder, environment)
    checks = (tasks_agree, none_besides, *([answers_follow] if found.clean else []))
    return [f"{each.file} {each.column}" for check in checks for each in check(found) if each.file.startswith("tasks/")]


@pytest.mark.parametrize("disclose_noise", [True, False])
@pytest.mark.parametrize("variants", [("noisy",), ("clean",), ("noisy", "clean")])
def test_what_is_public_does_not_say_what_is_not_disclosed(
    environment: Environment, build: Path, *, disclose_noise: bool, variants: tuple[str, ...]
) -> None:
    """Files and counts of noise stay with the curator; so does what shows clean tables, where these are not in the release."""
    public = release(environment, build, variants=variants, disclose_noise=disclose_noise)
    curator = public.with_name(f"{public.name}.curator") / "tasks"
    assert names(public / "tasks") == PUBLIC | ({"impact.json", "index.html"} if disclose_noise else set())
    assert {"test_answers.jsonl", "test_impact.json"} <= names(curator)
    assert ("impact.json" in names(curator)) is not disclose_noise
    assert "index.html" not in names(curator), "it leads to the tables and their card, which are not beside it"
    assert ("impact" in json.loads((public / "tasks/manifest.json").read_bytes())) is disclose_noise
    dev, made = records(public / "tasks/dev.jsonl"), records(build / "tasks/dev.jsonl")
    is_whole = disclose_noise or "clean" in variants
    assert dev == (made if is_whole else [{n: each[n] for n in each if n not in CLEAN_ALONE} for each in made])
    assert records((public if is_whole else curator.parent) / "tasks/dev.jsonl") == made
    assert problems(public, environment) == []


@pytest.mark.parametrize("is_whole", [True, False])
def test_the_command_of_the_readme_scores_answers_to_dev(
    environment: Environment, build: Path, *, is_whole: bool
) -> None:
    """As it is printed, but for the declaration, which is the makers'; also where answers have no steps."""
    public = release(environment, build, variants=("noisy", "clean") if is_whole else ("noisy",))
    answers = ({"id": each["id"], "answer": each["answer"]} for each in records(public / "tasks/dev.jsonl"))
    (build.parent / "ANSWERS.jsonl").write_text("\n".join(map(json.dumps, answers)))
    (command,) = re.findall("`silt (score .*?)`", (public / "README.md").read_text(encoding="utf-8"))
    words = shlex.split(command.replace("FILE.py:NAME", str(Path(environment.declared_in).resolve())))
    done = run_silt(*words, cwd=public)
    assert "  right      6, which is 100% " in done.stdout, done.stderr
    assert (build.parent / "results.html").is_file()


def another_answer(build: Path) -> None:
    """Change an answer of the test, which only its commitment and its statement tell."""
    file = build / "curator/tasks/test_answers.jsonl"
    first, *rest = records(file)
    file.write_text("\n".join(map(json.dumps, [first | {"answer": "nobody"}, *rest])))


REFUSED: dict[str, tuple[Callable[[Path], object], type[Exception], str]] = {
    "none": (lambda build: shutil.rmtree(build / "tasks"), InputError, "holds no tasks .* silt tasks make"),
    "no clean variant": (lambda build: shutil.rmtree(build / "clean"), InputError, "holds no clean variant"),
    "no manifest": (
        lambda build: (build / "tasks/manifest.json").write_text("[]"),
        InputError,
        "is no manifest of tasks",
    ),
    "of another build": (
        lambda build: (build / "clean/manifest.json").write_text((build / "clean/manifest.json").read_text() + "\n"),
        InputError,
        "are of another clean build than .*; make them again",
    ),
    "a file changed": (lambda build: (build / "tasks/manual.md").write_text("# Manual\n"), GateError, r"manual\.md"),
    "an answer changed": (another_answer, GateError, "answers of tasks are not what binds them"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_tasks_that_are_not_those_of_the_build_are_refused(environment: Environment, build: Path, what: str) -> None:
    """And nothing is left where releases lie."""
    change, error, said = REFUSED[what]
    change(build)
    with pytest.raises(error, match=said):
        release(environment, build, variants=("noisy",))
    assert not list(build.parent.glob("shops-*"))


def test_a_release_refuses_them_before_it_builds(
    tasked_example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the command that makes tasks of what is released."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    work = Path(shutil.copytree(tasked_example, tmp_path / "work"))
    (manifest,) = work.glob("environments/shops/tasks/manifest.json")
    manifest.write_bytes(report_json(json.loads(manifest.read_bytes()) | {"clean_manifest_sha256": "0"}))
    inputs = ("--environment", "shops.py:SHOPS", "--raw", "shops", "--noise", "shops.yaml")
    done = run_silt("release", *inputs, "--version", "1.0.0", "--tasks", cwd=work)
    said = " ".join(done.stderr.split())
    assert (done.returncode, "  made  " in done.stderr) == (2, False)
    assert (
        "of another clean build than environments/shops/clean; make them again: silt tasks make --environment" in said
    )
    assert said.endswith("silt tasks make --environment shops.py:SHOPS")


def test_counts_of_what_noise_does_are_found_where_it_is_not_disclosed(environment: Environment, build: Path) -> None:
    """In the manifest, as a file, and in tasks that show clean tables which are not there."""
    public = release(environment, build, variants=("noisy",))
    whole = (build / "tasks/dev.jsonl").read_bytes()
    (public / "tasks/dev.jsonl").write_bytes(whole)
    (public / "tasks/impact.json").write_bytes((build / "tasks/impact.json").read_bytes())
    manifest = json.loads((build / "tasks/manifest.json").read_bytes())
    (public / "tasks/manifest.json").write_bytes(report_json(manifest))
    found = problems(public, environment)
    assert {"tasks/manifest.json impact", "tasks/impact.json ", "tasks/dev.jsonl clean_answer"} <= set(found)


def changed(
    folder: Path, environment: Environment, file: str, change: Callable[[list[dict[str, Any]]], Any]
) -> Release:
    """Change the tasks of a release, and open it."""
    tasks = records(folder / "tasks" / file)
    change(tasks)
    (folder / "tasks" / file).write_text("\n".join(map(json.dumps, tasks)))
    return opened(folder, environment)


def test_two_sets_are_compared_by_what_they_ask(environment: Environment, build: Path) -> None:
    """Names do not matter, an answer does: that of the test by its commitment."""
    first = release(environment, build)
    second = Path(shutil.copytree(first, first.with_name("second")))

    def rename(tasks: list[dict[str, Any]]) -> None:
        for number, task in enumerate(tasks):
            task["id"] = f"dev-{number + 5000}"
        tasks[0]["answer"] = "another"
        del tasks[1]

    commitments = second / "tasks/commitments.json"
    bound = json.loads(commitments.read_bytes())
    bound["answers"]["test-0002"] = "0" * 64
    commitments.write_bytes(report_json(bound))
    one, other = opened(first, environment), changed(second, environment, "dev.jsonl", rename)
    found = differences(one, other)
    assert [str(each) for each in found.tasks] == [
        "tasks/dev.jsonl: 1 question gone, 0 come, 1 answered otherwise",
        "tasks/test.jsonl: 0 questions gone, 0 come, 1 answered otherwise",
    ]
    assert (found.step, differences(one, one).step) == ("minor", "none")
    assert sha256(first / "tasks/dev.jsonl") == sha256(build / "tasks/dev.jsonl")

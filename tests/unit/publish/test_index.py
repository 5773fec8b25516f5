"""Folders of variants: what an index binds together, and that they are published whole with their ledgers."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.errors import GateError
from pipeline.publish.index import INDEX, verify_index
from pipeline.publish.manifest import MANIFEST
from pipeline.publish.publication import exclusive, refuse_variant, stage
from tests.unit.publish.killed_ablations import FOLDER, VARIANTS, publish, state

ROOT = Path(__file__).parents[3]
SCRIPT = Path(__file__).with_name("killed_ablations.py")


def whole(label: str) -> dict[str, object]:
    """Return the state of a finished build: 2 files, 2 manifests, 2 ledgers and the index."""
    of_each = dict.fromkeys(sorted(VARIANTS[label]), label)
    return {"index": label, "files": of_each, "ledgers": of_each, "total": 7}


@pytest.mark.parametrize("how", ["exchange", "without exchange"])
def test_killed_build_leaves_all_variants_old_or_all_new(tmp_path: Path, how: str) -> None:
    """Killed before any of its steps, a build leaves one build's variants; recovery leaves its ledgers and no others."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(SCRIPT), str(tmp_path), how]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=120)
    assert result.returncode == 0, result.stderr
    outcomes = [json.loads(line) for line in result.stdout.splitlines()]
    seen = [{"index": label, "files": whole(label)["files"]} for label in "AB"]
    between = [{"index": None, "files": {}}] if how == "without exchange" else []
    for outcome in outcomes:
        at_once, recovered = outcome["at_once"], outcome["recovered"]
        assert {name: at_once[name] for name in ("index", "files")} in seen + between, outcome
        assert recovered in [whole("A"), whole("B")], outcome
        assert recovered["index"] == "B" or at_once["index"] in {"A", None}, outcome
    assert len(outcomes) >= 60
    assert {outcome["recovered"]["index"] for outcome in outcomes} == {"A", "B"}


def test_ledgers_of_variants_that_are_no_more_go(tmp_path: Path) -> None:
    """The next build's variants replace the folder and the curator's ledgers as a whole; the curator's stay private."""
    publish(tmp_path, "A")
    publish(tmp_path, "B")
    assert state(tmp_path) == whole("B")
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "curator").rglob("*") if path.is_dir()}
    assert modes == {0o700}


def test_refused_variants_are_kept_and_the_old_ones_stand(tmp_path: Path) -> None:
    """What a gate refuses is kept with the curator, ledgers and all."""
    publish(tmp_path, "A")
    with exclusive(tmp_path):
        staging = stage(tmp_path, FOLDER)
        (staging.public / INDEX).write_text("{}")
        (staging.curator / FOLDER).mkdir()
        kept = refuse_variant(staging)
    assert sorted(path.relative_to(kept).as_posix() for path in kept.rglob("*")) == [
        "curator",
        f"curator/{FOLDER}",
        "would_be_published",
        f"would_be_published/{INDEX}",
    ]
    assert state(tmp_path) == whole("A") | {"total": 8}


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda folder: (folder / "clean" / MANIFEST).write_text("{}"), r"with another manifest \['clean'\]"),
        (lambda folder: (folder / "clean").rename(folder / "cleaner"), r"not listed \['clean', 'cleaner'\]"),
        (lambda folder: (folder / "more.txt").touch(), r"not listed \['more.txt'\]"),
        (
            lambda folder: (folder / "noisy/database/t.csv").write_text("B"),
            r"'noisy' are not .* changed \['database/t.csv'\]",
        ),
        (lambda folder: (folder / "clean/database/t.csv").unlink(), r"'clean' are not .* missing \['database/t.csv'\]"),
        (
            lambda folder: (folder / "clean/database/u.csv").touch(),
            r"'clean' are not .* not listed \['database/u.csv'\]",
        ),
    ],
)
def test_what_the_index_does_not_say_is_refused(tmp_path: Path, spoil: Callable[[Path], object], says: str) -> None:
    """A variant, a manifest or a data file that is another, missing or not listed."""
    publish(tmp_path, "A")
    verify_index(tmp_path / FOLDER)
    spoil(tmp_path / FOLDER)
    with pytest.raises(GateError, match=says):
        verify_index(tmp_path / FOLDER)

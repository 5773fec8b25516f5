"""Builds that are killed, interrupted or started twice: what is published is one build's whole, always."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.readme import ROOT

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).with_name("killed_example.py")

Digests = dict[str, str]


@pytest.fixture(scope="module")
def outcomes(built_example: Path, example: list[str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what came of builds of the tutorial's example, in a copy with two key files."""
    folder = tmp_path_factory.mktemp("killed") / "example"
    shutil.copytree(built_example, folder)
    for name, digit in (("old.key", "1"), ("new.key", "2")):
        (folder / name).write_text(digit * 64)
        (folder / name).chmod(0o600)
    # NOTE: without DAGSTER_HOME no record is kept, which would take most of the time.
    variables = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"} | {
        "PYTHONPATH": str(ROOT)
    }
    command = [sys.executable, str(SCRIPT), *example]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def is_whole(left: Digests, whole: dict[str, Digests]) -> bool:
    """Say whether each variant has all bytes of one build, the old or the new."""
    return all(digest in {build[variant] for build in whole.values()} for variant, digest in left.items())


def test_builds_with_other_keys_differ(outcomes: dict[str, Any]) -> None:
    """The two builds have no variant in common and other ledgers, so what follows can tell them apart."""
    old, new = outcomes["whole"].values()
    assert old.keys() == {"noisy", "clean", "ledger"}
    assert all(old[name] != new[name] for name in old)
    assert not is_whole({"noisy": old["clean"]}, outcomes["whole"])


def test_killed_build_leaves_each_variant_old_or_new(outcomes: dict[str, Any]) -> None:
    """After SIGKILL each variant is whole, and both outcomes were met; `make faults` kills at many more moments."""
    *killed, _ = outcomes["killed"]
    assert len(killed) == 4
    assert [end["moment"] for end in killed if not is_whole(end["left"], outcomes["whole"])] == []
    assert len({end["left"]["noisy"] for end in killed}) == 2
    assert sum(end["status"] == -9 for end in killed) >= 3


def test_build_after_killed_ones_is_as_if_none_had_been(outcomes: dict[str, Any]) -> None:
    """The next build succeeds, and the curator's ledger is its own."""
    assert outcomes["killed"][-1]["left"] == outcomes["whole"]["old.key"]


def test_interrupted_build_says_so(outcomes: dict[str, Any]) -> None:
    """Recorded to end, a build ends with status 130 and a sentence, and the last one stands."""
    end = outcomes["interrupted"]
    assert end["status"] == 130
    assert end["printed"].endswith("run the same command again to resume")
    assert "Traceback" not in end["printed"]
    assert end["left"].items() <= outcomes["whole"]["old.key"].items()


def test_builds_at_once_do_not_mix(outcomes: dict[str, Any]) -> None:
    """Of two builds started together in one folder one is refused; both variants are the other's."""
    refused, done = sorted(outcomes["at once"], key=lambda end: -end["status"])
    assert (refused["status"], done["status"]) == (2, 0)
    assert re.search(r" \(process \d+\) is at work in environments/shops; wait for its end", refused["printed"])
    assert outcomes["left"].items() <= outcomes["whole"][done["key"]].items()

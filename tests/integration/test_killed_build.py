"""Builds that are killed, interrupted or started twice: what is published is one build's whole, always."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.readme import ROOT

SCRIPT = Path(__file__).with_name("killed_example.py")


@pytest.fixture
def keys(shops: Path) -> Path:
    """Work in the README's example with two key files; return the folder of the built environment."""
    for name, digit in (("old.key", "1"), ("new.key", "2")):
        Path(name).write_text(digit * 64)
        Path(name).chmod(0o600)
    return shops


def outcomes(way: str, example: list[str]) -> tuple[dict[str, dict[str, str]], list[dict[str, Any]]]:
    """Return the digests of whole builds with each key, and how the script's builds ended."""
    variables = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, SCRIPT, way, *example], env=variables, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    wholes, *others = (json.loads(line) for line in done.stdout.splitlines())
    return wholes, others


@pytest.mark.usefixtures("keys")
def test_killed_build_leaves_each_variant_old_or_new(example: list[str]) -> None:
    """After SIGKILL at any moment each variant has all bytes of one build, and the next build is as if nothing had been."""
    wholes, killed = outcomes("killed", example)
    assert len(killed) == 12
    for outcome in killed:
        for variant, digest in outcome["left"].items():
            assert digest in {wholes["old"][variant], wholes["new"][variant]}, outcome["moment"]
        assert outcome["next"] == wholes["old"], outcome["moment"]
    assert wholes["old"]["noisy"] != wholes["new"]["noisy"]
    assert {outcome["left"]["noisy"] for outcome in killed} == {wholes["old"]["noisy"], wholes["new"]["noisy"]}
    assert sum(outcome["status"] == -9 for outcome in killed) >= 10


@pytest.mark.usefixtures("keys")
def test_interrupted_build_says_so(example: list[str]) -> None:
    """Told to end, a build ends with status 2 and a sentence, and the last one stands."""
    wholes, (outcome,) = outcomes("interrupted", example)
    assert outcome["status"] == 2
    assert outcome["printed"].endswith("silt: interrupted; every variant is whole, as it was before or new\n")
    assert "Traceback" not in outcome["printed"]
    assert outcome["left"] == {variant: wholes["old"][variant] for variant in ("noisy", "clean")}


@pytest.mark.usefixtures("keys")
def test_builds_at_once_do_not_mix(example: list[str]) -> None:
    """Of two builds started together in one folder one is refused; both variants are the other's."""
    wholes, (*builds, last) = outcomes("at once", example)
    assert sorted(build["status"] for build in builds) == [0, 2]
    for build in builds:
        if build["status"]:
            assert "silt: another build is at work in environments/shops; wait for its end" in build["printed"]
        else:
            assert last["left"] == {variant: wholes[build["key"]][variant] for variant in ("noisy", "clean")}

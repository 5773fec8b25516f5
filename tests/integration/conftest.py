"""Builds that several tests look at, made once: by the command line, in a folder of their own, as a user would."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipeline.places import default_key, landing
from raw.landing import land
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.integration.readme import ROOT, example_command, write_example

SCALE = 0.02
"""138 firms: every table and every industry's rows are there, a build takes seconds."""

Silt = Callable[..., subprocess.CompletedProcess[str]]


@dataclass(frozen=True)
class Build:
    """A finished build and what it was built from."""

    raw: Path
    folder: Path

    @property
    def noisy(self) -> Path:
        """Return the noisy variant's folder."""
        return self.folder / "noisy"

    @property
    def clean(self) -> Path:
        """Return the clean variant's folder."""
        return self.folder / "clean"

    @property
    def ledger(self) -> Path:
        """Return the ledger."""
        return self.folder / "curator" / "noise_ledger.parquet"


def run_silt(*arguments: object, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `silt` in a folder; `environment` adds to the process's own variables."""
    program = Path(sys.executable).parent / "silt"
    settings = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}
    return subprocess.run(
        [program, *map(str, arguments)],
        cwd=cwd,
        env=settings | environment,
        umask=0,  # what is private has to be closed by who writes it
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(autouse=True)
def no_dagster_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget where the caller keeps Dagster's records: `make` says it, and builds in this process would write there."""
    monkeypatch.setenv("DAGSTER_HOME", "")


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the working folder in which the small corpus has landed."""
    folder = tmp_path_factory.mktemp("corpus")
    assert DATACLAW_18.corpus is not None
    land(DATACLAW_18.corpus, folder / landing(DATACLAW_18.name), SCALE)
    return folder


@pytest.fixture(scope="session")
def small(corpus: Path) -> Build:
    """Return a small build of both variants of dataclaw-18."""
    done = run_silt("build", "--scale", SCALE, "--out", "built", cwd=corpus)
    assert done.returncode == 0, done.stderr
    raw = next((corpus / landing(DATACLAW_18.name)).iterdir())
    return Build(raw=raw, folder=corpus / "built" / DATACLAW_18.name)


@pytest.fixture(scope="session")
def example() -> list[str]:
    """Return the command of the tutorial's example, as arguments of `silt`."""
    return example_command()


@pytest.fixture(scope="session")
def built_example(tmp_path_factory: pytest.TempPathFactory, example: list[str]) -> Path:
    """Return the folder in which the tutorial's example was followed, to the letter."""
    folder = tmp_path_factory.mktemp("example")
    write_example(folder)
    done = run_silt(*example, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def shops(built_example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a copy of that folder, with the checkout's settings of Dagster; return the folder of the built environment."""
    folder = tmp_path / "work"
    shutil.copytree(built_example, folder)
    shutil.copy(ROOT / "dagster.yaml", folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DAGSTER_HOME", str(folder))
    return folder / "environments" / "shops"


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory, real_tables: Path) -> Build:
    """Return a build of both variants of us-listed from the real tables."""
    folder = tmp_path_factory.mktemp("us-listed")
    raw, key = real_tables / "us_listed", folder / default_key("us-listed")
    key.parent.mkdir(mode=0o700)
    shutil.move(write_key(folder), key)
    done = run_silt("build", "--environment", "us-listed", "--raw", raw, cwd=folder)
    assert done.returncode == 0, done.stderr
    return Build(raw=raw, folder=folder / "environments" / "us-listed")


def write_key(folder: Path) -> Path:
    """Write a release key, the same each time: what is asserted of rates is then the same each time."""
    key = folder / "release.key"
    key.write_text("5eed" * 16 + "\n")
    key.chmod(0o600)
    return key


def build_guarded(folder: Path, raw: Path, *variants: str) -> Build:
    """Build us-listed from real tables under `guarded`, with the key in the folder."""
    settings = ["--environment", "us-listed", "--raw", raw, "--policy", "guarded", "--key-file", write_key(folder)]
    done = run_silt("build", *variants, *settings, cwd=folder)
    assert done.returncode == 0, done.stderr
    return Build(raw=raw, folder=folder / "environments" / "us-listed")


@pytest.fixture(scope="session")
def real_guarded(tmp_path_factory: pytest.TempPathFactory, real_tables: Path) -> Build:
    """Return a build of both variants of us-listed from the real tables under `guarded`."""
    return build_guarded(tmp_path_factory.mktemp("us-guarded"), real_tables / "us_listed")


@pytest.fixture(scope="session")
def small_guarded(corpus: Path) -> Build:
    """Return a small build of both variants of dataclaw-18 under `guarded`."""
    done = run_silt("build", "--scale", SCALE, "--policy", "guarded", "--out", "guarded", cwd=corpus)
    assert done.returncode == 0, done.stderr
    raw = next((corpus / landing(DATACLAW_18.name)).iterdir())
    return Build(raw=raw, folder=corpus / "guarded" / DATACLAW_18.name)

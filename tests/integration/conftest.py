"""Builds that several tests look at, made once for all workers, in folders of their own; and how `silt` is run by tests."""

import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from pipeline.places import default_key, landing
from pipeline.release.provenance.signing_key import make_signing_key
from raw.landing import land
from silt.cli import main
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.integration.readme import ROOT, example_command, write_example
from tests.shared_builds import SharedBuilds
from tests.terminal import UNFOLDED
from tests.unit.events import lines_declared
from tests.unit.events.lines import lines, write_lines

SCALE = 0.02
"""138 firms: every table and every industry's rows are there, a build takes seconds."""


@pytest.fixture(autouse=True, scope="session")
def without_workers() -> Iterator[None]:
    """Make builds of this process in this process alone: no worker would see what a test puts in a function's place."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr("silt.engines.local.processors", lambda: 1)
        yield


@pytest.fixture(autouse=True)
def unfolded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have whole sentences to look for in what commands print."""
    monkeypatch.setenv("COLUMNS", UNFOLDED)


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


def run_silt(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run `silt` in a folder, in this process, where its libraries are loaded already."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:  # Dagster asks for descriptors
        with chdir(cwd), _as_in_a_process_of_its_own(), redirect_stdout(out), redirect_stderr(err):
            try:
                status = main([*map(str, arguments)])
            except SystemExit as ended:
                status = int(ended.code or 0)
        out.seek(0), err.seek(0)
        return subprocess.CompletedProcess(arguments, status, out.read(), err.read())


@contextmanager
def _as_in_a_process_of_its_own() -> Iterator[None]:
    before = os.umask(0)  # what is private has to be closed by who writes it
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.setenv("DAGSTER_HOME", "")
        patch.setenv("COLUMNS", UNFOLDED)
        warnings.simplefilter("default")  # steps that run side by side cannot each have filters of their own
        try:
            yield
        finally:
            os.umask(before)


Run = Callable[..., subprocess.CompletedProcess[str]]
"""How `silt` is run: here, or as a program of its own, which takes ten seconds of a processor more."""


def run_program(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the installed program in a folder, as a user would."""
    program = Path(sys.executable).parent / "silt"
    return subprocess.run(
        [program, *map(str, arguments)],
        cwd=cwd,
        env={name: value for name, value in os.environ.items() if name not in {"DAGSTER_HOME", "POLARS_MAX_THREADS"}},
        umask=0,
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
def landed(builds: SharedBuilds) -> Path:
    """Return the folder, shared with others, in which the small corpus has landed."""
    corpus = DATACLAW_18.corpus
    assert corpus is not None
    return builds.made("corpus", lambda folder: land(corpus, folder / landing(DATACLAW_18.name), SCALE))


@pytest.fixture(scope="session")
def corpus(landed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a working folder in which the small corpus has landed, for builds beside it."""
    return Path(shutil.copytree(landed, tmp_path_factory.mktemp("corpus"), dirs_exist_ok=True))


def built_of_corpus(
    builds: SharedBuilds, landed: Path, name: str, *settings: object, key: str = "", run: Run = run_silt
) -> Build:
    """Return a shared build of dataclaw-18 from the small corpus, with the default key or another."""

    def make(folder: Path) -> None:
        of_key = ("--key-file", write_key(folder, key)) if key else ()
        done = run("build", "--scale", SCALE, "--out", folder / "built", *settings, *of_key, cwd=landed)
        assert done.returncode == 0, done.stderr

    raw = next((landed / landing(DATACLAW_18.name)).iterdir())
    return Build(raw=raw, folder=builds.made(name, make) / "built" / DATACLAW_18.name)


@pytest.fixture(scope="session")
def small(builds: SharedBuilds, landed: Path) -> Build:
    """Return a small build of both variants of dataclaw-18, made as a user makes it: by a program, with workers."""
    return built_of_corpus(builds, landed, "small", run=run_program)


@pytest.fixture(scope="session")
def other_key(builds: SharedBuilds, landed: Path) -> Build:
    """Return a small build of the clean variant of dataclaw-18 under another key, which is beside it."""
    return built_of_corpus(builds, landed, "other-key", "clean", key="0123456789abcdef" * 4)


@pytest.fixture(scope="session")
def small_guarded(builds: SharedBuilds, landed: Path) -> Build:
    """Return a small build of both variants of dataclaw-18 under `guarded`."""
    return built_of_corpus(builds, landed, "small-guarded", "--policy", "guarded")


@pytest.fixture(scope="session")
def released(builds: SharedBuilds, landed: Path, small: Build) -> Path:
    """Return a documented and signed release of the small build; the public key stands beside it."""

    def make(folder: Path) -> None:
        shutil.copytree(small.folder.parent, folder / "out")
        make_signing_key(key := folder / "signing.key")
        release_small(landed, folder, "noisy", "--documented", "--sign", key)

    return builds.made("released", make) / f"{DATACLAW_18.name}-1.0.0"


def release_small(landed: Path, folder: Path, *options: object) -> Path:
    """Release the small build, a copy of which is `out` in a folder, into that folder."""
    settings = ("--version", "1.0.0", "--scale", SCALE, "--out", folder / "out", "--releases", folder)
    with pytest.MonkeyPatch.context() as changed:
        changed.setenv("SOURCE_DATE_EPOCH", "1790000000")
        done = run_silt("release", *settings, *options, cwd=landed)
    assert done.returncode == 0, done.stderr
    return folder / f"{DATACLAW_18.name}-1.0.0"


@pytest.fixture(scope="session")
def lines_guarded(builds: SharedBuilds) -> Path:
    """Return a folder with shipping companies, of which both variants were built under `guarded`."""

    def make(folder: Path) -> None:
        write_lines(folder / "lines", lines())
        shutil.copy(lines_declared.__file__, folder / "lines.py")
        (folder / "lines.yaml").write_text(NOISE_ON_LINES)
        (key := folder / default_key("lines", "guarded")).parent.mkdir(mode=0o700)
        # NOTE: with 120 companies, an attack is over its limit under three or four of eight keys.
        shutil.move(write_key(folder, f"{103:064x}"), key)
        done = run_silt("build", *LINES, "--noise", "lines.yaml", "--policy", "guarded", cwd=folder)
        assert done.returncode == 0, done.stderr

    return builds.made("lines", make)


LINES = ("--environment", "lines.py:LINES", "--raw", "lines")

NOISE_ON_LINES = """
environment: lines
description: A few gaps.
rules:
  - name: passengers not counted
    kind: missing_values
    tables: [sailings]
    parameters: {columns: [passengers]}
    mechanism: {type: completely_at_random, rate: 0.2}
    reason: nobody stood at the gate
"""


@pytest.fixture(scope="session")
def example() -> list[str]:
    """Return the command of the tutorial's example, as arguments of `silt`."""
    return example_command()


PRINTED = "printed.txt"
"""What the build of the example printed, beside its files."""


@pytest.fixture(scope="session")
def built_example(builds: SharedBuilds, example: list[str]) -> Path:
    """Return the folder in which the tutorial's example was followed, to the letter."""

    def make(folder: Path) -> None:
        write_example(folder)
        done = run_silt(*example, cwd=folder)
        assert done.returncode == 0, done.stderr
        (folder / PRINTED).write_text(done.stdout + done.stderr, encoding="utf-8")

    return builds.made("example", make)


def built_page(builds: SharedBuilds, page: Path) -> Path:
    """Return the folder in which the example of a page was followed, with a key that is the same each time."""

    def make(folder: Path) -> None:
        write_example(folder, page)
        command = example_command(page)
        name = command[command.index("--environment") + 1].partition(":")[2].lower()
        (key := folder / default_key(name, "lsd")).parent.mkdir(mode=0o700)
        shutil.move(write_key(folder), key)
        done = run_silt(*command, cwd=folder)
        assert done.returncode == 0, done.stderr

    return builds.made(f"page-{page.stem}", make)


@pytest.fixture(scope="session")
def tasked_example(builds: SharedBuilds, built_example: Path) -> Path:
    """Return a copy of that folder with tasks of the build, half of them with answers, and what its noise does to them."""

    def make(folder: Path) -> None:
        shutil.copytree(built_example, folder, dirs_exist_ok=True)
        asked = ("--count", 12, "--dev", "0.5", "--impact", "--raw", "shops", "--noise", "shops.yaml")
        done = run_silt("tasks", "make", "--environment", "shops.py:SHOPS", *asked, cwd=folder)
        assert done.returncode == 0, done.stderr

    return builds.made("example-with-tasks", make)


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
def listed(builds: SharedBuilds, listed_tables: Path) -> Build:
    """Return a build of both variants of us-listed from tables that are a user's: the real ones, where they are."""

    def make(folder: Path) -> None:
        key = folder / default_key("us-listed", "lsd")
        key.parent.mkdir(mode=0o700)
        shutil.move(write_key(folder), key)
        done = run_silt("build", "--environment", "us-listed", "--raw", listed_tables, cwd=folder)
        assert done.returncode == 0, done.stderr

    return Build(raw=listed_tables, folder=builds.made("listed", make) / "environments" / "us-listed")


def write_key(folder: Path, key: str = "5eed" * 16) -> Path:
    """Write a release key, the same each time: what is asserted of rates is then the same each time."""
    file = folder / "release.key"
    file.write_text(key + "\n")
    file.chmod(0o600)
    return file


def build_guarded(folder: Path, raw: Path, *variants: str) -> Build:
    """Build us-listed under `guarded`, with the key in the folder."""
    settings = ["--environment", "us-listed", "--raw", raw, "--policy", "guarded", "--key-file", write_key(folder)]
    done = run_silt("build", *variants, *settings, cwd=folder)
    assert done.returncode == 0, done.stderr
    return Build(raw=raw, folder=folder / "environments" / "us-listed")


@pytest.fixture(scope="session")
def listed_guarded(builds: SharedBuilds, listed_tables: Path) -> Build:
    """Return a build of both variants of us-listed from the same tables under `guarded`."""
    made = builds.made("listed-guarded", lambda folder: build_guarded(folder, listed_tables))
    return Build(raw=listed_tables, folder=made / "environments" / "us-listed")

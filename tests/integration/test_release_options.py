"""Whatever `silt release` can be asked for, `verify`, `rebuild` and `diff` know it: every two of them meet at least once.

The environment is the tutorial's, where a row takes seconds. What `guarded` changes is tried on one row more, of shipping
companies: three shops are too few for it.
"""

import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from itertools import combinations
from pathlib import Path

import pytest

from pipeline.places import default_key
from tests.integration.conftest import LINES, run_silt

SHOPS = ("--environment", "shops.py:SHOPS", "--raw", "shops", "--noise", "shops.yaml")


@dataclass(frozen=True, kw_only=True)
class Row:
    """What a release is asked for, and what is looked at."""

    policy: str
    variants: str
    documented: bool
    parquet: bool
    noise: bool
    signed: bool
    cited: bool
    tasks: bool
    archive: bool
    """Whether commands are given an archive of it, and not its folder."""

    def options(self) -> list[str]:
        """Return the options of `silt release`."""
        return [
            *self.variants.split(),
            *(["--documented"] if self.documented else []),
            *(["--parquet"] if self.parquet else []),
            *(["--disclose-noise"] if self.noise else []),
            *(["--tasks"] if self.tasks else []),
            *(["--sign", "signing.key"] if self.signed else []),
            *(["--license", "CC-BY-4.0", "--author", "Name, A.", "--author", "B. Name"] if self.cited else []),
        ]


def row(policy: str, variants: str, letters: str) -> Row:
    """Return a row; what begins with one of the letters is asked for."""
    names = [field.name for field in fields(Row)][2:]
    return Row(policy=policy, variants=variants, **{name: name[0] in letters for name in names})


ROWS = (
    row("lsd", "noisy", ""),
    row("lsd", "noisy", "cat"),
    row("lsd", "noisy", "dpnst"),
    row("lsd", "noisy clean", "dpat"),
    row("lsd", "noisy clean", "nsc"),
    row("lsd", "clean", "dpct"),
    row("lsd", "clean", "dsa"),
    row("lsd", "clean", "pna"),
)
GUARDED = row("guarded", "noisy clean", "dpnsct")


def test_every_two_meet() -> None:
    """Each value of an option with each of any other one."""
    tried = {pair for each in ROWS for pair in combinations(asdict(each).items(), 2)}
    values = {field.name: {asdict(each)[field.name] for each in ROWS} for field in fields(Row)}
    missing = [
        (one, a, other, b)
        for one, other in combinations(values, 2)
        for a in values[one]
        for b in values[other]
        if ((one, a), (other, b)) not in tried
    ]
    assert missing == []


@pytest.fixture(scope="module")
def work(tasked_example: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the folder in which the tutorial's example was followed, with tasks and a key that signs."""
    folder = Path(shutil.copytree(tasked_example, tmp_path_factory.mktemp("options") / "work"))
    assert run_silt("release", "--make-signing-key", "signing.key", cwd=folder).returncode == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(ROWS)))
def test_what_is_released_is_verified_built_again_and_compared(
    work: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All files are made again to the same bytes; compared with itself nothing differs, and with the build what was added."""
    _goes_through(work, ROWS[number], number, SHOPS, monkeypatch)


@pytest.mark.slow
def test_what_is_released_under_guarded_goes_the_same_way(
    work: Path, lines_guarded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With samples in the place of records, and events beside them."""
    folder = Path(shutil.copytree(lines_guarded, tmp_path / "work"))
    for name in ("signing.key", "signing.key.pub"):
        shutil.copy(work / name, folder)
    done = run_silt(
        "tasks", "make", *LINES[:2], "--count", 20, "--key-file", default_key("lines", "guarded"), cwd=folder
    )
    assert done.returncode == 0, done.stderr
    _goes_through(folder, GUARDED, len(ROWS), (*LINES, "--noise", "lines.yaml"), monkeypatch, "--policy", "guarded")


def _goes_through(
    folder: Path, asked: Row, number: int, inputs: Sequence[str], monkeypatch: pytest.MonkeyPatch, *settings: object
) -> None:
    """Release, verify, build again and compare."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(1790000000 + number))
    version = f"1.0.{number}"
    releases = ("--version", version, "--releases", f"releases/{number}")
    done = run_silt("release", *asked.options(), *inputs, *settings, *releases, cwd=folder)
    assert done.returncode == 0, done.stderr
    (public,) = (folder / "releases" / str(number)).glob(f"*-{version}")
    made = public / f"{public.name}-{asked.variants.split()[0]}.tar.zst" if asked.archive else public
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    key = ("--public-key", "signing.key.pub") if asked.signed else ()
    verified = run_silt("verify", made, *inputs[:2], *key, cwd=folder)
    assert verified.returncode == 0, verified.stdout
    again = run_silt("rebuild", made, *inputs, cwd=folder)
    assert again.returncode == 0, again.stdout + again.stderr
    assert ("\n  drawing    tasks again" in again.stderr) == asked.tasks
    assert "Compared: every file of the release" in again.stdout
    same = run_silt("diff", made, made, *inputs[:2], cwd=folder)
    assert (same.returncode, same.stdout.splitlines()[-1]) == (0, "number   none is needed: no file differs")
    told = run_silt("diff", folder / "environments" / public.name.rpartition("-")[0], made, *inputs[:2], cwd=folder)
    assert (told.returncode, "file     README.md: only in the second" in told.stdout.splitlines()) == (0, True)

"""What tests share is made once for all workers, kept until the source changes, and never written to.

It lies below a folder that is named by a digest of the source and of what is installed, so it is never stale. Whoever wants
to change a build copies it first: at the end of a session every file has to be what it was.
"""

import fcntl
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).parents[1]

KEPT = ROOT / ".pytest_cache/builds"

SOURCES = ("anonymize", "assets", "docs", "noise_specs", "pipeline", "raw", "silt", "validation")
"""Folders with code and data of which builds are made: the pages in `docs/` hold examples."""

SINGLE = (
    *("README.md", "requirements.txt", "requirements-audit.txt"),
    *("tests/full_corpus.py", "tests/integration/conftest.py", "tests/integration/readme.py", "tests/shared_builds.py"),
    *("tests/unit/events/lines.py", "tests/unit/events/lines_declared.py"),
)


@dataclass(frozen=True)
class SharedBuilds:
    """The builds of one state of the source."""

    folder: Path
    _seen: dict[str, str] = field(default_factory=dict, init=False)
    """What was found in each build that this process has asked for."""

    def made(self, name: str, make: Callable[[Path], object]) -> Path:
        """Return the folder of a build, which `make` is given, empty, if nobody has made it before; others wait.

        Raises:
            AssertionError: A test wrote into it.
        """
        folder, seal = self.folder / name, self.folder / f"{name}.seal"
        with _locked(self.folder / f"{name}.lock", fcntl.LOCK_EX):
            if not seal.is_file():  # nobody came to the end of it
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                seal.write_text(_digest(folder), encoding="utf-8")
            self._seen.setdefault(name, seal.read_text(encoding="utf-8"))
            self._refuse_changed(name)
        return folder

    def refuse_changes(self) -> None:
        """Compare every build that was asked for with what it was when it was made.

        Raises:
            AssertionError: A test wrote into one.
        """
        for name in self._seen:
            self._refuse_changed(name)

    def _refuse_changed(self, name: str) -> None:
        if _digest(self.folder / name) != self._seen[name]:
            (self.folder / f"{name}.seal").unlink(missing_ok=True)  # the next session makes it anew
            raise AssertionError(f"a test wrote into the shared build {name!r}; copy it before you change it")


@contextmanager
def shared_builds(*others: Path) -> Iterator[SharedBuilds]:
    """Give the builds of the source as it is; remove those of any other that nobody is using.

    Args:
        others: Folders outside the source of which builds are made, too.
    """
    current = KEPT / source_digest(*others)[:16]
    current.mkdir(parents=True, exist_ok=True)
    with _locked(current.with_suffix(".lock"), fcntl.LOCK_SH):
        for other in KEPT.iterdir():
            if other.is_dir() and other != current:
                _remove_unused(other)
        builds = SharedBuilds(current)
        yield builds
        builds.refuse_changes()


def source_digest(*others: Path) -> str:
    """Return a digest of all files that a build can depend on, of the Python that runs, and of what is installed."""
    found = sorted(f"{each.name}=={each.version}" for each in distributions())
    of_files = [_digest(folder, without="scale-") for folder in (*(ROOT / name for name in SOURCES), *others)]
    single = [sha256((ROOT / name).read_bytes()).hexdigest() for name in SINGLE]
    return sha256("\n".join([sys.version, *found, *of_files, *single]).encode()).hexdigest()


def _digest(folder: Path, *, without: str = "__pycache__") -> str:
    """Return a digest of all paths, permissions and bytes below a folder, but for caches and folders of some name."""
    told = sha256()
    for path, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__" and without not in name)
        for name in sorted(files):
            file = Path(path, name)
            told.update(f"{file.relative_to(folder)}\0{file.lstat().st_mode}\0".encode())
            told.update(sha256(file.read_bytes()).digest())
    return told.hexdigest()


@contextmanager
def _locked(file: Path, kind: int) -> Iterator[None]:
    with file.open("a") as opened:
        fcntl.flock(opened, kind)
        yield


def _remove_unused(builds: Path) -> None:
    with suppress(BlockingIOError), _locked(builds.with_suffix(".lock"), fcntl.LOCK_EX | fcntl.LOCK_NB):
        shutil.rmtree(builds, ignore_errors=True)

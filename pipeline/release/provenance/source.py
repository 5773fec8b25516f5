"""The source that a release is made by: commit, digest of its files, whether it was changed since; and the release's date.

Nothing of who builds, where or when belongs here. Git is asked; a tree that is no checkout has neither commit nor digest.
"""

import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pipeline.errors import InputError

ROOT = Path(__file__).parents[3]
"""The checkout that this code runs from, or the folder in which a wheel is installed."""

PACKED = Path(__file__).with_name("packed")
"""What no checkout has, but a wheel (`hatch_build.py`): what it was made of."""

FILES = PACKED if (PACKED / "pyproject.toml").is_file() else ROOT
"""The folder with the project's own file and the pinned requirements."""

COMMIT = PACKED / "commit.txt"
"""Commit and time of a wheel or a source archive."""

CLOCK = "SOURCE_DATE_EPOCH"
"""reproducible-builds.org: seconds since 1970, in the environment."""

_LATEST = 253_402_300_799
"""The last second of the year 9999."""

_UNTRACKED = "?? "


@dataclass(frozen=True, kw_only=True)
class SourceCode:
    """A state of the source."""

    commit: str | None = None
    """Object name of the commit; None outside a checkout."""
    committed: int | None = None
    """When that was, in seconds since 1970."""
    tree: str | None = None
    """Digest over the names and bytes of all tracked files, as they are."""
    is_dirty: bool = False
    """Whether a tracked file differs from the commit, or a package has a module that is not tracked."""


def source_of(root: Path = ROOT) -> SourceCode:
    """Return the state of the source; an empty one if `root` is not the root of a checkout with a commit.

    Of what a wheel was made of, the commit is known.
    """
    commit, committed = commit_and_time(root).split() or (None, 0)
    if commit is None or _is_packed(root):
        return SourceCode(commit=commit, committed=int(committed) or None)
    state = _git(root, "status", "--porcelain", "--untracked-files=all", "-z").decode(errors="replace").split("\0")
    return SourceCode(
        commit=commit,
        committed=int(committed),
        tree=_digest(root, filter(None, _git(root, "ls-files", "-z").split(b"\0"))),
        is_dirty=any(_is_change(root, entry) for entry in state if entry),
    )


def commit_of(root: Path = ROOT) -> str:
    """Return the commit of the checkout at `root`, or of which it was packed; empty if there is none."""
    return commit_and_time(root).partition(" ")[0]


def commit_and_time(root: Path = ROOT) -> str:
    """Return the commit and its time in seconds since 1970, with a space between; empty if there is none."""
    if _is_packed(root):
        return COMMIT.read_text(encoding="utf-8")
    is_root = _git(root, "rev-parse", "--show-prefix") == b"\n"
    return _git(root, "log", "-1", "--format=%H %ct").decode().strip() if is_root else ""


def release_date(given: Mapping[str, str], source: SourceCode) -> int:
    """Return a release's date in seconds since 1970: that in the environment variables given, else the commit's.

    Raises:
        InputError: Neither is there, or the one given is no date.
    """
    text = given.get(CLOCK, "")
    if not text:
        if source.committed is None:
            raise InputError(
                f"no date for the release: this is no checkout with a commit; give {CLOCK}, in seconds since 1970 "
                f"({CLOCK}=$(date -d 2026-01-31 +%s))"
            )
        return source.committed
    if not (text.isascii() and text.isdigit()) or int(text) > _LATEST:
        raise InputError(f"{CLOCK}: found {text!r}; expected seconds since 1970, up to the year 9999")
    return int(text)


def _is_packed(root: Path) -> bool:
    return root == ROOT and COMMIT.is_file()


def _git(root: Path, *arguments: str) -> bytes:
    """Return what git prints, nothing if it refuses or is not there."""
    # NOTE: a checkout of another user's is asked, too, and none but this one, whatever the environment says. Locks would write.
    command = ("git", "-c", f"safe.directory={root}", "--no-optional-locks", "-C", str(root), *arguments)
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        return subprocess.run(command, check=False, capture_output=True, env=ours).stdout  # noqa: S603  (nobody's input)
    except OSError:
        return b""


def _is_change(root: Path, entry: str) -> bool:
    if not entry.startswith(_UNTRACKED):
        return True
    package, _, module = entry.removeprefix(_UNTRACKED).partition("/")
    return module.endswith(".py") and (root / package / "__init__.py").is_file()


def _digest(root: Path, names: Iterable[bytes]) -> str:
    """Return the digest of files in the order of their names: SHA-256 over a line of `sha256sum` for each (Go's dirhash)."""
    return sha256(b"".join(_lines(root, names))).hexdigest()


def _lines(root: Path, names: Iterable[bytes]) -> Iterator[bytes]:
    for name in names:
        path = root / name.decode("utf-8", "surrogateescape")
        if path.is_file():  # what was deleted makes the checkout dirty
            yield b"%b  %b\n" % (sha256(path.read_bytes()).hexdigest().encode(), name)

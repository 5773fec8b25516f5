"""Makes a release twice, from two fresh clones of what is committed, and compares all bytes: `python -m tests.made_twice`.

The two are made under other clocks, zones, locales, users, umasks, numbers of threads and processors, on another kind of
processor, and in other folders. Both are built from nothing, or from a copy of `--files FOLDER`: raw tables, declarations, a
finished build. What else is said on the command line goes to `silt release`. Status 1 if a byte differs.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.publish.files import sha256
from pipeline.release.provenance.signing_key import make_signing_key

ROOT = Path(__file__).parents[1]

SILT = Path(sys.executable).parent / "silt"

DEFAULTS = ("--documented", "--parquet")

_DROPPED = frozenset({"DAGSTER_HOME", "SOURCE_DATE_EPOCH", "POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS"})
"""Variables of the caller that would make both alike."""


@dataclass(frozen=True, kw_only=True)
class Circumstances:
    """What a release must not depend on."""

    folder: str
    clock: str
    """When it is there; nothing for the machine's own clock."""
    umask: int
    processors: int | None
    """None for all of them."""
    variables: Mapping[str, str]


_PLAINER_PROCESSOR = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F,-AVX512VL",
}
"""Variables under which linear algebra, numpy and the C library compute as on a processor of 2008: last bits are others."""

ONE = Circumstances(
    folder="one",
    clock="2020-02-29 23:59:30",
    umask=0o022,
    processors=None,
    variables={"TZ": "UTC", "LC_ALL": "C.UTF-8", "USER": "ann", "PYTHONHASHSEED": "1"},
)
OTHER = Circumstances(
    folder="another place/名 2",
    # NOTE: under faketime, threads that share one processor hardly get on.
    clock="",
    umask=0o077,
    processors=1,
    variables={
        "TZ": "Asia/Tokyo",
        "LC_ALL": "C",
        "USER": "bob",
        "PYTHONHASHSEED": "7",
        "POLARS_MAX_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "2",
    }
    | _PLAINER_PROCESSOR,
)


def main() -> int:
    """Make both, print what differs, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.made_twice", description=__doc__)
    parser.add_argument("--files", type=Path, help="folder in copies of which both are made")
    with tempfile.TemporaryDirectory(prefix="silt-twice-") as working:
        options, asked = parser.parse_known_args()
        one, other = made_twice(Path(working), asked or DEFAULTS, files=options.files)
        differing = sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))
    print(*(f"differs  {path}" for path in differing), sep="\n", end="\n" if differing else "")  # noqa: T201
    archives = sum(path.endswith(".tar.zst") for path in one)
    clocks = "" if shutil.which("faketime") else ", under one clock: there is no faketime here"
    print(f"{len(one) - len(differing)} of {len(one)} paths are the same, {archives} archives among them{clocks}")  # noqa: T201
    return int(bool(differing))


def made_twice(working: Path, arguments: Sequence[str], *, files: Path | None = None) -> list[dict[str, str]]:
    """Make a release under both circumstances; return modes of its files and folders and digests, by path.

    Args:
        working: Folder in which everything is made.
        arguments: Those of `silt release`, without version and key.
        files: Folder in copies of which both are made, if not in the clones.
    """
    make_signing_key(working / "signing.key")
    asked = ("release", *arguments, "--version", "1.0.0", "--sign", str(working / "signing.key"))
    origin = _origin(working)
    for each in (ONE, OTHER):  # both before anything takes time: somebody may commit meanwhile
        (working / each.folder).mkdir(parents=True)
        _git("clone", "--quiet", str(origin), str(working / each.folder / "silt"))
    return [dict(_listed(_made(working / each.folder, each, asked, files))) for each in (ONE, OTHER)]


def _made(place: Path, under: Circumstances, asked: Sequence[str], files: Path | None) -> Path:
    """Build and release; return the public folder."""
    clone = place / "silt"
    work = Path(shutil.copytree(files, place / "work", symlinks=True)) if files else clone
    _run([str(SILT), *asked], work, clone, under)
    (released,) = (folder for folder in (work / "releases").iterdir() if folder.name.endswith("-1.0.0"))
    return released


def _run(command: Sequence[str], work: Path, clone: Path, under: Circumstances) -> None:
    """Run a command of the clone's code, on as many processors as there are to be."""
    clock, variables = _under_clock(under.clock, clone.parent)
    environment = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    code = os.pathsep.join(filter(None, (variables.get("PYTHONPATH"), str(clone))))
    here = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(here)[: under.processors])
    try:
        done = subprocess.run(
            [*clock, *command], cwd=work, env=environment | under.variables | variables | {"PYTHONPATH": code},
            umask=under.umask, check=False, capture_output=True, text=True,
        )  # fmt: skip
    finally:
        os.sched_setaffinity(0, here)
    if done.returncode:
        raise RuntimeError(done.stderr)


def _under_clock(start: str, working: Path) -> tuple[list[str], dict[str, str]]:
    """Return what runs a command under a clock, and variables for it; nothing for the machine's own, or without faketime."""
    program = shutil.which("faketime")
    if not start or program is None:
        return [], {}
    # NOTE: threads wait by the monotonic clock, which has to stay; then faketime breaks time.sleep of Python 3.11.
    (patch := working / "patch").mkdir(exist_ok=True)
    slept = "import threading, time\ntime.sleep = lambda seconds: threading.Event().wait(seconds) and None\n"
    (patch / "sitecustomize.py").write_text(slept)
    return [program, "-f", f"@{start}"], {"FAKETIME_DONT_FAKE_MONOTONIC": "1", "PYTHONPATH": str(patch)}


def _origin(working: Path) -> Path:
    """Return the repository to clone: the checkout's, or one of its files where it has no history."""
    if (ROOT / ".git").exists():
        return ROOT
    repository = working / "origin"
    _git("init", "--quiet", "--bare", str(repository))
    inside = (f"--git-dir={repository}", f"--work-tree={ROOT}")
    _git(*inside, "add", ".")
    _git(*inside, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "--quiet", "--message", "all")
    return repository


def _git(*arguments: str) -> None:
    subprocess.run(["git", "-c", "safe.directory=*", *arguments], check=True)  # noqa: S607


def _listed(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the path of every file and folder with its mode, and the digest of a file."""
    for path in sorted(folder.rglob("*")):
        digest = sha256(path) if path.is_file() else ""
        yield path.relative_to(folder).as_posix(), f"{path.stat().st_mode:o} {digest}"


if __name__ == "__main__":
    sys.exit(main())

"""Puts mutations into a copy of the checkout, one after the other, and runs the tests that should notice."""

import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import cache_from_source
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.unit.publish.power import IN_MEMORY

ROOT = Path(__file__).parents[2]

_NO_SOURCE = (".*", "__pycache__", "*scale-*")
_MADE = ("environments", "releases", "dist")
"""What is left out of the copy: anywhere, and of the folder itself what builds put there."""

_SECONDS = 120
"""Of a processor, that the tests of one module may take: a mutation may never end."""

_LONGEST = 600
"""Seconds, whatever else the machine does: a mutation may wait for ever."""

_BYTES = 8 * 2**30
"""Of memory, likewise."""

_FROM_SERVER = get_context("forkserver")
"""Processes that begin with what all tests import. None is a copy of one in which polars was at work: it would hang."""
_FROM_SERVER.set_forkserver_preload(
    ["faker", "hypothesis", "numpy", "polars", "pyarrow", "pytest", "scipy.stats", "yaml"]
)

_FAST = ("-x", "-q", "--tb=no", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist")


class FailingTestsError(Exception):
    """The tests fail without any mutation, or there are none."""


@dataclass(frozen=True)
class Laboratory:
    """A copy of a checkout, in which modules are changed."""

    folder: Path

    def is_noticed(self, file: str, changed: bytes, tests: Sequence[str]) -> bool:
        """Say whether a test fails, or never ends, when a file is changed."""
        path = self.folder / file
        whole = path.read_bytes()
        path.write_bytes(changed)
        try:
            return self._status(tests) != 0
        finally:
            path.write_bytes(whole)
            # Two changes within a second may have one size: what was compiled of the first would be taken for the second.
            Path(cache_from_source(path)).unlink(missing_ok=True)

    def refuse_failing(self, tests: Sequence[str]) -> None:
        """Refuse tests that notice something although nothing was changed.

        Raises:
            FailingTestsError: They do.
        """
        if status := self._status(tests):
            raise FailingTestsError(f"without any mutation {' '.join(tests)} ends with status {status}")

    def _status(self, tests: Sequence[str]) -> int | None:
        process = _FROM_SERVER.Process(target=_run, args=(self.folder, tests))
        process.start()
        process.join(_LONGEST)
        process.kill()
        process.join()
        return process.exitcode


@contextmanager
def laboratory(root: Path = ROOT) -> Iterator[Laboratory]:
    """Copy a checkout; the copy is gone at the end."""
    # A test that was ended may leave a file system mounted, which is no folder that could be removed.
    where = IN_MEMORY if IN_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="silt-mutations-", dir=where, ignore_cleanup_errors=True) as folder:
        (Path(folder) / "tmp").mkdir()
        copied = Path(folder) / "checkout"
        shutil.copytree(root, copied, ignore=partial(_left_out, root))
        shutil.copy(Path(__file__).with_name("in_order.py"), copied)
        yield Laboratory(copied)


def _left_out(root: Path, folder: str, names: list[str]) -> set[str]:
    made = _MADE if Path(folder) == root else ()
    return shutil.ignore_patterns(*_NO_SOURCE, *made)(folder, names)


def _run(folder: Path, tests: Sequence[str]) -> None:
    """Run tests in a checkout, and end with the status of pytest."""
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (_BYTES, _BYTES))
    ours = {path.stem for path in folder.iterdir()}
    for name in [name for name in sys.modules if name.partition(".")[0] in ours]:
        del sys.modules[name]
    sys.path[:] = [os.fspath(folder), *(path for path in sys.path if Path(path or ".").resolve() != ROOT)]
    os.chdir(folder)
    sys.dont_write_bytecode = False
    os.environ.pop("PYTEST_ADDOPTS", None)  # options of whoever asks for mutations need not be known in the copy
    os.environ["TMPDIR"] = tempfile.tempdir = os.fspath(folder.parent / "tmp")
    with Path(os.devnull).open("w") as nowhere:
        for stream in (1, 2):
            os.dup2(nowhere.fileno(), stream)
    sys.exit(pytest.main([*_FAST, "-p", "in_order", "--hypothesis-profile=mutations", *tests]))

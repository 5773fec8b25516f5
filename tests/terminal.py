"""A command in a terminal of its own (a pseudo-terminal), and when it wrote what."""

import os
import pty
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

SILENCE = 1.5
"""Seconds in which something has to be written: one, and half of one for a machine that has other work."""

UNFOLDED = "10000"
"""Columns (the variable `COLUMNS`) in which a sentence is one line: how it is folded, `tests/unit/test_terminal.py` says."""


@dataclass(frozen=True)
class Watched:
    """What a command wrote on its terminal."""

    status: int
    written: Sequence[tuple[float, str]]
    """Seconds since it began, and what was written then."""
    seconds: float

    @property
    def text(self) -> str:
        """Return all that was written."""
        return "".join(text for _, text in self.written)

    @property
    def longest_silence(self) -> float:
        """Return the longest time in which nothing was written, between its begin and its end."""
        moments = [0.0, *(moment for moment, _ in self.written), self.seconds]
        return max(after - before for before, after in pairwise(moments))


def watched(command: Sequence[str], folder: Path, *, out: Path | None = None) -> Watched:
    """Run a command in a folder to its end, its standard output into a file if one is given."""
    ours, theirs = pty.openpty()
    began, written = time.monotonic(), list[tuple[float, str]]()
    given = os.open(out, os.O_WRONLY | os.O_CREAT, 0o600) if out else theirs
    with subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=given, stderr=theirs) as process:
        for descriptor in {theirs, given}:
            os.close(descriptor)
        while text := _read(ours):
            written.append((time.monotonic() - began, text))
        status = process.wait()
    os.close(ours)
    return Watched(status, written, time.monotonic() - began)


def _read(terminal: int) -> str:
    """Return what is written next; nothing if the other end is closed, which Linux reports as an error."""
    try:
        return os.read(terminal, 2**16).decode(errors="replace")
    except OSError:
        return ""

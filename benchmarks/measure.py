"""Runs a command in a process of its own, and says what it took: seconds, processor seconds, peak memory.

Processor seconds are those of the process and of the children that it waited for (`wait4`). Peak memory is read from `/proc`
four times a second: what the process and all its descendants take together, at its largest, and no less than the kernel's own
high-water mark of the largest one (`VmHWM`), which misses no moment. A page that processes share counts once: each has its part
of it (proportional set size). `ru_maxrss` would be no measure: a child starts with that of the process that started it.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

ROOT = Path(__file__).parents[1]
PEERS = ROOT / ".venv-peers/bin/python"
"""The interpreter that has the peers and not Silt (`make bench` and `make frontier` set it up)."""

_EVERY_SECONDS = 0.25
_PROC = Path("/proc")


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What a process took. A megabyte is a million bytes."""

    seconds: float
    cpu_seconds: float | None = None
    peak_mb: float | None = None


def measured(
    command: Sequence[str | Path], folder: Path | None = None, variables: Mapping[str, str] | None = None
) -> tuple[Cost, str]:
    """Run a command in a folder, with further environment variables, to its end; return what it took and what it printed.

    Raises:
        SystemExit: The command failed. The message has its last words.
    """
    peak, ended = [0], Event()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=folder,
            env=os.environ | (variables or {}),
            stdout=output,
            stderr=errors,
        )
        watch = Thread(target=_watch, args=(process.pid, peak, ended))
        watch.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        ended.set()
        watch.join()
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            sys.exit(f"{' '.join(map(str, command))} failed with status {process.returncode}\n{errors.read()[-2_000:]}")
        return Cost(seconds=seconds, cpu_seconds=usage.ru_utime + usage.ru_stime, peak_mb=peak[0] / 1e6), output.read()


def note_processor_seconds(root: int, taken: dict[int, float]) -> None:
    """Note by process what a process and its descendants took so far: of what has ended, and nobody waited for, it stands."""
    for process in _tree(root):
        with suppress(OSError):
            # The name of the program, in brackets, may hold anything; the state follows it, and 11 fields later the times.
            fields = (_PROC / str(process) / "stat").read_text(errors="replace").rpartition(")")[2].split()
            taken[process] = sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def _watch(root: int, peak: list[int], ended: Event) -> None:
    """Keep the largest number of bytes seen."""
    while True:
        memory = [_memory(process) for process in _tree(root)]
        together, alone = sum(now for now, _ in memory), max((most for _, most in memory), default=0)
        peak[0] = max(peak[0], together, alone)
        if ended.wait(_EVERY_SECONDS):
            return


def _tree(root: int) -> list[int]:
    """Return a process and all its descendants, as far as they are still there."""
    children: dict[int, list[int]] = {}
    for file in _PROC.glob("[0-9]*/stat"):
        try:
            # The name of the program, in brackets, may hold anything; state and parent follow it.
            parent = int(file.read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(file.parent.name))
    tree = [root]
    for process in tree:
        tree += children.get(process, [])
    return tree


def _memory(process: int) -> tuple[int, int]:
    """Return a process's share of memory in bytes now, and its resident memory at most; nothing of one that has ended."""
    try:
        lines = [
            line
            for file in ("smaps_rollup", "status")
            for line in (_PROC / str(process) / file).read_text(errors="replace").splitlines()
        ]
    except OSError:
        return 0, 0
    sizes = {name: rest for name, _, rest in (line.partition(":") for line in lines)}
    now, most = (int(sizes.get(name, "0").split()[0]) * 1024 for name in ("Pss", "VmHWM"))
    return now, most

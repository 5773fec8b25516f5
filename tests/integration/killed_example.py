"""Run as a script where the README's example was built with `old.key`; tells how builds with `new.key` ended, in JSON lines.

    killed       each build gets SIGKILL, at the n-th line that it prints or some milliseconds after
    interrupted  a build is told to end, by SIGINT
    at once      two builds start together in one folder

It forks, so that its children need not import what takes seconds. What they import themselves makes tables, and with them
the threads of polars, which a fork would not take along.
"""

import hashlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import dagster  # noqa: F401
import faker  # noqa: F401
import polars_hash  # noqa: F401
import scipy.stats  # noqa: F401

ENVIRONMENT = Path("environments/shops")

MOMENTS = [
    *((line, 0.0) for line in (1, 4, 8, 12, 16)),
    *((21, seconds) for seconds in (0.0, 0.01, 0.02, 0.04, 0.08)),
    (22, 0.0),
    (22, 0.02),
]
"""Lines of progress with seconds after them; between the 21st and the 22nd the noisy variant is published, then the clean."""


@dataclass(frozen=True)
class Child:
    """A build at work in a child process, and what it prints."""

    process: int
    printed: BinaryIO

    def after(self, line: int) -> bytes:
        """Wait until the build has printed so many steps, or ended; return what it has printed."""
        read = b""
        while f"[{line}/".encode() not in read and (more := self.printed.readline()):
            read += more
        return read

    def end(self) -> int:
        """Wait for the end; return the exit status, or the signal's number below zero."""
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def start(command: list[str], key: str) -> Child:
    """Start a build with a key."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.dup2(writing, sys.stderr.fileno())
        os.close(reading)
        from pipeline.cli import main  # noqa: PLC0415

        os._exit(main([*command, "--key-file", key]))
    os.close(writing)
    return Child(process, os.fdopen(reading, "rb"))


def variants() -> dict[str, str]:
    """Return one digest for each published variant: of all paths and bytes."""
    return {variant: _digest(ENVIRONMENT / variant) for variant in ("noisy", "clean")}


def _digest(folder: Path) -> str:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    listed = [f"{path.relative_to(folder)} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files]
    return hashlib.sha256("\n".join(listed).encode()).hexdigest()


def finished(command: list[str], key: str) -> dict[str, str]:
    """Build to the end; return the digests, and the ledger's."""
    child = start(command, key)
    printed = child.printed.read()
    if child.end():
        sys.exit(printed.decode())
    return variants() | {
        "ledger": hashlib.sha256((ENVIRONMENT / "curator/noise_ledger.parquet").read_bytes()).hexdigest()
    }


def killed(command: list[str]) -> Iterator[dict[str, object]]:
    """Kill builds at all moments; after each, build again with the old key."""
    for line, seconds in MOMENTS:
        child = start(command, "new.key")
        child.after(line)
        time.sleep(seconds)
        os.kill(child.process, signal.SIGKILL)
        status = child.end()
        yield {"moment": [line, seconds], "status": status, "left": variants(), "next": finished(command, "old.key")}


def interrupted(command: list[str]) -> Iterator[dict[str, object]]:
    """Tell a build to end, in the midst of its stages."""
    child = start(command, "new.key")
    printed = child.after(8)
    os.kill(child.process, signal.SIGINT)
    printed += child.printed.read()
    yield {"status": child.end(), "printed": printed.decode(), "left": variants()}


def at_once(command: list[str]) -> Iterator[dict[str, object]]:
    """Start a build with each key."""
    children = {key: start(command, f"{key}.key") for key in ("old", "new")}
    for key, child in children.items():
        printed = child.printed.read().decode()
        yield {"key": key, "printed": printed, "status": child.end()}
    yield {"left": variants()}


WAYS = {"killed": killed, "interrupted": interrupted, "at once": at_once}

if __name__ == "__main__":
    way, *arguments = sys.argv[1:]
    print(json.dumps({"new": finished(arguments, "new.key"), "old": finished(arguments, "old.key")}))  # noqa: T201
    for outcome in WAYS[way](arguments):
        print(json.dumps(outcome), flush=True)  # noqa: T201

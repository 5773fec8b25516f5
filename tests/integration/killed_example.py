"""Run as a script in the folder of the tutorial's example, with `old.key` and `new.key`: what came of builds, as JSON.

First a build with each key runs whole. Then builds that take nothing from the store, but leave in it what they make, are

    killed       by SIGKILL, after a step or some milliseconds later
    interrupted  by SIGINT, in the midst of the stages
    at once      two of them, started together

It forks, so that its children need not import what takes seconds. What they import themselves (declarations) makes tables,
and with them the threads of polars, which a fork would not take along.
"""

import hashlib
import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import dagster  # noqa: F401
import faker  # noqa: F401
import great_expectations  # noqa: F401
import polars_hash  # noqa: F401
import scipy.stats  # noqa: F401

import silt.commands.build.running  # noqa: F401
from silt.cli import main
from silt.engines import local

ENVIRONMENT = Path("environments/shops")

LAST_BUT_TWO, PUBLISHED = "the last step but two", "] published/noisy"

MOMENTS = [("] rendered/shops", 0.0), *((LAST_BUT_TWO, seconds) for seconds in (0.05, 0.2)), (PUBLISHED, 0.0)]
"""Steps with seconds after them: after the last but two the noisy variant is published, and after it the clean."""

KEYS = ("new.key", "old.key")


@dataclass(frozen=True)
class Child:
    """A build at work in a child process, and what it prints."""

    process: int
    printed: BinaryIO

    def after(self, step: str) -> bytes:
        """Wait until the build has taken the step, or ended; return what it has printed."""
        read = b""
        while more := self.printed.readline():
            read += more
            if step.encode() in more or (step == LAST_BUT_TWO and _is_last_but_two(more)):
                break
        return read

    def end(self) -> int:
        """Wait for the end; return the exit status, or the signal's number below zero."""
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def _is_last_but_two(line: bytes) -> bool:
    count = re.match(rb"\[(\d+)/(\d+)\]", line)
    return count is not None and int(count[2]) - int(count[1]) == len(("noisy", "clean"))


def start(command: list[str], key: str, *, is_alone: bool = False) -> Child:
    """Start a build with a key; alone, it has no worker beside it, which takes longer to begin than the build to end."""

    def build() -> int:
        if is_alone:
            local.processors = lambda: 1
        return main([*command, "--key-file", key])

    return started(build)


def started(work: Callable[[], int]) -> Child:
    """Start work in a child process, which ends with the status that it returns; what it writes to stderr can be read."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.dup2(writing, sys.stderr.fileno())
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        os.close(reading)
        os._exit(work())
    os.close(writing)
    return Child(process, os.fdopen(reading, "rb"))


def variants() -> dict[str, str]:
    """Return one digest for each published variant: of all paths and bytes."""
    return {variant: digest_of(ENVIRONMENT / variant) for variant in ("noisy", "clean")}


def digest_of(folder: Path) -> str:
    """Return the digest of all paths and bytes of a folder, or of a file."""
    files = sorted(path for path in (folder, *folder.rglob("*")) if path.is_file())
    listed = [f"{path.relative_to(folder)} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files]
    return hashlib.sha256("\n".join(listed).encode()).hexdigest()


def finished(command: list[str], key: str) -> dict[str, str]:
    """Build to the end, alone; return the digests, and the ledger's."""
    child = start(command, key, is_alone=True)
    printed = child.printed.read()
    if child.end():
        sys.exit(printed.decode())
    return variants() | {"ledger": digest_of(ENVIRONMENT / "curator/noise_ledger.parquet")}


def killed(command: list[str], whole: dict[str, dict[str, str]]) -> Iterator[dict[str, object]]:
    """Kill builds at all moments, each with the key that the last build did not have; at the end let one be.

    Those that are killed while they publish are alone: it is their own process that publishes.
    """
    for step, seconds in MOMENTS:
        is_new = variants()["noisy"] == whole["new.key"]["noisy"]
        is_publishing = step in (LAST_BUT_TWO, PUBLISHED)
        child = start([*command, "--fresh"], "old.key" if is_new else "new.key", is_alone=is_publishing)
        child.after(step)
        time.sleep(seconds)
        os.kill(child.process, signal.SIGKILL)
        yield {"moment": [step, seconds], "status": child.end(), "left": variants()}
    yield {"moment": "next", "status": 0, "left": finished(command, "old.key")}


def interrupted(command: list[str]) -> dict[str, object]:
    """Tell a build to end, in the midst of its stages."""
    child = start([*command, "--fresh"], "new.key")
    printed = child.after("] anonymised")
    os.kill(child.process, signal.SIGINT)
    printed += child.printed.read()
    return {"status": child.end(), "printed": _unfolded(printed), "left": variants()}


def _unfolded(printed: bytes) -> str:
    return " ".join(printed.decode().split())


def at_once(command: list[str]) -> list[dict[str, object]]:
    """Start a build with each key."""
    children = {key: start([*command, "--fresh"], key, is_alone=True) for key in KEYS}
    return [
        {"key": key, "printed": _unfolded(child.printed.read()), "status": child.end()}
        for key, child in children.items()
    ]


if __name__ == "__main__":
    arguments = sys.argv[1:]
    builds = {key: finished(arguments, key) for key in KEYS}
    outcomes = {
        "whole": builds,
        "killed": list(killed(arguments, builds)),
        "interrupted": interrupted(arguments),
        "at once": at_once(arguments),
        "left": variants(),
    }
    print(json.dumps(outcomes))  # noqa: T201

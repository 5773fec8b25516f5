"""`make bench`: builds both variants at full size beside the floor, and prints one table.

Every figure is of this run and this machine; a ratio compares two figures of the same run.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.mechanisms import mechanisms
from benchmarks.noise import beside_tab_err, over_the_environment
from pipeline.places import landing
from raw.landing import land
from silt.environments.dataclaw_18 import DATACLAW_18

Row = tuple[str, str, str, str]


def main() -> None:
    """Run every benchmark and print the table."""
    with tempfile.TemporaryDirectory() as scratch:
        rows = [*_builds(Path(scratch)), *mechanisms(), beside_tab_err()]
    widths = [max(len(row[column]) for row in [_HEADER, *rows]) for column in range(len(_HEADER))]
    for row in (_HEADER, tuple("-" * width for width in widths), *rows):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |")


_HEADER: Row = ("what", "seconds", "peak MB", "beside")


def _builds(scratch: Path) -> list[Row]:
    corpus = DATACLAW_18.corpus
    if corpus is None:
        return []
    generated = _seconds(lambda: corpus.generate(_made(scratch / "raw"), 1.0))
    raw = land(corpus, landing(DATACLAW_18.name), 1.0)
    build, build_peak = _child([str(Path(sys.executable).parent / "silt"), "build", "--out", str(scratch / "out")])
    built = scratch / "out" / DATACLAW_18.name
    floor = subprocess.run(
        [sys.executable, "-m", "benchmarks.floor", DATACLAW_18.name, raw, built, scratch / "floor"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    ratio = build / float(floor[0])
    noise = over_the_environment(built / "clean" / "database")
    return [
        ("generate the corpus, 2.06 million records", f"{generated:.1f}", "", ""),
        ("build noisy and clean, corpus there", f"{build:.1f}", f"{build_peak:.0f}", f"{ratio:.1f} x the floor"),
        (
            "floor: read the raw Parquet, write the same bytes",
            floor[0],
            floor[1],
            f"{int(floor[2]) / 1e6:.0f} MB written",
        ),
        *noise,
    ]


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def _seconds(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def _child(command: list[str]) -> tuple[float, float]:
    """Run a command; return its seconds and its own peak of resident memory in MB."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed with status {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - started, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()

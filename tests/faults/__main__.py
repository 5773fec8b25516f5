"""Breaks builds of the tutorial's example in every way that is known, and prints what each left: `make faults`.

Builds with other keys are the references: whatever happens, both variants and the curator's ledger are one build's.

    killed           builds, at random moments, by SIGKILL
    A beside B       two of build, web run, ablations, audit and release at once, in every pairing
    power cut        publishing, at every moment (`tests/unit/publish/power.py`)
    disk full        the output's disk has so little room that a build meets its end at some write (needs root, to mount one)
    disk read-only   for the output (needs root, too)
    raw file ...     changed or gone at some moment
    store damaged    a file of the store between stages cut off, changed or gone
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations_with_replacement, cycle, islice
from pathlib import Path

from pipeline.places import CURATOR, STORE
from tests.faults.builds import (
    AT_ONCE,
    MIXED,
    RAW,
    WHOLE,
    Row,
    State,
    begun,
    ended,
    is_told_who,
    left_by,
    other_key,
    prepare,
    seconds_of_a_build,
    state,
    table,
    verdict,
    whole,
)
from tests.integration.killed_example import ENVIRONMENT, KEYS
from tests.unit.publish.power import IN_MEMORY


def main() -> int:
    """Print the table; return 1 if anything was left that is not one build's."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=50, help="of two at once")
    parser.add_argument("--trials", type=int, default=20, help="of every other fault")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    moments = random.Random(asked.seed)  # noqa: S311
    with tempfile.TemporaryDirectory(prefix="silt-faults-") as folder:
        os.chdir(folder)
        rows = []
        for row in broken(asked, moments):
            rows.append(row)
            print(*row, sep="\t", file=sys.stderr, flush=True)  # noqa: T201
    print(table(rows))  # noqa: T201
    return int(any(left.startswith(MIXED) for _, left in rows))


def broken(asked: argparse.Namespace, moments: random.Random) -> Iterator[Row]:
    """Break builds, and yield for each time what was left."""
    prepare(Path())
    wholes = [whole(key) for key in KEYS]
    yield from killed(asked.kills, wholes, moments)
    yield from beside(asked.pairs, wholes, moments)
    yield from damaged_store(asked.trials, wholes, moments)
    yield from raw_files(asked.trials, wholes, moments)
    if os.geteuid() == 0:
        yield from disks(asked.trials, wholes)
    yield from power_cuts()  # last, as it imports polars, whose threads a fork would not take along


def killed(count: int, wholes: list[State], moments: random.Random) -> Iterator[Row]:
    """Kill builds with the key that the last one did not have, at random; the last is left to end, and leaves nothing over."""
    lasts = seconds_of_a_build()
    for _ in range(count):
        child = begun("build", other_key(wholes))
        time.sleep(moments.uniform(0, lasts))
        os.kill(child.process, signal.SIGKILL)
        child.end()
        yield "killed", verdict(wholes)
    whole(KEYS[0])
    left = [path for path in ENVIRONMENT.rglob(".*") if path.name in (".staging", ".retired")]
    yield "a build after those that were killed", WHOLE if state() == wholes[0] and not left else MIXED


def beside(count: int, wholes: list[State], moments: random.Random) -> Iterator[Row]:
    """Start two acts with different keys, the second somewhat later; an audit has the key of what it finds."""
    for pair in islice(cycle(combinations_with_replacement(AT_ONCE, 2)), count):
        whole(KEYS[0])
        children = []
        for act, key in zip(pair, moments.sample(KEYS, 2), strict=True):
            children.append(begun(act, KEYS[0] if act == "audit" else key))
            time.sleep(moments.uniform(0, 2))
        ends = [ended(child) for child in children]
        yield " beside ".join(pair), verdict(wholes) if all(map(is_told_who, ends)) else f"{MIXED}: {ends}"


def power_cuts() -> Iterator[Row]:
    """Publish two variants over older ones, where folders can be exchanged and where not, and cut the power at every moment."""
    from pipeline.publish import swap  # noqa: PLC0415
    from tests.unit.publish.test_power_loss import outcomes  # noqa: PLC0415

    for what, exchange in (("power cut", swap.exchange), ("power cut, no exchange of folders", lambda *_: False)):
        swap.exchange = exchange
        scratch = Path(tempfile.mkdtemp(dir=IN_MEMORY))
        try:
            yield from ((what, MIXED if outcome == "half" else WHOLE) for outcome in outcomes(scratch))
        finally:
            shutil.rmtree(scratch)


def damaged_store(count: int, wholes: list[State], moments: random.Random) -> Iterator[Row]:
    """Spoil a file of the store, and build what was built last."""
    whole(KEYS[0])
    for _ in range(count):
        files = sorted(path for path in (ENVIRONMENT / CURATOR / STORE).rglob("*") if path.is_file())
        file, spoilt = moments.choice(files), moments.choice(("cut", "changed", "gone"))
        content = bytearray(file.read_bytes())
        if spoilt == "cut":
            file.write_bytes(content[: len(content) // 2])
        elif spoilt == "gone":
            file.unlink()
        elif content:
            content[moments.randrange(len(content))] ^= 1 << moments.randrange(8)
            file.write_bytes(content)
        yield f"store damaged: a file {spoilt}", left_by(begun("again", KEYS[0]), wholes)


def raw_files(count: int, wholes: list[State], moments: random.Random) -> Iterator[Row]:
    """Change or remove a raw file while a build is at work."""
    before = RAW.read_text(encoding="utf-8")
    after = before.replace("Ulm", "Neu-Ulm")
    RAW.write_text(after, encoding="utf-8")
    wholes = [*wholes, *map(whole, KEYS)]
    lasts = seconds_of_a_build()
    for trial in range(count):
        RAW.write_text(before, encoding="utf-8")
        child = begun("build", other_key(wholes))
        time.sleep(moments.uniform(0, lasts))
        if is_gone := trial % 2 == 1:
            RAW.unlink()
        else:
            RAW.write_text(after, encoding="utf-8")
        yield f"raw file {'gone' if is_gone else 'changed'}", left_by(child, wholes)
    RAW.write_text(before, encoding="utf-8")


def disks(count: int, wholes: list[State]) -> Iterator[Row]:
    """Give the output a disk of its own, which has room for a part of a build, or may only be read."""
    whole(KEYS[0])
    with disk(ENVIRONMENT.parent) as remount:
        for place in range(count):
            used = shutil.disk_usage(ENVIRONMENT).used
            remount(f"size={used + used * place // count}")
            yield "disk full", left_by(begun("build", other_key(wholes)), wholes)
            remount("size=50%")  # of the memory
        remount("ro")
        for act in ("build", "again", "ablations", "release"):
            yield f"disk read-only: {act}", left_by(begun(act, KEYS[0]), wholes)


@contextmanager
def disk(folder: Path) -> Iterator[Callable[[str], None]]:
    """Put a folder on a disk in memory; yield what gives that disk other options."""
    files = shutil.copytree(folder, folder.with_name("before"))
    mount("-t", "tmpfs", "tmpfs", folder)
    try:
        shutil.copytree(files, folder, dirs_exist_ok=True)
        yield lambda options: mount("-o", f"remount,{options}", folder)
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)  # noqa: S607


def mount(*arguments: str | Path) -> None:
    """Call the system's `mount`."""
    subprocess.run(["mount", *arguments], check=True)  # noqa: S607


if __name__ == "__main__":
    sys.exit(main())

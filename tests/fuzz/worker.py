"""The process that reads files until the time is over: `python -m tests.fuzz.worker BUILT TARGETS SETTINGS...`.

The first byte of what libFuzzer makes says which target reads the rest, so that one process goes through all of them. For
targets without guidance the bytes are drawn here, and nothing but the place of one in the row decides on them.
"""

import faulthandler
import os
import random
import resource
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from itertools import count
from pathlib import Path

import atheris

from tests.fuzz import TRYING, UNGUIDED, keep

built, names, *settings = sys.argv[1:]
is_guided = set(UNGUIDED).isdisjoint(names.split(","))
with atheris.instrument_imports(include=["anonymize.keys", "pipeline", "silt"]) if is_guided else nullcontext():
    from tests.fuzz.targets import TARGETS, prepare, seeds

told: Mapping[str, str] = dict(each[1:].split("=", 1) for each in settings if each.startswith("-"))
targets = [TARGETS[name] for name in names.split(",") if name] or [
    each for name, each in TARGETS.items() if name not in UNGUIDED
]


def read(content: bytes) -> None:
    """Read what was made; a defect ends the process at once, for it would wait for the threads of polars."""
    if content:
        try:
            targets[content[0] % len(targets)].read(content[1:])
        except BaseException:  # noqa: BLE001  (a panic of polars is none of Python's exceptions)
            traceback.print_exc()
            keep(content, told["artifact_prefix"])
            os._exit(1)


def drawn() -> Iterator[bytes]:
    """Yield bytes for each target in turn, as many as are asked for."""
    ends, runs = time.monotonic() + float(told.get("max_total_time", "inf")), int(told.get("runs", -1))
    for number in count():
        if number == runs or time.monotonic() > ends:
            print(f"{number:,} tried", file=sys.stderr)  # noqa: T201
            return
        source = random.Random(f"{told['seed']} {number}")  # noqa: S311  (nothing secret follows from it)
        yield bytes([number % len(targets)]) + source.randbytes(8)


def try_all() -> None:
    """Read the file that is named, or all that is drawn, which is in a file before it is tried: it may end the process."""
    trying = Path(TRYING).absolute()
    most = int(told["rss_limit_mb"]) * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    file = next((Path(each) for each in settings if Path(each).is_file()), None)
    if file:
        read(file.read_bytes())
    for content in () if file else drawn():
        trying.write_bytes(content)
        faulthandler.dump_traceback_later(int(told["timeout"]), exit=True)
        read(content)
        faulthandler.cancel_dump_traceback_later()
    trying.unlink(missing_ok=True)


prepare(Path(built))
if is_guided:
    Path("seeds").mkdir()
    for place, target in enumerate(targets):
        for number, content in enumerate(seeds(target)):
            Path("seeds", f"{place}-{number}").write_bytes(bytes([place]) + content)
    atheris.Setup([sys.argv[0], *settings], read)
    atheris.Fuzz()
else:
    try_all()

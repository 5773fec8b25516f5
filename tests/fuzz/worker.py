"""The process that reads files until the time is over: `python -m tests.fuzz.worker BUILT TARGETS SETTINGS...`.

The first byte of what libFuzzer makes says which target reads the rest, so that one process goes through all of them.
"""

import os
import sys
import traceback
from contextlib import nullcontext
from hashlib import sha256
from pathlib import Path

import atheris

from tests.fuzz import UNGUIDED

built, names, *settings = sys.argv[1:]
is_guided = set(UNGUIDED).isdisjoint(names.split(","))
with atheris.instrument_imports(include=["anonymize.keys", "pipeline", "silt"]) if is_guided else nullcontext():
    from tests.fuzz.targets import TARGETS, prepare, seeds

found = next(setting for setting in settings if setting.startswith("-artifact_prefix=")).partition("=")[2]
targets = [TARGETS[name] for name in names.split(",") if name] or [
    each for name, each in TARGETS.items() if name not in UNGUIDED
]


def read(content: bytes) -> None:
    """Read what libFuzzer made; a defect ends the process at once, for it would wait for the threads of polars."""
    if content and content[0] < len(targets):
        try:
            targets[content[0]].read(content[1:])
        except BaseException:  # noqa: BLE001  (a panic of polars is none of Python's exceptions)
            traceback.print_exc()
            Path(found + sha256(content).hexdigest()[:16]).write_bytes(content)
            os._exit(1)


prepare(Path(built))
Path("seeds").mkdir()
for place, target in enumerate(targets):
    for number, content in enumerate(seeds(target)):
        Path("seeds", f"{place}-{number}").write_bytes(bytes([place]) + content)
atheris.Setup([sys.argv[0], *settings], read)
atheris.Fuzz()

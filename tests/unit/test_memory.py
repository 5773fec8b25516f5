"""Memory that is free goes back to the system, although what was allocated last is still in use."""

import os
import subprocess
import sys

import silt  # noqa: F401  (it sets the variables)

FREED = """
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

{first}
bytes(200_000)
before = resident()
blocks = [bytearray(b"x") * 200_000 for _ in range(500)]
del blocks[:-1]
print((resident() - before) >> 20)
"""

VARIABLES = {name: value for name, value in os.environ.items() if name.startswith("MALLOC_")}
"""What Silt sets when it is imported."""


def left(first: str, **variables: str) -> int:
    """Return how many of 95 MiB a process still holds that frees all but the last block of 500."""
    others = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    command = [sys.executable, "-c", FREED.format(first=first)]
    return int(subprocess.check_output(command, env=others | variables, text=True, timeout=120))


def test_without_settings_a_process_keeps_what_is_free() -> None:
    """Otherwise the other tests would show nothing."""
    assert left("") > 50


def test_the_command_gives_back_what_it_frees() -> None:
    """Its process has begun before Silt is imported, so that variables come too late for it."""
    assert left("from silt.cli import _give_memory_back; _give_memory_back()") < 20


def test_the_processes_that_it_starts_give_back_what_they_free() -> None:
    """They have its variables from the beginning."""
    assert left("", **VARIABLES) < 20

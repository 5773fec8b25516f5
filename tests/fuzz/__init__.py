"""Fuzzing: random bytes for everything that reads files. `python -m tests.fuzz` runs it; its help says how."""

from hashlib import sha256
from pathlib import Path

UNGUIDED = ("declarations", "values", "swapped", "tables")
"""Targets that run whole commands. What libFuzzer puts into functions, so that it sees how far it comes, has no identity for
the store: these run without it, in a process of their own."""

TRYING = "trying"
"""File in the working folder with what is being tried without guidance."""


def keep(content: bytes, prefix: str) -> None:
    """Keep what showed a defect in a file of its own."""
    Path(prefix + sha256(content).hexdigest()[:16]).write_bytes(content)

"""Fuzzing: random bytes for everything that reads files. `python -m tests.fuzz` runs it; its help says how."""

UNGUIDED = ("declarations", "values", "swapped")
"""Targets that run whole commands. What libFuzzer puts into functions, so that it sees how far it comes, has no identity for
the store: these run without it, in a process of their own."""

"""Fuzzing: random bytes for everything that reads files. `python -m tests.fuzz` runs it; its help says how."""

"""Faults, many of them: `make faults` prints what each kind left."""

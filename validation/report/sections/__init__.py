"""Sections of the report, one module each: a finding is worded here and nowhere else."""

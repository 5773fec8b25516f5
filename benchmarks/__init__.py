"""Benchmarks: whole builds beside their floor, and single mechanisms beside their peers, measured in one run."""

"""Benchmarks: whole builds beside their floor and beside what a user would write instead, and mechanisms beside others."""

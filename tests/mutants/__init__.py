"""Negative controls: builds with one thing wrong each, and which check is there to find it.

A mutant (`mutant.py`) changes what one stage of a finished build made; the laboratory (`laboratory.py`) builds on from there
and says which checks failed. The mutants stand by what they change: `figures.py`, `aggregates.py`, `tables.py`, `noise.py`; all
of them are `MUTANTS` (`catalogue.py`). `python -m tests.mutants` (`make mutants`) prints the table of `README.md`.
"""

"""Leaks: originals that reach what is published, each in one way, and the one check that is there to find it.

A leak (`leak.py`) changes a small set of tables (`bakers.py`): its raw files, its declaration, or what anonymising made of
them. The laboratory (`laboratory.py`) builds that without Dagster and says which checks noticed. Leaks of columns stand in
`columns.py`; another register of leaks is a tuple like `COLUMN_LEAKS`, added to `LEAKS` in `catalogue.py`. What a stage could
do wrong with sound tables is `tests/mutants`.
"""

"""Tasks with gold answers: questions as small typed programs over the published tables, drawn by key, computed by two routes.

    operators.py   what a step of a program can be, as YAML has it
    families.py    families of questions: slots, steps, answer, wording; the loader
    generic.py     families that follow from a declaration alone
    shapes.py      types and units of what steps give; checking.py says what does not fit
    clean.py       the clean tables, read back from their files
    frames.py      runs a program with polars; knows which cells were read
    statement.py   writes it as SQL; duck.py runs that
    drawing.py     fills slots by key; gates.py refuses what must not be asked
    wording.py     guideline and steps in words
    making.py      a set of tasks; writing.py its files; checked.py checks them

Nothing here knows originals, noise or Dagster. What is true is the clean database as it was published.
"""

"""Tasks with gold answers: questions as small typed programs over the published tables, drawn by key, computed by two routes.

    program/       operators of a step, as YAML has them; types and units of what steps give, and what does not fit
    running/       the clean tables; programs on polars frames, which know what they read; the same as SQL in DuckDB
    families.py    families of questions: slots, steps, answer, wording; the loader
    generic.py     families that follow from a declaration alone (generic.yaml)
    drawing.py     fills slots by key; gates.py refuses what must not be asked
    wording.py     guideline and steps in words
    making.py      a set of tasks; writing.py its files; checked.py checks them
    scoring/       answers that somebody else gave: read as the guideline asks for them, and compared with gold

Nothing here knows originals, noise or Dagster. What is true is the clean database as it was published.
"""

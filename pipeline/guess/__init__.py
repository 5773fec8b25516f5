"""Guesses: what a folder of raw tables looks like, as a declaration to start from, each guess with its evidence.

Pure functions over text columns. `typing` reads cells, `words` headers; `keys` finds keys and references, `shape` says what
each table is, `roles` what each column is, `identities` and `totals` what figures follow from which; `declared` makes the parts
of a declaration. Writing these down as Python belongs to `silt/commands/init`. In doubt a column is guessed so that it is not
published.
"""

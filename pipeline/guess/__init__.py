"""Guesses: what a folder of raw tables looks like, as a declaration to start from, each guess with its evidence.

Pure functions over text columns. `typing` reads cells, `words` headers, `keys` finds keys and references, `identities` what
figures follow from which, `shape` what each table is, `declared` makes the parts of a declaration. Writing these down as Python belongs to
`silt/commands/init`. Whatever is doubtful is guessed so that it is not published.
"""

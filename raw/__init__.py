"""Where raw tables come from: `vocabulary/` (the names of the trade), `corpus/` (the generated originals of dataclaw-18).

Generated tables are written here, too, into folders that git ignores. Nothing in this package knows the later stages.
"""

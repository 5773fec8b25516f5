"""Where raw tables come from: `vocabulary/` (the names of the trade), `corpus/` (the generated originals of dataclaw-18).

The generated tables land here too, in folders that git ignores. Nothing in this package knows the stages after it.
"""

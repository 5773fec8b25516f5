"""Where raw tables come from: `vocabulary/` (the names of the trade), `corpus/` and `listed/` (the generated
originals of dataclaw-18 and of us-listed).

Generated tables are written here, too, into folders that git ignores. Nothing in this package knows the later stages.
"""

"""Where raw tables come from: `vocabulary/` (the names of the trade), and generated originals.

Those of dataclaw-18 are made in `corpus/`, those of us-listed in `listed/`; `draws.py` has the public key and draws from it.

Generated tables are written here, too, into folders that git ignores. Nothing in this package knows the later stages.
"""

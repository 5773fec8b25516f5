"""Files by which people and programs read a release: each standard in a module of its own, over one description of the data."""

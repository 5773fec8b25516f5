"""The release key, the record of its uses, and what is sealed under it."""

"""The release key, what it was used for, and what is sealed under it."""

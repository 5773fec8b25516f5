"""Checks of a release: each a function from a release to what is wrong in it. In which order they run: `verifying.py`."""

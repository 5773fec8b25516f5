"""Releases that somebody tampered with: is each change noticed, with its place? `python -m tests.tampering --n 200`."""

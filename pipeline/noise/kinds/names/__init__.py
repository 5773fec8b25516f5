"""Kinds of noise in names and categories: typos, truncation, stray blanks, other scripts, drift."""

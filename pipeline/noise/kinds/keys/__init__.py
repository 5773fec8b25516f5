"""Kinds of noise in join keys: stray blanks, other formats."""

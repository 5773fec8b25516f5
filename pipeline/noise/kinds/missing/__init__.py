"""Kinds of noise in which values are missing: empty cells, and what stands in for them."""

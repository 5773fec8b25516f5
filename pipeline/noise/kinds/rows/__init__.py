"""Kinds of noise in rows: dropped, repeated, invented, put in another order."""

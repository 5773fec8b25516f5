"""Kinds of noise in units: another unit, another word for it, a wrong power of ten."""

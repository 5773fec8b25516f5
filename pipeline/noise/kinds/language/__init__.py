"""Kinds of noise in which a text stands in another language."""

"""Kinds of noise in dates and periods."""

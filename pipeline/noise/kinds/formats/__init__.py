"""Kinds of noise in how numbers are written."""

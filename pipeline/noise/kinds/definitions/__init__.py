"""Kinds of noise in which a figure is defined otherwise than declared: another scope, ratio, sum or vintage."""

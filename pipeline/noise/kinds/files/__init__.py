"""Kinds of noise in the layout of a file: dialect, headers, columns split, merged, renamed or made wide."""

"""Firms of the generated corpus: their names, trades, places and profiles."""

"""Silt's face."""

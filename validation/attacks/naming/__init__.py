"""Attacks that name an entity by its name, its code or a text about it."""

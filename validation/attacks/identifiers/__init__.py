"""Attacks that find an entity by its name, its code or a text about it."""

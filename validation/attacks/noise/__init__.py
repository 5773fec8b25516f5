"""Attacks that tell noise from data: filters and small classifiers."""

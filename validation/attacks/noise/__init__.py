"""Attacks that distinguish noise from data: filters and small classifiers."""

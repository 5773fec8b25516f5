"""Attacks that link a published record to its original."""

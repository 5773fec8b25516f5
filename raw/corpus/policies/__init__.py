"""Policies of the generated corpus."""

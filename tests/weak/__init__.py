"""Mechanisms that are broken, kept for the attackers' tests: who does not succeed on these proves nothing on others."""

"""Noise in words: what a kind does, what a rule does, examples of it. It changes nothing."""

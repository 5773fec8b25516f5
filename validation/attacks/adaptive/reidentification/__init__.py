"""Attacks that learn which original a sampled record belongs to: from pairs, by a classifier, by unmixing."""

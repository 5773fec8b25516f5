"""Attacks that learn which original a sampled record is: from pairs, by a classifier, by taking mixtures apart."""

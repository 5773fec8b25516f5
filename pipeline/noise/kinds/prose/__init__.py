"""Kinds of noise in prose: figures told in sentences, residue of conversions, cut and shuffled text."""

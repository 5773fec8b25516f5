"""Kinds of noise in prose: attributes and figures in sentences, residue of conversions, cut and shuffled text."""

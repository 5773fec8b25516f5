"""The names of the trade, each fact once: indicators, industries, places, listings, agencies, macro series, metrics.

Facts only, read by the corpus, the declaration of dataclaw-18 and the noise; nothing here computes, draws or reads files.
"""

"""The generated originals of dataclaw-18: raw tables of the release's shape, the same for everybody.

    population, places, codes, names -> firms -> profile                     who they are
    figures, inventions, outliers, gaps -> panel -> aggregates               what they report
    trades, sentences -> grammar, aliases -> narratives;
    policies -> policy_titles -> policy_texts                                what is written
    overseas, macro                                                          what distracts

`tables.py` assembles and writes them all. Vocabulary is in `raw/vocabulary/`; nothing here knows how tables are conformed,
anonymised or published.
"""

from raw.corpus.tables import generate

__all__ = ["VERSION", "generate"]

VERSION = "3"
"""Names the corpus: another version means other raw tables at the same scale."""

"""The generated originals of dataclaw-18: raw tables of the release's shape, the same for everybody.

    population, places, codes, names -> firms -> profile                     who they are
    figures, inventions, outliers, gaps -> panel -> aggregates               what they report
    trades, sentences -> grammar, aliases -> narratives;
    policies -> policy_titles -> policy_texts                                what is written
    overseas, macro                                                          what distracts

`tables.py` assembles and writes them all. Vocabulary is in `raw/vocabulary/`; nothing here knows how tables are conformed,
anonymised or published.
"""

from pathlib import Path

from raw.corpus.tables import write_tables

VERSION = "3"
"""Names the corpus: another version means other raw tables at the same scale."""


def generate(directory: Path, scale: float) -> None:
    """Write the raw tables into a directory: one Parquet file a table, and the translation lists as JSON.

    Args:
        directory: Made if it is not there; files of the same names are replaced.
        scale: Firms and records relative to the release; 1.0 gives its numbers exactly.

    Raises:
        InputError: The scale is larger than names, codes or series last for.
    """
    write_tables(directory, scale)

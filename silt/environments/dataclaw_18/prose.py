"""Writes the narratives of `dataclaw-18` anew: by the grammar of the corpus, about the firms of the release.

Nothing but what is published goes in: names, industry, place. Figures are not mentioned, as in the corpus, so that prose and
tables contradict each other only where noise makes them.
"""

import polars as pl

from pipeline.keyed import Key
from pipeline.model import PERIOD, Prose, Subjects
from raw.corpus.grammar import narrative, subjects
from silt.environments.dataclaw_18.raw_tables import CODE


def write_narratives(release: Subjects, key: Key) -> pl.Series:
    """Return a narrative for each row; a firm whose city is unknown is said to be in its province."""
    firms = release.entities.select(
        pl.col(CODE).alias("code"), pl.coalesce("city", "province").alias("city"), "industry"
    )
    identities = release.entities.select(CODE, pl.col(PERIOD).cast(pl.String)).iter_rows()
    streams = (key.stream(code, year) for code, year in identities)
    about = subjects(pl.concat([firms, release.names], how="horizontal"))
    texts = [narrative(subject, stream) for subject, stream in zip(about, streams, strict=True)]
    return pl.Series(texts, dtype=pl.String)


PROSE = (Prose(table="company_core", column="bmCoreVieContent", write=write_narratives),)

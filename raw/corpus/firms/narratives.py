"""The narratives of core competitiveness: prose about a firm that mentions its names, code, subsidiaries and products.

Composed by the grammar of `grammar.py`, each firm by a stream of its own.
"""

import polars as pl

from raw.corpus.grammar import narrative, subjects
from raw.corpus.stamps import LATEST_YEAR, load_stamps, numbered
from raw.draws import CORPUS_KEY, scaled

_KEY = CORPUS_KEY.derive("narratives")

NARRATIVES = 4_907
"""Narratives of the release, one a firm."""

HEADER = ("id", "bmCode", "year", "hasRun", "bmCoreVieContent", "isDelete", "createTime", "updateTime")


def narrated(firms: pl.DataFrame, scale: float) -> pl.DataFrame:
    """Return the firms (column `firm`) that have a narrative."""
    return firms.sort(_KEY.mac("firm")).head(scaled(NARRATIVES, scale)).select("firm")


def company_core(firms: pl.DataFrame, aliases: pl.DataFrame) -> pl.DataFrame:
    """Return the narratives as text, by code; the firms with subsidiaries among the aliases have one."""
    owned = [
        aliases.filter(pl.col("kind") == kind).group_by("firm").agg(pl.col("alias").sort().alias(plural))
        for kind, plural in (("subsidiary", "subsidiaries"), ("product", "products"))
    ]
    described = firms.join(owned[0], on="firm").join(owned[1], on="firm").sort("code")
    texts = [narrative(subject, _KEY.stream("prose", subject.code)) for subject in subjects(described)]
    rows = numbered(described.select(bmCode="code").with_columns(bmCoreVieContent=pl.Series(texts, dtype=pl.String)))
    constant = {"year": str(LATEST_YEAR), "hasRun": "1", "isDelete": "0"}
    named = {name: pl.lit(value) for name, value in constant.items()}
    return rows.with_columns(**named, **load_stamps(rows_a_second=1)).select(pl.col(HEADER).cast(pl.String))

"""Listed names less their legal form that stand, as single words, in columns which are published as they are.

No gate searches for them: one word of a name is often a word of the language. `silt check` and a build say where they stand.
"""

from collections.abc import Sequence

import polars as pl

from anonymize.names.legal_forms import bare, without_legal_form
from pipeline.model import Environment, RawTable
from pipeline.model.treatments import Treatment, treatments

_WORD = r"[\p{L}\p{N}]+"
_SELDOM = 3
"""Entities that may have a word in a column for it to name somebody (our choice): more have the words of categories."""


def kept_columns(environment: Environment, table: RawTable, *, are_sampled: bool = False) -> list[str]:
    """Return the columns of text that are published as they are; where records are sampled, quasi-identifiers are not."""
    kept = (Treatment.PUBLIC, *([] if are_sampled else [Treatment.QUASI_IDENTIFIER]))
    decided = treatments(environment, table)
    return [column.name for column in table.columns if column.type == "text" and decided.get(column.name) in kept]


def short_names(identity_map: pl.DataFrame) -> list[str]:
    """Return the word that is left of names without their legal form, in lower case; names of more words are searched for."""
    names = identity_map.filter(pl.col("kind").is_in(["name", "alias"]))["original"].unique()
    return [bare(name).lower() for name in names if bare(name) != name and not without_legal_form(name)]


def with_short_names(cells: pl.Series, short: Sequence[str], owners: pl.Series | None = None) -> list[int]:
    """Return the numbers of a column's cells, from 0, with such a word that few entities have.

    Args:
        cells: Texts of one column.
        short: The words.
        owners: The code of each cell's entity; by default each cell is of another one.
    """
    lower = cells.cast(pl.String).str.to_lowercase().alias("cell").to_frame().with_row_index()
    lower = lower.with_columns(owner=pl.col("index") if owners is None else owners)
    # NOTE: most cells have none of the words, and to take long texts apart takes long.
    near = lower.filter(pl.col("cell").str.contains_any(pl.Series(short, dtype=pl.String).implode()))
    words = near.select("index", "owner", word=pl.col("cell").str.extract_all(_WORD)).explode("word")
    found = words.filter(pl.col("word").is_in(short), pl.col("owner").n_unique().over("word") <= _SELDOM)
    return found["index"].unique().sort().to_list()

"""Draws who a published firm is: each attribute is dealt out anew among the firms of its industry, by key.

A column dealt out within a stratum keeps its counts there and says nothing of the owner. Columns that hang together are dealt
out together (`along`) or within each other (`within`), as the declaration says; all others come apart on purpose, so that no
two of them lead to a row of a register. Values that too few firms have are left out. Figures are `sampling.py`'s.
"""

from collections.abc import Sequence

import polars as pl

from pipeline.keyed import Key
from pipeline.model import QuasiIdentifier, QuasiIdentifiers

_PLACE = "place in its stratum"


def deal(frame: pl.DataFrame, columns: Sequence[str], *, within: Sequence[str], entity: str, key: Key) -> pl.DataFrame:
    """Return the frame with columns permuted by key within strata, together.

    Args:
        frame: One row an entity.
        columns: What is dealt out.
        within: Columns whose equal values, null among them, make a stratum; they may have been dealt out before.
        entity: Column that identifies the entity, unique.
        key: Key of this purpose.

    Returns:
        Columns `entity`, then `columns`, rows in the frame's order.
    """
    return deal_into(frame.select(entity, *within), frame.select(entity, *within, *columns), entity=entity, key=key)


def deal_into(targets: pl.DataFrame, sources: pl.DataFrame, *, entity: str, key: Key) -> pl.DataFrame:
    """Return the targets' entities with the columns that only the sources have, dealt out within the strata of both.

    Both have `entity` and the strata's columns, and each stratum as many rows.
    """
    within = [column for column in targets.columns if column != entity]
    columns = [column for column in sources.columns if column not in targets.columns]
    places = [
        frame.with_columns(key.derive(side).mac(entity).rank("ordinal").over(within or pl.lit(0)).alias(_PLACE))
        for side, frame in (("targets", targets), ("sources", sources))
    ]
    dealt = places[0].join(
        places[1].drop(entity), on=[*within, _PLACE], how="left", nulls_equal=True, maintain_order="left"
    )
    return dealt.select(entity, *columns)


def sample_attributes(
    frame: pl.DataFrame,
    declared: QuasiIdentifiers,
    *,
    targets: pl.DataFrame,
    strata: Sequence[str],
    entity: str,
    fewest: int,
    key: Key,
) -> pl.DataFrame:
    """Return the entities with every declared attribute dealt out within strata.

    Args:
        frame: The originals, one row an entity: `entity`, the strata's columns and the declared ones.
        declared: What is kept, and what is dealt out in order; `within` names an attribute dealt out before.
        targets: The entities to be drawn: `entity` and the strata's columns, as many in each stratum.
        strata: Columns that make the strata, of which the kept ones are part.
        entity: Column that identifies the entity, unique.
        fewest: Values that fewer entities have are left out, and with them what goes along or within.
        key: Key of this purpose.
    """
    drawn = targets
    for item in declared.dealt:
        within = [*strata, *([item.within] if item.within else [])]
        new = [column for column in item.columns if column not in strata]
        sources = frame.select(entity, *dict.fromkeys([*within, *new]))
        dealt = deal_into(
            drawn.select(entity, *dict.fromkeys(within)), sources, entity=entity, key=key.derive(item.column)
        )
        drawn = drawn.join(dealt, on=entity, how="left", maintain_order="left")
    told = drawn
    for item in declared.dealt:
        told = _without_rare(told, drawn, item, fewest)
    return told


def _without_rare(frame: pl.DataFrame, drawn: pl.DataFrame, item: QuasiIdentifier, fewest: int) -> pl.DataFrame:
    """Blank values that too few entities have, and those within a value that was blanked; a date counts by its year."""
    value = pl.col(item.column)
    looked_up = value.dt.year() if frame.schema[item.column] == pl.Date else value
    is_kept = pl.len().over(looked_up) >= fewest
    if item.within:
        is_kept &= pl.col(item.within).is_not_null() | pl.lit(drawn[item.within].is_null())
    return frame.with_columns(pl.when(is_kept).then(pl.col(item.columns)))

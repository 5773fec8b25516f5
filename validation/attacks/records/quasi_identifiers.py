"""Quasi-identifier attack: for each published record, the entities of a register that agree with it in every column.

The record linkage of Sweeney (2002), who joined a public register to masked tables. It uses places, classes, owners and years
only: figures belong to the other attacks, class sizes to `anonymize/quasi_identifiers.py`.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from anonymize.quasi_identifiers import looked_up
from pipeline.keyed import SEPARATOR
from pipeline.wording import percent
from validation.attacks import Attack

_ROW = f"row{SEPARATOR}"
_CANDIDATES = f"candidates{SEPARATOR}"


def quasi_identifier_attack(
    originals: pl.DataFrame, published: pl.DataFrame, columns: Sequence[str], *, kept: str = "", of: str = ""
) -> Attack:
    """Look every published record up in the originals; a success is a record with which its own original alone agrees.

    An original agrees if it has the same value in each column that the record does not leave blank; a date counts by its year.
    `chance` is the rate of a guess among all originals, or among those with the same kept column; `detail` gives the rate of a
    guess among those that agree.

    Args:
        originals: the register, one row an entity.
        published: rows aligned with those of `originals`: row i belongs to the entity of row i.
        columns: the quasi-identifiers, at least one, in both frames and of the same types.
        of: the kind of entities; companies if empty.
        kept: the column that is published as it is: a company that is alone in it is found, whatever the others hold.
    """
    register, records = (frame.select(looked_up(frame, columns)) for frame in (originals, published))
    candidates = _candidates(register, records)
    is_candidate = _is_candidate(register, records)
    # One guess in each group is right.
    guesses = originals[kept].n_unique() if kept else 1
    return Attack(
        attack="quasi-identifier linkage",
        knowledge=f"a register{of and f' of {of}'} with {', '.join(columns)} (of dates the year)",
        records=records.height,
        successes=candidates.filter(is_candidate & (candidates == 1)).len(),
        chance=guesses / originals.height if originals.height else 0.0,
        detail=_detail(candidates, is_candidate, of or "companies"),
    )


def _candidates(register: pl.DataFrame, records: pl.DataFrame) -> pl.Series:
    """Count for each record the originals that agree; records with the same blank columns are looked up at once."""
    numbered = records.with_row_index(_ROW)
    counted = [numbered.select(_ROW, pl.lit(register.height, pl.Int64).alias(_CANDIDATES)).clear()]
    patterns = numbered.group_by(pl.col(records.columns).is_not_null()).agg(_ROW)
    for *is_filled, rows in patterns.iter_rows():
        filled = [column for column, is_there in zip(records.columns, is_filled, strict=True) if is_there]
        counted.append(_looked_up_by(filled, register, numbered[rows]))
    return pl.concat(counted).sort(_ROW)[_CANDIDATES]


def _looked_up_by(filled: list[str], register: pl.DataFrame, records: pl.DataFrame) -> pl.DataFrame:
    if not filled:
        return records.select(_ROW, pl.lit(register.height, pl.Int64).alias(_CANDIDATES))
    # Few records have the same blank columns: most of the register agrees with none of them, and need not be grouped.
    asked = register.join(records, on=filled, how="semi")
    agreeing = asked.group_by(filled).agg(pl.len().cast(pl.Int64).alias(_CANDIDATES))
    return records.join(agreeing, on=filled, how="left").select(_ROW, pl.col(_CANDIDATES).fill_null(0))


def _is_candidate(register: pl.DataFrame, records: pl.DataFrame) -> pl.Series:
    """Return for each record whether its own original agrees: a value that was changed, not blanked, rules it out."""
    own = register.rename(lambda column: f"{column}{SEPARATOR}own")
    agrees = [
        pl.col(column).is_null() | pl.col(column).eq(pl.col(f"{column}{SEPARATOR}own")).fill_null(value=False)
        for column in records.columns
    ]
    return pl.concat([records, own], how="horizontal").select(pl.all_horizontal(agrees).alias(_ROW))[_ROW]


def _detail(candidates: pl.Series, is_candidate: pl.Series, of: str) -> str:
    if candidates.is_empty():
        return ""
    fewest, most = min(candidates), max(candidates)
    agree = f"between {fewest} and {most} agree" if fewest < most else f"{most} {'agrees' if most == 1 else 'agree'}"
    expected = (is_candidate / candidates.clip(1)).to_numpy().mean()
    return (
        f"A guess among the {of} that agree is right for {percent(expected)} of the records; "
        f"{agree} with a record, "
        f"{np.median(candidates.to_numpy()):.0f} in the median."
    )

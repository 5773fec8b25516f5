"""Quasi-identifiers: what a register discloses of an entity, how many entities share it, and how much a release leaves blank.

Belongs here: counting. What a release publishes of them is drawn in `synthesis/entities/attributes.py`; what an outsider
achieves with them is measured in `validation/attacks/records/quasi_identifiers.py`.

A class (Sweeney 2002) is the records with equal values, and an empty field is a value of its own, which is stricter than
letting it match anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.keyed import SEPARATOR
from pipeline.model import QuasiIdentifiers

_SIZE = f"{SEPARATOR}size"
"""No column of a table can be called so."""


@dataclass(frozen=True, kw_only=True)
class Classes:
    """Sizes of the classes of records that read the same in what a register says."""

    k: int
    """The size of class that is asked for."""
    records: int
    smallest: int
    below: int
    """Records in classes of fewer than k."""
    unique: int
    share_below: float


def anonymity(frame: pl.DataFrame, columns: Sequence[str], *, k: int) -> Classes:
    """Return the class sizes of a table of entities.

    Args:
        frame: one row an entity.
        columns: the quasi-identifiers; a Date counts by its year, a null is a value of its own.
        k: the required size of a class, 1 or more.
    """
    sizes = frame.select(looked_up(frame, columns)).group_by(columns).len(_SIZE)[_SIZE].cast(pl.Int64)
    below = int(sizes.filter(sizes < k).sum())
    return Classes(
        k=k,
        records=frame.height,
        smallest=min(sizes, default=0),
        below=below,
        unique=sizes.filter(sizes == 1).len(),
        share_below=below / frame.height if frame.height else 0.0,
    )


def given_up(before: pl.DataFrame, after: pl.DataFrame, declared: QuasiIdentifiers) -> pl.DataFrame:
    """Return how much is left blank: for each declared column the filled fields before, how many are lost, the share left.

    Returns:
        Columns `column`, `filled`, `given_up` and `share_left` (1 where nothing was filled), in declared order.
    """
    filled = [before[column].count() for column in declared.columns]
    left = [after[column].count() for column in declared.columns]
    counts = pl.DataFrame(
        {"column": declared.columns, "filled": filled, "left": left},
        schema={"column": pl.String, "filled": pl.Int64, "left": pl.Int64},
    )
    return counts.select(
        "column",
        "filled",
        given_up=pl.col("filled") - pl.col("left"),
        share_left=pl.when(pl.col("filled") == 0).then(1.0).otherwise(pl.col("left") / pl.col("filled")),
    )


def looked_up(frame: pl.DataFrame, columns: Sequence[str]) -> list[pl.Expr]:
    """Return the columns in the form in which they are looked up: a date by its year, because its day is redrawn."""
    schema = frame.schema
    return [pl.col(column).dt.year() if schema[column] == pl.Date else pl.col(column) for column in columns]

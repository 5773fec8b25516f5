"""Quasi-identifiers: gives up what a register says of an entity until k entities read the same, and counts how many do.

k-anonymity (Sweeney 2002) by local suppression, as in sdcMicro's `localSuppression`, but from the top down like Fung, Wang
and Yu (2005): each record starts with the columns that are always kept, and is told more as long as its class allows it.
What an outsider achieves with the published columns is counted in `validation/attacks/quasi_identifiers.py`; figures, and
what gives a firm away in prose, do not belong here.

A class is the records that read the same, and an empty field is a value of its own. That is stricter than to let it match
anything, and it is what holds: who has the register can repeat the suppression and knows whose fields are empty.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.environment.model import QuasiIdentifier, QuasiIdentifiers
from pipeline.keyed import Key


@dataclass(frozen=True, kw_only=True)
class Anonymity:
    """How many records share what can be looked up."""

    k: int
    """The size of class that is asked for."""
    records: int
    smallest: int
    """Records of the smallest class; 0 without records."""
    below: int
    """Records in classes of fewer than k."""
    unique: int
    """Records that are alone in their class."""

    @property
    def share_below(self) -> float:
        """Return the share of records in classes of fewer than k; 0 without records."""
        return self.below / self.records if self.records else 0.0


def anonymity(frame: pl.DataFrame, columns: Sequence[str], *, k: int) -> Anonymity:
    """Return the class sizes of a table of entities.

    Args:
        frame: one row an entity.
        columns: the quasi-identifiers; a Date counts by its year, a null is a value of its own.
        k: the size of class that is asked for, 1 or more.
    """
    sizes = frame.select(looked_up(frame, columns)).group_by(columns).len()["len"].cast(pl.Int64)
    return Anonymity(
        k=k,
        records=frame.height,
        smallest=min(sizes, default=0),
        below=int(sizes.filter(sizes < k).sum()),
        unique=sizes.filter(sizes == 1).len(),
    )


def generalise(frame: pl.DataFrame, declared: QuasiIdentifiers, *, k: int, entity: str, key: Key) -> pl.DataFrame:
    """Return the frame with quasi-identifiers blanked until every class has at least k records.

    The columns are told one after another, most useful first. Within a class, a value that at least k records share is
    told; the others stay blank. If fewer than k would stay blank, records of the commonest value join them, drawn by
    key: as many as are missing, or all if fewer than k of that value would be left. So every class has k records after
    each step if it had them before. Where fewer than k records share what is always kept, all else is given up, and they
    stay fewer than k; `anonymity` counts them. k = 1 gives the frame back unchanged, but for a value whose `within` is blank.

    Blanks depend on the records' values and on PRF(key, column, entity), not on the order of rows. They depend on which
    other records there are, as k-anonymity must: statistics of groups have to be taken from the result, or they tell
    where a firm is whose place was given up.

    Args:
        frame: one row an entity, with every declared column.
        declared: the quasi-identifiers.
        k: the size of class that is asked for, 1 or more.
        entity: column that identifies the entity; unique and never null.
        key: the key of this purpose.
    """
    told = frame.select(entity, *looked_up(frame, declared.columns))
    before = list(declared.kept)
    for item in declared.told:
        told = _tell(told, item, before=before, k=k, draw=key.draw(pl.lit(item.column), entity))
        before += item.columns
    blanked = [column for item in declared.told for column in item.columns]
    return frame.with_columns(
        pl.when(told[column].is_not_null()).then(pl.col(column)).alias(column) for column in blanked
    )


def given_up(before: pl.DataFrame, after: pl.DataFrame, declared: QuasiIdentifiers) -> pl.DataFrame:
    """Return what was given up: for each declared column the fields filled before, those given up, the share left.

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


def indistinguishable(
    register: pl.DataFrame, told: pl.DataFrame, columns: Sequence[str], *, entity: str, at_most: int
) -> dict[str, list[str]]:
    """Return the entities among which a register cannot tell whose record it is, by entity, itself among them.

    Args:
        register: the originals, one row an entity.
        told: the same entities with what is told of them; a blank agrees with everything.
        columns: the quasi-identifiers, in both frames and of the same types.
        entity: column that identifies the entity in both.
        at_most: entities with more than so many candidates are left out.
    """
    known, records = (frame.select(entity, *looked_up(frame, columns)) for frame in (register, told))
    found: dict[str, list[str]] = {}
    for *is_told, rows in (
        records.group_by(pl.col(columns).is_not_null()).agg(pl.all()).select(*columns, entity).iter_rows()
    ):
        shown = [column for column, is_there in zip(columns, is_told, strict=True) if is_there]
        if not shown:
            continue
        agreeing = known.group_by(shown).agg(pl.col(entity).sort().alias("candidates"))
        few = agreeing.filter(pl.col("candidates").list.len() <= at_most)
        of_pattern = records.filter(pl.col(entity).is_in(rows))
        found |= dict(of_pattern.join(few, on=shown).select(entity, "candidates").iter_rows())
    return found


def looked_up(frame: pl.DataFrame, columns: Sequence[str]) -> list[pl.Expr]:
    """Return the columns as they can be looked up: of a date its year, because the published day is drawn."""
    schema = frame.schema
    return [pl.col(column).dt.year() if schema[column] == pl.Date else pl.col(column) for column in columns]


def _tell(told: pl.DataFrame, item: QuasiIdentifier, *, before: Sequence[str], k: int, draw: pl.Expr) -> pl.DataFrame:
    """Return the records with one more quasi-identifier blanked where its class would become too small."""
    columns = list(item.columns)
    if item.within:
        told = told.with_columns(pl.when(pl.col(item.within).is_not_null()).then(pl.col(columns)))
    values = [*before, *columns]
    place = draw.rank("ordinal").over(values)
    return (
        told.join(
            _silent(told, columns, before=before, k=k), on=values, how="left", nulls_equal=True, maintain_order="left"
        )
        .with_columns(pl.when(place > pl.col("silent")).then(pl.col(columns)))
        .drop("silent")
    )


def _silent(told: pl.DataFrame, columns: list[str], *, before: Sequence[str], k: int) -> pl.DataFrame:
    """Return for each value in each class (`before`) how many of its records are not told it: none, some or all."""
    size, is_told = pl.col("size"), pl.col("is_told")
    missing = k - size.filter(~is_told).sum().over(before)
    is_commonest = pl.int_range(pl.len()).over(before) == 0
    joining = pl.when(size - missing >= k).then(missing).otherwise(size)
    is_joined = is_commonest & missing.is_between(1, k - 1)
    return (
        told.group_by(*before, *columns)
        .agg(size=pl.len().cast(pl.Int64))
        .with_columns(is_told=(size >= k) & pl.any_horizontal(pl.col(columns).is_not_null()))
        .sort("is_told", "size", *columns, descending=[True, True, *(False for _ in columns)])
        .with_columns(silent=pl.when(~is_told).then(size).when(is_joined).then(joining).otherwise(0))
        .select(*before, *columns, "silent")
    )

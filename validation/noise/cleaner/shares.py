"""Shares of long tables: all rows of some entities, which can be looked at apart from the rows of all others.

Noise and the reference cleaner treat most rows by themselves, and look from some into rows of the same entity. Where nothing of
a table looks further, what is found in shares of the tables is put together to what is found in the whole. Whether that
is so is declared by kinds (`Kind.mends_apart`, `Edit.lookups`); that mended rows are of no other entities is looked at.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.errors import SiltError
from pipeline.keyed import Key
from pipeline.model import Environment, Frames
from pipeline.noise.kinds.interface import Lookup
from pipeline.noise.spec import Rule
from pipeline.noise.steps import steps_of
from validation.noise.cleaner.cleaning import CleanerSight

_MANY = 250_000
"""Rows of a table that are looked at together (our choice: cleaning takes up to a kilobyte for each)."""


class NotApartError(SiltError):
    """Shares of a table cannot be looked at apart from each other."""


@dataclass(frozen=True)
class Share:
    """Those entities of all whose codes fall to a number."""

    number: int
    shares: int
    codes: Mapping[str, str]
    """The column of codes of each table."""

    def refuse_others(self, tables: Frames) -> None:
        """Raise `NotApartError` if rows are of entities of another share; rows without a code are nobody's."""
        for name, rows in tables.items():
            codes = rows[self.codes[name]].drop_nulls() if self.codes[name] in rows.columns else None
            if codes is None or (numbers_of(codes, self.shares) != self.number).any():
                raise NotApartError(f"rows of {name} are of entities of several shares")


def numbers_of(codes: pl.Series, shares: int) -> pl.Series:
    """Return to which of so many shares codes fall."""
    return codes.hash() % shares


def shares_of(rows: int) -> int:
    """Return into how many shares a table of so many rows is divided."""
    return -(-rows // _MANY)


def codes_of(environment: Environment) -> dict[str, str]:
    """Return the columns of codes of the tables of figures."""
    return {view.table: view.code for view in (environment.views.figures if environment.views else ())}


def is_divisible(
    environment: Environment,
    name: str,
    ledger: pl.DataFrame,
    rules: Sequence[Rule],
    sight: CleanerSight | None,
    key: Key,
) -> bool:
    """Say whether shares of a table are declared to be apart from each other, as far as rules and cleaner see them.

    Args:
        ledger: What noise changed in it: if rows were added, dropped or moved, it is whole.
        rules: The rules that name it.
        sight: What the cleaner looks for in it and in tables that it looks into; None if it looks for nothing.
        key: The release key; it decides nothing here.
    """
    codes = codes_of(environment)
    suspicions, seen = (sight.plan.suspicions, sight.beside) if sight else ((), ())
    named = [(suspicion.kind, table) for suspicion in suspicions for table in suspicion.tables]
    has_moved = ledger.filter(pl.col("row_key") != "", pl.col("column") == "").height
    return (
        {name, *seen, *(table for _, table in named)} <= {*codes}
        and not has_moved
        and all(kind.mends_apart(table, codes) for kind, table in named)
        and all(_is_within(lookup, name, codes) for lookup in _lookups(environment, name, rules, key))
    )


def _lookups(environment: Environment, name: str, rules: Sequence[Rule], key: Key) -> Iterator[Lookup]:
    published = environment.table(name)
    for step in steps_of(published, rules, environment, key, published.beside):
        yield from step.edit.lookups.values()


def _is_within(lookup: Lookup, name: str, codes: Mapping[str, str]) -> bool:
    """Say whether only rows with the same code are looked into."""
    own, other = (pl.col(codes.get(table, "")) for table in (name, lookup.table or name))
    return any(here.meta.eq(own) and there.meta.eq(other) for here, there in lookup.on)

"""What noise changed in a block of a table, and how that of all blocks is put together.

The ledger lists changes rule by rule, and within a rule column by column. So the entries of a block know their place in that
order until all blocks are there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import reduce

import polars as pl

from pipeline.noise.ledger import SCHEMA

PLACE = "\x1fplace"
"""Beside the entries on cells: the place of the written column among those of all edits, in the order of application."""


@dataclass(frozen=True)
class NoiseChanges:
    """The entries of a block or of a table, and how many cells could have been changed."""

    cells: pl.DataFrame
    """Entries on cells (`ledger.SCHEMA`) and their places, in their order."""
    eligible: pl.DataFrame
    """How many cells could have been changed, for each place (`ledger.OPPORTUNITIES`)."""
    others: pl.DataFrame
    """Entries of rows and of the file. Where a table has several blocks, each has the same."""
    choices: pl.DataFrame
    """How many rows could have been changed, and how much of the file."""

    @classmethod
    def of_cells(
        cls, entries: Sequence[pl.DataFrame], eligible: pl.DataFrame, others: pl.DataFrame, choices: pl.DataFrame
    ) -> "NoiseChanges":
        """Return changes, given the entries of each written column."""
        placed = [
            of_place.with_columns(pl.lit(place, pl.UInt32).alias(PLACE)) for place, of_place in enumerate(entries)
        ]
        return cls(pl.concat([_NO_CELLS, *placed]), eligible, others, choices)

    @property
    def ledger(self) -> pl.DataFrame:
        """Return all entries, in order of application."""
        return pl.concat([self.cells.drop(PLACE), self.others])

    @property
    def opportunities(self) -> pl.DataFrame:
        """Return what could have been changed, by rule and column."""
        return pl.concat([self.eligible, self.choices])


def merged(blocks: Sequence[NoiseChanges]) -> NoiseChanges:
    """Return the changes of a table, given those of its blocks in their order, at least one."""
    first = blocks[0]
    cells = pl.concat([block.cells for block in blocks])
    return NoiseChanges(
        cells=cells if len(blocks) == 1 else cells.sort(PLACE, maintain_order=True),
        eligible=first.eligible.with_columns(
            eligible=reduce(lambda one, other: one + other, (block.eligible["eligible"] for block in blocks))
        ),
        others=first.others,
        choices=first.choices,
    )


_NO_CELLS = pl.DataFrame(schema={**SCHEMA, PLACE: pl.UInt32})

CHANGES = tuple(field.name for field in fields(NoiseChanges))
"""Names of the frames that the changes of a block are."""

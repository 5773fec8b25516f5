"""What noise changed in a block of a table, and how that of all blocks is put together.

The ledger lists changes rule by rule, and within a rule column by column. So the entries of each place are kept apart until
all blocks are there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.noise.ledger import SCHEMA


@dataclass(frozen=True)
class NoiseChanges:
    """The entries of a block or of a table, and how many cells could have been changed."""

    of_cells: Sequence[pl.DataFrame]
    """Entries (`ledger.SCHEMA`) of each written column of each edit, in their order; every block has as many."""
    eligible: pl.DataFrame
    """How many cells could have been changed, for each of these (`ledger.OPPORTUNITIES`)."""
    others: pl.DataFrame
    """Entries of rows and of the file. Where a table has several blocks, each has the same."""
    choices: pl.DataFrame
    """How many rows could have been changed, and how much of the file."""

    @property
    def ledger(self) -> pl.DataFrame:
        """Return all entries, in order of application."""
        return pl.concat([SCHEMA.to_frame(), *self.of_cells, self.others])

    @property
    def opportunities(self) -> pl.DataFrame:
        """Return what could have been changed, by rule and column."""
        return pl.concat([self.eligible, self.choices])


def merged(blocks: Sequence[NoiseChanges]) -> NoiseChanges:
    """Return the changes of a table, given those of its blocks in their order, at least one."""
    first = blocks[0]
    places = zip(*(block.of_cells for block in blocks), strict=True)
    eligible = pl.select(pl.sum_horizontal(pl.lit(block.eligible["eligible"]) for block in blocks)).to_series()
    return NoiseChanges(
        of_cells=[pl.concat(place) for place in places],
        eligible=first.eligible.with_columns(eligible.alias("eligible")),
        others=first.others,
        choices=first.choices,
    )

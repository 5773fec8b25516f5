"""One kind of noise with a table to try it on: what the laws of every kind are tested with."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from pipeline.model import Environment, PublishedTable
from pipeline.noise.kinds.interface import Kind


@dataclass(frozen=True, kw_only=True)
class KindCase:
    """A kind, and clean rows of which it can change most; the laws draw subsets, orders and keys themselves."""

    kind: Kind
    environment: Environment
    published: PublishedTable
    """One of the environment's tables."""
    rows: pl.DataFrame
    """20 to 60 clean rows, text, with nulls here and there in every column but the row key."""
    beside: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    """The clean rows of the tables that the kind looks into, if it does."""
    grouped_by: str = ""
    """Column whose groups must be whole, of a kind that looks up a row's siblings; empty if each row stands alone."""
    is_ordered: bool = False
    """Whether the kind is about the order of rows, so that a part of the table says nothing about the whole."""
    name: str = ""
    """The kind's name, or a longer one where a kind has several cases."""

    def __str__(self) -> str:
        """Return the name for the test's id."""
        return self.name or self.kind.name

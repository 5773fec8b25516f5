"""Originals and release as one pair: entities and figures of both, aligned by the map of codes.

Every comparison and attack is given this pair or its sides. What is compared, and how, belongs to them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from pipeline.keyed import SEPARATOR
from pipeline.model import PERIOD
from validation.drawn import DrawnSample

_ORIGINAL, _PUBLISHED = f"{SEPARATOR}original code", f"{SEPARATOR}published code"
"""No column of a table can have these names."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """The originals or the release."""

    entities: pl.DataFrame
    """One row an entity: the code and its attributes; null if unknown."""
    figures: pl.DataFrame
    """The panel: the code, `PERIOD` and a column of quanta for each measure, whole or float; null is a gap."""

    def labelled(self, code: str, labels: Iterable[str]) -> pl.DataFrame:
        """Return the figures with these columns of their entities; a column that is named twice occurs once."""
        chosen = self.entities.select(code, *dict.fromkeys(labels)).unique(code, keep="first")
        return self.figures.join(chosen, on=code, how="left", maintain_order="left")

    def of(self, code: str, some: DrawnSample | None) -> "Side":
        """Return it with the companies that were drawn alone; with all if none were."""
        if some is None:
            return self
        return Side(entities=self.entities.filter(some.has(code)), figures=self.figures.filter(some.has(code)))


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Both sides, and who is who."""

    code: str
    """The column of codes of both sides."""
    originals: Side
    published: Side
    codes: Mapping[str, str]
    """Original code -> published code."""

    @property
    def truth(self) -> pl.DataFrame:
        """Return `original` and `published` codes, one row an entity."""
        return pl.DataFrame([*self.codes.items()], schema={"original": pl.String, "published": pl.String}, orient="row")

    @cached_property
    def figures(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return both panels under the original codes, in the same order: the records of either, empty where one lacks them.

        Leaving out records that one side lacks would disclose the owner, because no other company has the same years.
        """
        return self.aligned(self.published.figures)

    def aligned(self, published: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the original panel and another published one, as `figures` does."""
        originals, at = self.originals.figures, [self.code, PERIOD]
        owned = self._owned(published)
        either = pl.concat([side.select(at) for side in (originals, owned)]).unique().sort(at)
        first, second = (
            either.join(side.select(originals.columns), on=at, how="left", maintain_order="left")
            for side in (originals, owned)
        )
        return first, second

    @cached_property
    def entities(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the entities that both sides list, in the same order, each side under its own codes."""
        owned = self._owned(self.published.entities.with_columns(pl.col(self.code).alias(_PUBLISHED)))
        register = self.originals.entities.join(owned.select(self.code), on=self.code, how="semi").sort(self.code)
        released = register.select(self.code).join(owned, on=self.code, maintain_order="left")
        return register, released.drop(self.code).rename({_PUBLISHED: self.code})

    def _owned(self, published: pl.DataFrame) -> pl.DataFrame:
        """Return published rows of known entities under the original codes."""
        back = self.truth.rename({"published": self.code, "original": _ORIGINAL})
        return published.join(back, on=self.code).drop(self.code).rename({_ORIGINAL: self.code})

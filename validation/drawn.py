"""Samples of companies for evidence whose cost grows faster than their number: by industry, drawn by key.

Belongs here: how many are drawn, and which. What is sampled decides who looks: attackers are given some of the published
records as targets, and all originals as candidates, since fewer candidates would make them weaker.
"""

from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.keyed import Key

MOST = 20_000
"""Companies up to which evidence looks at all of them (our choice): three times the paper's. A rate of 0 among so many is below
0.015 % among all, and any other is known within a point, at 95 % (Clopper and Pearson)."""


@dataclass(frozen=True, kw_only=True)
class DrawnSample:
    """The companies that were drawn."""

    codes: pl.Series
    companies: int
    """How many there are."""

    def has(self, code: str) -> pl.Expr:
        """Return which rows are of companies that were drawn, by their column of codes."""
        return pl.col(code).is_in(self.codes.implode())

    def published(self) -> dict[str, Any]:
        """Return what a report says of it."""
        return {"drawn": {"companies": len(self.codes), "of": self.companies}}


def drawn(companies: pl.DataFrame, *, code: str, industry: str, key: Key) -> DrawnSample | None:
    """Draw the same share of each industry, rounded up, so that rates need no weights; None where all are looked at.

    A rate found in such a sample varies less than that of as many independent records, so that a binomial bound of it holds for
    all companies (Hoeffding 1956, Annals of Mathematical Statistics 27, 713-721).

    Args:
        companies: A row for each company, in any order; those of unknown industry are one.
        key: Decides who is drawn. A company's place among those of its industry does not depend on any other.
    """
    if companies.height <= MOST:
        return None
    most = (pl.len() * MOST / companies.height).ceil()
    is_drawn = key.mac(code).rank("ordinal").over(industry) <= most.over(industry)
    return DrawnSample(codes=companies.filter(is_drawn)[code], companies=companies.height)

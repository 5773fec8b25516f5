"""The fidelity of one release: every measure of it, each with its number of samples.

Belongs here: combining the parts, and their form as JSON. Their meaning is documented where they are computed.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any

import polars as pl

from pipeline.keyed import Key
from pipeline.model import Panel
from validation.fidelity.cells import cells
from validation.fidelity.conclusions.surviving import Conclusions, conclusions, counted
from validation.fidelity.identities import IdentityShares, identity_shares
from validation.fidelity.marginals import Distances, distances, growing, growth
from validation.fidelity.presence import Presence, presence
from validation.fidelity.relations import correlation_changes, year_on_year_changes
from validation.fidelity.sides import DECIMALS, ChangesOverYears, EntityColumns
from validation.fidelity.sums import Aggregates, aggregates, tail_changes
from validation.pair import Side


@dataclass(frozen=True, kw_only=True)
class Fidelity:
    """How far the published figures keep the statistics of the originals."""

    firms: tuple[int, int]
    """Firms with figures in the originals and in the release."""
    records: tuple[int, int]
    """Their records: firms and years."""
    marginals: Distances
    """Distances of each measure by industry and year."""
    marginals_of_sub_industries: Distances
    growth: Distances
    """Distances of year-on-year growth, of each measure that is never negative, by industry and year."""
    correlations: ChangesOverYears
    """Changes of rank correlations between measures."""
    year_on_year: ChangesOverYears
    """Changes of rank correlations of each measure with itself a year before."""
    presence: Presence
    tails: ChangesOverYears
    """Changes of the share of an industry's sum that its top tenth holds."""
    aggregates: Aggregates
    identities: tuple[IdentityShares, ...]
    conclusions: Conclusions

    def as_json(self) -> dict[str, Any]:
        """Return the report in the form of JSON."""
        return dict(_rounded(asdict(self)))


def fidelity(originals: Side, published: Side, *, panel: Panel, columns: EntityColumns, key: Key) -> Fidelity:
    """Compare a release with the originals, without knowing who is who.

    Args:
        originals: Entities and figures under the original codes.
        published: The same columns under any codes; firms, years and groups may differ.
        key: Decides which firms of the originals make a half (`conclusions/surviving.py`).
    """
    before, after = (
        side.labelled(columns.code, (columns.industry, columns.sub_industry)) for side in (originals, published)
    )
    names = [measure.name for measure in panel.measures]
    by_industry = cells(before, after, panel.measures, group=columns.industry)
    by_sub_industry = cells(before, after, panel.measures, group=columns.sub_industry)
    return Fidelity(
        firms=(before[columns.code].n_unique(), after[columns.code].n_unique()),
        records=(before.height, after.height),
        marginals=distances(by_industry, named=panel.period.name),
        marginals_of_sub_industries=distances(by_sub_industry, named=panel.period.name),
        growth=_growth(before, after, panel, columns),
        correlations=correlation_changes(before, after, names),
        year_on_year=year_on_year_changes(before, after, names, code=columns.code, named=panel.period.name),
        identities=tuple(
            identity_shares(originals.figures, published.figures, panel.without_events, code=columns.code)
        ),
        presence=presence(before, after, names, group=columns.industry),
        tails=tail_changes(by_industry, named=panel.period.name),
        aggregates=aggregates(by_industry),
        conclusions=counted(*conclusions(originals, published, panel=panel, columns=columns, key=key)),
    )


def _growth(before: pl.DataFrame, after: pl.DataFrame, panel: Panel, columns: EntityColumns) -> Distances:
    measures = growing(before, panel.measures)
    grown = [growth(side, measures, code=columns.code, group=columns.industry) for side in (before, after)]
    return distances(cells(grown[0], grown[1], measures, group=columns.industry), named=panel.period.name)


def _rounded(value: Any) -> Any:
    """Return JSON with numbers rounded to `DECIMALS`, and null for numbers that JSON lacks."""
    match value:
        case dict():
            return {name: _rounded(each) for name, each in value.items()}
        case list() | tuple():
            return [_rounded(each) for each in value]
        case float():
            return round(value, DECIMALS) if math.isfinite(value) else None
        case _:
            return value

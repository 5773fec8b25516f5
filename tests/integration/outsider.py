"""An attacker from scratch, who has raw tables, published files and nothing of Silt: pandas, numpy and scipy alone.

The map of codes serves to count who was right. What is published of sampled records is held against chance by permutation
within the sector, which is the one thing that is the owner's: so many firms exchange their owners, and the statistic is
taken again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import linear_sum_assignment
from scipy.stats import binom, rankdata

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

PERMUTATIONS = 1_999
"""So many that a p-value goes down to 1 in 2,000."""

SECTOR = "sector"

YEARS = range(2012, 2017)
"""Years that more than a few companies report."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """Companies of one side, in the order of the originals' codes: row i of both sides is one owner and its record."""

    firms: pd.DataFrame
    """Attributes: sector, sub_industry, state, country, year_added; an empty one is blank."""
    figures: Floats
    """Shape (firms, years, measures): signed logarithms, NaN where nothing is reported."""

    @property
    def reports(self) -> npt.NDArray[np.bool_]:
        """Return which years a firm reports, shape (firms, years)."""
        return np.isfinite(self.figures).any(axis=2)


@dataclass(frozen=True, kw_only=True)
class Outsider:
    """Both sides as the attacker has them."""

    originals: Side
    published: Side
    measures: Sequence[str]

    @property
    def sectors(self) -> list[Integers]:
        """Return the places of the firms of each sector."""
        found = self.originals.firms.groupby(SECTOR).indices.values()
        return [np.asarray(places, dtype=np.int64) for places in found]


def outsider(database: Path, raw: Path, codes: Mapping[str, str], years: Mapping[tuple[str, str], int]) -> Outsider:
    """Read both sides.

    Args:
        database: Published files.
        raw: Raw tables.
        codes: Original code -> published code, to count by.
        years: Fiscal year by original code and end of period.
    """
    owners = sorted(codes)
    securities = pd.read_csv(raw / "securities.csv", dtype=str, keep_default_na=False).set_index("Ticker Symbol")
    profile = pd.read_csv(database / "company_profile.csv", dtype=str, keep_default_na=False).set_index("code")
    fundamentals = pd.read_csv(raw / "fundamentals.csv")
    rows = zip(fundamentals["Ticker Symbol"], fundamentals["Period Ending"], strict=True)
    fundamentals["year"] = [years.get((code, _us_date(end)), 0) for code, end in rows]
    figures = pd.read_csv(database / "company_figures.csv")
    measures = sorted(figures["measure"].unique())
    wide = figures.pivot(index=["code", "year"], columns="measure", values="value").reset_index()
    original = fundamentals.rename(columns={"Ticker Symbol": "code"})
    return Outsider(
        originals=Side(firms=_attributes(securities.loc[owners]), figures=_cube(original, owners, measures)),
        published=Side(
            firms=profile.loc[[codes[owner] for owner in owners]].reset_index(drop=True),
            figures=_cube(wide, [codes[owner] for owner in owners], measures),
        ),
        measures=measures,
    )


def _us_date(text: str) -> str:
    year, month, day = text.split("-") if "-" in text else (text.split("/")[i] for i in (2, 0, 1))
    return f"{int(year)}-{int(month):02}-{int(day):02}"


def _attributes(securities: pd.DataFrame) -> pd.DataFrame:
    """Return a register's columns by the names of the published ones; a place is read off the end of an address."""
    added = securities["Date first added"]
    return pd.DataFrame(
        {
            SECTOR: securities["GICS Sector"],
            "sub_industry": securities["GICS Sub Industry"],
            "state": securities["Address of Headquarters"].str.split(", ").str[-1],
            "country": securities["Country"],
            "year_added": added.str.extract(r"(\d{4})", expand=False).fillna(""),
        }
    ).reset_index(drop=True)


def _cube(rows: pd.DataFrame, codes: Sequence[str], measures: Sequence[str]) -> Floats:
    places = {code: place for place, code in enumerate(codes)}
    cube = np.full((len(codes), len(YEARS), len(measures)), np.nan)
    known = rows[rows["code"].isin(places) & rows["year"].isin(YEARS)]
    values = known[list(measures)].to_numpy(dtype=np.float64)
    at = known["code"].map(places).to_numpy(), known["year"].to_numpy() - YEARS[0]
    cube[at] = np.sign(values) * np.log1p(np.abs(values))
    return cube


# attacks --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Named:
    """How many records were attacked, for how many the owner was named, and how many a guess within the sector names."""

    records: int
    right: int
    expected: float

    @property
    def p_value(self) -> float:
        """Return the probability that guessing does as well (exact binomial)."""
        return float(binom.sf(self.right - 1, self.records, self.expected / self.records))


def nearest(seen: Outsider, known: Sequence[str], years: Sequence[int]) -> Named:
    """Name for each record of the years the company of its sector that is nearest in the known figures of the year.

    Only firms count of which both sides have the year; the first of equals is named.
    """
    columns = [seen.measures.index(name) for name in known]
    records = right = sectors = 0
    for year in (each - YEARS[0] for each in years):
        is_there = seen.originals.reports[:, year] & seen.published.reports[:, year]
        for places in (group[is_there[group]] for group in seen.sectors):
            own, told = (side.figures[places, year][:, columns] for side in (seen.originals, seen.published))
            distances = (np.nan_to_num(told[:, None] - own[None], nan=1e3) ** 2).sum(axis=2)
            right += int((distances.argmin(axis=1) == np.arange(len(places))).sum()) if len(places) else 0
            records += len(places)
            sectors += bool(len(places))
    return Named(records=records, right=right, expected=sectors)


def assigned(seen: Outsider) -> Named:
    """Name all owners of a sector at once: the assignment of least total distance over all figures of all years."""
    records = right = sectors = 0
    for group in seen.sectors:
        places = group[seen.originals.reports[group].any(axis=1) & seen.published.reports[group].any(axis=1)]
        own, told = (_standardised(side.figures[places]) for side in (seen.originals, seen.published))
        gaps = np.abs(told[:, None] - own[None])
        known = np.isfinite(gaps).sum(axis=2)
        distances = np.where(known > 0, np.nansum(gaps, axis=2) / np.maximum(known, 1), 1e3)
        _, named = linear_sum_assignment(distances)
        right += int((named == np.arange(len(places))).sum())
        records += len(places)
        sectors += 1
    return Named(records=records, right=right, expected=sectors)


def _standardised(figures: Floats) -> Floats:
    flat = figures.reshape(len(figures), -1)
    ranks: Floats = np.where(np.isfinite(flat), rankdata(flat, axis=0, nan_policy="omit"), np.nan)
    return ranks / np.maximum(np.isfinite(flat).sum(axis=0), 1)


# dependence -----------------------------------------------------------------------------------------------------------


def same_category(seen: Outsider, column: str) -> float:
    """Return the p-value of as many records having their owner's category as do; blanks agree with nobody."""
    own, told = (side.firms[column].to_numpy(dtype=str) for side in (seen.originals, seen.published))
    is_told = told != ""
    return _p_value(seen, lambda order: float(((own[order] == told) & is_told).sum()))


def same_years(seen: Outsider) -> float:
    """Return the p-value of as many records reporting their owner's years as do."""
    own, told = (side.reports @ (1 << np.arange(len(YEARS))) for side in (seen.originals, seen.published))
    return _p_value(seen, lambda order: float((own[order] == told).sum()))


def same_size(seen: Outsider) -> float:
    """Return the p-value of the mean rank correlation, over all measures, between firms and their records in a sector."""
    own, told = (_centred(seen, side.figures) for side in (seen.originals, seen.published))
    table = own @ told.T
    return _p_value(seen, lambda order: float(table[order, np.arange(len(order))].sum()))


def _centred(seen: Outsider, figures: Floats) -> Floats:
    """Return the ranks within sectors of each measure's mean over the years, centred; 0 where none is reported."""
    known = np.isfinite(figures)
    means = np.where(known, figures, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    means[~known.any(axis=1)] = np.nan
    ranks = np.zeros(means.shape)
    for group in seen.sectors:
        placed = rankdata(means[group], axis=0, nan_policy="omit") / len(group)
        ranks[group] = np.nan_to_num(placed - np.nanmean(placed, axis=0, where=np.isfinite(placed)), nan=0.0)
    return ranks


def _p_value(seen: Outsider, statistic: Callable[[Integers], float]) -> float:
    """Return the share of permutations of owners within sectors whose statistic is as large, the truth counted in."""
    draw: Any = np.random.default_rng(20_261_122)
    order = np.arange(len(seen.originals.firms))
    truth, larger = statistic(order), 1
    for _ in range(PERMUTATIONS):
        for group in seen.sectors:
            order[group] = draw.permutation(group)
        larger += statistic(order) >= truth - 1e-9
    return larger / (PERMUTATIONS + 1)

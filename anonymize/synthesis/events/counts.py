"""Draws how many events an entity has in each period: a panel of one measure, from statistics of its own."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from anonymize.synthesis import statistics as st
from anonymize.synthesis.account import BudgetAccount
from anonymize.synthesis.entities.firms import REPORTS, YEARS
from anonymize.synthesis.events.columns import PLACE
from anonymize.synthesis.model import understood
from anonymize.synthesis.records import records_of
from anonymize.synthesis.sampling import sample_figures
from anonymize.synthesis.statistics import Statistics, grains_of, noised_statistics
from pipeline.keyed import Key
from pipeline.model import PERIOD, Entities, Measure, Panel

_COUNT = "events"
_COUNTED = Panel(measures=(Measure(name=_COUNT, unit=""),))
"""The number of events of an entity in a period is a figure like others."""

_SHARES: Mapping[str, float] = {
    st.STATES: 0.001,
    st.GRAINS: 0.001,
    st.COARSE: 0.15,
    st.FINE: 0.35,
    st.LOCATION: 0.3,
    st.SPREAD: 0.05,
    st.PRODUCTS: 0.001,
    st.TREND: 0.05,
    st.STEPS: 0.1,
}
"""Statistic -> its share of what is spent on counts: one column is never missing, always whole, and depends on none."""

_KNOWN_YEARS = range(1900, 2101)
"""Years in which events can be at all."""

_SEEN = 4.5
"""Standard deviations of its noise by which a year with events stands out: by chance one does in a thousandth of tables."""

_SEEN_NEXT = 2.5
"""Those of a decade of numbers: ten times as many events in a few periods would be most of all events."""

_MOST = 100_000
"""Events of an entity in a period at most: growth by chance could lead out of memory."""


@dataclass(frozen=True, kw_only=True)
class ListedEntities:
    """The entities of one kind, as the originals list them and as they are drawn: code, industry, `YEARS` and `REPORTS`."""

    kind: Entities
    originals: pl.DataFrame
    drawn: pl.DataFrame

    def entities(self) -> pl.DataFrame:
        """Return `entity` and `industry` of all."""
        return self.originals.select(entity=self.kind.code, industry=self.kind.industry)

    def periods(self, periods: pl.Series, *, of_panel: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return the periods, as a list, in which each entity may have events: its own of a panel that has totals of them.

        First as the originals have them, then as they are drawn.
        """
        every = pl.lit(periods.implode())
        own = pl.col(YEARS).list.set_intersection(every).list.sort()
        within = pl.when(pl.col(REPORTS) & pl.lit(of_panel)).then(own).otherwise(every).alias(PERIOD)
        names = {"entity": self.kind.code, "industry": self.kind.industry}
        return self.originals.select(within, **names), self.drawn.select(within, **names)


def years_with_events(frame: pl.DataFrame, account: BudgetAccount, *, rho: float, about: str) -> pl.Series:
    """Return the years in which so many entities have events that noise hides it not; at least one.

    An entity contributes a vector of norm 1, none of whose numbers is negative, to its years: two are sqrt(2) apart.

    Args:
        frame: `entity` and `PERIOD` of each event.
        rho: What may be spent.
        about: The table, in the account.
    """
    first, last = _KNOWN_YEARS[0], _KNOWN_YEARS[-1]
    years = frame.select("entity", PERIOD).unique().filter(pl.col(PERIOD).is_between(first, last))
    weights = years.select(pl.col(PERIOD) - first, weight=1 / pl.len().over("entity").sqrt()).sort(pl.all())
    total = np.zeros(len(_KNOWN_YEARS))
    np.add.at(total, weights[PERIOD].to_numpy(), weights["weight"].to_numpy())
    noised = account.noised(f"{about}years with events", total, sensitivity=2**0.5, rho=rho)
    found = noised.values > _SEEN * noised.sigma
    found[noised.values.argmax()] = True
    return pl.Series(PERIOD, np.flatnonzero(found) + first, pl.Int64)


def fitted_counts(
    frame: pl.DataFrame, places: pl.DataFrame, account: BudgetAccount, *, rho: float, about: str
) -> Statistics:
    """Take the statistics of how many events an entity has in a period, 0 where there is none, through the account.

    Args:
        frame: `entity` and `PERIOD` of each event.
        places: Of the originals (`ListedEntities.periods`).
        rho: What may be spent.
        about: The table, in the account.
    """
    counted = frame.group_by("entity", PERIOD).agg(pl.len().cast(pl.Int64).alias(_COUNT))
    figures = (
        places.explode(PERIOD)
        .drop_nulls(PERIOD)
        .join(counted, on=["entity", PERIOD], how="left", maintain_order="left")
    )
    counts = figures.select("entity", PERIOD, pl.col(_COUNT).fill_null(0))
    records = records_of(counts, _COUNTED, code="entity", industry="industry", entities=places, with_all=True)
    return noised_statistics(
        records,
        grains_of(_COUNTED),
        account,
        rho=rho,
        shares=_SHARES,
        seen_next=_SEEN_NEXT,
        is_sure=True,
        about=f"{about}numbers of events: ",
    )


def drawn_rows(statistics: Statistics, places: pl.DataFrame, key: Key) -> pl.DataFrame:
    """Return a row for each event that is drawn: `entity`, `industry`, `PERIOD`, and `PLACE` among those of both.

    Args:
        statistics: Of the originals.
        places: Of the drawn entities (`ListedEntities.periods`).
        key: Key of this purpose.
    """
    drawn = sample_figures(
        understood(statistics),
        places.filter(pl.col(PERIOD).list.len() > 0).rename({PERIOD: "years"}),
        _COUNTED,
        code="entity",
        industry="industry",
        key=key.derive("figures"),
    )
    counts = drawn.figures.join(places.select("entity", "industry"), on="entity", how="left", maintain_order="left")
    several = pl.col(_COUNT).fill_null(0).clip(0, _MOST)
    ordered = counts.with_columns(several).filter(pl.col(_COUNT) > 0).sort(key.mac("entity"), PERIOD)
    rows = ordered.select(pl.col("entity", "industry", PERIOD).repeat_by(_COUNT).explode())
    return rows.with_columns(pl.int_range(pl.len()).over("entity", PERIOD).alias(PLACE))

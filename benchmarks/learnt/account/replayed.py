"""An account read back from `model.json`: the same statistics are taken again, and what passed then passes now.

So whatever takes statistics through an account (`anonymize/synthesis`) rebuilds from other originals what it knew at first, and
the account keeps the sums of those originals. What passed less such sums is noise, if the originals are the right ones.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from anonymize.synthesis.account import BudgetAccount, NoisedStatistic
from anonymize.synthesis.cube import Floats
from anonymize.synthesis.records import Records, records_of
from anonymize.synthesis.statistics import FINE, SHARES, Statistics, grains_of, noised_statistics
from anonymize.tables import original_figures
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import PERIOD, Environment, Frames
from pipeline.model.identities import with_totals

NOBODYS = Key(bytes(32))
"""Whoever attacks has no release key."""


@dataclass(frozen=True, kw_only=True)
class Replayed(BudgetAccount):
    """An account in which every statistic passes as it did."""

    budget: float = 0.0
    key: Key = NOBODYS
    passed: Mapping[str, NoisedStatistic]
    totals: dict[str, Floats] = field(default_factory=dict)
    """By statistic, without noise, in the shape in which it was taken."""
    is_whole: bool = True
    """Whether every statistic has to be there; if not, one that is missing is taken anew, and discloses nothing."""

    def noised(self, statistic: str, total: Floats, *, sensitivity: float, rho: float) -> NoisedStatistic:
        """Return what passed; the sum is kept.

        Raises:
            InputError: No such statistic is in the account, or one of another size.
        """
        noised = self.passed.get(statistic)
        if noised is None or noised.values.size != total.size:
            if not self.is_whole:
                return NoisedStatistic(values=total, sigma=sensitivity / sqrt(2 * rho))
            raise InputError(
                f"the account has no {statistic!r} of {total.size} numbers; it is of another declaration or version"
            )
        self.totals[statistic] = total
        return NoisedStatistic(values=noised.values.reshape(total.shape), sigma=noised.sigma)


def replayed(model: Mapping[str, Any], *, is_whole: bool = True) -> Replayed:
    """Return the account of a `model.json`."""
    return Replayed(
        is_whole=is_whole,
        passed={
            line["statistic"]: NoisedStatistic(values=np.asarray(line["values"], np.float64), sigma=line["sigma"])
            for line in model["account"]["statistics"]
        },
    )


@dataclass(frozen=True, kw_only=True)
class OfPanel:
    """What a release discloses of a panel, beside the originals that an attacker thinks of."""

    records: Records
    statistics: Statistics
    grains: Floats
    totals: Mapping[str, Floats]
    """Of these records, by statistic."""


def of_panel(environment: Environment, conformed: Frames, model: Mapping[str, Any]) -> OfPanel:
    """Return the statistics of a panel as `model.json` states them."""
    kind, panel = environment.entities, environment.panel
    figures = original_figures(environment, conformed)
    reported = {*model["panel"]["years"]}
    years = [year for year in figures[PERIOD].unique() if {year, panel.period.name(year)} & reported]
    records = records_of(
        with_totals(figures.filter(figures[PERIOD].is_in(years)), environment, conformed),
        panel,
        code=kind.code,
        industry=kind.industry,
        entities=conformed[kind.tables[0]],
    )
    grains, account = grains_of(panel), replayed(model)
    # How fine the bins are hangs on the budget, which the share of one statistic tells.
    (spent,) = (line["rho"] for line in model["account"]["statistics"] if line["statistic"] == FINE)
    statistics = noised_statistics(records, grains, account, rho=spent * sum(SHARES.values()) / SHARES[FINE])
    return OfPanel(records=records, statistics=statistics, grains=grains, totals=account.totals)

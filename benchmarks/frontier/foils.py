"""Every mechanism of the frontier as a `Make`: Silt's own, the broken one, and the classics that they stand against.

The classics are written as plainly as they can be and see the figures of the work alone, industry by industry. Silt's treat the
whole panel of the same firms, with every measure and year.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import ndtri
from scipy.stats import rankdata

from anonymize.policy import GUARDED, LSD
from benchmarks.frontier.judged import Stated
from benchmarks.frontier.work import Work, coded
from benchmarks.learnt.account.figures import Attacked
from benchmarks.learnt.account.replayed import of_panel
from benchmarks.learnt.likelihood import released
from pipeline.keyed import Key
from pipeline.model import PERIOD
from tests.weak.neighbours import mixed_from_neighbours
from validation.attacks.adaptive.findings import Auc, Gain
from validation.attacks.adaptive.mechanisms import mechanism
from validation.attacks.adaptive.populations import CODE, INDUSTRY, AttackedRelease, Make, Population

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Random = np.random.Generator

BUDGETS = {1e9: "no noise", 80.0: "rho 80", 20.0: "rho 20", 10.0: "rho 10", 5.0: "rho 5", 2.0: "rho 2"}
"""Budgets of `guarded` in words, the last of which protects most; the first has next to no noise."""

TARGETS = 200
"""Firms that are asked for of stated statistics."""

Foil = Callable[[Floats, Random], Floats]
"""Makes new figures of one industry's, shape (n, m), record by record."""


@dataclass(frozen=True, kw_only=True)
class Mechanism:
    """A mechanism at one strength."""

    name: str
    strength: str
    make: Make
    is_of_panel: bool = False
    """Whether it publishes the whole panel, of which the work is a part."""
    stated: Stated | None = None
    """Attacks on its statistics, where it states some."""


def mechanisms(work: Work) -> Iterator[Mechanism]:
    """Yield every mechanism at every strength."""
    for digits in (3, 2, 1):
        yield Mechanism(
            name="digits (lsd)", strength=f"{digits} kept", make=digits_kept(work, digits), is_of_panel=True
        )
    for spread in (0.1, 0.3, 0.6, 1.0):
        yield Mechanism(name="correlated noise", strength=f"sd {spread}", make=applied(noise(spread)))
    for reach in (0.05, 0.15, 0.3, 0.6):
        yield Mechanism(name="rank swapping", strength=f"within {reach:.0%}", make=applied(rank_swapping(reach)))
    for share in (0.3, 0.6, 0.9, 1.0):
        yield Mechanism(name="data shuffling", strength=f"noise {share}", make=applied(shuffling(share)))
    yield Mechanism(name="neighbour mixing", strength="5 of 12", make=neighbour_mixing(work), is_of_panel=True)
    for budget, words in BUDGETS.items():
        yield Mechanism(
            name="guarded",
            strength=words,
            make=mechanism(work.environment, work.conformed, GUARDED, budget=budget),
            is_of_panel=True,
            stated=statistics_attacked(work, budget),
        )


def statistics_attacked(work: Work, budget: float) -> Stated:
    """Return the attacks on the statistics of `guarded`, all of the panel, by whoever has all other firms."""

    def attacks(key: Key) -> tuple[list[Gain], list[Auc]]:
        (model,) = released(work.environment, work.conformed, [key], budget=budget)
        attacked = Attacked([of_panel(work.environment, work.conformed, model)], key)
        figures, *_ = attacked.learnt([0], targets=TARGETS)
        return [figures.gain], [attacked.membership([0], targets=TARGETS)]

    return attacks


def digits_kept(work: Work, digits: int) -> Make:
    """Return the mechanism `lsd` with so many leading digits kept of every measure."""
    panel = work.environment.panel
    measures = tuple(replace(measure, significant_digits=digits) for measure in panel.measures)
    return mechanism(replace(work.environment, panel=replace(panel, measures=measures)), work.conformed, LSD)


def neighbour_mixing(work: Work) -> Make:
    """Return a mechanism like the first `guarded`, which is broken."""

    def make(population: Population, key: Key) -> AttackedRelease:
        firms = work.whole.of(population.entities[CODE])
        return coded(firms, mixed_from_neighbours(firms, work.known, key), pseudonyms(firms, key))

    return make


def applied(foil: Foil) -> Make:
    """Return the mechanism that applies a foil to each industry by itself, its random numbers seeded by the key."""

    def make(population: Population, key: Key) -> AttackedRelease:
        random = np.random.default_rng(list(key.derive("foil").secret))
        rows = population.figures.join(population.entities, on=CODE).sort(INDUSTRY, CODE, PERIOD)
        measures = list(population.measures)
        values = rows.select(measures).cast(pl.Float64).to_numpy()
        released = np.concatenate([foil(values[group], random) for group in _runs(rows[INDUSTRY])])
        figures = rows.select(CODE, PERIOD).with_columns(
            pl.Series(name, np.rint(released[:, j]).astype(np.int64)) for j, name in enumerate(measures)
        )
        return coded(population, figures, pseudonyms(population, key))

    return make


def pseudonyms(population: Population, key: Key) -> dict[str, str]:
    """Return a keyed pseudonym for each firm."""
    return dict(population.entities.select(CODE, published=key.derive("codes").mac(CODE)).iter_rows())


def noise(spread: float) -> Foil:
    """Multiply figures by log-normal numbers, correlated as the figures' ranks are (Kim 1986, on logarithms)."""

    def foil(values: Floats, random: Random) -> Floats:
        return np.asarray(values * np.exp(spread * _like(normal_scores(values), random)))

    return foil


def rank_swapping(reach: float) -> Foil:
    """Swap each figure with one whose rank is at most a share of all ranks away (Moore 1996), column by column."""

    def foil(values: Floats, random: Random) -> Floats:
        return np.column_stack([_swapped(column, reach, random) for column in values.T])

    return foil


def shuffling(share: float) -> Foil:
    """Data shuffling (Muralidhar and Sarathy 2006): normal scores with correlated noise, mapped to the sorted figures."""

    def foil(values: Floats, random: Random) -> Floats:
        scores = normal_scores(values)
        return _mapped(values, np.sqrt(1 - share**2) * scores + share * _like(scores, random))

    return foil


def normal_scores(values: Floats) -> Floats:
    """Return the normal scores of each column."""
    scores: Floats = ndtri((rankdata(values, axis=0) - 0.5) / len(values))
    return scores


def _like(scores: Floats, random: Random) -> Floats:
    """Draw normal numbers with the scores' covariance."""
    m = scores.shape[1]
    return random.multivariate_normal(np.zeros(m), np.cov(scores.T).reshape(m, m), size=len(scores), method="eigh")


def _swapped(column: Floats, reach: float, random: Random) -> Floats:
    order, swapped = column.argsort(kind="stable"), column.copy()
    most = max(round(reach * len(column)), 1)
    is_free = np.ones(len(column), np.bool_)
    for rank in range(len(column)):
        others = rank + 1 + np.flatnonzero(is_free[rank + 1 : rank + 1 + most])
        if is_free[rank] and len(others):
            other = random.choice(others)
            is_free[other] = False
            swapped[order[[rank, other]]] = column[order[[other, rank]]]
    return swapped


def _mapped(values: Floats, scores: Floats) -> Floats:
    """Return the sorted figures of each column in the order of the scores."""
    ranks = scores.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    return np.take_along_axis(np.sort(values, axis=0), ranks, axis=0)


def _runs(labels: pl.Series) -> list[Integers]:
    """Return the positions of each run of equal labels."""
    rows = labels.to_frame("label").with_row_index("row").group_by("label", maintain_order=True).agg("row")["row"]
    return [each.to_numpy().astype(np.int64) for each in rows]

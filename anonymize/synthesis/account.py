"""The account: every statistic of originals that a release knows, its sensitivity, its noise, and what of the budget it spends.

A statistic is a sum over entities of a vector that each entity contributes. Its *sensitivity* is the most, in Euclidean norm,
by which the sum moves when one entity is replaced by any other of its industry, with all its records. With Gaussian noise of
standard deviation sigma it satisfies rho-zero-concentrated differential privacy, rho = sensitivity**2 / (2 * sigma**2); budgets
of several statistics add up, also where one is chosen by what another said, and nothing that is computed from them spends
more (Bun and Steinke 2016, proposition 1.6, lemmas 2.3 and 2.2). Noised sums are rounded to about a thousandth of their noise:
so last bits of originals do not pass (Mironov 2012), and what is published is what a release was drawn from, digit for digit.

Belongs here: adding noise, and adding up. What a statistic is, and why its sensitivity is what it is, stands where it is made.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import floor, log10, sqrt
from typing import Any

import numpy as np
import scipy

from anonymize.synthesis.cube import Floats
from pipeline.keyed import Key
from pipeline.model.budget import DELTA, epsilon

_UP = 1 + 5e-6
"""Noise is rounded up to six digits, as it is published."""

_FULL = 1.0 + 1e-9


@dataclass(frozen=True, kw_only=True)
class AccountLine:
    """One statistic of the account."""

    statistic: str
    numbers: int
    sensitivity: float
    rho: float
    sigma: float
    """Standard deviation of the noise of each number."""
    values: Floats = field(repr=False)
    """The noised sums, as they passed."""

    def described(self) -> dict[str, Any]:
        """Return it as JSON takes it."""
        stated = {name: float(f"{getattr(self, name):.6g}") for name in ("sensitivity", "rho", "sigma")}
        return {"statistic": self.statistic, "numbers": self.numbers} | stated | {"values": self.values.tolist()}


@dataclass(frozen=True, kw_only=True)
class NoisedStatistic:
    """A statistic as a release knows it."""

    values: Floats
    """The noised sum over entities."""
    sigma: float


@dataclass(frozen=True, kw_only=True)
class BudgetAccount:
    """A budget, and what was spent of it."""

    budget: float
    """Of zero-concentrated differential privacy (rho), for all statistics together."""
    key: Key
    """Decides the noise. Other originals need another one: the same noise on two sums would give their difference."""
    lines: list[AccountLine] = field(default_factory=list)

    def noised(self, statistic: str, total: Floats, *, sensitivity: float, rho: float) -> NoisedStatistic:
        """Return a sum with noise, and write it down.

        Args:
            statistic: Its name, once in an account.
            total: The sum over entities.
            sensitivity: The most by which it moves when one entity is replaced.
            rho: What it may spend.

        Raises:
            ValueError: More would be spent than there is, or the statistic is in the account already.
        """
        if any(line.statistic == statistic for line in self.lines):
            raise ValueError(f"{statistic!r} is in the account already")
        if self.spent() + rho > self.budget * _FULL:
            raise ValueError(f"{statistic!r} would spend more than the budget of {self.budget:g}")
        sigma = float(f"{sensitivity / sqrt(2 * rho) * _UP:.6g}")
        noise = scipy.special.ndtri(self.key.uniforms(total.size, statistic) + 2.0**-54).reshape(total.shape)
        values = np.round(total + sigma * noise, -floor(log10(sigma / 1000)))
        self.lines.append(
            AccountLine(
                statistic=statistic, numbers=total.size, sensitivity=sensitivity, rho=rho, sigma=sigma, values=values
            )
        )
        return NoisedStatistic(values=values, sigma=sigma)

    def spent(self) -> float:
        """Return what the statistics together spend."""
        return sum(line.rho for line in self.lines)

    def described(self) -> dict[str, Any]:
        """Return the account as JSON takes it."""
        return {
            "budget": self.budget,
            "spent": round(self.spent(), 9),
            "epsilon": round(epsilon(self.budget), 3),
            "delta": DELTA,
            "statistics": [line.described() for line in self.lines],
        }


def clipped(contributions: Floats, norm: float) -> Floats:
    """Return vectors (the last axis) shortened to a norm where they are longer: sums of them move by twice it at most."""
    lengths = np.linalg.norm(contributions, axis=-1, keepdims=True)
    short: Floats = contributions * np.minimum(1.0, norm / np.maximum(lengths, 1e-300))
    return short


def shared_out(budget: float, shares: Sequence[tuple[str, float]]) -> Iterator[tuple[str, float]]:
    """Yield what each part may spend of a budget, by shares of any sum."""
    whole = sum(share for _, share in shares)
    for name, share in shares:
        yield name, budget * share / whole

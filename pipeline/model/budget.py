"""The budget of a release whose records are sampled: what the noised statistics may disclose of one company, and its cost.

It is rho of zero-concentrated differential privacy (Bun and Steinke 2016). Releases of the same raw tables add up: what two of
them disclose together is bounded by the sum of both. Belongs here: what a holder declares, and arithmetic. Spending it belongs
to `anonymize/synthesis`, adding releases up to `validation/release/diff`.
"""

from dataclasses import dataclass
from math import erf, isfinite, log, sqrt

from pipeline.errors import InputError

DELTA = 1e-5
"""Probability with which the bound by epsilon may fail: less than one over the companies of a release. Our choice."""


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How much releases may reveal of one company, as rho of zero-concentrated differential privacy."""

    of_a_release: float = 10.0
    """What one release spends, unless the build is given another budget."""
    in_all: float | None = None
    """What all releases of the same raw tables may spend together; None for no limit."""

    def __post_init__(self) -> None:
        refuse_bad_budget(self.of_a_release, "Budget.of_a_release")
        if self.in_all is None:
            return
        refuse_bad_budget(self.in_all, "Budget.in_all")
        if self.in_all < self.of_a_release:
            raise InputError(
                f"all releases may spend {self.in_all:g} (Budget.in_all), less than one does, {self.of_a_release:g} "
                "(Budget.of_a_release); give a larger sum, or a smaller budget of each"
            )


def refuse_bad_budget(rho: float, where: str) -> None:
    """Raise `InputError` unless a budget is a number above 0; `where` says where it was given."""
    if not (isinstance(rho, int | float) and isfinite(rho) and rho > 0):
        raise InputError(f"found {rho} for a budget; give a number above 0, as in 10 ({where})")


def epsilon(rho: float) -> float:
    """Return the epsilon that a budget of rho bounds at `DELTA`: Bun and Steinke 2016, proposition 1.3."""
    return rho + 2 * sqrt(rho * log(1 / DELTA))


def largest_area(rho: float) -> float:
    """Return the area under the curve that no test of membership exceeds.

    Statistics with Gaussian noise of a budget of rho are sqrt(2 rho)-Gaussian differentially private together, whatever each of
    them spends (Dong, Roth and Su 2022, corollary 3.3), and the best test of two normal distributions that far apart has the
    area Phi(sqrt(rho)).
    """
    return (1 + erf(sqrt(rho / 2))) / 2


def most_bits(rho: float) -> float:
    """Return the most information about all figures of one company, in bits: rho nats.

    Source: Bun and Steinke 2016, lemma 1.10.
    """
    return rho / log(2)

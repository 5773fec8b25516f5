"""Findings whose rate is no plain share: a gain over a control release, and how well members are distinguished from others.

Limits treat both like attacks: they apply to `rate` and `upper_95`.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from validation.attacks import CONFIDENCE, Attack
from validation.laws import ranks_of

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Gain(Attack):
    """The advantage of an attack because a firm is in the release.

    `records` are the guessed values, `successes` those that were right from the release with the firm, `chance` the share that
    is right from a release without it. `rate` is the difference of the two shares, negative if the firm's presence is no help.
    """

    standard_error: float

    @property
    def rate(self) -> float:
        """Return the share right with the firm less the share right without it; 0 without records."""
        return self.successes / self.records - self.chance if self.records else 0.0

    @property
    def upper_95(self) -> float:
        """Return the one-sided 95 % upper bound of the gain: normal, values of one firm taken as one cluster."""
        return min(self.rate + _normal(CONFIDENCE) * self.standard_error, 1.0) if self.records else 1.0

    @property
    def p_value(self) -> float:
        """Return the probability with which a gain of 0 looks as large (one-sided, normal)."""
        return _above(self.rate, self.standard_error)


@dataclass(frozen=True, kw_only=True)
class Auc(Attack):
    """How well members are distinguished from firms that were left out: `rate` is the area under the ROC curve.

    0.5 is guessing. `records` are members and others together, `successes` the number of records that corresponds to the area.
    """

    area: float
    standard_error: float

    @property
    def rate(self) -> float:
        """Return the probability that a member has a higher score than a firm that was left out."""
        return self.area

    @property
    def upper_95(self) -> float:
        """Return the one-sided 95 % upper bound of the area: normal, standard error of Hanley and McNeil 1982."""
        return min(self.area + _normal(CONFIDENCE) * self.standard_error, 1.0) if self.records else 1.0

    @property
    def p_value(self) -> float:
        """Return the probability with which an area of one half looks as large (one-sided, normal)."""
        return _above(self.area - 0.5, self.standard_error)


def gain(attack: str, knowledge: str, *, with_firm: Floats, without: Floats, guessed: Floats, detail: str = "") -> Gain:
    """Return the gain over a control.

    Args:
        with_firm: Right guesses from the release with the firm, one number a firm.
        without: Right guesses from the release without it, of the same values.
        guessed: Number of guessed values.
        detail: One sentence more.
    """
    records = int(guessed.sum())
    mean = float((with_firm - without).sum()) / max(records, 1)
    errors = with_firm - without - mean * guessed
    return Gain(
        attack=attack,
        knowledge=knowledge,
        records=records,
        successes=int(with_firm.sum()),
        chance=float(without.sum()) / max(records, 1),
        detail=detail,
        standard_error=float(np.sqrt((errors**2).sum())) / max(records, 1),
    )


def auc(attack: str, knowledge: str, *, members: Floats, others: Floats, detail: str = "") -> Auc:
    """Return how well scores, higher for members, distinguish members from others (Mann and Whitney's statistic as a share)."""
    n, m = len(members), len(others)
    ranks = ranks_of(np.concatenate([members, others]))
    area = float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m)) if n and m else 0.5
    return Auc(
        attack=attack,
        knowledge=knowledge,
        records=n + m if n and m else 0,
        successes=round(area * (n + m)) if n and m else 0,
        chance=0.5,
        detail=detail,
        area=area,
        standard_error=_hanley_mcneil(area, n, m) if n and m else 0.0,
    )


def _normal(share: float) -> float:
    """Return the quantile of the normal distribution at a share."""
    return float(scipy.special.ndtri(share))


def _above(found: float, standard_error: float) -> float:
    """Return the probability with which nothing looks as large as what was found; without an error all above 0 is real."""
    return float(scipy.special.ndtr(-found / standard_error)) if standard_error else float(found <= 0)


def _hanley_mcneil(area: float, members: int, others: int) -> float:
    """Return the standard error of an area under the curve (Hanley and McNeil 1982, equations 1 and 2)."""
    two_members, two_others = area / (2 - area), 2 * area**2 / (1 + area)
    variance = area * (1 - area) + (members - 1) * (two_members - area**2) + (others - 1) * (two_others - area**2)
    return float(np.sqrt(variance / (members * others)))

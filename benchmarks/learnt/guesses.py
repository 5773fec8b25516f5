"""What became of guesses about originals: how many are right, and how many more than in a control."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from benchmarks.learnt.equations import Floats
from validation.attacks.adaptive.findings import Gain, gain
from validation.attacks.adaptive.inference import TOLERANCE
from validation.attacks.adaptive.populations import CODE
from validation.attacks.adaptive.values import NEAR
from validation.distributions.samples import from_signed_log

HEADER = ("attack", "who knows", "n", f"within {TOLERANCE:.0%}", f"within {NEAR:.0%}", "control", "gain", "95 % bound")

NOTHING = "nothing to solve"


@dataclass(frozen=True, kw_only=True)
class Guesses:
    """The guesses of one attack, an entry a guess in each field."""

    attack: str
    knowledge: str
    codes: Sequence[str]
    """The original company that each is about."""
    right: Floats
    """Whether it is right, as 1 or 0."""
    control: Floats
    """Whether the control's is."""
    near: Floats | None = None
    """Whether it is nearly exact; None where that means nothing."""

    @property
    def row(self) -> tuple[str, ...]:
        """Return a line of the table."""
        if not len(self.codes):
            return (self.attack, self.knowledge, "0", NOTHING, *[""] * (len(HEADER) - 4))
        found = self.gain
        shares = (self.right.mean(), None if self.near is None else self.near.mean(), found.chance)
        points = (f"{100 * share:+.1f}" for share in (found.rate, found.upper_95))
        percentages = ("" if share is None else f"{100 * share:.1f} %" for share in shares)
        return (self.attack, self.knowledge, f"{found.records:,}", *percentages, *points)

    @property
    def gain(self) -> Gain:
        """Return the gain over the control; values of one company are one cluster."""
        tallies = pl.DataFrame({CODE: self.codes, "right": self.right, "control": self.control})
        sums = tallies.group_by(CODE).agg(pl.sum("right", "control"), guessed=pl.len().cast(pl.Float64)).sort(CODE)
        right, control, guessed = (sums[name].to_numpy() for name in ("right", "control", "guessed"))
        return gain(self.attack, self.knowledge, with_firm=right, without=control, guessed=guessed)


def of_figures(
    attack: str, knowledge: str, *, codes: Sequence[str], truth: Floats, guess: Floats, control: Floats
) -> Guesses:
    """Return guesses of figures, all given as signed logs; figures that are 0 are left out."""
    asked = np.flatnonzero(truth)
    figures, guessed, controlled = (from_signed_log(side[asked]) for side in (truth, guess, control))
    return Guesses(
        attack=attack,
        knowledge=knowledge,
        codes=[code for code, figure in zip(codes, truth, strict=True) if figure],
        right=_within(guessed, figures, TOLERANCE),
        control=_within(controlled, figures, TOLERANCE),
        near=_within(guessed, figures, NEAR),
    )


def _within(guess: Floats, truth: Floats, tolerance: float) -> Floats:
    return (np.abs(guess - truth) <= tolerance * np.abs(truth)).astype(np.float64)

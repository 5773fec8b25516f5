"""Attacks on the published tables with the originals in hand: what an outsider who owns every annual report could do.

One file an attack, in a folder by what it goes for: `identifiers/` codes, names and texts, `records/` whose record it is,
`noise/` what is noise, `adaptive/` attackers who know the code. `suite.py` carries them out. An attack counts its
successes; `limits.py` decides whether there are too many. It never names a company: its result is a number.
"""

from dataclasses import dataclass

import scipy

from pipeline.model import ALL_IN_ONE

CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class Attack:
    """The outcome of one attack."""

    attack: str
    knowledge: str
    """What the attacker knows besides the published tables."""
    records: int
    """Published records that were attacked."""
    successes: int
    chance: float = 0.0
    """The rate that guessing reaches."""
    detail: str = ""
    """One more sentence, if there is one; it names no company."""
    drawn_from: int | None = None
    """Of how many records those that were attacked were drawn (`validation/drawn.py`); None if all were."""

    @property
    def rate(self) -> float:
        """Return the share of records for which the attack succeeded; 0 without records."""
        return self.successes / self.records if self.records else 0.0

    @property
    def upper_95(self) -> float:
        """Return the one-sided 95 % upper bound of the rate: exact binomial (Clopper and Pearson 1934); 1 without records."""
        if self.successes == self.records:
            return 1.0
        # A quantile of the beta law: `scipy.stats.beta.ppf` to the last bit, without the half second of its import.
        return float(scipy.special.betaincinv(self.successes + 1, self.records - self.successes, CONFIDENCE))

    @property
    def p_value(self) -> float:
        """Return the probability with which guessing succeeds as often (one-sided exact binomial test).

        If the chance differs from record to record, `chance` is its mean; the test then errs on the side of no alarm.
        """
        if not self.successes:
            return 1.0
        # The tail of a binomial law, as above: `scipy.stats.binom.sf` to the last bit.
        return float(scipy.special.betainc(self.successes, self.records - self.successes + 1, self.chance))

    def beats_chance(self, alpha: float) -> bool:
        """Return whether guessing would succeed as often with a probability below alpha."""
        return self.p_value < alpha

    def published(self) -> dict[str, object]:
        """Return the attack's entry in `privacy.json`."""
        entry = vars(self) | {"rate": self.rate, "upper_95": self.upper_95}
        return {name: value for name, value in entry.items() if name != "drawn_from" or value is not None}


def and_the(group: str) -> str:
    """Return what an attacker knows besides figures, in words; nothing if all entities are one group."""
    return "" if group == ALL_IN_ONE else f", and the {group}"

"""Chooses how strong `guarded` must be, by attack: the weakest strength at which linkage stays within its limits.

What is not searched for here is attacked with everything else afterwards (`validation/audit.py`), and gated.
"""

from dataclasses import dataclass

import polars as pl

from anonymize.figures import perturb_figures
from anonymize.figures.guarded import Rebuilt, rebuild_from_neighbours
from anonymize.policy import GUARDED
from anonymize.tables import original_figures
from pipeline.environment.model import Environment, Frames
from pipeline.keyed import Key
from validation.attacks import Attack
from validation.attacks.limits import LINKAGE, SEARCHED, is_within
from validation.attacks.linkage import known_figure_attacks

STRENGTHS = (1, 2, 3, 4, 6, 8)
"""What is tried, weakest first: the most originals that are demanded to be nearer to a record than its owner."""

_GROUP = "group"


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One strength and what the attacks found."""

    strength: int
    attacks: tuple[Attack, ...]

    @property
    def is_enough(self) -> bool:
        """Say whether all attacks stay within their limits."""
        return is_within(LINKAGE, self.attacks, GUARDED)


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The weakest strength that is enough, or the strongest tried if none is."""

    rebuilt: Rebuilt
    trials: tuple[Trial, ...]

    def frame(self) -> pl.DataFrame:
        """Return the trials: `strength, attack, knowledge, records, successes, rate, upper_95`, in the order tried."""
        return pl.DataFrame(
            [
                {
                    "strength": trial.strength,
                    "attack": attack.attack,
                    "knowledge": attack.knowledge,
                    "records": attack.records,
                    "successes": attack.successes,
                    "rate": attack.rate,
                    "upper_95": attack.upper_95,
                }
                for trial in self.trials
                for attack in trial.attacks
            ]
        )


def weakest_rebuilding(environment: Environment, conformed: Frames, key: Key) -> Chosen:
    """Rebuild the panel ever more strongly until linkage stays within its limits.

    Args:
        environment: Declares the panel and the industries of its companies.
        conformed: Conformed tables by name.
        key: Release key.

    Raises:
        InputError: There are too few firms to mix.
    """
    panel, code = environment.panel, environment.entities.code
    originals = original_figures(environment, conformed)
    listed = conformed[environment.entities.tables[0]]
    industries = dict(listed.select(code, environment.entities.industry).iter_rows())
    grouped = originals.with_columns(pl.col(code).replace_strict(industries, default=None).alias(_GROUP))
    trials: list[Trial] = []
    for strength in STRENGTHS:
        rebuilt = rebuild_from_neighbours(
            originals, panel, code=code, industries=industries, strength=strength, key=key.derive("guarded")
        )
        figures = perturb_figures(originals, panel, code=code, key=key.derive("perturb"), rebuilt=rebuilt.figures)
        found = known_figure_attacks(
            grouped,
            figures.with_columns(grouped[_GROUP]),
            entity=code,
            group=_GROUP,
            known=panel.known or ([measure.name for measure in panel.measures],),
            contributors=rebuilt.contributors,
        )
        trials.append(Trial(strength=strength, attacks=tuple(each for each in found if each.attack in SEARCHED)))
        if trials[-1].is_enough:
            break
    return Chosen(rebuilt=rebuilt, trials=tuple(trials))

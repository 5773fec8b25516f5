"""Chooses how strong `guarded` must be, by attack: the weakest strength at which linkage stays within its limits.

What is not searched for here is attacked with everything else afterwards (`validation/audit.py`), and gated.
"""

from dataclasses import dataclass

import polars as pl

from anonymize.figures import perturb_figures
from anonymize.figures.guarded import FEWEST_FOR_NEIGHBOURS, Rebuilt, rebuild_from_neighbours
from anonymize.policy import GUARDED
from anonymize.quasi_identifiers import indistinguishable
from anonymize.tables import original_figures
from pipeline.environment.model import Environment, Frames
from pipeline.keyed import Key
from validation.attacks import Attack
from validation.attacks.limits import LINKAGE, SEARCHED, is_within
from validation.attacks.linkage import known_figure_attacks

STRENGTHS = (1, 2, 3, 4, 6, 8)
"""What is tried, weakest first: the most originals that are demanded to be nearer to a record than its owner."""

MOST_CANDIDATES = 40
"""Companies that agree with what is told of one, above which they hide it as the industry does."""


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


def weakest_rebuilding(environment: Environment, conformed: Frames, told: pl.DataFrame, key: Key) -> Chosen:
    """Rebuild the panel ever more strongly until linkage stays within its limits.

    Args:
        environment: Declares the panel and the industries of its companies.
        conformed: Conformed tables by name.
        told: The first entity table with what will be told of its quasi-identifiers.
        key: Release key.

    Raises:
        InputError: There are too few firms to mix.
    """
    panel, code = environment.panel, environment.entities.code
    originals = original_figures(environment, conformed)
    listed = conformed[environment.entities.tables[0]]
    industries = dict(listed.select(code, environment.entities.industry).iter_rows())
    candidates = _candidates(environment, listed, told)
    register = [column for column in _register_columns(environment) if column != environment.entities.industry]
    sources = listed.select(code, environment.entities.industry, *register), told.select(code, *register)
    known = originals.join(sources[0], on=code, how="left", maintain_order="left")
    trials: list[Trial] = []
    for strength in STRENGTHS:
        rebuilt = rebuild_from_neighbours(
            originals,
            panel,
            code=code,
            industries=industries,
            candidates=candidates,
            strength=strength,
            key=key.derive("guarded"),
        )
        figures = perturb_figures(originals, panel, code=code, key=key.derive("perturb"), rebuilt=rebuilt.figures)
        industry = known[environment.entities.industry]
        found = known_figure_attacks(
            known,
            figures.join(sources[1], on=code, how="left", maintain_order="left").with_columns(industry),
            entity=code,
            group=environment.entities.industry,
            known=panel.known or ([measure.name for measure in panel.measures],),
            contributors=rebuilt.contributors,
            quasi_identifiers=register,
        )
        trials.append(Trial(strength=strength, attacks=tuple(each for each in found if each.attack in SEARCHED)))
        if trials[-1].is_enough:
            break
    return Chosen(rebuilt=rebuilt, trials=tuple(trials))


def _register_columns(environment: Environment) -> tuple[str, ...]:
    return environment.quasi_identifiers.columns if environment.quasi_identifiers else ()


def _candidates(environment: Environment, listed: pl.DataFrame, told: pl.DataFrame) -> dict[str, list[str]]:
    """Return among whom a record is looked for: who agrees with what is told, or else an industry with few firms."""
    code, industry = environment.entities.code, environment.entities.industry
    of_industry = indistinguishable(listed, listed, [industry], entity=code, at_most=FEWEST_FOR_NEIGHBOURS)
    columns = _register_columns(environment)
    if not columns:
        return of_industry
    return of_industry | indistinguishable(listed, told, columns, entity=code, at_most=MOST_CANDIDATES)

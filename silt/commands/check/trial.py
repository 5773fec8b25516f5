"""A trial for `silt check`: records are sampled as a build under `guarded` would, compared with the originals, and attacked.

So what a build would refuse at its end is said before. Noise of a build is another one, so that trials say what is likely, and
what is refused in some of them may be refused. What is seen of originals here is for the curator's terminal.
"""

from collections.abc import Iterator
from functools import partial

import polars as pl

from anonymize.policy import GUARDED
from anonymize.tables import original_figures
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import Environment, Frames
from validation.attacks.adaptive.mechanisms import mechanism
from validation.attacks.adaptive.populations import CODE, INDUSTRY, AttackedRelease, Population, population_of
from validation.attacks.adaptive.suite import Effort, adaptive_attacks
from validation.attacks.limits import ADAPTIVE, is_over, judged
from validation.distributions.two_sample import compare_distributions, ks_report

_EFFORT = Effort(shadows=1, controls=3, firms=200, is_second=False)

_TRIALS, _TIMES = 3, (0.5, 2.0)
"""Trials of a budget, and budgets that are tried if some are refused, by the given one (our choice)."""


def likely_refused(environment: Environment, frames: Frames, *, budget: float) -> Iterator[str]:
    """Yield what a build under `guarded` would refuse of a panel's figures, and what helps.

    Args:
        environment: Declares the panel; without one there is no trial.
        frames: Conformed tables by name.
        budget: What all statistics may spend together (rho).
    """
    if not environment.panel:
        return
    tried = partial(_refused, environment, frames, original_figures(environment, frames))
    found = [tried(budget, number) for number in range(_TRIALS)]
    if not any(found):
        return
    refused = {each * budget: sum(bool(tried(each * budget, number)) for number in range(_TRIALS)) for each in _TIMES}
    best, now = min(refused, key=lambda each: refused[each]), sum(map(bool, found))
    tells = "tells less of each firm, with more noise" if best < budget else "tells so much more of each firm"
    other = f"with --budget {best:g} {refused[best]} are, and it {tells}"
    yield (
        f"under 'guarded', {now} of {_TRIALS} trials of this build are refused, by "
        f"{'; '.join(dict.fromkeys(each for one in found for each in one))}: "
        f"{other if refused[best] < now else 'another budget helps as little'}; leave out figures that differ, take longer "
        "periods or fewer groups, give more firms; or publish under 'lsd', which promises nothing of this"
    )


# ----------------------------------------------------------------------------------------------------------------------


def _refused(
    environment: Environment, frames: Frames, figures: pl.DataFrame, budget: float, number: int
) -> tuple[str, ...]:
    """Say what is refused in one trial."""
    key, kind = Key(bytes(32)).derive("trial", str(number)), environment.entities
    reporting = frames[kind.tables[0]].filter(pl.col(kind.code).is_in(figures[kind.code].unique().implode()))
    originals = population_of(environment, reporting, figures)
    make = mechanism(environment, frames, GUARDED, budget=budget)
    try:
        release = make(originals, key.derive("release"))
    except InputError as error:
        return (str(error),)
    known = max(environment.panel.known, key=len, default=originals.measures)
    attacks = adaptive_attacks(originals, release, make, known=known, key=key, effort=_EFFORT)
    over = (each["attack"] for each in judged({ADAPTIVE: attacks}, GUARDED) if is_over(each))
    return *_differing(environment, originals, release), *(
        f"the attack {each!r}, which finds more than it may" for each in over
    )


def _differing(environment: Environment, originals: Population, release: AttackedRelease) -> Iterator[str]:
    """Name the measure whose distributions differ most, where too many do."""
    sides = (
        side.figures.join(side.entities.select(CODE, INDUSTRY), on=CODE) for side in (originals, release.population)
    )
    tests = compare_distributions(*sides, panel=environment.panel, levels={"industry": INDUSTRY})
    if not ks_report(tests, is_sampled=True)["passed"]:
        worst = tests.sort("p_value", nulls_last=True)["measure"][0]
        yield f"distributions that differ, of {worst!r} most"

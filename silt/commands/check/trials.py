"""Trials of a build under `guarded`: what it would probably refuse of a panel's figures, and what helps.

Belongs here: releases sampled as a build would, compared with the originals, and attacked; what came of them in words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from anonymize.policy import GUARDED
from anonymize.synthesis.needs import enough_firms
from anonymize.tables import original_figures
from pipeline.derive import derive_aggregate
from pipeline.errors import GateError, InputError
from pipeline.keyed import Key
from pipeline.model import Aggregate, Environment, Frames
from pipeline.wording import counted
from silt.commands.waiting import running
from validation.attacks import CONFIDENCE
from validation.attacks.adaptive.mechanisms import mechanism
from validation.attacks.adaptive.populations import CODE, INDUSTRY, AttackedRelease, Population, population_of
from validation.attacks.adaptive.suite import Effort, adaptive_attacks
from validation.attacks.limits import ADAPTIVE, is_over, judged
from validation.consistency.aggregates import Sampled, compare_aggregates, failures
from validation.distributions.two_sample import compare_distributions, ks_report
from validation.laws import share_at_least
from validation.report.documents import read
from validation.report.documents.privacy import AttackCounts
from validation.report.sections.unpromised import excess_in_words

_EFFORT = Effort(shadows=1, controls=3, firms=200, is_second=False)

TRIALS, _TIMES = 3, (0.5, 2.0)
"""Trials of a budget, and budgets that are tried if some are refused, by the given one (our choice)."""

_CLEARLY = 2
"""Trials that must pass beyond those of the given budget before another is advised: one more is chance (our choice)."""

_TELLS_LESS = "tells less of each firm, with more noise, and its aggregates are farther from the originals'"


@dataclass(frozen=True, kw_only=True)
class Likely:
    """What a build would probably refuse, as trials of it showed."""

    said: Sequence[str] = ()
    """What is refused and what helps, in lines; nothing if no trial was refused."""
    better_budget: float | None = None
    """A budget that helps."""
    are_most: bool = False
    """Whether most trials were refused."""
    change: str = ""
    """What to change, with numbers, where most were refused and no budget helps."""


def likely_refused(environment: Environment, frames: Frames, *, budget: float) -> Likely:
    """Return what a build under `guarded` would refuse of a panel's figures, and what helps.

    Args:
        environment: Declares the panel; without one there is no trial.
    """
    if not environment.panel:
        return Likely()
    running("trying out builds under 'guarded'")
    figures = original_figures(environment, frames)
    originals = population(environment, frames, figures)
    tried = partial(_refused, environment, frames, originals)
    found = [tried(budget, number) for number in range(TRIALS)]
    if not any(found):
        return Likely()
    refused = {each * budget: sum(bool(tried(each * budget, number)) for number in range(TRIALS)) for each in _TIMES}
    now = sum(map(bool, found))
    better, other = advice(budget, now, refused)
    why = {what: f"  {text}" for one in reversed(found) for what, text in one.items()}
    # What a build says that it cannot be made of says by itself what is enough.
    helps = "" if _TOO_FEW in why else f". What may help: {_HELPS}"
    fewer = "and fewer in a build, which tries more attacks and gates"
    said = [f"under 'guarded', {passing(now)}, {fewer}; refused for these reasons:", *why.values()]
    is_hopeless = now > TRIALS / 2 and better is None
    enough = enough_firms(environment, frames, figures, budget=budget)
    return Likely(
        said=[*said, f"{other}{helps}"],
        better_budget=better,
        are_most=now > TRIALS / 2,
        change=_change(originals, found, enough) if is_hopeless else "",
    )


def population(environment: Environment, frames: Frames, figures: pl.DataFrame) -> Population:
    """Return the firms that report figures, with these."""
    kind = environment.entities
    return population_of(
        environment,
        frames[kind.tables[0]].filter(pl.col(kind.code).is_in(figures[kind.code].unique().implode())),
        figures,
    )


def _change(originals: Population, found: Sequence[Mapping[str, str]], enough: int) -> str:
    """Return what to change, with what there is; and of which measure distributions differ most, if they do.

    No group and no measure helps where nothing but the number of firms refuses all trials.
    """
    firms, refused = originals.entities.height, {what for one in found for what in one}
    is_short = _TOO_FEW in refused and firms < enough
    than = f"firms (about {enough:,} are enough, now {firms:,})" if is_short else f"than these {counted(firms, 'firm')}"
    more = f"give more {than}"
    if is_short and refused == {_TOO_FEW}:
        return more
    sizes, measures = originals.entities.group_by(INDUSTRY).len()["len"].to_list(), len(originals.measures)
    larger = (
        f", declare larger groups (now {len(sizes)}, the smallest of {counted(min(sizes), 'firm')})"
        if sizes[1:]
        else ""
    )
    fewer = f", or leave out some of the {measures} measures" if measures > 1 else ""
    differing = f" ({differing})" if (differing := found[0].get(_DIFFERING, "")) else ""
    return f"{more}{larger}{fewer}{differing}"


def advice(budget: float, now: int, refused: Mapping[float, int]) -> tuple[float | None, str]:
    """Return a budget that is clearly better than the given one, if one is, and what is said of the others.

    Args:
        budget: The given one.
        now: Trials that were refused with it.
        refused: The same, by each of the others.
    """
    best = min(refused, key=lambda each: refused[each])
    if now - refused[best] < _CLEARLY:
        passed = (f"{TRIALS - each} of {TRIALS} pass with --budget {tried:g}" for tried, each in refused.items())
        return None, f"no other budget is clearly better: {' and '.join(passed)}"
    tells = _TELLS_LESS if best < budget else "tells so much more of each firm"
    return best, f"with --budget {best:g}, {passing(refused[best])}. Such a build {tells}"


def passing(refused: int) -> str:
    """Return how many trials passed, and of what share of all keys (95 %, Clopper and Pearson 1934)."""
    passed, side = TRIALS - refused, (1 + CONFIDENCE) / 2
    least, most = share_at_least(passed, TRIALS, side), 1 - share_at_least(refused, TRIALS, side)
    verb = "passes" if passed == 1 else "pass"
    return f"{passed} of {TRIALS} trial builds {verb} (95% interval over keys: {least:.0%} to {most:.0%})"


_TOO_FEW, _DIFFERING, _UNLIKE = "", "distributions", "aggregates"
"""Stand for a trial that could not be made, and for one of which these differ; others are named after what was refused."""

_HELPS = (
    "more firms, larger groups, longer periods, fewer figures; or, if the companies are not real, 'lsd', which promises "
    "nothing of this. Not another key: whoever tries some gets past a limit by chance"
)


def _refused(
    environment: Environment, frames: Frames, originals: Population, budget: float, number: int
) -> dict[str, str]:
    """Return what is refused in one trial, each with why."""
    key = Key(bytes(32)).derive("trial", str(number))
    make = mechanism(environment, frames, GUARDED, budget=budget)
    known = max(environment.panel.known, key=len, default=originals.measures)
    try:
        release = make(originals, key.derive("release"))
        attacks = adaptive_attacks(originals, release, make, known=known, key=key, effort=_EFFORT)
    except (GateError, InputError) as error:
        return {_TOO_FEW: str(error)}
    over = (read(AttackCounts, each) for each in judged({ADAPTIVE: attacks}, GUARDED) if is_over(each))
    refused = {each.attack: f"the attack {each.attack!r}: {excess_in_words(each)}" for each in over}
    return (
        _differing(environment, originals, release)
        | unlike_aggregates(environment, originals, release.population)
        | refused
    )


def _differing(environment: Environment, originals: Population, release: AttackedRelease) -> dict[str, str]:
    """Return the measure whose distributions differ most, where too many do."""
    sides = (
        side.figures.join(side.entities.select(CODE, INDUSTRY), on=CODE) for side in (originals, release.population)
    )
    tests = compare_distributions(*sides, panel=environment.panel, levels={"industry": INDUSTRY})
    if ks_report(tests, is_sampled=True)["passed"]:
        return {}
    worst = tests.sort("p_value", nulls_last=True)["measure"][0]
    return {_DIFFERING: f"distributions differ, of {worst!r} most"}


def unlike_aggregates(environment: Environment, *sides: Population) -> dict[str, str]:
    """Return how many statistics of aggregates differ, where too many do; those that select their companies are not tried."""
    sampled, keys, offsets = Sampled.of(environment), environment.entities, []
    names = {CODE: keys.code, INDUSTRY: keys.industry}
    for aggregate in environment.aggregates:
        is_known = {*aggregate.by} <= {keys.industry, *sides[0].register} and aggregate.members is Aggregate.members
        if aggregate.name not in sampled.by_industry or not is_known:
            continue
        derived = (
            derive_aggregate(
                environment, aggregate, side.entities.rename(names), side.figures.rename({CODE: keys.code})
            )
            for side in sides
        )
        offsets += compare_aggregates(*(each[aggregate.name] for each in derived), table=aggregate.name, bounds={})
    too_many = failures(offsets, (), sampled=sampled)
    return {_UNLIKE: f"aggregates: {too_many[0]}"} if too_many else {}

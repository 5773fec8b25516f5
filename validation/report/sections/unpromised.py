"""What attacks found of what the policy does not promise: owners that are named, members that are recognised, and the rest.

Belongs here: attacks without a limit that surely do better than guessing, in sentences for the first screen and the section.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from pipeline.wording import counted, percent
from validation.attacks.limits import (
    ADAPTIVE,
    ALPHA,
    COPIES,
    REPORTED_ONLY,
    beats_guessing,
    highest_of,
    is_over,
    is_over_by_bound,
    names_owners,
    p_of,
)
from validation.attacks.records.copies import CELLS, VALUES
from validation.report.documents.privacy import AttackCounts, Privacy


def found_again(of: Privacy) -> AttackCounts | None:
    """Return the attack that names most owners, of those without a limit that surely do better than guessing; None if none."""
    sure = [each for each in _free_on_owners(of) if beats_guessing(vars(each))]
    return max(sure, key=lambda each: (each.rate, each.records), default=None)


def perhaps_found_again(of: Privacy) -> AttackCounts | None:
    """Return the same of attacks that name more owners than guessing, on too few records to be sure; None if none."""
    more = [each for each in _free_on_owners(of) if each.rate > each.chance]
    return max(more, key=lambda each: (each.rate, each.records), default=None)


def tried_on_owners(of: Privacy) -> list[AttackCounts]:
    """Return the attacks on owners that had records to try."""
    return [each for each in of.counted if each.records and names_owners(vars(each))]


def more_than_luck(of: Privacy) -> bool:
    """Say whether the luckiest of as many attacks on owners would find less, but for one case of a hundred (Bonferroni)."""
    tried = tried_on_owners(of)
    return bool(tried) and len(tried) * min(map(p_of, map(vars, tried))) < _LUCK


_LUCK = 0.01
"""Level of that (our choice): where attacks only guess, at most one build of a hundred is doubted for it."""


def named_by(attack: AttackCounts, *, among: Sequence[AttackCounts] = ()) -> str:
    """Return of how many records an attack names the company, of those that it was tried on: seldom are these all companies.

    Args:
        among: The attacks that were tried, if this names the largest share: one of so many has a small p by chance.
    """
    by_chance = ""
    if among[1:]:
        least, many = min(map(p_of, map(vars, among))), len(among)
        by_chance = (
            f". The least likely of all {many} results has {least:.2g}; "
            f"that of {many} independent guesses would be about {1 / (many + 1):.2g}"
        )
    is_sure = beats_guessing(vars(attack), ALPHA)
    p = (
        ""
        if is_sure
        else f", and {attack.successes:,} or more with a probability of {p_of(vars(attack)):.2g}{by_chance}"
    )
    guessing = f"Guessing finds {percent(attack.chance)}{p}"
    if attack.successes == attack.records:
        return f"the right company for all {counted(attack.records, 'record')} that it was tried on. {guessing}"
    found = f"{attack.successes:,} of {counted(attack.records, 'record')} ({percent(attack.rate)})"
    return f"the right company for {found}. {guessing}"


_STRONGER = "silt audit tries harder and may find more; Silt's docs/privacy.md has stronger attacks"


def members_known(of: Privacy) -> str:
    """Return how well members are recognised: as the best attack does, or as the account allows; nothing where neither says."""
    most = 100 * of.account.largest_area if of.account else None
    allowed = f"the budget allows a test that is right in {most:.4g}% of pairs" if most is not None else ""
    tried = [each for each in of.counted if each.area is not None and each.records]
    if best := max(tried, key=lambda each: each.rate, default=None):
        known = f"tells a company that is in from one that is not in {percent(best.rate)} of pairs; guessing in 50%"
        return "; ".join(filter(None, (f"the best that a build tries, {best.attack}, {known}", allowed, _STRONGER)))
    return f"{allowed}; guessing in 50%" if allowed else ""


def found_beyond(of: Privacy) -> Iterator[str]:
    """Yield of each family the best of the attacks without a limit, if it surely does better than guessing."""
    for family, every in groupby(of.counted, lambda each: each.family):
        sure = [each for each in every if each.limit == REPORTED_ONLY and beats_guessing(vars(each))]
        if best := max(sure, key=lambda each: (each.rate - each.chance, each.records), default=None):
            yield f"{family}, {best.attack}: {rate_in_words(best)}"


def rate_in_words(attack: AttackCounts) -> str:
    """Return what an attack found beside guessing: a share of records, of pairs of companies, or a gain in points."""
    if attack.area is not None:
        area = f"{percent(attack.area)} of pairs (area under the curve; guessing 50%)"
        return f"{area}; {attack.records // 2:,} companies, each tried twice"
    if attack.is_gain:
        without = round(attack.chance * attack.records)
        return f"{attack.successes:,} of {attack.records:,} with the company, {without:,} without it: {points(attack.rate)}"
    beside = f"; guessing {percent(attack.chance)}" if attack.chance else ""
    what = " pairs of columns" if attack.attack in (CELLS, VALUES) else ""
    return f"{attack.successes:,} of {attack.records:,}{what} ({percent(attack.rate)}){beside}"


def attacks_over(of: Privacy) -> list[AttackCounts]:
    """Return the attacks that found more than their limit allows, the farthest over it first."""
    over = (attack for attack in of.counted if is_over(vars(attack)))
    return sorted(over, key=lambda attack: (attack.highest_kept or 0.0) - attack.rate)


def over_by_bound(of: Privacy) -> list[AttackCounts]:
    """Return these where what was found is allowed, and only what it may come to is not; nothing if any found too much."""
    over = attacks_over(of)
    return over if all(is_over_by_bound(vars(each)) for each in over) else []


def would_show(of: Privacy) -> str:
    """Return what would show that limits are kept of which attackers who know the code are over by their bound alone.

    At the same rate the half-width of a bound shrinks with the root of the number of tries. Nothing is said if any attack found
    too much, or one of another family is over its limit.
    """
    over = over_by_bound(of)
    times = [_times_as_many(each, highest[1]) for each in over if (highest := highest_of(each.limit))]
    if not times or any(each.family != ADAPTIVE for each in over):
        return ""
    most = math.ceil(10 * max(times)) / 10
    many = f"about {most:,.{0 if most >= _WHOLE else 1}f} times as many{'' if all(each.is_gain for each in over) else ' tries'}"
    shown = f"{many} would show that the limit is kept, at this rate"
    return f"give more companies ({shown}), declare larger groups, or leave out a measure"


_WHOLE = 10
"""From here on a factor is given without decimals (our choice)."""


def _times_as_many(attack: AttackCounts, most: float) -> float:
    return ((attack.upper_95 - attack.rate) / (most - attack.rate)) ** 2


def asked_in_words(attack: AttackCounts) -> str:
    """Return what an attack is called, and what it knows."""
    return f"{attack.attack}, knowing {attack.knowledge}"


def excess_in_words(attack: AttackCounts) -> str:
    """Return what an attack found, which of its limits that exceeds and by what, and what would keep them on as many tries."""
    most, said = attack.highest_kept or 0.0, points if attack.is_gain else percent
    tries = "guesses" if attack.is_gain else "tries"
    kept = f". With as many {tries}, {said(most)} or less would pass" if most > 0 else ""
    found = f"found {rate_in_words(attack)}"
    if not (highest := highest_of(attack.limit)):
        which = f": {attack.detail.removesuffix('.')}" if attack.family == COPIES and attack.detail else ""
        return f"{found}{which}; allowed: {attack.limit}{kept}"
    bound = said(attack.upper_95)
    just = "just over " if bound == said(highest[1]) else ""
    so_few = f"But so few {tries} leave room for" if is_over_by_bound(vars(attack)) else "It may be"
    rate, most_bound = (said(each).removesuffix(" points") for each in highest)
    return f"{found} ({rate} allowed). {so_few} {just}{bound} (95% bound; {most_bound} allowed){kept}"


def points(gain: float) -> str:
    """Return a difference of two shares."""
    return f"{100 * gain:+.1f} points"


def _free_on_owners(of: Privacy) -> list[AttackCounts]:
    return [each for each in of.on_owners if isinstance(each, AttackCounts) and each.limit == REPORTED_ONLY]

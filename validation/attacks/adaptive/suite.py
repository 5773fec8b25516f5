"""All adaptive attacks on one release, bounded in time: of many industries some are attacked, drawn by key."""

from collections.abc import Sequence
from dataclasses import replace

from pipeline.keyed import Key
from validation.attacks import Attack
from validation.attacks.adaptive.differencing import differencing_attacks
from validation.attacks.adaptive.inference import inference_attacks
from validation.attacks.adaptive.membership import membership_attacks
from validation.attacks.adaptive.naming import knowledges, naming_attacks
from validation.attacks.adaptive.populations import Control, Population, Release, sampled_industries
from validation.attacks.adaptive.values import maxima_attack, moments_attack

MOST_FIRMS = 1_200
"""Firms that are attacked at most (our choice: a rate of 5 % is then known to 1.1 points)."""


def adaptive_attacks(
    originals: Population,
    release: Release,
    *,
    own: Sequence[Release],
    controls: Sequence[Control],
    known: Sequence[str],
    key: Key,
    second: Release | None = None,
    group: str = "",
) -> list[Attack]:
    """Run every attack: naming owners, inference, differencing, membership, values.

    Args:
        originals: All that the attacker may know of the originals.
        release: What is attacked.
        own: Releases of the originals under keys of the attacker's own (`own_releases`).
        controls: Releases made without some firms (`control_releases`).
        known: Measures that outsiders know.
        key: Decides what is left to chance in attacks.
        second: Another release of the same originals, if two are attacked together.
        group: Column of entities whose groups' moments reports print; empty if none are.
    """
    industries = sampled_industries(originals.entities, key, at_most=MOST_FIRMS)
    originals, release = originals.of_industries(industries), _cut(release, industries)
    own = [_cut(each, industries) for each in own]
    controls = [replace(each, release=_cut(each.release, industries)) for each in controls]
    named = [
        attack
        for place, knowledge in enumerate(knowledges(originals, known, key))
        for attack in naming_attacks(
            originals,
            release,
            own=own,
            knowledge=knowledge,
            known=known,
            key=key,
            second=None if second is None or place else _cut(second, industries),
        )
    ]
    moments = [moments_attack(originals, release.population, key, group=group)] if group else []
    return [
        *named,
        *inference_attacks(originals, release, controls, known=known),
        *differencing_attacks(originals, release, controls, key),
        *membership_attacks(originals, controls),
        maxima_attack(originals, release.population, key),
        *moments,
    ]


def _cut(release: Release, industries: Sequence[str]) -> Release:
    return replace(release, population=release.population.of_industries(industries))

"""All adaptive attacks on one release, bounded in time: of many industries, some are drawn by key and attacked."""

from dataclasses import dataclass, replace

from pipeline.keyed import Key
from validation.attacks import Attack
from validation.attacks.adaptive.differencing import differencing_attacks
from validation.attacks.adaptive.inference import inference_attacks
from validation.attacks.adaptive.membership import membership_attacks
from validation.attacks.adaptive.populations import (
    FOLDS,
    SHADOW_RELEASES,
    AttackedRelease,
    Make,
    Population,
    control_releases,
    made,
    sampled_industries,
    shadow_releases,
)
from validation.attacks.adaptive.reidentification.named import knowledges, reidentification_attacks
from validation.attacks.adaptive.values import maxima_attack, moments_attack

MOST_FIRMS = 1_200
"""Largest number of attacked firms (our choice: a rate of 5 % is then known to 1.1 points)."""


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How hard the attackers try."""

    shadows: int = SHADOW_RELEASES
    """Number of shadow releases that they learn from."""
    controls: int = FOLDS
    """Number of control releases, each without a tenth of the firms."""
    firms: int = MOST_FIRMS
    """Largest number of attacked firms, in whole industries."""
    is_second: bool = True
    """Whether two releases of the same originals are attacked together."""


IN_A_BUILD = Effort(shadows=1, controls=3, firms=600, is_second=False)
"""As much as a build has time for; `silt audit` tries harder."""


def adaptive_attacks(
    originals: Population,
    release: AttackedRelease,
    make: Make,
    *,
    known: tuple[str, ...],
    key: Key,
    effort: Effort = Effort(),
    group: str = "",
) -> list[Attack]:
    """Run every attack: re-identification, inference, differencing, membership, values.

    If a release is too large, some industries are attacked, and their shadow releases are made from these: a firm hides
    among fewer firms there, so that the attackers are stronger.

    Args:
        originals: All that the attacker may know of the originals.
        release: The release under attack.
        make: Its mechanism, without the key.
        known: Measures that outsiders know.
        key: The attackers' own key.
        effort: How hard they try.
        group: Column of entities for whose groups reports publish moments; empty if there is none.
    """
    industries = sampled_industries(originals.entities, key, at_most=effort.firms)
    part = originals.of_industries(industries)
    attacked = replace(release, population=release.population.of_industries(industries))
    is_whole = part.entities.height == originals.entities.height
    shadows = shadow_releases(make, part, key, count=effort.shadows)
    second = made(make, part, key.derive("second")) if effort.is_second else None
    named = [
        attack
        for place, knowledge in enumerate(knowledges(part, known, key))
        for attack in reidentification_attacks(
            part, attacked, shadows=shadows, knowledge=knowledge, known=known, key=key, second=None if place else second
        )
    ]
    controls = control_releases(make, part, key, count=effort.controls)
    with_everybody = attacked if is_whole else made(make, part, key.derive("with everybody"))
    return [
        *named,
        *inference_attacks(part, with_everybody, controls, known=known),
        *differencing_attacks(part, controls, key),
        *membership_attacks(part, controls),
        maxima_attack(part, attacked.population, key),
        *([moments_attack(part, attacked.population, key, group=group)] if group else []),
    ]

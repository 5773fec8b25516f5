"""All adaptive attacks on one release, bounded in time: of many industries, some are drawn by key and attacked."""

from collections.abc import Callable, Iterator, Mapping
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


@dataclass(frozen=True, kw_only=True)
class _Attacked:
    """What attackers hold, cut down to the industries that are attacked."""

    originals: Population
    release: AttackedRelease
    is_whole: bool
    """Whether the release was made of these industries alone."""
    make: Make
    known: tuple[str, ...]
    key: Key
    effort: Effort
    group: str


def adaptive_attacks(
    originals: Population,
    release: AttackedRelease,
    make: Make,
    *,
    known: tuple[str, ...],
    key: Key,
    effort: Effort = Effort(),
    group: str = "",
    attacker: str = "",
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
        attacker: The one of `ATTACKERS` who tries; all if it is empty.
    """
    industries = sampled_industries(originals.entities, key, at_most=effort.firms)
    part = originals.of_industries(industries)
    attacked = _Attacked(
        originals=part,
        release=replace(release, population=release.population.of_industries(industries)),
        is_whole=part.entities.height == originals.entities.height,
        make=make,
        known=known,
        key=key,
        effort=effort,
        group=group,
    )
    return [attack for name in ([attacker] if attacker else ATTACKERS) for attack in ATTACKERS[name](attacked)]


def _owners(of: _Attacked) -> Iterator[Attack]:
    shadows = shadow_releases(of.make, of.originals, of.key, count=of.effort.shadows)
    second = made(of.make, of.originals, of.key.derive("second")) if of.effort.is_second else None
    for place, knowledge in enumerate(knowledges(of.originals, of.known, of.key)):
        yield from reidentification_attacks(
            *(of.originals, of.release),
            shadows=shadows,
            knowledge=knowledge,
            known=of.known,
            key=of.key,
            second=None if place else second,
        )


def _controls(of: _Attacked) -> Iterator[Attack]:
    controls = control_releases(of.make, of.originals, of.key, count=of.effort.controls)
    with_everybody = of.release if of.is_whole else made(of.make, of.originals, of.key.derive("with everybody"))
    yield from inference_attacks(of.originals, with_everybody, controls, known=of.known)
    yield from differencing_attacks(of.originals, controls, of.key)
    yield from membership_attacks(of.originals, controls)


def _values(of: _Attacked) -> Iterator[Attack]:
    yield maxima_attack(of.originals, of.release.population, of.key)
    if of.group:
        yield moments_attack(of.originals, of.release.population, of.key, group=of.group)


ATTACKERS: Mapping[str, Callable[[_Attacked], Iterator[Attack]]] = {
    "owners": _owners,
    "controls": _controls,
    "values": _values,
}
"""Who attacks, in the order of the report: none needs what another found."""

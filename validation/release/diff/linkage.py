"""What somebody learns who has two releases: which record of the one is which record of the other.

Whoever has both has no list of right answers. Where one can be computed from public files, the links are counted that bear
each other out: figures that are equal to the last digit, and records that two halves of the figures name independently of each
other. Whoever made both has the identity maps, and counts the links that are right: by the attacks of a build, to which the
first release is what the originals are there.

Codes and names are compared as texts; under one key they are the same on purpose.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy

from anonymize.codes import code_space
from anonymize.pseudonyms import codes_of
from pipeline.model import PERIOD, Environment
from pipeline.model.treatments import quasi_identifiers
from validation.attacks import Attack, and_the
from validation.attacks.limits import CODES, EXACT, LINKAGE, NAMES, REGISTER
from validation.attacks.records.exact import exact_figure_attacks
from validation.attacks.records.linkage import coordinates, fullest_year, linkage_attacks, members
from validation.attacks.records.quasi_identifiers import quasi_identifier_attack
from validation.release.opened import Release

KNOWLEDGE = "another release of the same raw tables"

EQUAL_CODES, EQUAL_NAMES, EQUAL_FIGURES = "equal codes", "equal names", "equal figures"

HALVES = "nearest record by both halves of the figures"
"""Without a limit: large firms are near large ones by any of their figures, so that halves agree on wrong records as well."""

_FEWEST = 3
"""Figures that a record must have to be looked for by equality (our choice: one or two small counts are equal by chance)."""

Found = Mapping[str, Sequence[Attack]]
"""Attacks by their family, as `validation/attacks/limits.py` has them."""


def linked(first: Release, second: Release, environment: Environment, owners: Mapping[str, str] | None = None) -> Found:
    """Link the records of two releases.

    Args:
        first: One release; its clean variant is attacked, as noise could only hide links.
        environment: Their declaration, which says where codes and figures stand.
        owners: Code in the second release -> that of the same entity in the first. Only the makers have it; without it, links
            that bear each other out are counted.
    """
    found: Found = {CODES: _codes(first, second, environment), NAMES: _names(first, second)}
    if first.read is None or second.read is None:
        return found
    if owners is not None:
        return {**found, **_by_owners(first, second, environment, owners)}
    one, other = _records(first, environment), _records(second, environment)
    return {**found, EXACT: [_equal_figures(one, other, environment)], LINKAGE: [_halves(one, other, environment)]}


def owners_of(environment: Environment, first: pl.DataFrame, second: pl.DataFrame) -> dict[str, str]:
    """Return code in the second release -> that of the same entity in the first, from the identity maps of both."""
    one, other = (codes_of(map_, environment.entities) for map_ in (first, second))
    return {code: one[original] for original, code in other.items() if original in one}


def _codes(first: Release, second: Release, environment: Environment) -> list[Attack]:
    if first.read is None or second.read is None:
        return []
    code = environment.entities.code
    one, other = (release.read.entities[code].unique() for release in (first, second) if release.read)
    space = code_space(environment.entities.code_shape).size
    return [_overlap(EQUAL_CODES, one, other, chance=other.len() / space)]


def _names(first: Release, second: Release) -> list[Attack]:
    """Compare names; one in a hundred may be drawn twice (names have fewer parts than codes have digits)."""
    names = [release.read.names for release in (first, second) if release.read]
    if len(names) < 2 or any("legal" not in each.columns for each in names):  # noqa: PLR2004
        return []
    one, other = (each["legal"].filter(each["legal"] != "").unique() for each in names)
    return [_overlap(EQUAL_NAMES, one, other, chance=_CHANCE_OF_NAMES)]


_CHANCE_OF_NAMES = 0.01
"""Share of names that two keys may draw alike (our choice: brands come from some thousands)."""


def _overlap(attack: str, one: pl.Series, other: pl.Series, *, chance: float) -> Attack:
    both = int(one.is_in(other.implode()).sum())
    return Attack(attack=attack, knowledge=KNOWLEDGE, records=one.len(), successes=both, chance=min(chance, 1.0))


# --- figures -----------------------------------------------------------------------------------------------------------


def _records(release: Release, environment: Environment) -> pl.DataFrame:
    """Return the figures with the industry of their entity: code, industry, period, measures in quanta."""
    read, kind = release.read, environment.entities
    assert read is not None  # noqa: S101  (the caller asked)
    industries = read.entities.select(kind.code, pl.col(kind.industry).cast(pl.String))
    return read.figures.join(industries, on=kind.code, how="left", maintain_order="left")


def _equal_figures(first: pl.DataFrame, second: pl.DataFrame, environment: Environment) -> Attack:
    """Find records of which all figures of a year are equal in both releases, and in no other record of either.

    Records of two industries belong to two firms, so that their being equal is chance; how often that is, is the guess.
    """
    measures, group = _measures(environment), environment.entities.industry
    one, other = (_alone(side, measures) for side in (first, second))
    pairs = one.join(other, on=[PERIOD, *measures], suffix=" there", nulls_equal=True)
    same = pairs.filter(pl.col(group).eq_missing(pl.col(f"{group} there"))).height
    return Attack(
        attack=EQUAL_FIGURES,
        knowledge=f"{KNOWLEDGE}, all figures of a year",
        records=one.height,
        successes=same,
        chance=min(1.0, (pairs.height - same) / max(one.height, 1)),
        detail="A link counts if it is the only one; nobody can tell whether it is right.",
    )


def _alone(side: pl.DataFrame, measures: Sequence[str]) -> pl.DataFrame:
    """Return the records with enough figures that no other record of the release has."""
    filled = side.filter(pl.sum_horizontal(pl.col(measures).is_not_null()) >= _FEWEST)
    return filled.filter(pl.struct(PERIOD, *measures).is_duplicated().not_())


def _halves(first: pl.DataFrame, second: pl.DataFrame, environment: Environment) -> Attack:
    """Find the nearest record of the same industry by either half of the figures; a success is one that both halves name."""
    group, measures = environment.entities.industry, _measures(environment)
    year = fullest_year(first)
    one, other = (side.filter(pl.col(PERIOD) == year).drop_nulls(group) for side in (first, second))
    there = {str(other[group][int(rows[0])]): rows for rows in members(other[group])} if other.height else {}
    agreed = list(_agreed(one, other, there, group, measures))
    found = np.concatenate([hits for hits, _ in agreed]) if agreed else np.zeros(0, np.bool_)
    chances = [chance for hits, chance in agreed for _ in hits]
    return Attack(
        attack=HALVES,
        knowledge=f"{KNOWLEDGE}, all figures of a year{and_the(group)}",
        records=len(found),
        successes=int(found.sum()),
        chance=float(np.mean(chances)) if chances else 0.0,
        detail="A success is a record that two halves of the figures name; nobody can tell whether it is right.",
    )


def _agreed(
    one: pl.DataFrame,
    other: pl.DataFrame,
    there: Mapping[str, npt.NDArray[np.int64]],
    group: str,
    measures: Sequence[str],
) -> Iterator[tuple[npt.NDArray[np.bool_], float]]:
    """Yield for each industry in which records the halves agree, and how often they would by chance."""
    for rows in members(one[group]) if one.height else ():
        others = there.get(str(one[group][int(rows[0])]))
        if others is None:
            continue
        nearest = [
            scipy.spatial.distance.cdist(_points(one[rows], half), _points(other[others], half), "sqeuclidean").argmin(
                axis=1
            )
            for half in (measures[::2], measures[1::2])
        ]
        by_chance = float(
            sum(np.mean(nearest[0] == place) * np.mean(nearest[1] == place) for place in range(len(others)))
        )
        yield nearest[0] == nearest[1], by_chance


def _points(side: pl.DataFrame, measures: Sequence[str]) -> npt.NDArray[np.float64]:
    return side.select(coordinates(measures)).to_numpy()


def _measures(environment: Environment) -> list[str]:
    return [measure.name for measure in environment.panel.measures]


# --- with the identity maps --------------------------------------------------------------------------------------------


def _by_owners(first: Release, second: Release, environment: Environment, owners: Mapping[str, str]) -> Found:
    """Attack the second release with the first in hand as a build is attacked with its originals; count the right links."""
    assert first.read is not None  # noqa: S101  (the caller asked)
    assert second.read is not None  # noqa: S101
    kind, measures = environment.entities, environment.panel.measures
    register, released = _same_entities(first.read.entities, _owned(second.read.entities, kind.code, owners), kind.code)
    columns = [name for name in quasi_identifiers(environment).columns if name in register.columns]
    one, other = _aligned(first.read.figures, _owned(second.read.figures, kind.code, owners), kind.code)
    every = tuple(_measures(environment))
    further = [name for name in columns if name != kind.industry]
    nearest = linkage_attacks(
        *(
            figures.join(of.select(kind.code, kind.industry, *further), on=kind.code, how="left", maintain_order="left")
            for figures, of in ((one, register), (other, released))
        ),
        entity=kind.code,
        group=kind.industry,
        measures=every,
        known=environment.panel.known or (every,),
        quasi_identifiers=further,
        named=environment.panel.period.name,
    )
    in_register = [quasi_identifier_attack(register, released, columns, kept=kind.industry)] if columns else []
    return {
        EXACT: _published(exact_figure_attacks(one, other, measures, entity=kind.code), "every figure"),
        LINKAGE: _published(nearest),
        REGISTER: _published(in_register),
    }


def _published(attacks: Iterable[Attack], knowledge: str = "") -> list[Attack]:
    """Say that what is known is known from the other release."""
    return [replace(each, knowledge=f"{KNOWLEDGE}: {knowledge or each.knowledge}") for each in attacks]


def _owned(rows: pl.DataFrame, code: str, owners: Mapping[str, str]) -> pl.DataFrame:
    """Return the rows of which the owner is known, under the owner's code in the first release."""
    named = pl.col(code).replace_strict(owners, default=None, return_dtype=pl.String)
    return rows.with_columns(named).drop_nulls(code)


def _same_entities(first: pl.DataFrame, second: pl.DataFrame, code: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the entities of both, in one order."""
    one = first.join(second.select(code), on=code, how="semi").sort(code)
    return one, one.select(code).join(second, on=code, maintain_order="left")


def _aligned(first: pl.DataFrame, second: pl.DataFrame, code: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the figures of the records of either, in one order, empty where one lacks them: that would name the owner."""
    keys = [code, PERIOD]
    either = pl.concat([first.select(keys), second.select(keys)]).unique().sort(keys)
    one, other = (either.join(side, on=keys, how="left", maintain_order="left") for side in (first, second))
    return one, other

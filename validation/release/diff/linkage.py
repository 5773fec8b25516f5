"""What somebody learns who has two releases: which record of the one is which record of the other.

Whoever has both has no list of right answers. Where one can be computed from public files, the links are counted that bear
each other out: figures that are equal to the last digit, and records that two halves of the figures name independently of each
other. Whoever made both has the identity maps, and counts the links that are right.

Codes and names are compared as texts; under one key they are the same on purpose.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy

from anonymize.codes import code_space
from anonymize.policy import Policy
from pipeline.model import PERIOD, Environment
from validation.attacks import Attack, and_the
from validation.attacks.limits import CODES, EXACT, LINKAGE, NAMES, judged
from validation.attacks.records.linkage import coordinates, fullest_year, known_figure_attacks, members
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
        second: The other.
        environment: Their declaration, which says where codes and figures stand.
        owners: Code in the second release -> that of the same entity in the first. Only the makers have it; without it, links
            that bear each other out are counted.
    """
    found: dict[str, Sequence[Attack]] = {CODES: _codes(first, second, environment), NAMES: _names(first, second)}
    if first.read is None or second.read is None:
        return found
    one, other = _records(first, environment), _records(second, environment)
    found[EXACT] = _equal_figures(one, other, environment, owners)
    found[LINKAGE] = _by_owners(one, other, environment, owners) if owners else _halves(one, other, environment)
    return found


def entries(found: Found, policy: Policy) -> list[dict[str, Any]]:
    """Return each attack with its limit under a policy, and whether it keeps to it."""
    return judged(found, policy)


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


def _equal_figures(
    first: pl.DataFrame, second: pl.DataFrame, environment: Environment, owners: Mapping[str, str] | None
) -> list[Attack]:
    """Find records of which all figures of a year are equal in both releases, and in no other record of either.

    Records of two industries belong to two firms, so that their being equal is chance; how often that is, is the guess.
    """
    measures, code, group = _measures(environment), environment.entities.code, environment.entities.industry
    one, other = (_alone(side, measures) for side in (first, second))
    pairs = one.join(other, on=[PERIOD, *measures], suffix=" there", nulls_equal=True)
    same = pairs.filter(pl.col(group).eq_missing(pl.col(f"{group} there")))
    if owners is not None:
        there = pl.col(f"{code} there").replace_strict(owners, default=None, return_dtype=pl.String)
        same = same.filter(there == pl.col(code))
    across = (pairs.height - same.height) / max(one.height, 1) if owners is None else 0.0
    return [
        Attack(
            attack=EQUAL_FIGURES,
            knowledge=f"{KNOWLEDGE}, all figures of a year",
            records=one.height,
            successes=same.height,
            chance=min(1.0, across),
            detail="" if owners else "A link counts if it is the only one; nobody can tell whether it is right.",
        )
    ]


def _alone(side: pl.DataFrame, measures: Sequence[str]) -> pl.DataFrame:
    """Return the records with enough figures that no other record of the release has."""
    filled = side.filter(pl.sum_horizontal(pl.col(measures).is_not_null()) >= _FEWEST)
    return filled.filter(pl.struct(PERIOD, *measures).is_duplicated().not_())


def _by_owners(
    first: pl.DataFrame, second: pl.DataFrame, environment: Environment, owners: Mapping[str, str]
) -> list[Attack]:
    """Find for each record of the second release the nearest of the first, by sets of figures; count the right ones."""
    code, group = environment.entities.code, environment.entities.industry
    named = second.with_columns(pl.col(code).replace_strict(owners, default=None, return_dtype=pl.String))
    keys = [code, PERIOD]
    both = first.join(named.drop_nulls(code), on=keys, how="inner", suffix=" there", maintain_order="left")
    columns = [*keys, group, *_measures(environment)]
    there = {f"{name} there": name for name in columns if name not in keys}
    known = environment.panel.known or (tuple(_measures(environment)),)
    return known_figure_attacks(
        both.select(columns), both.select(*keys, *there).rename(there).select(columns), group=group, known=known
    )


def _halves(first: pl.DataFrame, second: pl.DataFrame, environment: Environment) -> list[Attack]:
    """Find the nearest record of the same industry by either half of the figures; a success is one that both halves name."""
    group, measures = environment.entities.industry, _measures(environment)
    year = fullest_year(first)
    one, other = (side.filter(pl.col(PERIOD) == year).drop_nulls(group) for side in (first, second))
    there = {str(other[group][int(rows[0])]): rows for rows in members(other[group])} if other.height else {}
    agreed = list(_agreed(one, other, there, group, measures))
    found = np.concatenate([hits for hits, _ in agreed]) if agreed else np.zeros(0, np.bool_)
    chances = [chance for hits, chance in agreed for _ in hits]
    return [
        Attack(
            attack=HALVES,
            knowledge=f"{KNOWLEDGE}, all figures of a year{and_the(group)}",
            records=len(found),
            successes=int(found.sum()),
            chance=float(np.mean(chances)) if chances else 0.0,
            detail="A success is a record that two halves of the figures name; nobody can tell whether it is right.",
        )
    ]


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

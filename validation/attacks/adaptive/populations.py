"""What adaptive attackers hold: populations of firms, releases made from them, and releases that attackers make themselves.

A mechanism is known here only as a callable: it takes a population and a key and returns a release. An attacker may call it
under keys of his own as often as he likes (Kerckhoffs), and with firms left out. The attacks themselves are in the other
modules.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass

import polars as pl

from anonymize.figures.closure import breaks
from anonymize.quasi_identifiers import looked_up
from pipeline.errors import GateError, InputError
from pipeline.keyed import SEPARATOR, Key
from pipeline.model import PERIOD, Environment, Panel
from pipeline.model.treatments import quasi_identifiers

CODE, INDUSTRY = f"{SEPARATOR}code", f"{SEPARATOR}industry"
"""Columns that every population has; no column of a table can have these names."""

SHADOW_RELEASES = 3
"""Number of releases that an attacker makes to learn from (our choice: two or four name as many of us-listed, within two
points)."""

FOLDS = 10
"""Number of control releases: each is made without one of so many parts of the firms."""

_KEYS = 8
"""Keys that are tried before a release counts as one that cannot be made."""

_BREAKS = " is broken"


@dataclass(frozen=True, kw_only=True)
class Population:
    """Firms and their figures: the originals, or a release, whose codes are pseudonyms."""

    entities: pl.DataFrame
    """One row a firm: `CODE`, `INDUSTRY` (never null), and further columns as in a register; null is blank."""
    figures: pl.DataFrame
    """One row a firm and `PERIOD`: `CODE`, a number for each measure (null is a gap), and Boolean columns: flags that can be
    seen in the record (whether an identity is broken)."""

    @property
    def measures(self) -> tuple[str, ...]:
        """Return the columns of figures that hold numbers."""
        return tuple(self.figures.select(pl.selectors.numeric().exclude(PERIOD, CODE)).columns)

    @property
    def flags(self) -> tuple[str, ...]:
        """Return the columns of figures that hold flags."""
        return tuple(self.figures.select(pl.selectors.boolean()).columns)

    @property
    def register(self) -> tuple[str, ...]:
        """Return the columns of entities that a register has besides the industry."""
        return tuple(column for column in self.entities.columns if column not in {CODE, INDUSTRY})

    def of(self, codes: Collection[str]) -> "Population":
        """Return the population of these firms only."""
        is_in = pl.col(CODE).is_in(list(codes))
        return Population(entities=self.entities.filter(is_in), figures=self.figures.filter(is_in))

    def of_industries(self, industries: Collection[str]) -> "Population":
        """Return the population of these industries alone."""
        return self.of(self.entities.filter(pl.col(INDUSTRY).is_in(list(industries)))[CODE])


@dataclass(frozen=True, kw_only=True)
class AttackedRelease:
    """A mechanism's release of a population, and the truth by which successes are counted."""

    population: Population
    truth: Mapping[str, str]
    """Original code -> published code."""


@dataclass(frozen=True, kw_only=True)
class Control:
    """A release made without some firms."""

    release: AttackedRelease
    left_out: frozenset[str]
    """Their original codes."""


def population_of(environment: Environment, entities: pl.DataFrame, figures: pl.DataFrame) -> Population:
    """Return the population of an environment's tables, original or published.

    Args:
        environment: Declares code, industry, panel, and what a register discloses (of a date its year).
        entities: The first entity table; firms without an industry are left out.
        figures: The panel: one column of quanta for each measure.
    """
    keys = environment.entities
    register = [column for column in quasi_identifiers(environment).columns if column != keys.industry]
    names = {keys.code: CODE, keys.industry: INDUSTRY}
    listed = entities.drop_nulls(keys.industry).select(*names, *looked_up(entities, register)).rename(names)
    measures = [measure.name for measure in environment.panel.measures]
    rows = figures.select(pl.col(keys.code).alias(CODE), PERIOD, *measures).join(listed, on=CODE, how="semi")
    return Population(
        entities=listed.sort(CODE),
        figures=with_broken_identities(rows.sort(CODE, PERIOD), environment.panel, code=CODE),
    )


Make = Callable[[Population, Key], AttackedRelease]
"""A mechanism: a pure function, in which all chance depends on the key."""


def made(make: Make, originals: Population, key: Key) -> AttackedRelease:
    """Return a release under the first of some keys with which the policy makes one: noise may hide the years of few firms.

    Raises:
        GateError: There is none, so nobody knows what attackers would learn from it.
    """
    for number in range(_KEYS):
        with suppress(GateError, InputError):
            return make(originals, key.derive("again", str(number)) if number else key)
    try:
        return make(originals, key.derive("again", str(_KEYS)))
    except (GateError, InputError) as error:
        firms = originals.entities.height
        raise GateError(
            f"{error}. Attackers who make releases of their own to learn from, of {firms:,} of the companies, can make none "
            f"under {_KEYS + 1} keys, so nobody knows what they would find",
            is_drawn=isinstance(error, GateError) and error.is_drawn,
        ) from error


def shadow_releases(
    make: Make, originals: Population, key: Key, *, count: int = SHADOW_RELEASES
) -> list[AttackedRelease]:
    """Return shadow releases: of the originals, under keys of the attacker's own."""
    return [made(make, originals, key.derive("own release", str(number))) for number in range(count)]


def control_releases(make: Make, originals: Population, key: Key, *, count: int = FOLDS) -> list[Control]:
    """Return releases that are each made without one fold of the firms, for the first folds.

    Folds are keyed and divide every industry.
    """
    return [
        Control(
            release=made(make, originals.of(set(originals.entities[CODE]) - fold), key.derive("control", str(number))),
            left_out=fold,
        )
        for number, fold in enumerate(_folds(originals.entities, key)[:count])
    ]


def _folds(entities: pl.DataFrame, key: Key) -> list[frozenset[str]]:
    """Deal the firms of each industry, in keyed order, to the folds in turn."""
    dealt = entities.sort(INDUSTRY, key.derive("folds").mac(CODE)).with_columns(fold=pl.int_range(pl.len()) % FOLDS)
    return [frozenset(dealt.filter(fold=number)[CODE]) for number in range(FOLDS)]


def with_broken_identities(figures: pl.DataFrame, panel: Panel, *, code: str) -> pl.DataFrame:
    """Add a flag for each identity within the panel: whether the record breaks it."""
    broken = breaks(figures, panel.without_events, code=code)
    return figures.with_columns(broken.rename(lambda output: output + _BREAKS))


def sampled_industries(entities: pl.DataFrame, key: Key, *, at_most: int) -> list[str]:
    """Return industries in keyed order, as long as they have at most so many firms together; the smallest if none fits."""
    sizes = entities.group_by(INDUSTRY).len("firms").sort(key.derive("industries").mac(INDUSTRY))
    chosen: list[str] = []
    left = at_most
    for industry, firms in sizes.iter_rows():
        if firms <= left:
            chosen.append(industry)
            left -= firms
    return sorted(chosen) or sizes.sort("firms", maintain_order=True)[INDUSTRY].head(1).to_list()

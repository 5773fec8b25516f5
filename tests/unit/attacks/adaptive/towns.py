"""Firms that nobody knows, and mechanisms of every kind: noise on records, the broken one, and independent redraws."""

import numpy as np
import polars as pl

from pipeline.keyed import Key
from pipeline.model import Measure, Panel
from tests.weak.neighbours import mixed_from_neighbours
from validation.attacks.adaptive.populations import CODE, INDUSTRY, AttackedRelease, Make, Population

MEASURES = tuple(f"measure {place}" for place in range(8))
KNOWN = MEASURES[:2]
YEARS = (2020, 2021, 2022)
FIRMS = 120
PANEL = Panel(tables=("figures",), measures=tuple(Measure(name=name, unit="USD") for name in MEASURES), known=(KNOWN,))
KEY, ATTACKERS_KEY = Key(b"k" * 32), Key(b"a" * 32)


def figures_of(codes: list[str], rng: np.random.Generator) -> pl.DataFrame:
    """Return firms that have a size and three factors of their own, with heavy tails, in all years but some."""
    size = rng.standard_t(4, (len(codes), 1, 1)) * 1.5 + 14
    factors = rng.normal(0, 1, (len(codes), 3)) @ np.random.default_rng(9).normal(0, 0.8, (3, len(MEASURES)))
    logs = size + factors[:, None, :] + rng.normal(0, 0.15, (len(codes), len(YEARS), len(MEASURES)))
    keys = {CODE: np.repeat(codes, len(YEARS)), "year": list(YEARS) * len(codes)}
    values = np.exp(np.minimum(logs, 34)).astype(np.int64).reshape(-1, len(MEASURES))
    return pl.DataFrame(keys | {measure: values[:, j] for j, measure in enumerate(MEASURES)})


def town(seed: int = 0, *, firms: int = FIRMS) -> Population:
    """Return two industries of firms in four places."""
    rng = np.random.default_rng(seed)
    codes = [f"firm {place:03}" for place in range(firms)]
    places = rng.choice(["north", "south", "east", "west"], firms)
    entities = pl.DataFrame({CODE: codes, INDUSTRY: [f"industry {i % 2}" for i in range(firms)], "place": places})
    return Population(entities=entities, figures=figures_of(codes, rng))


def pseudonyms(population: Population, key: Key) -> dict[str, str]:
    """Return a keyed pseudonym for each code."""
    return {code: key.derive("codes").digest(code).hex()[:12] for code in population.entities[CODE]}


def released(population: Population, figures: pl.DataFrame, entities: pl.DataFrame, key: Key) -> AttackedRelease:
    """Return the release of figures and entities that are still under the original codes."""
    truth = pseudonyms(population, key)
    coded = pl.col(CODE).replace_strict(truth)
    return AttackedRelease(
        population=Population(
            entities=entities.with_columns(coded).sort(CODE), figures=figures.with_columns(coded).sort(CODE, "year")
        ),
        truth=truth,
    )


def noisy(population: Population, key: Key) -> AttackedRelease:
    """Change every figure by up to half a per cent, as low-digit noise does."""
    change = [
        (pl.col(name) * (0.995 + 0.01 * key.derive("noise").uniform(pl.lit(name), CODE, "year"))).round().cast(pl.Int64)
        for name in MEASURES
    ]
    return released(population, population.figures.with_columns(change), population.entities, key)


def neighbours(population: Population, key: Key) -> AttackedRelease:
    """Mix each firm from its neighbours: the mechanism that is broken."""
    figures = mixed_from_neighbours(population, KNOWN, key)
    return released(population, figures, population.entities.with_columns(place=pl.lit("north")), key)


def redrawn(population: Population, key: Key) -> AttackedRelease:
    """Draw every record anew from a law that depends on nobody: only the industries' sizes are the originals'."""
    rng = np.random.default_rng(int.from_bytes(key.derive("redraw").digest("seed")[:8], "big"))
    places = rng.choice(["north", "south", "east", "west"], population.entities.height)
    figures = figures_of(population.entities[CODE].to_list(), rng)
    return released(population, figures, population.entities.with_columns(place=pl.Series(places)), key)


def copying(make: Make) -> Make:
    """Return the mechanism, but with every figure of every third firm as it is."""

    def made(population: Population, key: Key) -> AttackedRelease:
        release = make(population, key)
        copied = population.entities.sort(CODE).filter(pl.int_range(pl.len()) % 3 == 0).select(CODE, INDUSTRY)
        swapped = release.population.figures.join(
            population.figures.join(copied.select(CODE), on=CODE, how="semi").with_columns(
                pl.col(CODE).replace_strict(release.truth)
            ),
            on=[CODE, "year"],
            how="left",
            suffix=" copied",
        )
        figures = swapped.select(CODE, "year", *(pl.coalesce(f"{name} copied", name).alias(name) for name in MEASURES))
        return AttackedRelease(
            population=Population(entities=release.population.entities, figures=figures), truth=release.truth
        )

    return made

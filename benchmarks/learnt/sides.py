"""A finished build as anybody reads it, and the originals by which successes are counted."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from anonymize.tables import original_figures
from pipeline.conform import conform
from pipeline.errors import InputError
from pipeline.model import PERIOD, Environment
from validation.attacks.adaptive.populations import CODE, INDUSTRY, Population, population_of
from validation.release.opened import opened

KEYS = ("level", "group", PERIOD, "measure")
"""The columns that name a cell."""

REPORTS = ("distributions", "ks", "consistency")
"""The reports that are attacked."""

FINE, BROAD = "sub_industry", "industry"
"""Levels of the reports."""


@dataclass(frozen=True, kw_only=True)
class PublishedBuild:
    """What a build has published: its tables read back, and its reports."""

    population: Population
    reports: Mapping[str, Mapping[str, Any]]
    """Name -> content, of the first variant that has the report; empty if none has."""


def published(build: Path, environment: Environment) -> PublishedBuild:
    """Read a build's output folder.

    Raises:
        InputError: Its tables without noise are not there, or cannot be read.
    """
    release = opened(build, environment)
    if release.read is None:
        raise InputError(f"no tables without noise in {build}; build both variants")
    found = {name: [variant.report(name) for variant in release.variants] for name in REPORTS}
    return PublishedBuild(
        population=population_of(environment, release.read.entities, release.read.figures),
        reports={name: next((report for report in reports if report), {}) for name, reports in found.items()},
    )


def originals(environment: Environment, raw: Path) -> Population:
    """Return all listed companies and the figures of those that report some."""
    conformed = conform(environment.raw_tables, raw).frames
    listed = conformed[environment.entities.tables[0]]
    return population_of(environment, listed, original_figures(environment, conformed))


def cells(population: Population, environment: Environment) -> pl.DataFrame:
    """Return the figures with the cells in which reports state something of them.

    Returns:
        One row a figure and level: `KEYS`, `CODE`, `INDUSTRY`, and `value` in the measure's unit, as signed log.
    """
    keys = environment.entities
    levels = {FINE: INDUSTRY if keys.sub_industry == keys.industry else keys.sub_industry}
    levels |= {} if levels[FINE] == INDUSTRY else {BROAD: INDUSTRY}
    scales = {measure.name: 10.0**-measure.decimals for measure in environment.panel.measures}
    value = pl.col("value") * pl.col("measure").replace_strict(scales, return_dtype=pl.Float64)
    long = (
        population.figures.unpivot(population.measures, index=[CODE, PERIOD], variable_name="measure")
        .drop_nulls("value")
        .with_columns(value.sign() * value.abs().log1p())
        .join(population.entities, on=CODE)
    )
    return pl.concat(
        long.select(pl.lit(level).alias("level"), pl.col(column).alias("group"), *_FIGURE)
        for level, column in levels.items()
    ).drop_nulls("group")


_FIGURE = (PERIOD, "measure", CODE, INDUSTRY, "value")

"""Attacks on reports by strangers, who have no original: they solve what is stated of cells for the figures in them."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from benchmarks.learnt.equations import DISTANCE, RATIOS, Floats
from benchmarks.learnt.guesses import Guesses, of_figures
from benchmarks.learnt.sides import KEYS, PublishedBuild, cells
from benchmarks.learnt.solving import Equations, solved
from pipeline.model import PERIOD, Environment
from validation.attacks.adaptive.populations import CODE, INDUSTRY, Population
from validation.distributions.samples import signed_log

FEW = 4
"""Number of companies in the cells that are solved."""

STRANGER = "no original"


def stated_cells(seen: PublishedBuild, environment: Environment) -> pl.DataFrame:
    """Return what a build states of its cells.

    Returns:
        One row a cell that `distributions.json` or `ks.json` lists: `KEYS`, the statistics (NaN if not stated), and
        `published`, the release's figures of the cell in order.
    """
    samples = seen.reports["distributions"].get("samples", {"columns": KEYS, "rows": []})
    ratios = pl.DataFrame(samples["rows"], schema=list(samples["columns"]), orient="row", infer_schema_length=None)
    tests = pl.DataFrame(seen.reports["ks"].get("tests", []), infer_schema_length=None)
    listed = [_listed(ratios, RATIOS), _listed(tests, DISTANCE)]
    figures = cells(seen.population, environment).group_by(KEYS).agg(published=pl.col("value").sort())
    every = listed[0].join(listed[1], on=KEYS, how="full", coalesce=True).join(figures, on=KEYS)
    return every.with_columns(pl.col(*RATIOS, *DISTANCE).fill_null(np.nan))


def stranger(originals: pl.DataFrame, builds: Sequence[pl.DataFrame], *, size: int = FEW) -> list[Guesses]:
    """Solve cells of so many companies for all their figures; guesses are compared with the originals rank by rank.

    The control guesses the published figures. Solutions in which all figures have one sign are reported as well: they are
    sharper, and a stranger sees which they are.

    Args:
        originals: `cells` of the originals.
        builds: `stated_cells` of each build; how many originals a cell has is stated, too.
        size: Number of companies.
    """
    sizes = [f"size {number}" for number in range(len(builds))]
    parts = _stated_by_all(originals, builds, size).sort(KEYS).partition_by(sizes)
    found = [_solved(part, len(builds), size) for part in parts if part.height]
    truth, guess, control = (np.concatenate([np.zeros((0, size)), *(each[i] for each in found)]) for i in range(3))
    codes = [code for part in parts for each in part[CODE] for code in each]
    is_sharp = np.repeat((guess > 0).all(axis=1) | (guess < 0).all(axis=1), size)
    name = f"figures of cells of {size} companies"
    return [
        of_figures(
            attack,
            STRANGER,
            codes=[code for code, is_asked in zip(codes, asked, strict=True) if is_asked],
            truth=truth.ravel()[asked],
            guess=guess.ravel()[asked],
            control=control.ravel()[asked],
        )
        for attack, asked in ((name, is_sharp | True), (f"{name}, solutions of one sign", is_sharp))
    ]


def extremes(
    environment: Environment, originals: Population, builds: Sequence[PublishedBuild], statistic: str
) -> list[Guesses]:
    """Undo the offset of the worst cells of `consistency.json`: original = published / (1 + offset), for each aggregate.

    The control guesses the published extreme. A lower extreme of figures of one sign has the same equation.
    """
    found = []
    for aggregate in environment.aggregates:
        rows = [
            (*then, now[1] / (1 + entry["max_offset"]), now[1])
            for seen in builds
            for entry in seen.reports["consistency"].get("aggregates", ())
            if (entry["table"], entry["statistic"]) == (aggregate.name, statistic)
            if entry.get("worst_cell") and entry.get("max_offset")
            for then in _extreme(environment, originals, entry)
            for now in _extreme(environment, seen.population, entry)
        ]
        sides = signed_log(np.asarray([row[1:] for row in rows], np.float64).reshape(-1, 3)).T
        codes = [row[0] for row in rows]
        name = f"{statistic} of {aggregate.name}, worst cells"
        found.append(of_figures(name, STRANGER, codes=codes, truth=sides[0], guess=sides[1], control=sides[2]))
    return found


def _listed(rows: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return the cells of a report with those of its statistics that it has; nothing of a report that has no such cells."""
    schema = pl.Schema({name: pl.Int64() if name == PERIOD else pl.String() for name in KEYS})
    schema |= dict.fromkeys(names, pl.Float64())
    if not {*KEYS} <= {*rows.columns}:
        return pl.DataFrame(schema=schema)
    absent = [pl.lit(None).alias(name) for name in names if name not in rows.columns]
    return rows.with_columns(absent).select(*schema).cast(schema, strict=False).drop_nulls(KEYS)


def _stated_by_all(originals: pl.DataFrame, builds: Sequence[pl.DataFrame], size: int) -> pl.DataFrame:
    """Return the cells of so many companies that all builds state, the columns of each build under its number."""
    found = (
        originals.group_by(KEYS).agg(pl.col(CODE, "value").sort_by("value")).filter(pl.col("value").list.len() == size)
    )
    for number, build in enumerate(builds):
        stated = build.filter(pl.all_horizontal(pl.col("spread", "shift").is_not_nan()))
        columns = [pl.col(name).alias(f"{name} {number}") for name in (*RATIOS, "published")]
        sizes = pl.col("published").list.len().alias(f"size {number}")
        found = found.join(stated.select(*KEYS, *columns, sizes), on=KEYS)
    return found


def _solved(cells_of_size: pl.DataFrame, builds: int, size: int) -> tuple[Floats, Floats, Floats]:
    """Return the originals of the cells, the solution, and the published figures, one row a cell, in order."""
    equations = [
        Equations(
            np.asarray(cells_of_size[f"published {number}"].to_list()),
            {name: cells_of_size[f"{name} {number}"].to_numpy() for name in RATIOS},
        )
        for number in range(builds)
    ]
    published = np.quantile(equations[0].published, np.linspace(0, 1, size), axis=1).T
    return np.asarray(cells_of_size["value"].to_list()), solved(equations, size), published


def _extreme(environment: Environment, side: Population, entry: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Return the company that makes an extreme, and its figure; nothing where the cell is empty."""
    measure, place = entry["measure"], {**entry["worst_cell"]}
    names = {environment.entities.industry: INDUSTRY}
    is_there = [pl.col(names.get(column, column)) == value for column, value in place.items()]
    figures = side.figures.join(side.entities, on=CODE).filter(is_there).drop_nulls(measure)
    ends = figures.sort(measure, CODE, descending=entry["statistic"] == "max").select(
        CODE, pl.col(measure).cast(pl.Float64)
    )
    return ends.head(1).rows()

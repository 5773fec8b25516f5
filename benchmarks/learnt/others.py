"""Attacks on reports by somebody who has all others' figures and solves what is stated of cells for the missing one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from benchmarks.learnt.equations import DISTANCE, RATIOS, Floats, statistics
from benchmarks.learnt.guesses import Guesses, of_figures
from benchmarks.learnt.sides import KEYS
from benchmarks.learnt.solving import Equations, missing_one
from pipeline.keyed import Key
from pipeline.model import PERIOD
from validation.attacks.adaptive.populations import CODE, INDUSTRY

FIGURES = 1_500
"""Number of figures that are asked for, drawn by key."""

MANY = 20
"""A cell of more companies is no small one."""

ALL_OTHERS = "all figures of all other companies"


def from_the_others(
    originals: pl.DataFrame, builds: Sequence[pl.DataFrame], key: Key, *, figures: int = FIGURES
) -> list[Guesses]:
    """Solve cells for the figure that is not known.

    The control solves what the reports would state if another company of the industry stood in the target's place.

    Args:
        originals: `cells` of the originals.
        builds: `stated_cells` of each build.
        key: Decides whose figures are asked for, and who stands in.
        figures: Number of them.
    """
    known = originals.group_by(KEYS).agg(pl.col(CODE), others="value")
    by_cell = [_cells_of(build.join(known, on=KEYS)) for build in builds]
    asked = _asked(originals, pl.concat([build.select(KEYS) for build in builds]).unique(), key, figures)
    attacks = (
        ("a company's figures", _NAMES, 0),
        (f"a company's figures, cells of over {MANY} companies", RATIOS, MANY),
        ("a company's figures, `ks.json` alone", DISTANCE, 0),
    )
    return [_missing(name, asked, by_cell, names, least) for name, names, least in attacks]


@dataclass(frozen=True)
class _Cell:
    """A cell of one build."""

    published: Floats
    codes: Sequence[str]
    originals: Floats
    stated: Mapping[str, float]

    def without(self, code: str) -> Floats:
        """Return the others' figures."""
        return self.originals[[each != code for each in self.codes]]

    def equations(self, names: Sequence[str]) -> Equations:
        """Return what is stated of it."""
        return Equations(self.published[None], {name: self.stated[name] for name in names})

    def as_if(self, figures: Floats, names: Sequence[str]) -> Equations:
        """Return what would be stated of it if these were the originals."""
        stated = [name for name in names if np.isfinite(self.stated[name])]
        found = statistics(figures[None], self.published[None], stated)
        return Equations(self.published[None], {name: float(each[0]) for name, each in found.items()})


_NAMES = (*RATIOS, *DISTANCE)

_Cells = Mapping[tuple[object, ...], _Cell]


def _cells_of(build: pl.DataFrame) -> _Cells:
    return {
        tuple(row[key] for key in KEYS): _Cell(
            np.asarray(row["published"]), row[CODE], np.asarray(row["others"]), {name: row[name] for name in _NAMES}
        )
        for row in build.iter_rows(named=True)
    }


def _missing(name: str, asked: pl.DataFrame, builds: Sequence[_Cells], names: Sequence[str], least: int) -> Guesses:
    codes, found = [], []
    for code, truth, standing_in, keys in asked.select(CODE, "value", "stand-in", "cells").iter_rows():
        places = [tuple(each.values()) for each in keys]
        there = [build[place] for build in builds for place in places if place in build]
        used = [each for each in there if len(each.codes) > least and any(np.isfinite(each.stated[n]) for n in names)]
        if used:
            rest = [each.without(code) for each in used]
            instead = [each.as_if(np.append(r, standing_in), names) for each, r in zip(used, rest, strict=True)]
            guess = missing_one([each.equations(names) for each in used], rest)
            codes.append(code)
            found.append((truth, guess, missing_one(instead, rest)))
    truths, guesses, control = np.asarray(found, np.float64).reshape(-1, 3).T
    return of_figures(name, ALL_OTHERS, codes=codes, truth=truths, guess=guesses, control=control)


def _asked(originals: pl.DataFrame, stated: pl.DataFrame, key: Key, figures: int) -> pl.DataFrame:
    """Return figures of stated cells, one row each, with these `cells`, and the figure of a company as `stand-in`."""
    figure = (CODE, INDUSTRY, PERIOD, "measure", "value")
    inside = originals.join(stated, on=KEYS).filter(pl.col("value") != 0).sort(KEYS)
    drawn = inside.group_by(figure, maintain_order=True).agg(pl.struct(KEYS).alias("cells"))
    drawn = drawn.sort(key.derive("figures").mac(CODE, PERIOD, "measure")).head(figures)
    place = (INDUSTRY, PERIOD, "measure")
    peers = originals.select(*place, pl.col(CODE).alias("peer"), pl.col("value").alias("stand-in")).unique()
    pairs = drawn.join(peers, on=place).filter(pl.col(CODE) != pl.col("peer"))
    chosen = pairs.sort(key.derive("stand-in").mac(CODE, "peer", PERIOD, "measure")).unique(figure, keep="first")
    return chosen.sort(CODE, PERIOD, "measure")

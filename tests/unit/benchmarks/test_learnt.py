"""Attackers on reports and counts find what a planted report gives away, and nothing where it states nothing of originals."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from benchmarks.learnt.__main__ import moved
from benchmarks.learnt.counts import counts
from benchmarks.learnt.equations import RATIOS, statistics
from benchmarks.learnt.guesses import HEADER, NOTHING, Guesses
from benchmarks.learnt.moves import Move, moves
from benchmarks.learnt.others import from_the_others
from benchmarks.learnt.reports import extremes, stated_cells, stranger
from benchmarks.learnt.sides import KEYS, PublishedBuild, cells
from pipeline.keyed import Key
from pipeline.model import PERIOD, Aggregate, Entities, Environment, Measure, Panel
from validation.attacks.adaptive.populations import CODE, INDUSTRY, Population
from validation.distributions.equivalence import as_records, equivalence
from validation.distributions.samples import Samples, ranked_samples
from validation.distributions.shape import Shapes, shapes
from validation.distributions.two_sample import compare_distributions, ks_report

KEY = Key(b"k" * 32)
GROUP = "group"
MEASURES = tuple(Measure(name=name, unit="USD", decimals=0) for name in ("revenue", "assets", "debt"))
TOWN = Environment(
    name="town",
    title="A town",
    raw_tables=(),
    entities=Entities(tables=(), code="code", industry="trade", sub_industry=GROUP),
    panel=Panel(tables=(), measures=MEASURES),
    aggregates=(Aggregate(name="trade_aggregates", by=("trade",)),),
    tables=(),
)
LEVELS = {"sub_industry": GROUP, "industry": INDUSTRY}


def town(seed: int) -> Population:
    """Return 96 firms of two trades, in groups of four, with figures of one year."""
    rng = np.random.default_rng(seed)
    codes = [f"firm {place:02}" for place in range(96)]
    values = np.exp(rng.normal(14, 2, (96, 1)) + rng.normal(0, 0.5, (96, 3))).astype(np.int64)
    groups = [f"group {place // 4:02}" for place in range(96)]
    trades = ["bakers" if place < 48 else "smiths" for place in range(96)]
    figures = {CODE: codes, PERIOD: [2020] * 96} | {m.name: values[:, i] for i, m in enumerate(MEASURES)}
    return Population(
        entities=pl.DataFrame({CODE: codes, INDUSTRY: trades, GROUP: groups}), figures=pl.DataFrame(figures)
    )


def reports(compared: Population, release: Population) -> dict[str, Mapping[str, Any]]:
    """Return what the reports of a build state of a population, beside its release."""
    sides = [side.figures.join(side.entities, on=CODE) for side in (compared, release)]
    found = Shapes.merged([shapes(samples) for samples in laid(*sides)])
    tests = compare_distributions(*sides, panel=TOWN.panel, levels=LEVELS)
    return {
        "distributions": equivalence(found, found.labels, is_sampled=True),
        "ks": ks_report(tests.with_columns(can_reject=True), is_sampled=True),
        "consistency": {"aggregates": [worst(compared, release, statistic) for statistic in ("max", "min")]},
    }


def laid(first: pl.DataFrame, second: pl.DataFrame) -> list[Samples]:
    return list(ranked_samples(first, second, measures=MEASURES, levels=LEVELS))


def worst(compared: Population, release: Population, statistic: str) -> dict[str, Any]:
    """Return a comparison of extremes of the bakers' revenue."""
    bakers = pl.col(CODE) < "firm 48"
    then, now = (
        getattr(side.figures.filter(bakers)["revenue"].cast(pl.Float64), statistic)() for side in (compared, release)
    )
    cell = {"trade": "bakers", PERIOD: 2020}
    entry = {"table": "trade_aggregates", "statistic": statistic, "measure": "revenue", "worst_cell": cell}
    return entry | {"max_offset": round((now - then) / then, 3)}


def published(compared: Population) -> PublishedBuild:
    """Return a release whose reports compare it with a population."""
    release = town(2)
    return PublishedBuild(population=release, reports=reports(compared, release))


ORIGINALS = town(1)
TELLING, SILENT = published(ORIGINALS), published(town(3))
"""One's reports state something of the originals, the other's of other firms."""


def share(guesses: Guesses) -> float:
    return float(np.mean(guesses.right))


def test_equations_are_those_of_the_reports() -> None:
    records = pl.DataFrame(as_records(TELLING.reports["distributions"]["samples"]))
    values = [cells(side, TOWN).group_by(KEYS).agg(pl.col("value").sort()) for side in (ORIGINALS, TELLING.population)]
    both = records.join(values[0], on=KEYS).join(values[1], on=KEYS, suffix=" published").filter(n=4)
    sides = [np.asarray(both[name].to_list()) for name in ("value", "value published")]
    found = statistics(*sides)
    assert both.height == 72
    for name in RATIOS:
        np.testing.assert_allclose(found[name], both[name].to_numpy(), atol=0.0101, err_msg=name)


def test_a_stranger_solves_small_cells() -> None:
    found, _ = stranger(cells(ORIGINALS, TOWN), [stated_cells(TELLING, TOWN)])
    assert len(found.codes) == 288
    assert share(found) > 0.9
    assert float(np.mean(found.control)) < 0.2


def test_a_stranger_finds_nothing_where_nothing_is_stated_of_originals() -> None:
    found, _ = stranger(cells(ORIGINALS, TOWN), [stated_cells(SILENT, TOWN)])
    assert share(found) < 0.2


def test_two_releases_are_solved_as_one() -> None:
    there = cells(ORIGINALS, TOWN)
    second = PublishedBuild(population=town(4), reports=reports(ORIGINALS, town(4)))
    stated = [stated_cells(each, TOWN) for each in (TELLING, second)]
    nearly = [stranger(there, stated[:number])[0].near for number in (1, 2)]
    assert nearly[0] is not None
    assert nearly[1] is not None
    assert nearly[1].mean() > nearly[0].mean()


def test_who_has_all_others_solves_for_the_one_that_is_missing() -> None:
    found = from_the_others(cells(ORIGINALS, TOWN), [stated_cells(TELLING, TOWN)], KEY, figures=40)
    assert [len(each.codes) for each in found] == [40] * 3
    assert share(found[0]) > 0.9
    assert share(found[1]) > 0.5
    assert float(np.mean(found[0].control)) < 0.2


def test_who_has_all_others_finds_nothing_where_nothing_is_stated_of_originals() -> None:
    found = from_the_others(cells(ORIGINALS, TOWN), [stated_cells(SILENT, TOWN)], KEY, figures=40)
    assert share(found[0]) < 0.25


@pytest.mark.parametrize("statistic", ["max", "min"])
@pytest.mark.parametrize(("seen", "right"), [(TELLING, 1.0), (SILENT, 0.0)])
def test_an_extreme_is_what_was_published_without_its_offset(
    seen: PublishedBuild, right: float, statistic: str
) -> None:
    (found,) = extremes(TOWN, ORIGINALS, [seen], statistic)
    assert found.right.tolist() == [right]


def test_reports_that_hold_nothing_give_rows_that_say_so() -> None:
    silent = PublishedBuild(population=town(2), reports={"distributions": {}, "ks": {}, "consistency": {}})
    there, stated = cells(ORIGINALS, TOWN), [stated_cells(silent, TOWN)]
    found = [
        *stranger(there, stated),
        *from_the_others(there, stated, KEY),
        *extremes(TOWN, ORIGINALS, [silent], "max"),
    ]
    assert [(len(each.row), each.row[3]) for each in found] == [(len(HEADER), NOTHING)] * 6


def answering(answers: list[str], revenue: list[int]) -> Population:
    """Return firms of one trade with an attribute and a figure."""
    codes = [f"firm {place:02}" for place in range(len(answers))]
    figures = {CODE: codes, PERIOD: [2020] * len(codes), "revenue": revenue}
    return Population(
        entities=pl.DataFrame({CODE: codes, INDUSTRY: ["bakers"] * len(codes), "state": answers}),
        figures=pl.DataFrame(figures),
    )


STATES, REVENUE = ["Ohio", "Iowa", "Utah", "Utah"] * 5, [-5, 0, 3, 4] * 5


def test_exact_counts_tell_what_the_others_leave() -> None:
    originals = answering(STATES, REVENUE)
    found = {
        each.attack: share(each)
        for each in counts(originals, answering(STATES[::-1], REVENUE[::-1]))
        if len(each.codes)
    }
    assert found == {"state of a company": 1.0, "a figure is a loss": 1.0, "a figure is zero": 1.0}


def test_counts_of_other_companies_tell_nothing() -> None:
    others = answering(["Utah"] * 16 + ["Iowa"] * 4, [7] * 20)
    for each in counts(answering(STATES, REVENUE), others):
        if len(each.codes):
            assert float(np.sum(each.right)) <= float(np.sum(each.control)), each.attack


def test_a_column_that_is_not_published_is_not_asked_for() -> None:
    blank = answering(STATES, REVENUE)
    blank = Population(entities=blank.entities.with_columns(state=pl.lit(None, pl.String)), figures=blank.figures)
    assert counts(answering(STATES, REVENUE), blank)[0].row[3] == NOTHING


def test_every_number_that_moves_is_named(tmp_path: Path) -> None:
    for name, mean, cell in (("first", 1.5, "2"), ("second", 1.6, "3")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "report.json").write_text(json.dumps({"n": 4, "cells": [{"mean": 1}, {"mean": mean}]}))
        (tmp_path / name / "table.csv").write_text(f"id,value\n1,{cell}\n2,5\n")
        (tmp_path / name / "same.txt").write_text("nothing new\n")
    (tmp_path / "first/only.txt").write_text("gone\n")
    assert moves(tmp_path / "first", tmp_path / "second") == [
        Move("only.txt", "0", "gone", ""),
        Move("report.json", "cells/1/mean", "1.5", "1.6"),
        Move("table.csv", "0/value", "2", "3"),
    ]


def test_moved_numbers_are_counted_by_variant_and_file(tmp_path: Path) -> None:
    for name, values in (("first", [1, 2, 3]), ("second", [1, 5, 6])):
        for variant in ("noisy", "clean"):
            (tmp_path / name / variant).mkdir(parents=True)
            (tmp_path / name / variant / "ks.json").write_text(json.dumps(values if variant == "clean" else [7]))
    assert moved(tmp_path / "first", tmp_path / "second") == [("clean/ks.json", "2")]


def test_a_row_tells_the_gain_over_the_control() -> None:
    codes = [f"firm {place}" for place in range(100)]
    right, control = (np.asarray([1.0] * count + [0.0] * (100 - count)) for count in (60, 20))
    row = Guesses(attack="a", knowledge="b", codes=codes, right=right, control=control).row
    # 40 of 100 differences are 1: a standard error of sqrt(0.4 * 0.6 / 100), times 1.645
    assert row == ("a", "b", "100", "60.0 %", "", "20.0 %", "+40.0", "+48.1")

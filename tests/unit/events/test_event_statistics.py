"""What passes from original events: each statistic moves by its sensitivity at most, and nothing but statistics enters."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
import polars as pl
import pytest

from anonymize.synthesis import Synthesis, synthesise
from anonymize.synthesis.account import BudgetAccount, NoisedStatistic
from anonymize.synthesis.cube import Floats
from anonymize.tables import original_figures
from pipeline.conform import conform
from pipeline.keyed import Key
from pipeline.model import Environment, Panel
from tests.unit.events.lines import lines, write_lines
from tests.unit.events.lines_declared import LINES

KEY = Key(b"e" * 32)
ALONE = replace(
    LINES,
    raw_tables=tuple(
        replace(
            table,
            columns=tuple(
                replace(column, allowed=("car", "foot", "freight"), nullable=True) if column.name == "class" else column
                for column in table.columns
            ),
        )
        for table in LINES.raw_tables
        if table.name != "annual"
    ),
    panel=Panel(),
    tables=(),
    views=None,
)
"""Sailings without a panel, so that their years are a statistic, too; the classes are known to everybody."""

COMPANY = "L007"
HUGE, SMALL = 10**17, -(10**17)


@cache
def originals() -> dict[str, pl.DataFrame]:
    """Return conformed tables of sixty companies; every tenth row is empty but for its time."""
    with TemporaryDirectory() as folder:
        tables = conform(LINES.raw_tables, write_lines(Path(folder), lines(60)), kinds=LINES.kinds).frames
    figures = pl.when(pl.int_range(pl.len()) % 10 > 0).then(pl.col("passengers", "fare", "takings", "landed"))
    return {"companies": tables["companies"], "sailings": tables["sailings"].with_columns(figures)}


def own(rows: int, **columns: pl.Expr) -> pl.DataFrame:
    """Return so many sailings of the company, with some columns changed."""
    first = originals()["sailings"].filter(pl.col("company") == COMPANY)
    several = first[[place % first.height for place in range(rows)]]
    numbers = pl.format("X{}", pl.int_range(pl.len())).alias("voucher")
    return several.with_columns(numbers, **columns).cast(dict(first.schema))


def at(text: str) -> pl.Expr:
    """Return a time."""
    return pl.lit(text).str.to_datetime("%Y-%m-%dT%H:%M:%S")


FIGURES = ("passengers", "fare", "takings")
REPLACED = {
    "none": own(0),
    "one": own(1),
    "many": own(3_000),
    "huge": own(400, **dict.fromkeys(FIGURES, pl.lit(HUGE))),
    "negative": own(400, **dict.fromkeys(FIGURES, pl.lit(SMALL))),
    "zero": own(7, **dict.fromkeys(FIGURES, pl.lit(0))),
    "alternating": own(
        150, **{name: pl.when(pl.int_range(pl.len()) % 2 == 0).then(HUGE).otherwise(SMALL) for name in FIGURES}
    ),
    "empty": own(30, **dict.fromkeys((*FIGURES, "landed"), pl.lit(None))),
    "broken": own(30, takings=pl.col("takings").fill_null(1) + 1_000_000),
    "long ago": own(50, sailed=at("1901-01-01T00:00:00"), landed=at("2099-12-31T23:59:59")),
    "every year": own(
        150,
        sailed=pl.datetime(1900 + pl.int_range(pl.len()), 6, 1),
        landed=pl.datetime(1900 + pl.int_range(pl.len()), 5, 1),
    ),
    "one class": own(40, **{"class": pl.lit("freight")}),
    "no class": own(40, **{"class": pl.lit(None)}),
}
"""What the company could have instead of its rows."""


class Seen:
    """The sums that pass, and what is answered: the first time noise, then always the same."""

    def __init__(self) -> None:
        self.totals: dict[str, Floats] = {}
        self.sensitivities: dict[str, float] = {}
        self.answers: dict[str, NoisedStatistic] = {}

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Answer whatever is asked of an account meanwhile."""
        asked = BudgetAccount.noised

        def noised(
            account: BudgetAccount, statistic: str, total: Floats, *, sensitivity: float, rho: float
        ) -> NoisedStatistic:
            self.totals[statistic], self.sensitivities[statistic] = total, sensitivity
            if statistic not in self.answers:
                self.answers[statistic] = asked(account, statistic, total, sensitivity=sensitivity, rho=rho)
            return self.answers[statistic]

        with patch.object(BudgetAccount, "noised", noised):
            yield


def released(environment: Environment, sailings: pl.DataFrame, budget: float) -> Synthesis:
    """Sample the sailings."""
    tables = {"companies": originals()["companies"], "sailings": sailings}
    return synthesise(environment, tables, original_figures(environment, tables), KEY, budget=budget)


@pytest.fixture(scope="module", params=[2.0, 20.0, 1e6])
def seen(request: pytest.FixtureRequest) -> tuple[Seen, dict[str, Floats], Synthesis, float]:
    """Return what passes of the originals, under a budget, and what is sampled."""
    found = Seen()
    with found.watching():
        sampled = released(ALONE, originals()["sailings"], request.param)
    return found, dict(found.totals), sampled, request.param


@pytest.mark.parametrize("case", REPLACED)
def test_no_statistic_moves_by_more_than_its_sensitivity(
    seen: tuple[Seen, dict[str, Floats], Synthesis, float], case: str
) -> None:
    """Each sum moves by what the account says at most, whatever a company's rows are; told alike, sums give the same bytes.

    Statistics that stand on earlier ones are asked on the scale that these made.
    """
    found, before, sampled, budget = seen
    others = originals()["sailings"].filter(pl.col("company") != COMPANY)
    with found.watching():
        again = released(ALONE, pl.concat([others, REPLACED[case]]), budget)
    assert len(before) > 15
    for statistic, total in before.items():
        moved = float(np.linalg.norm(found.totals[statistic] - total))
        assert moved <= found.sensitivities[statistic] * (1 + 1e-9), statistic
    assert again.events["sailings"].rows.equals(sampled.events["sailings"].rows)
    assert again.events["sailings"].described == sampled.events["sailings"].described
    assert again.events["sailings"].holding == sampled.events["sailings"].holding


def test_sums_do_move(seen: tuple[Seen, dict[str, Floats], Synthesis, float]) -> None:
    """What is compared above is not always the same: some company of another kind moves most statistics."""
    found, before, _, budget = seen
    others = originals()["sailings"].filter(pl.col("company") != COMPANY)
    moved = set()
    for case in REPLACED.values():
        with found.watching():
            released(ALONE, pl.concat([others, case]), budget)
        moved |= {name for name, total in before.items() if np.linalg.norm(found.totals[name] - total) > 0}
    assert len(moved) >= len(before) - 2

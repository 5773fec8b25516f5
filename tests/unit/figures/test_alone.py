"""Figures that are alone in their period do not come out as they were: mechanism, attack, and what `silt init` declares."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from anonymize.figures import perturb_figures
from anonymize.policy import LSD
from pipeline.errors import InputError
from pipeline.guess.declared import guess
from pipeline.keyed import Key
from pipeline.model import PERIOD, Measure, Panel
from silt.commands.check.columns import described
from silt.commands.init.alone import with_what_may_stay
from silt.commands.init.writing import declaration
from tests.unit.guess.folders import write
from validation.attacks.limits import COPIES, judged
from validation.attacks.records.alone import alone_in_period

NAMES = ("rate", "staff", "sites")
PAPER = Panel(tables=("books",), measures=tuple(Measure(name=name, unit="") for name in NAMES))
PANEL = replace(PAPER, may_stay=frozenset())
FIGURES = st.none() | st.integers(-9, 60)
ROWS = st.lists(st.tuples(st.integers(0, 1), FIGURES, FIGURES, FIGURES), min_size=1, max_size=40)
Row = tuple[int, int | None, int | None, int | None]


def books(rows: list[Row]) -> pl.DataFrame:
    """Return rows of a period and three figures as a panel in which each row is another firm's."""
    schema = {PERIOD: pl.Int64, **dict.fromkeys(NAMES, pl.Int64)}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.select(pl.int_range(pl.len()).cast(pl.String).alias("firm"), pl.all())


def published(originals: pl.DataFrame, panel: Panel = PANEL, key: int = 0) -> pl.DataFrame:
    return perturb_figures(originals, panel, code="firm", key=Key(bytes([key] * 32)))


def found(originals: pl.DataFrame, released: pl.DataFrame, names: tuple[str, ...]) -> list[int]:
    """Return the rows that are alone in their period by some figures and have them still, counted row by row."""
    sides = [frame.select(PERIOD, *names).rows() for frame in (originals, released)]
    count = Counter(sides[0])
    return [
        place
        for place, (was, now) in enumerate(zip(*sides, strict=True))
        if count[was] == 1 and was == now and any(figure is not None for figure in was[1:])
    ]


@given(ROWS)
def test_nobody_is_found_by_one_figure_or_two(rows: list[Row]) -> None:
    """Of what is left, each figure is 0 or null; the attack counts the same rows as a plain loop does."""
    originals = books(rows)
    released, counts = published(originals), []
    for names in (each for size in (1, 2) for each in combinations(NAMES, size)):
        left = found(originals, released, names)
        assert all(not figure for place in left for figure in originals.select(names).row(place))
        counts.append(len(left))
    (attack,) = alone_in_period(originals, released, PANEL)
    assert (attack.successes, attack.records) == (max(counts), len(rows))


@given(ROWS, st.integers(0, 3))
def test_what_moves_moves_by_one(rows: list[Row], key: int) -> None:
    """And stays in sign and range: null, 0 and what the paper's mechanism changed are as that mechanism leaves them."""
    originals = books(rows)
    plain, moved = published(originals, PAPER, key), published(originals, key=key)
    for name in NAMES:
        for was, before, after in zip(originals[name], plain[name], moved[name], strict=True):
            assert after == before or (before == was and abs(after - was) == 1 and after * was > 0)
            if after != before and abs(was) > 1 and originals[name].drop_nulls().n_unique() > 1:
                assert originals[name].min() <= after <= originals[name].max()
    assert published(originals, replace(PANEL, may_stay=frozenset(NAMES)), key).equals(plain)


@given(st.lists(st.integers(1, 60), min_size=2, max_size=40), st.integers(0, 3))
def test_distributions_differ_by_one_figure_at_most(figures: list[int], key: int) -> None:
    """Whatever the key: two figures that are alone cannot cross a value to the same side."""
    originals = books([(0, figure, None, None) for figure in figures])
    moved = published(originals, key=key)["rate"]
    distance = scipy.stats.ks_2samp(originals["rate"].to_numpy(), moved.to_numpy(), method="asymp").statistic
    assert distance <= 1 / len(figures) + 1e-9


def test_both_steps_are_drawn() -> None:
    """Nobody knows from a figure alone which way it went."""
    originals = books([(0, 2 * number, None, None) for number in range(1, 400)])
    ups = (published(originals)["rate"] > originals["rate"]).sum()
    assert scipy.stats.binomtest(ups, 399).pvalue > 1e-3


def test_more_than_a_hundredth_refuses_a_build_but_for_what_is_named() -> None:
    """Reports say what a declaration allows by name; where it says nothing, the paper's mechanism is alone and unlimited."""
    originals = books([(0, number, 5, 5) for number in range(10, 50)])
    (attack,) = alone_in_period(originals, originals, PANEL)
    (entry,) = judged({COPIES: [attack]}, LSD)
    assert (attack.successes, entry["passed"]) == (40, False)
    (allowed,) = alone_in_period(originals, originals, replace(PANEL, may_stay=frozenset(("rate",))))
    assert (allowed.successes, allowed.detail) == (0, "May stay as they were, as declared: rate.")
    assert not list(alone_in_period(originals, originals, PAPER))
    with pytest.raises(InputError, match="`may_stay` of the panel names rates: none of its measures"):
        replace(PANEL, may_stay=frozenset(("rates",)))


@pytest.mark.parametrize(("least", "stays"), [(3, set()), (0, {"open"})])
def test_a_guess_names_what_cannot_be_moved(least: int, stays: set[str], tmp_path: Path) -> None:
    """A nought that one firm of ten has each year stays one; other short figures move, and none has to be named."""
    rows = [
        f"F{firm},{year},{firm + least},{(firm * 7 + year) % 4}\n" for firm in range(10) for year in range(2010, 2020)
    ]
    guessed = guess(write(tmp_path / "firms", {"books": "firm,year,open,shared\n" + "".join(rows)}))
    assert guessed is not None
    allowing = with_what_may_stay(guessed)
    assert allowing.panel.may_stay == stays
    text = declaration(allowing, "firms")
    lines = map(str, described(allowing.environment(), tmp_path / "firms", policy=LSD, with_cells=False))
    said = {line for line in lines if line.endswith("; may stay as it was, as declared")}
    assert {line.split(":")[0] for line in said} == {f"books.{name}" for name in stays}
    assert f"may_stay=frozenset({'(' + repr(*stays) + ',)' if stays else ''})".replace("'", '"') in text
    assert ("# ? 'open' may stay: about 10.0% of the records" in text) == bool(stays)

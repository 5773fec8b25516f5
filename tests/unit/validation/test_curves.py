"""Curves show a distribution and no company: what an attacker reads off them, he had read off the release."""

import json

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.model import Measure
from validation.distributions.curves import COMPANIES, DIGITS, POINTS, coarse, curves, curves_json, curves_of
from validation.distributions.samples import Samples, paired_samples

MEASURES = (Measure(name="revenue", unit="EUR", decimals=2),)
LEVELS = {"industry": "sector"}


def samples(*sizes: int) -> Samples:
    """Return samples of log-normal figures and the same with digit noise that keeps three digits."""
    sectors = np.repeat(np.arange(len(sizes)), sizes)
    before = np.random.default_rng(1).lognormal(18, 2, sectors.size)
    [found] = paired_samples(
        panel(before, sectors), panel(perturbed(before), sectors), measures=MEASURES, levels=LEVELS
    )
    return found


def panel(figures: npt.NDArray[np.float64], sectors: npt.NDArray[np.int64]) -> pl.DataFrame:
    return pl.DataFrame({"year": 2022, "sector": sectors, "revenue": np.round(figures * 100).astype(np.int64)})


def perturbed(figures: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Redraw everything after the third significant digit."""
    quantum = 10.0 ** (np.floor(np.log10(figures)) - 2)
    return np.floor(figures / quantum) * quantum + np.random.default_rng(2).uniform(0, 1, figures.size) * quantum


def named_figures(
    told: npt.NDArray[np.float64], published: npt.NDArray[np.float64], originals: npt.NDArray[np.float64]
) -> float:
    """Attack: take the told point next to each published figure for its original; return how often that is it.

    A figure is taken to be found if it is right to one part in 100,000, a hundred times closer than the release tells it.
    """
    nearest = told[np.abs(np.log(told)[:, None] - np.log(published)).argmin(axis=0)]
    return float(np.mean(np.abs(nearest / originals - 1) < 1e-5))


def test_curves_tell_no_figure_that_the_release_does_not() -> None:
    """Originals are found by the curves as often as by chance; by curves of single figures nearly all of them are."""
    rng = np.random.default_rng(3)
    originals = rng.lognormal(18, 2, 300)
    published = perturbed(originals)
    sectors = np.zeros(300, dtype=np.int64)
    [both] = paired_samples(panel(originals, sectors), panel(published, sectors), measures=MEASURES, levels=LEVELS)
    told = [x for curve in curves(curves_of(both), both.labels)["curves"][0] for x in curve if x is not None]
    assert named_figures(np.sort(originals), published, originals) > 0.8
    assert named_figures(np.array(told), published, originals) <= named_figures(published, published, originals) + 0.01


@pytest.mark.parametrize("size", [15, 44, 45, 46, 100, 333])
def test_each_point_is_the_mean_of_at_least_five(size: int) -> None:
    """Points are the means of equal blocks of the sorted figures, told in the unit; no block is smaller than five."""
    both = samples(size)
    found = curves(curves_of(both), both.labels)
    count = next(points for points in POINTS if size >= points * COMPANIES)
    logs = np.sort(both.original)
    blocks = [[logs[i] for i in range(size) if i * count // size == k] for k in range(count)]
    assert min(map(len, blocks)) >= COMPANIES
    told = {p: x for p, x in zip(found["probabilities"], found["curves"][0][0], strict=True) if x is not None}
    assert list(told) == pytest.approx([(k + 0.5) / count for k in range(count)], abs=1e-4)
    assert list(told.values()) == pytest.approx([np.expm1(np.mean(block)) for block in blocks], rel=0.051)


def test_small_samples_have_no_curve() -> None:
    """Fewer companies than the fewest points need: None, in the test's place."""
    both = samples(14, 15, 3)
    assert [pair is None for pair in curves(curves_of(both), both.labels)["curves"]] == [True, False, True]


def test_the_smaller_side_decides() -> None:
    """Where the release lost so many figures that no point may stand for them, there is no curve of the originals either."""
    before = panel(np.arange(1.0, 21), np.zeros(20, dtype=np.int64))
    after = before.with_columns(pl.when(pl.int_range(pl.len()) < min(POINTS) * COMPANIES - 1).then("revenue"))
    [both] = paired_samples(before, after, measures=MEASURES, levels=LEVELS)
    assert curves(curves_of(both), both.labels)["curves"] == [None] * both.labels.height


def test_curves_follow_the_tests_they_are_asked_for() -> None:
    """They stand in the order of the tests, not of the samples."""
    both = samples(20, 60)
    forth, back = (curves(curves_of(both), tests)["curves"] for tests in (both.labels, both.labels.reverse()))
    assert forth == back[::-1]
    assert forth[0] != forth[1]


def test_a_moved_distribution_shows() -> None:
    """A side that is three times as large has a curve that is, at every point."""
    sectors = np.zeros(90, dtype=np.int64)
    figures = np.random.default_rng(1).lognormal(18, 2, 90)
    [both] = paired_samples(panel(figures, sectors), panel(3 * figures, sectors), measures=MEASURES, levels=LEVELS)
    first, second = curves(curves_of(both), both.labels)["curves"][0]
    assert np.array(second) / np.array(first) == pytest.approx(np.full(9, 3.0), rel=0.11)


@given(st.floats(-1e17, 1e17, allow_subnormal=False))
def test_two_digits_are_left(value: float) -> None:
    """A told number has two significant digits, and is within half of the second."""
    found = coarse(np.array([value]))[0]
    assert float(f"{found:.{DIGITS - 1}e}") == pytest.approx(found, rel=1e-12)
    assert found == pytest.approx(value, rel=0.051, abs=1e-12)


def test_json_reads_back() -> None:
    """The short spelling says the same numbers."""
    both = samples(10, 50, 200)
    found = curves(curves_of(both), both.labels)
    assert json.loads(curves_json(found)) == found

"""The linkage attack succeeds where it must and fails where it must, and finds on real companies what the design says."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from anonymize.figures import perturb_figures
from anonymize.tables import original_figures
from pipeline.conform import conform
from pipeline.environment.model import PERIOD, Measure, Panel
from pipeline.environment.us_listed import CODE, SECTOR, US_LISTED
from pipeline.keyed import Key
from validation.attacks import Attack
from validation.attacks.linkage import nearest_neighbour_linkage

KEY = Key(b"k" * 32)
SEVEN = (
    "Total Revenue",
    "Total Assets",
    "Net Income",
    "Operating Income",
    "Gross Profit",
    "Research and Development",
    "Total Liabilities",
)


def firms(values: list[int]) -> pl.DataFrame:
    return pl.DataFrame({"industry": "a", "year": 2022, "revenue": values}, schema_overrides={"year": pl.Int64})


def linked(originals: pl.DataFrame, published: pl.DataFrame) -> Attack:
    return nearest_neighbour_linkage(originals, published, group="industry", year=2022, measures=["revenue"])


def test_unchanged_figures_link_everybody() -> None:
    """Published as they are, figures name every company."""
    found = linked(firms([10, 200, 3_000]), firms([10, 200, 3_000]))
    assert (found.records, found.successes) == (3, 3)


def test_exchanged_figures_link_nobody() -> None:
    """Where each company carries another's figures, the attack names the wrong one every time."""
    assert linked(firms([10, 200, 3_000]), firms([200, 3_000, 10])).successes == 0


def test_other_years_and_groups_are_no_candidates() -> None:
    """An original of another year or industry is not looked at, so it cannot draw the link away."""
    originals = firms([10, 200, 11]).with_columns(year=pl.Series([2022, 2022, 2021]))
    published = firms([11, 200, 11]).with_columns(year=pl.Series([2022, 2022, 2021]))
    assert linked(originals, published).successes == 2


def test_what_is_not_reported_is_like_what_is_not_reported() -> None:
    """A pattern of gaps that is kept links as well as a figure."""
    gaps = pl.DataFrame({"industry": ["a"] * 2, "year": [2022] * 2, "revenue": [None, 5]})
    assert linked(gaps, gaps).successes == 2


@given(st.integers(0, 300), st.integers(1, 300))
def test_the_bound_is_clopper_and_pearsons(successes: int, more: int) -> None:
    """The upper bound equals scipy's exact one-sided interval."""
    attack = Attack(attack="a", knowledge="k", records=successes + more, successes=successes)
    exact = binomtest(successes, successes + more, alternative="less").proportion_ci(0.95, method="exact")
    assert attack.upper_95 == pytest.approx(exact.high, abs=1e-9)


@pytest.mark.real
@pytest.mark.parametrize(
    ("digits", "measures", "expected"),
    [(3, SEVEN[:1], 0.94), (3, SEVEN, 0.99), (1, SEVEN, 0.93)],
    ids=["one", "seven", "digit"],
)
def test_digit_noise_hides_no_real_company(
    real_tables: Path, digits: int, measures: tuple[str, ...], expected: float
) -> None:
    """On 436 real companies of 2014 the attack finds the shares that the design measured, within 3 points."""
    conformed = conform(US_LISTED.raw_tables, real_tables / "us_listed").frames
    originals = original_figures(US_LISTED, conformed)
    panel = Panel(
        tables=US_LISTED.panel.tables,
        measures=tuple(
            Measure(name=m.name, unit=m.unit, decimals=m.decimals, significant_digits=digits)
            for m in US_LISTED.panel.measures
        ),
    )
    sectors = dict(conformed["securities"].select(CODE, SECTOR).iter_rows())
    # The design counts periods that end in 2014; the fiscal year adds nine that end in the first week of 2015.
    is_counted = conformed["fundamentals"].sort(CODE, PERIOD)["Period Ending"].dt.year() == 2014
    sides = [
        figures.filter(is_counted).with_columns(pl.col(CODE).replace_strict(sectors).alias(SECTOR), year=pl.lit(2014))
        for figures in (originals, perturb_figures(originals, panel, code=CODE, key=KEY))
    ]
    found = nearest_neighbour_linkage(*sides, group=SECTOR, year=2014, measures=measures)
    assert found.records == 436
    assert abs(found.rate - expected) <= 0.03, found

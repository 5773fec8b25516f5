"""What the curator is told of the model: all of it, as JSON takes it, and nothing that is one firm's."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest

from anonymize.synthesis.model import Model
from pipeline.model import PERIOD
from tests.unit.synthesis.yards import KEY, MEASURES, YARDS, YEARS, originals, released


@pytest.fixture(scope="module")
def model() -> Model:
    """Return the model of 200 yards."""
    return released(originals(200))[0].model


@pytest.fixture(scope="module")
def told(model: Model) -> dict[str, Any]:
    """Return the model as it is written down."""
    described: dict[str, Any] = json.loads(json.dumps(model.described(YARDS.panel), allow_nan=False))
    return described


def numbers_in(value: object) -> Iterator[float]:
    """Return every number in a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from numbers_in(each)
    elif isinstance(value, int | float):
        yield float(value)


def test_every_number_is_told(model: Model, told: dict[str, Any]) -> None:
    """As many numbers are listed as the model says that it has."""
    stated = model.numbers()
    for kind in ("levels", "growth", "shares"):
        rows = [{k: v for k, v in row.items() if k != "year"} for row in told["distributions"] if row["of"] == kind]
        assert sum(1 for _ in numbers_in(rows)) == stated[kind] > 0 or (kind == "shares" and not rows)
    assert len(told["states"]) == stated["states"] > 0
    total, yearly = len(told["columns"]), len(told["correlations_with_next_year"][0])
    assert stated["correlations"] == total * (total - 1) // 2 + total * yearly
    assert sum(1 for _ in numbers_in(told["effects"])) == stated["effects"] > 0
    assert len(told["decimals"]) == stated["decimals"] == len(MEASURES)


def test_correlations_are_those_of_the_model(model: Model, told: dict[str, Any]) -> None:
    """Matrices are told to three decimals, with as many rows as columns are named."""
    assert np.allclose(told["correlations"], model.dependence.now, atol=5.1e-4)
    assert len(told["columns"]) == len(told["correlations"]) == len(told["correlations_with_next_year"])


def test_no_code_or_name_is_told(told: dict[str, Any]) -> None:
    """Neither codes nor names of firms stand anywhere."""
    mills, text = originals(200)["mills"], json.dumps(told)
    assert not [code for code in (*mills["mill"], *mills["name"]) if f'"{code}' in text]


def test_figures_have_two_digits(told: dict[str, Any]) -> None:
    """Means and tops have two significant digits: no original with more can stand there."""
    for row in told["distributions"]:
        for side in ("below_zero", "above_zero"):
            for number in (*row.get(side, {}).get("means", []), row.get(side, {}).get("top", 1.0)):
                assert float(f"{number:.1e}") == pytest.approx(number, rel=1e-12)


def test_originals_are_met_to_three_digits_as_often_as_others(told: dict[str, Any]) -> None:
    """Originals of three digits or more stand in the model as often as figures moved by up to 3 % (n = 3,000 of each)."""
    rng = np.random.default_rng(0)
    values = originals(200)["accounts"].select("sales", "cost", "gift").to_numpy().ravel().astype(float)
    values = values[np.abs(values) >= 100]
    listed = {f"{number:.2e}" for number in numbers_in(told["distributions"])}
    hits = [
        sum(f"{value:.2e}" in listed for value in sample)
        for sample in (values, *(values * rng.uniform(0.97, 1.03, len(values)) for _ in range(4)))
    ]
    expected = np.mean(hits[1:])
    assert hits[0] <= expected + 4 * np.sqrt(expected * 1.25) + 1


def test_noise_is_keyed_and_the_same_in_every_year() -> None:
    """One key gives one model, another another; a distribution that is the same in all years stays the same in all."""
    tables = originals(100)
    last = tables["accounts"].filter(pl.col(PERIOD) == YEARS[-1])
    tables["accounts"] = pl.concat([last.with_columns(pl.lit(year, pl.Int64).alias(PERIOD)) for year in YEARS])
    model = released(tables)[0].model
    first, again, other = (model.noised(key) for key in (KEY, KEY, KEY.derive("another")))
    assert first.levels == again.levels
    assert first.levels != other.levels
    for pool, year, place in first.levels:
        assert model.levels[pool, year, place] == model.levels[pool, 0, place]
        assert first.levels[pool, year, place] == first.levels[pool, 0, place]

"""Samples of companies: who is drawn depends on the key alone, and what is found in them holds for all."""

import math
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.keyed import Key
from pipeline.model import PERIOD, Measure, Panel
from validation import drawn as sampling
from validation.attacks.records.linkage import GAPS, TARGET, linkage_attacks
from validation.distributions.two_sample import compare_distributions
from validation.drawn import drawn

KEY = Key(b"k" * 32)
MEASURES = ("revenue", "assets")


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return what lowers the limit."""
    return lambda most: monkeypatch.setattr(sampling, "MOST", most)


def companies(sizes: dict[str | None, int]) -> pl.DataFrame:
    rows = [(f"{industry}{i}", industry) for industry, size in sizes.items() for i in range(size)]
    return pl.DataFrame(rows, schema={"code": pl.String, "industry": pl.String}, orient="row")


def codes(frame: pl.DataFrame, key: Key = KEY) -> set[str]:
    some = drawn(frame, code="code", industry="industry", key=key)
    return set(frame["code"] if some is None else some.codes)


def test_each_industry_gives_the_same_share(few: Callable[[int], None]) -> None:
    """Rounded up, those of no industry among them; where there are no more than the limit, all are looked at."""
    frame = companies({"a": 60, "b": 30, "c": 1, None: 9})
    few(100)
    assert drawn(frame, code="code", industry="industry", key=KEY) is None
    few(20)
    some = drawn(frame, code="code", industry="industry", key=KEY)
    assert some is not None
    counts = dict(frame.filter(some.has("code")).group_by("industry").len().iter_rows())
    assert counts == {"a": 12, "b": 6, "c": 1, None: 2}
    assert some.published() == {"drawn": {"companies": 21, "of": 100}}


@given(st.permutations(range(40)), st.integers(1, 20))
def test_nothing_but_the_key_decides_who_is_drawn(order: list[int], most: int) -> None:
    """Not the order of rows; and who is drawn of few is drawn of more."""
    frame = companies({"a": 25, "b": 15})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "MOST", most)
        first = codes(frame)
        assert codes(frame[order]) == first
        patch.setattr(sampling, "MOST", most + 1)
        assert first <= codes(frame)
        patch.setattr(sampling, "MOST", 20)
        assert codes(frame) != codes(frame, Key(b"x" * 32))


# --- attackers -----------------------------------------------------------------------------------------------------------


def panel(firms: int, *, noise: float, seed: int = 5) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the figures of firms of three industries in two years, and the same with noise."""
    rng = np.random.default_rng(seed)
    logs = np.repeat(rng.normal(12, 1, (firms, 1, 2)), 2, axis=1) + rng.normal(0, 0.2, (firms, 2, 2))
    sides = (logs, logs + rng.normal(0, noise, logs.shape))
    frame = pl.DataFrame(
        {
            "code": [f"firm {i}" for i in range(firms) for _ in range(2)],
            "industry": ["aab"[i % 3] if i % 7 else "c" for i in range(firms) for _ in range(2)],
            PERIOD: [2021, 2022] * firms,
        }
    )
    then, now = (
        frame.with_columns(
            pl.Series(name, np.exp(side[:, :, at]).ravel().astype(np.int64)) for at, name in enumerate(MEASURES)
        )
        for side in sides
    )
    return then, now


def attacked(then: pl.DataFrame, now: pl.DataFrame) -> dict[str, tuple[int, int, float, float]]:
    found = linkage_attacks(then, now, entity="code", group="industry", measures=MEASURES, known=[MEASURES], named=str)
    return {each.attack: (each.records, each.successes, each.records * each.chance, each.upper_95) for each in found}


def test_fewer_targets_are_attacked_as_hard_as_all() -> None:
    """Every original is a candidate for each: what is found of some and of the others is what is found of all."""
    then, now = panel(150, noise=0.05)
    some = pl.Series([int(code.split()[1]) % 4 == 0 for code in then["code"]])
    parts = [attacked(then.with_columns(which.alias(TARGET)), now) for which in (some, ~some)]
    for name, (records, successes, chance, _) in attacked(then, now).items():
        first, second = (part[name] for part in parts)
        assert 0 < first[0] < records
        assert (first[0] + second[0], first[1] + second[1]) == (records, successes)
        assert first[2] + second[2] == pytest.approx(chance)


def test_the_bound_of_some_holds_for_all(few: Callable[[int], None]) -> None:
    """Of samples under a hundred keys, at most as many bounds are below the rate among all as 95 % allows."""
    then, now = panel(300, noise=0.1)
    whole = {
        name: successes / records for name, (records, successes, *_) in attacked(then, now).items() if name != GAPS
    }
    few(60)
    missed = dict.fromkeys(whole, 0)
    for number in range(100):
        register = then.select("code", "industry").unique()
        some = drawn(register, code="code", industry="industry", key=KEY.derive(str(number)))
        assert some is not None
        found = attacked(then.with_columns(some.has("code").alias(TARGET)), now)
        for name, rate in whole.items():
            missed[name] += found[name][3] < rate
    assert all(0 < rate < 1 for rate in whole.values())
    assert max(missed.values()) <= 5


# --- distributions -------------------------------------------------------------------------------------------------------


def test_distances_of_some_are_near_those_of_all(few: Callable[[int], None]) -> None:
    """Within what Massart (1990) allows both sides of a sample, at 99.9 % over all tests."""
    then, now = panel(600, noise=0.8)
    measures = Panel(tables=("figures",), measures=tuple(Measure(name=name, unit="yuan") for name in MEASURES))
    few(150)
    some = drawn(then.select("code", "industry").unique(), code="code", industry="industry", key=KEY)
    assert some is not None
    whole, part = (
        compare_distributions(*sides, panel=measures, levels={"industry": "industry"})
        for sides in ((then, now), [side.filter(some.has("code")) for side in (then, now)])
    )
    keys = ["measure", "group", "year"]
    both = whole.join(part, on=keys, suffix="_part")
    assert both.height == whole.height
    for n, distance, of_part in both.select("n_part", "statistic", "statistic_part").iter_rows():
        reach = math.sqrt(math.log(2 * 2 * both.height / 0.001) / (2 * n))
        assert abs(distance - of_part) <= 2 * reach
    assert (both["n_part"] < both["n"] / 3).all()

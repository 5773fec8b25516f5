"""Identities after a mechanism: restored where they held, left alone where they did not."""

from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.figures import perturb_figures
from anonymize.figures.closure import _is_rounded, breaks, close, restore
from pipeline.keyed import Key
from pipeline.model import Difference, Growth, Identity, Measure, Panel, Ratio, Sum, Total
from pipeline.model.identities import stated_by

MEASURES = (
    Measure(name="revenue", unit="元", decimals=2),
    Measure(name="cost", unit="元", decimals=2),
    Measure(name="profit", unit="元", decimals=2),
    Measure(name="margin", unit="%", decimals=2, additive=False),
    Measure(name="growth", unit="%", decimals=2, additive=False),
    Measure(name="margin change", unit="%", decimals=2, additive=False),
)
IDENTITIES: tuple[Identity, ...] = (
    Sum(output="revenue", plus=("cost", "profit")),
    Ratio(output="margin", numerator=("profit",), denominator="revenue"),
    Growth(output="growth", base="revenue"),
    Difference(output="margin change", base="margin"),
)
PANEL = Panel(tables=("t",), measures=MEASURES, identities=IDENTITIES)
AMOUNTS = st.one_of(st.none(), st.integers(-(10**14), 10**14), st.sampled_from([0, 1, -1]))


def half_away(value: Fraction) -> int:
    """Round half away from zero: the slow, obvious version."""
    magnitude = int(abs(value) + Fraction(1, 2))
    return magnitude if value >= 0 else -magnitude


def panel_of(rows: list[tuple[int, int | None, int | None]]) -> pl.DataFrame:
    """Return a panel of one firm whose identities hold, from (year, cost, profit)."""
    frame = pl.DataFrame(rows, schema={"year": pl.Int64, "cost": pl.Int64, "profit": pl.Int64}, orient="row")
    frame = frame.with_columns(
        pl.lit("firm").alias("code"), *(pl.lit(None, pl.Int64).alias(i.output) for i in IDENTITIES)
    )
    for identity in IDENTITIES:
        frame = frame.with_columns(stated_by(identity, PANEL, code="code").alias(identity.output))
    return frame


@given(st.lists(st.tuples(AMOUNTS, AMOUNTS), min_size=1, max_size=6), st.data())
def test_identities_equal_a_slow_oracle(amounts: list[tuple[int | None, int | None]], data: st.DataObject) -> None:
    """Ratio, growth and difference equal exact fractions rounded half away from zero, null where there is no answer."""
    years = data.draw(st.permutations(range(2015, 2015 + len(amounts))))
    rows = {row["year"]: row for row in panel_of([(y, *a) for y, a in zip(years, amounts, strict=True)]).to_dicts()}
    for year, row in rows.items():
        before = rows.get(year - 1, {})
        revenue, profit = row["revenue"], row["profit"]
        assert row["margin"] == (half_away(Fraction(profit * 10**4, revenue)) if revenue else None)
        base = before.get("revenue")
        known = revenue is not None and base
        assert row["growth"] == (half_away(Fraction((revenue - base) * 10**4, abs(base))) if known else None)


@given(st.lists(st.tuples(AMOUNTS, AMOUNTS), min_size=1, max_size=6))
def test_identities_hold_after_perturbing(amounts: list[tuple[int | None, int | None]]) -> None:
    """What held in the originals holds in the perturbed figures, exactly, and no null appears or goes."""
    originals = panel_of([(2015 + i, *a) for i, a in enumerate(amounts)])
    after = perturb_figures(originals, PANEL, code="code", key=Key(b"k" * 32))
    for identity in IDENTITIES:
        residual = (
            after.select(pl.col(identity.output) - stated_by(identity, PANEL, code="code")).to_series().drop_nulls()
        )
        assert residual.to_list() == [0] * len(residual)
        assert after[identity.output].is_null().to_list() == originals[identity.output].is_null().to_list()


def test_a_sum_may_subtract_and_is_rounded_once() -> None:
    """Terms may be subtracted, and terms with more decimals than the output are added before they are rounded."""
    fine = Panel(
        tables=(),
        measures=(
            Measure(name="a", unit="t", decimals=3),
            Measure(name="b", unit="t", decimals=3),
            Measure(name="rest", unit="t"),
        ),
        identities=(Sum(output="rest", plus=("a",), minus=("b",)),),
    )
    rows = pl.DataFrame({"code": ["x", "y"], "year": [2022] * 2, "a": [10_400, 1], "b": [900, 10_400], "rest": [0, 0]})
    assert rows.select(stated_by(fine.identities[0], fine, code="code")).to_series().to_list() == [10, -10]


def test_a_broken_identity_is_not_repaired() -> None:
    """Where the originals contradict themselves, so do the perturbed figures: each figure is its own base."""
    broken = panel_of([(2022, 600_000_000, 400_000_000)]).with_columns(revenue=pl.lit(5_000_000_000, pl.Int64))
    after = perturb_figures(broken, PANEL, code="code", key=Key(b"k" * 32))
    assert str(after["revenue"][0]).startswith("500")


def slowly_closed(rows: list[dict[str, int | bool | None]]) -> list[dict[str, int | None]]:
    """Return the closed rows of one firm, row by row, in exact fractions."""
    closed: dict[int, dict[str, int | None]] = {}
    for row in sorted(rows, key=lambda each: each["year"] or 0):
        now: dict[str, int | None] = {m.name: None if row[f"missing {m.name}"] else row[m.name] for m in MEASURES}
        before = closed.get(int(row["year"] or 0) - 1, {})

        def told(output: str, stated: int | None, row: dict[str, int | bool | None] = row) -> int | None:
            if row[f"missing {output}"]:
                return None
            return row[output] if row[f"broken {output}"] and row[output] is not None else stated

        cost, profit = now["cost"], now["profit"]
        now["revenue"] = told("revenue", None if cost is None or profit is None else cost + profit)
        revenue, base = now["revenue"], before.get("revenue")
        ratio = half_away(Fraction(profit * 10**4, revenue)) if revenue and profit is not None else None
        now["margin"] = told("margin", ratio)
        grown = half_away(Fraction((revenue - base) * 10**4, abs(base))) if base and revenue is not None else None
        now["growth"] = told("growth", grown)
        margins = now["margin"], before.get("margin")
        now["margin change"] = told("margin change", None if None in margins else margins[0] - margins[1])  # type: ignore[operator]
        closed[int(row["year"] or 0)] = now
    return [closed[int(row["year"] or 0)] for row in rows]


@given(st.data())
def test_closing_equals_a_slow_version(data: st.DataObject) -> None:
    """Sampled figures, breaks and gaps are closed as row by row: outputs of what is reported, unless broken or missing."""
    years = data.draw(st.lists(st.integers(2015, 2022), unique=True, min_size=1, max_size=5))
    amounts, flags = st.one_of(st.none(), st.integers(-(10**6), 10**6)), st.sampled_from([False, False, False, True])
    names, outputs = [m.name for m in MEASURES], [i.output for i in IDENTITIES]
    rows = [
        {"year": year}
        | {name: data.draw(amounts) for name in names}
        | {f"missing {name}": data.draw(flags) for name in names}
        | {f"broken {name}": data.draw(flags) for name in outputs}
        for year in years
    ]
    schema: dict[str, Any] = {"year": pl.Int64} | dict.fromkeys(names, pl.Int64)
    schema |= {key: pl.Boolean for key in rows[0] if key.startswith(("missing", "broken"))}
    frame = pl.DataFrame(rows, schema=schema).with_columns(pl.lit("firm").alias("code"))
    missing, broken = (
        frame.select(pl.col(f"{kind} {name}").alias(name) for name in columns)
        for kind, columns in (("missing", names), ("broken", outputs))
    )
    closed = close(frame.select("code", "year", *names), broken, missing, PANEL, code="code")
    assert closed.select(names).to_dicts() == slowly_closed(rows)


def test_what_was_not_reported_is_not_computed() -> None:
    """An output that is missing stays missing, though its inputs are there."""
    figures = panel_of([(2020, 5, 7)]).with_columns(margin=pl.lit(None, pl.Int64))
    restored = restore(figures, breaks(figures, PANEL, code="code"), PANEL, code="code")
    assert restored["revenue"].to_list() == [12]
    assert restored["margin"].to_list() == [None]


@pytest.mark.parametrize(("off", "is_broken"), [(0, (False, False)), (1, (True, False)), (2, (True, True))])
def test_quotients_may_be_off_by_their_rounding_and_sums_by_nothing(off: int, is_broken: tuple[bool, bool]) -> None:
    """One quantum is what ways to round halves differ by."""
    figures = panel_of([(2020, 5, 7)]).with_columns(pl.col("revenue") + off * 100, pl.col("margin") + off)
    by_sum = breaks(figures.with_columns(revenue=12 + off), PANEL, code="code")["revenue"]
    by_quotient = breaks(figures.with_columns(revenue=12), PANEL, code="code")["margin"]
    assert (*by_sum, *by_quotient) == is_broken


def test_means_are_rounded_and_other_totals_exact() -> None:
    """A mean of events is a quotient."""
    totals = {how: Total(output="o", events="e", of="m", statistic=how) for how in ("count", "sum", "mean")}  # type: ignore[arg-type]
    assert {how: _is_rounded(total) for how, total in totals.items()} == {"count": False, "sum": False, "mean": True}

"""Residuals of identities: zero where they hold, the exact number of quanta where they do not."""

from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.model import Difference, Growth, Identity, Measure, Panel, Ratio, Sum
from validation.consistency.residuals import broken_identities, identity_residuals

MEASURES = (
    Measure(name="assets", unit="CNY", decimals=2),
    Measure(name="debt", unit="CNY", decimals=2),
    Measure(name="staff", unit="heads"),
    Measure(name="total", unit="CNY", decimals=2),
    Measure(name="ratio", unit="%", decimals=2),
    Measure(name="growth", unit="%", decimals=2),
    Measure(name="change", unit="CNY", decimals=2),
)
IDENTITIES: dict[str, Identity] = {
    "sum": Sum(output="total", plus=("assets", "staff"), minus=("debt",)),
    "ratio": Ratio(output="ratio", numerator=("debt", "assets"), denominator="staff"),
    "absolute": Ratio(output="ratio", numerator=("debt",), denominator="assets", is_absolute=True),
    "growth": Growth(output="growth", base="assets"),
    "difference": Difference(output="change", base="debt"),
}
YEARS = 3

figures = st.integers(-(10**13), 10**13)
small = st.integers(-4, 4)
columns = st.one_of(
    *(st.lists(st.one_of(st.none(), cell), min_size=2 * YEARS, max_size=2 * YEARS) for cell in (figures, small))
)


def panel(identity: Identity) -> Panel:
    return Panel(tables=("figures",), measures=MEASURES, identities=(identity,))


def frame(assets: list[int | None], debt: list[int | None], staff: list[int | None]) -> pl.DataFrame:
    """Return two firms in three years; outputs are empty."""
    schema = {"assets": pl.Int64, "debt": pl.Int64, "staff": pl.Int64}
    base = pl.DataFrame({"assets": assets, "debt": debt, "staff": staff}, schema=schema)
    outputs = {name: pl.lit(None, pl.Int64) for name in ("total", "ratio", "growth", "change")}
    codes = pl.Series("code", ["a", "b"] * YEARS), pl.Series("year", sorted([2020, 2021, 2022] * 2))
    return base.with_columns(*codes, **outputs)


def restored(inputs: pl.DataFrame, identity: Identity, *, off: int = 0) -> pl.DataFrame:
    """State the identity's output row by row in rational numbers, `off` quanta away from what it should be."""
    rows = {(row["code"], row["year"]): row for row in inputs.rows(named=True)}
    stated = [slowly_stated(identity, row, rows.get((code, year - 1), {})) for (code, year), row in rows.items()]
    column = [None if value is None else value + off for value in stated]
    return inputs.with_columns(pl.Series(identity.output, column, pl.Int64))


def slowly_stated(identity: Identity, now: dict[str, Any], before: dict[str, Any]) -> int | None:
    """Return what an identity says of one row, in hundredths."""
    if any(now[name] is None for name in identity.inputs):
        return None
    match identity:
        case Sum(plus=plus, minus=minus):
            return int(100 * (sum(amount(now, n) for n in plus) - sum(amount(now, n) for n in minus)))
        case Ratio(numerator=numerator, denominator=denominator, is_absolute=is_absolute):
            total, divisor = sum(amount(now, n) for n in numerator), amount(now, denominator)
            ratio = None if divisor == 0 else rounded(10_000 * total / divisor)
            return abs(ratio) if is_absolute and ratio is not None else ratio
        case Growth(base=base):
            change = change_of(base, now, before)
            return None if change is None or not before[base] else rounded(Fraction(10_000 * change, abs(before[base])))
        case Difference(base=base):
            return change_of(base, now, before)


def change_of(base: str, now: dict[str, Any], before: dict[str, Any]) -> int | None:
    return None if before.get(base) is None else int(now[base] - before[base])


def amount(row: dict[str, Any], name: str) -> Fraction:
    return Fraction(row[name], 10 ** panel(IDENTITIES["sum"]).measure(name).decimals)


def rounded(exact: Fraction) -> int:
    """Round half away from zero."""
    return int(abs(exact) + Fraction(1, 2)) * (1 if exact > 0 else -1)


@pytest.mark.parametrize("kind", IDENTITIES)
@given(assets=columns, debt=columns, staff=columns, off=st.integers(-3, 3))
def test_residual_is_the_distance_to_the_stated_output(
    kind: str, assets: list[int | None], debt: list[int | None], staff: list[int | None], off: int
) -> None:
    """Right outputs have residual 0; the same outputs k quanta away have residual k, in either direction."""
    identity = IDENTITIES[kind]
    inputs = restored(frame(assets, debt, staff), identity, off=off)
    found = identity_residuals(inputs, panel(identity), code="code")[0]
    records = inputs[identity.output].count()
    assert found.records == records
    assert found.max_residual == (abs(off) if records else 0)


@given(n=figures, d=figures.filter(bool), stated=st.integers(-(10**6), 10**6))
def test_quotients_are_judged_as_by_exact_fractions(n: int, d: int, stated: int) -> None:
    """Against a slow oracle in rational numbers: distance from the quotient rounded half away from zero."""
    identity = Ratio(output="ratio", numerator=("debt",), denominator="assets")
    rows = frame([d] * 6, [n] * 6, [1] * 6).with_columns(ratio=pl.lit(stated, pl.Int64))
    distance = abs(stated - rounded(Fraction(10_000 * n, d)))
    assert identity_residuals(rows, panel(identity), code="code")[0].max_residual == distance


@pytest.mark.parametrize("half", [1, -1])
def test_halves_go_away_from_zero(half: int) -> None:
    """A quotient of exactly half a quantum is rounded outwards; stated as zero it is off by one, as is one beyond."""
    identity = Ratio(output="ratio", numerator=("debt",), denominator="assets")
    rows = frame([20_000] * 6, [half] * 6, [1] * 6)
    found = [
        identity_residuals(rows.with_columns(ratio=pl.lit(stated, pl.Int64)), panel(identity), code="code")[0]
        for stated in (half, 0, 2 * half, -half)
    ]
    assert [residual.max_residual for residual in found] == [0, 1, 1, 2]


def test_only_claimed_records_count() -> None:
    """A record in which the identity never held is left out, by a mask aligned with the rows."""
    identity = IDENTITIES["difference"]
    rows = restored(frame([1] * 6, [1, 2, 5, 5, 9, 9], [1] * 6), identity)
    broken = rows.with_columns(change=pl.col("change") + 7 * (pl.int_range(pl.len()) == 5).cast(pl.Int64))
    held = pl.DataFrame({"change": [True] * 5 + [False]})
    everywhere = identity_residuals(broken, panel(identity), code="code")[0]
    claimed = identity_residuals(broken, panel(identity), code="code", held=held)[0]
    assert (everywhere.records, everywhere.max_residual) == (4, 7)
    assert (claimed.records, claimed.max_residual) == (3, 0)


def test_growth_needs_the_year_before_and_not_just_an_earlier_row() -> None:
    """A gap of a year gives no record, whatever is stated."""
    identity = IDENTITIES["growth"]
    rows = frame([1] * 6, [1] * 6, [1] * 6).with_columns(growth=pl.lit(0, pl.Int64), year=pl.col("year") * 2)
    assert identity_residuals(rows, panel(identity), code="code")[0].records == 0


def test_identities_are_named_by_their_formula() -> None:
    """A reader sees what was tested."""
    rows = frame([1] * 6, [1] * 6, [1] * 6)
    names = [identity_residuals(rows, panel(i), code="code")[0].identity for i in IDENTITIES.values()]
    assert names == [
        "total = assets + staff - debt",
        "ratio = 100 * (debt + assets) / staff",
        "ratio = |100 * (debt) / assets|",
        "growth = 100 * change of assets over the year before / |assets of the year before|",
        "change = change of debt over the year before",
    ]


def test_broken_identities_are_counted_on_both_sides() -> None:
    """Records that break an identity in the originals, in the release, and in the release where they may not."""
    originals = pl.DataFrame({"total": [True, True, False, False], "ratio": [False] * 4})
    published = pl.DataFrame({"total": [True, False, True, True], "ratio": [False] * 4})
    assert broken_identities(originals, published, allowed=originals) == [
        {"identity": "total", "originals": 2, "published": 3, "only_published": 2},
        {"identity": "ratio", "originals": 0, "published": 0, "only_published": 0},
    ]


def test_records_that_were_drawn_as_broken_may_be_broken() -> None:
    """Of sampled records, which are others and of another number, those may break an identity that were drawn to."""
    originals = pl.DataFrame({"total": [False, True]})
    published = pl.DataFrame({"total": [True, False, True]})
    (found,) = broken_identities(originals, published, allowed=pl.DataFrame({"total": [True, True, False]}))
    assert (found["originals"], found["published"], found["only_published"]) == (1, 2, 1)
    (found,) = broken_identities(originals, published, allowed=published)
    assert found["only_published"] == 0


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_what_only_the_release_breaks_is_counted_record_by_record(pairs: list[tuple[bool, bool]]) -> None:
    """Equal counts on both sides hide nothing: it is the records that are compared."""
    sides = [pl.DataFrame({"total": [pair[i] for pair in pairs]}, schema={"total": pl.Boolean}) for i in (0, 1)]
    (found,) = broken_identities(*sides, allowed=sides[0])
    assert found["only_published"] == sum(after and not before for before, after in pairs)
    assert (found["originals"], found["published"]) == tuple(
        sum(side) for side in zip(*pairs, strict=True)
    ) or not pairs


def test_the_record_that_is_farthest_off_is_named() -> None:
    """The worst record has its code and year; where none is off, none is named."""
    identity = IDENTITIES["absolute"]
    rows = restored(frame([700] * 6, [300] * 6, [1] * 6), identity)
    off = pl.when(code="b", year=2021).then(5).when(code="a", year=2022).then(-7).otherwise(0)
    found = identity_residuals(rows.with_columns(pl.col("ratio") + off), panel(identity), code="code")[0]
    assert (found.max_residual, found.worst_cell) == (7, {"code": "a", "year": 2022})
    assert identity_residuals(rows, panel(identity), code="code")[0].worst_cell == {}

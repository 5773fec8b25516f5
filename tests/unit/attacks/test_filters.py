"""One filter tells apart what one column tells apart, and nothing else: by every kind of filter, and never by luck."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.keyed import Key
from tests.stats import ALPHA, check_rate_within
from validation.attacks import Attack
from validation.attacks.noise.filters import NoiseFilter, best_filters, filter_attack

KEY = Key(b"f" * 32)
NAMES = st.text("汉字ab19 -", min_size=1, max_size=6) | st.none()


def rows(**columns: list[str | None]) -> pl.DataFrame:
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def told(first: list[str | None], second: list[str | None]) -> NoiseFilter:
    return best_filters(rows(column=first), rows(column=second), key=KEY)[0]


def attacked(first: pl.DataFrame, second: pl.DataFrame, *, inherent: tuple[str, ...] = ()) -> Attack:
    return filter_attack(first, second, kinds="decoys against firms", key=KEY, inherent=inherent)


COUNT = range(40)


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("missing or not", [None for _ in COUNT], [f"{n}" for n in COUNT]),
        ("a constant", ["23/3/2026 09:32:16" for _ in COUNT], [f"23/3/2026 08:{n}:16" for n in COUNT]),
        ("shape of the text", [f"{n}.T" for n in COUNT], [f"{n}号T" for n in COUNT]),
        ("first character", [f"3{n:05}" for n in COUNT], [f"{6 + n % 3}{n:05}" for n in COUNT]),
        ("last character", [f"北{n}海" for n in COUNT], [f"北{n}{'山川'[n % 2]}" for n in COUNT]),
        ("length", [f"9{n:03}" for n in COUNT], [f"9{n:05}" for n in COUNT]),
        ("range of numbers", [f"{1_000 + n}" for n in COUNT], [f"{1_100 + 9 * n}" for n in COUNT]),
        ("range of times", [f"{10 + n % 9}/4/2022" for n in COUNT], [f"{10 + n % 9}/6/2022" for n in COUNT]),
    ],
)
def test_each_kind_of_filter_is_found(kind: str, first: list[str | None], second: list[str | None]) -> None:
    """What one kind of filter tells apart is told apart, and named by the simplest kind that does it."""
    found = told(first, second)
    assert (found.kind, found.chosen) == (kind, 1.0)
    assert found.accuracy > 0.95


def test_a_range_has_two_ends() -> None:
    """Ids in the midst of the others are a range, too."""
    middle = [f"{n}" for n in range(12_000, 13_000)]
    around = [f"{n}" for n in [*range(11_000, 12_000), *range(13_000, 14_000)]]
    found = told(middle, around)
    assert found.kind == "range of numbers"
    assert found.accuracy > 0.99


def test_rows_in_mixed_order_are_not_told_by_their_ids() -> None:
    """Ids that alternate say nothing of the kind: the attack does not beat guessing."""
    ids = [f"{place}" for place in range(2_000)]
    shuffled = pl.DataFrame({"id": ids}).sort(KEY.derive("order").mac("id"))
    found = attacked(shuffled.head(500), shuffled.tail(1_500))
    assert not found.beats_chance(ALPHA)


@given(st.lists(NAMES, min_size=8, max_size=200))
def test_the_same_rows_are_never_told_apart(values: list[str | None]) -> None:
    """No filter is right more often than guessing on two kinds whose halves are the same rows."""
    frame = rows(column=[value for value in values for _ in range(8)])
    found = attacked(frame, frame)
    assert not found.beats_chance(1e-9)


def test_the_best_of_many_filters_is_not_right_by_luck() -> None:
    """On pure chance, the half that a filter was chosen on flatters it; the other half does not."""
    drawn = pl.DataFrame({"row": range(400)}).select(
        (KEY.derive("noise").draw("row", pl.lit(place)) % 1_000).cast(pl.String).alias(f"column {place}")
        for place in range(40)
    )
    found = best_filters(drawn.head(80), drawn.tail(320), key=KEY)
    assert found[0].chosen > 0.6
    check_rate_within(
        sum(round(one.records * one.accuracy) for one in found), sum(one.records for one in found), 0.49, 0.51
    )
    assert not attacked(drawn.head(80), drawn.tail(320)).beats_chance(ALPHA)


def test_the_score_is_the_balanced_accuracy() -> None:
    """A filter that selects every decoy and a quarter of the firms is right for 1 - 1/8 of them, however many firms."""
    decoys = rows(ownership=[None] * 400)
    firms = rows(ownership=[None, "民营", "地方", "中央"] * 1_000)
    found = attacked(decoys, firms)
    assert found.records == pytest.approx(400, abs=40)
    assert found.rate == pytest.approx(0.875, abs=0.02)
    assert found.chance == 0.5


def test_inherent_columns_are_named_and_not_counted() -> None:
    """A column that tells by declaration stands in the detail; the best of the others is what counts."""
    first = rows(companyType=["国外"] * 100, bmCode=["1.T"] * 100)
    second = rows(companyType=["沪深"] * 100, bmCode=["1.SZ"] * 100)
    found = attacked(first, second, inherent=("companyType",))
    assert found.detail == (
        "Best filter: bmCode (a constant), 100%. Recorded apart by declaration: companyType (a constant), 100%."
    )
    assert found.rate == 1.0
    assert attacked(first, second, inherent=("companyType", "bmCode")).records == 0


def test_no_value_is_told() -> None:
    """The attack names columns and kinds of filters, never what stands in a row."""
    found = attacked(rows(name=["奎昂禾"] * 50), rows(name=["哲舜洲"] * 50))
    assert found.rate == 1.0
    assert "奎昂禾" not in str(found.published())
    assert "哲舜洲" not in str(found.published())


@pytest.mark.parametrize("height", [0, 1])
def test_too_few_rows_are_no_finding(height: int) -> None:
    """With nothing to choose a filter on, or to try it on, no record is attacked."""
    found = attacked(rows(name=["a"] * height), rows(name=["b"] * 50))
    assert (found.records, found.successes, found.detail) == (0, 0, "")


def test_the_row_order_decides_nothing_but_the_halves() -> None:
    """The same frames give the same findings, every time."""
    first, second = rows(id=[f"{place}" for place in range(90)]), rows(id=[f"{place}" for place in range(60, 200)])
    assert best_filters(first, second, key=KEY) == best_filters(first, second, key=KEY)


def test_noise_that_leaves_a_mark_is_found() -> None:
    """Rows whose noise came with another way of writing a neighbouring column are told apart by it."""
    published = rows(
        id=[f"{place}" for place in range(400)],
        updateTime=[f"{1 + place % 9}/9/2025 {'0' if place % 4 else ''}9:00:00" for place in range(400)],
    )
    is_changed = pl.int_range(400, eager=True) % 4 == 0
    found = attacked(published.filter(is_changed), published.filter(~is_changed))
    assert found.rate == 1.0
    assert found.detail == "Best filter: updateTime (length), 100%."

"""The search for exact figures finds what was published as it was, whoever carries it, and takes no coincidence for more."""

from collections.abc import Sequence
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.figures import perturb_figures
from pipeline.keyed import Key
from pipeline.model import PERIOD, Measure, Panel
from tests.stats import check_rate
from validation.attacks import Attack
from validation.attacks.records.exact import COMMON, exact_figure_attacks

KEY = Key(b"k" * 32)
MEASURES = tuple(Measure(name=name, unit="USD") for name in ("revenue", "assets", "debt"))
RATE = Measure(name="rate", unit="%", decimals=2)
ALPHA = 1e-4

Row = tuple[int | None, ...]


def table(
    rows: Sequence[Row], firms: Sequence[str] | None = None, measures: Sequence[Measure] = MEASURES
) -> pl.DataFrame:
    """Return a record for each row, of a firm of its own unless firms are given."""
    figures = pl.DataFrame(rows, schema={measure.name: pl.Int64 for measure in measures}, orient="row")
    names = firms or [f"firm {i}" for i in range(len(rows))]
    return figures.with_columns(pl.Series("firm", names), pl.lit(2022, pl.Int64).alias(PERIOD))


def searched(
    originals: pl.DataFrame, published: pl.DataFrame, measures: Sequence[Measure] = MEASURES
) -> tuple[Attack, Attack]:
    alone, pairs = exact_figure_attacks(originals, published, measures, entity="firm")
    return alone, pairs


def spread(firms: int) -> list[Row]:
    """Return seven- to ten-digit figures, each different, none of them round."""
    return [tuple(1_234_567 + 7_654_320 * (i * 3 + place) for place in range(3)) for i in range(firms)]


def test_unchanged_figures_are_all_found() -> None:
    """Published as they are, every figure is found, every pair names a company, and it is the right one."""
    alone, pairs = searched(table(spread(50)), table(spread(50)))
    assert (alone.records, alone.successes) == (150, 150)
    assert (pairs.records, pairs.successes) == (50, 50)
    assert "150 stand with one company only, 150 times the right one" in alone.detail
    assert "50 of the 50 companies" in pairs.detail
    assert alone.beats_chance(ALPHA)
    assert pairs.beats_chance(ALPHA)


def test_figures_of_another_company_are_found_too() -> None:
    """Where firms carry each other's figures whole, the wrong company is named every time: its figures are published."""
    alone, pairs = searched(table(spread(50)), table(spread(50)[1:] + spread(50)[:1]))
    assert (alone.rate, pairs.rate) == (1, 1)
    assert "0 times the right one" in alone.detail
    assert "0 of the 50 companies" in pairs.detail


def test_perturbed_figures_are_not_found() -> None:
    """After digit noise no long figure is found, alone or as a pair."""
    originals = table(spread(400))
    panel = Panel(tables=("figures",), measures=MEASURES)
    alone, pairs = searched(originals, perturb_figures(originals, panel, code="firm", key=KEY))
    assert alone.records > 1_000
    assert (alone.successes, pairs.successes) == (0, 0)


@pytest.mark.parametrize("measure", [Measure(name="m", unit="USD"), Measure(name="m", unit="%", decimals=2)], ids=str)
def test_chance_is_what_digit_noise_reaches(measure: Measure) -> None:
    """Where originals lie dense, fresh digits meet some of them as often as told: within exact binomial bounds."""
    originals = table([(123_001 + 3 * i,) for i in range(1_500)], measures=[measure])
    published = perturb_figures(originals, Panel(tables=("f",), measures=(measure,)), code="firm", key=KEY)
    alone, _ = searched(originals, published, [measure])
    assert alone.chance > 1 / 4
    check_rate(alone.successes, alone.records, alone.chance)
    assert not alone.beats_chance(ALPHA)


def test_chance_of_a_pair_is_that_both_agree() -> None:
    """A row of two figures whose last three digits are fresh agrees with its own in one of 900 x 900 draws."""
    rows: list[Row] = [(123_456, 654_321, None)]
    assert searched(table(rows), table(rows))[1].chance == pytest.approx(1 / 900**2)
    assert searched(table(rows), table([(223_456, 654_321, None)]))[1].chance == 0


@pytest.mark.parametrize("value", [0, 12, -123, 45_678, 123_450_000, None])
def test_what_has_few_significant_digits_is_not_searched(value: int | None) -> None:
    """Zero, short figures and round ones are equal by chance: they are no records."""
    alone, pairs = searched(table([(value, value, value)]), table([(value, value, value)]))
    assert (alone.records, pairs.records) == (0, 0)
    assert f"{0 if value is None else 3} figures too short" in alone.detail


def test_zeros_that_end_the_decimals_are_no_digits() -> None:
    """12.50 % has three significant digits, 1,234.56 % has six."""
    rows: list[Row] = [(12_50,), (1234_56,)]
    assert searched(table(rows, measures=[RATE]), table(rows, measures=[RATE]), [RATE])[0].records == 1


def test_kept_digits_decide_what_tells() -> None:
    """A measure of which five digits are kept tells from eight digits on."""
    five = Measure(name="m", unit="USD", significant_digits=5)
    rows: list[Row] = [(1_234_567,), (12_345_678,)]
    assert searched(table(rows, measures=[five]), table(rows, measures=[five]), [five])[0].records == 1


def test_another_measure_is_not_searched() -> None:
    """Revenue that equals somebody's assets is no hit, and neither is the figure with the other sign."""
    originals = table([(1_234_567, 7_654_321, None)])
    assert searched(originals, table([(7_654_321, -7_654_321, None)]))[0].successes == 0


def test_one_figure_under_two_names_is_no_pair() -> None:
    """Total assets and total liabilities and equity are one figure: found twice it is still one."""
    rows: list[Row] = [(1_234_567, 1_234_567, 7_654_321)]
    published: list[Row] = [(1_234_567, 1_234_567, 9_999_999)]
    alone, pairs = searched(table(rows), table(published))
    assert (alone.successes, pairs.records, pairs.successes) == (2, 1, 0)


def test_figures_of_two_records_are_no_pair() -> None:
    """Figures that stand in the originals, but never together, name nobody."""
    originals = table([(1_234_567, None, None), (None, 7_654_321, None)])
    _, pairs = searched(originals, table([(1_234_567, 7_654_321, None), (None, None, None)]))
    assert (pairs.records, pairs.successes) == (1, 0)


def test_a_pair_that_two_companies_share_names_neither() -> None:
    """Two companies with the same two figures cannot be told apart; two years of one company are one company."""
    rows: list[Row] = [(1_234_567, 7_654_321, None)] * 2
    assert searched(table(rows), table(rows))[1].successes == 0
    assert searched(table(rows, ["a", "a"]), table(rows, ["a", "a"]))[1].successes == 2


def test_a_third_figure_decides_between_two_companies() -> None:
    """Of two companies that share a pair, the one with one figure more is named."""
    rows: list[Row] = [(1_234_567, 7_654_321, 5_555_557), (1_234_567, 7_654_321, 6_666_667)]
    assert searched(table(rows), table(rows))[1].successes == 2


def test_what_many_share_makes_no_pair() -> None:
    """A figure of more records than `COMMON` is left out of pairs, so that the search stays small."""
    rows: list[Row] = [(1_234_567, 1_000_003 + i, None) for i in range(COMMON + 1)]
    assert searched(table(rows), table(rows))[1].successes == 0
    assert searched(table(rows[:-1]), table(rows[:-1]))[1].rate == 1


figures = st.sampled_from([None, 0, 123, 1_234_567, 1_234_568, 2_345_678])
records = st.lists(st.tuples(figures, figures, figures), min_size=1, max_size=8)


@given(records, st.data())
def test_both_searches_equal_a_slow_one(originals: list[Row], data: st.DataObject) -> None:
    """Counts are those of plain loops over figures, rows and pairs."""
    size = len(originals)
    published = data.draw(st.lists(st.tuples(figures, figures, figures), min_size=size, max_size=size))
    firms = data.draw(st.lists(st.sampled_from("abc"), min_size=size, max_size=size))
    alone, pairs = searched(table(originals, firms), table(published))

    def telling(row: Row) -> list[tuple[int, int]]:
        return [(place, value) for place, value in enumerate(row) if value is not None and value > 1_000_000]

    def together(row: Row, original: Row) -> int:
        return len({value for place, value in telling(row) if original[place] == value})

    def company(row: Row) -> str | None:
        best = max(together(row, original) for original in originals)
        named = {firm for firm, original in zip(firms, originals, strict=True) if together(row, original) == best}
        return named.pop() if best >= 2 and len(named) == 1 else None

    wanted = [(place, value) for row in published for place, value in telling(row)]
    assert alone.records == len(wanted)
    assert alone.successes == sum(any(row[place] == value for row in originals) for place, value in wanted)
    assert pairs.records == sum(any(a[1] != b[1] for a, b in combinations(telling(row), 2)) for row in published)
    assert pairs.successes == sum(company(row) is not None for row in published)
    right = sum(company(row) == firm for row, firm in zip(published, firms, strict=True))
    assert pairs.detail.startswith(f"{right} of the {pairs.successes} companies" if pairs.successes else "")

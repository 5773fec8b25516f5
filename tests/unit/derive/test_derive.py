"""Derived aggregates against a slow version in fractions."""

from collections import defaultdict
from decimal import ROUND_HALF_UP, Context, Decimal
from statistics import median

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pipeline.derive import counts, statistics
from pipeline.model import Aggregate, Measure, Panel

MEASURES = (Measure(name="assets", unit="元", decimals=2), Measure(name="ratio", unit="%", decimals=1, additive=False))
PANEL = Panel(tables=("t",), measures=MEASURES)
AGGREGATE = Aggregate(
    name="by industry",
    by=("industry",),
    total_over="industry",
    total_label="all",
    domain={"industry": ("a", "b", "none")},
    years=(2022,),
    counts=((), ("owner",)),
)
FIGURE = st.one_of(st.none(), st.integers(-(10**17), 10**17), st.integers(-50, 50))
FIRMS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["x", "y", None]), FIGURE, FIGURE), max_size=20)


def frames(firms: list[tuple[str, str | None, int | None, int | None]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    rows = [(f"c{i}", industry, owner, 2022, assets, ratio) for i, (industry, owner, assets, ratio) in enumerate(firms)]
    schema = dict.fromkeys(("code", "industry", "owner"), pl.String) | dict.fromkeys(
        ("year", "assets", "ratio"), pl.Int64
    )
    whole = pl.DataFrame(rows, schema=schema, orient="row")
    return whole.select("code", "industry", "owner"), whole.select("code", "year", "assets", "ratio")


def value(row: dict[str, int | None]) -> Decimal | None:
    return None if row["mantissa"] is None else Decimal(row["mantissa"]).scaleb(-(row["scale"] or 0))


def slow(values: list[Decimal], statistic: str) -> Decimal | None:
    if not values:
        return None
    match statistic:
        case "sum":
            return sum(values, Decimal(0))
        case "mean":
            total, n = sum(values, Decimal(0)), Decimal(len(values))
            whole_digits = len(str(int(abs(total) / n)).lstrip("0"))
            exact = Context(prec=60).divide(total, n)
            return exact.quantize(Decimal(1).scaleb(-max(15 - whole_digits, 0)), context=WIDE, rounding=ROUND_HALF_UP)
        case "median":
            return median(values)
        case "max":
            return max(values)
        case _:
            return min(values)


WIDE = Context(prec=60)


@given(FIRMS)
def test_statistics_equal_a_slow_oracle(firms: list[tuple[str, str | None, int | None, int | None]]) -> None:
    """Every statistic of every group equals exact decimal arithmetic, and groups without figures are there with n = 0."""
    entities, figures = frames(firms)
    result = statistics(AGGREGATE, entities, figures, panel=PANEL, code="code")
    expected: dict[tuple[str, str], list[Decimal]] = defaultdict(list)
    for industry, _, assets, ratio in firms:
        for group in (industry, "all"):
            for name, figure, decimals in (("assets", assets, 2), ("ratio", ratio, 1)):
                if figure is not None:
                    expected[group, name].append(Decimal(figure).scaleb(-decimals))
    assert result.height == 4 * (5 + 4)
    for row in result.iter_rows(named=True):
        values = expected[row["industry"], row["measure"]]
        assert row["n"] == len(values)
        assert value(row) == slow(values, row["statistic"])


@given(FIRMS)
def test_counts_count_firms(firms: list[tuple[str, str | None, int | None, int | None]]) -> None:
    """Counts equal a plain count, by group and by owner; a firm without an owner is in no breakdown by owner."""
    entities, _ = frames(firms)
    found = {(r["industry"], r["breakdown"], r["owner"]): r["count"] for r in counts(AGGREGATE, entities).to_dicts()}
    expected: dict[tuple[str, str, str | None], int] = defaultdict(int)
    for industry, owner, *_ in firms:
        for group in (industry, "all"):
            expected[group, "", None] += 1
            if owner is not None:
                expected[group, "owner", owner] += 1
    assert found == expected


def test_row_order_makes_no_difference() -> None:
    """Shuffled firms and figures give the same table."""
    entities, figures = frames([("a", "x", i * 7919, i) for i in range(50)])
    first = statistics(AGGREGATE, entities, figures, panel=PANEL, code="code")
    shuffled = figures.sample(fraction=1, shuffle=True, seed=1)
    again = statistics(AGGREGATE, entities.reverse(), shuffled, panel=PANEL, code="code")
    assert first.equals(again)

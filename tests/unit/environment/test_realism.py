"""Documented facts against ours: the exact test, each sort of fact that agrees and that does not, the table."""

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import comb, prod

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from silt.environments.dataclaw_18 import DATACLAW_18
from tests.realism import comparing
from tests.realism.comparing import (
    HEADER,
    Documented,
    Part,
    Tables,
    exact_p,
    of_counts,
    of_examples,
    of_number,
    of_range,
    of_share,
    of_text,
    rate_interval,
    realism_table,
    verdict,
)
from tests.realism.facts import DOCUMENTED

# the exact test --------------------------------------------------------------------------------------------------------


def slow_p(documented: Sequence[int], ours: Sequence[int]) -> float:
    """Freeman and Halton's p by its definition: every sample, in fractions."""
    margin = [told + counted for told, counted in zip(documented, ours, strict=True)]

    def chance(sample: Sequence[int]) -> Fraction:
        ways = prod(comb(of, count) for of, count in zip(margin, sample, strict=True))
        return Fraction(ways, comb(sum(margin), sum(documented)))

    samples = product(*(range(of + 1) for of in margin))
    chances = [chance(sample) for sample in samples if sum(sample) == sum(documented)]
    return float(sum(one for one in chances if one <= chance(documented)))


COUNTS = st.integers(0, 7)


@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=2, max_size=4))
def test_p_is_that_of_the_definition(pairs: list[tuple[int, int]]) -> None:
    """Enumerating every sample in fractions gives the same p."""
    documented, ours = ([pair[side] for pair in pairs] for side in (0, 1))
    expected = slow_p(documented, ours) if sum(documented) and sum(ours) else 1.0
    assert exact_p(documented, ours) == pytest.approx(expected)


@given(st.integers(0, 70), st.integers(0, 3_000), st.integers(0, 9_000))
def test_p_of_two_forms_is_that_of_fisher(count: int, one: int, other: int) -> None:
    """For two forms it is Fisher's exact p, as scipy computes it."""
    if one + other:
        expected = stats.fisher_exact([[count, 70 - count], [one, other]]).pvalue
        assert exact_p([count, 70 - count], [one, other]) == pytest.approx(expected, abs=1e-9)


def test_large_samples_are_compared_by_chi_squared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the limit it is Pearson's p, which is near the exact one where every count is large."""
    documented, ours = [40, 60], [430, 570]
    exact = exact_p(documented, ours)
    monkeypatch.setattr(comparing, "MOST_TABLES", 1)
    assert exact_p(documented, ours) == pytest.approx(
        stats.chi2_contingency([documented, ours], correction=False).pvalue
    )
    assert exact_p(documented, ours) == pytest.approx(exact, abs=0.05)


def test_interval_is_exact() -> None:
    """At both ends of a Clopper-Pearson interval, what was counted has just the chance of one side (scipy's binomial)."""
    low, high = rate_interval((23, 70))
    assert stats.binom.sf(22, 70, low) == pytest.approx(0.005)
    assert stats.binom.cdf(23, 70, high) == pytest.approx(0.005)
    assert rate_interval((0, 0)) == (0, 1)
    assert rate_interval((70, 70))[1] == 1


# each sort of fact -----------------------------------------------------------------------------------------------------


def share(count: int, of: int) -> Documented:
    return of_share("w", "1", (), (23, 70), fixed((count, of)))


def fixed(part: Part) -> Callable[[Tables], Part]:
    return lambda _tables: part


def counts(**ours: int) -> Documented:
    return of_counts("w", "1", (), {"a": 28, "b": 9}, lambda _: ours)


def between(low: float, high: float, *part: int) -> Documented:
    return of_range("w", "1", (), "t", low, high, fixed((part[0], part[1])))


def number(least: int, most: int | None, ours: int) -> Documented:
    return of_number("w", "1", (), "t", least, most, lambda _: ours)


def examples(*ours: str) -> Documented:
    return of_examples("w", "1", (), ("a", "b"), lambda _: ours)


EMPTY = {
    table.name: pl.DataFrame(schema=dict.fromkeys(table.columns, pl.String))
    for table in DATACLAW_18.tables
    if table.folder == "database"
}


@pytest.mark.parametrize("fact", DOCUMENTED, ids=lambda fact: fact.what)
def test_fact_names_its_section_and_can_fail(fact: Documented) -> None:
    """Each fact says where the reference tells it, and tables without rows agree with none."""
    assert re.fullmatch(r"\d+(\.\d+)?(, \d+(\.\d+)?)*", fact.where)
    is_of_text = fact.judged.__qualname__.startswith("of_text")
    assert verdict(fact, EMPTY)[1] == ("not compared" if is_of_text else "no")


@pytest.mark.parametrize(
    ("fact", "ours", "agrees"),
    [
        (share(75, 225), "75 of 225 (33%), p = 1.00", "yes"),
        (share(0, 225), "0 of 225 (0%), p < 1e-06", "no"),
        (share(0, 0), "none to count", "no"),
        (counts(a=280, b=90), "a 280, b 90 (of 370), p = 1.00", "yes"),
        (counts(a=90, b=280), "a 90, b 280 (of 370), p < 1e-06", "no"),
        (counts(a=28, b=9, c=200), "a 28, b 9, c 200 (of 237), p < 1e-06", "no"),
        (counts(), "none to count", "no"),
        (between(1 / 9, 1 / 8, 442, 3_675), "442 of 3,675 (12%)", "yes"),
        (between(1 / 9, 1 / 8, 900, 3_675), "900 of 3,675 (24%)", "no"),
        (between(1, 1, 45, 45), "45 of 45 (100%)", "yes"),
        (between(1, 1, 9_999, 10_000), "9,999 of 10,000 (100.0%)", "no"),
        (between(0, 0, 1, 50), "1 of 50 (2.0%)", "no"),
        (between(0, 1, 0, 0), "none to count", "no"),
        (number(776, 776, 776), "776", "yes"),
        (number(776, 776, 775), "775", "no"),
        (number(603, None, 1_058), "1,058", "yes"),
        (number(603, None, 602), "602", "no"),
        (number(200, 999, 1_000), "1,000", "no"),
        (examples("c", "d", "e"), "`c`, `d`, `e`", "yes"),
        (examples("c", "d", "e", "f"), "`c`, `d`, `e` (4)", "yes"),
        (examples(), "none", "no"),
        (of_text("w", "1", (), "t", lambda _: "x"), "x", "not compared"),
    ],
)
def test_fact_is_judged(fact: Documented, ours: str, agrees: str) -> None:
    """Ours is told with its n and its p, and agrees or not."""
    assert verdict(fact, {}) == (ours, agrees)


def counting(table: str) -> Documented:
    return of_number("rows", "0", (table,), "1", 1, 1, lambda tables: tables[table].height)


def test_fact_without_its_table_is_not_measured() -> None:
    """A measure is run only where all its tables are, and is given no others."""
    tables = {"a": pl.DataFrame({"x": [1]}), "c": pl.DataFrame()}
    assert verdict(counting("a"), tables) == ("1", "yes")
    assert verdict(counting("b"), tables) == ("no b", "not measured")
    assert verdict(of_text("w", "1", ("a",), "t", ",".join), tables)[0] == "a"


def test_table_is_markdown() -> None:
    """The verdicts are summed up above one line for each fact, and a bar in a text opens no cell."""
    facts = [number(1, 1, 1), number(1, 1, 2), examples("x|y"), counting("b")]
    page = realism_table(facts, {}, title="shops").splitlines()
    assert page[0] == "**shops**: of 4 documented facts 2 agree, 1 do not, 0 are not compared, 1 could not be measured."
    rows = [line for line in page if line.startswith("|")]
    assert rows[0] == f"| {' | '.join(HEADER)} |"
    assert rows[2:] == [
        "| w | 1 | t | 1 | yes |",
        "| w | 1 | t | 2 | no |",
        "| w | 1 | `a`, `b` | `x&#124;y` | yes |",
        "| rows | 0 | 1 | no b | not measured |",
    ]

"""Rates of rules: exact bounds against slow ones, noise at its rate passes, at another it does not."""

from collections import Counter
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from pipeline.keyed import Key
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.kinds.names.spelling import StrayBlanks
from pipeline.noise.kinds.rows import DroppedRows, DuplicateRows
from pipeline.noise.mechanisms import AtRandom, Band, CompletelyAtRandom, NotAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from tests.unit.expectations.guild_tables import ENVIRONMENT, KEY, SIZE, clean_tables, noised, rule
from validation.expectations.rates import RuleRate, alpha_of, bounds, rule_rates

CHANCES = st.dictionaries(
    st.lists(st.floats(0, 1), min_size=1, max_size=3).map(lambda cells: tuple(sorted(cells, reverse=True))),
    st.integers(1, 4),
    max_size=4,
)


def judged(done: list[Rule], told: list[Rule] | None = None, key: Key = KEY) -> list[RuleRate]:
    """Apply rules to `dues`, and judge what they did by the same rules or by others of their names."""
    result = noised(done, key=key)
    spec = NoiseSpec(environment=ENVIRONMENT.name, rules=tuple(told or done))
    alpha = alpha_of(spec, result.opportunities)
    return list(rule_rates(ENVIRONMENT, spec, result.ledger, result.opportunities, clean_tables(), key, alpha))


def slow_law(chances: dict[tuple[float, ...], int]) -> list[float]:
    """Return the probability of each number of chosen cells: owner by owner, all numbers of its cells."""
    law = [1.0]
    for cells, owners in chances.items():
        own = [high - low for high, low in pairwise([1.0, *cells, 0.0])]
        for _ in range(owners):
            law = [
                sum(law[total - here] * own[here] for here in range(len(own)) if 0 <= total - here < len(law))
                for total in range(len(law) + len(cells))
            ]
    return law


@given(chances=CHANCES, alpha=st.sampled_from([1e-6, 1e-3, 0.05]))
def test_bounds_are_passed_with_no_more_than_alpha(chances: dict[tuple[float, ...], int], alpha: float) -> None:
    """Beyond each bound is at most alpha, and one step further in there would be more: by a law that is added up slowly."""
    low, high = bounds(chances, alpha)
    law = np.array(slow_law(chances))
    assert law[:low].sum() <= alpha + 1e-9
    assert law[high + 1 :].sum() <= alpha + 1e-9
    assert law[: low + 1].sum() >= alpha - 1e-9
    assert law[high:].sum() >= alpha - 1e-9


@pytest.mark.parametrize(("count", "chance"), [(781_772, 0.002), (44, 0.1), (1, 1.0), (17, 0.0)])
def test_bounds_of_one_chance_are_those_of_the_binomial_law(count: int, chance: float) -> None:
    """Where all cells are alike the bounds are scipy's quantiles."""
    assert bounds({(chance,): count}, 1e-6) == (
        max(0, int(binom.ppf(1e-6, count, chance))),
        int(binom.isf(1e-6, count, chance)),
    )


NOTES = AtRandom(column="note", rates={"late": 0.3}, otherwise=0.02)
LOSSES = NotAtRandom(bands=(Band(below=0, rate=0.4), Band(below=500, rate=0.1)), otherwise=0.0)
IN_ONE_BAND = NotAtRandom(bands=(Band(below=1e15, rate=0.2), Band(below=2e15, rate=0.1)))
RULES = {
    "completely at random": rule(MissingValues(columns=("note",)), 0.1),
    "by another column": rule(MissingValues(columns=("value",)), NOTES),
    "by the value itself": rule(MissingValues(columns=("value",)), LOSSES),
    "in one band of two": rule(MissingValues(columns=("value",)), IN_ONE_BAND),
    "two columns by their values": rule(MissingValues(columns=("value", "id")), IN_ONE_BAND),
    "two columns": rule(MissingValues(columns=("note", "value")), 0.2),
    "dropped rows": rule(DroppedRows(), 0.1),
    "dropped rows by a column": rule(DroppedRows(), NOTES),
    "doubled rows": rule(DuplicateRows(), 0.1),
}


@pytest.mark.parametrize("what", RULES)
def test_a_rule_that_keeps_its_rate_passes(what: str) -> None:
    """Noise that is what the specification says is within the bounds, whatever its mechanism, under several keys."""
    for byte in range(5):
        found = judged([RULES[what]], key=Key(bytes([byte]) * 32))
        assert all(rate.passed for rate in found)
        assert all(rate.low <= rate.rate <= rate.high for rate in found)


@pytest.mark.parametrize("what", RULES)
@pytest.mark.parametrize("factor", [0.4, 2.0])
def test_another_rate_does_not_pass(what: str, factor: float) -> None:
    """Noise at double the stated rate, or at less than half of it, is out of bounds."""
    stated = RULES[what]
    done = Rule(name="rule", kind=stated.kind, tables=stated.tables, mechanism=scaled(stated.mechanism, factor))
    assert not any(rate.passed for rate in judged([done], [stated]))


def scaled(
    mechanism: CompletelyAtRandom | AtRandom | NotAtRandom, factor: float
) -> CompletelyAtRandom | AtRandom | NotAtRandom:
    """Return a mechanism with all its rates multiplied."""
    if isinstance(mechanism, CompletelyAtRandom):
        return CompletelyAtRandom(rate=mechanism.rate * factor)
    if isinstance(mechanism, AtRandom):
        rates = {text: rate * factor for text, rate in mechanism.rates.items()}
        return AtRandom(column=mechanism.column, rates=rates, otherwise=mechanism.otherwise * factor)
    return NotAtRandom(bands=tuple(Band(below=b.below, rate=b.rate * factor) for b in mechanism.bands or ()))


def test_cells_that_an_earlier_rule_emptied_are_not_missed() -> None:
    """A rule after one that emptied half of its cells keeps its rate among the others, and is held to it there."""
    gaps, blanks = (
        rule(MissingValues(columns=("note",)), 0.5, "gaps"),
        rule(StrayBlanks(columns=("note",)), 0.4, "blanks"),
    )
    found = {rate.rule: rate for rate in judged([gaps, blanks])}
    assert found["blanks"].passed
    assert 0.1 < found["blanks"].low < found["blanks"].rate < 0.3
    fewer = rule(StrayBlanks(columns=("note",)), 0.2, "blanks")
    assert not {rate.rule: rate for rate in judged([gaps, fewer], [gaps, blanks])}["blanks"].passed


def test_shares_are_of_the_eligible_cells() -> None:
    """What is told of a rule is counted as the ledger counts it."""
    only = judged([rule(MissingValues(columns=("note",)), 0.1)])[0]
    entries = noised([rule(MissingValues(columns=("note",)), 0.1)]).ledger
    assert (only.eligible, only.cells, only.rate) == (SIZE, entries.height, entries.height / SIZE)
    assert only.expected == pytest.approx(0.1)


def test_nothing_to_count_is_nothing_to_judge() -> None:
    """Without rules there are no rates."""
    assert judged([]) == []


def test_the_slow_law_is_a_law() -> None:
    """The oracle of the bounds adds up to one, and is scipy's for cells that are alike."""
    assert slow_law({(0.3,): 4}) == pytest.approx(list(binom.pmf(range(5), 4, 0.3)))
    assert sum(slow_law(Counter({(0.9, 0.2): 2, (0.5,): 3}))) == pytest.approx(1.0)
    assert pl.DataFrame(slow_law({(1.0, 1.0): 1}), schema=["p"])["p"].to_list() == [0.0, 0.0, 1.0]

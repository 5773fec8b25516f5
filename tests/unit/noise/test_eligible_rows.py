"""The rows that a rule could have changed: all that it does change at rate 1, whatever the draws, and no others."""

import polars as pl
import pytest

from pipeline.keyed import Key
from pipeline.model import Environment
from pipeline.noise.engine import apply_noise, eligible_rows
from pipeline.noise.kinds.missing import MissingValues
from pipeline.noise.kinds.names.drift import NamingDrift
from pipeline.noise.mechanisms import CompletelyAtRandom, Condition
from pipeline.noise.spec import NoiseSpec, Rule

TABLE = pl.DataFrame(
    {
        "id": ["1", "2", "3", "4"],
        "firm": ["a", None, "b", None],
        "measure": ["revenue", "profit", "head count", None],
        "unit": ["yuan", "yuan", None, None],
        "value": ["1", None, "3", None],
    }
)
GAPS = MissingValues(columns=("firm", "value"))
DRIFT = NamingDrift(columns=("measure",), vocabulary="measures")


@pytest.mark.parametrize(
    ("kind", "where", "expected"),
    [
        (GAPS, (), {"1", "3"}),
        (GAPS, (Condition(column="unit", equals="yuan"),), {"1"}),
        (DRIFT, (), {"1", "2"}),
        (DRIFT, (Condition(column="measure", equals="head count"),), set()),
    ],
    ids=["any column that is there", "where", "names with aliases", "nowhere"],
)
@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_eligible_rows_are_those_changed_at_rate_one(
    kind: MissingValues | NamingDrift,
    where: tuple[Condition, ...],
    expected: set[str],
    rate: float,
    environment: Environment,
    key: Key,
) -> None:
    """The rate plays no part; at rate 1 the ledger names exactly these rows."""
    rule = Rule(name="r", kind=kind, tables=("figures",), where=where, mechanism=CompletelyAtRandom(rate=rate))
    published = environment.table("figures")
    found = eligible_rows(TABLE, published, rule, environment, key)
    assert sorted(found) == sorted(expected)
    spec = NoiseSpec(environment="small", rules=(rule,))
    changed = apply_noise(TABLE, published, spec, environment, key).ledger["row_key"]
    assert set(changed) == (expected if rate else set())

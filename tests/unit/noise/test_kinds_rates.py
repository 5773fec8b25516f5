"""Every kind keeps its rate, as `validation/expectations/rates.py` counts it: what is said there of kinds is tried here."""

import pytest

from pipeline.keyed import Key
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from tests.unit.noise.kind_case import KindCase
from tests.unit.noise.kind_cases import CASES
from tests.unit.noise.test_every_kind import noised
from validation.expectations.rates import alpha_of, rule_rates


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_every_kind_keeps_its_rate(case: KindCase, rate: float) -> None:
    """A rule of any kind is within its bounds, under several keys; at rate 1 a kind that never keeps a cell changes all."""
    rule = Rule(name="rule", kind=case.kind, tables=(case.published.name,), mechanism=CompletelyAtRandom(rate=rate))
    spec = NoiseSpec(environment=case.environment.name, rules=(rule,))
    clean = {case.published.name: case.rows, **case.beside}
    for byte in range(4):
        key = Key(bytes([byte]) * 32)
        done = noised(case, case.rows, key, rate)
        alpha = alpha_of(spec, done.opportunities)
        for found in rule_rates(case.environment, spec, done.ledger, done.opportunities, clean, key, alpha):
            assert found.passed, found

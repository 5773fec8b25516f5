"""What the ledger calls recoverable is what `mended` takes back, cell for cell, and it takes back nothing else."""

import pytest

from pipeline.noise.engine import apply_noise
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from tests.unit.noise.applied import KEY
from tests.unit.noise.cases_dates import CASES_OF_DATES
from tests.unit.noise.cases_formats import CASES_OF_FORMATS
from tests.unit.noise.cases_keys import CASES_OF_KEYS
from tests.unit.noise.cases_missing import CASES_OF_MISSING
from tests.unit.noise.cases_names import NAMES
from tests.unit.noise.kind_case import KindCase

OF_NAMES = [case for case in NAMES if "drift" not in str(case)]


@pytest.mark.parametrize(
    "case", [*CASES_OF_MISSING, *CASES_OF_KEYS, *CASES_OF_DATES, *CASES_OF_FORMATS, *OF_NAMES], ids=str
)
def test_recoverable_is_what_is_taken_back(case: KindCase) -> None:
    """Of every changed cell: it is clean again after `mended` if and only if the ledger says so, over 10 keys."""
    name = case.published.name
    rule = Rule(name="rule", kind=case.kind, tables=(name,), mechanism=CompletelyAtRandom(rate=1.0))
    spec = NoiseSpec(environment="small", rules=(rule,))
    for number in range(10):
        key = KEY.derive(str(number))
        noised = apply_noise(case.rows, case.published, spec, case.environment, key, beside=case.beside)
        after = case.kind.mended(noised.frame, case.published, case.environment, case.beside)
        cells = {row["id"]: row for row in after.iter_rows(named=True)}
        for entry in noised.ledger.iter_rows(named=True):
            is_clean = cells[entry["row_key"]][entry["column"]] == entry["before"]
            assert is_clean == entry["recoverable"], entry

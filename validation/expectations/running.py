"""Runs suites with Great Expectations: expectations as data and a table in, results out.

No data context is made: nothing is written to the home folder, nothing is sent anywhere, and the table is not fingerprinted
(which costs more than all expectations together). pandas gets the table as Arrow arrays, without a copy of its texts.
"""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import polars as pl
from great_expectations.core.expectation_validation_result import (
    ExpectationSuiteValidationResult,
    ExpectationValidationResult,
)
from great_expectations.execution_engine.pandas_execution_engine import PandasExecutionEngine
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration
from great_expectations.validator.validator import Validator

from validation.expectations import custom as _registered  # noqa: F401  (registers our expectations)
from validation.expectations.suites import Expected

_SETTINGS = {"result_format": "BASIC", "catch_exceptions": False}


def run(name: str, suite: Sequence[Expected], table: pl.DataFrame) -> ExpectationSuiteValidationResult:
    """Return the results of a suite, in its order.

    Args:
        name: The table's name.
        suite: The expectations.
        table: The published table, as text.
    """
    read: dict[str, list[Expected]] = {"texts": [], "numbers": [], "findings": []}
    for expected in suite:
        read[expected.reads].append(expected)
    found = {
        "texts": _by_table(read["texts"], table.to_pandas(use_pyarrow_extension_array=True)),
        "numbers": _by_table(read["numbers"], _as_numbers(table, [expected.column for expected in read["numbers"]])),
        "findings": iter(
            [_configuration(expected).to_domain_obj().metrics_validate({}) for expected in read["findings"]]
        ),
    }
    results = [next(found[expected.reads]) for expected in suite]
    for result in results:  # the renderer of pages does not take numpy's integers and floats for numbers
        result.result = {name: _plain(value) for name, value in result.result.items()}
    met = sum(bool(result.success) for result in results)
    return ExpectationSuiteValidationResult(
        success=met == len(results),
        results=results,
        suite_name=name,
        statistics={
            "evaluated_expectations": len(results),
            "successful_expectations": met,
            "unsuccessful_expectations": len(results) - met,
            "success_percent": 100 * met / len(results) if results else 100.0,
        },
    )


class _Quiet(Validator):
    """A validator that draws no progress bars."""

    def _determine_progress_bars(self) -> bool:
        return False


def _as_numbers(table: pl.DataFrame, columns: Sequence[str]) -> Any:
    return table.select(pl.col(list(dict.fromkeys(columns))).cast(pl.Float64, strict=False)).to_pandas()


def _by_table(suite: Sequence[Expected], table: Any) -> Iterator[ExpectationValidationResult]:
    """Return results in the order of the suite; `table` is a frame of pandas."""
    if not suite:
        return iter(())
    engine = PandasExecutionEngine(batch_data_dict={"table": table})
    with warnings.catch_warnings(action="ignore"):  # pandas warns about groups in a pattern, which are not used here
        results = _Quiet(execution_engine=engine).graph_validate(
            configurations=[_configuration(expected, place) for place, expected in enumerate(suite)],
            runtime_configuration=dict(_SETTINGS),
        )
    place = {id(result): result.expectation_config.meta["place"] for result in results if result.expectation_config}
    return iter(sorted(results, key=lambda result: place[id(result)]))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _configuration(expected: Expected, place: int = 0) -> ExpectationConfiguration:
    column = {"column": expected.column} if expected.column else {}
    return ExpectationConfiguration(type=expected.name, kwargs=column | dict(expected.arguments), meta={"place": place})

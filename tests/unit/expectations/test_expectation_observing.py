"""What a table shows of its expectations: results are those that Great Expectations' own engine finds, on any table."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from validation.expectations.expected import Expected
from validation.expectations.observing import observed

TEXTS = ["1", "2", "01", "-7", "1.5", "x", "", " 1", "nan", "inf", "1\n", "\u0661", "\uff11", "ä", "null"]

SUITE = (
    Expected(name="expect_table_columns_to_match_ordered_list", arguments={"column_list": ["a", "b"]}),
    Expected(name="expect_table_row_count_to_equal", arguments={"value": 3}),
    *(
        Expected(name=f"expect_column_{name}", column=column, arguments=arguments, reads=reads)
        for column in ("a", "b")
        for name, arguments, reads in (
            ("values_to_not_be_null", {}, "texts"),
            ("values_to_be_unique", {}, "texts"),
            ("values_to_be_unique", {}, "numbers"),
            ("values_to_match_regex", {"regex": r"^(-?(0|[1-9][0-9]*))$"}, "texts"),
            ("values_to_match_regex", {"regex": r"^(\d+)$"}, "texts"),
            ("values_to_be_in_set", {"value_set": ["1", "x", ""]}, "texts"),
            ("values_to_be_in_set", {"value_set": []}, "texts"),
            ("min_to_be_between", {"min_value": 0}, "numbers"),
            ("max_to_be_between", {"max_value": 1}, "numbers"),
        )
    ),
)


@pytest.fixture(autouse=True, scope="module")
def imported() -> None:
    """Import Great Expectations, whose libraries use what Python and pandas have deprecated."""
    with warnings.catch_warnings(action="ignore"):
        from validation.expectations import running  # noqa: F401, PLC0415


def by_their_engine(suite: Sequence[Expected], table: pl.DataFrame) -> list[dict[str, Any]]:
    """Have Great Expectations look at all rows itself, each expectation by its own metrics."""
    from great_expectations.execution_engine.pandas_execution_engine import PandasExecutionEngine  # noqa: PLC0415
    from great_expectations.expectations.expectation_configuration import ExpectationConfiguration  # noqa: PLC0415
    from great_expectations.validator.validator import Validator  # noqa: PLC0415

    read = {
        "texts": table.to_pandas(use_pyarrow_extension_array=True),
        "numbers": table.select(pl.all().cast(pl.Float64, strict=False)).to_pandas(),
    }
    found: dict[int, dict[str, Any]] = {}
    for which, frame in read.items():
        validator = Validator(execution_engine=PandasExecutionEngine(batch_data_dict={"table": frame}))
        validator.metrics_calculator.show_progress_bars = False
        with warnings.catch_warnings(action="ignore"):
            results = validator.graph_validate(
                configurations=[
                    ExpectationConfiguration(
                        type=expected.name,
                        kwargs=({"column": expected.column} if expected.column else {}) | dict(expected.arguments),
                        meta={"place": place},
                    )
                    for place, expected in enumerate(suite)
                    if expected.reads == which
                ],
                runtime_configuration={"result_format": "BASIC", "catch_exceptions": False},
            )
        found |= {result.expectation_config.meta["place"]: told(result) for result in results}
    return [found[place] for place in range(len(suite))]


def told(result: Any) -> dict[str, Any]:
    """Return whether an expectation is met, and what is shown of it, missing values as None."""
    return {"success": bool(result.success)} | {name: _plain(value) for name, value in result.result.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    value = value.item() if isinstance(value, np.generic) else value
    return None if pd.isna(value) else value


def by_ours(suite: Sequence[Expected], table: pl.DataFrame) -> list[dict[str, Any]]:
    from validation.expectations.running import run  # noqa: PLC0415

    return [told(result) for result in run("table", suite, observed(suite, table)).results]


cells = st.lists(st.tuples(*[st.one_of(st.none(), st.sampled_from(TEXTS), st.text(max_size=3))] * 2), max_size=30)


@settings(max_examples=15)
@given(cells)
@example([(text, None) for text in TEXTS])
@example([(text, text) for text in TEXTS for _ in range(2)])
def test_any_table_is_judged_as_their_engine_judges_it(rows: list[tuple[str | None, str | None]]) -> None:
    """Every verdict, count and share, and the first unexpected values are the same, also of texts that are hardly numbers."""
    table = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row")
    assert by_ours(SUITE, table) == by_their_engine(SUITE, table)


@pytest.mark.parametrize("rows", [0, 1, 25])
def test_a_column_of_nothing_is_judged_as_their_engine_judges_it(rows: int) -> None:
    """No rows, or more missing cells than are shown."""
    table = pl.DataFrame({"a": [None] * rows, "b": ["1"] * rows}, schema={"a": pl.String, "b": pl.String})
    assert by_ours(SUITE, table) == by_their_engine(SUITE, table)

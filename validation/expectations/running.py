"""Judges suites with Great Expectations: expectations as data and what a table shows of them in, results out.

No data context is made: nothing is written to the home folder, and nothing is sent anywhere. Its engine is not used, because
`observing.py` has looked at the rows: each expectation judges by the metrics that it is handed.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from great_expectations.core.expectation_validation_result import (
    ExpectationSuiteValidationResult,
    ExpectationValidationResult,
)
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

from validation.expectations import custom as _registered  # noqa: F401  (registers our expectations)
from validation.expectations.data_docs import page_of
from validation.expectations.expected import Expected, JudgedSuite, Observed, SuiteVerdict


def judged(suite: JudgedSuite) -> SuiteVerdict:
    """Judge a table by its suite, and make its page."""
    found = run(suite.table, suite.expected, suite.seen)
    return SuiteVerdict(
        results=[(bool(each.success), dict(each.result)) for each in found.results],
        page=page_of(found, variant=suite.variant, title=suite.title),
    )


def run(name: str, suite: Sequence[Expected], seen: Iterable[Observed]) -> ExpectationSuiteValidationResult:
    """Return the results of a suite, in its order.

    Args:
        seen: What the published table shows of each.
    """
    results = [_judged(expected, metrics) for expected, metrics in zip(suite, seen, strict=True)]
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


class _Metrics(dict[Any, Any]):
    """Metrics by name. Great Expectations asks for them by name, domain and arguments, which are those of one expectation."""

    def __contains__(self, asked: object) -> bool:
        return super().__contains__(_name(asked))

    def __getitem__(self, asked: object) -> Any:
        return super().__getitem__(_name(asked))


def _name(asked: object) -> object:
    return asked[0] if isinstance(asked, tuple) else asked


def _judged(expected: Expected, metrics: Observed) -> ExpectationValidationResult:
    column = {"column": expected.column} if expected.column else {}
    configuration = ExpectationConfiguration(type=expected.name, kwargs=column | dict(expected.arguments))
    settings = {"result_format": "BASIC"}
    return configuration.to_domain_obj().metrics_validate(_Metrics(metrics), runtime_configuration=settings)

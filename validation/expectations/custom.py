"""Expectations of our own: references, deviations that are rules, rates, distributions and identities.

Their arguments are findings that were computed and checked elsewhere; here they are judged and worded. Great Expectations
registers them by their class names when this module is imported.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from great_expectations.expectations.expectation import BatchExpectation, render_suite_parameter_string
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration
from great_expectations.render.components import LegacyRendererType, RenderedStringTemplateContent
from great_expectations.render.renderer.renderer import renderer

Strings = list[RenderedStringTemplateContent]
Configured = ExpectationConfiguration | None
Settings = dict[str, Any] | None


class _Evidence(BatchExpectation):
    """A finding of another report, used as it is."""

    metric_dependencies: ClassVar[tuple[str, ...]] = ()
    domain_keys: ClassVar[tuple[str, ...]] = ()
    _words: ClassVar[str]

    @classmethod
    @renderer(renderer_type=LegacyRendererType.PRESCRIPTIVE)
    @render_suite_parameter_string
    def _prescriptive_renderer(
        cls,
        configuration: Configured = None,
        result: Any = None,  # noqa: ARG003  (the interface)
        runtime_configuration: Settings = None,
    ) -> Strings:
        return _in_words(cls._words, configuration, runtime_configuration)

    @abstractmethod
    def _found(self) -> tuple[bool, str]:
        """Return whether it is met, and the observation in words."""

    def _validate(self, *_: Any, **__: Any) -> dict[str, Any]:
        is_met, observed = self._found()
        return {"success": is_met, "result": {"observed_value": observed}}


class ExpectColumnValuesToReferToTable(_Evidence):
    """Every value occurs in a column of another clean table."""

    column: str
    table: str
    there: str
    values: int
    dangling: int
    _words: ClassVar[str] = "values must occur in $there of the clean $table"

    def _found(self) -> tuple[bool, str]:
        return self.dangling == 0, f"{self.dangling:,} of {self.values:,} distinct values do not"


class ExpectColumnDeviationsToBeRules(_Evidence):
    """Every cell that differs from the clean table was changed by a rule, as the ledger says."""

    column: str
    rules: str
    cells: int
    deviating: int
    breaking: int
    unexplained: int
    row_keys: list[str]
    _words: ClassVar[str] = "cells must be as in the clean table, or changed by a rule of the specification: $rules"

    def _found(self) -> tuple[bool, str]:
        where = f", in rows {', '.join(self.row_keys)}" if self.row_keys else ""
        return self.unexplained == 0, (
            f"{self.deviating:,} cells deviate, {self.breaking:,} of the column do not meet the strict suite; "
            f"{self.unexplained:,} without a rule{where}"
        )


class ExpectRowsToComeFromCleanOnes(_Evidence):
    """After undoing the ledger's changes to rows and file, the rows are those of the clean table."""

    entries: int
    is_met: bool
    _words: ClassVar[str] = (
        "without rows and columns that rules took, added or moved, rows must be those of the clean table"
    )

    def _found(self) -> tuple[bool, str]:
        changes = f"{self.entries:,} change{'s' * (self.entries != 1)} of whole rows, columns or the file, taken back"
        return self.is_met, changes if self.entries else "no row was added, removed or moved"


class ExpectRuleRateToBeWithinBounds(_Evidence):
    """A rule changed as many cells as the specification says, by exact bounds."""

    column: str | None = None
    rule: str
    kind: str
    eligible: int
    cells: int
    expected: float
    low: float
    high: float
    is_met: bool
    _words: ClassVar[str] = (
        "the rule “$rule” ($kind) must change a share of the $eligible cells or rows it can, at least $low and at most $high"
    )

    def _found(self) -> tuple[bool, str]:
        share = self.cells / self.eligible if self.eligible else 0.0
        return self.is_met, f"{self.cells:,} of them, a share of {share:.4g}; {self.expected:.4g} expected"


class ExpectDistributionsToBeKept(_Evidence):
    """The Kolmogorov-Smirnov tests of a measure, in every group and year, find no difference from the original."""

    measure: str
    tests: int
    rejected: int
    allowed: int
    largest_statistic: float
    smallest_p_value: float
    _words: ClassVar[str] = (
        "$measure must be distributed as the original, group by group: at most $allowed tests rejected"
    )

    def _found(self) -> tuple[bool, str]:
        return self.rejected <= self.allowed, (
            f"{self.rejected} of {self.tests:,} tests rejected; largest D {self.largest_statistic:.4g}, "
            f"smallest p {self.smallest_p_value:.4g}"
        )


class ExpectIdentityToHold(_Evidence):
    """An identity between measures holds to the last digit."""

    identity: str
    records: int
    max_residual: int
    _words: ClassVar[str] = "$identity must hold to the last digit"

    def _found(self) -> tuple[bool, str]:
        return self.max_residual == 0, f"off by at most {self.max_residual} last digits in {self.records:,} records"


def _in_words(words: str, configuration: Configured, runtime_configuration: Settings) -> Strings:
    arguments: Mapping[str, Any] = configuration.kwargs if configuration else {}
    settings = runtime_configuration or {}
    template = words
    if settings.get("include_column_name") is not False and arguments.get("column"):
        template = f"$column {words}"
    return [
        RenderedStringTemplateContent(
            content_block_type="string_template",
            string_template={
                "template": template,
                "params": {name: _worded(value) for name, value in arguments.items() if f"${name}" in template},
                "styling": settings.get("styling", {}),
            },
        )
    ]


def _worded(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)

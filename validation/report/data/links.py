"""Where a column leads: to the rules that change it, the tests of its figures, the suite of its table, and its treatment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anonymize.policy import POLICIES
from pipeline.publish.manifest import treatments_in
from validation.profile import ColumnProfile
from validation.report.documents import Reports
from validation.report.documents.noise import Noise

_FIGURES = "figures."
"""What the origins of a column start with if figures are made of it."""

_NAMED = 3
"""Origins of a column that are named; more are counted."""


@dataclass(frozen=True, kw_only=True)
class Links:
    """What the columns of all tables lead to."""

    rules: Mapping[tuple[str, str], Sequence[tuple[str, str]]] = field(default_factory=dict)
    """Table and column -> the rules that may change it, each with its place on the page."""
    treatments: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    """Table -> what became of originals -> columns, as the manifest has it."""
    suites: Mapping[str, str] = field(default_factory=dict)
    """Table -> the page of its suite."""
    files: frozenset[str] = frozenset()
    """Paths of the files that are published beside the page's folder."""
    has_tests: bool = False
    """Whether the page shows tests of figures."""
    is_sampled: bool = False
    """Whether records are sampled."""

    @classmethod
    def of(cls, reports: Reports, manifest: Mapping[str, Any]) -> "Links":
        """Return what a variant's page shows."""
        expectations = reports.expectations
        return cls(
            rules=_rules(reports.noise) if reports.noise else {},
            treatments=treatments_in(manifest),
            suites={suite.table: suite.page for suite in expectations.tables} if expectations else {},
            files=frozenset(file["path"] for file in manifest["files"]),
            has_tests=reports.ks is not None,
            is_sampled=POLICIES[manifest["policy"]].samples_records,
        )

    def treatment(self, table: str, column: str) -> str:
        """Return what became of the original of a column; empty if the manifest does not say."""
        return next((treatment for treatment, names in self.treatments.get(table, {}).items() if column in names), "")

    def origin(self, column: ColumnProfile) -> str:
        """Return what a column is made of, in a few words; a table alone where its column has the same name."""
        named = [origin.removesuffix(f".{column.column}") for origin in column.made_of[:_NAMED]]
        further = len(column.made_of) - len(named)
        return ", ".join([*named, *([f"{further} more"] if further else [])])

    def tested(self, column: ColumnProfile) -> bool:
        """Say whether the figures of a column are those that tests compare with the originals'."""
        return self.has_tests and any(origin.startswith(_FIGURES) for origin in column.made_of)


def anchor_of_rule(place: int) -> str:
    """Return the place on the page of a rule, by its number in `noise.json`."""
    return f"rule-{place}"


def _rules(noise: Noise) -> dict[tuple[str, str], list[tuple[str, str]]]:
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for place, rule in enumerate(noise.rules):
        found.setdefault((rule.table, rule.column), []).append((rule.rule, anchor_of_rule(place)))
    return found

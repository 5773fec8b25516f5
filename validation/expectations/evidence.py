"""Findings of other reports about figures, as expectations of the table that holds them: distributions and identities."""

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.model import Environment
from validation.expectations.expected import Expected


def evidence(
    environment: Environment, ks: Mapping[str, Any], consistency: Mapping[str, Any]
) -> dict[str, list[Expected]]:
    """Return expectations by table.

    Args:
        environment: Declares which table holds the figures, in its views; without views there are no expectations.
        ks: The content of `ks.json`; empty if no figures are declared.
        consistency: The content of `consistency.json`.
    """
    if environment.views is None or not environment.views.figures or not environment.panel:
        return {}
    return {environment.views.figures[0].table: [*_distributions(ks), *_identities(consistency)]}


def _distributions(ks: Mapping[str, Any]) -> Iterator[Expected]:
    by_measure: dict[str, list[Mapping[str, Any]]] = {}
    for test in ks["tests"]:
        by_measure.setdefault(test["measure"], []).append(test)
    for measure, tests in by_measure.items():
        found = {
            "measure": measure,
            "tests": len(tests),
            "rejected": sum(test["p_value"] <= ks["alpha"] for test in tests),
            "allowed": ks["allowed"],
            "largest_statistic": max(test["statistic"] for test in tests),
            "smallest_p_value": min(test["p_value"] for test in tests),
        }
        yield Expected(name="expect_distributions_to_be_kept", arguments=found, reads="findings")


def _identities(consistency: Mapping[str, Any]) -> Iterator[Expected]:
    for entry in consistency["identities"]:
        found = {name: entry[name] for name in ("identity", "records", "max_residual")}
        yield Expected(name="expect_identity_to_hold", arguments=found, reads="findings")

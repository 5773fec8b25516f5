"""The report `consistency`: do aggregates, counts and identities still say what those of the originals say?"""

from collections.abc import Iterator
from typing import Any

import dagster as dg
import polars as pl

from anonymize.figures.closure import breaks
from anonymize.policy import LSD
from anonymize.tables import original_figures
from assets.boundary import guarded, keep
from assets.derived import SUPPRESSED
from assets.gates import gate, verdict
from assets.keys import STORE, Stage, key
from assets.sides import both_sides, coded, sides
from pipeline.derive import derive_aggregate
from pipeline.environment.model import Environment, GivenAggregate
from pipeline.resources import Workspace
from pipeline.suppression import suppress
from validation.consistency import (
    compare_aggregates,
    compare_counts,
    compare_structure,
    consistency_report,
    failures,
    lsd_bounds,
)
from validation.given import compare_given
from validation.reports import report_json
from validation.residuals import broken_identities, identity_residuals

CONSISTENCY = "consistency"


def consistency_asset(environment: Environment) -> dg.AssetsDefinition:
    """Return the asset of cross-domain consistency."""

    @dg.asset(
        key=key(environment, Stage.REPORTS, CONSISTENCY),
        ins=both_sides(environment)
        | {
            name: dg.AssetIn(key(environment, Stage.DERIVED, name))
            for name in (*_aggregate_names(environment), SUPPRESSED)
        }
        | {
            _given_input(given): dg.AssetIn(key(environment, Stage.CONFORMED, given.table))
            for given in _given(environment)
        },
        group_name=Stage.REPORTS,
        io_manager_key=STORE,
        dagster_type=dg.Any,
        check_specs=[gate(environment, CONSISTENCY, "aggregates_and_identities_agree")],
    )
    def consistency(workspace: Workspace, **tables: Any) -> Iterator[dg.Output[Any] | dg.AssetCheckResult]:
        """Re-derived aggregates against those of the originals, and the residual of every identity."""
        with guarded(workspace, environment):
            entities, conformed, figures = sides(environment, tables)
            originals = original_figures(environment, conformed)
            offsets, structures, agreements = [], [], []
            policy = workspace.release_policy()
            bounds = lsd_bounds(environment.panel) if policy == LSD else {}
            # Groups as published: what was given up of quasi-identifiers is told apart, in the privacy report.
            grouped = coded(environment, entities, back=True) if policy.k > 1 else entities[0]
            for aggregate in environment.aggregates:
                before = derive_aggregate(environment, aggregate, grouped, originals)
                name = aggregate.name
                shown = suppress(before[name], aggregate, tables[SUPPRESSED])
                offsets += compare_aggregates(shown, tables[name], table=name, bounds=bounds)
                structures.append(compare_structure(shown, tables[name], table=name))
                if aggregate.given and (given := tables[_given_input(aggregate.given)]) is not None:
                    is_whole = grouped is entities[0]
                    whole = before if is_whole else derive_aggregate(environment, aggregate, entities[0], originals)
                    agreements.append(compare_given(given, whole[name], aggregate.given))
                if aggregate.counts:
                    counted = aggregate.counts_name
                    structures.append(compare_counts(before[counted], tables[counted], table=counted))
            code, panel = environment.entities.code, environment.panel
            broken = breaks(originals, panel, code=code)
            residuals = identity_residuals(figures, panel, code=code, held=broken.select(~pl.all()))
            outputs = {identity.output for identity in panel.identities} if policy.rebuilds_figures else None
            report = consistency_report(offsets, structures, residuals, recomputed=outputs) | {
                "broken": broken_identities(broken, breaks(figures, panel, code=code)),
                "given": [vars(entry) for entry in agreements],
            }
            defects = failures(offsets, structures, residuals, recomputed=outputs)
            if defects:
                keep(workspace, environment, "consistency_defects.txt", "\n".join(defects))
            facts = {"defects": len(defects), "identities": len(residuals)}
            yield dg.Output(report_json(report).decode(), metadata=facts)
            yield verdict("aggregates_and_identities_agree", is_passed=report["passed"], facts=facts)

    return consistency


def _aggregate_names(environment: Environment) -> list[str]:
    return [name for aggregate in environment.aggregates for name in aggregate.tables()]


def _given(environment: Environment) -> list[GivenAggregate]:
    return [aggregate.given for aggregate in environment.aggregates if aggregate.given]


def _given_input(given: GivenAggregate) -> str:
    return f"given_{given.table}"

"""The report `ks`: have anonymised and original figures one distribution, in every measure, industry and year?"""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from anonymize.tables import original_figures
from assets.boundary import guarded
from assets.gates import gate, verdict
from assets.keys import STORE, Stage, key
from assets.sides import both_sides, coded, sides, with_group
from pipeline.environment.model import Environment
from pipeline.resources import Workspace
from validation.reports import report_json
from validation.two_sample import compare_distributions, ks_report

KS = "ks"


def ks_asset(environment: Environment) -> dg.AssetsDefinition:
    """Return the asset of the tests of distributions."""

    @dg.asset(
        key=key(environment, Stage.REPORTS, KS),
        ins=both_sides(environment),
        group_name=Stage.REPORTS,
        io_manager_key=STORE,
        dagster_type=dg.Any,
        check_specs=[gate(environment, KS, "no_distribution_differs")],
    )
    def ks(workspace: Workspace, **tables: Any) -> Iterator[dg.Output[Any] | dg.AssetCheckResult]:
        """Two-sample Kolmogorov-Smirnov tests of every measure in every sub-industry and year."""
        with guarded(workspace, environment):
            entities, conformed, figures = sides(environment, tables)
            originals = original_figures(environment, conformed)
            group = environment.entities.sub_industry
            report = ks_report(
                compare_distributions(
                    with_group(environment, originals, entities[0], group),
                    with_group(environment, figures, coded(environment, entities), group),
                    panel=environment.panel,
                    group=group,
                ),
                is_rebuilt=workspace.release_policy().rebuilds_figures,
            )
            facts = {name: report[name] for name in ("rejected", "smallest_p_value", "largest_statistic")}
            yield dg.Output(report_json(report).decode(), metadata={"tests": len(report["tests"]), **facts})
            yield verdict("no_distribution_differs", is_passed=report["passed"], facts=facts)

    return ks

"""Assembles Dagster's definitions of an environment. No logic: lists of assets, jobs and resources, each from its own file.

`dagster dev` loads `defs`, the default environment; any registered one is an attribute of this module by its name with
underscores (`dagster dev -m silt.definitions -a us_listed`).
"""

import dagster as dg

from assets.ablations import ablations_asset
from assets.anonymised import anonymised_assets
from assets.conformed import conformed_assets
from assets.derived import derived_assets
from assets.evidence.reports import report_assets
from assets.noisy import noisy_assets
from assets.published import published_assets
from assets.rendered import rendered_assets
from assets.wiring.keys import Stage, job_name, key
from assets.wiring.progress import progress_logger
from assets.wiring.request import Request
from assets.wiring.resources import Asked, Workspace
from pipeline.model import Environment
from pipeline.model.fates import refuse_undecided
from pipeline.publish.ablations import ABLATIONS
from pipeline.publish.variant import VARIANTS
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.registry import ENVIRONMENTS

_BUILT = {variant: f"the {variant} variant" for variant in VARIANTS} | {ABLATIONS: "every ablation variant"}
"""What the job of each name builds and publishes, with all stages that it needs."""


def build_defs(
    environment: Environment = DATACLAW_18, *, workspace: Workspace | None = None, request: Request | None = None
) -> dg.Definitions:
    """Return the definitions of one environment.

    Args:
        environment: What is built.
        workspace: Where and how, unless a run in the web graph says otherwise; the request is resolved when a run starts.
        request: The request of every run, if it is resolved already.

    Raises:
        InputError: Something of it would be published that nobody decided on.
    """
    refuse_undecided(environment)
    asked = Asked(environment=environment, **(workspace or Workspace()).model_dump())
    return dg.Definitions(
        assets=[
            conformed_assets(environment),
            anonymised_assets(environment),
            *derived_assets(environment),
            *rendered_assets(environment),
            *noisy_assets(environment),
            *report_assets(environment),
            *published_assets(environment),
            ablations_asset(environment),
        ],
        jobs=[
            dg.define_asset_job(
                job_name(variant),
                selection=_all_that_makes(key(environment, Stage.PUBLISHED, variant)),
                config={"loggers": {"console": {}}},
                description=f"Build and publish {built} of {environment.name}.",
            )
            for variant, built in _BUILT.items()
        ],
        resources={"request": request or asked},
        executor=dg.in_process_executor,
        loggers={"console": progress_logger},
    )


def _all_that_makes(asset: dg.AssetKey) -> dg.AssetSelection:
    return dg.AssetSelection.assets(asset).upstream().required_multi_asset_neighbors()


def __getattr__(name: str) -> dg.Definitions:
    """Return the definitions of the registered environment of that name, made when asked for."""
    found = ENVIRONMENTS.get(name.replace("_", "-"))
    if found is None:
        raise AttributeError(name)
    return build_defs(found)


defs = build_defs()

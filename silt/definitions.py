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
from assets.raw import raw_assets
from assets.rendered import rendered_assets
from assets.wiring.jobs import jobs
from assets.wiring.keys import SEALED_STORE, STORE
from assets.wiring.progress import progress_logger
from assets.wiring.resources import Workspace
from assets.wiring.store import SealedStore, StageStore
from pipeline.model import Environment
from pipeline.model.fates import refuse_undecided
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.registry import ENVIRONMENTS


def build_defs(environment: Environment = DATACLAW_18, *, workspace: Workspace | None = None) -> dg.Definitions:
    """Return the definitions of one environment, built where and how `workspace` says.

    Raises:
        InputError: Something of it would be published that nobody decided on.
    """
    refuse_undecided(environment)
    settings = workspace or Workspace()
    return dg.Definitions(
        assets=[
            raw_assets(environment),
            conformed_assets(environment),
            anonymised_assets(environment),
            *derived_assets(environment),
            *rendered_assets(environment),
            *noisy_assets(environment),
            *report_assets(environment),
            *published_assets(environment),
            ablations_asset(environment),
        ],
        jobs=jobs(environment),
        resources={
            "workspace": settings,
            STORE: StageStore(workspace=settings),
            SEALED_STORE: SealedStore(settings, environment),
        },
        executor=dg.in_process_executor,
        loggers={"console": progress_logger},
    )


def __getattr__(name: str) -> dg.Definitions:
    """Return the definitions of the registered environment of that name, made when asked for."""
    found = ENVIRONMENTS.get(name.replace("_", "-"))
    if found is None:
        raise AttributeError(name)
    return build_defs(found)


defs = build_defs()

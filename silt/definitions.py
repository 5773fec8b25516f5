"""Assembles Dagster's definitions of an environment. No logic: lists of assets, jobs and resources, each from its own file.

`dagster dev` loads `defs`, the default environment; any other is an attribute of this module by what names it on the command
line (`dagster dev -m silt.definitions -a us-listed`, `-a shops.py:SHOPS`).
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import dagster as dg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assets.every_step import declared_steps, ordered
from assets.making.keys import Stage, job_name, op_name
from assets.making.scheduler import Scheduler
from assets.release import RELEASE, release_asset, release_key_of
from assets.settings import PAGES, BuildSettings
from assets.tasks.asset import TASKS, tasks_asset, tasks_key_of
from assets.tasks.making import TasksMade
from assets.wiring.graph.nodes import definition, key, silent_logger
from assets.wiring.graph.run import RunWorkspace
from assets.wiring.graph.shown import RESOURCE, given_to, shown
from assets.wiring.resources import Workspace
from pipeline.model import Environment
from pipeline.model.refused.contradictions import refuse_unready
from pipeline.publish.ablations import ABLATIONS
from pipeline.publish.refusal import REPORT, REPORTS
from pipeline.publish.variant import VARIANTS
from pipeline.release.settings import ReleaseSettings
from pipeline.settings import meanings, plain, settings_from, values_of
from pipeline.tasks.names import PAGE
from pipeline.tasks.settings import TasksSettings
from silt.engines import started
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.registry import ENVIRONMENTS, find_environment

_DEFAULT = "defs"

_BUILT: Mapping[tuple[str, ...], str] = {
    **{(variant,): f"the {variant} variant" for variant in VARIANTS},
    VARIANTS: "both variants",
    (ABLATIONS,): "every ablation variant",
}
"""What each job builds and publishes, with all stages that it needs."""


def build_defs(
    environment: Environment = DATACLAW_18,
    *,
    scheduler: Scheduler | None = None,
    signer: Ed25519PrivateKey | None = None,
    tasks: Callable[[], TasksMade] | None = None,
    settings: Workspace = Workspace(),  # noqa: B008  (frozen)
) -> dg.Definitions:
    """Return the definitions of one environment.

    Args:
        scheduler: What makes the steps, if their request is resolved already; else settings are read when a run starts.
        signer: The key that signs a release, if it is opened already.
        tasks: Makes the tasks as the command line does; else they are made as the web graph does.
        settings: With which the launchpad of its jobs opens.

    Raises:
        InputError: Something of it would be published that nobody decided on.
    """
    refuse_unready(environment)
    declared = declared_steps(environment)
    asked = RunWorkspace(environment=environment, steps=ordered(declared), scheduler=scheduler, start=started)
    steps = (definition(each, place) for place, each in enumerate(declared) if each.shown)
    made_of_both = tasks_asset(environment, make=tasks)
    return dg.Definitions(
        assets=[
            *dg.map_asset_specs(partial(_with_page, _pages(environment, settings.out)), [*steps, made_of_both]),
            release_asset(environment, signer=signer),
        ],
        jobs=[dg.define_asset_job(**job) for job in _jobs(environment, settings)],
        resources={RESOURCE: asked},
        executor=dg.in_process_executor,
        loggers={"console": silent_logger},
    )


def configured(workspace: Workspace) -> dict[str, Any]:
    """Return the configuration of a run with these settings, each of them: so it is read, and repeated, in the web graph."""
    return {"resources": {RESOURCE: {"config": values_of(workspace)}}, "loggers": {"console": {}}}


def _jobs(environment: Environment, settings: Workspace) -> Iterator[dict[str, Any]]:
    """Yield the jobs of an environment, each with the settings with which the launchpad opens."""
    for variants, built in _BUILT.items():
        yield _job(
            environment, job_name(*variants), _published(environment, variants), f"Build and publish {built}", settings
        )
    ends = {
        RELEASE: (release_key_of(environment), ReleaseSettings, "Build both variants, and release them"),
        TASKS: (tasks_key_of(environment), TasksSettings, "Build both variants, and make tasks"),
    }
    for name, (path, further, described) in ends.items():
        asked = {name: plain(default) for name, _, default, _ in meanings(further)}
        job = _job(environment, name, [dg.AssetKey(path)], described, settings)
        yield job | {"config": job["config"] | {"ops": {op_name(environment, *path[1:]): {"config": asked}}}}


def _pages(environment: Environment, out: str) -> Mapping[dg.AssetKey, str]:
    """Return the address of the page of each asset that has one, if `silt dev` serves pages and they are where it looks."""
    served, root = os.environ.get(PAGES), Path(BuildSettings().out).resolve()
    if not served or not Path(out).resolve().is_relative_to(root):
        return {}
    folder = Path(out).resolve().relative_to(root) / environment.name
    pages = {key(environment, Stage.PUBLISHED, variant): folder / variant / REPORTS / REPORT for variant in VARIANTS}
    pages[dg.AssetKey(tasks_key_of(environment))] = folder / TASKS / PAGE
    return {asset: f"{served}/{quote(page.as_posix())}" for asset, page in pages.items()}


def _with_page(pages: Mapping[dg.AssetKey, str], spec: dg.AssetSpec) -> dg.AssetSpec:
    link = f" [Open its page]({pages[spec.key]})" if spec.key in pages else ""
    return spec.replace_attributes(description=f"{spec.description}{link}") if link else spec


def _published(environment: Environment, variants: Sequence[str]) -> list[dg.AssetKey]:
    return [key(environment, Stage.PUBLISHED, variant) for variant in variants]


def _job(
    environment: Environment, name: str, targets: Sequence[dg.AssetKey], described: str, settings: Workspace
) -> dict[str, Any]:
    """Return what defines a job; the type of its definition is Dagster's own."""
    return {
        "name": name,
        "selection": dg.AssetSelection.assets(*targets).upstream().required_multi_asset_neighbors(),
        "config": configured(settings),
        "description": f"{described} of {environment.name}.",
    }


def __getattr__(name: str) -> dg.Definitions:
    """Return `defs`, or the definitions of the environment that is named so on the command line, made when asked for."""
    if name != _DEFAULT and name not in ENVIRONMENTS and ":" not in name:
        raise AttributeError(name)
    found = DATACLAW_18 if name == _DEFAULT else find_environment(name)
    return build_defs(found, settings=settings_shown(found))


def settings_shown(environment: Environment) -> Workspace:
    """Return the settings of the build that the graph shows, if Dagster keeps records."""
    if not os.environ.get("DAGSTER_HOME"):
        return Workspace()
    with dg.DagsterInstance.get() as instance:
        ends = [key(environment, Stage.PUBLISHED, variant) for variant in VARIANTS]
        return settings_from(Workspace, given_to(shown(instance, ends)))


def __dir__() -> list[str]:
    """Return the names of this module, where Dagster looks for definitions."""
    return [*globals(), _DEFAULT]

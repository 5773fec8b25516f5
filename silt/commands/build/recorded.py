"""Runs Dagster's jobs in this process: builds that are recorded, tasks that are, and releases."""

import fcntl
import os
import shlex
import sqlite3
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import dagster as dg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assets.every_step import declared_steps, ordered
from assets.making.keys import job_name, op_name
from assets.making.request import Request
from assets.making.scheduler import Scheduler
from assets.making.shared_store import opened
from assets.making.step import Step
from assets.release import RELEASE, release_key_of, release_op
from assets.tasks.asset import TASKS, tasks_key_of
from assets.tasks.making import TasksMade
from assets.wiring.boundary import StepFailure, within_boundary
from assets.wiring.event_log import without_record
from assets.wiring.graph.nodes import PAGE, key
from assets.wiring.graph.shown import LOCATION, REPOSITORY, tags_of
from assets.wiring.resources import Workspace
from assets.wiring.work import at_work
from pipeline.errors import GateError, InputError
from pipeline.model import Environment
from pipeline.publish.variant import VARIANTS
from pipeline.release.layout import name_of
from pipeline.release.settings import ReleaseSettings
from pipeline.settings import values_of
from pipeline.tasks.settings import TasksSettings
from silt.commands.build.ran import Ran
from silt.commands.build.records import DAGSTER_HOME, is_recorded, left_off, refuse_no_home
from silt.definitions import build_defs, configured, settings_shown
from silt.ending import noting_ends

_SAID = 300
"""Characters that are shown of what Dagster says about its settings."""


def run_recorded(scheduler: Scheduler, missing: Sequence[Step], variants: Sequence[str], workspace: Workspace) -> Ran:
    """Make what is missing, in one run of Dagster's. Steps do not wait until Dagster has started, which takes a second."""
    request = scheduler.request
    assets = {key(request.environment, *place) for step in missing if step.is_shown for place in step.makes}
    defs = build_defs(request.environment, scheduler=scheduler)
    job = defs.resolve_job_def(job_name(*(VARIANTS if set(variants) == set(VARIANTS) else variants)))
    note = left_off(request.environment.name)
    with suppress(OSError):  # a folder that nobody can write to is refused in other words
        note.parent.mkdir(exist_ok=True)
        note.write_text(request.environment.argument, encoding="utf-8")
    ran = _executed(job, assets, request, configured(workspace))
    if ran.is_success:
        note.unlink(missing_ok=True)
        return ran
    try:
        with within_boundary(request.folder):
            scheduler.raise_hidden()
    except StepFailure as hidden:  # Dagster has seen only the steps that wait for it
        return replace(ran, failures=[hidden, *ran.failures])
    return ran


def run_release(
    environment: Environment,
    settings: ReleaseSettings,
    *,
    workspace: Workspace,
    signer: Ed25519PrivateKey | None = None,
) -> Path:
    """Release what was built, in one run of Dagster's; return the public folder. Errors are those of `run_jobs`."""
    request, steps = workspace.request(environment), ordered(declared_steps(environment))
    with at_work(request, steps) as scheduler:
        job = build_defs(environment, scheduler=scheduler, signer=signer).resolve_job_def(RELEASE)
        config = configured(workspace) | {"ops": {release_op(environment): {"config": values_of(settings)}}}
        ran = _executed(job, {dg.AssetKey(release_key_of(environment))}, request, config)
    _raise_refusal(ran)
    return Path(settings.releases) / name_of(environment.name, settings.version)


def run_tasks(request: Request, settings: TasksSettings, make: Callable[[], TasksMade]) -> None:
    """Make tasks in one run of Dagster's, with the settings of the build that they are of. Errors are those of `run_jobs`."""
    environment = request.environment
    store = opened(request.store, request.shared_store, request.release.master)
    scheduler = Scheduler(request, ordered(declared_steps(environment)), store)
    job = build_defs(environment, scheduler=scheduler, tasks=make).resolve_job_def(TASKS)
    asset = tasks_key_of(environment)
    workspace = replace(settings_shown(environment), out=str(request.out), policy=request.policy.name)
    config = configured(workspace) | {"ops": {op_name(environment, *asset[1:]): {"config": values_of(settings)}}}
    _raise_refusal(_executed(job, {dg.AssetKey(asset)}, request, config))


def _raise_refusal(ran: Ran) -> None:
    """Raise what checks refused, or another step met."""
    if refused := ran.refused():
        raise GateError(f"refused by {', '.join(refused)}", refused)
    if not ran.is_success:
        raise ran.error()


def _executed(
    job: dg.JobDefinition, assets: Collection[dg.AssetKey], request: Request, config: Mapping[str, Any]
) -> Ran:
    """Run the part of a job that makes these assets, as a run that the job's page lists."""
    wanted = sorted(job.asset_layer.selected_asset_keys & set(assets))
    with noting_ends() as noted:
        with _recording() as instance:
            result = job.execute_in_process(
                run_config=config, tags=_tags(request), instance=instance, asset_selection=wanted, raise_on_error=False
            )
        if noted() and not result.success:
            raise KeyboardInterrupt
    return _ran(result)


def _tags(request: Request) -> dict[str, str]:
    """Return by what the web graph finds a run: where its job is loaded from, who launched it, and what tells builds apart."""
    location, command = request.environment.name, _command()
    return {
        LOCATION: location,
        ".dagster/repository": f"{REPOSITORY}@{location}",
        "user": " ".join(takewhile(str.isalpha, command)),
        "silt/command": shlex.join(command),
        **tags_of(request),
    }


def _command() -> list[str]:
    """Return the command line as it was given: its paths stand in the settings of the run, too, and no key in either."""
    name, *given = sys.argv
    return ["silt", *given] if Path(name).name == "silt" else ["python"]


@contextmanager
def _recording() -> Iterator[dg.DagsterInstance]:
    """Give Dagster's instance; a storage that fails is the disk's fault, not Silt's."""
    try:
        with opened_instance() as instance:
            yield instance
    except Exception as error:
        reason = _storage_failure(error)
        if reason is None:
            raise
        home = os.environ[DAGSTER_HOME]
        raise InputError(
            f"cannot keep the record of builds under {home}: {reason}; free space there and make it writable"
        ) from error


def _storage_failure(error: BaseException | None) -> sqlite3.Error | None:
    while error is not None and not isinstance(error, sqlite3.Error):
        error = error.__cause__ or error.__context__
    return error


def opened_instance() -> dg.DagsterInstance:
    """Return the instance of the checkout's dagster.yaml, so that builds show in the web graph; else one that forgets.

    Raises:
        InputError: `DAGSTER_HOME` names no folder, or its dagster.yaml cannot be used.
    """
    has_home = is_recorded()
    refuse_no_home()
    if not has_home:
        return without_record()
    home = os.environ[DAGSTER_HOME]
    try:
        with _alone_in(Path(home).expanduser()):
            return dg.DagsterInstance.get()
    except Exception as error:
        if _storage_failure(error):
            raise
        raise InputError(
            f"Dagster cannot use its settings in {DAGSTER_HOME}={home}: {_first_line(error)}; copy the checkout's dagster.yaml "
            f"there, or unset {DAGSTER_HOME}"
        ) from error


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until nobody else holds a folder so, and hold it: Dagster fails where two make the tables of one new record."""
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)[:_SAID]


def _ran(result: dg.ExecuteInProcessResult) -> Ran:
    return Ran(
        checks=[_check(check) for check in result.get_asset_check_evaluations() if check.blocking],
        failures=list(_failures(result)),
        is_success=result.success,
    )


def _check(check: dg.AssetCheckEvaluation) -> dict[str, Any]:
    return {
        "check": check.check_name,
        "is_passed": check.passed,
        "is_warning": check.severity == dg.AssetCheckSeverity.WARN,
        "metadata": {name: ("plain", value.value) for name, value in check.metadata.items()},
    }


def _failures(result: dg.ExecuteInProcessResult) -> Iterator[StepFailure]:
    for failed in (event.step_failure_data for event in result.all_events if event.is_step_failure):
        if failed.user_failure_data is not None:
            facts = {name: value.value for name, value in failed.user_failure_data.metadata.items()}
            yield StepFailure((failed.user_failure_data.description or "failed").partition(PAGE)[0], **facts)

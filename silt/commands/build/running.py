"""Runs Dagster's jobs in this process and turns their outcome into Silt's errors."""

import os
import sqlite3
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import dagster as dg

from assets.evidence.files import Evidence
from assets.published import manifest
from assets.wiring.boundary import DETAILS, EXIT_STATUS, keep
from assets.wiring.keys import Stage, beside, job_name
from assets.wiring.request import Request
from assets.wiring.resources import Workspace
from assets.wiring.store import Value, read_stage
from pipeline.disk import reporting_disk
from pipeline.errors import CRASH_STATUS, GateError, InputError, SiltError
from pipeline.model import Environment
from pipeline.publish.ablations import ABLATIONS
from pipeline.publish.curator import describe
from pipeline.publish.publication import BUILD_LOCK, locked
from pipeline.publish.refusal import forget_reports, keep_reports
from pipeline.publish.variant import NOISY
from silt.definitions import build_defs
from validation.expectations.judging import load

DAGSTER_HOME = "DAGSTER_HOME"

_INTERRUPTED = "UNEXPECTED_TERMINATION"
"""What Dagster calls the end of a run whose process was told to end."""


class DefectError(SiltError):
    """Silt itself failed; the curator's area holds the traceback."""

    exit_status = CRASH_STATUS


_KINDS = {str(kind.exit_status): kind for kind in (GateError, InputError)}


def run_jobs(
    environment: Environment, variants: Sequence[str], *, workspace: Workspace, is_alone: bool = False
) -> Path:
    """Build and publish variants (`noisy`, `clean`, all of the `ablations` together), the stages that they share once.

    Args:
        environment: What is built.
        variants: Names of variants.
        workspace: Where and how.
        is_alone: Whether the process does nothing else, so that what is slow to import may be imported meanwhile.

    Returns:
        The environment's output folder.

    Raises:
        GateError: A gate refused; its reports are kept with the curator.
        InputError: Bad settings or bad input, a full or closed disk, or another build at work in the same folder.
        DefectError: Anything else.
        KeyboardInterrupt: Somebody ended the process.
    """
    request = _asked(environment, variants, workspace)
    if is_alone:
        Thread(target=load).start()
    defs = build_defs(environment, request=request)
    with locked(request.folder, BUILD_LOCK), _recording() as instance:
        forget_reports(request.curator)
        with reporting_disk(request.folder):
            describe(request.curator)
        made: set[dg.AssetKey] = set()
        for variant in dict.fromkeys(variants):
            job = defs.resolve_job_def(job_name(variant))
            # What an earlier variant's job has just made from the same settings is not made again.
            wanted = job.asset_layer.selected_asset_keys - made
            result = job.execute_in_process(instance=instance, asset_selection=sorted(wanted), raise_on_error=False)
            if _is_interrupted(result):
                raise KeyboardInterrupt
            if refused := _refused(result):
                kept = _keep(request, variant, _reports(request, made | _made(result)))
                raise GateError(f"refused by {', '.join(refused)}, so nothing is published; {kept}")
            if not result.success:
                raise _error(result)
            made |= wanted
    return request.folder


def _asked(environment: Environment, variants: Sequence[str], workspace: Workspace) -> Request:
    """Resolve the request, and refuse variants for which it has nothing, before minutes go into stages."""
    request = workspace.request(environment)
    if NOISY in variants:
        _ = request.noise
    if ABLATIONS in variants:
        _ = request.plan
    return request


@contextmanager
def _recording() -> Iterator[dg.DagsterInstance]:
    """Give Dagster's instance; a storage that fails is the disk's fault, not Silt's."""
    try:
        with _instance() as instance:
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


def _instance() -> dg.DagsterInstance:
    """Return the instance of the checkout's dagster.yaml, so that builds show in the web graph; else one that forgets."""
    home = os.environ.get(DAGSTER_HOME, "")
    if not home and Path("dagster.yaml").is_file():
        home = os.environ[DAGSTER_HOME] = str(Path.cwd())
    return dg.DagsterInstance.get() if home else dg.DagsterInstance.ephemeral()


def _is_interrupted(result: dg.ExecuteInProcessResult) -> bool:
    ends = [event.job_failure_data.failure_reason for event in result.all_events if event.is_job_failure]
    return any(reason is not None and reason.value == _INTERRUPTED for reason in ends)


def _refused(result: dg.ExecuteInProcessResult) -> list[str]:
    """Return the names of the checks that stopped a run in which nothing else went wrong."""
    if result.success or any(_failures(result)):
        return []
    failed = (check for check in result.get_asset_check_evaluations() if not check.passed and check.blocking)
    return [check.check_name for check in failed if check.severity == dg.AssetCheckSeverity.ERROR]


def _made(result: dg.ExecuteInProcessResult) -> set[dg.AssetKey]:
    return {event.asset_key for event in result.get_asset_materialization_events() if event.asset_key is not None}


def _reports(request: Request, made: set[dg.AssetKey]) -> dict[str, Value]:
    """Return the reports of a build, by name: those that the graph shows, and those that are kept beside them."""
    environment = request.environment
    shown = {(Stage.REPORTS, asset.path[-1]) for asset in made if asset.path[1] == Stage.REPORTS}
    kept = {place for place, asset in beside(environment).items() if asset in shown}
    return {name: read_stage(request.out, (environment.name, stage, name)) for stage, name in sorted(shown | kept)}


def _keep(request: Request, variant: str, reports: Mapping[str, Value]) -> str:
    """Keep the reports of a refused build, with a page of them, and say where; a page that fails hides no refusal."""
    evidence = Evidence(environment=request.environment, variant=variant, reports=reports, entities=None)
    page, defect = None, ""
    try:
        page = evidence.page(evidence.privacy, manifest(request, variant, (), {}))
    except Exception:  # noqa: BLE001
        crash = keep(request.folder, "crash.txt", traceback.format_exc())
        defect = f", without their page: a defect in Silt, whose traceback is in {crash}"
    return f"the reports are in {keep_reports(request.curator, reports, page=page)}{defect}"


def _failures(result: dg.ExecuteInProcessResult) -> Iterator[SiltError]:
    """Yield the errors that steps met."""
    for failed in (event.step_failure_data for event in result.all_events if event.is_step_failure):
        if failed.user_failure_data is not None:
            yield _met(failed.user_failure_data.description or "failed", failed.user_failure_data.metadata)


def _error(result: dg.ExecuteInProcessResult) -> SiltError:
    outside = DefectError("the build failed outside its stages; look at the run in `make dev`")
    return next(_failures(result), outside)


def _met(description: str, metadata: Mapping[str, dg.MetadataValue]) -> SiltError:
    """Return the error that an asset met; problems of the raw tables are reported in full, from the curator's file."""
    facts = {name: str(value.value) for name, value in metadata.items()}
    kind = _KINDS.get(facts.get(EXIT_STATUS, ""), DefectError)
    details = facts.get(DETAILS)
    return kind(Path(details).read_text(encoding="utf-8").rstrip() if details and kind is InputError else description)

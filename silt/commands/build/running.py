"""Runs Dagster's jobs in this process and turns their outcome into Silt's errors."""

import fcntl
import gc
import json
import os
import sqlite3
import sys
import traceback
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from io import StringIO
from pathlib import Path
from time import monotonic
from typing import Any, cast

import dagster as dg
import polars as pl
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assets.evidence.attacks import OVER
from assets.evidence.files import VariantReports, listing, together
from assets.making.keys import COMPARED, Place, Stage, job_name, key
from assets.making.parameters import MANIFEST
from assets.making.request import Request
from assets.making.scheduler import Scheduler
from assets.making.step import Step
from assets.published import manifest
from assets.release import RELEASE, release_key_of, release_op
from assets.wiring.boundary import DETAILS, EXIT_STATUS, FAILING, FOLLOWS, REPORT, keep
from assets.wiring.gates import GATES
from assets.wiring.progress import Progress
from assets.wiring.resources import Workspace
from assets.wiring.work import at_work
from pipeline.errors import CRASH_STATUS, GateError, InputError, SiltError
from pipeline.model import Environment
from pipeline.places import STAGES
from pipeline.publish.ablations import ABLATIONS
from pipeline.publish.refusal import keep_reports
from pipeline.publish.variant import NOISY, VARIANTS
from pipeline.release.layout import name_of
from pipeline.release.settings import ReleaseSettings
from pipeline.settings import values_of
from silt.commands.build.outcome import published
from silt.commands.build.workers import started
from silt.definitions import build_defs, configured, declared_steps, ordered
from validation.report.documents.outcome import Outcome
from validation.report.head.failures import CAUSES

DAGSTER_HOME = "DAGSTER_HOME"

_SAID = 300
"""Characters that are shown of what Dagster says about its settings."""

_NO_HOME = "is not the whole path of a folder, where Dagster could keep its records; make one, or unset it"

_INTERRUPTED = "UNEXPECTED_TERMINATION"
"""What Dagster calls the end of a run whose process somebody ended."""


class DefectError(SiltError):
    """Silt itself failed; the curator's area holds the traceback."""

    exit_status = CRASH_STATUS


_KINDS = {str(kind.exit_status): kind for kind in (GateError, InputError)}


def run_jobs(
    environment: Environment,
    variants: Sequence[str],
    *,
    workspace: Workspace,
    is_quiet: bool = False,
) -> Outcome:
    """Build and publish variants (`noisy`, `clean`, all of the `ablations` together), the stages that they share once.

    Args:
        variants: Names of variants.
        is_quiet: Whether nothing is written of how far it is.

    Returns:
        What came out.

    Raises:
        GateError: A gate refused; its reports are kept with the curator.
        InputError: Bad settings or bad input, a full or closed disk, or another build at work in the same folder.
        DefectError: Anything else.
        KeyboardInterrupt: Somebody ended the process.
    """
    request, variants = _asked(environment, variants, workspace), list(dict.fromkeys(variants))
    _refuse_no_home()
    began, steps = monotonic(), ordered(declared_steps(environment))
    with at_work(request, steps) as scheduler:
        targets = [step for step in steps if step.ends and step.label.rpartition("/")[2] in variants]
        if missing := scheduler.missing(targets):
            scheduler.watch = progress = Progress(
                StringIO() if is_quiet else sys.stderr, missing, scheduler.store.seconds()
            )
            with started(request) as scheduler.perform, closing(progress):
                _run(scheduler, missing, variants, workspace)
            _write_places(scheduler, targets)
    return published(environment, workspace, variants, seconds=monotonic() - began, steps=len(missing))


def _run(scheduler: Scheduler, missing: Sequence[Step], variants: Sequence[str], workspace: Workspace) -> None:
    """Make what is missing, in one run of Dagster's. Steps do not wait until Dagster has started, which takes a second."""
    request = scheduler.request
    assets = {key(request.environment, *place) for step in missing if step.is_shown for place in step.makes}
    with _without_collections():
        scheduler.begin(missing)
        defs = build_defs(request.environment, scheduler=scheduler)
        job = defs.resolve_job_def(job_name(*(VARIANTS if set(variants) == set(VARIANTS) else variants)))
        result = _executed(job, assets, scheduler.request, configured(workspace))
    if refused := _refused(result):
        kept, defect = _keep(scheduler, variants, list(refused))
        over = "".join(f"; over the limit: {each}" for each in _over(result))
        message = f"refused by {', '.join(refused)}, so nothing is published{over}; the reports are in {kept}{defect}"
        found = {check: f"{facts}. {_cause(check)}" for check, facts in refused.items()}
        raise GateError(message, found, report="" if defect else str(kept))
    if not result.success:
        raise _error(result)


def _cause(check: str) -> str:
    return (
        CAUSES[GATES[check]] if check in GATES else "No report says more; `silt build --fresh` shows whether it recurs."
    )


def run_release(
    environment: Environment,
    settings: ReleaseSettings,
    *,
    workspace: Workspace,
    signer: Ed25519PrivateKey | None = None,
) -> Path:
    """Release what was built, in one run of Dagster's; return the public folder.

    Raises:
        SiltError: As `run_jobs`.
    """
    request, steps = workspace.request(environment), ordered(declared_steps(environment))
    with at_work(request, steps) as scheduler:
        job = build_defs(environment, scheduler=scheduler, signer=signer).resolve_job_def(RELEASE)
        config = configured(workspace) | {"ops": {release_op(environment): {"config": values_of(settings)}}}
        result = _executed(job, {release_key_of(environment)}, request, config)
    if refused := _refused(result):
        raise GateError(f"refused by {', '.join(refused)}", refused)
    if not result.success:
        raise _error(result)
    return Path(settings.releases) / name_of(environment.name, settings.version)


def _executed(
    job: dg.JobDefinition, assets: Collection[dg.AssetKey], request: Request, config: Mapping[str, Any]
) -> dg.ExecuteInProcessResult:
    """Run the part of a job that makes these assets, as a run that the job's page lists."""
    wanted = sorted(job.asset_layer.selected_asset_keys & set(assets))
    with _recording() as instance:
        result = job.execute_in_process(
            run_config=config, tags=_tags(request), instance=instance, asset_selection=wanted, raise_on_error=False
        )
    if _is_interrupted(result):
        raise KeyboardInterrupt
    return result


def _tags(request: Request) -> dict[str, str]:
    """Return by what the web graph finds a run: where its job is loaded from, and what tells builds apart."""
    location = request.environment.name
    return {
        "dagster/code_location": location,
        ".dagster/repository": f"__repository__@{location}",
        "policy": request.policy.name,
        "key": request.release.master.fingerprint(),
        "noise": request.specified.file.name if request.specified else "none",
    }


def _write_places(scheduler: Scheduler, targets: Sequence[Step]) -> None:
    """Write down for the curator which object of the store is which table, and how long steps took."""
    made = {
        place: name for step in scheduler.with_sources(targets) for place, name in scheduler.outcome(step).made.items()
    }
    stages = {f"{stage}/{name}": kept for (stage, name), kept in sorted(made.items()) if kept}
    keep(scheduler.request.folder, STAGES, json.dumps(stages, indent=1))
    scheduler.store.write_seconds({name: found.seconds for name, found in scheduler.outcomes().items()})


def _asked(environment: Environment, variants: Sequence[str], workspace: Workspace) -> Request:
    """Resolve the request, and refuse variants for which it has nothing, before minutes go into stages."""
    request = workspace.request(environment)
    if NOISY in variants:
        _ = request.noise
    if ABLATIONS in variants:
        _ = request.plan
    request.refuse_others(variants)
    return request


@contextmanager
def _without_collections() -> Iterator[None]:
    """Do not look for cycles of garbage: stages make millions of objects, and hardly a cycle."""
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()


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
    home = os.environ.get(DAGSTER_HOME, "")
    if not home and Path("dagster.yaml").is_file():
        home = os.environ[DAGSTER_HOME] = str(Path.cwd())
    _refuse_no_home()
    if not home:
        from assets.wiring.event_log import without_record  # noqa: PLC0415  (steps are at work while it is imported)

        return without_record()
    try:
        with _alone_in(Path(home).expanduser()):
            return dg.DagsterInstance.get()
    except Exception as error:
        if _storage_failure(error):
            raise
        raise InputError(
            f"Dagster cannot keep its records as {DAGSTER_HOME}={home} says: {_first_line(error)}; let its dagster.yaml be "
            "like the one of the checkout, or unset it"
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


def _refuse_no_home() -> None:
    """Refuse a `DAGSTER_HOME` that is no folder, and settings in it that are no file, before anything is at work."""
    home = os.environ.get(DAGSTER_HOME)
    if home and not (Path(home).expanduser().is_absolute() and Path(home).expanduser().is_dir()):
        raise InputError(f"{DAGSTER_HOME}={home} {_NO_HOME}")
    settings = Path(home or ".", "dagster.yaml").expanduser()
    if settings.exists() and not settings.is_file():
        raise InputError(f"{settings} is no regular file, and reading it might never end; write its settings into one")


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)[:_SAID]


def _is_interrupted(result: dg.ExecuteInProcessResult) -> bool:
    ends = [event.job_failure_data.failure_reason for event in result.all_events if event.is_job_failure]
    return any(reason is not None and reason.value == _INTERRUPTED for reason in ends)


def _refused(result: dg.ExecuteInProcessResult) -> dict[str, str]:
    """Return the checks that stopped a run in which nothing else went wrong, each with the facts that it tells."""
    if result.success or any(_failures(result)):
        return {}
    failed = (check for check in result.get_asset_check_evaluations() if not check.passed and check.blocking)
    return {check.check_name: _facts(check) for check in failed if check.severity == dg.AssetCheckSeverity.ERROR}


def _over(result: dg.ExecuteInProcessResult) -> Iterator[str]:
    """Yield what checks say that was over its limit."""
    for check in result.get_asset_check_evaluations():
        if not check.passed and OVER in check.metadata:
            yield str(check.metadata[OVER].value)


def _facts(check: dg.AssetCheckEvaluation) -> str:
    """Return what a check counted, in one line; its samples and pictures stand in the report."""
    plain = {name: value.value for name, value in check.metadata.items() if name not in ("samples", "picture")}
    return ", ".join(f"{name} {value}" for name, value in plain.items() if isinstance(value, str | int | float))


def _keep(scheduler: Scheduler, variants: Sequence[str], refused: Sequence[str]) -> tuple[Path, str]:
    """Keep the reports of a refused build, with their pages; return where, and why there is no page: it hides no refusal."""
    request, made = scheduler.request, _made(scheduler)
    # What compares with the originals says most of why it was refused.
    compared = (Stage.REPORTS, Stage.CURATOR)
    kept = {name: kept for of in compared for (stage, name), kept in made.items() if stage == of and kept}
    reports = {name: scheduler.store.value(each) for name, each in kept.items() if name != COMPARED}
    found = [scheduler.store.value(made.get(place)) for place in listing(request.environment)]
    entities = [frame for frame in found if isinstance(frame, pl.DataFrame)]
    evidence = VariantReports(
        environment=request.environment,
        variant=variants[0],
        reports=reports,
        entities=together(request.environment, entities),
        refused_by=tuple(refused),
    )
    pages, defect = {}, ""
    try:
        pages = evidence.of_refusal(lambda variant: manifest(MANIFEST.of(request), variant, (), {}, treated=()))
    except Exception:  # noqa: BLE001
        crash = keep(request.folder, "crash.txt", traceback.format_exc())
        defect = f", without their page: a defect in Silt, whose traceback is in {crash}"
    return keep_reports(request.curator, reports, pages=pages), defect


def _made(scheduler: Scheduler) -> dict[Place, str | None]:
    """Return what a build made, in the order of names: what the graph shows, and what is kept beside it."""
    return dict(sorted((place, name) for each in scheduler.outcomes().values() for place, name in each.made.items()))


def _failures(result: dg.ExecuteInProcessResult) -> Iterator[SiltError]:
    """Yield the errors that steps met, but for those that follow from others."""
    for failed in (event.step_failure_data for event in result.all_events if event.is_step_failure):
        if failed.user_failure_data is not None and not failed.user_failure_data.metadata[FOLLOWS].value:
            yield _met(failed.user_failure_data.description or "failed", failed.user_failure_data.metadata)


def _error(result: dg.ExecuteInProcessResult) -> SiltError:
    outside = DefectError("the build failed outside its stages; look at the run in `make dev`")
    return next(_failures(result), outside)


def _met(description: str, metadata: Mapping[str, dg.MetadataValue]) -> SiltError:
    """Return the error that an asset met; problems of the raw tables are reported in full, from the curator's file."""
    facts = {name: str(value.value) for name, value in metadata.items()}
    kind = _KINDS.get(facts.get(EXIT_STATUS, ""), DefectError)
    if kind is GateError and FAILING in metadata:
        return GateError(description, cast(Mapping[str, str], metadata[FAILING].value), report=facts[REPORT])
    details = facts.get(DETAILS)
    return kind(Path(details).read_text(encoding="utf-8").rstrip() if details and kind is InputError else description)

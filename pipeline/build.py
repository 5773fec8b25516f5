"""Runs the jobs in this process and turns their outcome into Silt's errors; what the command line and tests call."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import dagster as dg

from assets.boundary import CRASH_STATUS, DETAILS, EXIT_STATUS
from pipeline.definitions import build_defs
from pipeline.environment.model import Environment
from pipeline.errors import GateError, InputError, SiltError
from pipeline.jobs import job_name
from pipeline.resources import Workspace

DAGSTER_HOME = "DAGSTER_HOME"


class DefectError(SiltError):
    """Silt itself failed; the curator's area holds the traceback."""

    exit_status = CRASH_STATUS


def build(environment: Environment, variants: Sequence[str], *, workspace: Workspace) -> None:
    """Build and publish variants, the stages that they share once.

    Raises:
        GateError: A gate refused.
        InputError: Bad settings or bad input.
        DefectError: Anything else.
    """
    defs = build_defs(environment, workspace=workspace)
    with _instance() as instance:
        made: set[dg.AssetKey] = set()
        for variant in dict.fromkeys(variants):
            job = defs.resolve_job_def(job_name(variant))
            # What an earlier variant's job has just made from the same settings is not made again.
            wanted = job.asset_layer.selected_asset_keys - made
            result = job.execute_in_process(instance=instance, asset_selection=sorted(wanted), raise_on_error=False)
            if not result.success:
                raise _error(result)
            made |= wanted


def _instance() -> dg.DagsterInstance:
    """Return the instance of the checkout's dagster.yaml, so that builds show in the web graph; else one that forgets."""
    home = os.environ.get(DAGSTER_HOME, "")
    if not home and Path("dagster.yaml").is_file():
        home = os.environ[DAGSTER_HOME] = str(Path.cwd())
    return dg.DagsterInstance.get() if home else dg.DagsterInstance.ephemeral()


def _error(result: dg.ExecuteInProcessResult) -> SiltError:
    for event in result.all_events:
        if event.is_step_failure and event.step_failure_data.user_failure_data is not None:
            failure = event.step_failure_data.user_failure_data
            return _own_error(failure.description or "failed", failure.metadata)
    refused = [check.check_name for check in result.get_asset_check_evaluations() if not check.passed]
    if refused:
        return GateError(f"refused by {', '.join(refused)}; see the reports in the curator's area")
    return DefectError("the build failed outside its stages; look at the run in `make dev`")


def _own_error(description: str, metadata: Mapping[str, dg.MetadataValue]) -> SiltError:
    """Return the error that an asset met, told in full where the curator's file has more."""
    facts = {name: str(value.value) for name, value in metadata.items()}
    text = Path(facts[DETAILS]).read_text(encoding="utf-8") if facts.get(DETAILS) else description
    kinds = {str(kind.exit_status): kind for kind in (GateError, InputError)}
    return kinds.get(facts.get(EXIT_STATUS, ""), DefectError)(text)

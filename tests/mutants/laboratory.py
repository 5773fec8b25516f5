"""Runs mutants: everything that depends on what a mutant changed is made anew, and every check on it evaluated.

Checks that block would hide those that come after them, so the assets run in waves: an asset with a check, and what depends on
it, are never in one run. What depends on nothing that was changed stays as the build made it.
"""

import contextlib
import os
import shutil
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.errors import DagsterAssetCheckFailedError

from assets.wiring.boundary import EXIT_STATUS
from assets.wiring.keys import job_name, key
from assets.wiring.resources import Workspace
from assets.wiring.store import Value, write_stage
from pipeline.errors import GateError
from pipeline.model import Environment
from pipeline.places import CURATOR, STAGES
from pipeline.publish.ablations import ABLATIONS
from pipeline.publish.variant import VARIANTS
from silt.commands.build.running import DAGSTER_HOME, run_jobs
from silt.definitions import build_defs
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.mutants.mutant import Made, Mutant, Place
from tests.mutants.specifications import edited, written

SCALE = 0.02
"""138 firms: every table is there, and each check has enough to judge by."""

GATE_OF_FILES = "nothing_identifies_a_company"
"""The check that is no verdict of a finished step: where it fails, the step ends."""

_BLOCKED = DagsterAssetCheckFailedError.__name__

_QUIET: dict[str, Any] = {"loggers": {"console": {"config": {}}}}


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the checks said that a mutant could reach."""

    failed: frozenset[str]
    passed: frozenset[str]
    """Names of checks that failed nowhere."""


@dataclass(frozen=True, kw_only=True)
class Laboratory:
    """A finished build to change, in a folder of its own."""

    environment: Environment
    folder: Path
    """The working directory of the build: raw tables are found from there."""
    built: Path
    """The output folder of the build, which is left as it is."""

    def outcome(self, mutant: Mutant) -> Outcome:
        """Return what the checks say of a mutant."""
        with contextlib.chdir(self.folder), _quiet(), tempfile.TemporaryDirectory() as out:
            made = Made(request=self._workspace(str(self.built)).request(self.environment))
            noise = _specified(self.environment, mutant, Path(out))
            return self._rebuilt(mutant.change(made), self._workspace(out, noise=noise))

    def _rebuilt(self, changed: Mapping[Place, Value], workspace: Workspace) -> Outcome:
        own = Path(self.environment.name, CURATOR, STAGES)
        shutil.copytree(self.built / own, Path(workspace.out, own))
        for place, value in changed.items():
            write_stage(Path(workspace.out), (self.environment.name, *place), value)
        keys = {key(self.environment, *place) for place in changed}
        verdicts: dict[str, bool] = {}
        for name, is_passed in _verdicts(build_defs(self.environment, workspace=workspace), keys):
            verdicts[name] = verdicts.get(name, True) and is_passed
        failed = frozenset(name for name, is_passed in verdicts.items() if not is_passed)
        return Outcome(failed=failed, passed=frozenset(verdicts) - failed)

    def _workspace(self, out: str, *, noise: str = "") -> Workspace:
        return Workspace(out=out, scale=SCALE, noise=noise)


@contextlib.contextmanager
def laboratory(environment: Environment = DATACLAW_18) -> Iterator[Laboratory]:
    """Give a laboratory with a small build of the default settings of its own, every check of which passed."""
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder, "built")
        with contextlib.chdir(folder), _quiet():
            run_jobs(environment, VARIANTS, workspace=Workspace(out=str(built), scale=SCALE))
        yield Laboratory(environment=environment, folder=Path(folder), built=built)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep to itself what a build tells of its progress, and leave no record of it with the caller's Dagster."""
    # NOTE: Dagster asks standard error for its descriptor, so it has to be a file.
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, contextlib.redirect_stderr(nowhere), _silent():
        yield


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        # NOTE: they are the libraries' own, Dagster's for the most part; what is run here is judged by its checks.
        warnings.simplefilter("ignore")
        patch.setenv(DAGSTER_HOME, "")
        yield


def checks_of(environment: Environment) -> set[str]:
    """Return the names of all checks in the graph."""
    return {check.name for check in build_defs(environment).resolve_asset_graph().asset_check_keys}


def _specified(environment: Environment, mutant: Mutant, folder: Path) -> str:
    """Return the file of the noise specification that a mutant is judged by, empty for the environment's own."""
    return str(written(edited(environment, mutant.specification), folder)) if mutant.specification else ""


def _verdicts(defs: dg.Definitions, changed: Collection[dg.AssetKey]) -> Iterator[tuple[str, bool]]:
    """Make everything anew that depends on what was changed; yield what each check said of it."""
    job = defs.resolve_implicit_global_asset_job_def()
    with dg.DagsterInstance.ephemeral() as instance:
        for wave in _waves(defs, changed):
            result = job.execute_in_process(
                instance=instance, asset_selection=wave, raise_on_error=False, run_config=_QUIET
            )
            yield from ((check.check_name, check.passed) for check in result.get_asset_check_evaluations())
            yield from ((name, False) for name in _refused(result))


def _waves(defs: dg.Definitions, changed: Collection[dg.AssetKey]) -> list[list[dg.AssetKey]]:
    """Return what depends on changed assets, without ablations, in waves between which checks are passed by.

    Raises:
        ValueError: A step that would have to run makes one of the changed assets.
    """
    graph = defs.resolve_asset_graph()
    in_builds = graph.get_all_asset_keys() - (_made_by(defs, ABLATIONS) - _made_by(defs, *VARIANTS))
    checked = {check.asset_key for check in graph.asset_check_keys}
    wave_of: dict[dg.AssetKey, int] = dict.fromkeys(changed, 0)
    for step in graph.toposorted_asset_keys:
        together = graph.get(step).execution_set_asset_keys & in_builds
        sources = {parent for asset in together for parent in graph.get(asset).parent_keys} & wave_of.keys()
        if sources and step in together and not together <= wave_of.keys():
            if together & set(changed):
                raise ValueError(f"{step.path} would be made anew with what was changed")
            later = max(wave_of[asset] + (asset in checked and asset not in changed) for asset in sources)
            wave_of |= dict.fromkeys(together, later)
    waves: defaultdict[int, list[dg.AssetKey]] = defaultdict(list)
    for asset, wave in wave_of.items():
        waves[wave] += [] if asset in changed else [asset]
    return [sorted(waves[wave]) for wave in sorted(waves) if waves[wave]]


def _made_by(defs: dg.Definitions, *variants: str) -> set[dg.AssetKey]:
    jobs = (defs.resolve_job_def(job_name(variant)) for variant in variants)
    return {asset for job in jobs for asset in job.asset_layer.selected_asset_keys}


def _refused(result: dg.ExecuteInProcessResult) -> Iterator[str]:
    """Yield the checks of steps that a gate ended; a blocking check that failed ends its step, too, and has said so.

    Raises:
        RuntimeError: A step failed for another reason.
    """
    for failed in (event for event in result.all_events if event.is_step_failure):
        told, error = failed.step_failure_data.user_failure_data, failed.step_failure_data.error
        if told is not None and told.metadata[EXIT_STATUS].value == GateError.exit_status:
            yield GATE_OF_FILES
        elif error is None or error.cls_name != _BLOCKED:
            raise RuntimeError(f"{failed.step_key} failed, and not by a gate: {told.description if told else error}")

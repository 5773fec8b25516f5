"""Runs mutants: everything that depends on what a mutant changed is made anew, and every check on it evaluated.

A check that fails stops nothing here: it would hide those that come after it. What depends on nothing that was changed stays as
the build made it.
"""

import contextlib
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from assets.every_step import declared_steps, ordered
from assets.making.keys import Stage
from assets.making.results import Recorded
from assets.making.scheduler import Scheduler
from assets.making.step import Step
from assets.making.store import Store, Value
from assets.wiring.resources import Workspace
from pipeline.errors import GateError
from pipeline.model import Environment
from pipeline.places import CURATOR, STORE
from pipeline.publish.ablations import ABLATIONS
from pipeline.publish.variant import VARIANTS
from silt.commands.build.records import DAGSTER_HOME
from silt.commands.build.running import run_jobs
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.mutants.mutant import Made, Mutant, Place
from tests.mutants.specifications import edited, written

SCALE = 0.02
"""138 firms: every table is there, and each check has enough to judge by."""

GATE_OF_FILES = "nothing_identifies_a_company"
"""The check that is no verdict of a finished step: where it fails, the step ends."""


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

    def outcome(self, mutant: Mutant, *, publishes: bool = True) -> Outcome:
        """Return what the checks say of a mutant, without that of files if nothing is made that would be published."""
        with contextlib.chdir(self.folder), _quiet(), tempfile.TemporaryDirectory() as out:
            made = Made(folder=self.built / self.environment.name, environment=self.environment)
            changed = mutant.change(made)
            noise = _specified(self.environment, mutant, Path(out))
            steps = _evidence(self.environment, publishes=publishes)
            return self._judged(steps, changed, out, noise, stays=_with_noise(made) if noise else {})

    def _judged(
        self, steps: Sequence[Step], changed: Mapping[Place, Value], out: str, noise: str, stays: Mapping[Place, Value]
    ) -> Outcome:
        """Judge changed places; what noise made under the build's own specification stays, whatever judges it."""
        store = Path(out, STORE)
        shutil.copytree(self.built / self.environment.name / CURATOR / STORE, store)
        request = Workspace(out=out, scale=SCALE, noise=noise, store=str(store)).request(self.environment)
        scheduler = Scheduler(request, steps, Store(store), instead=stays | changed)
        verdicts: dict[str, bool] = {}
        for name, is_passed in _verdicts(scheduler, {*changed}):
            verdicts[name] = verdicts.get(name, True) and is_passed
        failed = frozenset(name for name, is_passed in verdicts.items() if not is_passed)
        return Outcome(failed=failed, passed=frozenset(verdicts) - failed)


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
    """Return the names of all checks of a build."""
    return {check.name for each in declared_steps(environment) for check in each.checks}


def _evidence(environment: Environment, *, publishes: bool) -> tuple[Step, ...]:
    """Return the steps that a check judges, and those that they read; ablations are judged as the variants are."""
    declared = declared_steps(environment)
    judged = {each.step.name for each in declared if each.checks and (publishes or not each.step.ends)}
    needed, read = list[Step](), set[Place]()
    for step in reversed(ordered(declared)):
        is_needed = step.name in judged or not read.isdisjoint(step.makes)
        if is_needed and (Stage.PUBLISHED, ABLATIONS) not in step.makes:
            needed.append(step)
            read |= step.reads
    return tuple(reversed(needed))


def _specified(environment: Environment, mutant: Mutant, folder: Path) -> str:
    """Return the file of the noise specification that a mutant is judged by, empty for the environment's own."""
    return str(written(edited(environment, mutant.specification), folder)) if mutant.specification else ""


def _with_noise(made: Made) -> dict[Place, Value]:
    """Return everything that noise made in a build."""
    return {place: made.value(*place) for place in made.places() if place[0] in (Stage.NOISY, Stage.LEDGER)}


def _verdicts(scheduler: Scheduler, changed: set[Place]) -> Iterator[tuple[str, bool]]:
    """Make everything anew that depends on what was changed; yield what each check said of it."""
    for step in scheduler.steps:
        if not step.reads.isdisjoint(changed):
            changed |= step.makes
            try:
                yield from (_verdict(record) for record in scheduler.outcome(step).results if "check" in record)
            except GateError:
                yield GATE_OF_FILES, False


def _verdict(record: Recorded) -> tuple[str, bool]:
    return record["check"], record["is_passed"]

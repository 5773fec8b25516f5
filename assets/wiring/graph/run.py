"""What makes the steps of a run of Dagster's."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, Literal, cast

import dagster as dg
from pydantic import create_model

from anonymize.policy import POLICIES
from assets.making.engines import Engine
from assets.making.request import Request
from assets.making.scheduler import Scheduler
from assets.making.step import PartsDone, Step
from assets.release import release_op
from assets.wiring.graph.nodes import failing_as_dagster_does, fields_of, key
from assets.wiring.graph.shown import given_to, tags_of, taken_over
from assets.wiring.resources import Workspace
from assets.wiring.work import at_work
from pipeline.errors import InputError
from pipeline.model import Environment
from pipeline.release.settings import ReleaseSettings
from pipeline.settings import settings_from

_SHOWN = 8
"""Characters by which Dagster's pages name a run."""


class _Refused:
    """Stands for the steps of a run that cannot begin; the first one says why. Of a resource Dagster says no reason."""

    def __init__(self, failure: dg.Failure) -> None:
        """Take what was met."""
        self._failure = failure

    @property
    def request(self) -> Request:
        """Fail, as every step asks first for what is requested."""
        raise self._failure


class _Run(dg.ConfigurableResource[Any]):
    """What makes the steps of a run: a build that is at work already, or one by the settings of a run from the web graph."""

    environment: dg.ResourceDependency[Environment]
    steps: dg.ResourceDependency[tuple[Step, ...]]
    scheduler: dg.ResourceDependency[Scheduler | None]
    """What makes them already: a build of the command line, which the settings of its run only describe."""

    start: dg.ResourceDependency[Callable[..., AbstractContextManager[Engine]]]
    """Starts the engine that a setting names, for a request."""

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Scheduler]:
        """Resolve the request, and hold its folder until the run is over."""
        if self.scheduler is not None:
            yield self.scheduler
            return
        with ExitStack() as held:
            try:
                scheduler = held.enter_context(self._at_work(context))
            except dg.Failure as failure:
                scheduler = cast(Scheduler, _Refused(failure))
            yield scheduler

    @contextmanager
    def _at_work(self, context: dg.InitResourceContext) -> Iterator[Scheduler]:
        is_given = bool(given_to(context.run))
        settings = dict(self) if is_given else {**dict(self), **taken_over(context, self._shown())}
        asked = settings_from(Workspace, settings)
        # NOTE: the run's own: what steps on other threads say is lost in Dagster's global one between two steps of the graph.
        note = (context.log or dg.get_dagster_logger()).info

        def watch(step: Step, seen: object) -> None:
            if isinstance(seen, PartsDone):
                note(f"{step.label}: {seen}")

        with failing_as_dagster_does(Path(asked.out) / self.environment.name):
            _refuse_no_release(context.run, self.environment)
            request = asked.request(self.environment)
            if context.run and context.instance:
                context.instance.add_run_tags(context.run.run_id, tags_of(request))
            named = f" ({context.run.run_id[:_SHOWN]})" if context.run else ""
            if not is_given:
                _refuse_others(request)
            with (
                at_work(request, self.steps, watch=watch, holder=f"a run of the web graph{named}") as scheduler,
                self.start(request, asked.engine, note=note) as scheduler.engine,
            ):
                yield scheduler

    def _shown(self) -> Iterator[dg.AssetKey]:
        """Yield every asset of the environment."""
        yield from (key(self.environment, *place) for step in self.steps if step.is_shown for place in step.makes)


def _refuse_no_release(run: dg.DagsterRun | None, environment: Environment) -> None:
    """Refuse settings of a release that cannot be, as a version that nobody gave, before anything is made for it."""
    ops: Any = run.run_config.get("ops", {}) if run else {}
    if config := ops.get(release_op(environment), {}).get("config"):
        settings_from(ReleaseSettings, config)


def _refuse_others(request: Request) -> None:
    """Refuse to replace what is of another build, and say where settings can be given."""
    try:
        request.refuse_others(())
    except InputError as error:
        click = "or open the launchpad (the arrow beside Materialize all) and give the settings of this build"
        raise InputError(f"{error}; {click}") from None


RunWorkspace = create_model("RunWorkspace", __base__=_Run, **fields_of(Workspace, policy=Literal[tuple(POLICIES)]))
"""It has a field for each setting, with what that means; the launchpad refuses a policy that there is not."""

"""How a step is declared, what the graph shows of it, and how Dagster runs it.

A step runs inside the border of the event log (`boundary.py`), and is made by the scheduler (`assets/making`), which may have
begun with it before Dagster asks. It keeps more than is shown: a ledger and counts lie beside their table (`making/keys.py`),
and are nodes of no graph.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any

import dagster as dg

from assets.making.flow import Door
from assets.making.inputs.code import code
from assets.making.keys import Place, Stage, beside, key, op_name
from assets.making.parameters import StepParameter
from assets.making.results import Result, result_of
from assets.making.scheduler import Scheduler
from assets.making.step import Body, Step
from assets.wiring.boundary import within_boundary
from assets.wiring.gates import PROMISES
from pipeline.model import Environment

_PRIORITY = "dagster/priority"

_SHOWN = 12
"""Digits of the fingerprint of code that the graph shows."""

_GROUPS = {
    Stage.CONFORMED: "truth/conformed",
    Stage.ANONYMISED: "truth/anonymised",
    Stage.DERIVED: "truth/derived",
    Stage.RENDERED: "database/rendered",
    Stage.NOISY: "database/noisy",
    Stage.REPORTS: "evidence/reports",
    Stage.CURATOR: "evidence/curator",
    Stage.PUBLISHED: "release/published",
    Stage.RELEASED: "release/released",
    Stage.TASKS: "release/tasks",
}
"""Where the graph of an environment draws a stage: four boxes, each with stages inside."""

_PUBLIC = frozenset({Stage.RENDERED, Stage.NOISY, Stage.PUBLISHED, Stage.RELEASED, Stage.TASKS})
"""Stages of what may be published; all else is the curator's alone."""

_KINDS = {
    Stage.NOISY: {"csv"},
    Stage.REPORTS: {"json", "html"},
    Stage.CURATOR: {"json", "html"},
    Stage.PUBLISHED: {"csv", "html"},
}
"""What is made of what a stage keeps; all else are tables between stages."""


@dataclass(frozen=True, kw_only=True)
class Declared:
    """A step, and what the graph shows of it."""

    step: Step
    shown: tuple[dg.AssetSpec, ...]
    checks: tuple[dg.AssetCheckSpec, ...]

    def definition(self, place: int) -> dg.AssetsDefinition:
        """Return the step as Dagster runs it: those of an earlier place first, wherever dependencies allow it."""

        @dg.multi_asset(
            specs=self.shown,
            check_specs=self.checks,
            name=self.step.name,
            description=self.step.body.__doc__,
            op_tags={_PRIORITY: str(-place)},
        )
        def run(context: dg.AssetExecutionContext, scheduler: dg.ResourceParam[Scheduler]) -> Iterator[Result]:
            with within_boundary(scheduler.request.folder):
                scheduler.start(_steps_of(scheduler, context.job_def.asset_layer.selected_asset_keys))
                outcome = scheduler.outcome(self.step)
            for line in outcome.lines:
                context.log.info(line)
            version = outcome.version(scheduler.request.release.master)
            yield from (result_of(record, version=version) for record in outcome.results)

        return run


def _steps_of(scheduler: Scheduler, assets: Iterable[dg.AssetKey]) -> list[Step]:
    environment = scheduler.request.environment
    wanted = set(assets)
    shown = (step for step in scheduler.steps if step.is_shown)
    return [step for step in shown if any(key(environment, *place) in wanted for place in step.makes)]


def node(
    environment: Environment,
    stage: str,
    name: str,
    *,
    reads: Iterable[Place] = (),
    description: str = "",
    group: str = "",
    kinds: set[str] | None = None,
) -> dg.AssetSpec:
    """Return what the graph shows of an asset: in the group of its stage unless another is named."""
    own = key(environment, stage, name)
    return dg.AssetSpec(
        own,
        deps=sorted({key(environment, *place) for place in reads} - {own}),
        description=description,
        group_name=f"{environment.name.replace('-', '_')}/{_GROUPS[group or stage]}",
        kinds=kinds or _KINDS.get(stage, {"polars"}),
        tags={"sensitivity": "public" if stage in _PUBLIC else "curator"},
    )


def gate(check: str, asset: dg.AssetKey) -> dg.AssetCheckSpec:
    """Return what the graph shows of a check; nothing is published that fails it."""
    return dg.AssetCheckSpec(check, asset=asset, blocking=True, description=PROMISES[check])


def versioned(asset: dg.AssetSpec) -> dg.AssetSpec:
    """Return an asset with the version of the code that makes it."""
    return asset.replace_attributes(code_version=code()[:_SHOWN])


def asset(  # noqa: PLR0913  (a declaration)
    environment: Environment,
    stage: str,
    name: str,
    *,
    reads: Collection[Place],
    uses: Collection[StepParameter[Any]] = (),
    checks: Iterable[str] = (),
    doors: Mapping[Place, Door] | None = None,
    withheld: Iterable[Place] = (),
    description: str = "",
    kinds: set[str] | None = None,
    is_at_home: bool = False,
    ends: bool = False,
) -> Callable[[Body], Declared]:
    """Make a step that makes one asset, described by the docstring if by nothing else.

    A check that fails stops publishing, unless its outcome only warns.
    """

    def decorated(body: Body) -> Declared:
        described = description or cleandoc(body.__doc__ or "")
        shown = node(environment, stage, name, reads=reads, description=described, kinds=kinds)
        specs = [gate(check, shown.key) for check in checks]
        return step(
            *(environment, stage, name),
            shown=[shown],
            reads=reads,
            uses=uses,
            checks=specs,
            doors=doors,
            withheld=withheld,
            is_at_home=is_at_home,
            ends=ends,
        )(body)

    return decorated


def step(  # noqa: PLR0913  (a declaration)
    environment: Environment,
    *parts: str,
    shown: Sequence[dg.AssetSpec] = (),
    makes: Iterable[Place] = (),
    reads: Iterable[Place] = (),
    uses: Iterable[StepParameter[Any]] = (),
    checks: Sequence[dg.AssetCheckSpec] = (),
    doors: Mapping[Place, Door] | None = None,
    withheld: Iterable[Place] = (),
    is_at_home: bool = False,
    ends: bool = False,
) -> Callable[[Body], Declared]:
    """Make a step of a function that is handed its run and yields what came out.

    Args:
        environment: What is built.
        parts: The step's name, part by part.
        shown: The assets that it makes; it may keep what lies beside them, too (`keys.beside`). A step without any is made
            when something that reads it is made.
        makes: What it makes besides.
        reads: All that it reads of the stages.
        uses: All that it uses of the request.
        checks: What it judges.
        doors: Of what it makes of originals, what may be published nonetheless where records are sampled.
        withheld: Of what it reads, what it is not handed where records are sampled.
        is_at_home: Whether no worker performs it.
        ends: Whether it publishes.
    """
    places = {(asset.key.path[1], asset.key.path[2]) for asset in shown}
    every = {*makes} | places | {kept for kept, asset in beside(environment).items() if asset in places}

    def decorated(body: Body) -> Declared:
        made = Step(
            environment=environment,
            name=op_name(environment, *parts),
            label="/".join(parts),
            reads=frozenset(reads),
            uses=frozenset(uses),
            makes=frozenset(every),
            body=body,
            doors=dict(doors or {}),
            withheld=frozenset(withheld),
            is_shown=bool(shown),
            is_at_home=is_at_home,
            ends=ends,
        )
        versions = tuple(versioned(asset) for asset in shown)
        return Declared(step=made, shown=versions, checks=tuple(checks))

    return decorated

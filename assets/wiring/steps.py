"""How a step is declared, and what the graph shows of it (`graph/nodes.py` has it in Dagster's words).

A step is made by the scheduler (`assets/making`), which may have begun with it before anybody asks. It keeps more than is
shown: a ledger and counts lie beside their table (`making/keys.py`), and are nodes of no graph.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from inspect import cleandoc
from typing import Any

from assets.making.flow import Door
from assets.making.inputs.code import own_code
from assets.making.keys import Place, Stage, beside, op_name, path_of
from assets.making.parameters import StepParameter
from assets.making.results import AssetPath
from assets.making.step import Body, Step, StepDivision
from assets.wiring.gates import ONLY_WARN, PROMISES, kept_apart
from pipeline.model import Environment

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
    Stage.PUBLISHED: "variants",
    Stage.RELEASED: "release",
    Stage.TASKS: "variants",
}
"""Where the graph of an environment draws a stage: five boxes. Stages whose tables have the same names are boxes inside."""

_SENSITIVITY = {
    **dict.fromkeys((Stage.RENDERED, Stage.NOISY, Stage.PUBLISHED, Stage.TASKS), "draft"),
    Stage.RELEASED: "release",
}
"""Whose a stage is that is not the curator's alone: whoever builds has drafts, and others get releases."""

_KINDS = {
    Stage.NOISY: {"csv"},
    Stage.REPORTS: {"json", "html"},
    Stage.CURATOR: {"json", "html"},
    Stage.PUBLISHED: {"csv", "html"},
}
"""What is made of what a stage keeps; all else are tables between stages."""


@dataclass(frozen=True, kw_only=True)
class ShownAsset:
    """What the graph shows of an asset."""

    asset: AssetPath
    deps: tuple[AssetPath, ...]
    description: str
    group: str
    kinds: frozenset[str]
    tags: Mapping[str, str]
    code_version: str | None = None


@dataclass(frozen=True, kw_only=True)
class ShownCheck:
    """What the graph shows of a check; nothing is published that fails it."""

    name: str
    asset: AssetPath
    description: str
    is_blocking: bool = True
    """Whether its failure can stop publishing."""


@dataclass(frozen=True, kw_only=True)
class Declared:
    """A step, and what the graph shows of it."""

    step: Step
    shown: tuple[ShownAsset, ...]
    checks: tuple[ShownCheck, ...]


def node(
    environment: Environment,
    stage: str,
    name: str,
    *,
    reads: Iterable[Place] = (),
    description: str = "",
    group: str = "",
    kinds: set[str] | None = None,
) -> ShownAsset:
    """Return what the graph shows of an asset: in the group of its stage unless another is named."""
    own = path_of(environment, stage, name)
    return ShownAsset(
        asset=own,
        deps=tuple(sorted({path_of(environment, *place) for place in reads} - {own})),
        description=description,
        group=f"{environment.name.replace('-', '_')}/{_GROUPS[group or stage]}",
        kinds=frozenset(kinds or _KINDS.get(stage, {"polars"})),
        tags={"sensitivity": _SENSITIVITY.get(stage, "curator")},
    )


def gate(check: str, asset: AssetPath) -> ShownCheck:
    """Return what the graph shows of a check."""
    return ShownCheck(
        name=check, asset=asset, description=PROMISES[check], is_blocking=(asset[1], check) not in ONLY_WARN
    )


def versioned(asset: ShownAsset) -> ShownAsset:
    """Return an asset with the version of the code that makes it."""
    return replace(asset, code_version=own_code()[:_SHOWN])


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
    division: StepDivision | None = None,
) -> Callable[[Body], Declared]:
    """Make a step that makes one asset, described by the docstring if by nothing else.

    A check that fails stops publishing, unless its outcome only warns.
    """

    def decorated(body: Body) -> Declared:
        described = description or cleandoc(body.__doc__ or "")
        shown = node(environment, stage, name, reads=reads, description=described, kinds=kinds)
        specs = [gate(check, shown.asset) for check in checks]
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
            division=division,
        )(_kept_apart(body) if stage == Stage.CURATOR else body)

    return decorated


def _kept_apart(body: Body) -> Body:
    """Return what a step of the curator's does, of which the graph, whose record stays for good, has outcomes alone."""
    return wraps(body)(lambda run: map(kept_apart, body(run)))


def step(  # noqa: PLR0913  (a declaration)
    environment: Environment,
    *parts: str,
    shown: Sequence[ShownAsset] = (),
    makes: Iterable[Place] = (),
    reads: Iterable[Place] = (),
    uses: Iterable[StepParameter[Any]] = (),
    checks: Sequence[ShownCheck] = (),
    doors: Mapping[Place, Door] | None = None,
    withheld: Iterable[Place] = (),
    is_at_home: bool = False,
    ends: bool = False,
    division: StepDivision | None = None,
) -> Callable[[Body], Declared]:
    """Make a step of a function that is handed its run and yields what came out.

    Args:
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
        division: How it is divided.
    """
    places = {(asset.asset[1], asset.asset[2]) for asset in shown}
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
            division=division,
        )
        versions = tuple(versioned(asset) for asset in shown)
        return Declared(step=made, shown=versions, checks=tuple(checks))

    return decorated

"""How a step is declared and run: what the graph shows of it, what it reads, what it keeps for the stages to come.

A step runs inside the border of the event log (`boundary.py`), reads nothing that the graph does not show it to depend on, and
keeps more than is shown: a ledger and counts lie beside their table (`keys.py`), and are nodes of no graph.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from inspect import cleandoc
from typing import Any

import dagster as dg
import polars as pl

from assets.wiring.boundary import within_boundary
from assets.wiring.keys import Place, Stage, key, op_name
from assets.wiring.request import Request
from assets.wiring.store import Value, read_sealed, read_stage, write_sealed, write_stage
from pipeline.model import Environment

Result = dg.MaterializeResult[None] | dg.AssetCheckResult

Body = Callable[["Run"], Iterator[Result]]
"""What a step does: it is handed its run, and yields what came out."""

_OWNERS = {Stage.RENDERED: "team:publisher", Stage.NOISY: "team:publisher", Stage.PUBLISHED: "team:publisher"}
"""Who answers for what may be published; all else is the curator's alone."""

_KINDS = {Stage.NOISY: {"csv"}, Stage.REPORTS: {"json", "html"}, Stage.PUBLISHED: {"csv", "html"}}
"""What is made of what a stage keeps; all else are tables between stages."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of a step: the request, and the stages as far as the step may read them."""

    request: Request
    reads: frozenset[Place]
    log: Callable[..., None]
    """Writes a line for whoever builds."""

    def read(self, stage: str, name: str) -> Any:
        """Return what a stage keeps under a name; None if this build does not have it."""
        return read_stage(self.request.out, self._place(stage, name))

    def frames(self, stage: str, names: Iterable[str]) -> dict[str, pl.DataFrame]:
        """Return the tables of a stage that this build has."""
        values = {name: self.read(stage, name) for name in names}
        return {name: value for name, value in values.items() if value is not None}

    def unseal(self, stage: str, name: str) -> pl.DataFrame:
        """Return a table that a stage keeps sealed under the release key."""
        return read_sealed(self.request.out, self._place(stage, name), self.request.release.master)

    def keep(self, stage: str, name: str, value: Value) -> None:
        """Keep a value for the stages to come."""
        write_stage(self.request.out, (self.request.environment.name, stage, name), value)

    def seal(self, stage: str, name: str, table: pl.DataFrame) -> None:
        """Keep a table sealed under the release key."""
        write_sealed(self.request.out, (self.request.environment.name, stage, name), table, self.request.release.master)

    def made(
        self, stage: str, name: str, value: Value, metadata: Mapping[str, Any] | None = None
    ) -> dg.MaterializeResult[None]:
        """Keep the value of an asset, and return what the graph shows of it."""
        self.keep(stage, name, value)
        return self.shown(stage, name, metadata)

    def shown(self, stage: str, name: str, metadata: Mapping[str, Any] | None = None) -> dg.MaterializeResult[None]:
        """Return what the graph shows of an asset that is kept already."""
        return dg.MaterializeResult(asset_key=key(self.request.environment, stage, name), metadata=metadata or {})

    def _place(self, stage: str, name: str) -> tuple[str, str, str]:
        if (stage, name) not in self.reads:
            raise LookupError(f"{stage}/{name} is read, and not declared to be")
        return self.request.environment.name, stage, name


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
        group_name=group or stage,
        kinds=kinds or _KINDS.get(stage, {"polars"}),
        owners=[_OWNERS.get(stage, "team:curator")],
        code_version=version("silt"),
    )


def asset(
    environment: Environment,
    stage: str,
    name: str,
    *,
    reads: Collection[Place],
    checks: Iterable[str] = (),
    description: str = "",
    kinds: set[str] | None = None,
) -> Callable[[Body], dg.AssetsDefinition]:
    """Make a step that makes one asset, described by the docstring if by nothing else.

    A check that fails stops publishing, unless its outcome only warns.
    """

    def decorated(body: Body) -> dg.AssetsDefinition:
        described = description or cleandoc(body.__doc__ or "")
        shown = node(environment, stage, name, reads=reads, description=described, kinds=kinds)
        specs = [dg.AssetCheckSpec(check, asset=shown.key, blocking=True) for check in checks]
        return step(environment, stage, name, shown=[shown], reads=reads, checks=specs)(body)

    return decorated


def step(
    environment: Environment,
    *parts: str,
    shown: Sequence[dg.AssetSpec],
    reads: Iterable[Place] = (),
    checks: Sequence[dg.AssetCheckSpec] = (),
) -> Callable[[Body], dg.AssetsDefinition]:
    """Make a step of a function that is handed its run and yields what came out.

    Args:
        environment: What is built.
        parts: The step's name, part by part.
        shown: The assets that it makes.
        reads: All that it reads of the stages.
        checks: What it judges.
    """
    readable = frozenset(reads)

    def decorated(body: Body) -> dg.AssetsDefinition:
        @dg.multi_asset(specs=shown, check_specs=checks, name=op_name(environment, *parts), description=body.__doc__)
        def run(context: dg.AssetExecutionContext, request: dg.ResourceParam[Request]) -> Iterator[Result]:
            with within_boundary(request.folder):
                yield from body(Run(request=request, reads=readable, log=context.log.info))

        return run

    return decorated

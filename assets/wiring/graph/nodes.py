"""How Dagster shows and runs what is declared in plain values: assets, checks, metadata and failures (`wiring/steps.py`)."""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dagster as dg
from pydantic import Field

from assets.making.keys import Stage, path_of
from assets.making.results import AssetPath, Recorded, Result, recorded
from assets.making.scheduler import Scheduler
from assets.making.step import Step
from assets.wiring.boundary import DETAILS, FOLLOWS, REPORT, StepFailure, within_boundary
from assets.wiring.gates import ELSEWHERE, TRIED
from assets.wiring.graph.shown import WHY
from assets.wiring.steps import Declared, ShownAsset, ShownCheck
from pipeline.errors import GateError
from pipeline.model import Environment
from pipeline.settings import meanings, plain

_PRIORITY = "dagster/priority"

NOTHING_WARNS = "nothing_warns"
"""Check of what is published: a warning of what it is made of stops nothing, and is seen where somebody looks first.

It is the graph's alone: no step that publishes knows what checks say of the originals, but that they were passed.
"""


_LOOK_AT = "look at"
"""Fact of what is published, and of the check that nothing warns: what warned; it stands first."""


def key(environment: Environment, stage: str, name: str) -> dg.AssetKey:
    """Return the key of the asset in which the graph shows what a stage keeps under a name."""
    return dg.AssetKey(path_of(environment, stage, name))


def definition(declared: Declared, place: int) -> dg.AssetsDefinition:
    """Return a step as Dagster runs it: those of an earlier place first, wherever dependencies allow it."""
    step = declared.step

    @dg.multi_asset(
        specs=[spec(node) for node in declared.shown],
        check_specs=[*map(check_spec, declared.checks), *_warning(declared)],
        name=step.name,
        description=step.body.__doc__,
        op_tags={_PRIORITY: str(-place)},
    )
    def run(context: dg.AssetExecutionContext, scheduler: dg.ResourceParam[Scheduler]) -> Iterator[Any]:
        wanted = context.job_def.asset_layer.selected_asset_keys
        try:
            with failing_as_dagster_does(scheduler.request.folder):
                scheduler.start(_steps_of(scheduler, wanted))
                try:
                    outcome = scheduler.outcome(step)
                except GateError as error:
                    yield from _failed(declared.checks, error)
                    raise
        except dg.Failure as failure:
            yield from _observed(declared, wanted, failure)
            raise
        for line in outcome.lines:
            context.log.info(line)
        version = outcome.version(scheduler.request.release.master)
        warned = _warned(scheduler, step) if step.ends else None
        yield from (result_of(led_by(warned, record), version=version) for record in outcome.results)
        yield from [warned] if warned else []

    return run


def _warning(declared: Declared) -> Iterator[dg.AssetCheckSpec]:
    described = "no check of what this is made of warns; a warning stops nothing"
    for node in declared.shown if declared.step.ends else ():
        yield dg.AssetCheckSpec(NOTHING_WARNS, asset=dg.AssetKey(node.asset), description=described)


def _warned(scheduler: Scheduler, step: Step) -> dg.AssetCheckResult:
    """Return whether checks of what a step is made of warned, which, and which had too little to judge by."""
    came_out = scheduler.outcomes()
    checks = [
        (f"{record['check']} of {each.label}", record)
        for each in scheduler.with_sources([step])
        for record in (came_out[each.name].results if each.name in came_out else ())
        if "check" in record and ELSEWHERE not in record["metadata"]
    ]
    warned = [name for name, record in checks if record["is_warning"] and not record["is_passed"]]
    few = [f"{name}, {record['metadata'][TRIED][1]}" for name, record in checks if TRIED in record["metadata"]]
    counts: dict[str, Any] = {"checks": len(checks), "warn": len(warned), "had too little": len(few)}
    of = f"of {len(checks)} checks"
    ask = f"{len(warned)} {of} {'asks' if len(warned) == 1 else 'ask'} to be looked at: {', '.join(warned)}"
    asks = [f"every gate holds, and {ask}"]
    lacks = [f"{len(few)} {of} had too little to judge by"]
    said = [*(asks if warned else []), *(lacks if few else [])]
    return dg.AssetCheckResult(
        passed=not warned,
        check_name=NOTHING_WARNS,
        severity=dg.AssetCheckSeverity.WARN,
        description="; ".join(said) or None,
        metadata=({_LOOK_AT: "\n".join(warned)} if warned else {})
        | counts
        | ({"too little": "\n".join(few)} if few else {}),
    )


def led_by(warned: dg.AssetCheckResult | None, record: Recorded) -> Recorded:
    """Return the record of what is published with what warned as its first fact, or any other as it is."""
    if warned is None or warned.passed or "asset" not in record:
        return record
    return {**record, "metadata": {_LOOK_AT: ("plain", warned.description), **record["metadata"]}}


def _failed(checks: Iterable[ShownCheck], error: GateError) -> Iterator[dg.AssetCheckResult]:
    """Yield the checks that refused what a step publishes, each with what it found and the page that says more."""
    for check in checks:
        if check.name in error.failing:
            found: dict[str, Any] = {"found": error.failing[check.name]}
            found |= {"report": _FORMS["path"](error.report)} if error.report else {}
            yield dg.AssetCheckResult(
                passed=False, asset_key=dg.AssetKey(check.asset), check_name=check.name, metadata=found
            )


def _observed(declared: Declared, wanted: Iterable[dg.AssetKey], failure: dg.Failure) -> Iterator[dg.AssetObservation]:
    """Yield why a step failed, for what it shows and for the variants of its run, which are published together or not at all.

    Their pages have it then, and no log is read. Of a failure that follows from another one nothing is said.
    """
    own = {dg.AssetKey(node.asset) for node in declared.shown}
    variants = {asset for asset in wanted if Stage.PUBLISHED in asset.path}
    why, _, page = (failure.description or "").partition(PAGE)
    for asset in () if failure.metadata[FOLLOWS].value else sorted(own | variants):
        yield dg.AssetObservation(asset, description=page or None, metadata={WHY: why})


def _steps_of(scheduler: Scheduler, assets: Iterable[dg.AssetKey]) -> Iterator[Step]:
    environment, wanted = scheduler.request.environment, {tuple(asset.path) for asset in assets}
    shown = (step for step in scheduler.steps if step.is_shown)
    return (step for step in shown if any(path_of(environment, *place) in wanted for place in step.makes))


def spec(node: ShownAsset) -> dg.AssetSpec:
    """Return a node as Dagster has it."""
    return dg.AssetSpec(
        dg.AssetKey(node.asset),
        deps=[dg.AssetKey(asset) for asset in node.deps],
        description=node.description,
        group_name=node.group,
        kinds=set(node.kinds),
        tags=dict(node.tags),
        code_version=node.code_version,
    )


def check_spec(gate: ShownCheck) -> dg.AssetCheckSpec:
    """Return a check as Dagster has it."""
    return dg.AssetCheckSpec(
        gate.name, asset=dg.AssetKey(gate.asset), blocking=gate.is_blocking, description=gate.description
    )


def shown(results: Iterable[Result]) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    """Yield what a step of Dagster's own reports."""
    yield from (result_of(recorded(result)) for result in results)


def result_of(record: Recorded, *, version: str = "") -> dg.MaterializeResult[None] | dg.AssetCheckResult:
    """Return the result that a record holds; an asset may be of a version of its data."""
    metadata = {name: _FORMS[form](value) for name, (form, value) in record["metadata"].items()}
    if "asset" in record:
        data_version = dg.DataVersion(version) if version else None
        return dg.MaterializeResult(
            asset_key=dg.AssetKey(record["asset"]), metadata=metadata, data_version=data_version
        )
    severity = dg.AssetCheckSeverity.WARN if record["is_warning"] else dg.AssetCheckSeverity.ERROR
    is_harmless = record["is_warning"] and not record["is_passed"]
    above = next((str(metadata[name]) for name in (TRIED, ELSEWHERE) if name in metadata), None)
    above = above or ("a warning: it stops nothing" if is_harmless else None)
    return dg.AssetCheckResult(
        passed=record["is_passed"], check_name=record["check"], severity=severity, description=above, metadata=metadata
    )


def _schema(columns: Iterable[tuple[str, str, str]]) -> dg.MetadataValue:
    shown = [dg.TableColumn(name, dtype, description=notes or None) for name, dtype, notes in columns]
    return dg.MetadataValue.table_schema(dg.TableSchema(shown))


def _lineage(columns: Mapping[str, Iterable[tuple[AssetPath, str]]]) -> dg.MetadataValue:
    deps = {
        column: [dg.TableColumnDep(asset_key=dg.AssetKey(asset), column_name=source) for asset, source in of_column]
        for column, of_column in columns.items()
    }
    return dg.MetadataValue.column_lineage(dg.TableColumnLineage(deps))


_FORMS: Mapping[str, Callable[[Any], Any]] = {
    "plain": lambda value: value,
    "markdown": dg.MetadataValue.md,
    # NOTE: no address, since browsers open no file from a page that was served.
    "path": lambda value: dg.MetadataValue.path(str(Path(value).resolve())),
    "schema": _schema,
    "lineage": _lineage,
}


PAGE = "\nIts page: "
"""Before the address of a refused build's page in the web graph; the command line has a line of its own for it."""


@contextmanager
def failing_as_dagster_does(folder: Path) -> Iterator[None]:
    """Turn exceptions into Dagster's failures, which hold nothing raw; `folder` is the environment's output."""
    try:
        with within_boundary(folder):
            yield
    except StepFailure as failure:
        facts = failure.facts
        # NOTE: the whole path and no address, since nothing of the curator's is served.
        page = f"{PAGE}{Path(facts[REPORT]).resolve()}" if facts.get(REPORT) else ""
        paths = {name: dg.MetadataValue.path(facts[name]) for name in (REPORT, DETAILS) if facts.get(name)}
        raise dg.Failure(f"{failure}{page}", metadata={**facts, **paths}, allow_retries=False) from None


@dg.logger
def silent_logger(_context: dg.InitLoggerContext) -> logging.Logger:
    """Return a logger that shows nothing: what a person should see is shown by `Progress`."""
    logger = logging.getLogger("silt.silent")
    logger.propagate = False
    logger.handlers = [logging.NullHandler()]
    return logger


def fields_of(settings: type[Any], *, required: Collection[str] = (), **types: Any) -> dict[str, Any]:
    """Return settings as fields of a model, some with a narrower type; several values are a list, which Dagster knows.

    Args:
        settings: They have defaults.
        required: Names of those whose default nobody may leave.
        types: Narrower types by name.
    """
    return {
        name: (
            types.get(name, list[str] if isinstance(default, tuple) else kind),
            Field(... if name in required else plain(default), description=text),
        )
        for name, kind, default, text in meanings(settings)
    }

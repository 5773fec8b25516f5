"""The reports `expectations_clean` and `expectations_noisy`: does each variant meet its suite, and noise keep its rates?

Their value is the files that they publish: a frame of `path` and `content`, `expectations.json` first, then the Data Docs.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import dagster as dg
import polars as pl

from assets.evidence.consistency import CONSISTENCY
from assets.evidence.distributions import KS
from assets.noisy import ELIGIBLE
from assets.wiring.boundary import guarded
from assets.wiring.gates import gate, verdict
from assets.wiring.keys import STORE, Stage, key
from assets.wiring.resources import Workspace
from pipeline.model import Environment, Frames
from pipeline.render import rows_of
from validation.expectations.judging import PAGES, RATE, Judged, judge_clean, judge_noisy
from validation.report.documents import written

EXPECTATIONS_CLEAN, EXPECTATIONS_NOISY = "expectations_clean", "expectations_noisy"

_CLEAN, _NOISY, _RATES = "clean_meets_its_suite", "noisy_meets_its_suite", "noise_keeps_its_rates"
_RENDERED, _ENTITIES = "rendered_", "entities"


def expectation_assets(environment: Environment) -> list[dg.AssetsDefinition]:
    """Return the asset of each variant."""
    return [_clean_asset(environment), _noisy_asset(environment)]


def _clean_asset(environment: Environment) -> dg.AssetsDefinition:
    told = (KS, CONSISTENCY) if environment.panel else (CONSISTENCY,)
    reports = {name: dg.AssetIn(key(environment, Stage.REPORTS, name)) for name in told}
    entities = dg.AssetIn(key(environment, Stage.ANONYMISED, environment.entities.tables[0]))

    @dg.asset(
        key=key(environment, Stage.REPORTS, EXPECTATIONS_CLEAN),
        ins=_rendered(environment) | reports | {_ENTITIES: entities},
        group_name=Stage.REPORTS,
        io_manager_key=STORE,
        dagster_type=dg.Any,
        check_specs=[gate(environment, EXPECTATIONS_CLEAN, _CLEAN)],
    )
    def expectations_clean(workspace: Workspace, **tables: Any) -> Iterator[dg.Output[Any] | dg.AssetCheckResult]:
        """The strict suite of every published table, as the environment declares it, and what clean tables make of it."""
        with guarded(workspace, environment):
            judged = judge_clean(
                environment,
                _rows(environment, tables, _RENDERED),
                entities=tables[_ENTITIES].height,
                ks=json.loads(tables[KS]) if environment.panel else {},
                consistency=json.loads(tables[CONSISTENCY]),
            )
            yield _output(judged)
            yield _met(_CLEAN, judged)

    return expectations_clean


def _noisy_asset(environment: Environment) -> dg.AssetsDefinition:
    names = [table.name for table in environment.noisy_tables()]
    places = {name: (Stage.NOISY, name) for name in names}
    places |= {f"ledger_{name}": (Stage.LEDGER, name) for name in names}
    places |= {f"{ELIGIBLE}_{name}": (Stage.LEDGER, f"{name}_{ELIGIBLE}") for name in names}

    @dg.asset(
        key=key(environment, Stage.REPORTS, EXPECTATIONS_NOISY),
        ins=_rendered(environment) | {name: dg.AssetIn(key(environment, *place)) for name, place in places.items()},
        group_name=Stage.REPORTS,
        io_manager_key=STORE,
        dagster_type=dg.Any,
        check_specs=[gate(environment, EXPECTATIONS_NOISY, name) for name in (_NOISY, _RATES)],
    )
    def expectations_noisy(workspace: Workspace, **tables: Any) -> Iterator[dg.Output[Any] | dg.AssetCheckResult]:
        """The suite of every noisy table: each deviation from the strict one is a rule of the specification, at its rate."""
        with guarded(workspace, environment):
            judged = judge_noisy(
                environment,
                workspace.noise_spec(environment),
                _rows(environment, tables, _RENDERED),
                _rows(environment, tables, ""),
                _joined(environment, tables, "ledger_"),
                _joined(environment, tables, f"{ELIGIBLE}_"),
                workspace.release_key(environment).key,
            )
            yield _output(judged)
            yield _met(_NOISY, judged)
            yield _rates(judged)

    return expectations_noisy


def _rendered(environment: Environment) -> dict[str, dg.AssetIn]:
    names = [table.name for table in environment.noisy_tables()]
    return {_RENDERED + name: dg.AssetIn(key(environment, Stage.RENDERED, name)) for name in names}


def _rows(environment: Environment, tables: Mapping[str, Any], prefix: str) -> Frames:
    found = {table.name: rows_of(table, tables[prefix + table.name]) for table in environment.noisy_tables()}
    return {name: rows for name, rows in found.items() if rows is not None}


def _joined(environment: Environment, tables: Mapping[str, Any], prefix: str) -> pl.DataFrame:
    frames: list[pl.DataFrame | None] = [tables[prefix + table.name] for table in environment.noisy_tables()]
    return pl.concat([frame for frame in frames if frame is not None])


def _output(judged: Judged) -> dg.Output[Any]:
    files = {"expectations.json": written("expectations", judged.report)}
    files |= {f"{PAGES}/{name}": page for name, page in sorted(judged.pages.items())}
    content = [page.decode() for page in files.values()]
    facts = {name: judged.report[name] for name in ("expectations", "met")}
    return dg.Output(pl.DataFrame({"path": list(files), "content": content}), metadata=facts)


def _met(check: str, judged: Judged) -> dg.AssetCheckResult:
    """Judge all but rates, which have a check of their own."""
    failed = [entry for entry in judged.report["failed"] if entry["expectation"] != RATE]
    facts = {
        "expectations": judged.report["expectations"],
        "tables": len(judged.report["tables"]),
        "not_met": len(failed),
    }
    return verdict(check, is_passed=not failed, facts=facts, samples=failed)


def _rates(judged: Judged) -> dg.AssetCheckResult:
    rules = judged.report["rules"]
    failed = [{name: value for name, value in rule.items() if name != "passed"} for rule in rules if not rule["passed"]]
    facts = {"rates": len(rules), "out_of_bounds": len(failed)}
    return verdict(_RATES, is_passed=not failed, facts=facts, samples=failed)

"""The reports `expectations_clean` and `expectations_noisy`: does each variant meet its suite, and noise keep its rates?

Their value is the files that they publish: a frame of `path` and `content`, `expectations.json` first, then the Data Docs.
"""

import json
from collections.abc import Iterator

import dagster as dg
import polars as pl

from assets.evidence.sides import ledgers, of_noise, rows_of_stage
from assets.making.aspects import KEY, NOISE
from assets.making.keys import CONSISTENCY, KS, Stage
from assets.making.step import Run
from assets.making.told import Result
from assets.wiring.gates import verdict
from assets.wiring.steps import Declared, asset
from pipeline.model import Environment
from validation.expectations.judging import PAGES, RATE, Judged, judge_clean, judge_noisy
from validation.report.documents import written

EXPECTATIONS_CLEAN, EXPECTATIONS_NOISY = "expectations_clean", "expectations_noisy"

_CLEAN, _NOISY, _RATES = "clean_meets_its_suite", "noisy_meets_its_suite", "noise_keeps_its_rates"


def expectation_assets(environment: Environment) -> list[Declared]:
    """Return the asset of each variant."""
    return [_clean_asset(environment), _noisy_asset(environment)]


def _clean_asset(environment: Environment) -> Declared:
    entities = (Stage.ANONYMISED, environment.entities.tables[0])
    told = [(Stage.REPORTS, name) for name in ((KS, CONSISTENCY) if environment.panel else (CONSISTENCY,))]
    rendered = [(Stage.RENDERED, table.name) for table in environment.noisy_tables()]
    reads = [*rendered, *told, entities]

    @asset(environment, Stage.REPORTS, EXPECTATIONS_CLEAN, reads=reads, checks=[_CLEAN])
    def expectations_clean(run: Run) -> Iterator[Result]:
        """The strict suite of every published table, as the environment declares it, and what clean tables make of it."""
        judged = judge_clean(
            environment,
            rows_of_stage(run, Stage.RENDERED),
            entities=run.read(*entities).height,
            ks=json.loads(run.read(Stage.REPORTS, KS)) if environment.panel else {},
            consistency=json.loads(run.read(Stage.REPORTS, CONSISTENCY)),
        )
        yield _made(run, EXPECTATIONS_CLEAN, judged)
        yield _met(_CLEAN, judged)

    return expectations_clean


def _noisy_asset(environment: Environment) -> Declared:
    reads = of_noise(environment)

    @asset(environment, Stage.REPORTS, EXPECTATIONS_NOISY, reads=reads, uses=(KEY, NOISE), checks=[_NOISY, _RATES])
    def expectations_noisy(run: Run) -> Iterator[Result]:
        """The suite of every noisy table: each deviation from the strict one is a rule of the specification, at its rate."""
        judged = judge_noisy(
            environment,
            run.use(NOISE).spec,
            rows_of_stage(run, Stage.RENDERED),
            rows_of_stage(run, Stage.NOISY),
            *ledgers(run),
            run.use(KEY),
        )
        yield _made(run, EXPECTATIONS_NOISY, judged)
        yield _met(_NOISY, judged)
        yield _rates(judged)

    return expectations_noisy


def _made(run: Run, name: str, judged: Judged) -> Result:
    files = {"expectations.json": written("expectations", judged.report)}
    files |= {f"{PAGES}/{name}": page for name, page in sorted(judged.pages.items())}
    content = [page.decode() for page in files.values()]
    facts = {name: judged.report[name] for name in ("expectations", "met")}
    return run.made(Stage.REPORTS, name, pl.DataFrame({"path": list(files), "content": content}), facts)


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

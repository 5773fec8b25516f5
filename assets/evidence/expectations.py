"""The reports `expectations_clean` and `expectations_noisy`: does each variant meet its suite, and noise keep its rates?

Their value is the files that they publish: a frame of `path` and `content`, `expectations.json` first, then the Data Docs.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from functools import partial

import polars as pl

from assets.evidence.sides import of_noise, opportunities
from assets.making.keys import CONSISTENCY, KS, Stage, eligible
from assets.making.parameters import KEY, NOISE
from assets.making.results import CheckOutcome, Result
from assets.making.step import Run, StepDivision, StepPart
from assets.making.store import StageTables, Value
from assets.wiring.gates import in_the_report, verdict
from assets.wiring.steps import Declared, asset
from pipeline.model import Environment, PublishedTable
from pipeline.noise.steps import Source
from validation.expectations.evidence import evidence
from validation.expectations.judging import (
    RATE,
    JudgedTable,
    NoisyTable,
    clean_table,
    noisy_table,
    referred_by,
)
from validation.expectations.rates import alpha_of
from validation.report.data_docs import PAGES, JudgedExpectations, together
from validation.report.documents import written

EXPECTATIONS_CLEAN, EXPECTATIONS_NOISY = "expectations_clean", "expectations_noisy"

_CLEAN, _NOISY, _RATES = "clean_meets_its_suite", "noisy_meets_its_suite", "noise_keeps_its_rates"


def expectation_assets(environment: Environment) -> list[Declared]:
    """Return the asset of each variant."""
    return [_clean_asset(environment), _noisy_asset(environment)]


def _clean_asset(environment: Environment) -> Declared:
    entities = (Stage.ANONYMISED, environment.entities.tables[0])
    reports = [(Stage.REPORTS, name) for name in ((KS, CONSISTENCY) if environment.panel else (CONSISTENCY,))]
    rendered = [(Stage.RENDERED, table.name) for table in environment.noisy_tables()]
    reads = [*rendered, *reports, entities]

    def parts(run: Run) -> list[StepPart]:
        ks = json.loads(run.read(Stage.REPORTS, KS)) if environment.panel else {}
        found = evidence(environment, ks, json.loads(run.read(Stage.REPORTS, CONSISTENCY)))
        count = run.blocks(*entities).height
        return [
            _part(run, table, referred_by(environment, table), given=(count, found.get(table.name, [])))
            for table in _rendered(run)
        ]

    def do(run: Run, part: StepPart) -> list[tuple[str, Value]]:
        entities, found = part.given
        table = environment.table(part.name)
        return _kept(clean_table(environment, table, _rows(run), entities=entities, found=found))

    division = StepDivision(parts=parts, do=do)

    @asset(
        environment, Stage.REPORTS, EXPECTATIONS_CLEAN, reads=reads, checks=[_CLEAN], is_at_home=True, division=division
    )
    def expectations_clean(run: Run) -> Iterator[Result]:
        """The strict suite of every published table, as the environment declares it, and what clean tables make of it."""
        judged = together(environment, "clean", _judged(run))
        yield _made(run, EXPECTATIONS_CLEAN, judged)
        yield _met(_CLEAN, judged, _said(judged, _CLEAN))

    return expectations_clean


def _noisy_asset(environment: Environment) -> Declared:
    reads, uses, checks = of_noise(environment), (KEY, NOISE), [_NOISY, _RATES]

    def parts(run: Run) -> list[StepPart]:
        spec = run.use(NOISE).spec
        alpha = alpha_of(spec, opportunities(run))
        return [
            _part(
                *(run, table, {*referred_by(environment, table), *table.beside}),
                stages=(Stage.NOISY, Stage.LEDGER),
                given=(spec.on(table.name), alpha),
            )
            for table in _rendered(run)
        ]

    def do(run: Run, part: StepPart) -> list[tuple[str, Value]]:
        (spec, alpha), name = part.given, part.name
        counts = (run.read(Stage.LEDGER, kept) for kept in (name, eligible(name)))
        noised = NoisyTable(run.blocks(Stage.NOISY, name), *counts)
        table = environment.table(name)
        return _kept(noisy_table(environment, spec, table, noised, _rows(run), run.use(KEY), alpha=alpha))

    division = StepDivision(parts=parts, do=do)

    @asset(
        *(environment, Stage.REPORTS, EXPECTATIONS_NOISY),
        reads=reads,
        uses=uses,
        checks=checks,
        is_at_home=True,
        division=division,
    )
    def expectations_noisy(run: Run) -> Iterator[Result]:
        """The suite of every noisy table: each deviation from the strict one is a rule of the specification, at its rate."""
        judged = together(environment, "noisy", _judged(run))
        yield _made(run, EXPECTATIONS_NOISY, judged)
        yield _met(_NOISY, judged, _said(judged, _NOISY))
        yield _rates(judged, _said(judged, _RATES))

    return expectations_noisy


def _rendered(run: Run) -> list[PublishedTable]:
    """Return the tables that may have noise and that this build has."""
    return [table for table in run.environment.noisy_tables() if run.given[Stage.RENDERED, table.name] is not None]


def _part(
    run: Run, table: PublishedTable, others: Collection[str], *, given: object, stages: Collection[str] = ()
) -> StepPart:
    """Return the part that judges one table, with those that are looked at with it, as far as this build has them."""
    seen = [each.name for each in _rendered(run) if each.name == table.name or each.name in others]
    kept = [(Stage.LEDGER, eligible(table.name))] if stages else []
    places = [*((Stage.RENDERED, name) for name in seen), *((stage, table.name) for stage in stages), *kept]
    uses = frozenset({KEY.name}) if stages else frozenset()
    return StepPart(name=table.name, reads={place: run.given[place] for place in places}, uses=uses, given=given)


def _kept(judged: JudgedTable) -> list[tuple[str, Value]]:
    return [("judged", json.dumps(vars(judged)))]


def _judged(run: Run) -> list[JudgedTable]:
    return [JudgedTable(**json.loads(text)) for text in run.of_parts("judged")]


def _rows(run: Run) -> Mapping[str, Source]:
    """Return tables block by block, and the rows of documents; each of these is in memory while it is looked at."""
    return StageTables([name for stage, name in run.given if stage == Stage.RENDERED], partial(_source, run))


def _source(run: Run, name: str) -> Source:
    document = run.environment.table(name).document
    return document.rows(run.read(Stage.RENDERED, name)) if document else run.blocks(Stage.RENDERED, name)


def _made(run: Run, name: str, judged: JudgedExpectations) -> Result:
    files = {"expectations.json": written("expectations", judged.report)}
    files |= {f"{PAGES}/{name}": page for name, page in sorted(judged.pages.items())}
    content = [page.decode() for page in files.values()]
    facts = {name: judged.report[name] for name in ("expectations", "met")}
    return run.made(Stage.REPORTS, name, pl.DataFrame({"path": list(files), "content": content}), facts)


def _said(judged: JudgedExpectations, check: str) -> Mapping[str, str]:
    return in_the_report(expectations=written("expectations", judged.report).decode())(check)


def _met(check: str, judged: JudgedExpectations, said: Mapping[str, str]) -> CheckOutcome:
    """Judge all but rates, which have a check of their own."""
    failed = [entry for entry in judged.report["failed"] if entry["expectation"] != RATE]
    facts = {
        "expectations": judged.report["expectations"],
        "tables": len(judged.report["tables"]),
        "not_met": len(failed),
        **said,
    }
    return verdict(check, is_passed=not failed, facts=facts, samples=failed)


def _rates(judged: JudgedExpectations, said: Mapping[str, str]) -> CheckOutcome:
    rules = judged.report["rules"]
    failed = [{name: value for name, value in rule.items() if name != "passed"} for rule in rules if not rule["passed"]]
    facts = {"rates": len(rules), "out_of_bounds": len(failed), **said}
    return verdict(_RATES, is_passed=not failed, facts=facts, samples=failed)

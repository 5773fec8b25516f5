"""The reports `expectations_clean` and `expectations_noisy`: does each variant meet its suite, and noise keep its rates?

Their value is the files that they publish: a frame of `path` and `content`, `expectations.json` first, then the Data Docs.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

import polars as pl

from assets.evidence.sides import ledgers, of_noise
from assets.making.keys import CONSISTENCY, KS, Place, Stage, eligible
from assets.making.parameters import KEY, NOISE
from assets.making.results import CheckOutcome, Result
from assets.making.step import Run
from assets.making.store import StageTables
from assets.wiring.gates import in_the_report, verdict
from assets.wiring.steps import Declared, asset
from pipeline.model import Environment, PublishedTable
from pipeline.noise.steps import Source
from validation.expectations.evidence import evidence
from validation.expectations.expected import Expected
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

    @asset(environment, Stage.REPORTS, EXPECTATIONS_CLEAN, reads=reads, checks=[_CLEAN], is_at_home=True)
    def expectations_clean(run: Run) -> Iterator[Result]:
        """The strict suite of every published table, as the environment declares it, and what clean tables make of it."""
        ks = json.loads(run.read(Stage.REPORTS, KS)) if environment.panel else {}
        found = evidence(environment, ks, json.loads(run.read(Stage.REPORTS, CONSISTENCY)))
        count = run.read(*entities).height
        tables = [_clean(run, table, count, found.get(table.name, [])) for table in _rendered(run)]
        judged = together(environment, "clean", tables)
        yield _made(run, EXPECTATIONS_CLEAN, judged)
        yield _met(_CLEAN, judged, _said(judged, _CLEAN))

    return expectations_clean


def _noisy_asset(environment: Environment) -> Declared:
    reads, uses, checks = of_noise(environment), (KEY, NOISE), [_NOISY, _RATES]

    @asset(environment, Stage.REPORTS, EXPECTATIONS_NOISY, reads=reads, uses=uses, checks=checks, is_at_home=True)
    def expectations_noisy(run: Run) -> Iterator[Result]:
        """The suite of every noisy table: each deviation from the strict one is a rule of the specification, at its rate."""
        alpha = alpha_of(run.use(NOISE).spec, ledgers(run)[1])
        judged = together(environment, "noisy", [_noisy(run, table, alpha) for table in _rendered(run)])
        yield _made(run, EXPECTATIONS_NOISY, judged)
        yield _met(_NOISY, judged, _said(judged, _NOISY))
        yield _rates(judged, _said(judged, _RATES))

    return expectations_noisy


def _rendered(run: Run) -> list[PublishedTable]:
    """Return the tables that may have noise and that this build has."""
    return [table for table in run.environment.noisy_tables() if run.given[Stage.RENDERED, table.name] is not None]


def _clean(run: Run, table: PublishedTable, entities: int, found: Sequence[Expected]) -> JudgedTable:
    names = _seen(run, table, referred_by(run.environment, table))

    def judged(part: Run) -> JudgedTable:
        return clean_table(run.environment, table, _rows(part, names), entities=entities, found=found)

    reads = [(Stage.RENDERED, name) for name in names]
    return _judged(run, f"clean {table.name}", judged, reads=reads, given=(entities, found))


def _noisy(run: Run, table: PublishedTable, alpha: float) -> JudgedTable:
    spec, key = run.use(NOISE).spec.on(table.name), run.use(KEY)
    names = _seen(run, table, {*referred_by(run.environment, table), *table.beside})
    own = [(Stage.NOISY, table.name), (Stage.LEDGER, table.name), (Stage.LEDGER, eligible(table.name))]

    def judged(part: Run) -> JudgedTable:
        noised = NoisyTable(part.blocks(*own[0]), *(part.read(*place) for place in own[1:]))
        return noisy_table(run.environment, spec, table, noised, _rows(part, names), key, alpha=alpha)

    reads = [*own, *((Stage.RENDERED, name) for name in names)]
    return _judged(run, f"noisy {table.name}", judged, reads=reads, given=(spec, key, alpha))


def _judged(
    run: Run, what: str, make: Callable[[Run], JudgedTable], *, reads: Iterable[Place], given: object
) -> JudgedTable:
    """Return what is judged of one table, made again only if something that it depends on is another."""
    text = run.part(what, lambda part: json.dumps(vars(make(part))), reads=reads, given=given)
    return JudgedTable(**json.loads(text))


def _seen(run: Run, table: PublishedTable, others: Collection[str]) -> list[str]:
    """Return the names of a table and of those that are looked at with it, as far as this build has them."""
    return [each.name for each in _rendered(run) if each.name == table.name or each.name in others]


def _rows(run: Run, names: Iterable[str]) -> Mapping[str, Source]:
    """Return tables block by block, and the rows of documents; each of these is in memory while it is looked at."""
    return StageTables(list(names), partial(_source, run))


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

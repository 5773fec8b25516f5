"""The report `noise`: what each rule changed, what one filter finds of it, and what the reference cleaner takes back."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import polars as pl

from anonymize.tables import FIGURES
from assets.evidence.divided import in_shares
from assets.evidence.sides import of_noise
from assets.making.keys import Stage, eligible
from assets.making.parameters import KEY
from assets.making.parameters import NOISE as SPECIFIED
from assets.making.results import CheckOutcome, Result
from assets.making.step import Run
from assets.making.store import StageTables
from assets.wiring.gates import drawn, in_the_report, verdict
from assets.wiring.steps import Declared, asset
from pipeline.model import Environment
from pipeline.noise.steps import Source
from pipeline.render import rows_of
from validation.noise.cleaner.aggregates import Firms
from validation.noise.cleaner.shares import NotApartError, codes_of, shares_of
from validation.noise.findings import (
    FINDINGS,
    NoiseInputs,
    Rows,
    TableAndLedger,
    TableFindings,
    is_divisible,
    looked_into,
    noise_findings,
    table_findings,
)
from validation.noise.naive_reader import found_firms
from validation.report.charts.drawings import bars
from validation.report.documents import written
from validation.report.documents.noise import Noise
from validation.report.sections.recovery import ladder_bars

NOISE = "noise"

_MENDS = "cleaner_mends_what_is_recoverable"
_REALISTIC = "realistic_noise_is_not_detectable"

_AT_ONCE = 2
"""Tables that are looked at side by side (our choice: each takes memory)."""

_COUNTED = ("recoverable", "mended", "missed", "wrong", "aggregates_are_exact")
"""What a check states of the cleaner."""

_BARS = 20
"""Bars of a picture: as many as are read."""


def noise_asset(environment: Environment) -> Declared:
    """Return the asset of the noise report."""
    firms = (Stage.ANONYMISED, environment.entities.tables[0]), (Stage.ANONYMISED, FIGURES)
    derived = [(Stage.DERIVED, name) for aggregate in environment.aggregates for name in aggregate.tables()]
    reads = [*of_noise(environment), *firms, *derived]

    @asset(environment, Stage.REPORTS, NOISE, reads=reads, uses=(KEY, SPECIFIED), checks=(_MENDS, _REALISTIC))
    def noise(run: Run) -> Iterator[Result]:
        """What each rule changed, what one filter finds of it, and what the reference cleaner takes back."""
        noise, key = run.use(SPECIFIED), run.use(KEY)
        asked = NoiseInputs(
            environment=environment, spec=noise.spec, plan=noise.cleaning, families=noise.families, key=key
        )
        truth = Firms(*(run.read(*place) for place in firms))
        ledgers = run.frames(Stage.LEDGER, [table.name for table in environment.noisy_tables()])
        found_by = _found_firms(run, asked, ledgers)
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            looked = threads.map(lambda name: _findings(run, asked, name, ledgers, found_by, truth), ledgers)
            found = dict(zip(ledgers, looked, strict=True))
        report = noise_findings(
            asked,
            found,
            clean=StageTables(ledgers, partial(_blocks, run)),
            derived={name: run.read(stage, name) for stage, name in derived},
            firms=found_by,
            truth=truth,
        )
        content = written(NOISE, {"rules": report.pop("rules"), "is_blocking": noise.is_default, **report})
        answered = Noise.model_validate_json(content).ladder
        changes = sum(ledger.height for ledger in ledgers.values())
        facts = {"cells_changed": changes, "ladder": drawn("ladder", ladder_bars(answered))}
        said = in_the_report(noise=content.decode())
        yield run.made(Stage.REPORTS, NOISE, content.decode(), facts)
        yield _mending(report["cleaner"], said(_MENDS), is_default=noise.is_default)
        yield _realism(report["filters"], said(_REALISTIC), is_default=noise.is_default)

    return noise


def _findings(
    run: Run,
    asked: NoiseInputs,
    name: str,
    ledgers: Mapping[str, pl.DataFrame],
    firms: pl.DataFrame | None,
    truth: Firms,
) -> TableFindings:
    """Return the findings of one table, made again only if something that they depend on is another."""
    touched = {table for table, ledger in ledgers.items() if ledger.height}
    own, seen = asked.on(name, touched), looked_into(asked, name, touched)
    reads = [
        *((stage, name) for stage in (Stage.RENDERED, Stage.NOISY, Stage.LEDGER)),
        (Stage.LEDGER, eligible(name)),
        *((Stage.RENDERED, other) for other in asked.environment.table(name).beside),
        *((stage, other) for other in seen for stage in (Stage.RENDERED, Stage.NOISY)),
    ]
    schema, near = truth.entities.schema, touched & {name, *seen}
    beside = [other for other in asked.environment.table(name).beside if other in ledgers]
    noisy = [other for other in (name, *seen) if other in ledgers]

    def make(part: Run) -> str:
        table = TableAndLedger(
            name=name,
            ledger=part.read(Stage.LEDGER, name),
            opportunities=part.read(Stage.LEDGER, eligible(name)),
            touched=near,
            firms=firms,
            schema=schema,
        )
        try:
            found = table_findings(own, table, _rows(part, own, table, beside, noisy))
        except NotApartError as error:
            part.log(f"{error}, so that the noise report looks at the whole table")
            found = table_findings(own, table, _whole(part, name, beside, noisy))
        return FINDINGS.dump_json(found).decode()

    given = (own.spec, own.plan, own.families, own.key, near, firms, schema)
    return FINDINGS.validate_json(run.part(f"findings in {name}", make, reads=reads, given=given))


def _rows(
    run: Run, asked: NoiseInputs, table: TableAndLedger, beside: Sequence[str], noisy: Sequence[str]
) -> Iterator[Rows]:
    """Return the rows of a table: all together, or share by share if there are many."""
    shares = shares_of(run.blocks(Stage.NOISY, table.name).height)
    if shares > 1 and is_divisible(asked, table):
        return in_shares(run, table.name, beside, noisy, codes=codes_of(asked.environment), shares=shares)
    return _whole(run, table.name, beside, noisy)


def _whole(run: Run, name: str, beside: Sequence[str], noisy: Sequence[str]) -> Iterator[Rows]:
    """Return all rows of a table; nothing is read before they are wanted."""
    for clean in map(partial(_rendered, run), [name]):
        yield Rows(
            clean=clean,
            places=pl.int_range(clean.height, eager=True),
            beside=StageTables(beside, partial(_rendered, run)),
            noisy=StageTables(noisy, partial(run.read, Stage.NOISY)),
        )


def _found_firms(run: Run, asked: NoiseInputs, ledgers: Mapping[str, pl.DataFrame]) -> pl.DataFrame | None:
    views = asked.environment.views
    if views is None or views.entities.table not in ledgers:
        return None
    name = views.entities.table
    found = found_firms(asked.environment, _rendered(run, name), ledgers[name], asked.families)
    # In one order: parts of the report are known by it.
    return None if found is None else found.sort(pl.all())


def _blocks(run: Run, name: str) -> Source:
    """Return a table without noise, of which there are rows, as blocks; a document as its rows."""
    is_table = run.environment.table(name).document is None
    return run.blocks(Stage.RENDERED, name) if is_table else _rendered(run, name)


def _rendered(run: Run, name: str) -> pl.DataFrame:
    """Return the rows of a table without noise, of which there are some."""
    rows = rows_of(run.environment.table(name), run.read(Stage.RENDERED, name))
    if rows is None:
        raise LookupError(f"{name} has a ledger, and is not rendered")
    return rows


def _realism(found: Sequence[Mapping[str, Any]], said: Mapping[str, str], *, is_default: bool) -> CheckOutcome:
    """Judge whether kinds that claim realism keep to their limit: Silt's own noise must, a user's only warns."""
    held = sorted((entry for entry in found if entry["limit"] is not None), key=lambda entry: -entry["rate"])
    failed = [f"{entry['rule']} in {entry['table']}" for entry in held if not entry["passed"]]
    return verdict(
        _REALISTIC,
        is_passed=not failed,
        is_warning=not is_default,
        facts={"held_to_a_limit": len(held), "is_detected": ", ".join(failed), **said},
        samples=[{name: entry[name] for name in ("rule", "table", "attack", "rate", "limit")} for entry in held],
        picture=bars(
            {f"{entry['rule']}, {entry['table']}": entry["rate"] for entry in held[:_BARS]},
            limits={f"{entry['rule']}, {entry['table']}": entry["limit"] for entry in held[:_BARS]},
        ),
    )


def _mending(cleaner: Mapping[str, Any] | None, said: Mapping[str, str], *, is_default: bool) -> CheckOutcome:
    """Judge the noise by what the reference cleaner made of it.

    The environment's default noise must be as recoverable as it says, or nothing is published. Harsher noise may lose by two
    changes together what each alone would leave, and a user's own may say anything: with them the build goes on, and the check
    warns.
    """
    if cleaner is None:
        return verdict(_MENDS, is_passed=True, facts={"cleaning_plan": False})
    recoverable = [kind for kind in cleaner["kinds"] if kind["recoverable"]]
    worst = sorted(cleaner["kinds"], key=lambda kind: (-kind["missed"], -kind["wrong"]))
    return verdict(
        _MENDS,
        is_passed=cleaner["passed"],
        is_warning=not is_default,
        facts={**{name: cleaner[name] for name in _COUNTED}, **said},
        samples=[{name: kind[name] for name in ("kind", "recoverable", "mended", "missed", "wrong")} for kind in worst],
        picture=bars({kind["kind"]: kind["mended"] / kind["recoverable"] for kind in recoverable}),
    )

"""The report `noise`: what each rule changed, what one filter finds of it, and what the reference cleaner takes back."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import polars as pl

from anonymize.tables import FIGURES
from assets.evidence.divided import in_shares
from assets.evidence.sides import of_noise
from assets.making.keys import FIRMS, Place, Stage, eligible
from assets.making.parameters import KEY, StepParameter
from assets.making.parameters import NOISE as SPECIFIED
from assets.making.results import CheckOutcome, Result
from assets.making.step import Run, StepDivision, StepPart
from assets.making.store import StageTables, StoredBlocks, Value
from assets.wiring.gates import TRIED, drawn, in_the_report, verdict
from assets.wiring.steps import Declared, asset, step
from pipeline.model import Environment
from pipeline.render import rows_of
from validation.noise.cleaner.aggregates import Firms
from validation.noise.cleaner.shares import NotApartError, codes_of, shares_of
from validation.noise.findings import (
    FINDINGS,
    NoiseInputs,
    Rows,
    TableAndLedger,
    is_divisible,
    looked_into,
    noise_findings,
    table_findings,
)
from validation.noise.ladder import found_firms
from validation.report.charts.drawings import bars
from validation.report.documents import written
from validation.report.documents.noise import Noise
from validation.report.sections.recovery import ladder_bars

NOISE = "noise"

_MENDS = "cleaner_mends_what_is_recoverable"
_REALISTIC = "realistic_noise_is_not_detectable"

_FOUND = "findings"

_FAMILIES: StepParameter[Sequence[str]] = StepParameter("families", lambda request: request.noise.families)

_COUNTED = ("recoverable", "mended", "missed", "wrong", "aggregates_are_exact")
"""What a check states of the cleaner."""

_BARS = 20
"""Bars of a picture: as many as are read."""


def noise_steps(environment: Environment) -> list[Declared]:
    """Return the asset of the noise report, after a step that finds firms by their names with noise."""
    return [_firms_step(environment), _noise_asset(environment)]


def _firms_step(environment: Environment) -> Declared:
    listed = environment.views and environment.views.entities.table
    is_there = listed in {table.name for table in environment.noisy_tables()}
    reads = [(Stage.RENDERED, listed), (Stage.LEDGER, listed)] if listed and is_there else []

    @step(environment, *FIRMS, makes=[FIRMS], reads=reads, uses=(_FAMILIES,))
    def finding(run: Run) -> Iterator[Result]:
        """Find the firms by what stands in noisy tables."""
        if listed and reads and run.has(*reads[0]):
            ledger = run.read(Stage.LEDGER, listed)
            found = found_firms(environment, _rendered(run, listed), ledger, run.use(_FAMILIES))
            # In one order: parts of the report are known by it.
            run.keep(*FIRMS, None if found is None else found.sort(pl.all()))
        return iter(())

    return finding


def _noise_asset(environment: Environment) -> Declared:
    firms = (Stage.ANONYMISED, environment.entities.tables[0]), (Stage.ANONYMISED, FIGURES)
    derived = [(Stage.DERIVED, name) for aggregate in environment.aggregates for name in aggregate.tables()]
    reads, uses = [*of_noise(environment), *firms, *derived, FIRMS], (KEY, SPECIFIED)
    division = StepDivision(parts=partial(_parts, firms[0]), do=_findings)

    @asset(environment, Stage.REPORTS, NOISE, reads=reads, uses=uses, checks=(_MENDS, _REALISTIC), division=division)
    def noise(run: Run) -> Iterator[Result]:
        """What each rule changed, what one filter finds of it, and what the reference cleaner takes back."""
        noise, asked = run.use(SPECIFIED), _asked(run)
        names = _with_ledger(run)
        report = noise_findings(
            asked,
            dict(zip(names, map(FINDINGS.validate_json, run.of_parts(_FOUND)), strict=True)),
            clean=StageTables(names, partial(_blocks, run)),
            heights={name: _blocks(run, name).height for name in names},
            derived={name: run.read(stage, name) for stage, name in derived},
            firms=run.read(*FIRMS),
            truth=Firms(*(run.read(*place) for place in firms)),
        )
        content = written(NOISE, {"rules": report.pop("rules"), "is_blocking": noise.is_default, **report})
        answered = Noise.model_validate_json(content).ladder
        changes = sum(run.blocks(Stage.LEDGER, name).height for name in names)
        facts = {"entries of the ledger": changes, "ladder": drawn("ladder", ladder_bars(answered))}
        said = in_the_report(noise=content.decode())
        yield run.made(Stage.REPORTS, NOISE, content.decode(), facts)
        yield _mending(report["cleaner"], said(_MENDS), is_default=noise.is_default)
        yield _realism(report["filters"], said(_REALISTIC), is_default=noise.is_default)

    return noise


def _asked(run: Run) -> NoiseInputs:
    noise = run.use(SPECIFIED)
    return NoiseInputs(
        environment=run.environment,
        spec=noise.spec,
        plan=noise.cleaning,
        families=noise.families,
        key=run.use(KEY),
    )


def _with_ledger(run: Run) -> list[str]:
    """Return the tables that may have noise and that this build has."""
    return [table.name for table in run.environment.noisy_tables() if run.has(Stage.LEDGER, table.name)]


def _parts(firms: Place, run: Run) -> list[StepPart]:
    """Return the part of each table: what concerns it of the specification, and the tables that it is looked at with."""
    asked, names = _asked(run), _with_ledger(run)
    touched = {name for name in names if run.blocks(Stage.LEDGER, name).height}
    schema = run.blocks(*firms).schema
    return [_part(run, asked, name, names, touched, schema) for name in names]


def _part(
    run: Run, asked: NoiseInputs, name: str, names: Sequence[str], touched: set[str], schema: pl.Schema
) -> StepPart:
    own, seen = asked.on(name, touched), looked_into(asked, name, touched)
    beside = [other for other in asked.environment.table(name).beside if other in names]
    noisy = [other for other in names if other == name or other in seen]
    places = [
        *((Stage.LEDGER, kept) for kept in (name, eligible(name))),
        *((Stage.RENDERED, other) for other in dict.fromkeys([*noisy, *beside])),
        *((Stage.NOISY, other) for other in noisy),
        FIRMS,
    ]
    return StepPart(
        name=name,
        reads={place: run.given[place] for place in places},
        uses=frozenset({KEY.name}),
        given=(own.spec, own.plan, own.families, sorted(touched & {name, *seen}), schema, beside, noisy),
    )


def _findings(run: Run, part: StepPart) -> Iterator[tuple[str, Value]]:
    """Return the findings of one table."""
    spec, plan, families, touched, schema, beside, noisy = part.given
    own = NoiseInputs(environment=run.environment, spec=spec, plan=plan, families=families, key=run.use(KEY))
    table = TableAndLedger(
        name=part.name,
        ledger=run.read(Stage.LEDGER, part.name),
        opportunities=run.read(Stage.LEDGER, eligible(part.name)),
        touched=frozenset(touched),
        firms=run.read(*FIRMS),
        schema=schema,
    )
    try:
        found = table_findings(own, table, _rows(run, own, table, beside, noisy))
    except NotApartError as error:
        run.log(f"{error}, so that the noise report looks at the whole table")
        found = table_findings(own, table, _whole(run, part.name, beside, noisy))
    yield _FOUND, FINDINGS.dump_json(found).decode()


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


def _blocks(run: Run, name: str) -> StoredBlocks | pl.DataFrame:
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
    held = [entry for entry in found if entry["limit"] is not None and entry["records"]]
    held.sort(key=lambda entry: -entry["rate"])
    if not held:
        return verdict(
            _REALISTIC, is_passed=True, facts={TRIED: "nothing to try: no noise that claims realism changed a cell"}
        )
    failed = [f"{entry['rule']} in {entry['table']}" for entry in held if not entry["passed"]]
    return verdict(
        _REALISTIC,
        is_passed=not failed,
        is_warning=not is_default,
        facts={"held_to_a_limit": len(held), **({"is_detected": ", ".join(failed)} if failed else {}), **said},
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
        return verdict(_MENDS, is_passed=True, facts={TRIED: "not tried: no plan says how these tables are cleaned"})
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

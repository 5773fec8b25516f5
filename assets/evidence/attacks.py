"""The report `attacks`: what an outsider finds in the release, with a blocking check on what the policy allows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from anonymize.keys.release_key import DEMONSTRATION_KEY
from anonymize.tables import FIGURES, NAMES
from assets.evidence.sides import of_both_sides, paired_events, published_codes
from assets.making.flow import Door
from assets.making.keys import ATTACKS, PROSE, Place, Stage
from assets.making.parameters import BUDGET, KEY, MASTER, POLICY, RAW
from assets.making.results import Result
from assets.making.step import Run
from assets.wiring.gates import in_the_report
from assets.wiring.gates import verdict as outcome
from assets.wiring.originals import OF_ORIGINALS, originals
from assets.wiring.steps import Declared, asset
from pipeline.conform.reading import read
from pipeline.model import Environment
from validation.attacks.adaptive.suite import IN_A_BUILD
from validation.attacks.kinds import KindSides
from validation.attacks.limits import LINKAGE, REPORTED_ONLY, is_over
from validation.attacks.privacy import outcomes_of
from validation.attacks.records.events import EventSides
from validation.attacks.suite import Sides, audit, raw_rows, verdict
from validation.report.charts.drawings import bars
from validation.report.documents import written

OVER = "over"
"""Fact of a check: what was over its limit, in words."""

_WITHIN_LIMITS = "attacks_stay_within_limits"


def attacks_asset(environment: Environment) -> Declared:
    """Return the asset of the attacks on a release."""
    reads, uses = _reads(environment), (BUDGET, KEY, MASTER, POLICY, RAW)

    doors = {(Stage.REPORTS, ATTACKS): Door.OUTCOME}

    @asset(environment, Stage.REPORTS, ATTACKS, reads=reads, uses=uses, checks=(_WITHIN_LIMITS,), doors=doors)
    def attacks(run: Run) -> Iterator[Result]:
        """How many companies an outsider names who has the register and the annual reports, and by what else."""
        report = _report(run)
        linkage = [entry["rate"] for entry in report["attacks"] if entry["family"] == LINKAGE]
        facts = {
            "summary": report["summary"],
            "attacks": len(report["attacks"]),
            "over_their_limit": sum(map(is_over, report["attacks"])),
            "highest_linkage_rate": max(linkage, default=0.0),
            **({OVER: "; ".join(over)} if (over := _over(report["attacks"])) else {}),
        }
        published = report
        if run.use(POLICY).samples_records:
            run.keep(Stage.CURATOR, ATTACKS, written("privacy", report).decode())
            published = outcomes_of(report, doors=list(Door), budget=run.use(BUDGET))
        content = written("privacy", published).decode()
        yield run.made(Stage.REPORTS, ATTACKS, content, facts)
        yield outcome(
            _WITHIN_LIMITS,
            is_passed=report["passed"],
            facts={**facts, **in_the_report(privacy=content)(_WITHIN_LIMITS)},
            samples=_nearest_to_limits(report["attacks"]),
            picture=bars(_highest_rates(report["attacks"])),
        )

    return attacks


def _over(attacks: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the attacks that are over their limit, each with what it knows: no count, which is the curator's."""
    return [f"{entry['attack']}, knowing {entry['knowledge']}" for entry in attacks if is_over(entry)]


def _nearest_to_limits(attacks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the attacks that are held to a limit: those that broke it first, then by what they find beyond chance."""
    held = [entry for entry in attacks if entry["limit"] != REPORTED_ONLY and entry["records"]]
    order = sorted(held, key=lambda entry: (not is_over(entry), entry["chance"] - entry["rate"]))
    return [
        {name: entry[name] for name in ("attack", "records", "rate", "chance", "limit", "passed")} for entry in order
    ]


def _highest_rates(attacks: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    rates: dict[str, float] = {}
    for entry in attacks:
        rates[entry["family"]] = max(entry["rate"], rates.get(entry["family"], 0.0))
    return rates


def _listing(environment: Environment) -> list[str]:
    """Return the conformed tables that the attacks look at: those that list entities, and the panel's."""
    further = [name for kind in environment.further for name in kind.tables]
    return list(dict.fromkeys((*environment.entities.tables, *further, *environment.panel.tables)))


def _reads(environment: Environment) -> list[Place]:
    further = [name for kind in environment.further for name in kind.tables]
    return [
        *of_both_sides(environment),
        *((Stage.CONFORMED, name) for name in _listing(environment)),
        *((Stage.ANONYMISED, name) for name in (environment.entities.tables[0], *further, NAMES)),
        (Stage.IDENTITY, PROSE),
        *OF_ORIGINALS,
        *((Stage.RENDERED, table.name) for table in environment.tables),
    ]


def _events(run: Run) -> list[EventSides]:
    """Return the events on both sides, under the original codes; of sampled ones none is anybody's."""
    environment, (then, now), is_sampled = run.environment, paired_events(run), run.use(POLICY).samples_records
    sides = []
    for name in then:
        entities = run.read(Stage.CONFORMED, environment.kind_of_events(environment.events_of(name)).tables[0])
        both = then[name], _under_original_codes(run, name, now[name])
        sides.append(EventSides.of(environment, name, both, entities, is_sampled=is_sampled))
    return sides


def _under_original_codes(run: Run, table: str, published: pl.DataFrame) -> pl.DataFrame:
    events = run.environment.events_of(table)
    codes = published_codes(run, run.environment.kind_of_events(events))
    original = {pseudonym: code for code, pseudonym in codes.items()}
    return published.with_columns(pl.col(events.entity).replace_strict(original, return_dtype=pl.String))


def _report(run: Run) -> dict[str, Any]:
    with run.store.scratch() as folder:
        sides = _sides(run, folder)
        judged = verdict(sides, audit(sides, run.use(KEY).derive("audit"), effort=IN_A_BUILD), sides.policy)
    tokens = originals(run).tokens(run.environment)
    return judged | {
        "prose": json.loads(run.read(Stage.IDENTITY, PROSE)),
        "not_searched": tokens.only_in_columns_of_codes(),
    }


def _sides(run: Run, folder: Path) -> Sides:
    """Return what is compared; raw tables as text are put into a folder, so that each column is read when it is looked at."""
    environment = run.environment
    rendered = [table.name for table in environment.tables if run.has(Stage.RENDERED, table.name)]
    return Sides(
        environment=environment,
        conformed=run.frames(Stage.CONFORMED, _listing(environment)),
        raw={
            table.name: _spooled(raw_rows(source), folder / f"{table.name}.parquet")
            for table in environment.raw_tables
            if (source := read(table, run.use(RAW).folder, known=run.use(RAW).files)) is not None
        },
        entities=run.read(Stage.ANONYMISED, environment.entities.tables[0]),
        figures=run.read(Stage.ANONYMISED, FIGURES),
        names=run.read(Stage.ANONYMISED, NAMES),
        published={name: run.scan(Stage.RENDERED, name) for name in rendered},
        codes=published_codes(run, environment.entities),
        further=tuple(_of_kinds(run)),
        policy=run.use(POLICY),
        events=_events(run),
        is_demonstration=run.use(MASTER) == DEMONSTRATION_KEY,
        budget=run.use(BUDGET),
    )


def _spooled(rows: pl.DataFrame, file: Path) -> pl.LazyFrame:
    rows.write_parquet(file, compression="lz4")
    return pl.scan_parquet(file)


def _of_kinds(run: Run) -> Iterator[KindSides]:
    for kind in run.environment.further:
        entities = next(iter(run.frames(Stage.ANONYMISED, kind.tables).values()), None)
        yield KindSides(kind=kind, entities=entities, codes=published_codes(run, kind))

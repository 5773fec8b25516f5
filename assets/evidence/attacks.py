"""The report `attacks`: what an outsider finds in the release, with a blocking check on what the policy allows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl

from anonymize.tables import FIGURES, NAMES
from assets.anonymised import IDENTITY_MAP, PROSE
from assets.evidence.sides import both_events, event_tables, paired_events
from assets.wiring.boundary import guarded
from assets.wiring.gates import gate
from assets.wiring.gates import verdict as outcome
from assets.wiring.keys import STORE, Stage, key
from assets.wiring.resources import Workspace
from pipeline.model import Environment
from validation.attacks.adaptive.suite import IN_A_BUILD
from validation.attacks.kinds import OfKind
from validation.attacks.limits import LINKAGE, TOLD_ONLY, is_over
from validation.attacks.records.events import EventSides
from validation.attacks.suite import Sides, audit, raw_rows
from validation.attacks.verdict import verdict
from validation.report.charts.drawings import bars
from validation.report.documents import written

ATTACKS = "attacks"

_WITHIN_LIMITS = "attacks_stay_within_limits"


def attacks_asset(environment: Environment) -> dg.AssetsDefinition:
    """Return the asset of the attacks on a release."""
    names = _names(environment)
    ins = {_input(stage, name): dg.AssetIn(key(environment, stage, name)) for stage, name in names}
    ins |= both_events(environment)

    @dg.asset(
        key=key(environment, Stage.REPORTS, ATTACKS),
        ins=ins,
        group_name=Stage.REPORTS,
        io_manager_key=STORE,
        dagster_type=dg.Any,
        check_specs=[gate(environment, ATTACKS, _WITHIN_LIMITS)],
    )
    def attacks(workspace: Workspace, **tables: Any) -> Iterator[dg.Output[Any] | dg.AssetCheckResult]:
        """How many companies an outsider names who has the register and the annual reports, and by what else."""
        with guarded(workspace, environment):
            by_stage = {
                stage: {name: tables[_input(stage, name)] for of, name in names if of == stage} for stage, _ in names
            }
            report = _report(environment, workspace, by_stage, _events(environment, workspace, tables))
            linkage = [entry["rate"] for entry in report["attacks"] if entry["family"] == LINKAGE]
            facts = {
                "summary": report["summary"],
                "attacks": len(report["attacks"]),
                "over_their_limit": sum(map(is_over, report["attacks"])),
                "highest_linkage_rate": max(linkage, default=0.0),
            }
            yield dg.Output(written("privacy", report).decode(), metadata=facts)
            yield outcome(
                _WITHIN_LIMITS,
                is_passed=report["passed"],
                facts=facts,
                samples=_nearest_to_limits(report["attacks"]),
                picture=bars(_highest_rates(report["attacks"])),
            )

    return attacks


def _nearest_to_limits(attacks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the attacks that are held to a limit: those that broke it first, then by what they find beyond chance."""
    held = [entry for entry in attacks if entry["limit"] != TOLD_ONLY and entry["records"]]
    order = sorted(held, key=lambda entry: (not is_over(entry), entry["chance"] - entry["rate"]))
    return [
        {name: entry[name] for name in ("attack", "records", "rate", "chance", "limit", "passed")} for entry in order
    ]


def _highest_rates(attacks: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the highest success rate of each family of attacks."""
    rates: dict[str, float] = {}
    for entry in attacks:
        rates[entry["family"]] = max(entry["rate"], rates.get(entry["family"], 0.0))
    return rates


def _names(environment: Environment) -> list[tuple[str, str]]:
    """Return stage and name of everything that the attacks look at."""
    keys = environment.entities
    further = [name for kind in environment.further for name in kind.tables]
    listing = (*keys.tables, *further)
    return [
        *((Stage.CONFORMED, name) for name in dict.fromkeys((*listing, *environment.panel.tables))),
        *((Stage.ANONYMISED, name) for name in dict.fromkeys((keys.tables[0], *further, FIGURES, NAMES))),
        *((Stage.IDENTITY, name) for name in (IDENTITY_MAP, PROSE)),
        *((Stage.RENDERED, table.name) for table in environment.tables),
    ]


def _input(stage: str, name: str) -> str:
    return f"{stage}__{name}"


def _events(environment: Environment, workspace: Workspace, tables: dict[str, Any]) -> list[EventSides]:
    """Return the events on both sides, under the original codes; of sampled ones none is anybody's."""
    if workspace.release_policy().samples_records:
        then, now = event_tables(environment, tables)
        map_ = tables[_input(Stage.IDENTITY, IDENTITY_MAP)]
        paired = {name: (then[name], _under_original_codes(environment, name, now[name], map_)) for name in then}
    else:
        aligned = paired_events(environment, tables, workspace.release_key(environment).key)
        owners = {name: environment.events_of(name).entity for name in aligned}
        paired = {name: (then, now.with_columns(then[owners[name]])) for name, (then, now) in aligned.items()}
    return [
        EventSides(
            events=events,
            table=environment.raw_table(name),
            originals=sides[0],
            published=sides[1],
            groups=tables[_input(Stage.CONFORMED, kind.tables[0])].select(
                pl.col(kind.code).alias(events.entity), group=kind.industry
            ),
            is_sampled=workspace.release_policy().samples_records,
        )
        for name, sides in paired.items()
        for events in [environment.events_of(name)]
        for kind in [environment.kind_of_events(events)]
    ]


def _under_original_codes(
    environment: Environment, table: str, events: pl.DataFrame, map_: pl.DataFrame
) -> pl.DataFrame:
    declared = environment.events_of(table)
    codes = map_.filter(kind=environment.kind_of_events(declared).label("code")).select("pseudonym", "original")
    return events.with_columns(pl.col(declared.entity).replace_strict(dict(codes.iter_rows())))


def _report(
    environment: Environment, workspace: Workspace, tables: dict[str, dict[str, Any]], events: list[EventSides]
) -> dict[str, Any]:
    policy, release = workspace.release_policy(), workspace.release_key(environment)
    firms = environment.entities.tables[0]
    identity, anonymised = tables[Stage.IDENTITY], tables[Stage.ANONYMISED]
    conformed = _present(tables[Stage.CONFORMED])
    codes = identity[IDENTITY_MAP].filter(pl.col("kind") == "code").select("original", "pseudonym")
    sides = Sides(
        environment=environment,
        conformed=conformed,
        raw=raw_rows(environment, Path(workspace.raw_folder(environment))),
        entities=anonymised[firms],
        figures=anonymised[FIGURES],
        names=anonymised[NAMES],
        published=_present(tables[Stage.RENDERED]),
        codes=dict(codes.iter_rows()),
        further=tuple(_of_kinds(environment, identity[IDENTITY_MAP], anonymised)),
        policy=policy,
        events=events,
        is_demonstration=release.is_demonstration,
    )
    judged = verdict(sides, audit(sides, release.key.derive("audit"), effort=IN_A_BUILD), policy)
    return judged | {"prose": json.loads(identity[PROSE])}


def _of_kinds(environment: Environment, map_: pl.DataFrame, anonymised: Mapping[str, Any]) -> Iterator[OfKind]:
    for kind in environment.further:
        codes = map_.filter(pl.col("kind") == kind.label("code")).select("original", "pseudonym")
        entities = next((anonymised[name] for name in kind.tables if anonymised[name] is not None), None)
        yield OfKind(kind=kind, entities=entities, codes=dict(codes.iter_rows()))


def _present(tables: dict[str, Any]) -> dict[str, pl.DataFrame]:
    return {name: frame for name, frame in tables.items() if frame is not None}

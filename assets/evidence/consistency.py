"""The report `consistency`: do aggregates, identities, totals and domains agree, with the originals and with each other?"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, TypeVar

import dagster as dg
import polars as pl

from anonymize.figures.closure import breaks
from anonymize.policy import LSD
from anonymize.synthesis.events.columns import always_hold
from anonymize.tables import original_figures
from assets.anonymised import BROKEN
from assets.evidence.sides import both_events, both_sides, event_tables, paired_events, sides
from assets.wiring.boundary import guarded, keep
from assets.wiring.gates import gate, verdict
from assets.wiring.keys import STORE, Stage, key
from assets.wiring.resources import Workspace
from pipeline.derive import derive_aggregate
from pipeline.model import PERIOD, Environment, Events, Frames, GivenAggregate, Role
from pipeline.model.identities import with_totals
from pipeline.model.periods import Period
from validation.consistency.aggregates import (
    Offsets,
    Sampled,
    Structure,
    compare_aggregates,
    compare_counts,
    compare_structure,
    lsd_bounds,
)
from validation.consistency.domains import Link, domain_links
from validation.consistency.given import Agreement, compare_given
from validation.consistency.report import Findings, Part, consistency_report, defects, facts_and_samples
from validation.consistency.residuals import Residual, broken_identities, identity_residuals, with_sums_of_events
from validation.consistency.totals import Total, totals_over_parts
from validation.distributions.named_periods import with_named_periods
from validation.report.documents import written

CONSISTENCY = "consistency"

_BROKEN = "broken_identities"

_Found = TypeVar("_Found", Offsets, Structure, Residual, Total, Link)

CHECKS: Mapping[Part, str] = {
    "aggregates": "aggregates_agree",
    "identities": "identities_hold",
    "totals": "totals_are_their_parts",
    "domains": "domains_agree",
}
"""Part of the report -> the check that stands for it."""


def checks_of(environment: Environment) -> dict[Part, str]:
    """Return the checks of an environment: none of a part of which it declares nothing."""
    declared: dict[Part, bool] = {
        "aggregates": bool(environment.aggregates),
        "identities": bool(environment.panel.identities),
        "totals": bool(environment.aggregates),
        "domains": environment.domains is not None,
    }
    return {part: check for part, check in CHECKS.items() if declared[part]}


def consistency_asset(environment: Environment) -> dg.AssetsDefinition:
    """Return the asset of cross-domain consistency."""

    @dg.asset(
        key=key(environment, Stage.REPORTS, CONSISTENCY),
        ins=_inputs(environment),
        group_name=Stage.REPORTS,
        io_manager_key=STORE,
        dagster_type=dg.Any,
        check_specs=[gate(environment, CONSISTENCY, check) for check in checks_of(environment).values()],
    )
    def consistency(workspace: Workspace, **tables: Any) -> Iterator[dg.Output[Any] | dg.AssetCheckResult]:
        """Aggregates against those of the originals, residuals of identities, totals over parts, domains against each other."""
        with guarded(workspace, environment):
            found, beside = _findings(workspace, environment, tables)
            found = _named(found, environment.panel.period)
            report, wrong = consistency_report(found) | beside, defects(found)
            sentences = [sentence for part in wrong.values() for sentence in part]
            if sentences:
                keep(workspace, environment, "consistency_defects.txt", "\n".join(sentences))
            yield dg.Output(written(CONSISTENCY, report).decode(), metadata={"defects": len(sentences)})
            for part, check in checks_of(environment).items():
                facts, samples = facts_and_samples(part, found)
                facts |= {"defects": len(wrong[part])}
                yield verdict(check, is_passed=not wrong[part], facts=facts, samples=samples)

    return consistency


def _inputs(environment: Environment) -> dict[str, dg.AssetIn]:
    """Return both sides, what was derived, what publishers gave, and the rendered tables that domains are read from."""
    derived = [name for aggregate in environment.aggregates for name in aggregate.tables()]
    return (
        both_sides(environment)
        | both_events(environment)
        | {name: dg.AssetIn(key(environment, Stage.DERIVED, name)) for name in derived}
        | {
            _given_input(aggregate.given): dg.AssetIn(key(environment, Stage.CONFORMED, aggregate.given.table))
            for aggregate in environment.aggregates
            if aggregate.given
        }
        | {_BROKEN: dg.AssetIn(key(environment, Stage.IDENTITY, BROKEN))}
        | {_rendered(name): dg.AssetIn(key(environment, Stage.RENDERED, name)) for name in _published(environment)}
    )


def _published(environment: Environment) -> list[str]:
    """Return the published tables in which domains stand; none where none are declared."""
    views, domains = environment.views, environment.domains
    if views is None or domains is None:
        return []
    return list(dict.fromkeys([views.entities.table, *(view.table for view in views.figures), *domains.tables()]))


def _given_input(given: GivenAggregate) -> str:
    return f"given_{given.table}"


def _rendered(table: str) -> str:
    return f"rendered_{table}"


def _findings(
    workspace: Workspace, environment: Environment, tables: Mapping[str, Any]
) -> tuple[Findings, dict[str, Any]]:
    """Return what is judged, and what is only told beside it."""
    entities, conformed, figures = sides(environment, dict(tables))
    originals = original_figures(environment, conformed)
    then, now = event_tables(environment, tables)
    policy = workspace.release_policy()
    bounds = lsd_bounds(environment.panel) if policy == LSD else {}
    code, panel = environment.entities.code, environment.panel
    rendered = {name: frame for name in _published(environment) if (frame := tables[_rendered(name)]) is not None}
    # All of this is work of polars, which lets other threads go on meanwhile.
    with ThreadPoolExecutor(1) as beside:
        links = beside.submit(domain_links, environment, rendered, entities[1].schema)
        offsets, structures, agreements = _against_originals(environment, entities[0], originals, tables, bounds)
        keys, outputs = [code, PERIOD], [identity.output for identity in panel.identities]
        broken = figures.select(keys).join(tables[_BROKEN], on=keys, how="left", maintain_order="left").select(outputs)
        summed = with_sums_of_events(figures, environment, now)
        residuals = identity_residuals(summed, panel, code=code, held=broken.select(~pl.all()))
        if policy.samples_records:
            residuals += _of_sampled_events(environment, then, now)
        else:
            paired = paired_events(environment, tables, workspace.release_key(environment).key)
            residuals += _of_events(environment, paired)
        totals = totals_over_parts(environment, entities[1], figures, tables)
    found = Findings(
        offsets=offsets,
        structures=structures,
        residuals=residuals,
        totals=totals,
        links=links.result(),
        sampled=_sampled(environment) if policy.samples_records else None,
    )
    return found, {
        "broken": broken_identities(
            breaks(with_totals(originals, environment, then), panel, code=code),
            breaks(with_totals(figures, environment, now), panel, code=code),
            allowed=broken,
        ),
        "given": [vars(entry) for entry in agreements],
    }


def _named(found: Findings, period: Period) -> Findings:
    """Return the findings with the periods of their worst cells as they are published."""

    def named(entries: Sequence[_Found]) -> list[_Found]:
        return [replace(each, worst_cell=with_named_periods(dict(each.worst_cell), period)) for each in entries]

    return replace(
        found,
        offsets=named(found.offsets),
        structures=named(found.structures),
        residuals=named(found.residuals),
        totals=named(found.totals),
        links=named(found.links),
    )


def _of_events(environment: Environment, paired: Mapping[str, tuple[pl.DataFrame, pl.DataFrame]]) -> list[Residual]:
    """Test the identities of events, in each event for which they held in the originals."""
    found = []
    for events in environment.events:
        if events.identities and events.table in paired:
            then, now = paired[events.table]
            held = breaks(then, events, code=events.entity).select(~pl.all())
            found += _residuals(environment, events, now, held)
    return found


def _of_sampled_events(environment: Environment, then: Frames, now: Frames) -> list[Residual]:
    """Test the identities that hold in the originals but for rare events, in each sampled event: nobody knows whose it is."""
    found = []
    for events in environment.events:
        if events.identities and events.table in then:
            hold, rows = always_hold(events, then[events.table]), now[events.table]
            outputs = [identity.output for identity in events.identities]
            held = pl.DataFrame({output: pl.repeat(output in hold, rows.height, eager=True) for output in outputs})
            found += _residuals(environment, events, rows, held)
    return found


def _residuals(environment: Environment, events: Events, rows: pl.DataFrame, held: pl.DataFrame) -> list[Residual]:
    numbers = [column.name for column in environment.raw_table(events.table).of_role(Role.NUMBER)]
    return identity_residuals(rows, events, code=events.entity, held=held, at=(events.entity, *numbers))


def _sampled(environment: Environment) -> Sampled:
    industries = {environment.entities.industry, environment.entities.sub_industry}
    return Sampled(
        recomputed={identity.output for identity in environment.panel.identities},
        by_industry={aggregate.name for aggregate in environment.aggregates if set(aggregate.by) <= industries},
    )


def _against_originals(
    environment: Environment,
    entities: pl.DataFrame,
    originals: pl.DataFrame,
    tables: Mapping[str, Any],
    bounds: Mapping[str, float],
) -> tuple[list[Offsets], list[Structure], list[Agreement]]:
    """Compare every aggregate with that of the originals."""
    offsets, structures, agreements = [], [], []
    for aggregate in environment.aggregates:
        name = aggregate.name
        before = derive_aggregate(environment, aggregate, entities, originals)
        offsets += compare_aggregates(before[name], tables[name], table=name, bounds=bounds)
        structures.append(compare_structure(before[name], tables[name], table=name))
        if aggregate.counts:
            counted = aggregate.counts_name
            structures.append(compare_counts(before[counted], tables[counted], table=counted))
        if aggregate.given and (given := tables[_given_input(aggregate.given)]) is not None:
            agreements.append(compare_given(given, before[name], aggregate.given))
    return offsets, structures, agreements

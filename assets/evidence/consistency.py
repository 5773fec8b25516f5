"""The report `consistency`: do aggregates, identities, totals and domains agree, with the originals and with each other?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import polars as pl

from anonymize.figures.closure import breaks
from anonymize.policy import LSD
from assets.evidence.sides import (
    absent,
    both_events,
    both_sides,
    is_absent,
    is_compared_with_fresh,
    of_both_sides,
    of_originals,
    paired_events,
)
from assets.making.keys import BROKEN, CONSISTENCY, HOLD, Place, Stage
from assets.making.parameters import KEY, MASTER, POLICY
from assets.making.results import Result
from assets.making.step import Run
from assets.wiring.gates import in_the_report, verdict
from assets.wiring.steps import Declared, asset
from pipeline.derive import derive_aggregate
from pipeline.model import PERIOD, Environment, Events, Frames, Role
from pipeline.model.identities import with_totals
from pipeline.model.periods import Period
from validation.consistency.aggregates import (
    Offset,
    Sampled,
    Structure,
    compare_aggregates,
    compare_counts,
    compare_structure,
    lsd_bounds,
    lsd_steps,
)
from validation.consistency.domains import DomainLink, domain_links
from validation.consistency.given import Agreement, compare_given
from validation.consistency.report import Findings, Part, consistency_report, defects, facts_and_samples
from validation.consistency.residuals import Residual, broken_identities, identity_residuals, with_sums_of_events
from validation.consistency.totals import CheckedTotal, totals_over_parts
from validation.distributions.named_periods import with_named_periods
from validation.pair import Side
from validation.report.documents import written
from validation.report.documents.base import FRESH

_Found = TypeVar("_Found", Offset, Structure, Residual, CheckedTotal, DomainLink)

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


def consistency_asset(environment: Environment, stage: str = Stage.REPORTS) -> Declared:
    """Return the asset of cross-domain consistency; stages as those of `distributions_asset`."""
    reads, uses, checks = _reads(environment), (KEY, MASTER, POLICY), checks_of(environment).values()
    withheld = [*of_originals(environment), *_given(environment)] if stage == Stage.REPORTS else []

    @asset(environment, stage, CONSISTENCY, reads=reads, uses=uses, checks=checks, withheld=withheld)
    def consistency(run: Run) -> Iterator[Result]:
        """Aggregates against those of the originals, residuals of identities, totals over parts, domains against each other."""
        if is_absent(run, stage):
            yield from absent(run, stage, CONSISTENCY, checks)
            return
        is_fresh = is_compared_with_fresh(run, stage)
        found, beside = _findings(run, is_fresh=is_fresh)
        found = _named(found, environment.panel.period)
        report, wrong = consistency_report(found) | beside, defects(found)
        sentences = [sentence for part in wrong.values() for sentence in part]
        if sentences and not is_fresh:
            run.note("consistency_defects.txt", "\n".join([*sentences, ""]))
        content = written(CONSISTENCY, report).decode()
        said = in_the_report(consistency=content)
        yield run.made(stage, CONSISTENCY, content, {"defects": len(sentences)})
        for part, check in checks_of(environment).items():
            facts, samples = facts_and_samples(part, found)
            shown = {**facts, "defects": len(wrong[part]), **said(check)}
            yield verdict(check, is_passed=not wrong[part], facts=shown, samples=samples)

    return consistency


def _reads(environment: Environment) -> list[Place]:
    """Return both sides, what was derived, what publishers gave, and the rendered tables that domains are read from."""
    return [
        *of_both_sides(environment),
        *((Stage.DERIVED, name) for aggregate in environment.aggregates for name in aggregate.tables()),
        *_given(environment),
        *((Stage.IDENTITY, name) for name in (BROKEN, HOLD)),
        (Stage.ANONYMISED, environment.entities.tables[0]),
        *((Stage.RENDERED, name) for name in _published(environment)),
    ]


def _given(environment: Environment) -> list[Place]:
    """Return what publishers of the originals gave of aggregates."""
    return [(Stage.CONFORMED, aggregate.given.table) for aggregate in environment.aggregates if aggregate.given]


def _published(environment: Environment) -> list[str]:
    """Return the published tables in which domains stand; none where none are declared."""
    views, domains = environment.views, environment.domains
    if views is None or domains is None:
        return []
    return list(dict.fromkeys([views.entities.table, *(view.table for view in views.figures), *domains.tables()]))


def _findings(run: Run, *, is_fresh: bool) -> tuple[Findings, dict[str, Any]]:
    """Return what is judged, and what is only reported beside it."""
    environment, policy = run.environment, run.use(POLICY)
    links = _links(run)
    originals, published = both_sides(run, is_fresh=is_fresh)
    figures, firms = published.figures, published.entities
    then, now = both_events(run, is_fresh=is_fresh)
    bounds = lsd_bounds(environment.panel) if policy == LSD else {}
    code, panel = environment.entities.code, environment.panel
    derived = {
        name: run.read(Stage.DERIVED, name) for aggregate in environment.aggregates for name in aggregate.tables()
    }
    offsets, structures, agreements = _against(run, originals, derived, bounds, is_fresh=is_fresh)
    keys, outputs = [code, PERIOD], [identity.output for identity in panel.identities]
    allowed = run.read(Stage.IDENTITY, BROKEN)
    broken = figures.select(keys).join(allowed, on=keys, how="left", maintain_order="left").select(outputs)
    summed = with_sums_of_events(figures, environment, now)
    residuals = identity_residuals(summed, panel, code=code, held=broken.select(~pl.all()))
    residuals += _of_events(run, is_fresh=is_fresh)
    totals = totals_over_parts(environment, firms, figures, derived)
    found = Findings(
        offsets=offsets,
        structures=structures,
        residuals=residuals,
        totals=totals,
        links=links,
        sampled=_sampled(environment) if policy.samples_records else None,
    )
    return found, {
        "broken": broken_identities(
            breaks(with_totals(originals.figures, environment, then), panel, code=code),
            breaks(with_totals(figures, environment, now), panel, code=code),
            allowed=broken,
        ),
        "given": [vars(entry) for entry in agreements],
        **({"compared_with": FRESH} if is_fresh else {}),
    }


def _links(run: Run) -> list[DomainLink]:
    """Compare the domains in the rendered tables."""
    environment = run.environment
    names = [name for name in _published(environment) if run.has(Stage.RENDERED, name)]
    rendered = {name: run.scan(Stage.RENDERED, name) for name in names}
    schema = run.read(Stage.ANONYMISED, environment.entities.tables[0]).schema
    return domain_links(environment, rendered, schema)


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


def _of_events(run: Run, *, is_fresh: bool) -> list[Residual]:
    """Test the identities of events."""
    environment, (then, now), found = run.environment, paired_events(run, is_fresh=is_fresh), []
    for events in environment.events:
        if events.identities and events.table in then:
            held = _held(run, events, then[events.table], now[events.table].height)
            numbers = [column.name for column in environment.raw_table(events.table).of_role(Role.NUMBER)]
            at = (events.entity, *numbers)
            found += identity_residuals(now[events.table], events, code=events.entity, held=held, at=at)
    return found


def _held(run: Run, events: Events, originals: pl.DataFrame, published: int) -> pl.DataFrame:
    """Return in which published events each identity must hold: in those for which it held in the originals.

    Nobody knows whose a sampled event is: in each must hold what its statistics do not say to be broken in some.
    """
    held = run.read(Stage.IDENTITY, HOLD)
    if held is None:
        return breaks(originals, events, code=events.entity).select(~pl.all())
    hold = held.filter(table=events.table)["output"].to_list()
    outputs = [identity.output for identity in events.identities]
    return pl.DataFrame({output: pl.repeat(output in hold, published, eager=True) for output in outputs})


def _sampled(environment: Environment) -> Sampled:
    industries = {environment.entities.industry, environment.entities.sub_industry}
    return Sampled(
        recomputed={identity.output for identity in environment.panel.identities},
        by_industry={aggregate.name for aggregate in environment.aggregates if set(aggregate.by) <= industries},
    )


def _against(
    run: Run, originals: Side, derived: Frames, bounds: Mapping[str, float], *, is_fresh: bool
) -> tuple[list[Offset], list[Structure], list[Agreement]]:
    """Compare every aggregate with that of the reference, and originals with what was given of them."""
    environment = run.environment
    offsets, structures, agreements = [], [], []
    for aggregate in environment.aggregates:
        name = aggregate.name
        before = derive_aggregate(environment, aggregate, originals.entities, originals.figures)
        steps = lsd_steps(environment.panel)
        offsets += compare_aggregates(before[name], derived[name], table=name, bounds=bounds, steps=steps)
        structures.append(compare_structure(before[name], derived[name], table=name))
        if aggregate.counts:
            counted = aggregate.counts_name
            structures.append(compare_counts(before[counted], derived[counted], table=counted))
        if is_fresh or not aggregate.given:
            continue
        if (given := run.read(Stage.CONFORMED, aggregate.given.table)) is not None:
            agreements.append(compare_given(given, before[name], aggregate.given))
    return offsets, structures, agreements

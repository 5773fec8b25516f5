"""The report `consistency`: do aggregates, identities, totals and domains agree, with the originals and with each other?"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
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
from assets.making.keys import BROKEN, CONSISTENCY, HOLD, OF_FIGURES, Place, Stage
from assets.making.parameters import KEY, MASTER, POLICY
from assets.making.results import Result
from assets.making.step import Run, StepDivision, StepPart
from assets.making.store import Value
from assets.wiring.gates import in_the_report, verdict
from assets.wiring.steps import Declared, asset, step
from pipeline.derive import derive_aggregate
from pipeline.model import PERIOD, Aggregate, Environment, Events, Role
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
from validation.consistency.given import compare_given
from validation.consistency.report import Findings, Part, consistency_report, defects, facts_and_samples
from validation.consistency.residuals import Residual, broken_identities, identity_residuals, with_sums_of_events
from validation.consistency.totals import CheckedTotal, totals_over_parts
from validation.distributions.named_periods import with_named_periods
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

_USES = (KEY, MASTER, POLICY)

_IDENTITIES = "identities and totals"

_REPORTED = ("broken", "given")
"""What is found, reported and not judged."""

_FOUND = ("offsets", "structures", "residuals", "totals", *_REPORTED)
"""What parts keep."""


def checks_of(environment: Environment) -> dict[Part, str]:
    """Return the checks of an environment: none of a part of which it declares nothing."""
    declared: dict[Part, bool] = {
        "aggregates": bool(environment.aggregates),
        "identities": bool(environment.panel.identities),
        "totals": bool(environment.aggregates),
        "domains": environment.domains is not None,
    }
    return {part: check for part, check in CHECKS.items() if declared[part]}


def consistency_steps(environment: Environment, stage: str = Stage.REPORTS) -> list[Declared]:
    """Return the asset of cross-domain consistency, after a step for all of it that waits for no published table.

    Stages as those of `distributions_asset`.
    """
    return [_figures_step(environment, stage), _consistency_asset(environment, stage)]


def _figures_step(environment: Environment, stage: str) -> Declared:
    place, withheld = (stage, OF_FIGURES), _withheld(environment, stage)
    reads, division = _of_figures(environment), StepDivision(parts=partial(_parts, stage), do=partial(_compared, stage))

    @step(environment, *place, makes=[place], reads=reads, uses=_USES, withheld=withheld, division=division)
    def comparing(run: Run) -> Iterator[Result]:
        """Compare aggregates with those of the originals, and figures with each other."""
        found = {name: [entry for part in run.of_parts(name) for entry in json.loads(part)] for name in _FOUND}
        run.keep(*place, None if is_absent(run, stage) else json.dumps(found))
        return iter(())

    return comparing


def _consistency_asset(environment: Environment, stage: str) -> Declared:
    checks, withheld = checks_of(environment).values(), _withheld(environment, stage)
    # The graph shows all that is compared.
    reads = [(stage, OF_FIGURES), *_of_figures(environment), *_of_domains(environment)]

    @asset(environment, stage, CONSISTENCY, reads=reads, uses=_USES, checks=checks, withheld=withheld)
    def consistency(run: Run) -> Iterator[Result]:
        """Aggregates against those of the originals, residuals of identities, totals over parts, domains against each other."""
        if is_absent(run, stage):
            yield from absent(run, stage, CONSISTENCY, checks)
            return
        is_fresh = is_compared_with_fresh(run, stage)
        entries = json.loads(run.read(stage, OF_FIGURES))
        found = _named(_findings(run, entries), environment.panel.period)
        beside = {name: entries[name] for name in _REPORTED} | ({"compared_with": FRESH} if is_fresh else {})
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


def _withheld(environment: Environment, stage: str) -> list[Place]:
    return [*of_originals(environment), *_given(environment)] if stage == Stage.REPORTS else []


def _of_aggregate(environment: Environment, aggregate: Aggregate) -> list[Place]:
    """Return what is read of an aggregate: firms and figures of both sides, what was derived, and what publishers gave."""
    given = [(Stage.CONFORMED, aggregate.given.table)] if aggregate.given else []
    return [*of_both_sides(environment, with_events=False), *_derived(aggregate), *given]


def _of_identities(environment: Environment) -> list[Place]:
    """Return what is read of figures and events: both sides, totals that were derived, and which identities are broken."""
    derived = [place for aggregate in environment.aggregates for place in _derived(aggregate)]
    return [*of_both_sides(environment), *derived, *((Stage.IDENTITY, name) for name in (BROKEN, HOLD))]


def _of_figures(environment: Environment) -> list[Place]:
    return [*_of_identities(environment), *_given(environment)]


def _derived(aggregate: Aggregate) -> list[Place]:
    return [(Stage.DERIVED, name) for name in aggregate.tables()]


def _given(environment: Environment) -> list[Place]:
    """Return what publishers of the originals gave of aggregates."""
    return [(Stage.CONFORMED, aggregate.given.table) for aggregate in environment.aggregates if aggregate.given]


def _of_domains(environment: Environment) -> list[Place]:
    """Return the rendered tables in which domains stand, if any are declared, and the firms."""
    return [
        (Stage.ANONYMISED, environment.entities.tables[0]),
        *((Stage.RENDERED, name) for name in _published(environment)),
    ]


def _published(environment: Environment) -> list[str]:
    """Return the published tables in which domains stand; none where none are declared."""
    views, domains = environment.views, environment.domains
    if views is None or domains is None:
        return []
    return list(dict.fromkeys([views.entities.table, *(view.table for view in views.figures), *domains.tables()]))


def _parts(stage: str, run: Run) -> list[StepPart]:
    """Return a part for each aggregate, and one for identities and totals; none of a report that is not made."""
    environment = run.environment
    aggregates = {aggregate.name: _of_aggregate(environment, aggregate) for aggregate in environment.aggregates}
    reads = {**aggregates, _IDENTITIES: _of_identities(environment)}
    return run.parts_reading({} if is_absent(run, stage) else reads)


def _compared(stage: str, run: Run, part: StepPart) -> Iterator[tuple[str, Value]]:
    aggregate = next((each for each in run.environment.aggregates if each.name == part.name), None)
    do = partial(_against, aggregate=aggregate) if aggregate else _within
    for name, found in do(run, is_fresh=is_compared_with_fresh(run, stage)).items():
        yield name, json.dumps(found)


def _findings(run: Run, entries: Mapping[str, Sequence[Mapping[str, Any]]]) -> Findings:
    """Return what is judged, given what was found of aggregates and figures."""
    return Findings(
        offsets=[Offset(**entry) for entry in entries["offsets"]],
        structures=[Structure(**entry) for entry in entries["structures"]],
        residuals=[Residual(**entry) for entry in entries["residuals"]],
        totals=[CheckedTotal(**entry) for entry in entries["totals"]],
        links=_links(run),
        sampled=Sampled.of(run.environment) if run.use(POLICY).samples_records else None,
    )


def _within(run: Run, *, is_fresh: bool) -> dict[str, list[dict[str, Any]]]:
    """Test identities and totals of what is published; of the records that break an identity, count those of both sides."""
    environment = run.environment
    originals, published = both_sides(run, is_fresh=is_fresh)
    figures, firms = published.figures, published.entities
    then, now = both_events(run, is_fresh=is_fresh)
    code, panel = environment.entities.code, environment.panel
    derived = {name: run.read(stage, name) for each in environment.aggregates for stage, name in _derived(each)}
    keys, outputs = [code, PERIOD], [identity.output for identity in panel.identities]
    allowed = run.read(Stage.IDENTITY, BROKEN)
    broken = figures.select(keys).join(allowed, on=keys, how="left", maintain_order="left").select(outputs)
    summed = with_sums_of_events(figures, environment, now)
    residuals = identity_residuals(summed, panel, code=code, held=broken.select(~pl.all()))
    residuals += _of_events(run, is_fresh=is_fresh)
    return {
        "residuals": list(map(asdict, residuals)),
        "totals": list(map(asdict, totals_over_parts(environment, firms, figures, derived))),
        "broken": broken_identities(
            breaks(with_totals(originals.figures, environment, then), panel, code=code),
            breaks(with_totals(figures, environment, now), panel, code=code),
            allowed=broken,
        ),
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


def _against(run: Run, *, aggregate: Aggregate, is_fresh: bool) -> dict[str, list[dict[str, Any]]]:
    """Compare an aggregate with that of the reference, and originals with what was given of it."""
    environment, policy, name = run.environment, run.use(POLICY), aggregate.name
    originals, _ = both_sides(run, is_fresh=is_fresh)
    bounds, steps = lsd_bounds(environment.panel) if policy == LSD else {}, lsd_steps(environment.panel)
    before = derive_aggregate(environment, aggregate, originals.entities, originals.figures)
    derived = {each: run.read(stage, each) for stage, each in _derived(aggregate)}
    structures = [compare_structure(before[name], derived[name], table=name)]
    if aggregate.counts:
        counted = aggregate.counts_name
        structures.append(compare_counts(before[counted], derived[counted], table=counted))
    agreements = []
    if not is_fresh and aggregate.given and (given := run.read(Stage.CONFORMED, aggregate.given.table)) is not None:
        agreements.append(compare_given(given, before[name], aggregate.given))
    offsets = compare_aggregates(before[name], derived[name], table=name, bounds=bounds, steps=steps)
    return {
        "offsets": list(map(asdict, offsets)),
        "structures": list(map(asdict, structures)),
        "given": list(map(asdict, agreements)),
    }

"""The reports `ks`, `distributions` and `curves`: have anonymised and original figures one distribution, and the same ranks?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from assets.evidence.sides import (
    absent,
    both_events,
    both_sides,
    is_absent,
    is_compared_with_fresh,
    of_both_sides,
    of_originals,
    published_codes,
)
from assets.making.keys import CURVES, DISTRIBUTIONS, KS, Stage
from assets.making.parameters import KEY, MASTER, POLICY
from assets.making.results import CheckOutcome, Result
from assets.making.step import Run
from assets.wiring.gates import in_the_report, verdict
from assets.wiring.steps import Declared, asset
from pipeline.derive.event_statistics import with_period
from pipeline.model import PERIOD, Environment, Panel
from validation.distributions.correlations import correlation_changes
from validation.distributions.curves import curves, curves_json, curves_of
from validation.distributions.equivalence import as_records, equivalence, farthest
from validation.distributions.named_periods import with_named_periods
from validation.distributions.samples import KEYS, paired_samples, ranked_samples
from validation.distributions.shape import Shapes, shapes
from validation.distributions.two_sample import compare_distributions, ks_report
from validation.drawn import DrawnSample, drawn
from validation.fidelity import EntityColumns, fidelity
from validation.pair import Pair, Side
from validation.report.charts.drawings import heat_map
from validation.report.documents import written
from validation.report.documents.base import FRESH

_NOT_DIFFERENT, _EQUIVALENT = "no_distribution_differs", "distributions_are_equivalent"


def distributions_asset(environment: Environment, stage: str = Stage.REPORTS) -> Declared:
    """Return the asset of the tests of distributions, of what such tests do not see, and of the curves to look at.

    Args:
        stage: Those that are published, or the curator's.
    """
    reads, checks = of_both_sides(environment), (_NOT_DIFFERENT, _EQUIVALENT)
    withheld = of_originals(environment) if stage == Stage.REPORTS else ()

    @asset(
        environment,
        stage,
        DISTRIBUTIONS,
        reads=reads,
        uses=(KEY, MASTER, POLICY),
        checks=checks,
        withheld=withheld,
    )
    def distributions(run: Run) -> Iterator[Result]:
        """Kolmogorov-Smirnov tests of every measure in every industry, sub-industry and year, and what such tests do not see.

        Moments, tails, distances and ranks, with a verdict of equivalence for each; both distributions as curves to look at.
        """
        if is_absent(run, stage):
            yield from absent(run, stage, DISTRIBUTIONS, checks)
            return
        panel, levels = environment.panel, _levels(environment)
        is_sampled, is_fresh = run.use(POLICY).samples_records, is_compared_with_fresh(run, stage)
        of_fresh = {"compared_with": FRESH} if is_fresh else {}
        every = both_sides(run, is_fresh=is_fresh)
        some = _drawn(run, *every)
        sides = [side.of(environment.entities.code, each) for side, each in zip(every, some, strict=True)]
        of_some = some[0].published() if some[0] else {}
        # Sampled records have no owner: samples are compared as they are, not company by company.
        if is_sampled:
            originals, anonymised = (_grouped(environment, side) for side in sides)
        else:
            originals, anonymised = _aligned(run, *sides)
        effects, pictured = _shaped(originals, anonymised, panel, levels, is_sampled=is_sampled)
        tests = compare_distributions(originals, anonymised, panel=panel, levels=levels)
        changes = correlation_changes(originals, anonymised, [measure.name for measure in panel.measures])
        of_events = _events(run, sides, some, is_fresh=is_fresh)
        found = {**ks_report(tests, is_sampled=is_sampled), **of_events, **of_fresh, **of_some}
        ks: Mapping[str, Any] = with_named_periods(found, panel.period)
        tested = written(KS, ks).decode()
        run.keep(stage, KS, tested)
        evidence = tests.filter("can_reject").select(KEYS)
        judged = equivalence(effects, evidence, is_sampled=is_sampled) | {"correlations": changes} | of_fresh | of_some
        if is_sampled:
            judged["fidelity"] = _fidelity(run, *every)
        report: Mapping[str, Any] = with_named_periods(judged, panel.period)
        run.keep(stage, CURVES, curves_json(curves(pictured, evidence)).decode())
        metadata = {"tests": len(ks["tests"]), **_totals(ks), **report["summary"]}
        content = written(DISTRIBUTIONS, report).decode()
        said = in_the_report(run.use(POLICY), ks=tested, distributions=content)
        yield run.made(stage, DISTRIBUTIONS, content, metadata)
        yield _not_different(ks, said(_NOT_DIFFERENT))
        yield _equivalent(report, said(_EQUIVALENT), is_sampled=is_sampled)

    return distributions


def _drawn(run: Run, originals: Side, published: Side) -> tuple[DrawnSample | None, DrawnSample | None]:
    """Draw the companies of each side that are compared where there are many: pairs together, those of nobody apart."""
    kind, key = run.environment.entities, run.use(KEY).derive("compared companies")
    first, second = (
        drawn(side.entities, code=kind.code, industry=kind.industry, key=key) for side in (originals, published)
    )
    if first is None or run.use(POLICY).samples_records:
        return first, second
    codes = published_codes(run, kind)
    return first, replace(first, codes=first.codes.replace_strict(codes, return_dtype=pl.String))


def _events(run: Run, sides: Sequence[Side], some: Sequence[DrawnSample | None], *, is_fresh: bool) -> dict[str, Any]:
    """Return the tests of the figures of events, which are reported only: of thousands, the smallest change is significant."""
    environment = run.environment
    code, (then, now) = environment.entities.code, both_events(run, is_fresh=is_fresh)
    tests = {}
    for name in then:
        events = environment.events_of(name)
        if not events.measures:
            continue
        both = []
        for frame, side, companies in zip((then[name], now[name]), sides, some, strict=True):
            figures = with_period(frame, events, environment.panel.period).select(
                pl.col(events.entity).alias(code), PERIOD, *(measure.name for measure in events.measures)
            )
            both.append(_grouped(environment, replace(side, figures=figures).of(code, companies)))
        found = ks_report(compare_distributions(both[0], both[1], panel=events, levels=_levels(environment)))
        tests[name] = {field: value for field, value in found.items() if field not in ("passed", "allowed")}
    return {"events": tests} if tests else {}


def _shaped(
    originals: pl.DataFrame, anonymised: pl.DataFrame, panel: Panel, levels: Mapping[str, str], *, is_sampled: bool
) -> tuple[Shapes, pl.DataFrame]:
    """Return shapes and curves of all samples, measure by measure, so that one measure's figures are kept at a time."""
    lay_out = ranked_samples if is_sampled else paired_samples
    every = lay_out(originals, anonymised, measures=panel.measures, levels=levels)
    found = [(shapes(samples), curves_of(samples)) for samples in every]
    effects, drawn = zip(*found, strict=True)
    return Shapes.merged(effects), pl.concat(drawn)


def _fidelity(run: Run, originals: Side, published: Side) -> dict[str, Any]:
    """Return what is left of the originals where no record is one of theirs; the halves that it is compared with are keyed."""
    environment, key = run.environment, run.use(KEY).derive("fidelity")
    found = fidelity(originals, published, panel=environment.panel, columns=EntityColumns.of(environment), key=key)
    return found.as_json()


def _grouped(environment: Environment, side: Side) -> pl.DataFrame:
    """Return the figures of a side with the groups of its companies."""
    return side.labelled(environment.entities.code, _levels(environment).values())


def _aligned(run: Run, originals: Side, published: Side) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return both sides with the originals' groups, a row for each company and period of either, in the same order."""
    kind = run.environment.entities
    pair = Pair(code=kind.code, originals=originals, published=published, codes=published_codes(run, kind))
    first, second = (_grouped(run.environment, replace(originals, figures=figures)) for figures in pair.figures)
    return first, second


def _levels(environment: Environment) -> dict[str, str]:
    """Return the levels of industry, the finest first; one where both are the same column."""
    fine, broad = environment.entities.sub_industry, environment.entities.industry
    return {"sub_industry": fine} | ({"industry": broad} if broad != fine else {})


def _totals(ks: Mapping[str, Any]) -> dict[str, Any]:
    return {name: ks[name] for name in ("rejected", "allowed", "smallest_p_value", "largest_statistic")}


def _not_different(ks: Mapping[str, Any], said: Mapping[str, str]) -> CheckOutcome:
    tests, alpha = ks["tests"], ks["alpha"]
    ordered = sorted(tests, key=lambda test: (test["p_value"], -test["statistic"]))
    return verdict(
        _NOT_DIFFERENT,
        is_passed=ks["passed"],
        facts={**_totals(ks), **_worst(ordered), **said},
        samples=ordered,
        # Shaded by alpha over p, which is 1 or more where a test is rejected.
        picture=_map(tests, [alpha / max(test["p_value"], alpha**9) for test in tests], limit=1.0),
    )


def _equivalent(report: Mapping[str, Any], said: Mapping[str, str], *, is_sampled: bool) -> CheckOutcome:
    records, margin = as_records(report["samples"]), report["margins"]["distance"]["margin"]
    return verdict(
        _EQUIVALENT,
        is_passed=report["passed"],
        facts={
            "judged": report["judged"]["samples"],
            **{name: report["judged"][name] for name in ("equivalent", "undecided", "different", "allowed")},
            **_worst(farthest(records)),
            **said,
        },
        is_warning=is_sampled,
        samples=farthest(records),
        picture=_map(records, [record["distance"] for record in records], limit=margin),
    )


def _worst(samples: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return where the first sample stands: what to look at first, if the build is refused."""
    said = [[sample[name] for name in ("measure", "group", "year")] for sample in samples[:1]]
    places = [", ".join(str(part) for part in parts if part is not None) for parts in said]
    return {"worst": places[0]} if places else {}


def _map(records: Sequence[Mapping[str, Any]], sizes: Sequence[float | None], *, limit: float) -> str:
    """Draw measure by group at the broadest level, the last one: the largest size of all years."""
    level = records[-1]["level"] if records else ""
    largest: dict[tuple[str, str | None], float | None] = {}
    for record, size in zip(records, sizes, strict=True):
        if record["level"] == level:
            place = record["measure"], record["group"]
            known = [each for each in (largest.get(place), size) if each is not None]
            largest[place] = max(known, default=None)
    measures = dict.fromkeys(measure for measure, _ in largest)
    groups = dict.fromkeys(group for _, group in largest)
    return heat_map([[largest.get((measure, group)) for group in groups] for measure in measures], limit=limit)

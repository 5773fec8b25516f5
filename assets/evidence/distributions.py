"""The reports `ks`, `distributions` and `curves`: have anonymised and original figures one distribution, and the same ranks?"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import dagster as dg
import polars as pl

from anonymize.tables import original_figures
from assets.evidence.sides import both_events, both_sides, coded, event_tables, sides
from assets.wiring.boundary import guarded
from assets.wiring.gates import gate, verdict
from assets.wiring.keys import STORE, Stage, key
from assets.wiring.resources import Workspace
from pipeline.derive.event_statistics import with_period
from pipeline.model import PERIOD, Environment, Panel
from validation.distributions.correlations import correlation_changes
from validation.distributions.curves import curves, curves_json
from validation.distributions.equivalence import as_records, equivalence, farthest
from validation.distributions.named_periods import with_named_periods
from validation.distributions.samples import KEYS, Samples, paired_samples, ranked_samples
from validation.distributions.shape import Shapes, shapes
from validation.distributions.two_sample import compare_distributions, ks_report
from validation.fidelity import Columns, Side, fidelity
from validation.report.charts.drawings import heat_map
from validation.report.documents import written

KS, DISTRIBUTIONS, CURVES = "ks", "distributions", "curves"

_NOT_DIFFERENT, _EQUIVALENT = "no_distribution_differs", "distributions_are_equivalent"

Outcome = dg.Output[Any] | dg.AssetCheckResult


def distributions_asset(environment: Environment) -> dg.AssetsDefinition:
    """Return the assets of the tests of distributions, of what such tests do not see, and of the curves to look at."""

    @dg.multi_asset(
        name=f"{environment.name.replace('-', '_')}_distributions",
        outs={name: _out(environment, name) for name in (KS, DISTRIBUTIONS, CURVES)},
        ins=both_sides(environment) | both_events(environment),
        check_specs=[gate(environment, KS, _NOT_DIFFERENT), gate(environment, DISTRIBUTIONS, _EQUIVALENT)],
    )
    def distributions(workspace: Workspace, **tables: Any) -> Iterator[Outcome]:
        """Every measure in every industry, sub-industry and year: tests, equivalence and curves."""
        with guarded(workspace, environment):
            panel, levels = environment.panel, _levels(environment)
            is_sampled = workspace.release_policy().samples_records
            # Sampled records have no owner: samples are compared as they are, not company by company.
            originals, anonymised = (_grouped if is_sampled else _aligned)(environment, tables)
            # Both take their time in libraries that let other threads work meanwhile.
            with ThreadPoolExecutor(1) as beside:
                shaped = beside.submit(_shaped, originals, anonymised, panel, levels, is_sampled=is_sampled)
                tests = compare_distributions(originals, anonymised, panel=panel, levels=levels)
                changes = correlation_changes(originals, anonymised, [measure.name for measure in panel.measures])
            told = dict(ks_report(tests, is_sampled=is_sampled)) | _events(environment, tables)
            yield from _ks(environment, _named(environment, told))
            evidence = tests.filter("can_reject").select(KEYS)
            samples, found = shaped.result()
            report = equivalence(samples, found, evidence, is_sampled=is_sampled) | {"correlations": changes}
            if is_sampled:
                report["fidelity"] = _fidelity(environment, workspace, tables)
            yield from _distributions(environment, _named(environment, report), is_sampled=is_sampled)
            yield dg.Output(curves_json(curves(samples, evidence)).decode(), output_name=CURVES)

    return distributions


def _events(environment: Environment, tables: dict[str, Any]) -> dict[str, Any]:
    """Return the tests of the figures of events, which are told only: of many thousands, the smallest change is significant."""
    firms, _, _ = sides(environment, tables)
    code, groups = environment.entities.code, list(dict.fromkeys(_levels(environment).values()))
    then, now = event_tables(environment, tables)
    told = {}
    for name in then:
        events = environment.events_of(name)
        both = [
            with_period(frame, events, environment.panel.period)
            .select(pl.col(events.entity).alias(code), PERIOD, *(measure.name for measure in events.measures))
            .join(firm.select(code, *groups), on=code, how="left")
            for frame, firm in zip((then[name], now[name]), firms, strict=True)
        ]
        found = ks_report(compare_distributions(both[0], both[1], panel=events, levels=_levels(environment)))
        told[name] = {field: value for field, value in found.items() if field not in ("passed", "allowed")}
    return {"events": told} if told else {}


def _named(environment: Environment, report: Mapping[str, Any]) -> Mapping[str, Any]:
    named: Mapping[str, Any] = with_named_periods(report, environment.panel.period)
    return named


def _shaped(
    originals: pl.DataFrame, anonymised: pl.DataFrame, panel: Panel, levels: Mapping[str, str], *, is_sampled: bool
) -> tuple[Samples, Shapes]:
    lay_out = ranked_samples if is_sampled else paired_samples
    samples = lay_out(originals, anonymised, measures=panel.measures, levels=levels)
    return samples, shapes(samples)


def _out(environment: Environment, name: str) -> dg.AssetOut:
    return dg.AssetOut(
        key=key(environment, Stage.REPORTS, name),
        group_name=Stage.REPORTS,
        io_manager_key=STORE,
        dagster_type=dg.Any,
        description=_DESCRIPTIONS[name],
    )


_DESCRIPTIONS = {
    KS: "Two-sample Kolmogorov-Smirnov tests of every measure in every industry, sub-industry and year.",
    DISTRIBUTIONS: "What such tests do not see: moments, tails, distances and ranks, with a verdict of equivalence for each.",
    CURVES: "The two distributions of each test as coarse curves, for the report to draw.",
}


def _fidelity(environment: Environment, workspace: Workspace, tables: dict[str, Any]) -> dict[str, Any]:
    """Return what is left of the originals where no record is one of theirs; the halves that it is compared with are keyed."""
    entities, conformed, figures = sides(environment, tables)
    found = fidelity(
        Side(entities=entities[0], figures=original_figures(environment, conformed)),
        Side(entities=entities[1], figures=figures),
        panel=environment.panel,
        columns=Columns.of(environment),
        key=workspace.release_key(environment).key.derive("fidelity"),
    )
    return found.as_json()


def _grouped(environment: Environment, tables: dict[str, Any]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return both sides' figures, each with the groups of its own companies."""
    entities, conformed, figures = sides(environment, tables)
    code, groups = environment.entities.code, list(dict.fromkeys(_levels(environment).values()))
    first, second = (
        side.join(firms.select(code, *groups), on=code, how="left")
        for side, firms in ((original_figures(environment, conformed), entities[0]), (figures, entities[1]))
    )
    return first, second


def _aligned(environment: Environment, tables: dict[str, Any]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return both sides with the originals' groups, a row for each company and year of either, in the same order."""
    entities, conformed, figures = sides(environment, tables)
    code = environment.entities.code
    published = dict(zip(entities[0][code], entities[1][code], strict=True))
    originals = original_figures(environment, conformed).with_columns(pl.col(code).replace_strict(published))
    rows = pl.concat([side.select(code, PERIOD) for side in (originals, figures)]).unique().sort(code, PERIOD)
    firms = coded(environment, entities).select(code, *dict.fromkeys(_levels(environment).values()))
    rows = rows.join(firms, on=code, how="left", maintain_order="left")
    first, second = (
        rows.join(side, on=[code, PERIOD], how="left", maintain_order="left") for side in (originals, figures)
    )
    return first, second


def _levels(environment: Environment) -> dict[str, str]:
    """Return the levels of industry, the finest first; one where both are the same column."""
    fine, broad = environment.entities.sub_industry, environment.entities.industry
    return {"sub_industry": fine} | ({"industry": broad} if broad != fine else {})


def _ks(environment: Environment, report: Mapping[str, Any]) -> Iterator[Outcome]:
    tests, alpha = report["tests"], report["alpha"]
    facts = {name: report[name] for name in ("rejected", "allowed", "smallest_p_value", "largest_statistic")}
    yield dg.Output(written(KS, report).decode(), output_name=KS, metadata={"tests": len(tests), **facts})
    yield verdict(
        _NOT_DIFFERENT,
        is_passed=report["passed"],
        facts=facts,
        samples=sorted(tests, key=lambda test: (test["p_value"], -test["statistic"])),
        # Shaded by alpha over p, which is 1 or more where a test is rejected.
        picture=_map(tests, [alpha / max(test["p_value"], alpha**9) for test in tests], limit=1.0),
        asset=key(environment, Stage.REPORTS, KS),
    )


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


def _distributions(environment: Environment, report: Mapping[str, Any], *, is_sampled: bool) -> Iterator[Outcome]:
    facts = {name: value for name, value in report["judged"].items() if isinstance(value, int)}
    records = as_records(report["samples"])
    yield dg.Output(written(DISTRIBUTIONS, report).decode(), output_name=DISTRIBUTIONS, metadata=report["summary"])
    yield verdict(
        _EQUIVALENT,
        is_passed=report["passed"],
        facts=facts,
        is_warning=is_sampled,
        samples=farthest(records),
        picture=_map(
            records, [record["distance"] for record in records], limit=report["margins"]["distance"]["margin"]
        ),
        asset=key(environment, Stage.REPORTS, DISTRIBUTIONS),
    )

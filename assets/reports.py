"""Group `reports`: what the originals and the published tables say of each other, each with a blocking check."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl

from anonymize.figures.closure import breaks
from anonymize.policy import LSD
from anonymize.tables import FIGURES, original_figures
from assets.attacks import attacks_asset
from assets.boundary import guarded, keep
from assets.derived import SUPPRESSED
from assets.keys import STORE, Stage, key
from assets.noisy import ELIGIBLE
from pipeline.derive import derive_aggregate
from pipeline.environment.model import Environment, Frames, GivenAggregate
from pipeline.io import StageTables
from pipeline.noise.ledger import noise_report
from pipeline.render import rows_of
from pipeline.resources import Workspace
from pipeline.suppression import suppress
from validation.attacks.noise_filters import filter_entries, noise_filter_attacks
from validation.cleaner.aggregates import Firms
from validation.cleaner.report import cleaner_report
from validation.consistency import (
    compare_aggregates,
    compare_counts,
    compare_structure,
    consistency_report,
    failures,
    lsd_bounds,
)
from validation.given import compare_given
from validation.reports import report_json
from validation.residuals import broken_identities, identity_residuals
from validation.two_sample import compare_distributions, ks_report

KS, CONSISTENCY, NOISE = "ks", "consistency", "noise"

_MENDS = "cleaner_mends_what_is_recoverable"
_REALISTIC = "realistic_noise_is_not_told_apart"
_FIRMS = "firms_"


def report_assets(environment: Environment) -> list[dg.AssetsDefinition]:
    """Return the report assets of an environment."""
    return [
        _ks_asset(environment),
        _consistency_asset(environment),
        _noise_asset(environment),
        attacks_asset(environment),
    ]


def _ks_asset(environment: Environment) -> dg.AssetsDefinition:
    @dg.asset(
        key=key(environment, Stage.REPORTS, KS),
        ins=_both_sides(environment),
        group_name=Stage.REPORTS,
        io_manager_key=STORE,
        dagster_type=dg.Any,
        check_specs=[_gate(environment, KS, "no_distribution_differs")],
    )
    def ks(workspace: Workspace, **tables: Any) -> Iterator[dg.Output[Any] | dg.AssetCheckResult]:
        """Two-sample Kolmogorov-Smirnov tests of every measure in every sub-industry and year."""
        with guarded(workspace, environment):
            entities, conformed, figures = _sides(environment, tables)
            originals = original_figures(environment, conformed)
            group = environment.entities.sub_industry
            report = ks_report(
                compare_distributions(
                    _grouped(environment, originals, entities[0], group),
                    _grouped(environment, figures, _coded(environment, entities), group),
                    panel=environment.panel,
                    group=group,
                ),
                is_rebuilt=workspace.release_policy().rebuilds_figures,
            )
            facts = {name: report[name] for name in ("rejected", "smallest_p_value", "largest_statistic")}
            yield dg.Output(report_json(report).decode(), metadata={"tests": len(report["tests"]), **facts})
            yield _verdict("no_distribution_differs", is_passed=report["passed"], facts=facts)

    return ks


def _consistency_asset(environment: Environment) -> dg.AssetsDefinition:
    @dg.asset(
        key=key(environment, Stage.REPORTS, CONSISTENCY),
        ins=_both_sides(environment)
        | {
            name: dg.AssetIn(key(environment, Stage.DERIVED, name))
            for name in (*_aggregate_names(environment), SUPPRESSED)
        }
        | {
            _given_input(given): dg.AssetIn(key(environment, Stage.CONFORMED, given.table))
            for given in _given(environment)
        },
        group_name=Stage.REPORTS,
        io_manager_key=STORE,
        dagster_type=dg.Any,
        check_specs=[_gate(environment, CONSISTENCY, "aggregates_and_identities_agree")],
    )
    def consistency(workspace: Workspace, **tables: Any) -> Iterator[dg.Output[Any] | dg.AssetCheckResult]:
        """Re-derived aggregates against those of the originals, and the residual of every identity."""
        with guarded(workspace, environment):
            entities, conformed, figures = _sides(environment, tables)
            originals = original_figures(environment, conformed)
            offsets, structures, agreements = [], [], []
            policy = workspace.release_policy()
            bounds = lsd_bounds(environment.panel) if policy == LSD else {}
            # Groups as published: what was given up of quasi-identifiers is told apart, in the privacy report.
            grouped = _coded(environment, entities, back=True) if policy.k > 1 else entities[0]
            for aggregate in environment.aggregates:
                before = derive_aggregate(environment, aggregate, grouped, originals)
                name = aggregate.name
                shown = suppress(before[name], aggregate, tables[SUPPRESSED])
                offsets += compare_aggregates(shown, tables[name], table=name, bounds=bounds)
                structures.append(compare_structure(shown, tables[name], table=name))
                if aggregate.given and (given := tables[_given_input(aggregate.given)]) is not None:
                    is_whole = grouped is entities[0]
                    whole = before if is_whole else derive_aggregate(environment, aggregate, entities[0], originals)
                    agreements.append(compare_given(given, whole[name], aggregate.given))
                if aggregate.counts:
                    counted = aggregate.counts_name
                    structures.append(compare_counts(before[counted], tables[counted], table=counted))
            code, panel = environment.entities.code, environment.panel
            broken = breaks(originals, panel, code=code)
            residuals = identity_residuals(figures, panel, code=code, held=broken.select(~pl.all()))
            outputs = {identity.output for identity in panel.identities} if policy.rebuilds_figures else None
            report = consistency_report(offsets, structures, residuals, recomputed=outputs) | {
                "broken": broken_identities(broken, breaks(figures, panel, code=code)),
                "given": [vars(entry) for entry in agreements],
            }
            defects = failures(offsets, structures, residuals, recomputed=outputs)
            if defects:
                keep(workspace, environment, "consistency_defects.txt", "\n".join(defects))
            facts = {"defects": len(defects), "identities": len(residuals)}
            yield dg.Output(report_json(report).decode(), metadata=facts)
            yield _verdict("aggregates_and_identities_agree", is_passed=report["passed"], facts=facts)

    return consistency


def _noise_asset(environment: Environment) -> dg.AssetsDefinition:
    names = [table.name for table in environment.noisy_tables()]
    ledgers = {name: dg.AssetIn(key(environment, Stage.LEDGER, name)) for name in names}
    eligible = {
        f"{name}_{ELIGIBLE}": dg.AssetIn(key(environment, Stage.LEDGER, f"{name}_{ELIGIBLE}")) for name in names
    }
    rendered = {f"{name}_rendered": dg.AssetIn(key(environment, Stage.RENDERED, name)) for name in names}
    firms = {name: key(environment, Stage.ANONYMISED, name) for name in (environment.entities.tables[0], FIGURES)}
    noised = {name: key(environment, Stage.NOISY, name) for name in names}

    @dg.asset(
        key=key(environment, Stage.REPORTS, NOISE),
        ins=ledgers | eligible | rendered | {_FIRMS + name: dg.AssetIn(origin) for name, origin in firms.items()},
        deps=list(noised.values()),
        group_name=Stage.REPORTS,
        io_manager_key=STORE,
        dagster_type=dg.Any,
        check_specs=[_gate(environment, NOISE, _MENDS), _gate(environment, NOISE, _REALISTIC)],
    )
    def noise(workspace: Workspace, **tables: Any) -> Iterator[dg.Output[Any] | dg.AssetCheckResult]:
        """What each rule changed, what one filter tells of it, and what the reference cleaner takes back."""
        with guarded(workspace, environment):
            spec, release = workspace.noise_spec(environment), workspace.release_key(environment)
            ledger = pl.concat([tables[name] for name in names if tables[name] is not None])
            opportunities = pl.concat([tables[name] for name in eligible if tables[name] is not None])
            contents = {name: rows_of(environment.table(name), tables[f"{name}_rendered"]) for name in names}
            clean = {name: rows for name, rows in contents.items() if rows is not None}
            told = noise_filter_attacks(environment, spec, clean, ledger, release.key)
            entities, figures = (tables[_FIRMS + name] for name in firms)
            plan = workspace.cleaning_plan(environment)
            noisy = StageTables(Path(workspace.out), {name: noised[name].path for name in clean})
            truth = Firms(entities=entities, figures=figures)
            cleaner = (
                None
                if plan is None
                else cleaner_report(environment, plan, ledger, clean=clean, noisy=noisy, firms=truth)
            )
            found = filter_entries(told, spec)
            report = noise_report(ledger, spec, opportunities) | {"filters": found, "cleaner": cleaner}
            yield dg.Output(report_json(report).decode(), metadata={"cells_changed": ledger.height})
            is_default = workspace.is_default_noise(environment)
            yield _mending(cleaner, is_default=is_default)
            yield _realism(found, is_default=is_default)

    return noise


def _realism(found: Sequence[Mapping[str, Any]], *, is_default: bool) -> dg.AssetCheckResult:
    """Judge whether kinds that claim realism keep to their limit: Silt's own noise must, a user's only warns."""
    severity = dg.AssetCheckSeverity.ERROR if is_default else dg.AssetCheckSeverity.WARN
    failed = [f"{entry['rule']} in {entry['table']}" for entry in found if not entry["passed"]]
    held = sum(entry["limit"] is not None for entry in found)
    facts: dict[str, int | str] = {"held_to_a_limit": held, "told_apart": ", ".join(failed)}
    return dg.AssetCheckResult(passed=not failed, check_name=_REALISTIC, severity=severity, metadata=facts)


def _mending(cleaner: Mapping[str, Any] | None, *, is_default: bool) -> dg.AssetCheckResult:
    """Judge the noise by what the reference cleaner made of it.

    The environment's default noise must be as recoverable as it says, or nothing is published. Harsher noise may lose by two
    changes together what each alone would leave, and a user's own may say anything: with them the build goes on, and the check
    warns.
    """
    severity = dg.AssetCheckSeverity.ERROR if is_default else dg.AssetCheckSeverity.WARN
    if cleaner is None:
        return dg.AssetCheckResult(passed=True, check_name=_MENDS, metadata={"cleaning_plan": False})
    facts = {name: cleaner[name] for name in ("recoverable", "mended", "missed", "wrong", "aggregates_are_exact")}
    return dg.AssetCheckResult(passed=cleaner["passed"], check_name=_MENDS, severity=severity, metadata=facts)


def _both_sides(environment: Environment) -> dict[str, dg.AssetIn]:
    """Return inputs: the first entity table and the panel, of the originals and anonymised."""
    firms = environment.entities.tables[0]
    originals = {
        f"original_{name}": key(environment, Stage.CONFORMED, name) for name in (firms, *environment.panel.tables)
    }
    anonymised = {name: key(environment, Stage.ANONYMISED, name) for name in (firms, FIGURES)}
    return {name: dg.AssetIn(origin) for name, origin in (originals | anonymised).items()}


def _sides(
    environment: Environment, tables: dict[str, Any]
) -> tuple[tuple[pl.DataFrame, pl.DataFrame], Frames, pl.DataFrame]:
    firms = environment.entities.tables[0]
    conformed = {
        name: tables[f"original_{name}"] for name in environment.panel.tables if tables[f"original_{name}"] is not None
    }
    return (tables[f"original_{firms}"], tables[firms]), conformed, tables[FIGURES]


def _coded(
    environment: Environment, entities: tuple[pl.DataFrame, pl.DataFrame], *, back: bool = False
) -> pl.DataFrame:
    """Return the originals' entities under published codes, or the published ones under the originals' (`back`).

    Anonymising leaves the order of rows as it is; rendering takes them out of it.
    """
    source, codes = entities[::-1] if back else entities
    return source.with_columns(codes[environment.entities.code])


def _grouped(environment: Environment, figures: pl.DataFrame, entities: pl.DataFrame, group: str) -> pl.DataFrame:
    """Return the figures with a column of the entities in place of the code, rows in the same order."""
    code = environment.entities.code
    return figures.join(entities.select(code, group), on=code, how="left", maintain_order="left").drop(code)


def _aggregate_names(environment: Environment) -> list[str]:
    return [name for aggregate in environment.aggregates for name in aggregate.tables()]


def _given(environment: Environment) -> list[GivenAggregate]:
    return [aggregate.given for aggregate in environment.aggregates if aggregate.given]


def _given_input(given: GivenAggregate) -> str:
    return f"given_{given.table}"


def _gate(environment: Environment, report: str, check: str) -> dg.AssetCheckSpec:
    return dg.AssetCheckSpec(check, asset=key(environment, Stage.REPORTS, report), blocking=True)


def _verdict(check: str, *, is_passed: bool, facts: dict[str, Any]) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(passed=bool(is_passed), check_name=check, metadata=facts)

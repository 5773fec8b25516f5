"""The report `noise`: what each rule changed, what one filter tells of it, and what the reference cleaner takes back."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl

from anonymize.tables import FIGURES
from assets.noisy import ELIGIBLE
from assets.wiring.boundary import guarded
from assets.wiring.gates import drawn, gate, verdict
from assets.wiring.keys import STORE, Stage, key
from assets.wiring.resources import Workspace
from assets.wiring.store import StageTables
from pipeline.model import Environment
from pipeline.noise.ablation import load_ablation_plan
from pipeline.noise.described.examples import examples
from pipeline.noise.kinds.interface import Family
from pipeline.noise.ledger import noise_report
from pipeline.places import default_ablation_plan
from pipeline.render import rows_of
from validation.attacks.noise.noise_filters import filter_entries, noise_filter_attacks
from validation.noise.cleaner.aggregates import Firms
from validation.noise.cleaner.report import cleaner_report
from validation.noise.naive_reader import ladder
from validation.report.charts.drawings import bars
from validation.report.documents import written
from validation.report.documents.noise import Noise
from validation.report.sections.recovery import ladder_drawn

NOISE = "noise"

_MENDS = "cleaner_mends_what_is_recoverable"
_REALISTIC = "realistic_noise_is_not_told_apart"
_FIRMS = "firms_"

_BARS = 20
"""Bars of a picture: as many as are read."""


def noise_asset(environment: Environment) -> dg.AssetsDefinition:
    """Return the asset of the noise report."""
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
        check_specs=[gate(environment, NOISE, _MENDS), gate(environment, NOISE, _REALISTIC)],
    )
    def noise(workspace: Workspace, **tables: Any) -> Iterator[dg.Output[Any] | dg.AssetCheckResult]:
        """What each rule changed, what one filter tells of it, and what the reference cleaner takes back."""
        with guarded(workspace, environment):
            spec, release = workspace.noise_spec(environment), workspace.release_key(environment)
            ledger = pl.concat([tables[name] for name in names if tables[name] is not None])
            opportunities = pl.concat([tables[name] for name in eligible if tables[name] is not None])
            contents = {name: rows_of(environment.table(name), tables[f"{name}_rendered"]) for name in names}
            clean = {name: rows for name, rows in contents.items() if rows is not None}
            entities, figures = (tables[_FIRMS + name] for name in firms)
            plan = workspace.cleaning_plan(environment)
            noisy = StageTables(Path(workspace.out), {name: noised[name].path for name in clean})
            truth = Firms(entities=entities, figures=figures)
            # Much of either is work of polars, which lets other threads go on meanwhile.
            with ThreadPoolExecutor(1) as beside:
                mended = plan and beside.submit(
                    cleaner_report, environment, plan, ledger, clean=clean, noisy=noisy, firms=truth
                )
                found = filter_entries(noise_filter_attacks(environment, spec, clean, ledger, release.key), spec)
            cleaner = mended.result() if mended else None
            steps = ladder(environment, ledger, clean, _families(environment, workspace))
            is_default = workspace.is_default_noise(environment)
            report = {
                **noise_report(ledger, spec, opportunities),
                "is_blocking": is_default,
                "filters": found,
                "cleaner": cleaner,
                "examples": examples(ledger, [rule.name for rule in spec.rules]),
                **steps,
            }
            content = written(NOISE, report)
            told = Noise.model_validate_json(content)
            facts = {"cells_changed": ledger.height, "ladder": drawn("ladder", ladder_drawn(told.ladder))}
            yield dg.Output(content.decode(), metadata=facts)
            yield _mending(cleaner, is_default=is_default)
            yield _realism(found, is_default=is_default)

    return noise


def _families(environment: Environment, workspace: Workspace) -> Sequence[str]:
    """Return the order in which families are mended: that of the environment's own ladder for its own noise."""
    plan = default_ablation_plan(environment.name)
    is_planned = workspace.is_default_noise(environment) and plan.is_file()
    return load_ablation_plan(plan, environment).ladder if is_planned else tuple(Family)


def _realism(found: Sequence[Mapping[str, Any]], *, is_default: bool) -> dg.AssetCheckResult:
    """Judge whether kinds that claim realism keep to their limit: Silt's own noise must, a user's only warns."""
    held = sorted((entry for entry in found if entry["limit"] is not None), key=lambda entry: -entry["rate"])
    failed = [f"{entry['rule']} in {entry['table']}" for entry in held if not entry["passed"]]
    return verdict(
        _REALISTIC,
        is_passed=not failed,
        is_warning=not is_default,
        facts={"held_to_a_limit": len(held), "told_apart": ", ".join(failed)},
        samples=[{name: entry[name] for name in ("rule", "table", "attack", "rate", "limit")} for entry in held],
        picture=bars(
            {f"{entry['rule']}, {entry['table']}": entry["rate"] for entry in held[:_BARS]},
            limits={f"{entry['rule']}, {entry['table']}": entry["limit"] for entry in held[:_BARS]},
        ),
    )


def _mending(cleaner: Mapping[str, Any] | None, *, is_default: bool) -> dg.AssetCheckResult:
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
        facts={name: cleaner[name] for name in ("recoverable", "mended", "missed", "wrong", "aggregates_are_exact")},
        samples=[{name: kind[name] for name in ("kind", "recoverable", "mended", "missed", "wrong")} for kind in worst],
        picture=bars({kind["kind"]: kind["mended"] / kind["recoverable"] for kind in recoverable}),
    )

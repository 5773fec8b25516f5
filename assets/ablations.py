"""In the group `published`: the variants of an ablation plan, swapped in together after every gate has passed."""

import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl

from assets.anonymised import IDENTIFIERS, IDENTITY_MAP
from assets.evidence.attacks import ATTACKS
from assets.evidence.files import about_truth, privacy_reports
from assets.published import manifest
from assets.wiring.boundary import guarded
from assets.wiring.key_use import claim_key
from assets.wiring.keys import Stage, key
from assets.wiring.originals import originals, reserved
from assets.wiring.resources import Workspace
from assets.wiring.store import Value, read_stage
from pipeline.model import Environment, Frames, PublishedDocument, PublishedTable
from pipeline.noise.ablation import AblationPlan, ablations
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.spec import NoiseSpec
from pipeline.publish.ablations import ABLATIONS, AblationSet, PublishedSet, publish_ablations
from pipeline.render import published_files
from validation.escapes.scan_set import scan_together
from validation.report.documents.distributions import Ks
from validation.report.pages import ks_page

_NO_ESCAPE, _EXACT = "nothing_identifies_a_company", "ledger_is_exact"


def ablations_asset(environment: Environment) -> dg.AssetsDefinition:
    """Return the asset of all variants together."""
    target = key(environment, Stage.PUBLISHED, ABLATIONS)
    files = [published.name for published in published_files(environment) if published.folder == "database"]

    @dg.asset(
        key=target,
        deps=[
            *(key(environment, Stage.RENDERED, name) for name in files),
            *(key(environment, Stage.REPORTS, name) for name in (*about_truth(environment), ATTACKS)),
            *(key(environment, Stage.IDENTITY, name) for name in (IDENTITY_MAP, IDENTIFIERS)),
        ],
        group_name=Stage.PUBLISHED,
        check_specs=[dg.AssetCheckSpec(name, asset=target, blocking=True) for name in (_NO_ESCAPE, _EXACT)],
        description="The variants of the ablation plan: one family of noise after the other mended, left out, or alone.",
    )
    def ablated(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:  # type: ignore[type-arg]  # dagster knows it bare only
        with guarded(workspace, environment):
            published = _publish(environment, workspace, context)
            if published.copies:
                context.log.info("no links possible: %s files were copied, and take their place", published.copies)
            return dg.MaterializeResult(
                metadata={"dagster/row_count": published.records, **asdict(published)},
                check_results=[dg.AssetCheckResult(passed=True, check_name=name) for name in (_NO_ESCAPE, _EXACT)],
            )

    return ablated


def _publish(environment: Environment, workspace: Workspace, context: dg.AssetExecutionContext) -> PublishedSet:
    def made(stage: str, name: str) -> Value:
        return read_stage(Path(workspace.out), key(environment, stage, name).path)

    def content(published: PublishedTable | PublishedDocument) -> Value:
        return made(Stage.RENDERED, published.name)

    @cache
    def taken(table: str) -> pl.Series | None:
        return reserved(environment, workspace, plan.spec, environment.table(table))

    def noise(rendered: pl.DataFrame, published: PublishedTable, spec: NoiseSpec, *, beside: Frames) -> Noised:
        codes = taken(published.name)
        return apply_noise(rendered, published, spec, environment, release, beside=beside, reserved=codes)

    plan, release = workspace.ablation_plan(environment), workspace.release_key(environment).key
    reports = {f"{name}.json": str(made(Stage.REPORTS, name)).encode() for name in about_truth(environment)}
    if environment.panel:
        ks = Ks.model_validate_json(reports["ks.json"])
        reports["ks.html"] = ks_page(ks, environment=environment.argument, title=environment.title)
    attacks, owned = json.loads(str(made(Stage.REPORTS, ATTACKS))), originals(environment, workspace)
    return publish_ablations(
        workspace.folder(environment),
        AblationSet(
            environment=environment,
            spec=plan.spec,
            variants=ablations(plan),
            noise=noise,
            manifest=lambda name, records: manifest(
                environment, f"{ABLATIONS}/{name}", workspace, records, {"noise": plan.noise}
            ),
            facts=_facts(environment, plan),
            reports=reports,
            search=lambda staged: scan_together(staged, environment, owned),
            of_search=lambda searched: privacy_reports(environment, attacks, searched),
            sealed_map=owned.sealed_map(),
            claim_key=lambda: claim_key(environment, workspace),
            log=context.log.info,
        ),
        content,
    )


def _facts(environment: Environment, plan: AblationPlan) -> dict[str, Any]:
    present = {rule.kind.family for rule in plan.spec.rules}
    return {
        "environment": environment.name,
        "ladder": list(plan.ladder),
        "without_rules": [family for family in plan.ladder if family not in present],
    }

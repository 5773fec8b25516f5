"""In the group `published`: the variants of an ablation plan, swapped in together after every gate has passed."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import cache
from typing import Any

import polars as pl

from assets.evidence.files import about_truth, pages_of_truth, part_of, privacy_reports
from assets.making.keys import ATTACKS, COMPARED, MODEL, TREATED, Stage
from assets.making.parameters import KEY, MANIFEST, MASTER, PLAN, POLICY
from assets.making.results import ROW_COUNT, CheckOutcome, Result
from assets.making.step import Run
from assets.published import treated_of
from assets.wiring.originals import OF_ORIGINALS, originals, reserved
from assets.wiring.steps import Declared, asset
from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.ablation import AblationPlan, ablations
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.spec import NoiseSpec
from pipeline.places import CURATOR
from pipeline.publish.ablations import ABLATIONS, AblationSet, StagedSummary, stage_ablations
from pipeline.publish.variant import IDENTITY_MAP
from pipeline.render import published_files
from validation.escapes.scan_set import scan_together
from validation.report.documents import Reports
from validation.report.head.gates import LEDGER_IS_EXACT

_CHECKS = ("nothing_identifies_a_company", LEDGER_IS_EXACT)


def ablations_asset(environment: Environment) -> Declared:
    """Return the asset of all variants together."""
    files = [published.name for published in published_files(environment) if published.folder == "database"]
    reads = [
        *((Stage.RENDERED, name) for name in files),
        *((Stage.REPORTS, name) for name in (*about_truth(environment), MODEL, ATTACKS)),
        *OF_ORIGINALS,
        (Stage.CURATOR, COMPARED),
        (Stage.RAW, TREATED),
    ]
    uses = (KEY, MASTER, POLICY, MANIFEST, PLAN)

    @asset(
        environment,
        Stage.PUBLISHED,
        ABLATIONS,
        reads=reads,
        uses=uses,
        checks=_CHECKS,
        withheld=[(Stage.RAW, TREATED)],
        ends=True,
    )
    def ablated(run: Run) -> Iterator[Result]:
        """The variants of the ablation plan: one family of noise after the other mended, left out, or alone."""
        staged = _stage(run)
        if staged.copies:
            run.log(f"no links possible: {staged.copies} files were copied, and take their place")
        yield run.shown(Stage.PUBLISHED, ABLATIONS, {ROW_COUNT: staged.records, **asdict(staged)})
        counts = {"variants": staged.variants, "records": staged.records}
        yield from (CheckOutcome(check=name, is_passed=True, metadata=counts) for name in _CHECKS)

    return ablated


def _stage(run: Run) -> StagedSummary:
    run.stands.extend([ABLATIONS, f"{CURATOR}/{ABLATIONS}", f"{CURATOR}/{IDENTITY_MAP}"])
    environment, plan = run.environment, run.use(PLAN)
    stated = replace(run.use(MANIFEST), specs={"noise": plan.spec.digest}, treated=treated_of(run))

    @cache
    def taken(table: str) -> pl.Series | None:
        return reserved(run, plan.spec, environment.table(table))

    def noise(rendered: pl.DataFrame, published: PublishedTable, spec: NoiseSpec, *, beside: Frames) -> Noised:
        codes, release = taken(published.name), run.use(KEY)
        return apply_noise(rendered, published, spec, environment, release, beside=beside, reserved=codes)

    part = part_of(environment, run.use(POLICY), report="")
    texts = {name: run.read(Stage.REPORTS, name) for name in (*about_truth(environment), MODEL)}
    reports = {f"{name}.json": text.encode() for name, text in texts.items() if text}
    reports |= pages_of_truth(Reports.of({name: texts[name] for name in about_truth(environment)}), part)
    attacks, owned = json.loads(run.read(Stage.REPORTS, ATTACKS)), originals(run)
    staging, summary = stage_ablations(
        run.folder,
        AblationSet(
            environment=environment,
            spec=plan.spec,
            variants=ablations(plan),
            noise=noise,
            manifest=lambda name, records: replace(stated, variant=f"{ABLATIONS}/{name}", files=records),
            facts=_facts(environment, plan),
            reports=reports,
            search=lambda staged: scan_together(staged, environment, owned),
            of_search=lambda searched: privacy_reports(part, attacks, searched),
            sealed_map=owned.sealed_map(),
            log=run.log,
        ),
        lambda published: run.read(Stage.RENDERED, published.name),
    )
    run.staged.append(staging)
    return summary


def _facts(environment: Environment, plan: AblationPlan) -> dict[str, Any]:
    present = {rule.kind.family for rule in plan.spec.rules}
    return {
        "environment": environment.name,
        "ladder": list(plan.ladder),
        "without_rules": [family for family in plan.ladder if family not in present],
    }

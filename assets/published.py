"""Group `published`: the two variants, swapped in whole after every gate has passed."""

from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path

import dagster as dg
import polars as pl

from anonymize.fates import published_fates
from assets.anonymised import IDENTIFIERS, IDENTITY_MAP
from assets.conformed import treated
from assets.evidence.files import Evidence, about
from assets.evidence.noise_report import NOISE
from assets.wiring.boundary import guarded
from assets.wiring.key_use import claim_key
from assets.wiring.keys import Stage, key
from assets.wiring.originals import originals
from assets.wiring.resources import Workspace
from assets.wiring.store import Value, read_stage
from pipeline.model import Environment, PublishedDocument, PublishedTable
from pipeline.publish.files import FileRecord, sha256
from pipeline.publish.manifest import Manifest, software_versions
from pipeline.publish.variant import CLEAN, NOISY, VARIANTS, Variant, publish
from pipeline.render import left_out, published_files
from validation.escapes.scan import scan

_NO_ESCAPE = "nothing_identifies_a_company"


def published_assets(environment: Environment) -> list[dg.AssetsDefinition]:
    """Return one asset for each variant."""
    return [_published_asset(environment, variant) for variant in VARIANTS]


def _published_asset(environment: Environment, variant: str) -> dg.AssetsDefinition:

    @dg.asset(
        key=key(environment, Stage.PUBLISHED, variant),
        deps=[
            *_file_keys(environment, variant),
            *(key(environment, Stage.REPORTS, name) for name in about(environment, variant)),
            *(key(environment, Stage.IDENTITY, name) for name in (IDENTITY_MAP, IDENTIFIERS)),
            key(environment, Stage.ANONYMISED, environment.entities.tables[0]),
        ],
        group_name=Stage.PUBLISHED,
        check_specs=[dg.AssetCheckSpec(_NO_ESCAPE, asset=key(environment, Stage.PUBLISHED, variant), blocking=True)],
        description=f"The {variant} variant: files, reports and manifest.",
    )
    def published(context: dg.AssetExecutionContext, workspace: Workspace) -> dg.MaterializeResult:  # type: ignore[type-arg]  # dagster knows it bare only
        with guarded(workspace, environment):
            records = _publish(environment, variant, workspace, tell=context.log.info)
            return dg.MaterializeResult(
                metadata={
                    "dagster/row_count": sum(record.records or 0 for record in records if _is_database(record)),
                    "files": _listing(records),
                },
                check_results=[dg.AssetCheckResult(passed=True, check_name=_NO_ESCAPE)],
            )

    return published


def _publish(
    environment: Environment, variant: str, workspace: Workspace, *, tell: Callable[[str], None]
) -> tuple[FileRecord, ...]:
    def made(stage: str, name: str) -> Value:
        return read_stage(Path(workspace.out), key(environment, stage, name).path)

    def content(published: PublishedTable | PublishedDocument) -> Value:
        if variant != NOISY or published.name not in noisy:
            return made(Stage.RENDERED, published.name)
        value, document = made(Stage.NOISY, published.name), noisy[published.name].document
        return document.text(value) if document is not None and isinstance(value, pl.DataFrame) else value

    noisy = {table.name: table for table in environment.noisy_tables()}
    ledgers = [made(Stage.LEDGER, name) for name in noisy] if variant == NOISY else []
    specs = {NOISE: workspace.noise_path(environment)} if variant == NOISY else {}
    entities = made(Stage.ANONYMISED, environment.entities.tables[0])
    evidence = Evidence(
        environment=environment,
        variant=variant,
        reports={name: made(Stage.REPORTS, name) for name in about(environment, variant)},
        entities=entities if isinstance(entities, pl.DataFrame) else None,
    )
    owned = originals(environment, workspace)
    return publish(
        workspace.folder(environment),
        Variant(
            environment=environment,
            name=variant,
            manifest=lambda records: manifest(environment, variant, workspace, records, specs),
            reports=evidence.files(),
            search=lambda public, ledger: scan(public, environment, owned, ledger=ledger),
            of_search=evidence.of_search,
            sealed_map=owned.sealed_map(),
            claim_key=lambda: claim_key(environment, workspace),
            ledger=pl.concat([ledger for ledger in ledgers if isinstance(ledger, pl.DataFrame)]) if ledgers else None,
            log=tell,
        ),
        content,
    )


def manifest(
    environment: Environment,
    variant: str,
    workspace: Workspace,
    records: tuple[FileRecord, ...],
    specs: Mapping[str, Path],
) -> Manifest:
    """Return the manifest of a variant that was made from specifications, given by what they are."""
    release = workspace.release_key(environment)
    is_generated = workspace.is_generated(environment)
    return Manifest(
        environment=environment.name,
        variant=variant,
        source=workspace.source(environment),
        scale=workspace.scale if is_generated else None,
        policy=workspace.policy,
        key_fingerprint=release.master.fingerprint(),
        is_demonstration_key=release.is_demonstration,
        specs={name: sha256(path) for name, path in specs.items()},
        versions=software_versions(version("silt")),
        files=records,
        left_out=left_out(environment, workspace.absent(environment)),
        fates=published_fates(environment, workspace.release_policy()),
        treated=treated(environment, workspace),
    )


def _file_keys(environment: Environment, variant: str) -> list[dg.AssetKey]:
    with_noise = {table.name for table in environment.noisy_tables()} if variant == NOISY else set()
    files = [file for file in published_files(environment) if variant == CLEAN or file.folder == "database"]
    return [key(environment, Stage.NOISY if file.name in with_noise else Stage.RENDERED, file.name) for file in files]


def _is_database(record: FileRecord) -> bool:
    return record.path.startswith("database/")


def _listing(records: tuple[FileRecord, ...]) -> dg.MetadataValue:
    lines = [
        f"| {r.path} | {r.records if r.records is not None else ''} | {r.bytes} | `{r.sha256[:12]}` |" for r in records
    ]
    return dg.MetadataValue.md("\n".join(["| file | records | bytes | sha256 |", "|---|---:|---:|---|", *lines]))

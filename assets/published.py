"""Group `published`: the two variants, swapped in whole after every gate has passed."""

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl

from anonymize.fates import published_fates
from assets.evidence.files import Evidence, about
from assets.evidence.noise_report import NOISE
from assets.making.aspects import ABSENT, KEY, MASTER, ORIGIN, POLICY, Aspect
from assets.making.aspects import NOISE as SPECIFIED
from assets.making.keys import TREATED, Place, Stage
from assets.making.request import Request
from assets.making.step import Run
from assets.making.store import Value
from assets.making.told import Result
from assets.wiring.key_use import claim_key
from assets.wiring.originals import OF_ORIGINALS, originals
from assets.wiring.steps import Declared, asset
from pipeline.model import Environment, PublishedDocument, PublishedTable
from pipeline.places import CURATOR
from pipeline.publish.files import FileRecord, sha256
from pipeline.publish.manifest import Manifest, software_versions
from pipeline.publish.variant import CLEAN, IDENTITY_MAP, NOISE_LEDGER, NOISY, VARIANTS, Variant, publish
from pipeline.render import left_out, published_files
from validation.escapes.scan import scan

_NO_ESCAPE = "nothing_identifies_a_company"


def published_assets(environment: Environment) -> list[Declared]:
    """Return one asset for each variant."""
    return [_published_asset(environment, variant) for variant in VARIANTS]


def _published_asset(environment: Environment, variant: str) -> Declared:
    reads = [
        *_files(environment, variant),
        *((Stage.REPORTS, name) for name in about(environment, variant)),
        *OF_ORIGINALS,
        (Stage.ANONYMISED, environment.entities.tables[0]),
        (Stage.RAW, TREATED),
    ]
    uses: list[Aspect[Any]] = [KEY, MASTER, POLICY, ORIGIN, ABSENT, *([SPECIFIED] if variant == NOISY else [])]
    described = f"The {variant} variant: files, reports and manifest."

    @asset(
        environment,
        Stage.PUBLISHED,
        variant,
        reads=reads,
        uses=uses,
        description=described,
        checks=[_NO_ESCAPE],
        ends=True,
    )
    def published(run: Run) -> Iterator[Result]:
        """Search the files for what identifies a company, and swap them in."""
        records = _publish(run, variant)
        rows = sum(record.records or 0 for record in records if record.path.startswith("database/"))
        yield run.shown(Stage.PUBLISHED, variant, {"dagster/row_count": rows, "files": _listing(records)})
        yield dg.AssetCheckResult(passed=True, check_name=_NO_ESCAPE)

    return published


def _publish(run: Run, variant: str) -> tuple[FileRecord, ...]:
    request, environment = run.request, run.environment
    noisy = {table.name: table for table in environment.noisy_tables()} if variant == NOISY else {}

    def content(published: PublishedTable | PublishedDocument) -> Value:
        if published.name not in noisy:
            value: Value = run.read(Stage.RENDERED, published.name)
            return value
        value, document = run.read(Stage.NOISY, published.name), noisy[published.name].document
        return document.text(value) if document is not None and isinstance(value, pl.DataFrame) else value

    ledgers = run.frames(Stage.LEDGER, noisy)
    specs = {NOISE: request.noise.file} if variant == NOISY else {}
    evidence = Evidence(
        environment=environment,
        variant=variant,
        reports={name: run.read(Stage.REPORTS, name) for name in about(environment, variant)},
        entities=run.read(Stage.ANONYMISED, environment.entities.tables[0]),
    )
    owned, treated = originals(run), treated_of(run)
    run.stands.extend([variant, f"{CURATOR}/{IDENTITY_MAP}", *([f"{CURATOR}/{NOISE_LEDGER}"] if noisy else [])])
    return publish(
        request.folder,
        Variant(
            environment=environment,
            name=variant,
            manifest=lambda records: manifest(request, variant, records, specs, treated=treated),
            reports=evidence.files(),
            search=lambda public, ledger: scan(public, environment, owned, ledger=ledger),
            of_search=evidence.of_search,
            sealed_map=owned.sealed_map(),
            claim_key=lambda: claim_key(request),
            ledger=pl.concat(ledgers.values()) if ledgers else None,
            log=run.log,
        ),
        content,
    )


def treated_of(run: Run) -> list[dict[str, Any]]:
    """Return what conforming treated in the raw tables; columns that nobody wants are not worth telling."""
    noted: pl.DataFrame = run.read(Stage.RAW, TREATED)
    return noted.filter(pl.col("treatment") != "ignore").to_dicts()


def manifest(
    request: Request,
    variant: str,
    records: tuple[FileRecord, ...],
    specs: Mapping[str, Path],
    *,
    treated: Sequence[Mapping[str, Any]],
) -> Manifest:
    """Return the manifest of a variant that was made from specifications, given by what they are."""
    environment, master = request.environment, request.release.master
    return Manifest(
        environment=environment.name,
        variant=variant,
        source=request.source,
        scale=request.scale,
        policy=request.policy.name,
        key_fingerprint=master.fingerprint(),
        is_demonstration_key=request.release.is_demonstration,
        specs={name: sha256(path) for name, path in specs.items()},
        versions=software_versions(version("silt")),
        files=records,
        left_out=left_out(environment, request.absent),
        fates=published_fates(environment, request.policy),
        treated=treated,
    )


def _files(environment: Environment, variant: str) -> list[Place]:
    """Return where the files of a variant are kept, and the ledgers of those with noise."""
    noisy = [table.name for table in environment.noisy_tables()] if variant == NOISY else []
    files = [file.name for file in published_files(environment) if variant == CLEAN or file.folder == "database"]
    with_noise = [(stage, name) for name in noisy for stage in (Stage.NOISY, Stage.LEDGER)]
    return [*((Stage.RENDERED, name) for name in files if name not in noisy), *with_noise]


def _listing(records: tuple[FileRecord, ...]) -> dg.MetadataValue:
    lines = [
        f"| {r.path} | {r.records if r.records is not None else ''} | {r.bytes} | `{r.sha256[:12]}` |" for r in records
    ]
    return dg.MetadataValue.md("\n".join(["| file | records | bytes | sha256 |", "|---|---:|---:|---|", *lines]))

"""Group `published`: the two variants, swapped in together after every gate has passed.

Their reports are written and searched before, by a step that the graph does not show, as `files.py` does it with tables.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from assets.evidence.files import VariantReports, about, about_truth, listed, listing
from assets.evidence.noise_report import NOISE
from assets.files import of_files, searching, written
from assets.making.keys import COMPARED, CURVES, SEARCH_TERMS, SECTIONS, TREATED, Place, Stage, reports_of, verdicts_of
from assets.making.parameters import KEY, MANIFEST, MASTER, NAMED, POLICY, StepParameter
from assets.making.parameters import NOISE as SPECIFIED
from assets.making.results import ROW_COUNT, Fact, Result
from assets.making.step import Run
from assets.wiring.gates import SAMPLES, in_the_report, verdict
from assets.wiring.originals import OF_ORIGINALS, originals, search_terms
from assets.wiring.steps import Declared, asset, step
from pipeline.errors import SiltError
from pipeline.model import Environment
from pipeline.places import CURATOR
from pipeline.private import private_file
from pipeline.publish.files import FileRecord
from pipeline.publish.formats import is_text
from pipeline.publish.manifest import Manifest, write_manifest
from pipeline.publish.publication import Staging, stage
from pipeline.publish.refusal import REPORT, REPORTS
from pipeline.publish.variant import (
    CLEAN,
    IDENTITY_MAP,
    NOISE_LEDGER,
    NOISY,
    VARIANTS,
    Variant,
    copy_files,
    stage_variant,
    write_reports,
)
from pipeline.release.metadata.draft import draft_page
from pipeline.render import published_files
from validation.escapes.scan import NOTHING_IDENTIFIES, Scanned, scan, searchable

_WITHHELD: tuple[Place, ...] = ((Stage.RAW, TREATED),)
"""What is counted of raw tables says how many of their cells and rows are what."""

_ON_ORIGINALS = {"Faithful to the originals?": f"only the curator's page says: {CURATOR}/{REPORTS}/{REPORT}"}
"""Said of sampled records, where `faithful` is to the published statistics: what the graph shows is public."""

_WIDTH = 200
"""Characters of a line of a file's head that are shown."""


def reports_steps(environment: Environment) -> list[Declared]:
    """Return a step for the reports of each variant, which needs that for what both say of the truth (`truth_step`)."""
    return [_reports_step(environment, variant) for variant in VARIANTS]


def published_assets(environment: Environment) -> list[Declared]:
    """Return one asset for each variant."""
    return [_published_asset(environment, variant) for variant in VARIANTS]


def truth_step(environment: Environment) -> Declared:
    """Return the step for what the reports of both variants say of the truth beneath the noise."""
    names = (*about_truth(environment), *([CURVES] if environment.panel else []))
    reads = [*((Stage.REPORTS, name) for name in names), *listing(environment), SEARCH_TERMS]

    @step(environment, *SECTIONS, makes=[SECTIONS], reads=reads, uses=(MASTER, POLICY))
    def truth(run: Run) -> Iterator[Result]:
        """Draw what pages say of the truth, and search its reports: the same in every variant, and whatever the noise."""
        evidence = _evidence(run, CLEAN, names)
        run.keep(*SECTIONS, evidence.sections())
        if not run.is_fresh:  # or both variants would search them again, at the same time
            _search(run, evidence.of_truth())
        return iter(())

    return truth


def _reports_step(environment: Environment, variant: str) -> Declared:
    makes, reads, uses = reports_of(variant), _reads(environment, variant), _uses(variant)

    @step(
        environment, "pages", variant, makes=[makes, verdicts_of(variant)], reads=reads, uses=uses, withheld=_WITHHELD
    )
    def reports(run: Run) -> Iterator[Result]:
        """Write the reports and their pages as if nothing is found in them, and search them."""
        stated = _manifest(run, variant, _records(run, variant))
        files = _unsearched(run, variant, stated)
        _search(run, files, stated)
        content = [file.decode() for file in files.values()]
        run.keep(*makes, pl.DataFrame({"path": list(files), "content": content}))
        return iter(())

    return reports


def _unsearched(run: Run, variant: str, stated: Manifest) -> dict[str, bytes]:
    """Return the reports and their pages as if nothing is found in them, and keep the verdicts."""
    evidence = _all_evidence(run, variant)
    run.keep(*verdicts_of(variant), json.dumps(evidence.answers(stated)))
    return evidence.files() | evidence.of_search(stated, None)


def _search(run: Run, reports: Mapping[str, bytes], stated: Manifest | None = None) -> None:
    """Search reports, so that nobody searches those again in which nothing is found."""
    with run.store.scratch() as folder:
        if stated:
            write_manifest(stated, folder)
        write_reports(folder, reports)
        searching(run)(searchable(folder, run.environment), search_terms(run))


def _published_asset(environment: Environment, variant: str) -> Declared:
    reads = [
        *_reads(environment, variant),
        *_ledgers(environment, variant),
        *(reports_of(variant), verdicts_of(variant), (Stage.CURATOR, COMPARED)),
        *OF_ORIGINALS,
    ]
    uses = _uses(variant)
    described = f"The {variant} variant: files, reports and manifest."

    @asset(
        environment,
        Stage.PUBLISHED,
        variant,
        reads=reads,
        uses=uses,
        description=described,
        checks=[NOTHING_IDENTIFIES],
        withheld=_WITHHELD,
        ends=True,
    )
    def published(run: Run) -> Iterator[Result]:
        """Search the files for what identifies a company; variants that were made together are swapped in together."""
        staging, records = _stage(run, variant)
        rows = sum(record.records or 0 for record in records if record.path.startswith("database/"))
        report = Fact("path", str(run.folder / variant / REPORTS / REPORT))
        privacy = (staging.public / "reports/privacy.json").read_text(encoding="utf-8")
        answers = json.loads(run.read(*verdicts_of(variant)))
        policy = run.use(POLICY)
        answers |= _ON_ORIGINALS if policy.samples_records else {}
        metadata = {**answers, "report": report, ROW_COUNT: rows, "policy": policy.name}
        metadata |= {"files": _files(staging.public, records)}
        yield run.shown(Stage.PUBLISHED, variant, metadata)
        searched = {f"{name} searched": count for name, count in json.loads(privacy)["searched"].items()}
        said = in_the_report(privacy=privacy)(NOTHING_IDENTIFIES)
        yield verdict(NOTHING_IDENTIFIES, is_passed=True, facts={**searched, "identifiers_found": 0, **said})

    return published


def reads_of_search(environment: Environment, variant: str) -> list[Place]:
    """Return what `search_refused` reads: a part of what publishing reads."""
    return [*of_files(environment, variant), *_ledgers(environment, variant), SEARCH_TERMS, *OF_ORIGINALS]


def search_refused(run: Run, variant: str) -> tuple[Scanned, SiltError] | None:
    """Search the tables of a variant that another gate refused; keep them with what is found. Reports are not searched.

    Returns:
        What is found, and the error that says so; None if nothing is.
    """
    staging, owned = stage(run.folder, variant), originals(run)
    ledgers = [name for at, name in _ledgers(run.environment, variant) if run.has(at, name)]
    ledger = pl.concat(run.frames(Stage.LEDGER, ledgers).values(), rechunk=True) if ledgers else None
    copy_files(staging.public, (written(run, variant, each) for each in published_files(run.environment)))
    found = scan(staging.public, run.environment, search_terms(run), ledger=ledger, searched=searching(run))
    if not found.escapes:
        return None
    private_file(staging.curator / IDENTITY_MAP).write_bytes(owned.sealed_map())
    explained = found.explained(owned.identifiers)
    return explained, explained.refused(staging)


def _reads(environment: Environment, variant: str) -> list[Place]:
    return [
        *of_files(environment, variant),
        *((Stage.REPORTS, name) for name in about(environment, variant)),
        SECTIONS,
        SEARCH_TERMS,
        *listing(environment),
        (Stage.RAW, TREATED),
    ]


def _uses(variant: str) -> list[StepParameter[Any]]:
    return [KEY, MASTER, POLICY, MANIFEST, NAMED, *([SPECIFIED] if variant == NOISY else [])]


def _stage(run: Run, variant: str) -> tuple[Staging, tuple[FileRecord, ...]]:
    environment = run.environment
    ledgers = [name for stage, name in _ledgers(environment, variant) if run.has(stage, name)]
    owned = originals(run)
    run.stands.extend([variant, f"{CURATOR}/{IDENTITY_MAP}", *([f"{CURATOR}/{NOISE_LEDGER}"] if ledgers else [])])
    staging, records = stage_variant(
        run.folder,
        Variant(
            environment=environment,
            name=variant,
            manifest=lambda records: _manifest(run, variant, records),
            readme=lambda folder, stated: draft_page(
                environment, folder, stated, release=_evidence(run, variant, ()).release(stated).released
            ),
            reports={path: content.encode() for path, content in run.read(*reports_of(variant)).iter_rows()},
            search=lambda public, ledger: scan(
                public, environment, search_terms(run), ledger=ledger, searched=searching(run)
            ).explained(owned.identifiers),
            of_search=lambda stated, searched: _all_evidence(run, variant).of_search(stated, searched),
            sealed_map=owned.sealed_map(),
            ledger=pl.concat(run.frames(Stage.LEDGER, ledgers).values(), rechunk=True) if ledgers else None,
            log=run.log,
        ),
        lambda published: written(run, variant, published),
    )
    run.staged.append(staging)
    return staging, records


def _all_evidence(run: Run, variant: str) -> VariantReports:
    return replace(_evidence(run, variant, about(run.environment, variant)), drawn=run.read(*SECTIONS))


def _evidence(run: Run, variant: str, names: Iterable[str]) -> VariantReports:
    return VariantReports(
        environment=run.environment,
        variant=variant,
        policy=run.use(POLICY),
        reports={name: run.read(Stage.REPORTS, name) for name in names},
        entities=listed(run),
        has_given_noise=variant == NOISY and not run.use(SPECIFIED).is_default,
    )


def _records(run: Run, variant: str) -> tuple[FileRecord, ...]:
    files = (written(run, variant, published) for published in published_files(run.environment))
    return tuple(file.record for file in files if file)


def _manifest(run: Run, variant: str, records: tuple[FileRecord, ...]) -> Manifest:
    specs = {NOISE: run.use(SPECIFIED).spec.digest} if variant == NOISY else {}
    return replace(run.use(MANIFEST), variant=variant, files=records, specs=specs, treated=treated_of(run))


def treated_of(run: Run) -> list[dict[str, Any]]:
    """Return what conforming treated in the raw tables, but for columns that nobody wants.

    Nothing of it is returned where records are sampled.
    """
    if run.use(POLICY).samples_records:
        return []
    noted: pl.DataFrame = run.read(Stage.RAW, TREATED)
    return noted.filter(pl.col("treatment") != "ignore").to_dicts()


def _ledgers(environment: Environment, variant: str) -> list[Place]:
    """Return where the ledgers of a variant are kept; one without noise has none."""
    return [(Stage.LEDGER, table.name) for table in environment.noisy_tables()] if variant == NOISY else []


def _files(folder: Path, records: tuple[FileRecord, ...]) -> Fact:
    """Return a list of the files, and the head of each table, as its file has it; the search has found nothing in it."""
    listed = [
        f"| {r.path} | {r.records if r.records is not None else ''} | {r.bytes} | `{r.sha256[:12]}` |" for r in records
    ]
    tables = [record.path for record in records if is_text(record.path)]
    heads = "".join(f"\n\n**{path}**\n```\n{_head(folder / path)}\n```" for path in tables)
    return Fact("markdown", "\n".join(["| file | records | bytes | sha256 |", "|---|---:|---:|---|", *listed]) + heads)


def _head(file: Path) -> str:
    with file.open(encoding="utf-8", errors="replace") as lines:
        return "\n".join(line.rstrip()[:_WIDTH] for line in islice(lines, SAMPLES + 1))

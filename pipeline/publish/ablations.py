"""Stages all variants of an ablation, made from one rendered truth, or refuses them together.

Variants share work: a table is noised once for each set of rules that touches it, a file is written once and linked into every
variant that has the same bytes (also the noisy and the clean one), and a line is searched once. The plan decides which variants
there are (`noise/ablation.py`); publishing a single variant belongs to `variant.py`.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, Protocol

import polars as pl

from pipeline.disk import reporting_disk
from pipeline.errors import GateError
from pipeline.model import Environment, Frames, PublishedDocument, PublishedTable
from pipeline.noise.ablation import Ablation
from pipeline.noise.engine import Noised
from pipeline.noise.ledger import SCHEMA, as_noised, explains, noise_report, of_file, undo
from pipeline.noise.spec import NoiseSpec, Rule
from pipeline.private import private_file, private_folder
from pipeline.publish.files import FileRecord, sha256, write_document, write_table
from pipeline.publish.index import write_index
from pipeline.publish.links import Pool
from pipeline.publish.manifest import Manifest, write_manifest
from pipeline.publish.publication import Staging, stage
from pipeline.publish.variant import IDENTITY_MAP, NOISE_LEDGER, VARIANTS, SearchedT, columns_of_codes
from pipeline.render import path_of, published_files, rows_of
from pipeline.report_json import report_json
from pipeline.wording import counted

ABLATIONS = "ablations"
"""Name of the folder of variants, and of the folder of their ledgers in the curator's."""


class AblationNoise(Protocol):
    """Applies the rules of a specification to a rendered table."""

    def __call__(self, rendered: pl.DataFrame, published: PublishedTable, spec: NoiseSpec, *, beside: Frames) -> Noised:
        """Return the table with noise; `beside` has the rendered tables that its declaration names."""
        ...


@dataclass(frozen=True, kw_only=True)
class StagedSet:
    """The staged variants, as the search for escapes needs them."""

    staging: Staging
    code_columns: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Variant -> path of a file -> its columns of codes."""
    relaid: Mapping[str, pl.DataFrame]
    """Tables whose code columns noise split or merged, by an invented name: their codes, to be searched in addition."""

    def ledger(self, variant: str) -> pl.DataFrame:
        """Return what noise changed in a variant."""
        return pl.read_parquet(self.staging.curator / ABLATIONS / variant / NOISE_LEDGER)


@dataclass(frozen=True, kw_only=True)
class AblationSet(Generic[SearchedT]):
    """Everything that makes the variants, except for the content of their files."""

    environment: Environment
    spec: NoiseSpec
    variants: tuple[Ablation, ...]
    noise: AblationNoise
    manifest: Callable[[str, tuple[FileRecord, ...]], Manifest]
    """Makes a manifest from a variant's name and files."""
    facts: Mapping[str, Any]
    """What the index states about all variants."""
    reports: Mapping[str, bytes]
    """File name -> content of the reports that all variants share, because they are about the truth without noise."""
    search: Callable[[StagedSet], SearchedT]
    """Searches everything that is staged for escapes."""
    of_search: Callable[[SearchedT], Mapping[str, bytes]]
    """Makes the reports on the search: file name -> content."""
    sealed_map: bytes
    log: Callable[[str], None]
    """Called with a line for each table."""


@dataclass(frozen=True, kw_only=True)
class StagedSummary:
    """What was staged."""

    variants: int
    records: int
    """Records in all tables of all variants."""
    bytes: int
    """Bytes of all data files, counting each variant's own."""
    distinct_bytes: int
    """Bytes of the distinct ones."""
    copies: int
    """Files that could not be linked and were copied."""


Source = Callable[[PublishedTable | PublishedDocument], pl.DataFrame | str | None]
"""Returns the content of a published file without noise; None if the build does not have it."""


def stage_ablations(folder: Path, made: AblationSet[SearchedT], source: Source) -> tuple[Staging, StagedSummary]:
    """Write all variants and search them; return where they are staged, and what they amount to.

    Raises:
        GateError: A ledger is not exact, or a file holds something that identifies a company; in the second case the variants
            are kept with the curator.
        InputError: The folder cannot be written.
    """
    with reporting_disk(folder):
        staging = stage(folder, ABLATIONS)
        built = _Build(staging, made, source, Pool([folder / name for name in VARIANTS]))
        built.write_files()
        built.describe()
        searched = made.search(built.staged())
        built.share_reports(made.of_search(searched))
        private_file(staging.curator / IDENTITY_MAP).write_bytes(made.sealed_map)
        if searched.escapes:
            raise searched.refused(staging)
    for line in searched.notes():
        made.log(line)
    return staging, built.summary()


# --- files -------------------------------------------------------------------------------------------------------------


@dataclass
class _Built:
    """What has been built of one variant so far."""

    records: list[FileRecord] = field(default_factory=list)
    ledgers: list[Path] = field(default_factory=list)
    rules: list[dict[str, Any]] = field(default_factory=list)
    """The rules of `noise.json`, table by table."""
    changes: Counter[str] = field(default_factory=Counter)
    same_as: dict[str, str] = field(default_factory=dict)
    """Path of a file -> the first variant that has the same file, if that is an earlier one."""
    code_columns: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass
class _Build(Generic[SearchedT]):
    """The variants as they are staged."""

    staging: Staging
    made: AblationSet[SearchedT]
    source: Source
    pool: Pool
    variants: dict[str, _Built] = field(default_factory=dict)
    first: dict[tuple[str, str], str] = field(default_factory=dict)
    """Path and SHA-256 -> the first variant that has it."""
    relaid: dict[str, pl.DataFrame] = field(default_factory=dict)
    """As in `StagedSet`."""

    def write_files(self) -> None:
        """Write the data files of all variants, file by file."""
        self.variants = {variant.name: _Built() for variant in self.made.variants}
        for published in published_files(self.made.environment):
            content = self.source(published) if published.folder == "database" else None
            table = published if isinstance(published, PublishedTable) else published.table
            if table is not None and (rows := rows_of(table, content)) is not None:
                self._write_table(table, rows)
            elif isinstance(published, PublishedDocument) and isinstance(content, str):
                names = list(self.variants)
                self._share(write_document(content, published, self._folder(names[0])), names)

    def describe(self) -> None:
        """Write all else that belongs to the variants, except for privacy reports, which need the search."""
        self.share_reports(self.made.reports)
        order = {rule.name: index for index, rule in enumerate(self.made.spec.rules)}
        for name, built in self.variants.items():
            rules = sorted(built.rules, key=lambda row: order[row["rule"]])
            (self._folder(name) / "reports/noise.json").write_bytes(report_json({"rules": rules}))
            write_manifest(self.made.manifest(name, tuple(built.records)), self._folder(name))
            target = private_file(private_folder(self.staging.curator, ABLATIONS, name) / NOISE_LEDGER)
            pl.concat([SCHEMA.to_frame().lazy(), *map(pl.scan_parquet, built.ledgers)]).sink_parquet(target)
        listed = [_listed(variant, self.variants[variant.name]) for variant in self.made.variants]
        write_index(self.made.facts, listed, self.staging.public)

    def staged(self) -> StagedSet:
        """Return the staged variants for the search."""
        columns = {name: built.code_columns for name, built in self.variants.items()}
        return StagedSet(staging=self.staging, code_columns=columns, relaid=self.relaid)

    def share_reports(self, reports: Mapping[str, bytes]) -> None:
        """Give every variant the same reports."""
        first, *others = [self._folder(name) / "reports" for name in self.variants]
        first.mkdir(exist_ok=True)
        for name, content in reports.items():
            (first / name).write_bytes(content)
            digest = sha256(first / name)
            self.pool.merge(first / name, digest, f"reports/{name}")
            for other in others:
                self.pool.place(digest, other / name)

    def summary(self) -> StagedSummary:
        """Return what was staged."""
        records = [record for built in self.variants.values() for record in built.records]
        return StagedSummary(
            variants=len(self.variants),
            records=sum(record.records or 0 for record in records),
            bytes=sum(record.bytes for record in records),
            distinct_bytes=sum({record.sha256: record.bytes for record in records}.values()),
            copies=self.pool.copies,
        )

    def _write_table(self, published: PublishedTable, rendered: pl.DataFrame) -> None:
        beside = {name: self.source(self.made.environment.table(name)) for name in published.beside}
        frames = {name: frame for name, frame in beside.items() if isinstance(frame, pl.DataFrame)}
        versions = _by_rules(published, self.made.variants)
        self.made.log(f"{published.name}: {counted(len(versions), 'version')} for {len(self.variants)} variants")
        for number, (rules, names) in enumerate(versions):
            spec = replace(self.made.spec, rules=rules)
            noised = self.made.noise(rendered, published, spec, beside=frames)
            if not _is_exact(noised, rendered, published):
                raise GateError(
                    f"the ledger of {published.name} in {names[0]!r} does not lead from clean to noisy and back, so nothing is "
                    "published; a kind of its rules is at fault"
                )
            self._keep(noised, published, spec, names, f"{published.name}-{number}.parquet")
            declared = as_noised(published, noised.ledger)
            self._share(write_table(noised.frame, declared, self._folder(names[0])), names)

    def _keep(
        self, noised: Noised, published: PublishedTable, spec: NoiseSpec, names: Sequence[str], file: str
    ) -> None:
        """Record what a version of a table adds to its variants, besides its content."""
        ledger = private_file(self.staging.curator_scratch / file)
        noised.ledger.write_parquet(ledger)
        columns = columns_of_codes(self.made.environment, published, noised.ledger)
        codes = columns_of_codes(self.made.environment, published, None)
        # Codes that noise split or merged are not in a column any more; they are searched as they were before.
        if len(columns) < len(codes):
            before = undo(noised.frame, of_file(noised.ledger), published)
            self.relaid[f"codes/{ledger.stem}.csv"] = before.select(codes).unique(maintain_order=True)
        rules = noise_report(noised.ledger, spec, noised.opportunities)["rules"]
        for name in names:
            built = self.variants[name]
            built.ledgers.append(ledger)
            built.rules += rules
            built.changes.update(_forms(noised.ledger))
            if columns:
                built.code_columns[path_of(published)] = columns

    def _share(self, record: FileRecord, names: Sequence[str]) -> None:
        """Link a file of the first of some variants into the others."""
        first, *others = names
        self.pool.merge(self._folder(first) / record.path, record.sha256, record.path)
        for name in others:
            self.pool.place(record.sha256, self._folder(name) / record.path)
        for name in names:
            self.variants[name].records.append(record)
            earliest = self.first.setdefault((record.path, record.sha256), name)
            if earliest != name:
                self.variants[name].same_as[record.path] = earliest

    def _folder(self, variant: str) -> Path:
        return self.staging.public / variant


def _is_exact(noised: Noised, rendered: pl.DataFrame, published: PublishedTable) -> bool:
    """Say whether the ledger leads from clean to noisy and back, and whether a document's rows give back its whole text."""
    document = published.document
    is_whole = document is None or document.rows(document.text(noised.frame)).equals(noised.frame)
    return is_whole and explains(noised.ledger, rendered, noised.frame, published)


def _by_rules(published: PublishedTable, variants: Sequence[Ablation]) -> list[tuple[tuple[Rule, ...], list[str]]]:
    """Return each set of rules that touches a table, with its variants."""
    versions: dict[tuple[str, ...], tuple[tuple[Rule, ...], list[str]]] = {}
    for variant in variants:
        rules = tuple(rule for rule in variant.rules if published.name in rule.tables)
        versions.setdefault(tuple(rule.name for rule in rules), (rules, []))[1].append(variant.name)
    return list(versions.values())


def _forms(ledger: pl.DataFrame) -> dict[str, int]:
    """Return how many changes of cells, of rows and of files a ledger holds."""
    is_of_file, is_of_row = pl.col("row_key") == "", pl.col("column") == ""
    counts = ledger.select(
        cells=(~is_of_file & ~is_of_row).sum(), rows=(~is_of_file & is_of_row).sum(), files=is_of_file.sum()
    )
    return counts.row(0, named=True)


def _listed(variant: Ablation, built: _Built) -> dict[str, Any]:
    """Return a variant's entry in the index."""
    return {
        "name": variant.name,
        "parts": [asdict(part) for part in variant.parts],
        "families": list(variant.families),
        "rules": [rule.name for rule in variant.rules],
        "changes": dict(built.changes),
        "same_as": built.same_as,
    }

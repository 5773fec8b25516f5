"""Assembles one variant: files, reports and manifest staged, scanned for escapes, then published or refused.

What goes into the files is decided upstream; how a folder is swapped in belongs to `publish`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import polars as pl

from anonymize.keys.identity_map import seal
from pipeline.model import Environment, Exemption, PublishedDocument, PublishedTable, Role
from pipeline.errors import GateError, InputError, SiltError
from pipeline.keyed import Key
from pipeline.noise.ledger import as_noised, of_file, renamed_columns, undo
from pipeline.places import CURATOR
from pipeline.private import private_file
from pipeline.disk import reporting_disk
from pipeline.publish.files import FileRecord, write_document, write_table
from pipeline.publish.manifest import Manifest, write_manifest
from pipeline.publish.publication import Staging, exclusive, publish_variant, refuse_variant, stage
from pipeline.publish.refusal import REPORT, KeptFindings, forget_findings, keep_findings
from pipeline.render import path_of, published_files
from pipeline.publish.replay import read_published
from validation.escapes import Escape, Identities, documents_of, search
from validation.escapes.exemptions import LEFT, Applied, judge
from validation.report.privacy_page import privacy_page
from validation.report.reports import report_json

NOISY, CLEAN = "noisy", "clean"
VARIANTS = (NOISY, CLEAN)

IDENTITY_MAP, NOISE_LEDGER = "identity_map.enc", "noise_ledger.parquet"
"""Files of the curator."""

Source = Callable[[PublishedTable | PublishedDocument], pl.DataFrame | str | None]
"""Gives the content of a published file, None where the build does not have it."""


@dataclass(frozen=True, kw_only=True)
class Variant:
    """Everything that makes one variant, besides the content of its files."""

    environment: Environment
    name: str
    manifest: Callable[[tuple[FileRecord, ...]], Manifest]
    reports: Mapping[str, bytes]
    """File name -> content."""
    privacy: Mapping[str, Any]
    """What `privacy.json` and its page hold besides escapes: what attacks found."""
    page: Callable[[Mapping[str, Any], Manifest], bytes]
    """Makes the report of all reports, from that on privacy, escapes included, and the manifest."""
    ledger: pl.DataFrame | None
    """Changes made by noise; None for a variant without."""
    tell: Callable[[str], None]
    """Called with a line for whatever a person should know of what was published."""
    claim_key: Callable[[], None]
    """Called when every gate has passed: puts on record what the key is used for, or refuses."""


@dataclass(frozen=True, kw_only=True)
class Originals:
    """What the curator knows and no published byte may hold."""

    identity_map: pl.DataFrame
    """`kind, original, pseudonym` of every code, name and alias."""
    identifiers: pl.DataFrame
    """`kind, original` of every other identifier."""
    key: Key
    """Seals the map: the release key itself, so that its file opens the map whatever the policy was."""

    def identities(self, environment: Environment) -> Identities:
        """Return what identifies a company, as the escape scan searches for it."""
        known = pl.concat([self.identity_map, self.identifiers], how="diagonal")
        codes = environment.entities
        return Identities.of_map(
            known,
            code_mention=codes.code_mention,
            code_examples=codes.code_examples,
            further=environment.further,
        )


def publish(folder: Path, variant: Variant, source: Source, originals: Originals) -> tuple[FileRecord, ...]:
    """Write a variant, scan it, and swap it in; return what was published.

    Raises:
        GateError: Something that identifies a company stands in a file; the variant is kept with the curator.
        InputError: The folder cannot be written, or the key is for something else; the last build is untouched.
    """
    with exclusive(folder):
        staging = stage(folder, variant.name)
        manifest = variant.manifest(_write_files(staging.public, variant, source))
        write_manifest(manifest, staging.public)
        # What says that nothing escaped is published, too: written before the search, and again if that finds something.
        _tell(staging.public, variant, manifest, Scanned(declared=len(variant.environment.exemptions)))
        scanned = scan(staging.public, variant.environment, originals, ledger=variant.ledger)
        if scanned.escapes or scanned.declared:
            # Then other counts stand in the same words, all of which have been searched; or nothing is published.
            _tell(staging.public, variant, manifest, scanned)
        with reporting_disk(folder):
            sealed = seal(originals.identity_map, originals.key)
            private_file(staging.curator / IDENTITY_MAP).write_bytes(sealed)
            if variant.ledger is not None:
                variant.ledger.write_parquet(private_file(staging.curator / NOISE_LEDGER))
        if scanned.escapes:
            raise refused(staging, scanned)
        variant.claim_key()
        publish_variant(staging)
        forget_findings(folder / CURATOR)
    for line in scanned.told():
        variant.tell(f"{variant.name}: {line}")
    return manifest.files


@dataclass(frozen=True, kw_only=True)
class Scanned:
    """What a search of a variant's files came to."""

    declared: int
    """Exemptions that the environment declares."""
    escapes: tuple[Escape, ...] = ()
    exempted: Mapping[str, int] = field(default_factory=dict)
    """Kind -> places in which all that was found is exempted."""
    unused: tuple[int, ...] = ()
    """Numbers of the exemptions that excuse nothing, counted from 1."""
    refused: Mapping[int, str] = field(default_factory=dict)
    """Number of an exemption -> why it may excuse nothing."""
    findings: pl.DataFrame = field(default_factory=LEFT.to_frame, repr=False)
    """What is not exempted (`exemptions.LEFT`), for the curator alone."""
    proposed: tuple[Exemption, ...] = ()
    """What could be declared besides."""

    @classmethod
    def nothing(cls, environment: Environment) -> Self:
        """Return that nothing was found."""
        declared = len(environment.exemptions)
        return cls(declared=declared, unused=tuple(range(1, declared + 1)))

    @classmethod
    def of_parts(cls, parts: Mapping[str, Self]) -> Self:
        """Put together what was found in several folders, by their names."""
        every = list(parts.values())
        unused = set.intersection(*(set(one.unused) for one in every))
        return cls(
            declared=every[0].declared,
            escapes=tuple(replace(e, file=f"{name}/{e.file}") for name, one in parts.items() for e in one.escapes),
            exempted=dict(sum((Counter(one.exempted) for one in every), Counter())),
            unused=tuple(sorted(unused)),
            refused={number: why for one in every for number, why in one.refused.items()},
            findings=pl.concat(
                one.findings.with_columns(file=pl.lit(f"{name}/") + pl.col("file")) for name, one in parts.items()
            ),
            proposed=tuple(dict.fromkeys(proposal for one in every for proposal in one.proposed)),
        )

    def told(self) -> Iterator[str]:
        """Yield what a person should know of the exemptions."""
        if self.exempted:
            yield f"{_counted(self.exempted)} exempted from the search for what identifies a company"
        for number in self.unused:
            yield f"exemption {number} of the declaration excuses nothing here; leave it out if it never does"
        for number, why in sorted(self.refused.items()):
            yield f"exemption {number} of the declaration may name a company after all, and is refused: {why}"


def refused(staging: Staging, scanned: Scanned) -> SiltError:
    """Keep a variant in which something escaped with the curator, and what was found; return the error that says so."""
    curator = staging.environment / CURATOR
    kept, findings = refuse_variant(staging), keep_findings(curator, scanned.findings, scanned.proposed)
    if scanned.refused:
        return InputError(f"{_refused_exemptions(scanned)}\n{refusal(scanned, kept, findings)}")
    return GateError(refusal(scanned, kept, findings))


def scan(
    public: Path, environment: Environment, originals: Originals, *, ledger: pl.DataFrame | None = None
) -> Scanned:
    """Search a variant's folder for all that identifies a company; the ledger tells how noise renamed columns of codes.

    Raises:
        InputError: A file lacks a column that the environment declares, one that holds codes.
    """
    columns = {path_of(table): columns_of_codes(environment, table, ledger) for table in environment.tables}
    relaid = {} if ledger is None else dict(_relaid(public, environment, ledger))
    columns |= {path: tuple(frame.columns) for path, frame in relaid.items()}
    found = search(
        public,
        originals.identities(environment),
        code_columns={path: names for path, names in columns.items() if names},
        relaid={path: frame.write_csv() for path, frame in relaid.items()},
    )
    if not found:
        return Scanned.nothing(environment)
    headers = {path_of(table): _headers(table, ledger) for table in environment.tables}
    judged = judge(found.findings(), list(_applied(environment, headers)), documents_of(public))
    return Scanned(
        declared=len(environment.exemptions),
        escapes=found.escapes(without=judged.places),
        exempted=dict(judged.places.group_by("kind").len().sort("kind").iter_rows()),
        unused=judged.unused,
        refused=judged.refused,
        findings=judged.left,
        proposed=tuple(_proposed(environment, headers, judged.left)),
    )


def _applied(environment: Environment, headers: Mapping[str, Mapping[str, str]]) -> Iterator[Applied]:
    """Yield the declared exemptions with the files and headers of a variant; a column that noise took apart is none."""
    paths = {published.name: path_of(published) for published in published_files(environment)}
    for number, one in enumerate(environment.exemptions, start=1):
        file = paths.get(one.table, "")
        header = headers[file].get(one.column) if one.column else ""
        if header is not None:
            yield Applied(number, one.token, file, header)


def _proposed(
    environment: Environment, headers: Mapping[str, Mapping[str, str]], left: pl.DataFrame
) -> Iterator[Exemption]:
    """Yield an exemption for each token and column in which nothing speaks against one."""
    names = {path_of(published): published.name for published in published_files(environment)}
    columns = {path: {now: column for column, now in of_path.items()} for path, of_path in headers.items()}
    of_place = left.group_by("file", "column", "token", maintain_order=True).agg(
        pl.col("objection").unique().sort().str.join(),
        pl.concat_str("before", "written", "after").first().alias("as in"),
    )
    for file, column, token, _, text in of_place.filter(pl.col("objection") == "").iter_rows():
        table = names.get(file, "")
        reason = f"ordinary words, as in: {text}"
        yield Exemption(token=token, reason=reason, table=table, column=columns.get(file, {}).get(column, ""))


def columns_of_codes(environment: Environment, table: PublishedTable, ledger: pl.DataFrame | None) -> tuple[str, ...]:
    """Return the columns of a published file that hold codes: those named like a raw column of codes, or `code`."""
    names = {column.name for raw in environment.raw_tables for column in raw.of_role(Role.CODE)} | {"code"}
    return tuple(now for column, now in _headers(table, ledger).items() if column in names)


def _relaid(public: Path, environment: Environment, ledger: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield, of each file in which noise took columns of codes apart or put them into others, these as they stood before."""
    for table in environment.tables:
        codes, file = columns_of_codes(environment, table, None), public / path_of(table)
        if len(columns_of_codes(environment, table, ledger)) < len(codes) and file.is_file():
            own = ledger.filter(pl.col("table") == table.name)
            frame = undo(read_published(file, as_noised(table, own)), of_file(own), table)
            yield path_of(table), frame.select(codes)


def privacy_reports(environment: Environment, privacy: Mapping[str, Any], scanned: Scanned) -> dict[str, bytes]:
    """Return `privacy.json`, and its page beside it: what attacks and the scan found."""
    report = with_escapes(privacy, scanned)
    page = privacy_page(report, environment=environment.argument, title=environment.title)
    return {"privacy.json": report_json(report), "privacy.html": page}


def with_escapes(privacy: Mapping[str, Any], scanned: Scanned) -> dict[str, Any]:
    """Return the report on privacy with what the scan found, and what is exempted if an exemption is declared."""
    is_passed = privacy["passed"] and not scanned.escapes
    told = {**privacy, "passed": is_passed, "escapes": [vars(escape) for escape in scanned.escapes]}
    if not scanned.declared:
        return told
    places = dict.fromkeys(Identities().by_kind(), 0) | dict(sorted(scanned.exempted.items()))
    return told | {"exemptions": {"declared": scanned.declared, "unused": len(scanned.unused), "places": places}}


def refusal(scanned: Scanned, kept: Path, findings: KeptFindings) -> str:
    """Say what escaped and where, who reads more of it, and what can be done."""
    shown = "; ".join(_place(escape) for escape in scanned.escapes[:_SHOWN])
    more = f"; and {len(scanned.escapes) - _SHOWN:,} more" if len(scanned.escapes) > _SHOWN else ""
    left_out = f" (and {findings.left_out:,} more)" if findings.left_out else ""
    could = f"; those that would be accepted are written down in {findings.exemptions}" if findings.exemptions else ""
    return (
        f"what identifies a company stands in {extent(scanned)}, so nothing is published: {shown}{more}.\n"
        f"Each finding, with the words around, is in {findings.findings}{left_out}, for the curator alone; the variant is in "
        f"{kept}.\nMend the declaration or the text. What names no company there can be exempted (`exemptions` of the "
        f"Environment, each with its reason){could}."
    )


def extent(scanned: Scanned) -> str:
    """Return in how many rows and columns something was found."""
    places = [(escape.file, escape.column) for escape in scanned.escapes]
    rows = max(scanned.findings.select("file", "row", "column").n_unique(), len(places))
    columns = len(set(places))
    return f"{rows:,} row{'s' * (rows != 1)} in {columns:,} column{'s' * (columns != 1)}"


_SHOWN = 5
"""Escapes that are told in the refusal."""


def _place(escape: Escape) -> str:
    where = f" column {escape.column!r}" if escape.column else ""
    many = f" in {escape.rows:,} rows, first" if escape.rows > 1 else ""
    return f"{escape.file}{where}: a {escape.kind}{many}" + (f" row {escape.row:,}" if escape.row else "")


def _refused_exemptions(scanned: Scanned) -> str:
    told = "".join(f"\n  exemption {number}: {reason}" for number, reason in sorted(scanned.refused.items()))
    return (
        f"{len(scanned.refused)} exemption(s) of the declaration may name a company after all, and are refused:{told}"
    )


def _counted(places: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} place{'s' * (count != 1)} of kind {kind}" for kind, count in places.items())


def _write_files(public: Path, variant: Variant, source: Source) -> tuple[FileRecord, ...]:
    records = []
    for published in published_files(variant.environment):
        content = None if _is_elsewhere(published, variant) else source(published)
        if isinstance(published, PublishedTable) and isinstance(content, pl.DataFrame):
            noised = published if variant.ledger is None else as_noised(published, variant.ledger)
            records.append(write_table(content, noised, public))
        elif isinstance(published, PublishedDocument) and isinstance(content, str):
            records.append(write_document(content, published, public))
    for name, report in variant.reports.items():
        _write(public / "reports" / name, report)
    return tuple(records)


def _tell(public: Path, variant: Variant, manifest: Manifest, scanned: Scanned) -> None:
    """Write the reports that say what escaped: those on privacy, and the one of all."""
    page = variant.page(with_escapes(variant.privacy, scanned), manifest)
    reports = privacy_reports(variant.environment, variant.privacy, scanned) | {REPORT: page}
    for name, report in reports.items():
        _write(public / "reports" / name, report)


def _is_elsewhere(published: PublishedTable | PublishedDocument, variant: Variant) -> bool:
    """Say whether the file stands beside the clean database only."""
    return published.folder != "database" and variant.name != CLEAN


def _headers(table: PublishedTable, ledger: pl.DataFrame | None) -> dict[str, str]:
    """Return the table's columns and what they are called in the file; one that noise took apart has no name any more."""
    return {column: column for column in table.columns} if ledger is None else renamed_columns(table, ledger)


def _write(path: Path, content: bytes) -> None:
    with reporting_disk(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

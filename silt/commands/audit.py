"""Audits a published variant: reads its files back, attacks them with the originals in hand, scans them, keeps the report.

What a build attacks between its stages is attacked here as an outsider finds it: in the files. The curator's identity map,
opened with the key, tells who was right; nothing else of the build is used. Tables of aggregates are searched for escapes and
copies, and read for nothing else. Rows and columns that noise added, dropped, moved or renamed are put back by the curator's
ledger first: what an outsider may have to guess, the audit knows. The attacks are in `validation`, reading back in
`read_back.py`.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import PolarsError

from anonymize.keys.identity_map import unseal
from anonymize.keys.release_key import DEMONSTRATION_KEY, ReleaseKey, read_key
from anonymize.policy import Policy, find_policy
from anonymize.pseudonyms import direct_identifiers
from anonymize.tables import original_figures
from pipeline.conform import conform, known
from pipeline.conform.read_back import ReadBack, declared_views, pairs_of, read_back
from pipeline.conform.read_events import read_events
from pipeline.disk import reporting_disk
from pipeline.errors import GateError, InputError
from pipeline.keyed import Key
from pipeline.model import PERIOD, Entities, Environment, Frames
from pipeline.noise.ledger import SCHEMA, as_noised, of_rows_and_file, undo
from pipeline.places import CURATOR, default_key, landing
from pipeline.private import private_file, private_folder
from pipeline.publish.manifest import MANIFEST
from pipeline.publish.publication import BUILD_LOCK, locked
from pipeline.publish.refusal import KeptFindings, forget_findings, keep_findings
from pipeline.publish.replay import read_published
from pipeline.publish.variant import CLEAN, IDENTITY_MAP, NOISE_LEDGER
from pipeline.report_json import report_json
from raw.landing import land
from validation.attacks import Attack
from validation.attacks.adaptive.suite import Effort
from validation.attacks.independent import independent_opinion
from validation.attacks.kinds import OfKind
from validation.attacks.limits import EXACT, OPINION, is_over
from validation.attacks.records.events import EventSides
from validation.attacks.records.exact import exact_figure_attacks
from validation.attacks.suite import Sides, audit, raw_rows
from validation.attacks.table import attack_table
from validation.attacks.verdict import verdict
from validation.escapes.scan import Originals, Scanned, extent, scan, with_escapes

_SHOWN = 20
"""Escapes that are listed; the report has all."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is to be audited, and with what in hand."""

    environment: Environment
    variant: str
    out: Path
    """Folder below which environments were built."""
    raw: Path | None = None
    """Folder of the raw tables; None for the generated corpus."""
    key_file: Path | None = None
    """File of the release key; None for the environment's own."""
    scale: float | None = None
    """Scale of the generated corpus; None for that of the manifest."""

    @property
    def folder(self) -> Path:
        """Return the environment's output folder."""
        return self.out / self.environment.name

    @property
    def public(self) -> Path:
        """Return the variant's folder."""
        return self.folder / self.variant


@dataclass(frozen=True, kw_only=True)
class Audited:
    """The outcome of an audit."""

    report: Mapping[str, Any]
    """As `privacy.json`, with what was read."""
    file: Path
    """Where the curator has it."""
    scanned: Scanned
    findings: KeptFindings | None
    """What escaped, with the words around, for the curator alone."""

    def text(self) -> str:
        """Return the report for a terminal: the sentence first, then every attack, then every escape."""
        return "\n".join(
            [
                self.report["summary"],
                "",
                attack_table(self.report["attacks"]),
                "",
                *_told_escapes(self.report["escapes"]),
                *self.scanned.told(),
                _told_reading(self.report["read_back"]),
            ]
        )

    def refuse(self) -> None:
        """Raise `GateError`, naming what is at fault, if an attack is over its limit or something escaped."""
        if self.report["passed"]:
            return
        broken = [f"{entry['family']}: {entry['attack']}" for entry in self.report["attacks"] if is_over(entry)]
        escapes = []
        if self.findings is not None:
            found = extent(self.scanned)
            escapes = [f"what identifies a company in {found}, each with the words around in {self.findings.findings}"]
        raise GateError(f"the audit found more than is allowed: {'; '.join(broken + escapes)}. Report: {self.file}")


def audit_variant(request: Request, *, tell: Callable[[str], None]) -> Audited:
    """Audit a variant as it is published, and keep the report with the curator.

    Args:
        request: What is audited.
        tell: Called with one line before each step.

    Raises:
        InputError: Variant, identity map, key or raw tables are not there or not of one build; views are not declared; or
            another build is at work.
    """
    declared_views(request.environment)
    manifest = _manifest(request)
    policy = find_policy(manifest["policy"])
    release = ReleaseKey(master=_key(request, manifest), policy=policy.name)
    with locked(request.folder, BUILD_LOCK):
        map_ = _identity_map(request, release.master, manifest)
        tell("[1/4] conform the raw tables")
        folder = _raw_folder(request, manifest)
        raw = conform(request.environment.raw_tables, folder)
        conformed = raw.frames
        of_originals = _OfOriginals(conformed=conformed, raw=raw_rows(request.environment, folder), map=map_)
        codes = of_originals.codes(request.environment.entities)
        _refuse_strange_originals(request, conformed, codes)
        tell("[2/4] read the published files back")
        read, published = _read(request, conformed)
        _refuse_strange_files(request, read, codes)
        sides = _sides(request, of_originals, read, published, policy, is_demonstration=release.is_demonstration)
        tell("[3/4] attack")
        found = audit(sides, release.key.derive("audit"), effort=Effort())
        if request.environment.panel:
            found[EXACT] = [*found[EXACT], *_attacks_on_contradictions(sides, read)]
            found[OPINION] = independent_opinion(sides, release.key.derive("audit", "opinion"))
        tell("[4/4] search every file for what identifies a company")
        identifiers = direct_identifiers(request.environment, known(conformed, raw.dropped))
        owned = Originals(identity_map=map_, identifiers=identifiers, key=release.master)
        scanned = scan(request.public, request.environment, owned, ledger=_ledger(request))
        report = _report(request, sides, read, verdict(sides, found, policy), scanned)
        findings = _keep_findings(request, scanned)
        return Audited(report=report, file=_keep(request, report), scanned=scanned, findings=findings)


@dataclass(frozen=True, kw_only=True)
class _OfOriginals:
    """The originals' part of what an auditor holds, as `Sides` has it."""

    conformed: Frames
    raw: Frames
    map: pl.DataFrame
    """The identity map."""

    def codes(self, kind: Entities) -> dict[str, str]:
        """Return the published code of each original one."""
        return dict(self.map.filter(kind=kind.label("code")).select("original", "pseudonym").iter_rows())


def _sides(
    request: Request,
    originals: _OfOriginals,
    read: ReadBack,
    published: Frames,
    policy: Policy,
    *,
    is_demonstration: bool,
) -> Sides:
    return Sides(
        environment=request.environment,
        conformed=originals.conformed,
        raw=originals.raw,
        entities=read.entities,
        figures=read.figures,
        names=read.names,
        published=published,
        codes=originals.codes(request.environment.entities),
        further=tuple(
            OfKind(kind=kind, entities=read.further.get(kind.kind), codes=originals.codes(kind))
            for kind in request.environment.further
        ),
        policy=policy,
        events=_events(request.environment, originals, published, policy),
        is_demonstration=is_demonstration,
    )


def _events(environment: Environment, originals: _OfOriginals, published: Frames, policy: Policy) -> list[EventSides]:
    """Return the events that views name, on both sides under the original codes; whose row is which, nobody knows."""
    return [
        EventSides(
            events=events,
            table=environment.raw_table(view.events),
            originals=originals.conformed[view.events],
            published=read_events(
                environment,
                view,
                published[view.table],
                {pseudonym: original for original, pseudonym in originals.codes(kind).items()},
            ),
            groups=originals.conformed[kind.tables[0]].select(
                pl.col(kind.code).alias(events.entity), group=kind.industry
            ),
            is_aligned=False,
            is_sampled=policy.samples_records,
        )
        for view in declared_views(environment).events
        for events in [environment.events_of(view.events)]
        for kind in [environment.kind_of_events(events)]
        if view.table in published and view.events in originals.conformed
    ]


def _manifest(request: Request) -> Mapping[str, Any]:
    file = request.public / MANIFEST
    try:
        content = json.loads(file.read_bytes())
    except OSError as error:
        raise InputError(
            f"no {request.variant} variant at {request.public}; build it first, or say where it is with --out (OUT)"
        ) from error
    except ValueError as error:
        raise InputError(f"{file} is no manifest; build again") from error
    if not isinstance(content, dict) or not {"policy", "scale", "key_fingerprint", "is_demonstration_key"} <= set(
        content
    ):
        raise InputError(f"{file} is not a manifest of this version; build again")
    return content


def _key(request: Request, manifest: Mapping[str, Any]) -> Key:
    """Return the release key; one is never made, for whoever audits has that of the build."""
    if request.key_file is None and manifest["is_demonstration_key"]:
        return DEMONSTRATION_KEY
    return read_key(request.key_file or default_key(request.environment.name))


def _identity_map(request: Request, key: Key, manifest: Mapping[str, Any]) -> pl.DataFrame:
    file = request.folder / CURATOR / IDENTITY_MAP
    if not file.is_file():
        raise InputError(f"no identity map at {file}, without which nobody can count who was found; build again")
    map_ = unseal(file.read_bytes(), key)
    if manifest["key_fingerprint"] != key.fingerprint():
        raise InputError(
            f"{request.public} was built with the key of fingerprint {manifest['key_fingerprint']}, the identity map with "
            f"{key.fingerprint()}: they are not of one build; build both variants again"
        )
    return map_


def _raw_folder(request: Request, manifest: Mapping[str, Any]) -> Path:
    corpus, name = request.environment.corpus, request.environment.name
    if request.raw is not None:
        return request.raw
    if corpus is None:
        raise InputError(
            f"environment {name!r} has no generated corpus; give the folder of its tables with --raw (RAW)"
        )
    scale = request.scale if request.scale is not None else manifest["scale"]
    if scale is None:
        raise InputError(f"{request.public} was built from tables of your own; give their folder with --raw (RAW)")
    return land(corpus, landing(name), scale)


def _refuse_strange_originals(request: Request, conformed: Frames, codes: Mapping[str, str]) -> None:
    """Refuse raw tables of another build: attacks would count nothing, and pass."""
    keys = request.environment.entities
    known = pl.concat([conformed[table].select(keys.code) for table in keys.tables if table in conformed])[keys.code]
    strange = known.n_unique() - known.filter(known.is_in(list(codes))).n_unique()
    if strange or known.n_unique() == 0:
        raise InputError(
            f"these are not the raw tables of the build: {strange:,} of {known.n_unique():,} codes are not in its identity "
            "map; give its raw tables with --raw (RAW), or its scale with --scale (SCALE)"
        )


def _refuse_strange_files(request: Request, read: ReadBack, codes: Mapping[str, str]) -> None:
    if not _known_entities(request.environment, read, codes):
        raise InputError(
            f"no code of {request.public} is in the identity map beside it: they are not of one build; build again"
        )


def _known_entities(environment: Environment, read: ReadBack, codes: Mapping[str, str]) -> int:
    return int(read.entities[environment.entities.code].is_in(list(codes.values())).sum())


def _read(request: Request, conformed: Frames) -> tuple[ReadBack, dict[str, pl.DataFrame]]:
    environment = request.environment
    published = dict(_published(request))
    views = declared_views(environment)
    needed = [view.table for view in (*views.listings, *views.figures)]
    if environment.decoys is not None:
        needed.append(environment.decoys.among)
    for name in needed:
        if name not in published:
            table = environment.table(name)
            raise InputError(f"no {table.folder}/{table.path} under {request.public}; build again")
    schema = conformed[environment.entities.tables[0]].schema
    further = {
        kind.kind: conformed[kind.tables[0]].schema
        for kind in environment.further
        if kind.tables and kind.tables[0] in conformed
    }
    return read_back(environment, published, _pairs(request), schema, further), published


def _published(request: Request) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield each published table with its declared rows and columns, and the texts that noise left in them."""
    ledger = _ledger(request)
    for table in request.environment.tables:
        file = request.public / table.folder / table.path
        if file.is_file():
            changes = of_rows_and_file(ledger.filter(pl.col("table") == table.name))
            yield table.name, undo(read_published(file, as_noised(table, changes)), changes, table)


def _ledger(request: Request) -> pl.DataFrame:
    """Return what noise changed in the variant; nothing in one without."""
    file = request.folder / CURATOR / NOISE_LEDGER
    if request.variant == CLEAN:
        return SCHEMA.to_frame()
    try:
        return pl.read_parquet(file, columns=SCHEMA.names())
    except (OSError, PolarsError) as error:
        raise InputError(
            f"no noise ledger can be read from {file}, without which rows and columns that noise changed cannot be put back; "
            "build again"
        ) from error


def _pairs(request: Request) -> dict[str, str]:
    """Return the names in the list of English ones, as noise left them: an outsider has no others."""
    listed = declared_views(request.environment).english
    if listed is None:
        return {}
    document = request.environment.document(listed.document)
    file = request.public / document.folder / document.path
    try:
        return pairs_of(json.loads(file.read_bytes()), listed) if file.is_file() else {}
    except ValueError as error:
        raise InputError(f"{file} cannot be read as JSON; build again") from error


def _attacks_on_contradictions(sides: Sides, read: ReadBack) -> Iterator[Attack]:
    """Search the figures that tables give differently, both ways: one would hide the other, and few hide among many."""
    for contradiction in read.contradictions:
        ways = {
            f"where {contradiction.table} contradicts": contradiction.figures,
            f"which {contradiction.table} contradicts": contradiction.instead_of,
        }
        for what, figures in ways.items():
            yield from (replace(attack, attack=f"{attack.attack}, {what}") for attack in _exact(sides, figures))


def _exact(sides: Sides, figures: pl.DataFrame) -> list[Attack]:
    code, measures = sides.environment.entities.code, sides.environment.panel.measures
    truth = {pseudonym: original for original, pseudonym in sides.codes.items()}
    owned = figures.with_columns(pl.col(code).replace_strict(truth, default=None, return_dtype=pl.String))
    originals = original_figures(sides.environment, sides.conformed)
    aligned = originals.select(code, PERIOD).join(owned, on=[code, PERIOD], maintain_order="left")
    same = aligned.select(code, PERIOD).join(originals, on=[code, PERIOD], maintain_order="left")
    return exact_figure_attacks(same, aligned, measures, entity=code)


def _report(
    request: Request, sides: Sides, read: ReadBack, judged: Mapping[str, Any], scanned: Scanned
) -> dict[str, Any]:
    return {
        **with_escapes(judged, scanned),
        "environment": request.environment.name,
        "variant": request.variant,
        "read_back": {
            "entities": read.entities.height,
            "of_known_entities": _known_entities(request.environment, read, sides.codes),
            "records": read.figures.height,
            "cells_not_read": read.unread,
            "records_that_tables_contradict": sum(one.figures.height for one in read.contradictions),
        },
    }


def _keep(request: Request, report: Mapping[str, Any]) -> Path:
    with reporting_disk(request.folder):
        file = private_file(private_folder(request.folder / CURATOR) / f"audit-{request.variant}.json")
        file.write_bytes(report_json(report))
    return file


def _keep_findings(request: Request, scanned: Scanned) -> KeptFindings | None:
    curator, of = request.folder / CURATOR, f"audit-{request.variant}-"
    if scanned.escapes:
        return keep_findings(curator, scanned.findings, scanned.proposed, of=of)
    forget_findings(curator, of=of)
    return None


def _told_escapes(escapes: list[Mapping[str, Any]]) -> Iterator[str]:
    for escape in escapes[:_SHOWN]:
        place = f"{escape['file']} column {escape['column']!r}: a {escape['kind']}"
        yield f"escape: {place} in {escape['rows']:,} rows, first row {escape['row']:,}"
    if len(escapes) > _SHOWN:
        yield f"... and {len(escapes) - _SHOWN:,} more escapes"
    if not escapes:
        yield "No code, name or other identifier of the originals stands in any file."


def _told_reading(read: Mapping[str, Any]) -> str:
    return (
        f"Read {read['entities']:,} entities ({read['of_known_entities']:,} of the originals) and {read['records']:,} records; "
        f"{read['cells_not_read']:,} cells could not be read, {read['records_that_tables_contradict']:,} records are "
        f"contradicted by a further table."
    )

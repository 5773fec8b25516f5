"""Audits a published variant: attacks its files with the originals in hand, scans them, keeps the report.

What a build attacks between its stages is attacked here as an outsider finds it: in the files. The curator's identity map,
opened with the key, says who was right; nothing else of the build is used. Tables of aggregates are searched for escapes and
copies, and read for nothing else. The attacks are in `validation`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anonymize.keys.release_key import ReleaseKey
from anonymize.policy import find_policy
from anonymize.pseudonyms import direct_identifiers
from pipeline.conform import conform, known
from pipeline.conform.read_back import ReadBack, declared_views
from pipeline.disk import reporting_disk
from pipeline.errors import GateError
from pipeline.places import CURATOR, NOISY
from pipeline.private import private_file, private_folder
from pipeline.publish.curator import describe
from pipeline.publish.publication import exclusive
from pipeline.publish.refusal import KeptFindings, forget_findings, keep_findings
from pipeline.report_json import report_json
from pipeline.wording import counted
from silt.commands.audit.request import (
    AuditRequest,
    raw_folder,
    read_identity_map,
    read_manifest,
    refuse_strange_originals,
    release_master,
)
from silt.commands.audit.sides import (
    OfOriginals,
    attacks_on_contradictions,
    both_sides,
    known_entities,
    noise_ledger,
    read_variant,
    refuse_strange_files,
)
from validation.attacks.adaptive.suite import Effort
from validation.attacks.independent import independent_opinion
from validation.attacks.limits import (
    CHANCE_IN_WORDS,
    EXACT,
    OPINION,
    REPORTED_ONLY,
    beside_guessing,
    is_over,
    is_over_by_bound,
    worst_on_owners,
)
from validation.attacks.privacy import attack_table, family_table, is_asked
from validation.attacks.suite import Sides, audit, raw_rows, verdict
from validation.escapes.scan import Originals, Scanned, extent, scan, with_escapes
from validation.report.documents.privacy import Privacy
from validation.report.head.verdicts import safe_to_publish
from validation.report.labels import Labels
from validation.report.sections.attacked import files_in_words, searched_in_words

_SHOWN = 3
"""Escapes that are listed; the report has all."""


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
    labels: Labels
    is_demonstration: bool
    """Whether the originals are invented."""

    def text(self, *, with_all: bool = False) -> str:
        """Return the report for a terminal: every attack, or the best of each family, and the verdict last."""
        attacks = [
            each | {name: self.labels.beside(each[name]) for name in ("attack", "knowledge")}
            for each in self.report["attacks"]
        ]
        return "\n".join(
            [
                self.labels.beside(self.report["summary"]),
                "",
                attack_table(attacks) if with_all else family_table(attacks),
                CHANCE_IN_WORDS if with_all else f"{_SHORT} {CHANCE_IN_WORDS}",
                "",
                *_escape_lines(self.report["escapes"], searched=self._searched()),
                *self.scanned.notes(),
                *_reading_lines(self.report["read_back"]),
                *([_WITH_NOISE] if self.report["variant"] == NOISY else []),
                *(f"  look at    {each['detail']}" for each in attacks if not is_asked(each)),
                _OTHER_COUNT,
                f"  report     {self.file}",
                self._counted(),
                f"  verdict    {safe_to_publish(privacy_of(self.report), is_invented=self.is_demonstration)}",
            ]
        )

    def _searched(self) -> str:
        document = privacy_of(self.report)
        return f"{searched_in_words(document)}{files_in_words(document)}."

    def _counted(self) -> str:
        asked = [entry for entry in self.report["attacks"] if is_asked(entry)]
        limited = [entry for entry in asked if entry["limit"] != REPORTED_ONLY and entry["records"]]
        unproven, escapes = sum(map(is_over_by_bound, limited)), len(self.report["escapes"])
        over, of = sum(map(is_over, limited)) - unproven, f"of {counted(len(limited), 'limit')}"
        held = f"{over or 'none'} {of} exceeded, " if over or not unproven else ""
        held += f"{unproven} {'more' if over else of} not shown to be kept, " if unproven else ""
        held += counted(escapes, "escape")
        unlimited = counted(len(asked) - len(limited), "other attack")
        word = "" if self.report["passed"] else "REFUSED: "
        return f"  found      {word}{held}; {self._owners()}{unlimited} had no limit, or nothing to try"

    def _owners(self) -> str:
        best = worst_on_owners(self.report["attacks"])
        if not best:
            return ""
        found = f"owners found: {best['successes']:,} of {best['records']:,}"
        beside = "".join(f" ({p})" for p in filter(None, [beside_guessing(best)]))
        return f"{found}, where guessing finds {best['chance'] * best['records']:,.0f}{beside}; "

    def refuse(self) -> None:
        """Raise `GateError`, naming what is at fault, if an attack is over its limit or something escaped."""
        if self.report["passed"]:
            return
        over, escapes = list(filter(is_over, self.report["attacks"])), []
        broken = [f"{entry['family']}: {entry['attack']}" for entry in over]
        if self.findings is not None:
            found = extent(self.scanned)
            escapes = [f"what identifies a company in {found}, each with the words around in {self.findings.findings}"]
        is_shown = escapes or not all(map(is_over_by_bound, over))
        claim = "found more than is allowed" if is_shown else "cannot rule out that more is found than is allowed"
        error = GateError(f"the audit {claim}: {'; '.join(broken + escapes)}. Report: {self.file}")
        for what in ("first", "next"):
            if said := self.report.get(what):
                error.add_note(f"  {what:<10} {said}")
        raise error


def audit_variant(request: AuditRequest, *, announce: Callable[[str], None]) -> Audited:
    """Audit a variant as it is published, and keep the report with the curator.

    Args:
        announce: Called with one line before each step.

    Raises:
        InputError: Variant, identity map, key or raw tables are not there or not of one build; views are not declared; or
            another build is at work.
    """
    declared_views(request.environment)
    read_manifest(request)  # nothing is made where there is nothing
    with exclusive(request.folder):
        manifest = read_manifest(request)
        policy = find_policy(manifest["policy"])
        release = ReleaseKey(master=release_master(request, manifest), policy=policy.name)
        map_ = read_identity_map(request, release.master, manifest)
        announce("[1/4] conform the raw tables")
        raw = conform(request.environment.raw_tables, raw_folder(request, manifest))
        conformed = raw.frames
        of_originals = OfOriginals(
            conformed=conformed, raw={name: raw_rows(each) for name, each in raw.sources.items()}, map=map_
        )
        codes = of_originals.codes(request.environment.entities)
        refuse_strange_originals(request, conformed, codes)
        announce("[2/4] read the published files back")
        read, published = read_variant(request, conformed)
        refuse_strange_files(request, read, codes)
        sides = both_sides(request, of_originals, read, published, policy, is_demonstration=release.is_demonstration)
        sides = replace(sides, budget=manifest.get("budget"))
        announce("[3/4] attack")
        found = audit(sides, release.key.derive("audit"), effort=Effort())
        if request.environment.panel:
            found[EXACT] = [*found[EXACT], *attacks_on_contradictions(sides, read)]
            found[OPINION] = independent_opinion(sides, release.key.derive("audit", "opinion"))
        announce("[4/4] search every file for what identifies a company")
        identifiers = direct_identifiers(request.environment, known(conformed, raw.dropped))
        owned = Originals(identity_map=map_, identifiers=identifiers, key=release.master)
        scanned = scan(
            request.public, request.environment, owned.search_terms(request.environment), ledger=noise_ledger(request)
        )
        judged = verdict(sides, found, policy) | {
            "not_searched": owned.tokens(request.environment).only_in_columns_of_codes()
        }
        report = with_escapes(judged, scanned, [file["bytes"] for file in manifest["files"]])
        report |= _about(request, sides, read) | _following(request, report, manifest)
        findings, file = _keep_findings(request, scanned), _keep(request, report)
        with reporting_disk(request.folder):
            describe(request.folder / CURATOR)
        return Audited(
            report=report,
            file=file,
            scanned=scanned,
            findings=findings,
            labels=Labels(english=request.environment.english),
            is_demonstration=sides.is_demonstration,
        )


def _about(request: AuditRequest, sides: Sides, read: ReadBack) -> dict[str, Any]:
    return {
        "environment": request.environment.name,
        "variant": request.variant,
        "read_back": {
            "entities": read.entities.height,
            "of_known_entities": known_entities(request.environment, read, sides.codes),
            "records": read.figures.height,
            "cells": read.cells,
            "cells_not_read": read.unread,
            "records_that_tables_contradict": sum(one.figures.height for one in read.contradictions),
        },
    }


def _following(request: AuditRequest, report: Mapping[str, Any], manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return what to do after a refusal, and the command after that; nothing after an audit that passes."""
    if report["passed"]:
        return {}
    from assets.wiring.resources import Workspace  # noqa: PLC0415  (the stages take a second to import)
    from silt.commands.build.outcome import after_audit  # noqa: PLC0415

    workspace = Workspace(
        raw=request.raw,
        out=str(request.out),
        key_file=str(request.key_file or ""),
        policy=manifest["policy"],
        budget=manifest.get("budget"),
    )
    return after_audit(request.environment, workspace, manifest, privacy_of(report))


def privacy_of(report: Mapping[str, Any]) -> Privacy:
    """Return the part of an audit's report that a build's report on privacy has, too."""
    return Privacy.model_validate_json(
        report_json({name: report[name] for name in Privacy.model_fields.keys() & report.keys()})
    )


_SHORT = "The best attack of each family and the best on owners stand here; --all prints every attack."

_WITH_NOISE = "Noise in the files may hide who is whom. A build attacks records before noise."
_OTHER_COUNT = (
    "An audit counts other attacks than a build, which also tries what no published file has, such as short names. Of the two "
    "answers the stricter one holds."
)


def _keep(request: AuditRequest, report: Mapping[str, Any]) -> Path:
    with reporting_disk(request.folder):
        file = private_file(private_folder(request.folder / CURATOR) / f"audit-{request.variant}.json")
        file.write_bytes(report_json(report))
    return file


def _keep_findings(request: AuditRequest, scanned: Scanned) -> KeptFindings | None:
    curator, of = request.folder / CURATOR, f"audit-{request.variant}-"
    if scanned.escapes:
        return keep_findings(curator, scanned.findings, scanned.proposed, of=of)
    forget_findings(curator, of=of)
    return None


def _escape_lines(escapes: list[Mapping[str, Any]], *, searched: str) -> Iterator[str]:
    for escape in escapes[:_SHOWN]:
        place = f"{escape['file']} column {escape['column']!r}: a {escape['kind']}"
        yield f"escape: {place} in {escape['rows']:,} rows, first row {escape['row']:,}"
    if len(escapes) > _SHOWN:
        yield f"... and {len(escapes) - _SHOWN:,} more escapes"
    if not escapes:
        yield searched


def _reading_lines(read: Mapping[str, Any]) -> Iterator[str]:
    entities = f"{read['entities']:,} entities ({read['of_known_entities']:,} of the originals)"
    unread = f"{read['cells_not_read']:,} of {counted(read['cells'], 'cell')} of figures could not be read"
    unread += ", having no number, or no unit, period or row that is known" if read["cells_not_read"] else ""
    if not read["records"] and not read["cells_not_read"]:
        yield f"Read {entities}, and no figures."
        return
    yield f"Read {entities} and {counted(read['records'], 'record')} of figures."
    yield f"{unread}; {read['records_that_tables_contradict']:,} records are contradicted by a further table."

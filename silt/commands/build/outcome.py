"""What came out of a build: filled in from what was published, or from the error that ended it."""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from assets.wiring.resources import Workspace
from pipeline.errors import GateError, SiltError
from pipeline.model import Environment
from pipeline.places import CURATOR
from pipeline.publish.ablations import ABLATIONS
from pipeline.publish.publication import REFUSED
from pipeline.publish.refusal import REPORT, REPORTS
from validation.report.documents import KINDS, Reports
from validation.report.documents.noise import Noise
from validation.report.documents.outcome import Outcome, PublishedVariant
from validation.report.head.gates import gates_of
from validation.report.head.verdicts import verdicts_of
from validation.report.sections.noise import changes_of
from validation.report.sections.release import ReportedVariant

_ENDS: Mapping[int, Literal["refused", "bad input", "defect"]] = {1: "refused", 2: "bad input", 3: "defect"}


def published(
    environment: Environment, workspace: Workspace, variants: Sequence[str], *, seconds: float, steps: int
) -> Outcome:
    """Return the outcome of a build that published variants, as their manifests and reports state it."""
    folder = Path(workspace.out) / environment.name
    audited = [variant for variant in variants if variant != ABLATIONS][:1]
    return Outcome(
        outcome="published",
        environment=environment.name,
        variants=tuple(_variant(folder / variant) for variant in variants),
        seconds=round(seconds, 1),
        steps=steps,
        verdicts=_verdicts(environment, folder / audited[0]) if audited else {},
        next=_audit(environment, workspace, audited[0]) if audited else "",
    )


def ended(error: SiltError, environment: str, out: Path, *, seconds: float) -> Outcome:
    """Return the outcome of a build that ended with an error."""
    failing = error.failing if isinstance(error, GateError) else {}
    page = out / environment / CURATOR / REFUSED / REPORTS / REPORT
    return Outcome(
        outcome=_ENDS.get(error.exit_status, "defect"),
        environment=environment,
        seconds=round(seconds, 1),
        failing=failing,
        message=str(error),
        report=str(page) if failing and page.is_file() else "",
    )


# ----------------------------------------------------------------------------------------------------------------------


def _audit(environment: Environment, workspace: Workspace, variant: str) -> str:
    """Return the command that audits a variant, with the settings of its build: it runs as it is printed."""
    settings = {"--environment": environment.argument, "--raw": workspace.raw, "--out": workspace.out}
    settings["--key-file"] = workspace.key_file
    given = [word for option, value in settings.items() if value for word in (option, value)]
    return shlex.join(["silt", "audit", variant, *given])


def _variant(folder: Path) -> PublishedVariant:
    files = _read(folder / "manifest.json").get("files", [])
    noise = folder / REPORTS / "noise.json"
    return PublishedVariant(
        variant=folder.name,
        folder=str(folder),
        files=len(files),
        rows=sum(each.get("records") or 0 for each in files),
        changes=changes_of(Noise.model_validate_json(noise.read_bytes())) if noise.is_file() else 0,
        report=str(folder / REPORTS / REPORT) if folder.name != ABLATIONS else "",
    )


def _verdicts(environment: Environment, folder: Path) -> dict[str, str]:
    """Return what the head of a variant's page says."""
    files = {name: folder / REPORTS / f"{name}.json" for name in KINDS}
    reports = Reports.of({name: file.read_text(encoding="utf-8") for name, file in files.items() if file.is_file()})
    release = ReportedVariant(
        environment=environment.argument,
        title=environment.title,
        variant=folder.name,
        manifest=_read(folder / "manifest.json"),
        has_figures=bool(environment.panel),
        figures_of_events=environment.figures_of_events,
    )
    verdicts = verdicts_of(reports, release, list(gates_of(reports, release)))
    return {verdict.question: verdict.answer for verdict in verdicts}


def _read(file: Path) -> dict[str, Any]:
    """Return a document that was published; an empty one where a variant has none."""
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else {}

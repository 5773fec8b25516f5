"""What came out of a build: filled in from what was published, or from the error that ended it."""

import json
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from anonymize.keys.key_uses import own_key
from anonymize.policy import POLICIES
from assets.settings import CHECKED, BuildSettings
from assets.wiring.resources import Workspace
from pipeline.errors import GateError, InputError, SiltError
from pipeline.model import Environment
from pipeline.places import CURATOR, VARIANTS
from pipeline.publish.ablations import ABLATIONS
from pipeline.publish.manifest import MANIFEST
from pipeline.publish.refusal import REPORT, REPORTS
from pipeline.settings import option_of
from pipeline.wording import counted
from silt.environments import SHIPPED
from validation.report.documents import KINDS, Reports
from validation.report.documents.noise import Noise
from validation.report.documents.outcome import MEND, Outcome, PublishedVariant, Question, listed
from validation.report.documents.privacy import Privacy
from validation.report.head.failures import before_check, mended_by
from validation.report.head.gates import gates_of, gates_on_privacy
from validation.report.head.top import mostly_blank
from validation.report.head.verdicts import verdicts_of
from validation.report.sections.attacked import left_in_prose
from validation.report.sections.noise import changes_of
from validation.report.sections.release import ReportedVariant
from validation.report.sections.unpromised import attacks_over

_ENDS: Mapping[int, Literal["refused", "bad input", "defect"]] = {1: "refused", 2: "bad input", 3: "defect"}


def published(
    environment: Environment, workspace: Workspace, variants: Sequence[str], *, seconds: float, steps: int
) -> Outcome:
    """Return the outcome of a build that published variants, as their manifests and reports state it."""
    folder = Path(workspace.out) / environment.name
    audited = [variant for variant in variants if variant != ABLATIONS][:1]
    reports_in = cache(_reports)
    return Outcome(
        outcome="published",
        environment=environment.name,
        variants=tuple(_variant(folder / variant) for variant in variants),
        seconds=round(seconds, 1),
        steps=steps,
        verdicts=_every_verdict(environment, folder / audited[0], reports_in) if audited else {},
        look_at=tuple(_doubtful(environment, folder / audited[0], reports_in)) if audited else (),
        next=_audit(environment, workspace, audited[0]) if audited and _is_named(environment) else "",
    )


def ended(
    error: SiltError, environment: Environment | str, workspace: Workspace, variants: Sequence[str], *, seconds: float
) -> Outcome:
    """Return the outcome of a build that ended with an error; the environment is a name where it could not be loaded."""
    outcome = Outcome(
        outcome=_ENDS.get(error.exit_status, "defect"),
        environment=environment if isinstance(environment, str) else environment.name,
        seconds=round(seconds, 1),
        steps=error.steps,
        message=str(error),
    )
    if isinstance(environment, str):
        return outcome
    if not isinstance(error, GateError):
        if not isinstance(error, InputError):
            return outcome
        is_mended_by_next = error.mending and not error.problems
        lacks_raw = not workspace.raw and environment.corpus is None
        given = ({"raw": "DIR"} if lacks_raw else {}) | dict(error.mending)
        mended = {
            "first": "" if is_mended_by_next else MEND,
            "next": again(environment, replace(workspace, **given), variants),
        }
        return outcome.model_copy(update={"problems": listed(error)} | mended)
    reports = Path(error.report).parent
    privacy = _reports(reports).privacy if error.report else None
    named = "`failing` and `message`" if error.failing else "`message`"
    before, mend = _before(environment, reports, error) if error.report else ("", "")
    following = {
        "first": another_key(error, outcome.environment, workspace) or mend or f"mend what is named in {named}",
        "next": again(environment, workspace, variants),
    }
    if before and (tries := trial(environment, workspace)):
        added = beside_trial(workspace, variants)
        to_build = f" (add {added} to a build that it prints)" if added else ""
        following = {"first": f"{before}{to_build}:", "next": tries}
    refused = following | {
        "failing": error.failing,
        "over": error.over,
        "attacks_over": attacks_over(privacy) if privacy else (),
        "escapes": privacy.escapes if privacy else None,
        "raw_rows": error.raw_rows,
        "report": error.report,
        "verdicts": _verdicts(environment, reports, _reports) if error.report else {},
    }
    return outcome.model_copy(update=refused)


def after_audit(
    environment: Environment, workspace: Workspace, manifest: Mapping[str, Any], privacy: Privacy
) -> dict[str, str]:
    """Return what to do after a refused audit, and the command after that; with which noise to build again nobody knows."""
    reports, release = Reports(privacy=privacy), _reported(environment, manifest)
    failed = [gate for gate in gates_on_privacy(privacy) if gate.has_failed]
    if before_check(reports, release, failed) and (tries := trial(environment, workspace)):
        return {"first": "see what may help before the next build:", "next": tries}
    mend = mended_by(reports, failed) or "mend what the audit found"
    again = _audit(environment, workspace, release.variant) if _is_named(environment) else ""
    return {"first": f"{mend}; build again{', then:' if again else ''}", "next": again}


def another_key(error: SiltError, name: str, workspace: Workspace) -> str:
    """Return what helps where the draw of a key refused a build: more firms, and last another key; nothing elsewhere."""
    if not (isinstance(error, GateError) and error.is_drawn):
        return ""
    own = own_key(name, workspace.policy)
    how = f"move {own} away" if own.is_file() and not workspace.key_file else "another `--key-file`"
    return f"give more firms, or as the last resort take another key ({how})"


def built_before(folder: Path) -> str:
    """Return what stands in an environment's folder from an earlier build, with its policy; empty if nothing does."""
    manifests = [_read(folder / variant / MANIFEST) for variant in VARIANTS]
    return next((f"what was built before under {one['policy']!r}" for one in manifests if one), "")


def again(environment: Environment, workspace: Workspace, variants: Sequence[str]) -> str:
    """Return the command that builds the same again, with every setting that is not the default; empty if none can name it."""
    if not _is_named(environment):
        return ""
    return _command(["build", *variants], environment, _given(workspace))


def trial(environment: Environment, workspace: Workspace) -> str:
    """Return the command that looks at the same tables, and under `guarded` tries budgets; empty if none can name them."""
    return _command(["check"], environment, _given(workspace, only=CHECKED)) if _is_named(environment) else ""


def beside_trial(workspace: Workspace, variants: Sequence[str]) -> str:
    """Return what a build was given that the one lacks which `silt check` prints."""
    checked, given = _given(workspace, only=CHECKED), _given(workspace)
    words = [
        word for option, value in given.items() if option not in checked for word in (option, *filter(None, [value]))
    ]
    return shlex.join([*(variants if len(variants) < len(VARIANTS) else ()), *words])


def _given(workspace: Workspace, *, only: Collection[str] = ()) -> dict[str, str]:
    """Return the options of settings that are not the default, or of some of them."""
    return {
        option: "" if value is True else str(value)
        for each in fields(BuildSettings)
        if (each.name in only or not only)
        and (option := option_of(each))
        and (value := getattr(workspace, each.name)) != each.default
    }


def _is_named(environment: Environment) -> bool:
    """Say whether a command can name it: what a program declared in its memory, none can."""
    return bool(environment.declared_in) or environment.name in SHIPPED


def _audit(environment: Environment, workspace: Workspace, variant: str) -> str:
    """Return the command that audits a variant, with the settings of its build: it runs as it is printed."""
    given = {"--raw": workspace.raw, "--out": workspace.out, "--key-file": workspace.key_file}
    return _command(["audit", variant], environment, {option: value for option, value in given.items() if value})


def _command(words: Sequence[str], environment: Environment, given: Mapping[str, str]) -> str:
    """Return a command that runs as it is printed."""
    options = [word for option, value in given.items() for word in (option, *filter(None, [value]))]
    return shlex.join(["silt", *words, "--environment", environment.argument, *options])


def _variant(folder: Path) -> PublishedVariant:
    every = _read(folder / "manifest.json").get("files", [])
    files = [each for each in every if each["path"].startswith("database/")]
    rows = [each["records"] for each in files if each.get("records") is not None]
    noise = folder / REPORTS / "noise.json"
    return PublishedVariant(
        variant=folder.name,
        folder=str(folder),
        files=len(files),
        tables=len(rows),
        rows=sum(rows),
        further_files=len(every) - len(files),
        changes=changes_of(Noise.model_validate_json(noise.read_bytes())) if noise.is_file() else 0,
        report=str(folder / REPORTS / REPORT) if folder.name != ABLATIONS else "",
    )


def _every_verdict(
    environment: Environment, variant: Path, reports_in: Callable[[Path], Reports]
) -> dict[Question, str]:
    """Return the verdicts of a variant's page; on originals and safety those of the curator's, if that is what counts."""
    verdicts = _verdicts(environment, variant / REPORTS, reports_in)
    release = _reported(environment, _read(variant / MANIFEST))
    if POLICIES[release.manifest["policy"]].samples_records:
        compared = reports_in(variant.parent / CURATOR / REPORTS)
        faithful, safe, _ = verdicts_of(compared, release, list(gates_of(compared, release)))
        verdicts |= {"faithful": faithful.answer, "safe": safe.answer}
    return verdicts


def _verdicts(environment: Environment, folder: Path, reports_in: Callable[[Path], Reports]) -> dict[Question, str]:
    """Return what the head of a page says; the manifest stands beside its folder of reports, or in that of a refused build."""
    reports = reports_in(folder)
    release = _reported(environment, _manifest_of(folder))
    faithful, safe, hard = verdicts_of(reports, release, list(gates_of(reports, release)))
    about: Question = "another_draw_alike" if reports.is_of_fresh else "faithful"
    return {about: faithful.answer, "safe": safe.answer, "hard": hard.answer}


def _before(environment: Environment, folder: Path, error: GateError) -> tuple[str, str]:
    """Return what leads to `silt check` where it tries all that refused a build; and what to change, where that is known."""
    reports = _reports(folder)
    release = replace(_reported(environment, _manifest_of(folder)), refused_by=tuple(error.failing))
    failed = [gate for gate in gates_of(reports, release) if gate.has_failed]
    return before_check(reports, release, failed), mended_by(reports, failed)


def _doubtful(environment: Environment, variant: Path, reports_in: Callable[[Path], Reports]) -> Iterator[str]:
    """Yield what does not hold and refuses nothing, in the curator's reports, too; blank columns, doubtful texts."""
    release = _reported(environment, _read(variant / MANIFEST))
    is_sampled = POLICIES[release.manifest["policy"]].samples_records
    if blank := mostly_blank(reports_in(variant / REPORTS), release):
        yield blank
    folders = [variant / REPORTS, *([variant.parent / CURATOR / REPORTS] if is_sampled else [])]
    for folder in folders:
        if (privacy := reports_in(folder).privacy) and (left := left_in_prose(privacy)):
            yield f"{left}, which may name a company (silt check lists their words): {folder / REPORT}#privacy"
        for gate in gates_of(reports_in(folder), release):
            if gate.is_doubtful:
                yield f"{gate.broken}, which refuses nothing: {folder / REPORT}#{gate.anchor}"


def words_of_names(found: Mapping[str, int]) -> Iterator[str]:
    """Yield in how many cells of which columns words of names are published, if in any; which words is not said."""
    if found:
        cells, places = counted(sum(found.values()), "cell"), ", ".join(f"{at} ({n:,})" for at, n in found.items())
        yield (
            f"{cells} of kept columns with a word that is a listed name without its legal form: {places}. No gate "
            "searches for such words (silt check names the first raw row)"
        )


def _reports(folder: Path) -> Reports:
    files = {name: folder / f"{name}.json" for name in KINDS}
    return Reports.of({name: file.read_text(encoding="utf-8") for name, file in files.items() if file.is_file()})


def _reported(environment: Environment, manifest: Mapping[str, Any]) -> ReportedVariant:
    return ReportedVariant(
        environment=environment.argument,
        title=environment.title,
        variant=manifest["variant"],
        manifest=manifest,
        has_figures=bool(environment.panel),
        figures_of_events=environment.figures_of_events,
    )


def _manifest_of(reports: Path) -> dict[str, Any]:
    """Return the manifest beside a folder of reports, or in that of a refused build."""
    return _read(reports.parent / MANIFEST) or _read(reports / MANIFEST)


def _read(file: Path) -> dict[str, Any]:
    """Return a document that was published; an empty one where a variant has none."""
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else {}

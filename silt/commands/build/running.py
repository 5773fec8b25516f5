"""Runs what a build lacks, and turns the outcome into Silt's errors. With a record of Dagster's: `recorded.py`."""

import gc
import json
import signal
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from io import StringIO
from pathlib import Path
from threading import current_thread, main_thread
from time import monotonic

import polars as pl

from anonymize.keys.key_uses import Use
from anonymize.policy import Policy
from assets.every_step import declared_steps, ordered
from assets.evidence.files import VariantReports, listing, together
from assets.making.keys import ATTACKS, COMPARED, SHORT_NAMES, Place, Stage
from assets.making.originals import MadeOf, changes, originals_of
from assets.making.parameters import MANIFEST
from assets.making.request import Request
from assets.making.results import Recorded, is_refusal
from assets.making.scheduler import Scheduler
from assets.making.step import Step
from assets.making.store import Value
from assets.published import reads_of_search, search_refused
from assets.wiring.boundary import StepFailure, keep, within_boundary
from assets.wiring.gates import CAUSE, GATES, IN_THE_REPORT, ON_CURATORS_PAGE, in_the_report
from assets.wiring.progress import Progress
from assets.wiring.resources import Workspace
from assets.wiring.work import at_work
from pipeline.disk import reporting_disk
from pipeline.errors import ContractError, GateError, InputError, SiltError, SpecError, two_parts
from pipeline.model import Environment
from pipeline.model.refused.contradictions import refuse_unready
from pipeline.places import STAGES, VARIANTS
from pipeline.publish.refusal import CRASH, forget_findings, keep_reports
from silt.commands.build.outcome import again, beside_trial, built_before, published, trial, words_of_names
from silt.commands.build.ran import Ran
from silt.commands.build.records import is_recorded, left_off, refuse_no_home
from silt.commands.build.refused import complete
from silt.commands.saying import say
from silt.commands.waiting import running
from silt.engines import refuse_unknown, started
from validation.escapes.scan import with_escapes
from validation.report.documents import KINDS
from validation.report.documents.outcome import Outcome
from validation.report.documents.privacy import Privacy
from validation.report.head import gates
from validation.report.head.completed import first_of
from validation.report.head.failures import CAUSES, refused_by_attacks
from validation.report.sections.unpromised import asked_in_words, attacks_over, excess_in_words


def run_jobs(
    environment: Environment,
    variants: Sequence[str],
    *,
    workspace: Workspace,
    understood: str = "",
    is_quiet: bool = False,
    leaves_record: bool = True,
) -> Outcome:
    """Build and publish variants (`noisy`, `clean`, all of the `ablations` together), the stages that they share once.

    Args:
        understood: What is asked for, in a line.
        is_quiet: Whether nothing is written of how far it is.
        leaves_record: Whether the web graph shows it, if Dagster keeps records here.

    Raises:
        GateError: A gate refused; its reports are kept with the curator.
        InputError: Bad settings or bad input, a full or closed disk, or another build at work in the same folder.
        DefectError: Anything else.
        KeyboardInterrupt: Somebody ended the process.
    """
    request, variants = _asked(environment, variants, workspace), list(dict.fromkeys(variants))
    bound_to = request.bound_to
    refuse_no_home()
    has_record = leaves_record and is_recorded()
    if understood:
        say(understood, *_beginning(request, variants), to=sys.stderr)
    began, steps = monotonic(), ordered(declared_steps(environment))
    with at_work(request, steps) as scheduler:
        before = originals_of(request.folder)
        targets = _targets(steps, variants)
        missing = scheduler.missing(targets)
        # The graph shows as failed what a run planned and did not reach, until a run records it, though it was made before.
        is_red = has_record and left_off(environment.name).exists()
        if planned := scheduler.with_sources(targets) if is_red else missing:
            scheduler.watch = progress = Progress(
                StringIO() if is_quiet else sys.stderr, missing, scheduler.store.seconds()
            )
            running(progress.at_work)
            with started(request, workspace.engine, note=progress.note) as scheduler.engine, closing(progress):
                try:
                    _run(scheduler, planned, variants, workspace if has_record else None)
                except SiltError as error:
                    error.steps = progress.begun
                    if request.release.is_new:
                        may_go = isinstance(error, InputError | GateError)
                        what = "nothing is published under it, so you may delete it" if may_go else _KEEP
                        error.add_note(f"  {'key':<10} {request.release.file}: {what}")
                    if isinstance(error, GateError):
                        build = again(environment, workspace, variants)
                        stands = built_before(request.folder)
                        error.raw_rows = complete(
                            *(error, environment.raw_tables),
                            registers={name for kind in environment.kinds for name in kind.tables},
                            folder=request.folder,
                            variant=variants[0],
                            raw=request.raw,
                            key=request.release.master,
                            build=build,
                            trial=trial(environment, workspace),
                            added=beside_trial(workspace, variants),
                            stands=stands,
                        )
                        for attack in error.over:
                            error.add_note(f"  {'over':<10} {attack}")
                        for place in first_of(error.raw_rows):
                            error.add_note(f"  {'raw':<10} {place}")
                        if stands:
                            error.add_note(f"  {'stands':<10} {stands}, in {request.folder}")
                    raise
            _write_places(scheduler, targets)
        originals = [*_changed(scheduler, variants, before), *map(_bound, bound_to)]
        short = json.loads(str(scheduler.value((Stage.IDENTITY, SHORT_NAMES))))
    if understood and request.release.is_new:
        say(f"  key        {request.release.file}: {_KEEP}", to=sys.stderr)
    outcome = published(environment, workspace, variants, seconds=monotonic() - began, steps=len(missing))
    return outcome.model_copy(update={"originals": originals, "look_at": (*outcome.look_at, *words_of_names(short))})


_KEEP = "keep it, and keep it secret; with it names can be undone"


def _beginning(request: Request, variants: Sequence[str]) -> Iterator[str]:
    """Yield what somebody should know before anything is made: that there is a key now, and what would be replaced."""
    if request.release.is_new:
        yield f"  made       {request.release.file}: the release key"
    yield from (
        f"  replaces   if it passes, what was built in {request.folder} with {it}" for it in request.replaced(variants)
    )


def _run(scheduler: Scheduler, missing: Sequence[Step], variants: Sequence[str], recorded: Workspace | None) -> None:
    """Make what is missing, in one run of Dagster's if settings are to be recorded: importing Dagster takes seconds."""
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler and current_thread() is main_thread():
        # NOTE: unseen by Python, polars has put its own in its place, which ends a query of any thread, or nothing for seconds.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    with _without_collections():
        scheduler.begin(missing)
        if recorded:
            from silt.commands.build.recorded import run_recorded  # noqa: PLC0415  (steps are at work meanwhile)

            ran = run_recorded(scheduler, missing, variants, recorded)
        else:
            refuse_unready(scheduler.request.environment)
            ran = _unrecorded(scheduler, missing)
    if refused := ran.refused():
        raise _refusal(scheduler, variants, refused)
    if not ran.is_success:
        raise ran.error()


def _unrecorded(scheduler: Scheduler, missing: Sequence[Step]) -> Ran:
    """Wait for every step that the graph shows, as Dagster does; what others need of the rest is made with it."""
    failures, results = list[StepFailure](), list[Recorded]()
    for step in missing:
        if step.is_shown:
            try:
                with within_boundary(scheduler.request.folder):
                    results += scheduler.outcome(step).results
            except StepFailure as failure:
                failures.append(failure)
    checks = [result for result in results if "check" in result]
    return Ran(checks=checks, failures=failures, is_success=not failures and not any(map(is_refusal, checks)))


def _write_places(scheduler: Scheduler, targets: Sequence[Step]) -> None:
    """Write down for the curator which object of the store is which table, and how long steps took."""
    made = {
        place: name for step in scheduler.with_sources(targets) for place, name in scheduler.outcome(step).made.items()
    }
    stages = {f"{stage}/{name}": kept for (stage, name), kept in sorted(made.items()) if kept}
    keep(scheduler.request.folder, STAGES, json.dumps(stages, indent=1))
    scheduler.store.write_seconds({name: found.seconds for name, found in scheduler.outcomes().items()})


def _changed(scheduler: Scheduler, variants: Sequence[str], before: MadeOf) -> Iterator[str]:
    """Yield what changed in the originals since the variants were built, and what is still of the earlier ones."""
    request, now = scheduler.request, originals_of(scheduler.request.folder)
    known = next((variant for variant in variants if variant in before), None)
    found = list(changes(request.environment.raw_tables, scheduler.store, before[known], now[known])) if known else []
    yield from found
    left = [name for name in now if name not in variants and now[name]["files"] != request.raw_files]
    yield from (f"{request.folder / name} is still of those before; build it again" for name in left if found)


def _bound(use: Use) -> str:
    return f"{NO_RELEASE}, which releases used for {use}; give another --key-file (KEY), or --reuse-key to the release"


NO_RELEASE = "no release can be made of this build with its key"
"""How a line begins that says why."""


def _asked(environment: Environment, variants: Sequence[str], workspace: Workspace) -> Request:
    """Resolve the request, and refuse variants for which it has nothing, before minutes go into stages."""
    refuse_unknown(workspace.engine)
    running("reading the raw tables" if workspace.raw else "generating the raw tables")
    request = requested(environment, variants, workspace)
    request.refuse_others(variants)
    return request


def requested(environment: Environment, variants: Sequence[str], workspace: Workspace) -> Request:
    """Return the request; what is wrong with raw tables is kept for the curator, as a step that reads them keeps it."""
    try:
        return workspace.request(environment, variants)
    except ContractError as error:
        try:
            with within_boundary(Path(workspace.out, environment.name)):
                raise
        except StepFailure as failure:
            kept = Ran(checks=(), failures=[failure], is_success=False)
            raise _with_cause(kept.error(), error) from error


def _with_cause(kept: SiltError, error: ContractError) -> SiltError:
    """Return what was kept of wrong raw tables, with the wrong setting beside which they were looked at, if one was."""
    wrong = error.__cause__
    beside = wrong.without(error.misspelt) if isinstance(wrong, SpecError) else wrong
    if not isinstance(beside, InputError):
        return kept
    both = two_parts(kept, beside)
    both.problems, both.mending = (*error.problems, *beside.problems), beside.mending
    return both


@contextmanager
def _without_collections() -> Iterator[None]:
    """Do not look for cycles of garbage: stages make millions of objects, and hardly a cycle."""
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()


def _refusal(scheduler: Scheduler, variants: Sequence[str], refused: Mapping[str, str]) -> GateError:
    """Keep the reports of a refused build, with their pages; return the refusal, which is not hidden if there is no page."""
    request, made = scheduler.request, _made(scheduler, variants)
    # What compares with the originals says most of why it was refused.
    compared = (Stage.REPORTS, Stage.CURATOR)
    kept = {name: kept for of in compared for (stage, name), kept in made.items() if stage == of and kept}
    reports = {name: scheduler.store.value(each) for name, each in kept.items() if name != COMPARED}
    refused = {**_with_counts(refused, reports, request.policy), **_searched(scheduler, variants[0], reports)}
    found = [scheduler.store.value(made.get(place)) for place in listing(request.environment)]
    entities = [frame for frame in found if isinstance(frame, pl.DataFrame)]
    evidence = VariantReports(
        environment=request.environment,
        variant=variants[0],
        policy=request.policy,
        reports=reports,
        entities=together(request.environment, entities),
        refused_by=tuple(refused),
        has_given_noise=bool(request.specified and not request.specified.is_default),
    )
    pages, crash = {}, ""
    try:
        pages = evidence.of_refusal(lambda variant: replace(MANIFEST.of(request), variant=variant))
    except Exception:  # noqa: BLE001
        crash = str(keep(request.folder, CRASH, traceback.format_exc()))
    folder = keep_reports(request.curator, reports, pages=pages)
    why = f"; the reports are in {folder}, without their page: a defect in Silt, whose traceback is in {crash}"
    message = f"refused by {', '.join(refused)}, so nothing is published{why if crash else ''}"
    attacks = reports.get(ATTACKS)
    over = attacks_over(Privacy.model_validate_json(attacks)) if isinstance(attacks, str) else []
    said = [f"{asked_in_words(each)}: {excess_in_words(each)}" for each in over]
    return GateError(message, refused, over=said, report="" if crash else str(folder))


def _with_counts(refused: Mapping[str, str], reports: Mapping[str, Value], policy: Policy) -> Mapping[str, str]:
    """Say what the curator's reports count: what a check says, others may see, so of what is the curator's it has no count."""
    content = reports.get(ATTACKS)
    said = refused_by_attacks(Privacy.model_validate_json(content)) if isinstance(content, str) else ""
    facts_of = in_the_report(policy, **{name: text for name in KINDS if isinstance(text := reports.get(name), str)})

    def with_counts(check: str, why: str) -> str:
        if GATES.get(check) == gates.ATTACKS:
            return said or why
        found = facts_of(check) if ON_CURATORS_PAGE in why else {}
        return why.replace(ON_CURATORS_PAGE, found[IN_THE_REPORT].rstrip(".")) if CAUSE in found else why

    return {check: with_counts(check, why) for check, why in refused.items()}


def _searched(scheduler: Scheduler, variant: str, reports: dict[str, Value]) -> Mapping[str, str]:
    """Search the tables, too, and add what is found to the report on privacy: one build says all that refuses it."""
    request = scheduler.request
    with reporting_disk(request.folder):
        forget_findings(request.curator)
    for step in _targets(scheduler.steps, [variant] if variant in VARIANTS else ()):
        with suppress(SiltError, OSError, CancelledError):  # what hides no refusal
            run = scheduler.run_of(step, reads_of_search(request.environment, variant))
            if found := search_refused(run, variant):
                scanned, error = found
                if isinstance(attacks := reports.get(ATTACKS), str):
                    reports[ATTACKS] = json.dumps(with_escapes(json.loads(attacks), scanned))
                failing = error.failing if isinstance(error, GateError) else {}
                return {gate: f"{places}. {CAUSES[GATES[gate]]}" for gate, places in failing.items()}
    return {}


def _made(scheduler: Scheduler, variants: Sequence[str]) -> dict[Place, str | None]:
    """Return what a build made, or an earlier one that it goes on from, in the order of names: what is not published."""
    before = [step for step in scheduler.with_sources(_targets(scheduler.steps, variants)) if not step.ends]
    came_out = scheduler.outcomes() if scheduler.request.is_fresh else scheduler.found(before)
    return dict(sorted((place, name) for each in came_out.values() if each for place, name in each.made.items()))


def _targets(steps: Iterable[Step], variants: Sequence[str]) -> list[Step]:
    """Return the steps that publish variants."""
    return [step for step in steps if step.ends and step.label.rpartition("/")[2] in variants]

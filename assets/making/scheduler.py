"""Makes steps: each once, side by side, and only what is not kept already.

The key of a step, or of a part of it, is a digest of all that it depends on: Silt's code, the environment, the parameters of
the request that it uses, and the content of what it reads. Under the key stands the record of what it made, with what the
declaration's code read meanwhile. A step whose record is there, and for which all of that is as it was, is not run, whatever
became of the tables before it; if one of those is needed and is lost or damaged, it is made again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import count
from threading import RLock
from typing import Any

from assets.making.engines import Engine
from assets.making.engines.worker import WorkerPool
from assets.making.fingerprint import fingerprint
from assets.making.flow import refuse_leaks
from assets.making.inputs.code import refuse_changed_code
from assets.making.inputs.reads import is_as_seen
from assets.making.keys import Place, Stage
from assets.making.originals import ORIGINALS, originals_of, originals_with
from assets.making.parameters import RAW, StepParameter, runs
from assets.making.request import Request
from assets.making.side_by_side import SideBySide
from assets.making.step import PartsDone, Run, Step, StepOutcome, StepPart, performed
from assets.making.store import Name, Store, Value
from pipeline.errors import GateError
from pipeline.places import VARIANTS
from pipeline.private import private_file
from pipeline.publish.ablations import ABLATIONS
from pipeline.publish.files import digest_of_tree
from pipeline.publish.publication import Staging, publish_together
from pipeline.publish.refusal import forget_findings


class HeldBackError(GateError):
    """Something is not published because another part of the build did not pass."""


Watch = Callable[[Step, PartsDone | StepOutcome | None], None]
"""Called when a step starts, with None; for each part that is done; and when it is done or found, with its outcome."""


class Scheduler:
    """The steps of one request, and what came out of those that were made."""

    def __init__(
        self,
        request: Request,
        steps: Sequence[Step],
        store: Store,
        *,
        instead: Mapping[Place, Value] | None = None,
        watch: Watch = lambda _step, _outcome: None,
    ) -> None:
        """Take what is asked for.

        Args:
            steps: All steps of the environment, each after those that it reads.
            store: Where what they make is kept.
            instead: What stands in a place instead of what its step makes.
            watch: Called as steps start and end.

        Raises:
            FlowError: Where records are sampled, a step would let originals out.
        """
        self.steps = [step.under(request.policy) for step in steps]
        """The steps as they are under the policy."""
        if request.policy.samples_records:
            refuse_leaks(self.steps)
        self.request, self.store, self.watch = request, store, watch
        self.engine: Engine = WorkerPool(())
        """What performs steps that do not publish."""
        self._makers = {place: step for step in self.steps for place in step.makes}
        self._instead = {place: store.keep(value) for place, value in (instead or {}).items()}
        self._outcomes: dict[str, StepOutcome] = {}
        self._parameters: dict[str, str] = {}
        self._work: SideBySide[StepOutcome] | None = None
        self._ending: list[Step] = []
        """Steps that publish what this build makes."""
        self._error: tuple[str, Exception] | None = None
        """The step that publishes and could not, and why."""
        self._is_held_back = False
        """Whether something is not published, so that nothing else is, either."""
        self._lock = RLock()

    def missing(self, targets: Iterable[Step]) -> list[Step]:
        """Return the steps that have to be made for the targets, in order; those whose sources are missing are among them."""
        wanted = self.with_sources(targets)
        if self.request.is_fresh:
            return wanted
        found = self.found(wanted)
        return [step for step in wanted if found[step.name] is None]

    def found(self, steps: Iterable[Step]) -> dict[str, StepOutcome | None]:
        """Return by name what came out of steps, or is kept of them; the steps before each are among them, and before it."""
        found: dict[str, StepOutcome | None] = {}
        for step in steps:
            sources = {place: found[self._makers[place].name] for place in step.reads if place not in self._instead}
            found[step.name] = self._outcomes.get(step.name) or self._found(step, sources)
        return found

    def start(self, steps: Iterable[Step]) -> None:
        """Make what is missing for the steps."""
        with self._lock:
            if self._work is None:
                self.begin(self.missing(steps))

    def begin(self, missing: Iterable[Step]) -> None:
        """Make steps that are missing side by side, what took longest the last time first; publishing waits to be asked for."""
        with self._lock:
            took, missing = self.store.seconds(), list(missing)
            self._ending = [step for step in missing if step.ends]
            waiting = sorted((step for step in missing if not step.ends), key=lambda step: -took.get(step.name, 0))
            self._work = SideBySide(
                {step.name: partial(self._reached, step) for step in waiting},
                {step.name: {self._makers[place].name for place in step.reads} for step in waiting},
                passes=lambda outcome: outcome.is_passed,
                at_once=self.engine.at_once,
            )

    def stop(self) -> None:
        """Start no further step."""
        if self._work:
            self._work.stop()

    def outcome(self, step: Step) -> StepOutcome:
        """Return what came out of a step, which is made if it is not kept.

        Raises:
            HeldBackError: It publishes, and something else that was started did not pass, or is not published.
        """
        step = step.under(self.request.policy)
        if step.ends:
            return self._ended(step)
        return self._work.result(step.name) if self._work and step.name in self._work else self._reached(step)

    def value(self, place: Place) -> Value:
        """Return what stands in a place."""
        return self.store.value(self._whole(place))

    def run_of(self, step: Step, reads: Iterable[Place]) -> Run:
        """Return a run of a step that is handed these places, each made if it is missing."""
        given = {place: self._whole(place) for place in reads}
        return Run(step=step, fingerprint=self._runs, _request=self.request, store=self.store, given=given)

    def outcomes(self) -> dict[str, StepOutcome]:
        """Return what came out so far, by the name of the step."""
        return dict(self._outcomes)

    def _ended(self, step: Step) -> StepOutcome:
        if step.name not in self._outcomes and not self._is_held_back and (not self._work or self._work.all_pass()):
            self._is_held_back = True
            self._publish([step, *(other for other in self._ending if other.name != step.name)])
        if step.name in self._outcomes:
            return self._outcomes[step.name]
        if self._error and self._error[0] == step.name:
            raise self._error[1]
        self.raise_hidden()
        raise HeldBackError("nothing is published, since a part of the build did not pass")

    def _publish(self, steps: Sequence[Step]) -> None:
        """Stage what is published in this build, and swap in all of it, or nothing. What is in place already stays there."""
        made: dict[str, tuple[Step, Run, StepOutcome]] = {}
        for step in steps:
            key = self._key_now(step)
            if kept := self._kept(key):
                self._come_out(step, kept)
                continue
            try:
                run = self._begun(step)
                made[key] = step, run, performed(run)
            except Exception as error:  # noqa: BLE001  (raised by the step that it belongs to)
                self._error = step.name, error
                return
        digests: Mapping[str, str] = {}
        refuse_changed_code()
        if staged := [staging for _, run, _ in made.values() for staging in run.staged]:
            self.request.refuse_others({staging.variant for staging in staged})
            self._write_originals(staged)
            digests = publish_together(self.request.folder, staged)
            forget_findings(self.request.curator)
        for key, (step, run, outcome) in made.items():
            self._come_out(step, self._recording(key, replace(outcome, stands=run.standing(**digests))))
        self._is_held_back = False

    def _write_originals(self, staged: Sequence[Staging]) -> None:
        """Write down for the curator of which originals staged variants were made."""
        tables = {name: self._name((stage, name)) for stage, name in sorted(self._makers) if stage == Stage.CONFORMED}
        variants = [staging.variant for staging in staged]
        text = originals_with(self.request.folder, variants, self.request.raw_files, tables)
        for staging in staged:
            private_file(staging.curator / ORIGINALS).write_bytes(text)

    def raise_hidden(self) -> None:
        """Raise what went wrong in a step that the graph does not show, where nobody else would tell of it."""
        for step in self.steps:
            if self._work and step.name in self._work and not step.is_shown:
                with suppress(CancelledError):
                    self._work.result(step.name)

    # --- one step --------------------------------------------------------------------------------------------------------

    def _reached(self, step: Step) -> StepOutcome:
        if step.name not in self._outcomes:
            key = self._key_now(step)
            self._come_out(step, self._kept(key) or self._made(step, key))
        return self._outcomes[step.name]

    def _made(self, step: Step, key: str) -> StepOutcome:
        run = self._begun(step)
        return self._performed(replace(run, done=self._done(run)), key)

    def _performed(self, run: Run, key: str) -> StepOutcome:
        outcome = self.engine(run)
        refuse_changed_code()
        return self._recording(key, outcome)

    def _done(self, run: Run) -> list[StepOutcome]:
        """Do the parts of a step, on all processors that are free."""
        divided, done = run.parts(), count(1)

        def do(part: StepPart) -> StepOutcome:
            outcome = self._part(run, part)
            self.watch(run.step, PartsDone(next(done), len(divided)))
            return outcome

        parts = [partial(do, part) for part in divided]
        return self._work.each(parts) if self._work else [part() for part in parts]

    def _part(self, run: Run, part: StepPart) -> StepOutcome:
        key = self._key_of_part(run.step, part)
        kept = self._kept(key)
        if kept and all(map(self.store.is_whole, kept.made.values())):
            return kept
        return self._performed(run.of_part(part), key)

    def _begun(self, step: Step) -> Run:
        self.watch(step, None)
        return self.run_of(step, step.reads)

    def _recording(self, key: str, outcome: StepOutcome) -> StepOutcome:
        if outcome.is_passed:
            self.store.write_record(key, outcome.record())
        return outcome

    def _come_out(self, step: Step, outcome: StepOutcome) -> None:
        self._outcomes[step.name] = outcome
        self.watch(step, outcome)

    def _name(self, place: Place) -> Name | None:
        if place in self._instead:
            return self._instead[place]
        return self.outcome(self._makers[place]).made[place]

    def _whole(self, place: Place) -> Name | None:
        """Return the name of what stands in a place; what is lost or damaged is made again."""
        if self.store.is_whole(name := self._name(place)):
            return name
        with self._lock:
            if not self.store.is_whole(name):
                step = self._makers[place]
                self._come_out(step, self._made(step, self._key_now(step)))
            return self._outcomes[self._makers[place].name].made[place]

    # --- what is kept ----------------------------------------------------------------------------------------------------

    def with_sources(self, targets: Iterable[Step]) -> list[Step]:
        """Return the targets and all steps before them, in order."""
        wanted = {step.name for step in targets}
        for step in reversed(self.steps):
            if step.name in wanted:
                wanted |= {self._makers[place].name for place in step.reads if place not in self._instead}
        return [step for step in self.steps if step.name in wanted]

    def _found(self, step: Step, sources: Mapping[Place, StepOutcome | None]) -> StepOutcome | None:
        """Return what is kept of a step, given what is kept of its sources; None if it or one of them has to be made."""
        names = {place: source.made[place] for place, source in sources.items() if source is not None}
        if len(names) < len(sources):
            return None
        return self._recorded(self._key(step, names | {place: self._instead[place] for place in step.reads - {*names}}))

    def _kept(self, key: str) -> StepOutcome | None:
        return None if self.request.is_fresh else self._recorded(key)

    def _recorded(self, key: str) -> StepOutcome | None:
        record = self.store.record(key)
        if record is None or not is_as_seen(record["seen"]):
            return None
        if any(not self._stands(name, digest) for name, digest in record["stands"].items()):
            return None
        return StepOutcome.of(record, is_reused=True)

    def _stands(self, name: str, digest: str) -> bool:
        """Say whether a published file is in place; a variant also has to be written down as made of these originals."""
        # NOTE: other originals may give the same bytes.
        if name in (*VARIANTS, ABLATIONS):
            made_of = originals_of(self.request.folder).get(name, {})
            if made_of.get("files") != self.request.raw_files:
                return False
        return digest_of_tree(self.request.folder / name) == digest

    def _key(self, step: Step, reads: Mapping[Place, Name | None]) -> str:
        # What is published is known by the bytes of the raw files, even where they give the same tables.
        return self._digest(step.name, step.uses | {RAW} if step.ends else step.uses, reads)

    def _key_of_part(self, step: Step, part: StepPart) -> str:
        uses = [parameter for parameter in step.uses if parameter.name in part.uses]
        return self._digest((step.name, part.name, part.given), uses, part.reads)

    def _digest(self, what: object, uses: Iterable[StepParameter[Any]], reads: Mapping[Place, Name | None]) -> str:
        used = sorted((parameter.name, self._fingerprint_of(parameter)) for parameter in uses)
        return fingerprint((what, self._runs, used, sorted(reads.items())))

    def _key_now(self, step: Step) -> str:
        return self._key(step, {place: self._name(place) for place in step.reads})

    @cached_property
    def _runs(self) -> str:
        """Return the fingerprint of the code that steps run, and of what they run it for."""
        return runs(self.request.environment)

    def _fingerprint_of(self, parameter: StepParameter[Any]) -> str:
        if parameter.name not in self._parameters:
            self._parameters[parameter.name] = fingerprint(parameter.of(self.request))
        return self._parameters[parameter.name]

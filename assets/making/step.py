"""A step: what it reads, uses and makes, the function that makes it, and what comes out of it when it is performed.

A step gets nothing that it does not declare.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, Self, TypeVar

import polars as pl

from anonymize.policy import Policy
from assets.making.fingerprint import fingerprint
from assets.making.flow import Door
from assets.making.inputs.observed import performing
from assets.making.inputs.reads import Seen, seen
from assets.making.keys import Place, path_of
from assets.making.parameters import MASTER, StepParameter
from assets.making.request import Request
from assets.making.results import MadeAsset, Recorded, Result, is_refusal, recorded
from assets.making.store import Name, StageTables, Store, StoredBlocks, Value
from pipeline.disk import reporting_disk
from pipeline.keyed import Key
from pipeline.model import Environment
from pipeline.places import CURATOR
from pipeline.private import private_file, private_folder
from pipeline.publish.files import digest_of_tree
from pipeline.publish.publication import Staging

T = TypeVar("T")


class PartsDone(NamedTuple):
    """How far a divided step is."""

    done: int
    of: int

    def __str__(self) -> str:
        return f"{self.done:,} of {self.of:,} parts"


Body = Callable[["Run"], Iterator[Result]]
"""What a step does: it is handed its run, and yields what came out."""


@dataclass(frozen=True, kw_only=True)
class StepPart:
    """A part of the work of a step, done again only if something that it depends on is another."""

    name: str
    reads: Mapping[Place, Name | None]
    """What it reads, by name in the store: of a table perhaps one block."""
    uses: frozenset[str] = frozenset()
    """What it uses of the request, by name: a part of what the step uses."""
    given: Any = ()
    """Whatever else it depends on, which any process can be sent."""


@dataclass(frozen=True, kw_only=True)
class StepDivision:
    """How a step is divided into parts, which any process may do, side by side; its body puts together what they keep."""

    parts: Callable[["Run"], Sequence[StepPart]]
    do: Callable[["Run", StepPart], Iterable[tuple[str, Value | Path]]]
    """Does a part, given a run that reads what the part reads; yields what is kept of it, by a name, or a file that is."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of a build."""

    environment: Environment
    name: str
    label: str
    """What a person reads of it."""
    reads: frozenset[Place]
    uses: frozenset[StepParameter[Any]]
    makes: frozenset[Place]
    """All that it keeps; what it does not keep in a run is not there in that build."""
    body: Body
    doors: Mapping[Place, Door] = field(default_factory=dict, hash=False)
    """Of what it makes of originals, what may be published nonetheless where records are sampled (`flow.py`)."""
    withheld: frozenset[Place] = frozenset()
    """Of what it reads, what it is not handed where records are sampled."""
    is_shown: bool = True
    """Whether the graph shows it; of another one nobody asks for the outcome but steps that read it."""
    is_at_home: bool = False
    """Whether no worker performs it: the build's own process has at hand what it needs."""
    ends: bool = False
    """Whether it stages what is published: then it starts when everything else is made, and sees the output folder."""
    division: StepDivision | None = field(default=None, hash=False)

    def under(self, policy: Policy) -> Self:
        """Return the step as it is under a policy."""
        is_less = policy.samples_records and self.withheld
        return replace(self, reads=self.reads - self.withheld) if is_less else self


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of a step: what it may read and use, and what it has kept."""

    step: Step
    fingerprint: str
    """The fingerprint of all code, and of the environment."""
    _request: Request = field(repr=False)
    store: Store
    given: Mapping[Place, Name | None]
    """What it may read, by name in the store."""
    part: StepPart | None = None
    """The part that is to be done; None for the whole step."""
    done: "Sequence[StepOutcome] | None" = None
    """What came out of its parts, in their order; None if they are not done yet."""
    kept: dict[Place, Name | None] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    """What whoever builds reads."""
    stands: list[str] = field(default_factory=list)
    """Files and folders that it wrote outside of the store, from the environment's output folder."""
    staged: list[Staging] = field(default_factory=list)
    """What a step that publishes has staged; the scheduler swaps it in with that of others."""

    @property
    def environment(self) -> Environment:
        """Return what is built."""
        return self.step.environment

    @property
    def folder(self) -> Path:
        """Return the environment's output folder, for a step that publishes."""
        if not self.step.ends:
            raise LookupError(f"{self.step.name} is no step that publishes, and writes nothing there")
        return self._request.folder

    @property
    def is_fresh(self) -> bool:
        """Say whether nothing is taken from the store that was not made in this build."""
        return self._request.is_fresh

    def use(self, parameter: StepParameter[T]) -> T:
        """Return a parameter of the request."""
        if parameter not in self.step.uses or (self.part and parameter.name not in self.part.uses):
            raise LookupError(f"{parameter.name} is used by {self.step.name}, and not declared to be")
        return parameter.of(self._request)

    def has(self, stage: str, name: str) -> bool:
        """Say whether this build has what a stage keeps under a name."""
        return self._given(stage, name) is not None

    def read(self, stage: str, name: str) -> Any:
        """Return what a stage keeps under a name; None if this build does not have it."""
        return self.store.value(self._given(stage, name))

    def blocks(self, stage: str, name: str) -> StoredBlocks:
        """Return a table that a stage keeps, as blocks."""
        return self.store.blocks(self._there(stage, name))

    def scan(self, stage: str, name: str) -> pl.LazyFrame:
        """Return a table that a stage keeps, of which what is asked for is read."""
        return self.blocks(stage, name).scan()

    def frames(self, stage: str, names: Iterable[str]) -> dict[str, pl.DataFrame]:
        """Return the tables of a stage that this build has."""
        values = {name: self.read(stage, name) for name in names}
        return {name: value for name, value in values.items() if value is not None}

    def tables(self, stage: str, names: Iterable[str]) -> Mapping[str, pl.DataFrame]:
        """Return the tables of a stage that this build has, each read whenever it is asked for, and not kept in memory."""
        return StageTables([name for name in names if self.has(stage, name)], partial(self.read, stage), is_kept=False)

    def unseal(self, stage: str, name: str) -> pl.DataFrame:
        """Return a table that a stage keeps sealed under the release key."""
        return self.store.unsealed(self._there(stage, name), self.use(MASTER), what=self._what(stage, name))

    def keep(self, stage: str, name: str, value: Value) -> None:
        """Keep a value for the stages to come."""
        self._keep(stage, name, self.store.keep(value))

    def keep_blocks(self, stage: str, name: str, blocks: Iterable[pl.DataFrame]) -> StoredBlocks:
        """Keep a table for the stages to come, of which no more than a block need be in memory; return it."""
        kept = self.store.keep_blocks(blocks)
        self._keep(stage, name, kept)
        return self.store.blocks(kept)

    def seal(self, stage: str, name: str, table: pl.DataFrame) -> None:
        """Keep a table sealed under the release key."""
        self._keep(stage, name, self.store.seal(table, self.use(MASTER), what=self._what(stage, name)))

    def keep_file(self, stage: str, name: str, file: Path) -> None:
        """Keep a file for the stages to come; it goes from where it lies."""
        self._keep(stage, name, self.store.keep_file(file))

    def file(self, stage: str, name: str) -> Path | None:
        """Return the file that a stage keeps under a name; None if this build does not have it."""
        kept = self._given(stage, name)
        return None if kept is None else self.store.file(kept)

    def note(self, name: str, text: str) -> None:
        """Write a file that is the curator's alone, beside the stages."""
        *folders, file = name.split("/")
        with reporting_disk(self._request.folder):
            private_file(private_folder(self._request.curator, *folders) / file).write_text(text, encoding="utf-8")
        self.stands.append(str(Path(CURATOR, name)))

    def standing(self, **known: str) -> dict[str, str]:
        """Return the digest of each file or folder that it wrote outside of the store, but for those that are known."""
        return {name: known.get(name) or digest_of_tree(self._request.folder / name) for name in self.stands}

    def parts(self) -> Sequence[StepPart]:
        """Return the parts into which the step is divided; none if it is not."""
        return self.step.division.parts(self) if self.step.division else ()

    def parts_reading(self, reads: Mapping[str, Iterable[Place]]) -> list[StepPart]:
        """Return parts by name, given what each reads, as far as the step is handed that; each uses all that the step uses."""
        uses, given = frozenset(parameter.name for parameter in self.step.uses), self.given
        return [
            StepPart(name=name, reads={place: given[place] for place in places if place in given}, uses=uses)
            for name, places in reads.items()
        ]

    def of_part(self, part: StepPart) -> Self:
        """Return the run of one of its parts."""
        return replace(self, part=part, given=part.reads, kept={}, lines=[])

    def names_of_parts(self, what: str) -> list[Name | None]:
        """Return the names in the store of what its parts kept under a name, in their order."""
        return [kept for part in self.done or () for (_, name), kept in part.made.items() if name == what]

    def of_parts(self, what: str) -> list[Any]:
        """Return what its parts kept under a name, in their order."""
        return list(map(self.store.value, self.names_of_parts(what)))

    def keep_parts(self, stage: str, name: str, what: str) -> Name:
        """Keep for the stages to come the table whose blocks its parts kept under a name, or what its one part did."""
        kept = self.store.together(list(filter(None, self.names_of_parts(what))))
        self._keep(stage, name, kept)
        return kept

    def blocks_named(self, stage: str, name: str) -> list[Name]:
        """Return the names in the store of the blocks of a table that a stage keeps."""
        return self.store.names_of_blocks(self._there(stage, name))

    def log(self, text: str) -> None:
        """Tell whoever builds a line."""
        self.lines.append(text)

    def made(self, stage: str, name: str, value: Value, metadata: Mapping[str, Any] | None = None) -> MadeAsset:
        """Keep the value of an asset, and return what the graph shows of it."""
        self.keep(stage, name, value)
        return self.shown(stage, name, metadata)

    def shown(self, stage: str, name: str, metadata: Mapping[str, Any] | None = None) -> MadeAsset:
        """Return what the graph shows of an asset that is kept already."""
        return MadeAsset(asset=path_of(self.environment, stage, name), metadata=metadata or {})

    def _given(self, stage: str, name: str) -> Name | None:
        if (stage, name) not in self.given:
            raise LookupError(f"{stage}/{name} is read by {self.step.name}, and not declared to be")
        return self.given[stage, name]

    def _there(self, stage: str, name: str) -> Name:
        kept = self._given(stage, name)
        if kept is None:
            raise LookupError(f"{stage}/{name} is read by {self.step.name}, and this build does not have it")
        return kept

    def _keep(self, stage: str, name: str, kept: Name | None) -> None:
        if (stage, name) not in self.step.makes:
            raise LookupError(f"{stage}/{name} is kept by {self.step.name}, and not declared to be")
        self.kept[stage, name] = kept

    def _what(self, stage: str, name: str) -> str:
        return f"table {self.environment.name}/{stage}/{name}"


@dataclass(frozen=True, kw_only=True)
class StepOutcome:
    """What came out of a step."""

    made: Mapping[Place, Name | None]
    results: Sequence[Recorded]
    lines: Sequence[str]
    stands: Mapping[str, str]
    """Digest of each file or folder that it wrote outside of the store."""
    seconds: float
    seen: Seen = field(default_factory=dict)
    """What the declaration's code read, in this step or before it."""
    is_reused: bool = False

    @property
    def is_passed(self) -> bool:
        """Say whether no check failed that does more than warn."""
        return not any(map(is_refusal, self.results))

    def record(self) -> dict[str, Any]:
        """Return what JSON keeps of it."""
        return {
            "made": [[*place, kept] for place, kept in sorted(self.made.items())],
            "results": list(self.results),
            "lines": list(self.lines),
            "stands": dict(self.stands),
            "seconds": self.seconds,
            "seen": dict(self.seen),
        }

    @classmethod
    def of(cls, record: Mapping[str, Any], *, is_reused: bool) -> Self:
        """Return what a record keeps."""
        made = {(stage, name): kept for stage, name, kept in record["made"]}
        return cls(**{**record, "made": made}, is_reused=is_reused)

    def version(self, key: Key) -> str:
        """Return a digest of all that was made, keyed: it is shown where a digest of originals must not stand."""
        content = fingerprint([sorted(self.made.items()), sorted(self.stands.items())])
        return key.derive("data version").digest(content).hex()


def performed(run: Run) -> StepOutcome:
    """Perform a step, or the part of it that is to be done, of which what is kept stands under names of its own.

    Raises:
        InputError: Something was written while it was read.
    """
    if run.part is None and run.done is None:
        run = replace(run, done=[performed(run.of_part(part)) for part in run.parts()])
    began, parts = perf_counter(), run.done or ()
    with performing():
        results = [recorded(result) for result in (_part_done(run) if run.part else run.step.body(run))]
    return StepOutcome(
        made={place: run.kept.get(place) for place in (run.kept if run.part else run.step.makes)},
        results=results,
        lines=[*(line for part in parts for line in part.lines), *run.lines],
        stands={} if run.step.ends else run.standing(),
        seconds=perf_counter() - began + sum(part.seconds for part in parts if not part.is_reused),
        seen={name: value for each in (*(part.seen for part in parts), seen()) for name, value in each.items()},
    )


def _part_done(run: Run) -> Iterator[Result]:
    """Do the part that is to be done, which shows nothing."""
    if run.part and run.step.division:
        for name, value in run.step.division.do(run, run.part):
            kept = run.store.keep_file(value) if isinstance(value, Path) else run.store.keep(value)
            run.kept[run.part.name, name] = kept
    return iter(())

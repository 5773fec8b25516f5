"""The scheduler: a step is made if anything that it depends on is another, and only then."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any

import polars as pl
import pytest

from assets.making.keys import Place
from assets.making.originals import ORIGINALS, originals_with
from assets.making.parameters import KEY, POLICY, StepParameter
from assets.making.request import Request
from assets.making.results import CheckOutcome, Result
from assets.making.scheduler import HeldBackError, Scheduler
from assets.making.step import Run, Step, StepDivision, StepPart
from assets.making.store import Store, Value
from assets.wiring.resources import Workspace
from pipeline.errors import GateError, InputError
from pipeline.keyed import Key
from pipeline.publish.manifest import MANIFEST
from pipeline.publish.publication import stage
from silt.environments.us_listed import US_LISTED

Does = Callable[[Run], str]


@pytest.fixture
def request_(tmp_path: Path) -> Request:
    """Return a request in a folder of its own."""
    key = tmp_path / "own.key"
    key.write_text("5eed" * 16 + "\n")
    key.chmod(0o600)
    for table in US_LISTED.raw_tables:
        (tmp_path / f"{table.file}.csv").touch()
    settings = Workspace(raw=str(tmp_path), key_file=str(key), out=str(tmp_path / "out"))
    return settings.request(US_LISTED)


@dataclass
class Bench:
    """Steps `a -> b -> d`, `a -> c -> d`, and what was run of them."""

    request: Request
    ran: list[str] = field(default_factory=list)
    does: dict[str, Does] = field(default_factory=dict)

    def step(self, name: str, *reads: str, uses: tuple[StepParameter[Any], ...] = (), ends: bool = False) -> Step:
        """Return a step that keeps a text made of those that it reads."""

        def body(run: Run) -> Iterator[Result]:
            self.ran.append(name)
            text = self.does[name](run) if name in self.does else name
            run.log(f"{name} is made")
            yield run.made("stage", name, f"{text}({','.join(str(run.read('stage', read)) for read in reads)})")

        return Step(
            environment=US_LISTED,
            name=name,
            label=name,
            reads=frozenset(("stage", read) for read in reads),
            uses=frozenset(uses),
            makes=frozenset({("stage", name)}),
            body=body,
            ends=ends,
        )

    def scheduler(
        self, *, is_fresh: bool = False, instead: Mapping[Place, str] | None = None, **changes: Any
    ) -> Scheduler:
        """Return what makes the four steps, some of them changed."""
        steps = {
            "a": self.step("a", uses=(POLICY,)),
            "b": self.step("b", "a"),
            "c": self.step("c", "a", uses=(KEY,)),
            "d": self.step("d", "b", "c"),
        }
        store = Store(self.request.store)
        with store.held():
            every = tuple((steps | changes).values())
            return Scheduler(replace(self.request, is_fresh=is_fresh), every, store, instead=instead)

    def made(self, **settings: Any) -> list[str]:
        """Make the last step; return what was run for it."""
        self.ran.clear()
        scheduler = self.scheduler(**settings)
        assert scheduler.outcome(scheduler.steps[-1]).is_passed
        return sorted(self.ran)


def test_what_the_curator_has_is_no_variant(request_: Request) -> None:
    """It is not even looked at: a step that goes on after its build was refused removes folders there meanwhile."""
    is_over, store = Event(), Store(request_.folder / "curator/store")

    def work() -> None:
        while not is_over.is_set():
            with store.scratch():
                pass

    with store.held(), ThreadPoolExecutor(1) as threads:
        threads.submit(work)
        try:
            for _ in range(300):
                request_.refuse_others(())
        finally:
            is_over.set()


@pytest.fixture
def bench(request_: Request) -> Bench:
    """Return a bench on which everything was made once."""
    found = Bench(request_)
    assert found.made() == ["a", "b", "c", "d"]
    return found


@pytest.mark.parametrize("name", ["key_fingerprint", "policy", "source", "scale"])
def test_what_stands_in_a_folder_belongs_together(request_: Request, name: str) -> None:
    """A variant that is not replaced has to be of the same key, policy, source and scale; one that is, or is none, need not."""
    made_of(request_, "clean", request_.raw_files)
    own = {
        "key_fingerprint": request_.release.master.fingerprint(),
        "policy": request_.policy.name,
        "source": request_.source,
        "scale": request_.scale,
    }
    for folder in ("clean", "ablations/all_noise", "curator/refused"):
        (file := request_.folder / folder / MANIFEST).parent.mkdir(parents=True)
        file.write_text(json.dumps(own))
    request_.refuse_others(["noisy"])
    (request_.folder / "curator/refused" / MANIFEST).write_text(json.dumps(own | {name: "another"}))
    request_.refuse_others(["noisy"])
    (request_.folder / "ablations/all_noise" / MANIFEST).write_text(json.dumps(own | {name: "another"}))
    request_.refuse_others(["ablations"])
    assert request_.replaced(["noisy", "clean"]) == []
    assert request_.replaced(["ablations"]) == [f"another {name.replace('key_fingerprint', 'key')}"]
    with pytest.raises(InputError, match=r"ablations was built with another"):
        request_.refuse_others(["noisy", "clean"])


def test_what_stands_in_a_folder_is_of_the_same_originals(request_: Request) -> None:
    """But for ablations, and what is replaced; what is released has to be, and what nobody wrote down is not."""
    own = {"key_fingerprint": request_.release.master.fingerprint(), "policy": request_.policy.name}
    own |= {"source": request_.source, "scale": request_.scale}
    for folder in ("clean", "ablations/all_noise"):
        (file := request_.folder / folder / MANIFEST).parent.mkdir(parents=True)
        file.write_text(json.dumps(own))
    others = ({}, {"a.csv": "0" * 64}, request_.raw_files | {"a.csv": "0" * 64})
    for files in others:
        made_of(request_, "clean", files)
        request_.refuse_others(["clean"])
        assert request_.replaced(["clean"]) == []  # the end of a build says what was corrected
        request_.refuse_stale(["noisy"])
        with pytest.raises(InputError, match=r"clean was built with another set of originals, .* build it in the same"):
            request_.refuse_others(["noisy"])
        with pytest.raises(
            InputError, match=r"clean is of another set of originals than what is given; build it again"
        ):
            request_.refuse_stale(["noisy", "clean"])
    made_of(request_, "clean", request_.raw_files)
    request_.refuse_others(["noisy"])
    request_.refuse_stale(["clean"])


def made_of(request: Request, variant: str, files: Mapping[str, str]) -> None:
    request.curator.joinpath(ORIGINALS).write_bytes(originals_with(request.folder, [variant], files, {}))


def test_nothing_is_made_twice(bench: Bench) -> None:
    """What is there is neither missing nor run; what it told is told again."""
    scheduler = bench.scheduler()
    assert scheduler.missing(scheduler.steps) == []
    assert bench.made() == []
    outcome = scheduler.outcome(scheduler.steps[-1])
    assert (outcome.is_reused, list(outcome.lines)) == (True, ["d is made"])
    assert scheduler.value(("stage", "d")) == "d(b(a()),c(a()))"


def test_fresh_takes_nothing_from_the_store(bench: Bench) -> None:
    """Everything is made, each step once."""
    scheduler = bench.scheduler(is_fresh=True)
    assert [step.name for step in scheduler.missing(scheduler.steps)] == ["a", "b", "c", "d"]
    assert bench.made(is_fresh=True) == ["a", "b", "c", "d"]
    assert bench.made() == []


def test_an_aspect_concerns_the_steps_that_use_it(bench: Bench) -> None:
    """Another key makes `c` again, and what depends on it; another policy makes `a` again, which comes out as it was."""
    release = replace(bench.request.release, master=Key(b"k" * 32))
    bench.request = replace(bench.request, release=release)
    assert bench.made() == ["c"]
    bench.request = replace(bench.request, policy=replace(bench.request.policy, name="another"))
    assert bench.made() == ["a"]


def test_what_comes_out_as_it_was_stops_there(bench: Bench) -> None:
    """The key of a step says what its sources hold, not how they were made."""
    changed = bench.step("b", "a", uses=(POLICY,))
    scheduler = bench.scheduler(b=changed)
    assert [step.name for step in scheduler.missing(scheduler.steps)] == ["b", "d"]
    assert bench.made(b=changed) == ["b"]


def test_what_comes_out_otherwise_goes_on(bench: Bench) -> None:
    """Along the steps that read it."""
    bench.does["b"] = lambda _run: "B"
    changed = bench.step("b", "a", uses=(POLICY,))
    assert bench.made(b=changed) == ["b", "d"]
    assert bench.scheduler(b=changed).value(("stage", "d")) == "d(B(a()),c(a()))"


def test_a_lost_table_is_made_again_when_it_is_needed(bench: Bench) -> None:
    """Not before: what was made of it is there. The same of a damaged one, and of those before it."""
    store = Store(bench.request.store)
    for name in (store.root / "objects").iterdir():
        if b"d(" not in name.read_bytes():
            name.unlink()
    assert bench.made() == []
    bench.does["d"] = lambda _run: "D"
    changed = bench.step("d", "b", "c", uses=(POLICY,))
    assert bench.made(d=changed) == ["a", "b", "c", "d"]
    for name in (store.root / "objects").iterdir():
        name.write_bytes(b"damaged")
    assert bench.scheduler(d=changed).value(("stage", "d")) == "D(b(a()),c(a()))"


def test_another_value_in_a_place_is_what_steps_read(bench: Bench) -> None:
    """The step that makes the place is not run; the build's own stays as it is."""
    instead = {("stage", "a"): "x"}
    assert bench.made(instead=instead) == ["b", "c", "d"]
    assert bench.scheduler(instead=instead).value(("stage", "d")) == "d(b(x),c(x))"
    assert bench.scheduler().value(("stage", "d")) == "d(b(a()),c(a()))"


def refusing(bench: Bench, name: str, *reads: str) -> Step:
    """Return a step with a check that fails."""
    step = bench.step(name, *reads, uses=(POLICY,))

    def body(run: Run) -> Iterator[Result]:
        yield from step.body(run)
        yield CheckOutcome(check="never", is_passed=False)

    return replace(step, body=body)


def test_what_is_refused_is_not_kept(bench: Bench) -> None:
    """A check that fails is judged again the next time; nothing that depends on it starts, and nothing is published.

    What an earlier build kept is found beside what came out of this one.
    """
    end = bench.step("e", "c", ends=True)
    for _ in range(2):
        scheduler = bench.scheduler(b=refusing(bench, "b", "a"), e=end)
        scheduler.start(scheduler.steps)
        assert not scheduler.outcome(scheduler.steps[1]).is_passed
        with pytest.raises(HeldBackError, match="nothing is published, since a part of the build did not pass"):
            scheduler.outcome(scheduler.steps[4])
        assert {*scheduler.outcomes()} == {"a", "b"}
        assert all(scheduler.found(scheduler.steps[:4]).values())
    assert bench.ran.count("b") == 3
    assert "e" not in bench.ran


def test_what_publishes_waits_until_it_is_asked_for(bench: Bench) -> None:
    """Everything else has been made then."""
    end = bench.step("e", "d", ends=True)
    scheduler = bench.scheduler(is_fresh=True, e=end)
    bench.ran.clear()
    scheduler.start(scheduler.steps)
    assert scheduler.outcome(scheduler.steps[3]).is_passed
    assert "e" not in bench.ran
    assert scheduler.outcome(scheduler.steps[4]).is_passed
    assert sorted(bench.ran) == ["a", "b", "c", "d", "e"]


def staging(bench: Bench, variant: str) -> Does:
    """Return what stages a variant of one file."""

    def staged(run: Run) -> str:
        place = stage(bench.request.folder, variant)
        (place.public / MANIFEST).write_text('{"files": []}')
        run.staged.append(place)
        run.stands.append(variant)
        return variant

    return staged


def test_what_is_published_in_one_build_appears_together(bench: Bench) -> None:
    """Whichever of two steps that publish is asked for first, both variants are in place then, and are not made again."""
    bench.does |= {"e": staging(bench, "noisy"), "f": staging(bench, "clean")}
    ends = {name: bench.step(name, "d", ends=True) for name in ("e", "f")}
    for ran in (["e", "f"], []):
        bench.ran.clear()
        scheduler = bench.scheduler(**ends)
        scheduler.start(scheduler.steps)
        assert scheduler.outcome(scheduler.steps[5]).stands.keys() == {"clean"}
        assert {path.parent.name for path in bench.request.folder.glob(f"*/{MANIFEST}")} == {"noisy", "clean"}
        assert scheduler.outcome(scheduler.steps[4]).is_passed
        assert [name for name in sorted(bench.ran) if name in ends] == ran


@pytest.mark.parametrize("asked", [(4, 5), (5, 4)])
def test_what_cannot_be_published_holds_back_what_is_published_with_it(bench: Bench, asked: tuple[int, int]) -> None:
    """The step that fails raises its error, the other says that it was held back; nothing of either is in place."""

    def refused(run: Run) -> str:
        raise GateError(f"{run.step.name} is refused")

    bench.does |= {"e": staging(bench, "noisy"), "f": refused}
    scheduler = bench.scheduler(**{name: bench.step(name, "d", ends=True) for name in ("e", "f")})
    scheduler.start(scheduler.steps)
    for place in asked:
        with pytest.raises(GateError, match="f is refused" if place == 5 else "nothing is published, since a part"):
            scheduler.outcome(scheduler.steps[place])
    assert not list(bench.request.folder.glob(f"*/{MANIFEST}"))


def test_a_file_outside_of_the_store_is_written_again_if_it_is_another(bench: Bench) -> None:
    """What a step wrote for the curator counts as made only while it is there as it was."""

    def notes(run: Run) -> str:
        run.note("told/model.txt", "a model\n")
        return "b"

    bench.does["b"] = notes
    changed = bench.step("b", "a", uses=(POLICY, KEY))
    file = bench.request.folder / "curator" / "told" / "model.txt"
    assert bench.made(b=changed) == ["b"]
    assert file.read_text() == "a model\n"
    assert bench.made(b=changed) == []
    file.write_text("another")
    assert bench.made(b=changed) == ["b"]
    file.unlink()
    assert bench.made(b=changed) == ["b"]


@pytest.mark.parametrize(
    ("does", "message"),
    [
        (lambda run: run.read("stage", "b"), "stage/b is read by c, and not declared to be"),
        (lambda run: run.use(POLICY).name, "policy is used by c, and not declared to be"),
        (lambda run: run.keep("stage", "b", "") or "", "stage/b is kept by c, and not declared to be"),
        (lambda run: str(run.folder), "c is no step that publishes, and writes nothing there"),
        (lambda run: str(run.unseal("stage", "b")), "stage/b is read by c, and not declared to be"),
    ],
)
def test_a_step_gets_what_it_declares(bench: Bench, does: Does, message: str) -> None:
    """Anything else is a defect: it would not be in the step's key."""
    bench.does["c"] = does
    changed = bench.step("c", "a", uses=(KEY,))
    scheduler = bench.scheduler(is_fresh=True, c=changed)
    with pytest.raises(LookupError, match=message):
        scheduler.outcome(changed)


def test_the_version_of_data_says_nothing_without_the_key(bench: Bench) -> None:
    """The same content has one version under a key, another under another key, and none that content alone gives."""
    outcome = bench.scheduler().outcome(bench.scheduler().steps[0])
    first, second = Key(b"a" * 32), Key(b"b" * 32)
    assert outcome.version(first) == bench.scheduler().outcome(bench.scheduler().steps[0]).version(first)
    assert outcome.version(first) != outcome.version(second)
    assert outcome.version(first) != bench.scheduler().outcome(bench.scheduler().steps[3]).version(first)


# --- parts ---------------------------------------------------------------------------------------------------------------


def divided(ran: list[str], blocks: Sequence[str], *, rate: float = 1.0) -> list[Step]:
    """Return a step that keeps a table of blocks, and one that does something with each."""

    def table(run: Run) -> Iterator[Result]:
        run.keep_blocks("stage", "table", (pl.DataFrame({"text": [block]}) for block in blocks))
        return iter(())

    def parts(run: Run) -> list[StepPart]:
        names = run.blocks_named("stage", "table")
        return [
            StepPart(name=str(place), reads={("stage", "table"): name}, given=rate) for place, name in enumerate(names)
        ]

    def do(run: Run, part: StepPart) -> Iterator[tuple[str, Value]]:
        block = run.read("stage", "table")["text"].item()
        ran.append(block)
        run.log(f"{block} is done")
        yield "done", block * int(part.given)

    def body(run: Run) -> Iterator[Result]:
        yield run.made("stage", "all", "+".join(run.of_parts("done")))

    known: dict[str, Any] = {"environment": US_LISTED, "uses": frozenset()}
    first = Step(
        name=f"table of {blocks}",
        label="table",
        reads=frozenset(),
        makes=frozenset({("stage", "table")}),
        body=table,
        **known,
    )
    reads, makes = frozenset({("stage", "table")}), frozenset({("stage", "all")})
    division = StepDivision(parts=parts, do=do)
    return [
        first,
        Step(name=f"all at {rate}", label="all", reads=reads, makes=makes, body=body, division=division, **known),
    ]


def came_out(request: Request, steps: Sequence[Step]) -> tuple[str, Sequence[str]]:
    """Return what comes out of the last step, and its lines."""
    store = Store(request.store)
    with store.held():
        scheduler = Scheduler(request, steps, store)
        scheduler.start([steps[-1]])
        outcome = scheduler.outcome(steps[-1])
        return str(scheduler.value(("stage", "all"))), outcome.lines


def test_a_part_is_done_again_only_if_it_is_another(request_: Request) -> None:
    """One block that changed is one part; what is said of parts is said of the step; a part that is lost is done again."""
    ran: list[str] = []
    assert came_out(request_, divided(ran, "abc")) == ("a+b+c", ["a is done", "b is done", "c is done"])
    assert came_out(request_, divided(ran, "axc"))[0] == "a+x+c"
    assert sorted(ran) == ["a", "b", "c", "x"]
    assert came_out(request_, divided(ran, "axc", rate=2.0))[0] == "aa+xx+cc"
    assert len(ran) == 7
    lost = Store(request_.store).keep("aa")
    assert lost is not None
    (request_.store / "objects" / lost).unlink()
    assert came_out(request_, divided(ran, "axd", rate=2.0))[0] == "aa+xx+dd"
    assert sorted(ran[7:]) == ["a", "d"]


def test_a_part_uses_what_it_says_and_nothing_else(request_: Request) -> None:
    """What it does not name is not in its key."""
    first, last = divided([], "ab")
    assert last.division is not None
    reaching = replace(last.division, do=lambda run, _: [("done", str(run.use(KEY)))])
    with pytest.raises(LookupError, match="key is used by all"):
        came_out(request_, [first, replace(last, division=reaching, uses=frozenset({KEY}))])

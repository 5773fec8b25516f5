"""Workers: a step that another process performs comes out as it does here, and whatever goes wrong there is done here."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import Pipe
from pathlib import Path

import pytest

from assets.making.engines.worker import Worker, WorkerPool
from assets.making.fingerprint import fingerprint
from assets.making.inputs.code import code, libraries, own_code, silts_files
from assets.making.request import Request
from assets.making.results import Result
from assets.making.step import Run, Step, StepOutcome, performed
from assets.making.store import Store
from assets.wiring.resources import Workspace
from silt.engines.local import process
from silt.environments.us_listed import US_LISTED
from tests.unit.making.worker_steps import DEFECT, ENDS_WORKER, SPARED, steps

COMMAND = [sys.executable, "-m", "tests.unit.making.worker_steps"]
STEPS = {step.name: step for step in steps(US_LISTED)}


@pytest.fixture(scope="module")
def request_(tmp_path_factory: pytest.TempPathFactory) -> Request:
    """Return a request in a folder of its own, in a process that knows no other code than a new one does."""
    for known in (silts_files, own_code, code, libraries):
        known.cache_clear()
    folder = tmp_path_factory.mktemp("worker")
    for table in US_LISTED.raw_tables:
        (folder / f"{table.file}.csv").touch()
    (key := folder / "own.key").touch(mode=0o600)
    key.write_text("5eed" * 16 + "\n")
    return Workspace(raw=str(folder), key_file=str(key), out=str(folder / "out")).request(US_LISTED)


@pytest.fixture(scope="module")
def worker(request_: Request) -> Iterator[Worker]:
    """Return a worker that is ready."""
    with worker_of(US_LISTED.name, request_) as found:
        yield found


@contextmanager
def worker_of(environment: str, request: Request) -> Iterator[Worker]:
    """Give a worker on an environment that has met the build."""
    with process([*COMMAND, environment]) as pipe:
        found = Worker(request, pipe)
        found.meet()
        yield found


def run_of(step: Step, request: Request) -> Run:
    """Return a run of a step as the scheduler makes it."""
    store = Store(request.store)
    with store.held():
        known = fingerprint((code(), fingerprint(US_LISTED)))
        return Run(step=step, fingerprint=known, _request=request, store=store, given={})


def process_of(outcome: StepOutcome | None, step: str, request: Request) -> int:
    """Return the number of the process that performed a step."""
    assert outcome is not None
    return int(str(Store(request.store).value(outcome.made["stage", step])))


def test_outcome_of_a_worker_is_that_of_the_build(worker: Worker, request_: Request) -> None:
    """It is another process, which has the request; everything else comes out equal."""
    there, here = worker(run_of(STEPS["number"], request_)), performed(run_of(STEPS["number"], request_))
    assert process_of(there, "number", request_) != process_of(here, "number", request_) == os.getpid()
    assert replace(here, made={}, seconds=0) == replace(there or here, made={}, seconds=0)
    assert here.lines == [f"under {request_.policy.name}"]


def test_what_goes_wrong_is_met_by_the_build(
    worker: Worker, request_: Request, capfd: pytest.CaptureFixture[str]
) -> None:
    """A worker says nothing of a defect, and performs nothing that it knows by other code; it is there for the next step."""
    assert worker(run_of(STEPS[DEFECT], request_)) is None
    changed = replace(run_of(STEPS["number"], request_), fingerprint="other code")
    assert worker(changed) is None
    pool = WorkerPool([worker])
    with pytest.raises(ValueError, match=DEFECT):
        pool(run_of(STEPS[DEFECT], request_))
    assert process_of(worker(run_of(STEPS["number"], request_)), "number", request_) != os.getpid()
    assert capfd.readouterr() == ("", "")


def test_step_is_performed_though_the_worker_dies(request_: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that ends in the midst of a step is not asked again, and the build performs that step and all others."""
    monkeypatch.setenv(SPARED, str(os.getpid()))
    with worker_of(US_LISTED.name, request_) as worker:
        assert worker(run_of(STEPS["number"], request_)) is not None
        assert worker(run_of(STEPS[ENDS_WORKER], request_)) is None
        assert worker(run_of(STEPS["number"], request_)) is None
        pool = WorkerPool([worker])
        within = replace(STEPS["number"], body=lambda run: _performed_meanwhile(pool, run, [STEPS["number"]]))
        assert pool(run_of(within, request_)).is_passed


def test_worker_of_another_environment_is_not_used(request_: Request) -> None:
    """What declares something else under the name, or nothing at all, performs nothing."""
    for other in ("dataclaw-18", "unknown"):
        with worker_of(other, request_) as worker:
            assert worker(run_of(STEPS["number"], request_)) is None


def test_step_that_stays_at_home_goes_to_no_worker(worker: Worker, request_: Request) -> None:
    """Others go to one while the build's own process is at work."""
    pool = WorkerPool([worker])
    at_home, anywhere = replace(STEPS["number"], is_at_home=True), STEPS["number"]
    assert process_of(pool(run_of(at_home, request_)), "number", request_) == os.getpid()
    within = replace(anywhere, body=lambda run: _performed_meanwhile(pool, run, [at_home, anywhere]))
    numbers = str(Store(request_.store).value(pool(run_of(within, request_)).made["stage", "number"])).split()
    assert [number == str(os.getpid()) for number in numbers] == [True, False]


def _performed_meanwhile(pool: WorkerPool, run: Run, steps: list[Step]) -> Iterator[Result]:
    """Keep the numbers of the processes that perform steps while this one is performed."""
    request = run._request
    numbers = [process_of(pool(run_of(step, request)), "number", request) for step in steps]
    yield run.made("stage", "number", " ".join(map(str, numbers)))


def test_worker_that_is_not_ready_is_not_waited_for(request_: Request) -> None:
    """A process that says nothing performs nothing, and costs a build no time."""
    here, _there = Pipe()
    assert Worker(request_, here)(run_of(STEPS["number"], request_)) is None


def test_process_ends_with_what_it_is_for() -> None:
    """Whatever it is at."""
    program = "import os, sys, time; os.write(int(sys.argv[1]), str(os.getpid()).encode()); time.sleep(60)"
    with process([sys.executable, "-c", program]) as pipe:
        started = Path("/proc", os.read(pipe.fileno(), 20).decode())
        assert started.exists()
    assert not started.exists()


def test_worker_ends_with_its_build(request_: Request) -> None:
    """A build that is killed leaves no process behind."""
    program = f"""
import time
from tests.unit.making.test_worker import STEPS, US_LISTED, Workspace, process_of, run_of, worker_of
places = {{"raw": {str(request_.raw)!r}, "key_file": {str(request_.release.file)!r}, "out": {str(request_.out)!r}}}
request = Workspace(**places).request(US_LISTED)
with worker_of(US_LISTED.name, request) as worker:
    print(process_of(worker(run_of(STEPS["number"], request)), "number", request), flush=True)
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as build:
        assert build.stdout is not None
        started = Path("/proc", build.stdout.readline().strip())
        assert started.exists()
        build.kill()
    until = time.monotonic() + 60
    while started.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not started.exists()

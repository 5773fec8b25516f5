"""A process that performs steps beside the build's own: threads alone wait for each other wherever Python is at work.

Both ends of the pipe are here. A worker starts with nothing but the name of an environment (`silt/commands/build/workers.py`);
the request comes through the pipe, so that no key is on a command line or a disk. It performs a step only if its own code and
declaration are those by which the build knows the step. It tells nothing of what goes wrong in it: the build performs that step
itself, and meets the error.
"""

import io
import os
import pickle
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread

from assets.making.fingerprint import fingerprint
from assets.making.inputs.code import code
from assets.making.keys import Place
from assets.making.request import Request
from assets.making.step import Run, Step, StepOutcome, performed
from assets.making.store import Name, Store
from pipeline.model import Environment

_Task = tuple[str, str, Mapping[Place, Name | None]]
"""Name of a step, by what it is known, and what it may read."""


class WorkerPool:
    """What performs steps: this process, and beside it those workers that are ready."""

    def __init__(self, workers: Sequence["Worker"]) -> None:
        """Take the workers."""
        self._free: deque[Callable[[Run], StepOutcome | None]] = deque([performed, *workers])

    def __call__(self, run: Run) -> StepOutcome:
        """Perform a step wherever somebody is free for it, in this process first; some nowhere else."""
        try:
            performer = self._free.popleft()
        except IndexError:
            return performed(run)
        try:
            return (performed if run.step.is_at_home else performer)(run) or performed(run)
        finally:
            (self._free.appendleft if performer is performed else self._free.append)(performer)


class Worker:
    """A worker, as the build uses it."""

    def __init__(self, request: Request, pipe: Connection) -> None:
        """Take the request, and the pipe to a process that runs `serve`, or will."""
        self._request, self._pipe = request, pipe
        self._ready: Connection | None = None

    def meet(self) -> None:
        """Wait until the process is ready, and hand it the request; one that has another environment is not used."""
        with suppress(OSError, EOFError):
            if self._pipe.recv() == fingerprint(self._request.environment):
                self._pipe.send_bytes(_pickled(self._request))
                self._ready = self._pipe

    def __call__(self, run: Run) -> StepOutcome | None:
        """Perform a step; None if that cannot be done there."""
        if (ready := self._ready) is None:
            return None
        try:
            ready.send((run.step.name, run.fingerprint, run.given))
            outcome: StepOutcome | None = ready.recv()
        except (OSError, EOFError):
            self._ready = outcome = None
        return outcome


def serve(pipe: int, environment: Environment, steps: Sequence[Step]) -> None:
    """Perform the steps that are asked for through a pipe, until its other end is closed."""
    connection = Connection(pipe)
    known = fingerprint(environment)
    connection.send(known)
    runs = fingerprint((code(), known))
    request, by_name = _unpickled(connection.recv_bytes(), environment), {step.name: step for step in steps}
    store = Store(request.store)
    for name, runs_as, given in _tasks(connection):
        step = by_name[name]
        run = Run(step=step, fingerprint=runs_as, _request=request, store=store, given=given)
        connection.send(_outcome(run) if runs_as == runs else None)


def _outcome(run: Run) -> StepOutcome | None:
    try:
        return performed(run)
    except BaseException:  # noqa: BLE001  (raised again where it can be reported)
        return None


def _tasks(connection: Connection) -> Iterator[_Task]:
    """Yield what is asked for. When the build ends, however it does, so does this process, in the midst of a step."""
    tasks: SimpleQueue[_Task] = SimpleQueue()

    def listen() -> None:
        with suppress(OSError, EOFError):
            while True:
                tasks.put(connection.recv())
        os._exit(0)

    Thread(target=listen, daemon=True).start()
    while True:
        yield tasks.get()


class _Pickler(pickle.Pickler):
    """Leaves out the environment, which may hold functions that no other process can be given."""

    def persistent_id(self, obj: object) -> str | None:
        return Environment.__name__ if isinstance(obj, Environment) else None


class _Unpickler(pickle.Unpickler):
    """Puts in the environment as this process has it."""

    def __init__(self, content: io.BytesIO, environment: Environment) -> None:
        super().__init__(content)
        self._environment = environment

    def persistent_load(self, pid: object) -> Environment:  # noqa: ARG002  (there is one)
        return self._environment


def _pickled(request: Request) -> bytes:
    content = io.BytesIO()
    _Pickler(content).dump(request)
    return content.getvalue()


def _unpickled(content: bytes, environment: Environment) -> Request:
    request: Request = _Unpickler(io.BytesIO(content), environment).load()
    return request

"""A process that performs steps beside the build's own: threads alone wait for each other wherever Python is at work.

Both ends of the pipe are here. A worker starts with nothing but the name of an environment (`silt/engines/local.py`); the
request and the key come through the pipe, so that no key is on a command line or a disk.
"""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread

from assets.making.engines import processors
from assets.making.engines.remote import Performer, RemoteStep, packed, unpacked
from assets.making.fingerprint import fingerprint
from assets.making.request import Request
from assets.making.step import Run, Step, StepOutcome, performed
from pipeline.model import Environment


class WorkerPool:
    """What performs steps: this process, and beside it those workers that are ready."""

    def __init__(self, workers: Sequence["Worker"]) -> None:
        """Take the workers."""
        self._free: deque[Callable[[Run], StepOutcome | None]] = deque([performed, *workers])

    @property
    def at_once(self) -> int:
        """Return one for each processor."""
        return processors()

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
                self._pipe.send((packed(self._request), self._request.release))
                self._ready = self._pipe

    def __call__(self, run: Run) -> StepOutcome | None:
        """Perform a step; None if that cannot be done there."""
        if (ready := self._ready) is None:
            return None
        try:
            ready.send(RemoteStep.of(run))
            outcome: StepOutcome | None = ready.recv()
        except (OSError, EOFError):
            self._ready = outcome = None
        return outcome


def serve(pipe: int, environment: Environment, steps: Sequence[Step]) -> None:
    """Perform the steps that are asked for through a pipe, until its other end is closed."""
    connection = Connection(pipe)
    connection.send(fingerprint(environment))
    content, release = connection.recv()
    performer = Performer(unpacked(content, environment, release), steps)
    for task in _tasks(connection):
        connection.send(performer(task) if performer.is_of(task) else None)


def _tasks(connection: Connection) -> Iterator[RemoteStep]:
    """Yield what is asked for. When the build ends, however it does, so does this process, in the midst of a step."""
    tasks: SimpleQueue[RemoteStep] = SimpleQueue()

    def listen() -> None:
        with suppress(OSError, EOFError):
            while True:
                tasks.put(connection.recv())
        os._exit(0)

    Thread(target=listen, daemon=True).start()
    while True:
        yield tasks.get()

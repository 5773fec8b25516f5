"""This machine as engine: the build's own process, and workers beside it (`assets/making/engines/worker.py`).

Only builds of some size have any: to import what steps need takes a worker seconds.
"""

import gc
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Thread

from assets.making.engines import processors
from assets.making.engines.worker import Worker, WorkerPool, serve
from assets.making.request import Request
from silt.environments.registry import find_environment

_MOST = 3
"""Workers at most: there are hardly more long steps at a time, and each takes 200 MB."""

_SMALL = 10**5
"""Bytes of raw tables of which a build takes less time than a worker to begin (our choice)."""


@contextmanager
def local_engine(request: Request) -> Iterator[WorkerPool]:
    """Give what performs steps: this process, and a worker for every processor but one, up to a few; afterwards these end."""
    environment = request.environment
    # NOTE: -P, or a folder of the user's that is called like one of Silt's would be imported in its place.
    command = [sys.executable, "-P", "-m", __name__, environment.declared_in or environment.name]
    is_small = sum((request.raw / file).stat().st_size for file in request.raw_files) < _SMALL
    with ExitStack() as all_started:
        pipes = [
            all_started.enter_context(process(command)) for _ in range(0 if is_small else min(processors() - 1, _MOST))
        ]
        workers = [Worker(request, pipe) for pipe in pipes]
        for worker in workers:
            Thread(target=worker.meet, daemon=True).start()
        yield WorkerPool(workers)


@contextmanager
def process(command: Sequence[str]) -> Iterator[Connection]:
    """Start a process that is given one end of a pipe, and yield the other one; afterwards it ends, whatever it is at."""
    here, there = Pipe()
    with there:
        begun = subprocess.Popen(  # noqa: S603  (Silt itself)
            [*command, str(there.fileno())],
            pass_fds=[there.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    try:
        yield here
    finally:
        begun.kill()
        begun.wait()


def _serve(reference: str, pipe: int) -> None:
    from assets.every_step import declared_steps, ordered  # noqa: PLC0415

    environment = find_environment(reference)
    serve(pipe, environment, ordered(declared_steps(environment)))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts a build ends it; the worker ends with it
    warnings.simplefilter("ignore")
    gc.disable()  # as the build does
    _serve(sys.argv[1], int(sys.argv[2]))

"""The workers of a build: how many there are, and their processes. What a worker is stands in `assets/making/worker.py`.

Their processes start before the build itself has imported what it needs: both do so at once.
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

from assets.making.side_by_side import processors
from pipeline.model import Environment
from silt.environments.registry import find_environment

_MOST = 3
"""Workers at most: there are hardly more long steps at a time, and each takes 200 MB."""


@contextmanager
def started(environment: Environment) -> Iterator[list[Connection]]:
    """Give pipes to the processes of workers, one for every processor but one, up to a few; afterwards they end."""
    reference = environment.declared_in or environment.name
    # NOTE: -P, or a folder of the user's that is called like one of Silt's would be imported in its place.
    command = [sys.executable, "-P", "-m", __name__, reference]
    with ExitStack() as all_started:
        yield [all_started.enter_context(process(command)) for _ in range(min(processors() - 1, _MOST))]


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
    from assets.making.worker import serve  # noqa: PLC0415  (dagster takes seconds to import)
    from silt.definitions import declared_steps, ordered  # noqa: PLC0415

    environment = find_environment(reference)
    serve(pipe, environment, ordered(declared_steps(environment)))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts a build ends it; the worker ends with it
    warnings.simplefilter("ignore")
    gc.disable()  # as the build does
    _serve(sys.argv[1], int(sys.argv[2]))

"""The workers of a build: how many there are, and what they run. What a worker is stands in `assets/making/worker.py`."""

import gc
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

from assets.making.request import Request
from assets.making.side_by_side import processors
from assets.making.worker import Hands, Worker, serve
from silt.definitions import declared_steps, ordered
from silt.environments.registry import find_environment

_MOST = 3
"""Workers at most: there are hardly more long steps at a time, and each takes 200 MB."""


_MOST = 3
"""Workers at most: there are hardly more long steps at a time, and each takes 200 MB."""


@contextmanager
def workers(request: Request) -> Iterator[Hands]:
    """Give what performs steps: with a worker for every processor but one, up to a few."""
    reference = request.environment.declared_in or request.environment.name
    # NOTE: -P, or a folder of the user's that is called like one of Silt's would be imported in its place.
    command = [sys.executable, "-P", "-m", __name__, reference]
    helping = [Worker(request, command) for _ in range(min(processors() - 1, _MOST))]
    for worker in helping:
        Thread(target=worker.start, daemon=True).start()
    try:
        yield Hands(helping)
    finally:
        for worker in helping:
            worker.close()


def _serve(reference: str, pipe: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who interrupts a build ends it; the worker ends with it
    warnings.simplefilter("ignore")
    gc.disable()  # as the build does
    environment = find_environment(reference)
    serve(pipe, environment, ordered(declared_steps(environment)))


if __name__ == "__main__":
    _serve(sys.argv[1], int(sys.argv[2]))

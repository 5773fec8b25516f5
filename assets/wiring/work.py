"""One build at work: alone in its folder, and with a store that nobody empties meanwhile."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from assets.making.request import Request
from assets.making.scheduler import Scheduler, Watch
from assets.making.shared_store import opened
from assets.making.step import Step
from pipeline.disk import reporting_disk
from pipeline.publish.curator import describe
from pipeline.publish.publication import exclusive
from pipeline.publish.refusal import forget_failure

_GIGABYTE = 10**9


@contextmanager
def at_work(
    request: Request, steps: Sequence[Step], *, watch: Watch = lambda _step, _outcome: None, holder: str = ""
) -> Iterator[Scheduler]:
    """Give what makes the steps of a request, or raise `InputError`; afterwards the store is brought back to its size.

    Args:
        watch: Called with each step and what becomes of it.
        holder: Who the refusal of others says is at work; by default the command of this process.
    """
    store = opened(request.store, request.shared_store, request.release.master)
    with exclusive(request.folder, holder=holder):
        forget_failure(request.curator)
        with reporting_disk(request.folder):
            describe(request.curator)
        # NOTE: what is ignored is so for all threads at once; libraries that say it for a while would undo each other's.
        with store.held(), warnings.catch_warnings(action="ignore"):
            scheduler = Scheduler(request, steps, store, watch=watch)
            try:
                yield scheduler
            finally:
                scheduler.stop()
                with reporting_disk(request.folder):
                    describe(request.curator)  # again, now that it is known what there is
        store.evict(round(request.store_size * _GIGABYTE))

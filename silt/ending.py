"""Whether somebody asked a process to end, whatever became of the signal.

Python raises `KeyboardInterrupt` where the main thread happens to be. Dagster and polars put handlers of their own in the place
of Python's, and make other errors of a signal, or none.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from select import PIPE_BUF, select
from threading import current_thread, main_thread

_ENDS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


@contextmanager
def noting_ends() -> Iterator[Callable[[], bool]]:
    """Give what says, once, whether a signal has asked the process to end. Only the main thread gets to know."""
    if current_thread() is not main_thread():
        yield lambda: False
        return
    read, write = os.pipe()
    for end in (read, write):
        os.set_blocking(end, False)
    before = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    try:
        yield lambda: bool(select([read], [], [], 0)[0]) and not _ENDS.isdisjoint(os.read(read, PIPE_BUF))
    finally:
        signal.set_wakeup_fd(before)
        os.close(write)
        os.close(read)

"""A build that somebody ends is told from one that fails, whatever Dagster makes of the signal."""

import os
import signal
from collections.abc import Callable
from threading import Thread

import pytest

from silt.commands.build.recorded import noting_ends


def send(number: signal.Signals) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_noted_whoever_handles_it(number: signal.Signals) -> None:
    """Also if its handler does nothing; what was set before is set again."""
    before = signal.signal(number, lambda *_: None)
    try:
        with noting_ends() as noted:
            assert not noted()
            send(number)
            assert noted()
    finally:
        signal.signal(number, before)
    assert signal.set_wakeup_fd(-1) == -1


def test_other_signals_are_not_noted() -> None:
    """As that of a child that ends."""
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        with noting_ends() as noted:
            send(signal.SIGUSR1)
            assert not noted()
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_thread_notes_nothing() -> None:
    """Python gives signals to the main thread alone."""
    said = list[Callable[[], bool]]()

    def note() -> None:
        with noting_ends() as noted:
            said.append(noted)

    thread = Thread(target=note)
    thread.start()
    thread.join()
    assert [noted() for noted in said] == [False]

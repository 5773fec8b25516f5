"""A command that somebody ends is told from one that fails, whatever Dagster makes of the signal."""

import os
import signal
from collections.abc import Callable
from threading import Thread

import pytest

from silt.cli import main
from silt.ending import noting_ends


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


@pytest.mark.parametrize("is_pressed", [True, False])
def test_what_others_make_of_ctrl_c_is_no_defect(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, is_pressed: bool
) -> None:
    """A query of polars that it ends may end in an error; without a signal the same error is a defect."""

    def query(_: object) -> int:
        if is_pressed:
            send(signal.SIGINT)
        raise RuntimeError("panicked")

    monkeypatch.setattr("silt.commands.noise._kinds", query)
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        assert main(["noise", "kinds"]) == (130 if is_pressed else 3)
    finally:
        signal.signal(signal.SIGINT, before)
    assert ("interrupted" in capsys.readouterr().err) == is_pressed


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

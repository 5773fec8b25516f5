"""Keeps a command from being silent: while it prints nothing, a line says that it is at work.

On a terminal the line comes and goes. Elsewhere (a log) it stays, and there are few. It names what runs. What a command prints
belongs to it, and on a terminal the steps of a build have their bar.
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import cycle
from textwrap import shorten
from threading import Event, RLock, Thread
from time import monotonic
from typing import Any, TextIO, cast
from weakref import WeakSet

from pipeline.legible import WIDTH
from silt.commands.saying import say

TERMINAL, LOG = (0.3, 0.2), (4.5, 0.5)
"""Seconds without output before there is a line, and between two looks: together half a second, or five (our choice)."""

FIRST = 1.0
"""Seconds without output before a log has its first line (our choice: less looks like nothing, more like a failure)."""

_FRAMES = "|/-\\"

_CURSOR = "\x1b[?25h"
"""Shows the cursor (DECTCEM): the last that a bar writes, behind the end of its line."""


@contextmanager
def not_silent(what: str) -> Iterator[None]:
    """Say on standard error that something is at work, whenever nothing else is printed."""
    out, err = sys.stdout, sys.stderr
    line = _Line(what, err)
    sys.stderr = cast(TextIO, _Watched(err, line))
    sys.stdout = cast(TextIO, _Watched(out, line)) if out.isatty() else out
    try:
        line.start()
        yield
    finally:
        line.stop()
        sys.stdout, sys.stderr = out, err


def running(steps: Callable[[], str] | str) -> None:
    """Say from now on, too, what runs."""
    stream = getattr(sys.stderr, "rich_proxied_file", sys.stderr)  # while there is a bar, rich stands before it
    if isinstance(stream, _Watched):
        stream.line.steps = (lambda: steps) if isinstance(steps, str) else steps


def begun(step: str) -> None:
    """Print the name of a step that begins, and say from now on that it runs."""
    say(step, to=sys.stderr)
    running(" ".join(step.split()))


class _Line(Thread):
    """The line, drawn at the start of a line alone: behind a question or a bar it would be in the way."""

    def __init__(self, what: str, stream: TextIO) -> None:
        super().__init__(daemon=True)
        self._what, self._stream, self._frames = what, stream, cycle(_FRAMES)
        self._is_terminal = stream.isatty()
        self._silence, self._tick = TERMINAL if self._is_terminal else LOG
        self._began = monotonic()
        self._last = self._began - self._silence + (0 if self._is_terminal else min(FIRST, self._silence))
        self._drawn, self._is_free, self._stopped = "", True, Event()
        self.lock = RLock()
        self.steps: Callable[[], str] = str
        _LINES.add(self)

    def run(self) -> None:
        """Write the line again and again, until it is stopped or nobody reads it."""
        with suppress(OSError):
            while not self._stopped.wait(self._tick):
                with self.lock:
                    if self._is_free and monotonic() - self._last >= self._silence:
                        self._say(f"{self._what}: at work, {monotonic() - self._began:.0f} s")

    def stop(self) -> None:
        """Draw nothing more, and leave nothing of it."""
        self._stopped.set()
        self.join()
        self._draw("")

    def gives_way(self, *, is_free: bool) -> None:
        """Take the line away, because something else is written; say whether that ends a line."""
        self._draw("")
        self._last, self._is_free = monotonic(), is_free

    def forget(self) -> None:
        """Have a lock that nobody holds, and no line: of a forked process this thread is not a part."""
        self.lock, self._drawn = RLock(), ""

    def _say(self, text: str) -> None:
        text = ": ".join(filter(None, (text, self.steps())))
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1  # what is longer would not go again
            self._draw(f"{next(self._frames)} {text}"[:width])
        else:
            self._stream.write(f"{shorten(text, WIDTH, placeholder=' ...')}\n")
            self._stream.flush()
            self._last = monotonic()

    def _draw(self, text: str) -> None:
        if text or self._drawn:
            blank = " " * len(self._drawn)
            self._stream.write(f"\r{blank}\r{text}")
            self._stream.flush()
            self._drawn = text


_LINES: "WeakSet[_Line]" = WeakSet()


def _forget_all() -> None:
    for line in _LINES:
        line.forget()


os.register_at_fork(after_in_child=_forget_all)


class _Watched:
    """A stream to a person before which the line gives way."""

    def __init__(self, stream: TextIO, line: _Line) -> None:
        self._stream, self.line = stream, line

    def write(self, text: str) -> int:
        """Write a text."""
        with self.line.lock:
            if said := text.removesuffix(_CURSOR):
                self.line.gives_way(is_free=said.endswith("\n"))
            return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        """Return anything else of the stream; who writes bytes to it has it alone."""
        if name == "buffer":
            with self.line.lock:
                self.line.gives_way(is_free=False)
        return getattr(self._stream, name)

"""Keeps a terminal from being silent: while a command prints nothing, a line that comes and goes says that it is at work.

Where there is no terminal, nothing of it is written. What a command prints belongs to it, and steps of a build have their bar.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from threading import Event, RLock, Thread
from time import monotonic
from typing import Any, TextIO, cast

_SILENCE, _TICK = 0.3, 0.2
"""Seconds without output before the line is there, and between two looks: together within half a second (our choice)."""

_FRAMES = "|/-\\"


@contextmanager
def not_silent(what: str) -> Iterator[None]:
    """Say on standard error that something is at work, whenever nothing else is printed, if that is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
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


# ----------------------------------------------------------------------------------------------------------------------


class _Line(Thread):
    """The line, drawn at the start of a line alone: behind a question or a bar it would be in the way."""

    def __init__(self, what: str, stream: TextIO) -> None:
        super().__init__(daemon=True)
        self._what, self._stream, self._frames = what, stream, cycle(_FRAMES)
        self._began = monotonic()
        self._last = self._began - _SILENCE
        self._drawn, self._is_free, self._stopped = "", True, Event()
        self.lock = RLock()
        os.register_at_fork(after_in_child=self._forget)

    def run(self) -> None:
        """Draw the line again and again, until it is stopped."""
        while not self._stopped.wait(_TICK):
            with self.lock:
                if self._is_free and monotonic() - self._last >= _SILENCE:
                    self._draw(f"{next(self._frames)} {self._what}: at work, {monotonic() - self._began:.0f} s")

    def stop(self) -> None:
        """Draw nothing more, and leave nothing of it."""
        self._stopped.set()
        self.join()
        self._draw("")

    def gives_way(self, *, is_free: bool) -> None:
        """Take the line away, because something else is written; say whether that ends a line."""
        self._draw("")
        self._last, self._is_free = monotonic(), is_free

    def _draw(self, text: str) -> None:
        if text or self._drawn:
            blank = " " * len(self._drawn)
            self._stream.write(f"\r{blank}\r{text}")
            self._stream.flush()
            self._drawn = text

    def _forget(self) -> None:
        """Have a lock that nobody holds, and no line: of a forked process this thread is not a part."""
        self.lock, self._drawn = RLock(), ""


class _Watched:
    """A stream to the terminal before which the line gives way."""

    def __init__(self, stream: TextIO, line: _Line) -> None:
        self._stream, self._line = stream, line

    def write(self, text: str) -> int:
        """Write a text."""
        with self._line.lock:
            if text:
                self._line.gives_way(is_free=text.endswith("\n"))
            return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        """Return anything else of the stream; who writes bytes to it has it alone."""
        if name == "buffer":
            with self._line.lock:
                self._line.gives_way(is_free=False)
        return getattr(self._stream, name)

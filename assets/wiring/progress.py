"""Tells a person how far a build is: a bar on a terminal, plain lines elsewhere. Watches steps, decides nothing."""

import logging
from collections.abc import Mapping, Sequence
from threading import Lock
from time import monotonic
from typing import TextIO

import dagster as dg

from assets.making.outcome import Outcome
from assets.making.side_by_side import processors
from assets.making.step import Step

_BAR_WIDTH = 24


class Progress:
    """Writes a line for each step that is done, and whatever it has to say; on a terminal, a bar with the time that is left."""

    def __init__(self, stream: TextIO, planned: Sequence[Step], expected: Mapping[str, float]) -> None:
        """Take what has to be made, and how many seconds each step took the last time it was made."""
        self._stream, self._is_terminal = stream, stream.isatty()
        self._left = {step.name: expected.get(step.name) for step in planned}
        self._planned, self._all = len(planned), sum(seconds or 0 for seconds in self._left.values())
        self._running: dict[str, float] = {}
        self._lock = Lock()

    def __call__(self, step: Step, outcome: Outcome | None) -> None:
        """Note that a step starts (None) or is done."""
        with self._lock:
            if step.name not in self._left:
                return  # it was there all the time
            if outcome is None:
                self._running[step.name] = monotonic()
            else:
                self._running.pop(step.name, None)
                self._left.pop(step.name, None)
                for line in outcome.lines:
                    self._write(line)
            if outcome is not None or self._is_terminal:
                self._tell(step, outcome)

    def close(self) -> None:
        """Write nothing more: a step that is still at work when a build ends early has no say."""
        with self._lock:
            self._left.clear()

    def _tell(self, step: Step, outcome: Outcome | None) -> None:
        done = self._planned - len(self._left)
        text = step.label + (_came_out(outcome) if outcome else "")
        if not self._is_terminal:
            self._write(f"[{done}/{self._planned}] {text}")
            return
        bar = "#" * round(_BAR_WIDTH * self._share())
        self._stream.write(f"\r\x1b[K[{bar:.<{_BAR_WIDTH}}] {done}/{self._planned} {text}{self._remaining()}")
        self._stream.write("\n" if not self._left else "")
        self._stream.flush()

    def _share(self) -> float:
        """Return the part of the work that is done, by what it took the last time; by number of steps if nothing is known."""
        if self._all:
            return 1 - sum(seconds or 0 for seconds in self._left.values()) / self._all
        return 1 - len(self._left) / max(self._planned, 1)

    def _remaining(self) -> str:
        """Return how long the rest will take, if it is known of each step."""
        seconds = [known for known in self._left.values() if known is not None]
        if len(seconds) < len(self._left) or not seconds:
            return ""
        at_work = sum(min(monotonic() - began, self._left.get(name) or 0) for name, began in self._running.items())
        return f", about {max(sum(seconds) - at_work, 0) / min(processors(), len(seconds)):.0f} s left"

    def _write(self, text: str) -> None:
        clear = "\r\x1b[K" if self._is_terminal else ""
        self._stream.write(f"{clear}{text}\n")
        self._stream.flush()


@dg.logger
def silent_logger(_context: dg.InitLoggerContext) -> logging.Logger:
    """Return a logger that shows nothing: what a person should see is told by `Progress`."""
    logger = logging.getLogger("silt.silent")
    logger.propagate = False
    logger.handlers = [logging.NullHandler()]
    return logger


def _came_out(outcome: Outcome) -> str:
    rows = sum(told.get("rows", 0) for told in outcome.told)
    return (f": {rows:,} rows" if rows else "") + (" (reused)" if outcome.is_reused else f", {outcome.seconds:.1f} s")

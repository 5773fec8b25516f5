"""Shows a person how far a build is: a bar on a terminal, plain lines elsewhere. Watches steps, decides nothing."""

from collections.abc import Mapping, Sequence
from threading import RLock
from time import monotonic
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
from rich.progress import Progress as Bar
from rich.text import Text

from assets.making.engines import processors
from assets.making.results import rows_of
from assets.making.step import PartsDone, Step, StepOutcome
from pipeline.legible import folded
from pipeline.wording import counted

_NARROW = 60
"""Columns below which a terminal gets plain lines."""

_SHOWN = 2
"""Steps at work that are named; further ones are counted."""


class Progress:
    """Writes a line for each step that is done, and whatever it has to say; on a terminal, a bar with what is at work."""

    def __init__(self, stream: TextIO, planned: Sequence[Step], expected: Mapping[str, float]) -> None:
        """Take what has to be made, and how many seconds each step took the last time it was made."""
        self._stream, self._labels = stream, {step.name: step.label for step in planned}
        self._left = {step.name: expected.get(step.name) for step in planned}
        self._chains = _chains(planned, expected)
        self._running: dict[str, float] = {}
        self.begun = 0
        """Steps that have begun."""
        self._parts: dict[str, str] = {}
        self._began, self._share, self._reused = monotonic(), 0.0, 0
        self._lock = RLock()
        console = Console(file=stream)
        self._bar = self._drawn(console) if console.is_terminal and console.width >= _NARROW else None

    def __call__(self, step: Step, outcome: PartsDone | StepOutcome | None) -> None:
        """Note that a step starts (None), that parts of it are done, or that it is."""
        with self._lock:
            if step.name not in self._left:
                return  # it was there all the time
            if outcome is None:
                self.begun += 1
                self._running[step.name] = monotonic()
            elif isinstance(outcome, PartsDone):
                self._parts[step.name] = f" ({outcome})"
            else:
                self._end(step, outcome)
            self._show(step, outcome)

    def _end(self, step: Step, outcome: StepOutcome) -> None:
        self._running.pop(step.name, None)
        self._left.pop(step.name, None)
        self._reused += outcome.is_reused
        for line in outcome.lines:
            self.note(line)

    def close(self) -> None:
        """Write nothing more: a step that is still at work when a build ends early has no say."""
        with self._lock:
            self._left.clear()
            if self._bar:
                self._bar.stop()

    @property
    def share(self) -> float:
        """Return the part of the time that is over, by what is left, or by number of steps if that is not known.

        It never falls.
        """
        left, over = self.seconds_left(), monotonic() - self._began
        done = len(self._labels) - len(self._left)
        share = done / max(len(self._labels), 1) if left is None else over / max(over + left, 1e-9)
        self._share = max(self._share, share if self._left else 1.0)
        return self._share

    def seconds_left(self) -> float | None:
        """Return how long the rest takes: its longest chain of steps, or all of them side by side; None if one is not known."""
        known = {name: seconds for name, seconds in self._left.items() if seconds is not None}
        if len(known) < len(self._left) or not known:
            return None
        at_work = {name: min(monotonic() - began, known.get(name, 0)) for name, began in self._running.items()}
        longest = max(self._chains[name] - at_work.get(name, 0) for name in known)
        return max(longest, (sum(known.values()) - sum(at_work.values())) / processors(), 0.0)

    def at_work(self) -> str:
        """Return what runs now: the steps that began first, by stage and table."""
        labels = [self._labels[name] + self._parts.get(name, "") for name in list(self._running)]
        more = f" and {len(labels) - _SHOWN} more" if len(labels) > _SHOWN else ""
        return ", ".join(labels[:_SHOWN]) + more

    def _drawn(self, console: Console) -> Bar:
        columns = (BarColumn(24), TextColumn("{task.percentage:>3.0f}%"), TextColumn("{task.description}"), _Left(self))
        bar = Bar(*columns, console=console, refresh_per_second=4)
        bar.add_task("", total=1.0)
        bar.start()
        return bar

    def _show(self, step: Step, outcome: PartsDone | StepOutcome | None) -> None:
        done = f"{len(self._labels) - len(self._left)}/{len(self._labels)}"
        if self._bar:
            reused = f", {self._reused} reused" if self._reused else ""
            self._bar.update(
                self._bar.task_ids[0], completed=self.share, description=f"{done}{reused}  {self.at_work()}"
            )
        elif isinstance(outcome, StepOutcome):
            self.note(f"[{done}] {step.label}{_came_out(outcome)}")

    def note(self, text: str) -> None:
        """Write a line."""
        if self._bar:
            self._bar.console.print(text, markup=False, highlight=False)
        else:
            self._stream.write(f"{folded(text)}\n")
            self._stream.flush()


class _Left(ProgressColumn):
    """The time that is left, written anew while a long step is at work."""

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self._progress = progress

    def render(self, task: Task) -> Text:  # noqa: ARG002 - rich's signature
        """Return it, or nothing if it is not known."""
        left = self._progress.seconds_left()
        return Text("" if left is None else f"about {left:.0f} s left")


def _chains(planned: Sequence[Step], expected: Mapping[str, float]) -> dict[str, float]:
    """Return, for each step, how long it and the longest chain of steps after it take, as far as that is known."""
    chains: dict[str, float] = {}
    for step in reversed(planned):
        after = (chains[other.name] for other in planned if other.name in chains and step.makes & other.reads)
        chains[step.name] = (expected.get(step.name) or 0.0) + max(after, default=0.0)
    return chains


def _came_out(outcome: StepOutcome) -> str:
    rows = sum(map(rows_of, outcome.results))
    return (f": {counted(rows, 'row')}" if rows else "") + (
        " (reused)" if outcome.is_reused else f", {outcome.seconds:.1f} s"
    )

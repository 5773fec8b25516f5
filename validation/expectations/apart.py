"""Great Expectations in a process of its own: importing it takes seconds, in which a build does something else.

The process is started when it is first needed, or in advance (`start`). It takes one task after the other, and ends with the
process that started it. What is said between the two is made of plain values; rows stay where they are.
"""

import os
import pickle
import sys
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from subprocess import DEVNULL, PIPE, Popen
from threading import RLock

from validation.expectations.observing import Observed
from validation.expectations.suites import Expected


@dataclass(frozen=True, kw_only=True)
class Task:
    """The suite of a table, and what the table shows of each expectation."""

    table: str
    variant: str
    title: str
    """The environment's."""
    suite: Sequence[Expected]
    seen: Sequence[Observed]


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What Great Expectations makes of a task."""

    unmet: Sequence[str | None]
    """What was observed of each expectation that is not met; None of one that is."""
    page: str
    """The page of Data Docs."""


def verdict(task: Task) -> Verdict:
    """Have a suite judged, and return the verdict."""
    return _APART.ask(task)


def start() -> None:
    """Start the process, so that it is ready when a suite is to be judged."""
    _APART.start()


def stop() -> None:
    """End the process, if there is one."""
    _APART.stop()


def load() -> None:
    """Import Great Expectations into this process."""
    with warnings.catch_warnings(action="ignore"):  # its libraries use what Python and pandas have deprecated
        from validation.expectations import data_docs, running  # noqa: F401, PLC0415


def judged(task: Task) -> Verdict:
    """Judge a suite in this process."""
    load()
    from validation.expectations.data_docs import page_of  # noqa: PLC0415
    from validation.expectations.running import run  # noqa: PLC0415

    results = run(task.table, task.suite, task.seen)
    page = page_of(results, variant=task.variant, title=task.title)
    unmet = [None if one.success else _observed(one.result) for one in results.results]
    return Verdict(unmet=unmet, page=page.decode())


def serve() -> None:
    """Judge what is asked for until nobody asks any more: what the other process does."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    load()
    while (task := _next()) is not None:
        pickle.dump(_answer(task), answers)
        answers.flush()


def _answer(task: Task) -> tuple[Verdict | None, str]:
    """Return the verdict, or what went wrong: it is raised where the verdict was asked for."""
    try:
        return judged(task), ""
    except Exception:  # noqa: BLE001
        return None, traceback.format_exc()


def _next() -> Task | None:
    try:
        task: Task = pickle.load(sys.stdin.buffer)  # noqa: S301  (of the process that started this one)
    except EOFError:
        return None
    return task


def _observed(result: dict[str, object]) -> str:
    """Return the observation as a sentence, or as a number of unexpected cells."""
    return str(result.get("observed_value", f"{result.get('unexpected_count', 0):,} cells are not"))


class _Apart:
    """The process, of which there is one at most."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._process: Popen[bytes] | None = None

    def start(self) -> Popen[bytes]:
        with self._lock:
            if self._process is None:
                command = [sys.executable, "-P", "-c", f"from {__name__} import {serve.__name__} as run; run()"]
                paths = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
                self._process = Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=os.environ | paths)  # noqa: S603
            return self._process

    def ask(self, task: Task) -> Verdict:
        with self._lock:
            process = self.start()
            if process.stdin is None or process.stdout is None:
                raise RuntimeError("the process that judges suites has no pipes")
            pickle.dump(task, process.stdin)
            process.stdin.flush()
            found: Verdict | None
            found, wrong = pickle.load(process.stdout)  # noqa: S301  (of a process of our own)
        if found is None:
            raise RuntimeError(wrong)
        return found

    def stop(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.communicate()
                self._process = None


_APART = _Apart()

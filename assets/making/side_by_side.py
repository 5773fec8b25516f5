"""Runs tasks on threads, each after those that it needs, and parts of them. Knows nothing of what a task does."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from functools import partial
from threading import Condition, Thread
from typing import Generic, TypeVar

T = TypeVar("T")
U = TypeVar("U")


class SideBySide(Generic[T]):
    """Tasks by name, at work: several at once, in the order given wherever needs allow it."""

    def __init__(
        self,
        tasks: Mapping[str, Callable[[], T]],
        needs: Mapping[str, Collection[str]],
        *,
        passes: Callable[[T], bool],
        at_once: int,
    ) -> None:
        """Start.

        Args:
            needs: Which tasks each one needs; those that are not among the tasks are done already.
            passes: Whether what came out of a task lets those go on that need it; the others are cancelled.
            at_once: How many are at work at a time.
        """
        self._tasks, self._left, self._passes = dict(tasks), list(tasks), passes
        self._needs = {name: [need for need in needs[name] if need in tasks] for name in tasks}
        self._futures: dict[str, Future[T]] = {name: Future() for name in tasks}
        self._changed = Condition()
        self._parts: deque[Callable[[], None]] = deque()
        """What tasks at work have divided, and nobody has begun."""
        self._at_work = 0
        for _ in range(at_once if tasks else 0):
            # NOTE: a thread that is no daemon would keep an interrupted build alive until its step is done.
            Thread(target=self._work, daemon=True).start()

    def __contains__(self, name: str) -> bool:
        return name in self._futures

    def result(self, name: str) -> T:
        """Wait for a task, and return what came out or raise what it raised; a cancelled one raises `CancelledError`."""
        return self._futures[name].result()

    def each(self, parts: Iterable[Callable[[], U]]) -> list[U]:
        """Run the parts of a task at work on all threads that are free, its own among them; return what came out, in order.

        Raises what the first part raised that went wrong.
        """
        futures, runs = [], []
        for part in parts:
            futures.append(Future[U]())
            runs.append(partial(_set, futures[-1], part))
        with self._changed:
            self._parts.extend(runs)
            self._changed.notify_all()
        while (run := self._taken(runs)) is not None:
            run()
        return [future.result() for future in futures]

    def _taken(self, runs: Collection[Callable[[], None]]) -> Callable[[], None] | None:
        """Take one of these parts that nobody has begun; None if there is none."""
        with self._changed:
            found = next((part for part in self._parts if part in runs), None)
            if found is not None:
                self._parts.remove(found)
            return found

    def all_pass(self) -> bool:
        """Say whether all tasks pass, once that is certain."""
        return all(self._is_passed(name) for name in self._futures)

    def stop(self) -> None:
        """Start no further task."""
        with self._changed:
            for name in self._left:
                self._futures[name].cancel()
            self._left.clear()
            self._changed.notify_all()

    def _work(self) -> None:
        while (run := self._next()) is not None:
            run()
            with self._changed:
                self._at_work -= 1
                self._changed.notify_all()

    def _next(self) -> Callable[[], None] | None:
        """Wait for a part or a task that can start, and take it; None if nothing is left, and nobody at work may divide."""
        with self._changed:
            while self._left or self._at_work:
                if (run := self._ready()) is not None:
                    self._at_work += 1
                    return run
                self._changed.wait()
        return None

    def _ready(self) -> Callable[[], None] | None:
        if self._parts:
            return self._parts.popleft()
        for name in self._left:
            if all(self._futures[need].done() for need in self._needs[name]):
                self._left.remove(name)
                return partial(self._run, name, self._futures[name])
        return None

    def _run(self, name: str, future: Future[T]) -> None:
        if not all(self._is_passed(need) for need in self._needs[name]):
            future.cancel()
            return
        _set(future, self._tasks[name])

    def _is_passed(self, name: str) -> bool:
        future = self._futures[name]
        # What a task raised is raised where its result is asked for; what is raised here ends whoever waits (Ctrl-C).
        with suppress(CancelledError):
            return future.exception() is None and self._passes(future.result())
        return False


def _set(future: Future[U], run: Callable[[], U]) -> None:
    try:
        future.set_result(run())
    except BaseException as error:  # noqa: BLE001  (raised where the result is asked for)
        future.set_exception(error)

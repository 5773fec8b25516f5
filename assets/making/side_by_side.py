"""Runs tasks on threads, each after those that it needs. Knows nothing of what a task does."""

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from threading import Condition, Thread
from typing import Generic, TypeVar

T = TypeVar("T")


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
        for _ in range(min(at_once, len(tasks))):
            # NOTE: a thread that is no daemon would keep an interrupted build alive until its step is done.
            Thread(target=self._work, daemon=True).start()

    def __contains__(self, name: str) -> bool:
        return name in self._futures

    def result(self, name: str) -> T:
        """Wait for a task, and return what came out or raise what it raised; a cancelled one raises `CancelledError`."""
        return self._futures[name].result()

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
        while (name := self._next()) is not None:
            self._run(name, self._futures[name])
            with self._changed:
                self._changed.notify_all()

    def _next(self) -> str | None:
        """Wait for a task that can start, and take it; None if no task is left."""
        with self._changed:
            while self._left:
                for name in self._left:
                    if all(self._futures[need].done() for need in self._needs[name]):
                        self._left.remove(name)
                        return name
                self._changed.wait()
        return None

    def _run(self, name: str, future: Future[T]) -> None:
        if not all(self._is_passed(need) for need in self._needs[name]):
            future.cancel()
            return
        try:
            future.set_result(self._tasks[name]())
        except BaseException as error:  # noqa: BLE001  (raised where the result is asked for)
            future.set_exception(error)

    def _is_passed(self, name: str) -> bool:
        try:
            return self._passes(self._futures[name].result())
        except BaseException:  # noqa: BLE001  (raised where the result is asked for)
            return False

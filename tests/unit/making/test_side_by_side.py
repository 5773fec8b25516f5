"""Tasks run on threads, each after those that it needs."""

import os
import signal
import threading
from concurrent.futures import CancelledError
from functools import partial
from threading import Barrier, Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.making.side_by_side import SideBySide


def numbers(count: int, needs: dict[int, set[int]]) -> tuple[SideBySide[int], list[int]]:
    """Run tasks by number, which note when they ran; odd ones do not pass."""
    ran: list[int] = []

    def task(number: int) -> int:
        ran.append(number)
        return number

    tasks = {str(number): lambda number=number: task(number) for number in range(count)}
    after = {str(number): {str(need) for need in needs[number]} for number in range(count)}
    return SideBySide(tasks, after, passes=lambda number: number % 2 == 0, at_once=2), ran


@given(st.data())
def test_each_runs_after_what_it_needs_and_only_if_that_passed(data: st.DataObject) -> None:
    """For any needs: a task runs if all that it needs ran and passed, after them, once."""
    count = data.draw(st.integers(0, 8))
    needs = {
        number: data.draw(st.sets(st.integers(0, number - 1)) if number else st.just(set[int]()))
        for number in range(count)
    }
    work, ran = numbers(count, needs)
    expected: set[int] = set()
    for number in range(count):
        if all(need in expected and need % 2 == 0 for need in needs[number]):
            expected.add(number)
            assert work.result(str(number)) == number
        else:
            with pytest.raises(CancelledError):
                work.result(str(number))
    assert sorted(ran) == sorted(expected)
    assert all(ran.index(need) < ran.index(number) for number in ran for need in needs[number])
    assert work.all_pass() == (len(expected) == count and count < 2)


def test_tasks_that_need_nothing_run_at_once() -> None:
    """Two that wait for each other both end."""
    barrier = Barrier(2)
    work = SideBySide(
        {name: lambda: barrier.wait(timeout=60) for name in "ab"}, {"a": (), "b": ()}, passes=lambda _: True, at_once=2
    )
    assert {work.result("a"), work.result("b")} == {0, 1}


def test_ctrl_c_ends_whoever_waits_whether_all_pass() -> None:
    """It says nothing of a task: taken for a failure, the wait would be over, and a later one would publish."""
    go_on = Event()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # polars has put its own in its place

    def task() -> bool:
        threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
        return go_on.wait(timeout=60)

    work = SideBySide({"a": task}, {"a": ()}, passes=bool, at_once=1)
    with pytest.raises(KeyboardInterrupt):
        work.all_pass()
    go_on.set()
    assert work.all_pass()


def test_parts_of_a_task_run_at_once() -> None:
    """Two that wait for each other both end, one of them on a thread that had nothing left to do."""
    barrier = Barrier(2)

    def divided() -> int:
        return sum(work.each([lambda: barrier.wait(timeout=60)] * 2))

    started = Event()
    work = SideBySide({"a": lambda: started.wait(60) and divided()}, {"a": ()}, passes=lambda _: True, at_once=2)
    started.set()
    assert work.result("a") == 1


@given(st.lists(st.integers(0, 9), max_size=12), st.integers(1, 3))
def test_parts_come_out_in_their_order(numbers: list[int], at_once: int) -> None:
    """Each once; what a part raises is raised where the task asked for it, after the others ran."""
    ran: list[int] = []

    def part(number: int) -> int:
        ran.append(number)
        return 1 // number

    def divided() -> list[int]:
        return work.each(partial(part, number) for number in numbers)

    started = Event()
    work = SideBySide(
        {"a": lambda: started.wait(60) and divided(), "b": list},
        {"a": (), "b": ()},
        passes=lambda _: True,
        at_once=at_once,
    )
    started.set()
    if 0 in numbers:
        with pytest.raises(ZeroDivisionError):
            work.result("a")
    else:
        assert work.result("a") == [1 // number for number in numbers]
    assert sorted(ran) == sorted(numbers)


def test_an_error_is_raised_where_the_result_is_asked_for() -> None:
    """And what needs it is cancelled; the rest goes on."""

    def wrong() -> int:
        raise ValueError("wrong")

    tasks = {"a": wrong, "b": lambda: 1, "c": lambda: 2}
    work = SideBySide(tasks, {"a": (), "b": ("a",), "c": ()}, passes=lambda _: True, at_once=2)
    with pytest.raises(ValueError, match="wrong"):
        work.result("a")
    with pytest.raises(CancelledError):
        work.result("b")
    assert work.result("c") == 2
    assert not work.all_pass()


def test_stopped_work_starts_nothing_more() -> None:
    """What runs goes on to its end."""
    started, go = Event(), Event()

    def first() -> int:
        started.set()
        go.wait(timeout=60)
        return 1

    work = SideBySide({"a": first, "b": lambda: 2}, {"a": (), "b": ("a",)}, passes=lambda _: True, at_once=2)
    started.wait(timeout=60)
    work.stop()
    go.set()
    assert work.result("a") == 1
    with pytest.raises(CancelledError):
        work.result("b")
    assert "b" in work
    assert "c" not in work
    assert threading.active_count() < 100

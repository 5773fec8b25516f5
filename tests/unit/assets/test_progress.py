"""Progress: what a person reads while a build is at work, on a terminal and elsewhere."""

from dataclasses import replace
from io import StringIO

import pytest

from assets.making.keys import Stage
from assets.making.results import ROW_COUNT
from assets.making.step import PartsDone, Step, StepOutcome
from assets.wiring.progress import Progress
from silt.environments.us_listed import US_LISTED

FOUND = StepOutcome(made={}, results=[], lines=[], stands={}, seconds=0.2, is_reused=True)
MADE = StepOutcome(
    made={},
    results=[{"asset": [], "metadata": {ROW_COUNT: ["plain", 1234]}}],
    lines=["one name is cut"],
    stands={},
    seconds=0.2,
)


class Terminal(StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def step(name: str) -> Step:
    """Return a step that does nothing."""
    return Step(
        environment=US_LISTED,
        name=name,
        label=name,
        reads=frozenset(),
        uses=frozenset(),
        makes=frozenset(),
        body=lambda _run: iter(()),
    )


def test_line_for_each_step_that_was_planned() -> None:
    """A step that was there all the time is not told of; what a step has to say comes before its line."""
    stream = StringIO()
    progress = Progress(stream, [step("a"), step("b")], {})
    for name, outcome in (("a", None), ("there", FOUND), ("a", MADE), ("b", None), ("b", FOUND)):
        progress(step(name), outcome)
    assert stream.getvalue() == "one name is cut\n[1/2] a: 1,234 rows, 0.2 s\n[2/2] b (reused)\n"


def test_what_is_at_work_says_how_many_of_its_parts_are_done() -> None:
    """A step that is not divided, or of which no part is done, stands as it is called."""
    progress = Progress(StringIO(), [step("a"), step("b")], {})
    for name, seen in (("a", None), ("a", PartsDone(7, 1_200)), ("b", None)):
        progress(step(name), seen)
    assert progress.at_work() == "a (7 of 1,200 parts), b"


@pytest.mark.parametrize("stream", [StringIO(), Terminal()])
def test_nothing_is_written_after_the_end(stream: StringIO) -> None:
    """A step that is still at work when a build ends early says nothing any more."""
    progress = Progress(stream, [step("a")], {"a": 1.0})
    progress(step("a"), None)
    progress.close()
    written = stream.getvalue()
    progress(step("a"), MADE)
    assert stream.getvalue() == written


def chain(*names: str) -> list[Step]:
    """Return steps of which each reads what the one before makes."""
    places = [(Stage.RENDERED, name) for name in names]
    made = [frozenset({place}) for place in places]
    read = [frozenset(), *made[:-1]]
    return [replace(step(name), reads=reads, makes=makes) for name, reads, makes in zip(names, read, made, strict=True)]


def test_a_chain_is_waited_for_step_by_step() -> None:
    """Steps that wait for each other take the sum of their times, however many processors there are."""
    progress = Progress(StringIO(), chain("a", "b", "c"), {"a": 6.0, "b": 3.0, "c": 1.0})
    assert progress.seconds_left() == pytest.approx(10.0)
    progress(step("a"), MADE)
    assert progress.seconds_left() == pytest.approx(4.0)


def test_no_time_is_told_of_what_was_never_made() -> None:
    """An estimate that leaves out a step would be too short."""
    assert Progress(StringIO(), [step("a"), step("b")], {"a": 6.0}).seconds_left() is None


def test_the_share_never_falls() -> None:
    """Neither by the time that is left nor by the number of steps; in the end all is done."""
    progress = Progress(StringIO(), chain("a", "b"), {"a": 1.0, "b": 9.0})
    shares = [progress.share]
    for name, outcome in (("a", None), ("a", MADE), ("b", None), ("b", FOUND)):
        progress(step(name), outcome)
        shares.append(progress.share)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_terminal_shows_what_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar names steps that run, counts reused ones, and lines of steps stand above it."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    stream = Terminal()
    progress = Progress(stream, [step("a"), step("b")], {"a": 6.0, "b": 1.0})
    for name, outcome in (("a", None), ("a", FOUND), ("b", None), ("b", MADE)):
        progress(step(name), outcome)
    progress.close()
    written = stream.getvalue()
    assert "one name is cut" in written
    assert "2/2, 1 reused" in written


@pytest.mark.parametrize(("columns", "no_color", "is_plain"), [("40", "", True), ("120", "1", False)])
def test_narrow_terminals_get_plain_lines_and_no_color_is_heeded(
    columns: str, no_color: str, *, is_plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bar needs room; colour is for terminals that want it."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("NO_COLOR", no_color)
    stream = Terminal()
    progress = Progress(stream, [step("a")], {})
    progress(step("a"), MADE)
    progress.close()
    assert ("[1/1] a: 1,234 rows" in stream.getvalue()) is is_plain
    assert "\x1b[3" not in stream.getvalue()

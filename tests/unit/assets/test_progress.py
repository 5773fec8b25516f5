"""Progress: what a person reads while a build is at work, on a terminal and elsewhere."""

from io import StringIO

import pytest

from assets.making.outcome import Outcome
from assets.making.step import Step
from assets.wiring.progress import Progress
from silt.environments.us_listed import US_LISTED

FOUND = Outcome(made={}, told=[], lines=[], stands={}, seconds=0.2, is_reused=True)
MADE = Outcome(made={}, told=[{"rows": 1234}], lines=["one name is cut"], stands={}, seconds=0.2)


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


@pytest.mark.parametrize("stream", [StringIO(), Terminal()])
def test_nothing_is_written_after_the_end(stream: StringIO) -> None:
    """A step that is still at work when a build ends early says nothing any more."""
    progress = Progress(stream, [step("a")], {"a": 1.0})
    progress(step("a"), None)
    progress.close()
    written = stream.getvalue()
    progress(step("a"), MADE)
    assert stream.getvalue() == written


def test_time_that_is_left() -> None:
    """The bar is as long as the share of the time that is done, by what steps took the last time."""
    stream = Terminal()
    progress = Progress(stream, [step("a"), step("b"), step("c")], {"a": 6.0, "b": 1.0, "c": 1.0})
    progress(step("a"), MADE)
    assert f"[{'#' * 18}{'.' * 6}] 1/3 a: 1,234 rows, 0.2 s, about 1 s left" in stream.getvalue()

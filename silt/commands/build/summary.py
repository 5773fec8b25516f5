"""What a finished build says at its end: what it published, where the report is, what to do next, what it took."""

from collections.abc import Iterator
from typing import TextIO

from pipeline.legible import legible
from pipeline.wording import counted
from silt.commands.saying import say
from validation.report.documents.outcome import Outcome

_NARROW = 60

_QUESTION = {
    "faithful": "Faithful?",
    "safe": "Safe to publish?",
    "hard": "How hard?",
    "another_draw_alike": "Would another draw look alike?",
}
"""What each verdict answers."""

_OF_SAMPLED = {"faithful": "Faithful to the originals, on the curator's page?"}
"""The same, where two pages answer."""


def show(outcome: Outcome, stream: TextIO) -> None:
    """Write the end of a build: a panel on a terminal, plain lines elsewhere."""
    from rich.console import Console  # noqa: PLC0415  (a program does without)
    from rich.panel import Panel  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console(file=stream)
    if not console.is_terminal or console.width < _NARROW:
        say(*(f"  {name:<10} {text}" for name, text in lines(outcome)), to=stream)
        return
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    for name, text in lines(outcome):
        grid.add_row(name, Text(legible(text)))
    console.print(Panel(grid, title="built", border_style="green", expand=False), highlight=False)


def lines(outcome: Outcome) -> Iterator[tuple[str, str]]:
    """Yield what is said, each with its name."""
    made = counted(outcome.steps, "step") if outcome.steps else "nothing, since nothing changed"
    yield "made", f"{made}, in {outcome.seconds:.1f} s"
    for each in outcome.variants:
        yield "built", each.folder
    for each in outcome.variants:
        changes = f", {counted(each.changes, 'change')} by noise" if each.changes else ""
        if each.rows:
            lists = f", and {counted(each.files - each.tables, 'list')}" if each.files > each.tables else ""
            further = f", and {counted(each.further_files, 'wide file')} in ideal/" if each.further_files else ""
            yield (
                each.variant,
                f"{counted(each.rows, 'row')} in {counted(each.tables, 'table')}{lists}{further}{changes}",
            )
    yield from (("originals", line) for line in outcome.originals)
    questions = _QUESTION | (_OF_SAMPLED if "another_draw_alike" in outcome.verdicts else {})
    yield from (("verdict", f"{questions[about]} {answer}.") for about, answer in outcome.verdicts.items())
    yield from (("look at", line) for line in outcome.look_at)
    yield from (("report", each.report) for each in outcome.variants if each.report)
    if outcome.next:
        yield "next", outcome.next

"""The section on the ladder: noise mended family by family, and what a reader who mends nothing can still answer.

Belongs here: the paper's three-level figure (DataClaw, figure 3) as far as it can be had without a language model, in words
that say so. The shares stand in `noise.json`.
"""

from collections.abc import Sequence

from markupsafe import Markup

from validation.report.charts.drawings import Line, line_chart
from validation.report.documents.noise import Step
from validation.report.html import Cell, Table, Value, render
from validation.wording import percent


def recovery(steps: Sequence[Step]) -> Markup:
    """Return the section's HTML; `steps` is the ladder of `noise.json`, from noisy to clean."""
    lines = _lines(steps)
    rows: list[Sequence[Value]] = [
        (
            *(place, step.mended[-1] if step.mended else "nothing", step.changes),
            *(Cell(percent(line.values[place]), line.values[place]) for line in lines),
        )
        for place, step in enumerate(steps)
    ]
    return render(
        "ladder.html",
        chart=ladder_drawn(steps),
        steps=Table(name="steps of the ladder", headings=(*_STEPS, *(line.name for line in lines)), rows=rows),
        first=easiest(steps),
    )


def ladder_drawn(steps: Sequence[Step]) -> Markup:
    """Return the ladder as a chart."""
    return line_chart(_lines(steps), axis="families of noise mended")


def _lines(steps: Sequence[Step]) -> list[Line]:
    """Return a line for each size of question that can be put to these tables at all."""
    shares = {level: [step.answered[level] for step in steps] for level in steps[0].answered}
    return [
        Line(name=level, values=[float(share) for share in of if share is not None])
        for level, of in shares.items()
        if None not in of
    ]


def easiest(steps: Sequence[Step]) -> str:
    """Return what a reader who mends nothing answers of the noisy tables, in a few words."""
    return ", ".join(f"{percent(share)} on {level}" for level, share in steps[0].answered.items() if share is not None)


_STEPS = ("mended", "of which last", "entries left")

"""The section on the ladder: noise mended family by family, and what a reader who mends nothing can still answer.

Belongs here: the paper's three-level figure (DataClaw, figure 3) as far as it can be had without a language model, in words
that say so. The shares stand in `noise.json`.
"""

from collections.abc import Sequence

from markupsafe import Markup

from pipeline.wording import percent
from validation.report.charts.drawings import bars
from validation.report.charts.ladder import ladder_chart
from validation.report.documents.noise import LadderStep
from validation.report.html import Cell, Table, Value, render


def recovery(steps: Sequence[LadderStep]) -> Markup:
    """Return the section's HTML; `steps` is the ladder of `noise.json`, from noisy to clean."""
    lines = _lines(steps)
    rows: list[Sequence[Value]] = [
        (
            *(place, step.mended[-1] if step.mended else "nothing", step.changes),
            *(Cell(percent(shares[place]), shares[place]) for shares in lines.values()),
        )
        for place, step in enumerate(steps)
    ]
    return render(
        "ladder.html",
        drawn=ladder_chart(lines),
        steps=Table(name="steps of the ladder", headings=(*_STEPS, *lines), rows=rows),
        first=easiest(steps),
    )


def ladder_bars(steps: Sequence[LadderStep]) -> Markup:
    """Return the ladder as bars, for whoever looks at the graph: a small picture."""
    return bars(
        {f"{place} mended, {level}": share for level, of in _lines(steps).items() for place, share in enumerate(of)}
    )


def _lines(steps: Sequence[LadderStep]) -> dict[str, list[float]]:
    """Return the shares of each size of question that can be put to these tables at all."""
    shares = {level: [step.answered[level] for step in steps] for level in steps[0].answered}
    return {
        level: [float(share) for share in of if share is not None] for level, of in shares.items() if None not in of
    }


def easiest(steps: Sequence[LadderStep]) -> str:
    """Return what a reader who mends nothing answers of the noisy tables, in a few words."""
    return ", ".join(f"{percent(share)} on {level}" for level, share in steps[0].answered.items() if share is not None)


_STEPS = ("mended", "of which last", "entries left")

"""The section on the ladder: noise taken away family by family, and what of the tables is untouched.

Belongs here: the paper's three-level figure (DataClaw, figure 3) as far as it can be had without a language model, in words
that say so, and its picture. The shares stand in `noise.json`.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from markupsafe import Markup

from pipeline.wording import percent
from validation.noise.ladder import GROUP, PAIR, RECORD
from validation.report.charts.drawings import bars
from validation.report.charts.plot import BAD, BLUE, CAREFUL, Axis, Plot, shares
from validation.report.documents.noise import LadderStep, Questions
from validation.report.html import Cell, Table, Value, render


def recovery(steps: Sequence[LadderStep], questions: Questions | None) -> Markup:
    """Return the section's HTML; `steps` is the ladder of `noise.json`, from noisy to clean, `questions` what it counts."""
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
        first=answered_at_first(steps),
        of=questions,
        kind=counted_tables(questions),
        taken=steps[-1].mended,
        idle=[after.mended[-1] for before, after in pairwise(steps) if after.answered == before.answered],
    )


def ladder_bars(steps: Sequence[LadderStep]) -> Markup:
    """Return the ladder as bars, for whoever looks at the graph: a small picture."""
    return bars(
        {f"{place} taken away, {level}": share for level, of in _lines(steps).items() for place, share in enumerate(of)}
    )


def _lines(steps: Sequence[LadderStep]) -> dict[str, list[float]]:
    """Return the shares of what questions of each size read, of those that can be put to these tables at all."""
    shares = {level: [step.answered[level] for step in steps] for level in steps[0].answered}
    return {
        _READ[level]: [float(share) for share in of if share is not None]
        for level, of in shares.items()
        if None not in of
    }


def answered_at_first(steps: Sequence[LadderStep]) -> str:
    """Return what noise leaves untouched of the noisy tables, in a few words."""
    return ", ".join(f"{percent(of[0])} of {what}" for what, of in _lines(steps).items())


def touched(steps: Sequence[LadderStep]) -> tuple[str, str]:
    """Return how hard the noisy tables are in a word, by the share of groups that noise touches, and what it touches."""
    shares = {what: 1 - of[0] for what, of in _lines(steps).items()}
    if not shares:
        return "", ""
    word = next(word for word, most in GRADES.items() if shares.get("groups", shares["records"]) <= most)
    return word, " and ".join(f"{percent(share)} of {what}" for what, share in shares.items() if what != _READ[PAIR])


def comparisons(steps: Sequence[LadderStep]) -> str:
    """Return how many comparisons of two groups noise touches; nothing where there are none."""
    left = _lines(steps).get(_READ[PAIR])
    return f"; {percent(1 - left[0])} of comparisons of two groups touch noise" if left else ""


GRADES: Mapping[str, float] = {"Slightly": 0.1, "Fairly": 0.5, "Very": 1.0}
"""How hard -> the largest share of groups that noise touches, of records where there are no groups (our choice)."""


def counted_tables(of: Questions | None) -> str:
    """Return what tables the ladder counts: those of figures, where groups are read, that noise touches."""
    return "tables of figures with noise" if of and of.one_group else "tables with noise"


_READ: Mapping[str, str] = {RECORD: "records", GROUP: "groups", PAIR: "pairs of groups"}
"""Size of a question -> what it reads."""


_STEPS = ("families taken away", "the last of them", "entries left")


# --- the picture -------------------------------------------------------------------------------------------------------

_STYLES = (("circle", BLUE, "none"), ("square", BAD, "7 4"), ("diamond", CAREFUL, "2 3"))
"""Shape, colour and dashes of each size of question."""


def ladder_chart(lines: Mapping[str, Sequence[float]]) -> Markup:
    """Return a line for each size of question, given the share that is answered at each step; nothing without one."""
    if not lines:
        return Markup()
    steps = max(map(len, lines.values()))
    end, ticks = max(steps - 1, 1), {float(step): str(step) for step in range(steps)}
    across = Axis(ends=(0, end), ticks=ticks, title="families of noise taken away", has_grid=False)
    plot = Plot(across=across, down=shares(ends=(1, 0)), height=260, left=60, top=60)
    for place, ((shape, ink, dashes), (level, of)) in enumerate(zip(_STYLES, lines.items(), strict=False)):
        plot.line(*enumerate(of), ink=ink, dashes=dashes)
        for step, share in enumerate(of):
            plot.point(step, share, shape, ink=ink)
        _name(plot, level, end * place / len(_STYLES), shape=shape, ink=ink)
    said = "; ".join(f"{level}: from {percent(of[0])} to {percent(of[-1])}" for level, of in lines.items())
    return plot.drawn("Untouched by noise, by families taken away", f"{said}.")


_ABOVE = 1.14
"""Where names stand: above the line of 100 %, where no line is."""


def _name(plot: Plot, level: str, at: float, *, shape: str, ink: str) -> None:
    """Write the name of a line, with its mark."""
    plot.point(at, _ABOVE, shape, ink=ink)
    plot.text(at, _ABOVE, level)

"""The ladder: what a reader who mends nothing answers, family by family of noise mended.

Belongs here: one picture. The same shares stand below it as a table.
"""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from pipeline.wording import percent
from validation.report.charts.plot import BAD, BLUE, CAREFUL, Axis, Plot, shares

_STYLES = (("circle", BLUE, "none"), ("square", BAD, "7 4"), ("diamond", CAREFUL, "2 3"))
"""Shape, colour and dashes of each size of question."""


def ladder_chart(lines: Mapping[str, Sequence[float]]) -> Markup:
    """Return a line for each size of question, given the share that is answered at each step; nothing without one."""
    if not lines:
        return Markup()
    last = max(map(len, lines.values())) - 1
    steps = {float(step): str(step) for step in range(last + 1)}
    across = Axis(ends=(0, max(last, 1)), ticks=steps, title="families of noise mended", has_grid=False)
    plot = Plot(across=across, down=shares(ends=(1, 0)), height=260, left=60, top=25)
    for (shape, ink, dashes), (level, of) in zip(_STYLES, lines.items(), strict=False):
        plot.line(*enumerate(of), ink=ink, dashes=dashes)
        for step, share in enumerate(of):
            plot.point(step, share, shape, ink=ink)
        plot.text(0, of[0], level, dy=16)
    said = "; ".join(f"{level}: from {percent(of[0])} to {percent(of[-1])}" for level, of in lines.items())
    return plot.drawn("Questions answered, by noise mended", f"{said}.")

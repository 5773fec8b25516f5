"""The ladder: what a reader who mends nothing answers, family by family of noise mended.

Belongs here: one picture. The same shares stand below it as a table.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from validation.report.charts.vega import BAD, BLUE, CAREFUL, INK, chart, values
from validation.wording import percent

_STYLES: tuple[tuple[str, str, Sequence[int]], ...] = (
    ("circle", BLUE, [1, 0]),
    ("square", BAD, [7, 4]),
    ("diamond", CAREFUL, [2, 3]),
)
"""Shape, colour and dashes of each size of question."""


def ladder_chart(lines: Mapping[str, Sequence[float]]) -> Markup:
    """Return a line for each size of question, given the share that is answered at each step; nothing without one."""
    if not lines:
        return Markup()
    marks = [
        mark
        for style, (level, shares) in zip(_STYLES, lines.items(), strict=False)
        for mark in _line(level, shares, *style)
    ]
    told = (f"{level}: from {percent(of[0])} to {percent(of[-1])}" for level, of in lines.items())
    return chart(
        marks, height=260, left=60, top=25, title="Questions answered, by noise mended", told=f"{'; '.join(told)}."
    )


def _line(level: str, shares: Sequence[float], shape: str, colour: str, dashes: Sequence[int]) -> list[dict[str, Any]]:
    rows = [{"step": place, "share": share, "level": level} for place, share in enumerate(shares)]
    last = len(shares) - 1
    across: Mapping[str, Any] = {
        "field": "step",
        "type": "quantitative",
        "scale": {"domain": [0, max(last, 1)], "nice": False},
        "axis": {"values": [*range(last + 1)], "format": "d", "grid": False, "title": "families of noise mended"},
    }
    up: Mapping[str, Any] = {
        "field": "share",
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "axis": {"values": [0, 0.25, 0.5, 0.75, 1], "format": "~%", "title": None},
    }
    of = {"data": values(rows), "encoding": {"x": across, "y": up}}
    return [
        {**of, "mark": {"type": "line", "color": colour, "strokeDash": dashes, "strokeWidth": 2}},
        {**of, "mark": {"type": "point", "shape": shape, "color": colour, "filled": True, "opacity": 1, "size": 70}},
        {
            "data": values(rows[:1]),
            "mark": {"type": "text", "align": "left", "dx": 8, "dy": 16, "color": INK, "fontSize": 13},
            "encoding": {"x": across, "y": up, "text": {"field": "level"}},
        },
    ]

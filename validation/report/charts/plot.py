"""Charts as SVG: a plot with two axes, and marks in it at values. No library, no clock, no font, nothing fetched.

Belongs here: what all charts share; each chart is a module beside this one. A chart has a title, an alternative text that says
what is seen, and the colours of the page that it stands in. Places follow from values alone, never from how wide a text is.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from textwrap import wrap

from markupsafe import Markup

from pipeline.wording import exact_percent

INK, PAPER, FAINT, RULE = "var(--ink)", "var(--paper)", "var(--faint)", "var(--rule)"
BLUE, BAD, LINE, CAREFUL = "var(--link)", "var(--bad)", "var(--line)", "var(--careful)"
"""The colours of the page, light or dark."""

WIDE, NARROW = 900, 480
"""Width of a chart with its margins, in units of the drawing; a narrow one is seen whole on a phone."""

_LINE, _TEXT = 15, 4
"""Distance of lines of a label, and how far the middle of a text is above its line."""

_SHAPES: Mapping[str, str] = {
    "circle": "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0Z",
    "square": "m-4 -4h8v8h-8Z",
    "diamond": "m0 -6l6 6l-6 6l-6 -6Z",
    "cross": "m-6 -4l2 -2l4 4l4 -4l2 2l-4 4l4 4l-2 2l-4 -4l-4 4l-2 -2l4 -4Z",
    "below": "m0 -6l-5 -9h10Z",
    "tick": "m-1 -8h2v16h-2Z",
}
"""Marks around a place; the triangle `below` points to it from above."""


@dataclass(frozen=True, kw_only=True)
class Axis:
    """Values along a side, from the left or the top on."""

    ends: tuple[float, float]
    ticks: Mapping[float, str]
    """Value -> its label, which may have several lines."""
    title: str = ""
    scale: Callable[[float], float] = float
    has_grid: bool = True
    is_repeated: bool = False
    """Whether labels across stand above the plot, too."""

    def share(self, value: float) -> float:
        """Return how far along the axis a value is."""
        first, last, at = map(self.scale, (*self.ends, value))
        return (at - first) / (last - first)


def shares(title: str = "", *, ends: tuple[float, float] = (0, 1), scale: Callable[[float], float] = float) -> Axis:
    """Return an axis of shares from 0 to 1."""
    ticks = (0, 0.25, 0.5, 0.75, 1) if scale is float else (0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1)
    return Axis(ends=ends, ticks={tick: exact_percent(tick) for tick in ticks}, title=title, scale=scale)


def rows(labels: list[str]) -> Axis:
    """Return an axis of rows, numbered from 0, each with its label."""
    return Axis(ends=(-0.5, len(labels) - 0.5), ticks=dict(enumerate(labels)), has_grid=False)


@dataclass(kw_only=True)
class Plot:
    """The marks of a chart, in the order in which they are drawn."""

    across: Axis
    down: Axis
    height: int
    width: int = WIDE
    left: int
    right: int = 20
    top: int = 10
    bottom: int = 45
    _marks: list[Markup] = field(default_factory=list)

    def x(self, value: float) -> float:
        """Return the place of a value across, in units of the drawing."""
        return round(self.left + self.across.share(value) * (self.width - self.left - self.right), 2)

    def y(self, value: float) -> float:
        """Return the place of a value down."""
        return round(self.top + self.down.share(value) * self.height, 2)

    def line(self, *points: tuple[float, float], ink: str, width: float = 2, dashes: str = "none") -> None:
        """Draw a line through points."""
        path = "L".join(f"{self.x(x):g} {self.y(y):g}" for x, y in points)
        mark = '<path d="M{}" fill="none" stroke="{}" stroke-width="{}" stroke-dasharray="{}"/>'
        self._marks.append(Markup(mark).format(path, ink, width, dashes))

    def box(self, start: float, end: float, row: float, *, height: float, fill: str, opacity: float = 1) -> None:
        """Draw a bar in a row, framed if it is empty."""
        x, y, stroke = self.x(start), self.y(row) - height / 2, RULE if fill == PAPER else "none"
        mark = '<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}" fill="{}" stroke="{}" opacity="{:g}"/>'
        self._marks.append(Markup(mark).format(x, y, self.x(end) - x, height, fill, stroke, opacity))

    def point(self, x: float, y: float, shape: str, *, ink: str, fill: str = "") -> None:
        """Draw a mark at a place."""
        path = f"M{self.x(x):g} {self.y(y):g}{_SHAPES[shape]}"
        mark = Markup('<path d="{}" fill="{}" stroke="{}"/>')
        self._marks.append(mark.format(path, fill or ink, ink))

    def text(self, x: float, y: float, text: str, *, dy: float = 0) -> None:
        """Write a text to the right of a place."""
        self._marks.append(_text(self.x(x) + 8, self.y(y) + _TEXT + dy, text, "start"))

    def label(self, y: float, text: str) -> None:
        """Write a text below a place down, from the left side on, over the lines that are there."""
        self._marks.append(_text(self.left, self.y(y) + _LINE, text, "start", halo=PAPER))

    def drawn(self, title: str, said: str) -> Markup:
        """Return the chart; `said` is what is seen, for readers who do not see it."""
        parts = (*self._axes(), *self._marks)
        start = '<svg xmlns="http://www.w3.org/2000/svg" class="{}" viewBox="0 0 {} {}" role="img">{}</svg>'
        head = Markup("<title>{}</title><desc>{}</desc>").format(title, said)
        kind, down = "chart narrow" if self.width == NARROW else "chart", self.top + self.height + self.bottom
        return Markup(start).format(kind, self.width, down, head + Markup().join(parts))

    def _axes(self) -> list[Markup]:
        base = self.top + self.height
        ends = (self.left, self.width - self.right)
        drawn = [_rule(*ends, base, base, RULE)]
        for value, label in self.across.ticks.items():
            at = self.x(value)
            drawn.append(_rule(at, at, self.top if self.across.has_grid else base, base + 5, LINE))
            places = [base + 19, *([self.top - 8] if self.across.is_repeated else [])]
            drawn += [_text(at, place, label, "middle") for place in places]
        for value, label in self.down.ticks.items():
            at = self.y(value)
            if self.down.has_grid:
                drawn.append(_rule(*ends, at, at, LINE))
            drawn.append(_text(self.left - 8, at + _TEXT - _LINE * label.count("\n") / 2, label, "end"))
        if self.across.title:
            drawn.append(_text(sum(ends) / 2, base + 39, self.across.title, "middle"))
        if self.down.title:
            drawn.append(_text(self.left, self.top - 13, self.down.title, "middle"))
        return drawn


def broken(text: str, characters: int) -> str:
    """Return a label in lines of so many characters, none cut off."""
    return "\n".join(wrap(text, characters))


def logarithmic(ends: tuple[float, float], title: str) -> Axis:
    """Return an axis of rates of all sizes."""
    ticks = [tick for tick in (0.00001, 0.0001, 0.001, 0.01, 0.1, 1) if min(ends) <= tick <= max(ends)]
    return Axis(ends=ends, ticks={tick: exact_percent(tick) for tick in ticks}, title=title, scale=math.log10)


def _rule(x: float, to_x: float, y: float, to_y: float, ink: str) -> Markup:
    return Markup('<path d="M{:g} {:g}L{:g} {:g}" stroke="{}"/>').format(x, y, to_x, to_y, ink)


def _text(x: float, y: float, text: str, anchor: str, *, halo: str = "") -> Markup:
    # Between lines is a blank, for readers and whoever copies the text; it stands where it moves no line.
    before, after = (" ", "") if anchor == "end" else ("", " ")
    first, *further = text.replace("\n", f"{after}\n{before}").split("\n")
    lines = Markup().join(Markup('<tspan x="{:g}" dy="{}">{}</tspan>').format(x, _LINE, line) for line in further)
    mark = '<text x="{:g}" y="{:g}" text-anchor="{}" font-size="13" font-family="sans-serif" fill="{}"{}>{}{}</text>'
    around = Markup(' stroke="{}" stroke-width="4"').format(halo) if halo else ""
    return Markup(mark).format(x, y, anchor, INK, around, first, lines)

"""The picture of the frontier: plain SVG text, the same bytes for the same figures.

Two panels share the axis of what an outsider names: the owner of a record, or the largest contributor to it, whichever is
more. Colours are Okabe and Ito's (2008), which the colour-blind can tell apart; each mechanism has a shape, too.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 960, 470
_PLOT, _TOP = 300, 80
_LEFT = (60, 430)
_LEGEND = 770

_STYLES = (
    ("#000000", "square"),
    ("#999999", "circle"),
    ("#56b4e9", "triangle"),
    ("#0072b2", "diamond"),
    ("#009e73", "square"),
    ("#cc79a7", "circle"),
    ("#f0a30a", "triangle"),
    ("#8c6d1f", "diamond"),
    ("#d55e00", "circle"),
)

TARGETS = {"Spearman": 0.90, "drift": 0.08}
"""What a release should reach, with the named records below `NAMED`."""
NAMED = 0.15


@dataclass(frozen=True, kw_only=True)
class Point:
    """One mechanism at one strength, and its figures by name."""

    mechanism: str
    strength: str
    figures: Mapping[str, float | None]

    @property
    def named(self) -> float:
        """Return the share of records whose owner or largest contributor is named, whichever is more."""
        return max(self.figures["owner"] or 0.0, self.figures["largest contributor"] or 0.0)


@dataclass(frozen=True, kw_only=True)
class _Panel:
    """One plot: where it stands, what it shows upwards, and how far that goes."""

    left: int
    figure: str
    label: str
    low: float
    high: float
    is_good_above: bool

    def x(self, named: float) -> float:
        return self.left + named * _PLOT

    def y(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return _TOP + (1 - share) * _PLOT


_PANELS = (
    _Panel(
        left=_LEFT[0],
        figure="Spearman",
        label="median Spearman with the original",
        low=0.6,
        high=1.0,
        is_good_above=True,
    ),
    _Panel(
        left=_LEFT[1],
        figure="drift",
        label="largest change of a rank correlation",
        low=0.0,
        high=0.4,
        is_good_above=False,
    ),
)


def picture(points: Sequence[Point], *, title: str) -> str:
    """Return the SVG document: what is named against what is kept, a line for each mechanism from strength to strength.

    Values beyond an axis stand on its end.
    """
    names = list(dict.fromkeys(point.mechanism for point in points))
    lines = {name: [point for point in points if point.mechanism == name] for name in names}
    parts = [
        _text(_LEFT[0], 26, title, size=16, weight="bold"),
        _text(_LEFT[0], 48, "Grey corner: what is asked for. A line joins the strengths of one mechanism.", size=13),
        *(part for panel in _PANELS for part in _axes(panel)),
        *(
            part
            for panel in _PANELS
            for line, style in zip(lines.values(), _STYLES, strict=False)
            for part in _line(panel, line, *style)
        ),
        *(part for row, name in enumerate(names) for part in _legend(row, name, *_STYLES[row])),
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
        ' font-family="Helvetica, Arial, sans-serif" fill="#222222">'
    )
    background = f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", background, *parts, "</svg>", ""])


def _axes(panel: _Panel) -> Iterator[str]:
    target = panel.y(TARGETS[panel.figure])
    top, bottom = (_TOP, target) if panel.is_good_above else (target, _TOP + _PLOT)
    width = panel.x(NAMED) - panel.left
    yield f'<rect x="{panel.left}" y="{top:.1f}" width="{width:.1f}" height="{bottom - top:.1f}" fill="#e4e4e4"/>'
    yield f'<rect x="{panel.left}" y="{_TOP}" width="{_PLOT}" height="{_PLOT}" fill="none" stroke="#888888"/>'
    for step in range(5):
        share, value = step / 4, panel.low + step / 4 * (panel.high - panel.low)
        yield _text(panel.x(share), _TOP + _PLOT + 18, f"{share:.0%}", anchor="middle")
        yield _text(panel.left - 6, panel.y(value) + 4, f"{value:.1f}", anchor="end")
    middle = panel.left + _PLOT / 2
    yield _text(middle, _TOP + _PLOT + 40, "records whose owner or largest", size=13, anchor="middle")
    yield _text(middle, _TOP + _PLOT + 57, "contributor is the nearest original", size=13, anchor="middle")
    yield _text(panel.left, _TOP - 10, panel.label, size=13)


def _line(panel: _Panel, points: Sequence[Point], colour: str, shape: str) -> Iterator[str]:
    places = [
        (panel.x(point.named), panel.y(value)) for point in points if (value := point.figures[panel.figure]) is not None
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    for x, y in places:
        yield _mark(x, y, colour, shape)


def _legend(row: int, name: str, colour: str, shape: str) -> Iterator[str]:
    y = _TOP + 10 + 26 * row
    yield _mark(_LEGEND, y, colour, shape)
    yield _text(_LEGEND + 14, y + 5, name, size=14)


def _mark(x: float, y: float, colour: str, shape: str) -> str:
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
    corners = {
        "square": ((-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)),
        "triangle": ((0.0, -5.5), (5.5, 4.5), (-5.5, 4.5)),
        "diamond": ((0.0, -6.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)),
    }[shape]
    path = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon points="{path}" fill="{colour}"/>'


def _text(x: float, y: float, text: str, *, size: int = 12, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}">'
        f"{escape(text)}</text>"
    )

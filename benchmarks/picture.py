"""The picture of the frontier: plain SVG text, the same bytes for the same figures.

Two panels share the axis of what is protected: the share of owners that the best adaptive attacker names, chance as a line.
Across stands what is lost for it. A filled mark is an attack on the figures of one year, a hollow one on all that is published.
Colours are Okabe and Ito's (2008), which the colour-blind can tell apart; each mechanism has a shape, too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _HEIGHT = 960, 470
_PLOT, _TOP = 300, 80
_LEFT = (66, 430)
_LEGEND = 770

_STYLES = (
    ("#000000", "square"),
    ("#56b4e9", "triangle"),
    ("#0072b2", "diamond"),
    ("#cc79a7", "circle"),
    ("#b07d00", "square"),
    ("#d55e00", "diamond"),
)

TARGETS = {"conclusions": 0.20, "correlations": 0.03}
"""What a release may lose at most, with owners named below `NAMED`."""
NAMED = 0.05


@dataclass(frozen=True, kw_only=True)
class Point:
    """One mechanism at one strength."""

    mechanism: str
    strength: str
    named: float
    """Share of owners named by the figures of one year."""
    named_in_panel: float | None
    """By all that is published; None where that is no more."""
    correlations: float
    """Median change of a rank correlation."""
    conclusions: float
    """Share of conclusions lost."""

    def lost(self, figure: str) -> float:
        """Return what is lost by one of `TARGETS`."""
        return self.correlations if figure == "correlations" else self.conclusions


@dataclass(frozen=True, kw_only=True)
class _Panel:
    """One plot: where it stands, what it shows across, and how far that goes."""

    left: int
    figure: str
    label: str
    high: float
    step: str
    """Format of the axis."""

    def x(self, lost: float) -> float:
        return self.left + min(lost, self.high) / self.high * _PLOT


_PANELS = (
    _Panel(left=_LEFT[0], figure="conclusions", label="conclusions lost", high=0.4, step=".0%"),
    _Panel(left=_LEFT[1], figure="correlations", label="median change of a rank correlation", high=0.2, step=".2f"),
)


def picture(points: Sequence[Point], *, title: str, chance: float) -> str:
    """Return the SVG document: what is named against what is lost, a line for each mechanism from strength to strength.

    Values beyond an axis stand on its end.
    """
    names = list(dict.fromkeys(point.mechanism for point in points))
    lines = {name: [point for point in points if point.mechanism == name] for name in names}
    parts = [
        _text(_LEFT[0], 26, title, size=16, weight="bold"),
        _text(
            _LEFT[0], 48, "Owners named by the best attacker who knows the mechanism. Grey: what is asked for.", size=13
        ),
        *(part for panel in _PANELS for part in _axes(panel, chance)),
        *(
            part
            for panel in _PANELS
            for line, style in zip(lines.values(), _STYLES, strict=False)
            for part in _line(panel, line, *style)
        ),
        *(part for place, name in enumerate(names) for part in _entry(place, name, *_STYLES[place])),
        *_legend_of_marks(len(names)),
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
        ' font-family="Helvetica, Arial, sans-serif" fill="#222222">'
    )
    background = f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", background, *parts, "</svg>", ""])


def _y(named: float) -> float:
    return _TOP + (1 - named) * _PLOT


def _axes(panel: _Panel, chance: float) -> Iterator[str]:
    width = panel.x(TARGETS[panel.figure]) - panel.left
    yield (
        f'<rect x="{panel.left}" y="{_y(NAMED):.1f}" width="{width:.1f}" height="{_y(0) - _y(NAMED):.1f}" fill="#d4d4d4"/>'
    )
    yield f'<rect x="{panel.left}" y="{_TOP}" width="{_PLOT}" height="{_PLOT}" fill="none" stroke="#888888"/>'
    right, line = panel.left + _PLOT, _y(chance)
    yield f'<path d="M{panel.left} {line:.1f}H{right}" stroke="#555555" stroke-dasharray="4 4"/>'
    yield _text(right - 4, line - 6, f"chance {chance:.1%}", anchor="end")
    for step in range(5):
        share = step / 4
        yield _text(
            panel.left + share * _PLOT, _TOP + _PLOT + 18, format(share * panel.high, panel.step), anchor="middle"
        )
        yield _text(panel.left - 6, _y(share) + 4, f"{share:.0%}", anchor="end")
    yield _text(panel.left + _PLOT / 2, _TOP + _PLOT + 42, panel.label, size=13, anchor="middle")
    yield _text(panel.left, _TOP - 10, "owners named", size=13)


def _line(panel: _Panel, points: Sequence[Point], colour: str, shape: str) -> Iterator[str]:
    places = [(panel.x(point.lost(panel.figure)), point) for point in points]
    path = " ".join(f"{x:.1f},{_y(point.named):.1f}" for x, point in places)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    for x, point in places:
        if point.named_in_panel is not None:
            yield f'<path d="M{x:.1f} {_y(point.named):.1f}V{_y(point.named_in_panel):.1f}" stroke="{colour}"/>'
            yield _mark(x, _y(point.named_in_panel), colour, shape, is_hollow=True)
        yield _mark(x, _y(point.named), colour, shape)


def _entry(place: int, name: str, colour: str, shape: str) -> Iterator[str]:
    y = _TOP + 10 + 26 * place
    yield _mark(_LEGEND, y, colour, shape)
    yield _text(_LEGEND + 14, y + 5, name, size=14)


def _legend_of_marks(names: int) -> Iterator[str]:
    y = _TOP + 34 + 26 * names
    for line, text in enumerate(
        ("filled: by the figures of a year", "hollow: by all that is published", "line: weak to strong")
    ):
        yield _text(_LEGEND - 6, y + 18 * line, text)


def _mark(x: float, y: float, colour: str, shape: str, *, is_hollow: bool = False) -> str:
    paint = f'fill="{"#ffffff" if is_hollow else colour}" stroke="{colour}" stroke-width="1.5"'
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" {paint}/>'
    corners = {
        "square": ((-4.0, -4.0), (4.0, -4.0), (4.0, 4.0), (-4.0, 4.0)),
        "triangle": ((0.0, -5.0), (5.0, 4.0), (-5.0, 4.0)),
        "diamond": ((0.0, -5.5), (5.5, 0.0), (0.0, 5.5), (-5.5, 0.0)),
    }[shape]
    path = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon points="{path}" {paint}/>'


def _text(x: float, y: float, text: str, *, size: int = 12, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}">'
        f"{escape(text)}</text>"
    )

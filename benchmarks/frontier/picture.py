"""The picture of the frontier: plain SVG text, the same bytes for the same figures.

Two panels share what is lost, across, and show two harms upwards: whose record it is, named by the best adaptive attacker, and
what is told of a firm to whoever has all others. The first has chance as a line; a filled mark is an attack on the figures of
one year, a hollow one on all that is published. Colours are Okabe and Ito's (2008), which the colour-blind can tell apart; each
mechanism has a shape, too.
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

LOST, NAMED, TOLD = 0.03, 0.05, 0.02
"""What is asked of a release: the most that is lost, named and told."""

_FARTHEST = 0.2
"""End of the axis of what is lost."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One mechanism at one strength."""

    mechanism: str
    strength: str
    named: float
    """Share of owners named by the figures of one year."""
    named_in_panel: float | None
    """By all that is published; None where that is no more."""
    told: float
    """Gain in figures told to whoever has all other firms."""
    lost: float
    """Median change of a rank correlation."""


@dataclass(frozen=True, kw_only=True)
class _Panel:
    """One plot: where it stands, and what it shows upwards."""

    left: int
    label: str
    target: float
    is_of_names: bool

    def x(self, lost: float) -> float:
        return self.left + min(lost, _FARTHEST) / _FARTHEST * _PLOT

    def harm(self, point: Point) -> float:
        return point.named if self.is_of_names else max(point.told, 0.0)


_PANELS = (
    _Panel(left=_LEFT[0], label="owners named", target=NAMED, is_of_names=True),
    _Panel(left=_LEFT[1], label="figures told to whoever has all others", target=TOLD, is_of_names=False),
)


def picture(points: Sequence[Point], *, title: str, chance: float) -> str:
    """Return the SVG document: harms against what is lost, a line for each mechanism from strength to strength.

    Values beyond an axis stand on its end.
    """
    names = list(dict.fromkeys(point.mechanism for point in points))
    lines = {name: [point for point in points if point.mechanism == name] for name in names}
    parts = [
        _text(_LEFT[0], 26, title, size=16, weight="bold"),
        _text(
            _LEFT[0],
            48,
            "The best attackers who know the mechanism and have the originals. Grey corner: what is asked for.",
            size=13,
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


def _y(harm: float) -> float:
    return _TOP + (1 - harm) * _PLOT


def _axes(panel: _Panel, chance: float) -> Iterator[str]:
    width, top = panel.x(LOST) - panel.left, _y(panel.target)
    yield f'<rect x="{panel.left}" y="{top:.1f}" width="{width:.1f}" height="{_y(0) - top:.1f}" fill="#c8c8c8"/>'
    yield f'<rect x="{panel.left}" y="{_TOP}" width="{_PLOT}" height="{_PLOT}" fill="none" stroke="#888888"/>'
    if panel.is_of_names:
        right, line = panel.left + _PLOT, _y(chance)
        yield f'<path d="M{panel.left} {line:.1f}H{right}" stroke="#555555" stroke-dasharray="4 4"/>'
        yield _text(right - 12, line - 6, f"chance {chance:.1%}", anchor="end")
    for step in range(5):
        share = step / 4
        yield _text(panel.left + share * _PLOT, _TOP + _PLOT + 18, f"{share * _FARTHEST:.2f}", anchor="middle")
        yield _text(panel.left - 8, _y(share) + 4, f"{share:.0%}", anchor="end")
    middle = panel.left + _PLOT / 2
    yield _text(middle, _TOP + _PLOT + 42, "median change of a rank correlation", size=13, anchor="middle")
    yield _text(panel.left, _TOP - 10, panel.label, size=13)


def _line(panel: _Panel, points: Sequence[Point], colour: str, shape: str) -> Iterator[str]:
    places = [(panel.x(point.lost), _y(panel.harm(point)), point) for point in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    for x, y, point in places:
        if panel.is_of_names and point.named_in_panel is not None:
            yield f'<path d="M{x:.1f} {y:.1f}V{_y(point.named_in_panel):.1f}" stroke="{colour}"/>'
            yield _mark(x, _y(point.named_in_panel), colour, shape, is_hollow=True)
        yield _mark(x, y, colour, shape)


def _entry(place: int, name: str, colour: str, shape: str) -> Iterator[str]:
    y = _TOP + 10 + 26 * place
    yield _mark(_LEGEND, y, colour, shape)
    yield _text(_LEGEND + 14, y + 5, name, size=14)


def _legend_of_marks(names: int) -> Iterator[str]:
    y = _TOP + 34 + 26 * names
    for line, text in enumerate(
        (
            "filled: by the figures of a year",
            "hollow: by all that is published",
            "lines: from weak to strong",
            "at the right edge: 0.20 or more",
        )
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

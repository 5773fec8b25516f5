"""The picture of the frontier: plain SVG text, the same bytes for the same figures.

Three panels share what is lost, across, and show three harms upwards: whose record it is, named by the best adaptive attacker,
what whoever has all others infers of a firm, and who is in the release. The first has chance as a line; a filled mark is an
attack on the figures of one year, a hollow one on all that is published. Colours are Okabe and Ito's (2008), which the
colour-blind can distinguish; each mechanism has a shape, too, and synthesizers of others one colour.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

_PLOT, _TOP = 300, 80
_LEFT = (66, 430, 794)
_WIDTH, _LEGEND = 1120, _TOP + _PLOT + 76
_BESIDE, _ABOVE = 4, 26

_OTHERS = "#009e73"
_STYLES = (
    ("#000000", "square"),
    ("#56b4e9", "triangle"),
    ("#0072b2", "diamond"),
    ("#cc79a7", "circle"),
    ("#b07d00", "square"),
    ("#d55e00", "diamond"),
    *((_OTHERS, shape) for shape in ("triangle", "square", "diamond", "circle")),
)

LOST, NAMED, INFERRED = 0.06, 0.05, 0.015
"""What is asked of a release: the most that is lost, named and inferred."""

_FARTHEST = 0.3
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
    inferred: float
    """Gain in figures that whoever has all other firms infers."""
    members: float
    """Area under the curve: how well members are distinguished from others."""
    lost: float
    """Median change of a rank correlation."""


@dataclass(frozen=True, kw_only=True)
class _Panel:
    """One plot: where it stands, and what it shows upwards."""

    left: int
    label: str
    harm: Callable[[Point], float]
    target: float | None
    """The most that is asked for; None where nothing is."""
    least: float = 0.0
    """Where the axis begins."""
    power: float = 1.0
    """Of the axis: below 1 small harms stand farther apart."""
    ticks: tuple[float, ...] = (0, 0.25, 0.5, 0.75, 1)

    def x(self, lost: float) -> float:
        return self.left + min(lost, _FARTHEST) / _FARTHEST * _PLOT

    def y(self, harm: float) -> float:
        return _TOP + (1 - (max(harm - self.least, 0.0) / (1 - self.least)) ** self.power) * _PLOT


_MARKS = (
    "Filled: by the figures of a year; hollow: by all that is published. Lines: from weak to strong. At the right edge: "
    f"{_FARTHEST:.2f} or more."
)

_NAMES = _Panel(left=_LEFT[0], label="owners named", harm=lambda point: point.named, target=NAMED)
_PANELS = (
    _NAMES,
    _Panel(
        left=_LEFT[1],
        label="figures revealed to whoever has all others",
        harm=lambda point: point.inferred,
        target=INFERRED,
        power=0.5,
        ticks=(0, 0.01, 0.05, 0.1, 0.25, 0.5, 1),
    ),
    _Panel(
        left=_LEFT[2],
        label="membership, area under the curve",
        harm=lambda point: point.members,
        target=None,
        least=0.5,
        ticks=(0.5, 0.6, 0.7, 0.8, 0.9, 1),
    ),
)


def picture(points: Sequence[Point], *, title: str, chance: float) -> str:
    """Return the SVG document: harms against what is lost, a line for each mechanism from strength to strength.

    Values beyond an axis stand on its end.
    """
    names = list(dict.fromkeys(point.mechanism for point in points))
    lines = {name: [point for point in points if point.mechanism == name] for name in names}
    height = _LEGEND + _ABOVE * -(-len(names) // _BESIDE) + 30
    parts = [
        _text(_LEFT[0], 26, title, size=16, weight="bold"),
        _text(
            _LEFT[0],
            48,
            "The best attackers who know the mechanism and have the originals. Grey corner: the aim.",
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
        _text(_LEFT[0], height - 16, _MARKS),
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}"'
        ' font-family="Helvetica, Arial, sans-serif" fill="#222222">'
    )
    background = f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", background, *parts, "</svg>", ""])


def _axes(panel: _Panel, chance: float) -> Iterator[str]:
    if panel.target is not None:
        width, top, end = panel.x(LOST) - panel.left, panel.y(panel.target), panel.y(0)
        yield f'<rect x="{panel.left}" y="{top:.1f}" width="{width:.1f}" height="{end - top:.1f}" fill="#c8c8c8"/>'
    yield f'<rect x="{panel.left}" y="{_TOP}" width="{_PLOT}" height="{_PLOT}" fill="none" stroke="#888888"/>'
    if panel is _NAMES:
        right, line = panel.left + _PLOT, panel.y(chance)
        yield f'<path d="M{panel.left} {line:.1f}H{right}" stroke="#555555" stroke-dasharray="4 4"/>'
        yield _text(right - 12, line - 6, f"chance {chance:.1%}", anchor="end")
    for step in range(4):
        share = step / 3
        yield _text(panel.left + share * _PLOT, _TOP + _PLOT + 18, f"{share * _FARTHEST:.2f}", anchor="middle")
    for tick in panel.ticks:
        words = f"{tick:.1f}" if panel.least else f"{tick:.0%}"
        yield _text(panel.left - 8, panel.y(tick) + 4, words, anchor="end")
    middle = panel.left + _PLOT / 2
    yield _text(middle, _TOP + _PLOT + 42, "median change of a rank correlation", size=13, anchor="middle")
    yield _text(panel.left, _TOP - 10, panel.label, size=13)


def _line(panel: _Panel, points: Sequence[Point], colour: str, shape: str) -> Iterator[str]:
    places = [(panel.x(point.lost), panel.y(panel.harm(point)), point) for point in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in places)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    for x, y, point in places:
        if panel is _NAMES and point.named_in_panel is not None:
            yield f'<path d="M{x:.1f} {y:.1f}V{panel.y(point.named_in_panel):.1f}" stroke="{colour}"/>'
            yield _mark(x, panel.y(point.named_in_panel), colour, shape, is_hollow=True)
        yield _mark(x, y, colour, shape)


def _entry(place: int, name: str, colour: str, shape: str) -> Iterator[str]:
    x, y = _LEFT[0] + place % _BESIDE * (_WIDTH - _LEFT[0]) / _BESIDE, _LEGEND + _ABOVE * (place // _BESIDE)
    yield _mark(x, y, colour, shape)
    yield _text(x + 14, y + 5, name, size=14)


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

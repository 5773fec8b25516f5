"""Small drawings for the pages of reports, as SVG inside the page: a rate as a bar, shares as lines.

Belongs here: geometry. Every drawing stands beside the same numbers as text, and tells its parts apart by shape.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_INK, _BLUE, _RULE = "#1a1a1a", "#005a8f", "#767676"

_WIDTH, _HEIGHT = 560, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 100, 12, 40
"""Size of a chart and its margins, in units of the drawing."""

_COARSE_ABOVE = 0.5
"""Rate above which the axis is labelled every 20 % instead of every 5 %."""

_DASHES = ("", "7 4", "2 3", "9 3 2 3")
"""How the lines of a chart are told apart, besides by their marks."""

_SIDES = ("", "M-4 -4H4V4H-4Z", "M0 -5L-5 4H5Z", "M0 -6L5 0L0 6L-5 0Z")
"""Outlines of the marks, around their middle; the first line has a filled disc."""

MOST_LINES = len(_DASHES)


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of a chart, one value for each place on the axis."""

    name: str
    values: Sequence[float]


def rate_bar(rate: float, *, upper: float, chance: float, label: str) -> str:
    """Return a bar from 0 to 1: filled to the rate, a thin line on to its upper bound, a tick across at the chance."""
    start, width = f"{100 * rate:.2f}", f"{100 * (upper - rate):.2f}"
    bound = f'<rect x="{start}" y="5" width="{width}" height="2" fill="{_BLUE}"/>'
    tick = f'<rect x="{100 * min(chance, 0.99):.2f}" y="0" width=".8" height="12" fill="{_INK}"/>'
    return _bar(rate, label, bound + tick)


def share_bar(share: float, *, label: str) -> str:
    """Return a bar from 0 to 1, filled to the share."""
    return _bar(share, label, "")


def line_chart(lines: Sequence[Line], places: Sequence[str], *, axis: str) -> str:
    """Return rates over evenly spaced places, each line with marks and dashes of its own.

    Args:
        lines: at most `MOST_LINES`.
        places: labels of the horizontal axis.
        axis: what the places are.
    """
    top = 1.15 * max([*(value for line in lines for value in line.values), 0.01])
    drawn = "".join(_line(line, i, top) for i, line in enumerate(lines))
    ticks = "".join(
        f'<text x="{_x(i, len(places)):.1f}" y="{_HEIGHT - _BOTTOM + 17}" text-anchor="middle">{escape(place)}</text>'
        for i, place in enumerate(places)
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(axis)} against rates; table below">'
        f"{_frame(top)}{drawn}{ticks}"
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2:.1f}" y="{_HEIGHT - 6}" text-anchor="middle">{escape(axis)}</text></svg>'
    )


def line_key(line: int) -> str:
    """Return the mark and dashes of a chart's line, for its legend."""
    return (
        f'<svg viewBox="0 0 40 14" style="width: 40px; height: 14px; vertical-align: middle" aria-hidden="true">'
        f'<line x1="0" y1="7" x2="40" y2="7" stroke="{_BLUE}" stroke-width="2" stroke-dasharray="{_DASHES[line]}"/>'
        f"{_mark(line, 20, 7)}</svg>"
    )


def _bar(filled: float, label: str, above: str) -> str:
    return (
        f'<svg viewBox="0 0 100 12" preserveAspectRatio="none" role="img" aria-label="{escape(label)}">'
        f'<rect x="0" y="2" width="100" height="8" fill="#e8e8e8"/>'
        f'<rect x="0" y="2" width="{100 * filled:.2f}" height="8" fill="{_BLUE}"/>{above}</svg>'
    )


def _x(place: int, places: int) -> float:
    return _LEFT + (place + 0.5) * (_WIDTH - _LEFT - _RIGHT) / max(places, 1)


def _y(rate: float, top: float) -> float:
    return _HEIGHT - _BOTTOM - rate / top * (_HEIGHT - _TOP - _BOTTOM)


def _line(line: Line, which: int, top: float) -> str:
    points = [(_x(i, len(line.values)), _y(value, top)) for i, value in enumerate(line.values)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    stroke = f'stroke="{_BLUE}" stroke-width="2" stroke-dasharray="{_DASHES[which]}"'
    return f'<polyline points="{path}" fill="none" {stroke}/>' + "".join(_mark(which, x, y) for x, y in points)


def _mark(which: int, x: float, y: float) -> str:
    if not _SIDES[which]:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{_BLUE}"/>'
    style = f'fill="#fff" stroke="{_BLUE}" stroke-width="2"'
    return f'<path d="{_SIDES[which]}" transform="translate({x:.1f} {y:.1f})" {style}/>'


def _frame(top: float) -> str:
    base, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    steps = [step / 100 for step in range(0, int(100 * top) + 1, 5 if top < _COARSE_ABOVE else 20)]
    labels = "".join(
        f'<text x="{_LEFT - 6}" y="{_y(step, top) + 4:.1f}" text-anchor="end">{step:.0%}</text>' for step in steps
    )
    return f'<path d="M{_LEFT} {_TOP}V{base}H{right}" fill="none" stroke="{_RULE}"/>{labels}'

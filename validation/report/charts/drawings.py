"""Small drawings as SVG: bars in cells of tables, histograms of columns, and pictures for checks in Dagster's pages.

Belongs here: geometry and ink of what has no axes (`plot.py`). Nothing is computed or judged. Every drawing stands beside the
same numbers as text, and has parts of different shape as well as colour. What Dagster shows is kept in its event log for good,
so it is small. The same input gives the same bytes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from markupsafe import Markup

from pipeline.wording import percent

_INK, _BLUE, _VERMILION = "var(--ink, #1a1a1a)", "var(--link, #005a8f)", "var(--bad, #a63a00)"
_RULE, _PALE, _PAPER = "var(--rule, #767676)", "var(--line, #e8e8e8)", "var(--paper, #fff)"
"""The colours of the page that a drawing stands in; by itself, blue and vermilion after Okabe and Ito (2008)."""

_SHADES = (
    *("#e8f0f6", "#d1e1ec", "#bad2e1", "#a2c3d7", "#8bb4cd"),
    *("#74a5c3", "#5d96b8", "#4687ae", "#2e78a4", "#17699a", "#005a8f"),
)
"""From nothing to the limit."""

_ROW, _LABEL, _BAR, _FITTING = 18, 250, 330, 40
"""Height of a bar's row, widths of its label and of the bar, and the characters of a label that fit."""

_CELL, _WIDEST = 12, 640
"""Side of a map's cell in pixels, and the width of the largest picture, in which cells are smaller."""

_PATTERNS = Markup(
    '<pattern id="none" width=".3" height=".3" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    f'<path d="M0 0V.3" stroke="{_RULE}" stroke-width=".2"/></pattern>'
    '<pattern id="over" width="1" height="1" patternUnits="userSpaceOnUse">'
    f'<path d="M0 0H1V1H0Z" fill="{_VERMILION}"/><path d="M0 0L1 1M1 0L0 1" stroke="#fff" stroke-width=".15"/></pattern>'
)
"""Of a map's cells: hatching for what is unknown, and white crosses on vermilion for what is over the limit."""


def bar(share: float, *, upper: float | None = None, chance: float | None = None) -> Markup:
    """Return a bar from 0 to 1: filled to the share, a thin line on to its upper bound, a tick across at the chance.

    Nothing is filled of a loss.

    It repeats the text beside it, so it has none of its own. The page draws what is empty, and has the ink of what is not.
    """
    filled = max(share, 0.0)
    parts = [_box(0, 2, 100 * filled, 8)]
    if upper is not None:
        parts.append(_box(100 * filled, 5, 100 * max(upper - filled, 0.0), 2))
    if chance is not None:
        parts.append(_box(100 * min(chance, 0.99), 0, 0.8, 12, "var(--ink)"))
    start = '<svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">{}</svg>'
    return Markup(start).format(Markup().join(parts))


def against(value: float, limit: float, label: str) -> Markup:
    """Return a bar up to the value, in the colour of failure from the limit on, which is a tick across."""
    scale = 100 / (1.1 * max(value, limit, 1e-12))
    within, beyond = scale * min(value, limit), scale * max(value - limit, 0)
    parts = [
        _box(0, 4, 100, 16, "var(--line)"),
        _box(0, 4, within, 16, "var(--link)"),
        _box(within, 4, beyond, 16, "var(--bad)"),
    ]
    parts.append(_box(scale * limit, 0, 0.6, 24, "var(--ink)"))
    start = '<svg class="against" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>'
    return Markup(start).format(label, Markup().join(parts))


def histogram(counts: Sequence[int], *, label: str) -> Markup:
    """Return bars side by side, the highest as high as the drawing; one that stands for anything at all is seen."""
    highest = max(counts)
    heights = [max(22 * count / highest, 1) if count else 0 for count in counts]
    drawn = "".join(f"M{4 * i + 2} 24v-{height:.2g}" for i, height in enumerate(heights) if height)
    start = '<svg viewBox="0 0 {} 24" role="img" aria-label="{}"><path d="{}"/></svg>'
    return Markup(start).format(max(4 * len(counts), 48), label, drawn)


def bars(shares: Mapping[str, float], *, limits: Mapping[str, float] | None = None) -> Markup:
    """Return a bar from 0 to 1 for each share, with its label and number; a limit is a tick across, and beyond it hatched.

    Args:
        shares: label -> share, from top to bottom.
        limits: label -> limit, where there is one.
    """
    rows = enumerate(shares.items())
    drawn = [part for row, (label, of) in rows for part in _row(row * _ROW, label, of, (limits or {}).get(label))]
    return _picture(_WIDEST, max(_ROW * len(shares), 1), drawn, label="shares by name")


def heat_map(values: Sequence[Sequence[float | None]], *, limit: float) -> Markup:
    """Return rows of cells, shaded from 0 (pale) to the limit (dark); one above it is crossed, one without a value hatched.

    Args:
        values: rows from top to bottom, all of one length, none below 0.
        limit: above 0.
    """
    columns = max(map(len, values), default=0)
    runs: dict[str, str] = {}
    for top, row in enumerate(values):
        place = 0
        for ink, cells in groupby(row, lambda value: _shade(value, limit)):
            length = len([*cells])
            runs[ink] = f"{runs.get(ink, '')}M{place} {top}.5h{length}"
            place += length
    drawn = [_path(run, stroke=ink) for ink, run in sorted(runs.items())]
    return _picture(max(columns, 1), max(len(values), 1), [_PATTERNS, *drawn], label="values as shades", unit=_CELL)


# --- parts -------------------------------------------------------------------------------------------------------------


def _shade(value: float | None, limit: float) -> str:
    if value is None:
        return "url(#none)"
    return "url(#over)" if value > limit else _SHADES[round(value / limit * (len(_SHADES) - 1))]


def _row(top: int, label: str, share: float, limit: float | None) -> Iterator[Markup]:
    """Yield the parts of one of several bars."""
    share = min(max(share, 0.0), 1.0)
    fitting = label if len(label) <= _FITTING else f"{label[:_FITTING]}\u2026"
    yield _text(0, top + 12, fitting)
    yield _box(_LABEL, top + 2, _BAR, 12, _PALE)
    yield _box(_LABEL, top + 2, _BAR * share, 12, _BLUE)
    yield _text(_LABEL + _BAR + 6, top + 12, percent(share))
    if limit is not None and share > limit:
        steps = range(int(_LABEL + _BAR * limit), int(_LABEL + _BAR * share), 4)
        yield _box(_LABEL + _BAR * limit, top + 2, _BAR * (share - limit), 12, _PAPER)
        yield _path("".join(f"M{x} {top + 14}l4 -12" for x in steps), stroke=_VERMILION)
    if limit is not None:
        yield _box(_LABEL + _BAR * min(limit, 1.0), top, 2, 16, _INK)


def _box(x: float, y: float, width: float, height: float, ink: str = "") -> Markup:
    fill = Markup(' fill="{}"').format(ink) if ink else ""
    return Markup('<rect x="{:g}" y="{:g}" width="{:g}" height="{:g}"{}/>').format(
        round(x, 2), y, round(width, 2), height, fill
    )


def _path(path: str, *, stroke: str) -> Markup:
    return Markup('<path d="{}" fill="none" stroke="{}"/>').format(path, stroke)


def _text(x: float, y: float, text: str, *, anchor: str = "start") -> Markup:
    return Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(x, y, anchor, text)


def _picture(width: int, height: int, drawn: Iterable[Markup], *, label: str, unit: int = 1) -> Markup:
    """Return a drawing that stands in a page or by itself; `unit` is how many pixels one of its units is, if they fit."""
    shown = min(width * unit, _WIDEST)
    start = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" width="{}" role="img" aria-label="{}" '
        'font-family="sans-serif" font-size="12">{}{}</svg>'
    )
    paper = _box(0, 0, width, height, _PAPER)
    return Markup(start).format(width, height, shown, label, paper, Markup().join(drawn))

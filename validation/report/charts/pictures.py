"""Small pictures for Dagster's pages, as PNG: values as a map, shares as bars, shares over steps as curves.

Belongs here: geometry and ink. Nothing is computed or judged; every picture stands beside its numbers as text, tells its parts
apart by shape as well as by colour, and is small, since it is kept in Dagster's event log for good. The same input gives the
same bytes. Drawings of the reports' pages are in `drawings.py`.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from io import BytesIO
from itertools import pairwise

from PIL import Image, ImageDraw, ImageFont
from PIL.ImageFont import FreeTypeFont
from PIL.ImageFont import ImageFont as BitmapFont

from validation.report.charts.drawings import Line

_Colour = tuple[int, int, int]

_PAPER: _Colour = (255, 255, 255)
_INK: _Colour = (26, 26, 26)
_RULE: _Colour = (118, 118, 118)
_PALE: _Colour = (232, 240, 246)
_BLUE: _Colour = (0, 90, 143)
_VERMILION: _Colour = (166, 58, 0)
_COLOURS = (_BLUE, _VERMILION, _RULE, _INK)
"""Blue and vermilion as in `page.py`, after Okabe and Ito (2008): told apart in every common kind of colour blindness."""

_WIDTH, _TEXT = 640, 12
_LEAST_CELL, _LARGEST_CELL = 4, 24
"""Sides of a cell of a map, in pixels."""

_SHADES = 10
"""Steps from pale to dark: as many as an eye tells apart, and few enough to pack well."""

_COLOURS_KEPT = 32
"""Of a whole picture: all of its inks and shades, and the edges of letters."""

_ROW, _LABELS, _NUMBERS = 18, 250, 60
"""Height of a bar's row, width of its label and of its number."""

_CHART_HEIGHT, _MARGIN, _KEY = 220, 34, 170
"""Height of a chart, its margin, and the width of the key at its right."""

_DASHES = ((1, 0), (9, 6), (3, 4), (14, 5))
"""Of each line in turn: pixels that are drawn, and pixels that are not."""


def heat_map(values: Sequence[Sequence[float | None]], *, limit: float) -> bytes:
    """Return rows of cells, shaded from 0 (pale) to the limit (dark).

    A value above the limit is vermilion under a white cross; a cell without one is hatched. A map with more cells than fit
    is cut at the right and below.

    Args:
        values: rows from top to bottom, all of one length, none below 0.
        limit: above 0.
    """
    columns = max(map(len, values), default=0)
    side = min(max(_WIDTH // max(columns, 1), _LEAST_CELL), _LARGEST_CELL)
    shown = [row[: _WIDTH // side] for row in values[: _WIDTH // side]]
    image, pen = _canvas(max(side * max(map(len, shown), default=0), 1), max(side * len(shown), 1))
    for top, row in enumerate(shown):
        for left, value in enumerate(row):
            _cell(pen, left * side, top * side, side - 1, None if value is None else value / limit)
    return _png(image)


def bars(shares: Mapping[str, float], *, limits: Mapping[str, float] | None = None) -> bytes:
    """Return a bar from 0 to 1 for each share, with its label and number; a limit is a tick across, and beyond it hatched.

    Args:
        shares: label -> share, from top to bottom. Labels are Latin: the font has no other script.
        limits: label -> limit, where there is one.
    """
    image, pen = _canvas(_WIDTH, max(_ROW * len(shares), 1))
    for number, (label, share) in enumerate(shares.items()):
        _bar(pen, number * _ROW, label, share, (limits or {}).get(label))
    return _png(image)


def curves(lines: Sequence[Line], *, top: float = 1.0) -> bytes:
    """Return values over evenly spaced places, each line dashed in a way of its own, with a key at the right.

    Args:
        lines: at most four, their values between 0 and `top`.
        top: the value at the upper rule.
    """
    image, pen = _canvas(_WIDTH, _CHART_HEIGHT)
    for share in (0.0, 0.5, 1.0):
        y = _height(share)
        pen.line((_MARGIN, y, _WIDTH - _KEY, y), fill=_PALE)
        pen.text((2, y - _TEXT // 2), f"{share * top:.4g}", fill=_INK, font=_font())
    for number, line in enumerate(lines):
        points = _points([value / top for value in line.values])
        _dashed(pen, points, colour=_COLOURS[number], dash=_DASHES[number])
        _key_entry(pen, number, line.name)
    return _png(image)


# --- cells and bars ----------------------------------------------------------------------------------------------------


def _cell(pen: ImageDraw.ImageDraw, left: int, top: int, side: int, share: float | None) -> None:
    box = (left, top, left + side - 1, top + side - 1)
    if share is None:
        _hatch(pen, box, _RULE)
    elif share > 1:
        pen.rectangle(box, fill=_VERMILION)
        pen.line(box, fill=_PAPER)
        pen.line((box[0], box[3], box[2], box[1]), fill=_PAPER)
    else:
        pen.rectangle(box, fill=_shade(share))


def _shade(share: float) -> _Colour:
    share = round(max(share, 0.0) * _SHADES) / _SHADES
    red, green, blue = (round(pale + (dark - pale) * share) for pale, dark in zip(_PALE, _BLUE, strict=True))
    return red, green, blue


def _hatch(pen: ImageDraw.ImageDraw, box: tuple[int, int, int, int], colour: _Colour) -> None:
    """Draw every third diagonal of a box."""
    left, top, right, bottom = box
    for start in range(left - (bottom - top), right + 1, 3):
        first, last = max(start, left), min(start + bottom - top, right)
        pen.line((first, bottom - (first - start), last, bottom - (last - start)), fill=colour)


def _bar(pen: ImageDraw.ImageDraw, top: int, label: str, share: float, limit: float | None) -> None:
    length, bottom = _WIDTH - _LABELS - _NUMBERS, top + _ROW - 4
    end = _LABELS + round(length * min(max(share, 0.0), 1.0))
    pen.text((0, top), _fitted(label), fill=_INK, font=_font())
    pen.rectangle((_LABELS, top + 2, _LABELS + length, bottom), fill=_PALE)
    if end > _LABELS:
        pen.rectangle((_LABELS, top + 2, end, bottom), fill=_BLUE)
    if limit is not None:
        mark = _LABELS + round(length * min(limit, 1.0))
        if share > limit and end > mark:
            pen.rectangle((mark, top + 2, end, bottom), fill=_PAPER)
            _hatch(pen, (mark, top + 2, end, bottom), _VERMILION)
        pen.rectangle((mark - 1, top, mark, bottom + 2), fill=_INK)
    pen.text((_WIDTH - _NUMBERS + 6, top), f"{share:.1%}", fill=_INK, font=_font())


def _fitted(label: str) -> str:
    """Return as much of a label as fits beside its bar."""
    font = _font()
    while label and font.getlength(label) > _LABELS - 8:
        label = label[:-1]
    return label


# --- lines -------------------------------------------------------------------------------------------------------------


def _height(share: float) -> float:
    return _CHART_HEIGHT - _MARGIN / 2 - share * (_CHART_HEIGHT - _MARGIN)


def _points(shares: Sequence[float]) -> list[tuple[float, float]]:
    step = (_WIDTH - _KEY - _MARGIN) / max(len(shares) - 1, 1)
    return [(_MARGIN + place * step, _height(share)) for place, share in enumerate(shares)]


def _dashed(
    pen: ImageDraw.ImageDraw, points: Sequence[tuple[float, float]], *, colour: _Colour, dash: tuple[int, int]
) -> None:
    """Draw a line through the points, and a mark on each of them."""
    for (x0, y0), (x1, y1) in pairwise(points):
        length = max(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5, 1.0)
        for start in range(0, int(length), sum(dash)):
            first, last = start / length, min(start + dash[0], length) / length
            ends = ((x0 + share * (x1 - x0), y0 + share * (y1 - y0)) for share in (first, last))
            pen.line([*ends], fill=colour, width=2)
    for x, y in points:
        pen.ellipse((x - 3, y - 3, x + 3, y + 3), fill=colour)


def _key_entry(pen: ImageDraw.ImageDraw, number: int, name: str) -> None:
    left, y = _WIDTH - _KEY + 14, 14 + number * _ROW
    _dashed(pen, [(left, y), (left + 34, y)], colour=_COLOURS[number], dash=_DASHES[number])
    pen.text((left + 44, y - _TEXT // 2 - 1), name, fill=_INK, font=_font())


# --- paper -------------------------------------------------------------------------------------------------------------


def _canvas(width: int, height: int) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGB", (width, height), _PAPER)
    return image, ImageDraw.Draw(image)


@cache
def _font() -> FreeTypeFont | BitmapFont:
    """Return the font that comes with Pillow, so that a picture does not hang on the machine's."""
    return ImageFont.load_default(_TEXT)


def _png(image: Image.Image) -> bytes:
    buffer = BytesIO()
    image.quantize(_COLOURS_KEPT, dither=Image.Dither.NONE).save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()

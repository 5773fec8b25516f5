"""Charts as SVG, drawn by Vega-Lite when a page is made (`vl-convert-python`): no browser, no network, nothing fetched.

Belongs here: what all charts share. A chart is a specification of Vega-Lite as data (`attacks.py` and so on). It has a title
and an alternative text that says what is seen, and the colours of the page that it stands in. The same specification gives the
same bytes on every machine: nothing is laid out by how wide a text is in some font, so axes have fixed widths, there are no
legends, and texts are broken by their number of characters.
"""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from textwrap import wrap
from typing import Any

from markupsafe import Markup, escape

from pipeline.errors import InputError

INK, PAPER, FAINT, RULE = "var(--ink)", "var(--paper)", "var(--faint)", "var(--rule)"
BLUE, BAD, LINE, CAREFUL = "var(--link)", "var(--bad)", "var(--line)", "var(--careful)"
"""The colours of the page, light or dark."""

WIDTH = 900
"""Width of a chart with its margins, in units of the drawing."""

_VERSION = "6.4"
"""Of Vega-Lite: the library brings several."""

_RESERVED = 72 << 30
"""Bytes of addresses that the library has to find free. Measured: V8, which it brings, reserves 64 GiB, and what else it
maps makes 66 in an empty process (`prlimit --as`)."""

_AXIS = {
    "labelColor": INK,
    "titleColor": INK,
    "gridColor": LINE,
    "domainColor": RULE,
    "tickColor": RULE,
    "labelFontSize": 13,
    "titleFontSize": 13,
    "titleFontWeight": "normal",
    # What would be found out by measuring texts.
    "labelLimit": 0,
    "titleLimit": 0,
    "labelOverlap": False,
    "labelBound": False,
    "labelFlush": False,
}
_CONFIG = {"aria": False, "font": "sans-serif", "background": None, "view": {"stroke": None}, "axis": _AXIS}
_NO_XML = re.compile("[^\\t\\n\\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NEEDLESS = re.compile(
    r' (?:class|pointer-events|font-[a-z]+|role|aria-[a-z]+)="[^"]*"| (?:opacity|stroke-width)="1"|<path d=""[^>]*/>'
    r"|(?<=\.\d\d)\d+(?=[^<>]*>)"
)
"""What says nothing here: the page has the font, the alternative text is one for all; what is the default, or empty; and digits
of a place beyond a hundredth."""


def chart(
    marks: Sequence[Mapping[str, Any]],
    *,
    height: int,
    left: int,
    title: str,
    told: str,
    right: int = 20,
    top: int = 10,
    bottom: int = 45,
) -> Markup:
    """Return a chart of layers, one over the other.

    Args:
        marks: Layers, each with its data, mark and encoding.
        height: Height of the plot.
        left: Room for the labels of the vertical axis.
        title: What it is.
        told: What is seen, for readers who do not see it.
        right: Room at the right.
        top: Room above.
        bottom: Room for the labels of the horizontal axis.
    """
    specification = {
        "width": WIDTH - left - right,
        "height": height,
        "padding": {"left": left, "right": right, "top": top, "bottom": bottom},
        "autosize": "none",
        "config": _CONFIG,
        "layer": list(marks),
    }
    drawn = _drawn(json.dumps(specification, ensure_ascii=False, sort_keys=True))
    size = f'viewBox="0 0 {WIDTH} {height + top + bottom}" role="img"'
    body = Markup(_NEEDLESS.sub("", drawn[drawn.index(">") + 1 :]))
    return Markup('<svg xmlns="http://www.w3.org/2000/svg" class="chart" {}><title>{}</title><desc>{}</desc>{}').format(
        Markup(size), escape(title), escape(_told(told)), body
    )


def refuse_no_room() -> None:
    """Refuse a process that cannot reserve the addresses which drawing takes: the library would end it, with no reason.

    Where it is loaded, it has them.

    Raises:
        InputError: They cannot be reserved; the message says how much that is.
    """
    if "vl_convert" in sys.modules:
        return
    try:
        mmap(-1, _RESERVED, flags=MAP_PRIVATE | MAP_ANONYMOUS, prot=0).close()
    except OSError as error:
        raise InputError(
            f"charts cannot be drawn here: that reserves {_RESERVED >> 30} GiB of addresses (of memory it takes 80 MB), and "
            f"this process may not ({error.strerror}); lift its limit (`ulimit -v unlimited`, prlimit --as), and limit its "
            "memory instead"
        ) from error


def values(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return rows as the data of a layer."""
    return {"values": list(rows)}


def lines(text: str, characters: int) -> list[str]:
    """Return a label as lines of so many characters, none cut off; every text that is not Silt's own has to come from here."""
    return wrap(_told(text), characters) or [""]


def _told(text: str) -> str:
    """Return a text with marks for characters that no XML can hold: the library would end the process."""
    return _NO_XML.sub("\ufffd", text)


@cache
def _drawn(specification: str) -> str:
    """Return what the library draws; one page after the other has the same charts."""
    # Only what draws a chart loads the library: it takes half a second, and 80 MB.
    refuse_no_room()
    import vl_convert  # noqa: PLC0415

    drawn: str = vl_convert.vegalite_to_svg(specification, vl_version=_VERSION)
    return drawn

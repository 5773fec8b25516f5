"""The picture of the frontier with this release on it: owners named, against what is lost.

Belongs here: where this release stands in the picture that `make frontier` drew (`benchmarks/frontier/picture.py`), and the
colours of the page. The mechanisms are measured on one sample, this release on itself.
"""

from functools import cache
from importlib.resources import files

from markupsafe import Markup, escape

from pipeline.wording import percent
from validation.report.charts.plot import BAD, INK, PAPER

LEFT, TOP, PLOT, FARTHEST = 66, 80, 300, 0.3
"""The plot of owners named: its corner and size, and the end of the axis of what is lost."""

_COLOURS = {"#ffffff": PAPER, "#222222": INK, "#000000": INK}
_HALF = 0.5


def frontier_chart(named: float, lost: float) -> Markup:
    """Return the picture, and on it a ringed cross for this release.

    Args:
        named: share of records whose owner is named, at worst.
        lost: median change of a rank correlation; what is beyond the axis stands on its end.
    """
    x, y = LEFT + min(lost, FARTHEST) / FARTHEST * PLOT, TOP + (1 - named) * PLOT
    is_right, is_top = lost > FARTHEST * _HALF, named > 1 - _HALF / 5
    aside = 36 if is_top else 16  # at the top, beyond the marks of mechanisms that name nearly every owner
    said = f"This release: owners of {percent(named)} of records named, median change of a rank correlation {lost:.2g}."
    mark = Markup(
        '<g fill="none" stroke="{0}" stroke-width="2.5"><path d="M{1:.1f} {2:.1f}m-6 -6l12 12m0 -12l-12 12"/>'
        '<circle cx="{1:.1f}" cy="{2:.1f}" r="11"/></g>'
        '<text x="{3:.1f}" y="{4:.1f}" font-size="13" font-weight="bold" text-anchor="{5}">these tables</text>'
    ).format(
        Markup(BAD),
        x,
        y,
        x + (-aside if is_right else aside),
        y + (14 if is_top else -8),
        "end" if is_right else "start",
    )
    return Markup(
        _picture().replace("</title>", f"</title><desc>{escape(said)}</desc>", 1).replace("</svg>", f"{mark}</svg>")
    )


@cache
def _picture() -> str:
    drawn = (files("validation") / "frontier.svg").read_text(encoding="utf-8")
    for colour, of_page in _COLOURS.items():
        drawn = drawn.replace(colour, of_page)
    return drawn.replace("<svg ", '<svg class="chart" role="img" ', 1).strip()


def subject() -> str:
    """Return what the picture was made of, as its own title says."""
    return _picture().partition("<title>")[2].partition("</title>")[0]

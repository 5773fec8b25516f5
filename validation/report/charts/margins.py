"""All samples against their margins, as one strip: how near each comes to being different.

Belongs here: one picture. The samples stand in the map and the table of tests, the margins in the table below the picture.
"""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from pipeline.wording import exact_percent, percent
from validation.report.charts.plot import BAD, BLUE, INK, Axis, Plot, rows
from validation.report.documents.distributions import Distributions
from validation.wording import number

_BINS = 40
"""Bins from 0 to the margin."""

_SHADES = (0.18, 0.4, 0.7, 1.0)
_FROM = (1, 10, 100, 1000)
"""Opacity of a bin, and from how many samples on it has it."""

Values = npt.NDArray[np.float64]

_Distance = Callable[[Values, float], Values]


def _ratio(found: Values, margin: float) -> Values:
    """Return the distance of ratios from 1 as a share of the margin's; a ratio of 0 is farther off than any."""
    with np.errstate(divide="ignore"):
        return np.abs(np.log(found)) / math.log(margin)


def _rank(found: Values, margin: float) -> Values:
    """Return how far rank correlations fall short of 1, as a share of what they may."""
    return (1 - found) / (1 - margin)


def _plain(found: Values, margin: float) -> Values:
    return np.abs(found) / margin


_DISTANCES: Mapping[str, _Distance] = {"factor": _ratio, "spread": _ratio, "order": _rank}
"""How far a criterion is from nothing having changed; others are differences."""


def margins_strip(of: Distributions, share_of_critical: Sequence[float] = ()) -> Markup:
    """Return how many samples come how near to each margin; nothing if there are none.

    Args:
        of: what `distributions.json` holds.
        share_of_critical: of each KS test D over the D that would be significant.
    """
    found = {"KS: D": np.asarray(share_of_critical, dtype=np.float64)} | {
        name: shares for name in of.margins if (shares := _shares(of, name)).size
    }
    shown = {name: shares for name, shares in found.items() if shares.size}
    if not shown:
        return Markup()
    ticks = {_BINS * share: exact_percent(share) for share in (0, 0.25, 0.5, 0.75)} | {_BINS: "margin"}
    title = "distance from no change, as a share of the margin; the last field is beyond it"
    across = Axis(ends=(0, _BINS + 1), ticks=ticks, title=title, has_grid=False)
    plot = Plot(across=across, down=rows([*shown]), height=34 * len(shown), left=100, right=110)
    for row, shares in enumerate(shown.values()):
        for place, count in enumerate(_counts(shares)):
            if count:
                ink = BAD if place == _BINS else BLUE
                plot.box(place, place + 1, row, height=26, fill=ink, opacity=_shade(count))
    plot.line((_BINS, -0.5), (_BINS, len(shown) - 0.5), ink=INK)
    said = "; ".join(_in_words(name, shares) for name, shares in shown.items())
    return plot.drawn("All samples against their margins", f"{said}.")


def _shares(of: Distributions, name: str) -> Values:
    place = of.samples.columns.index(name)
    cells = np.array([row[place] for row in of.samples.rows], dtype=np.float64)
    return _DISTANCES.get(name, _plain)(cells[~np.isnan(cells)], of.margins[name].margin)


def _counts(shares: Values) -> list[int]:
    """Return how many samples are in each bin; those beyond the margin are in the last."""
    places = np.where(shares > 1, _BINS, np.minimum(np.floor(shares * _BINS), _BINS - 1)).astype(np.int64)
    counts: list[int] = np.bincount(places, minlength=_BINS + 1).tolist()
    return counts


def _shade(count: int) -> float:
    return max(shade for shade, least in zip(_SHADES, _FROM, strict=True) if count >= least)


def _in_words(name: str, shares: Values) -> str:
    beyond = int((shares > 1).sum())
    half = float((shares <= 1 / 2).mean())
    return (
        f"{name}: {number(shares.size)} samples, {percent(half)} within half of the margin, {number(beyond)} beyond it"
    )

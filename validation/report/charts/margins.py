"""All samples against their margins, as one strip: how near each comes to being different.

Belongs here: one picture. The samples stand in the map and the table of tests, the margins in the table below the picture.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from validation.report.charts.vega import BAD, BLUE, INK, chart, values
from validation.report.documents.distributions import Distributions
from validation.wording import number, percent

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
    counted = {name: _counts(shares) for name, shares in shown.items()}
    bins = [
        {"place": place, "from": low, "to": high, "shade": _shade(count)}
        for place, counts in enumerate(counted.values())
        for (low, high), count in zip(pairwise(range(_BINS + 2)), counts, strict=True)
        if count
    ]
    return chart(
        _marks(list(shown), bins),
        height=34 * len(shown),
        left=100,
        right=110,
        title="All samples against their margins",
        told="; ".join(_told(name, shares) for name, shares in shown.items()) + ".",
    )


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


def _told(name: str, shares: Values) -> str:
    beyond = int((shares > 1).sum())
    half = float((shares <= 1 / 2).mean())
    return (
        f"{name}: {number(shares.size)} samples, {percent(half)} within half of the margin, {number(beyond)} beyond it"
    )


def _marks(names: Sequence[str], bins: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    labels = json.dumps(names, ensure_ascii=False)
    down = {
        "field": "place",
        "type": "ordinal",
        "scale": {"domain": [*range(len(names))], "padding": 0.25},
        "axis": {"title": None, "ticks": False, "domain": False, "labelExpr": f"{labels}[datum.value]"},
    }
    across = {
        "type": "quantitative",
        "scale": {"domain": [0, _BINS + 1], "nice": False},
        "axis": {
            "values": [0, _BINS // 4, _BINS // 2, 3 * _BINS // 4, _BINS],
            "labelExpr": f"datum.value == {_BINS} ? 'margin' : format(datum.value / {_BINS}, '~%')",
            "title": "distance from no change, as a share of the margin; the last field is beyond it",
            "grid": False,
        },
    }
    return [
        *(
            {
                "data": values([each for each in bins if (each["from"] == _BINS) == is_beyond]),
                "mark": {"type": "rect", "color": colour},
                "encoding": {
                    "y": down,
                    "x": {"field": "from", **across},
                    "x2": {"field": "to"},
                    "opacity": {"field": "shade", "type": "quantitative", "scale": None},
                },
            }
            for is_beyond, colour in ((False, BLUE), (True, BAD))
        ),
        {
            "data": values([{}]),
            "mark": {"type": "rule", "color": INK, "strokeWidth": 2},
            "encoding": {"x": {"datum": _BINS, **across}},
        },
    ]

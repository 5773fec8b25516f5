"""What became of noise, kind by kind, and the rate of each rule against what is specified.

Belongs here: two pictures. The same numbers stand below them as tables.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from validation.expectations.rates import RuleRate
from validation.report.charts.vega import BAD, BLUE, FAINT, INK, PAPER, RULE, chart, values
from validation.report.documents.noise import OfKind
from validation.wording import number, percent

_PITCH = 20

_FATES: Mapping[str, Mapping[str, Any]] = {
    "mended": {"color": BLUE},
    "missed": {"color": BAD},
    "unrecoverable": {"fill": PAPER, "stroke": RULE, "strokeWidth": 1},
}
"""Field of what became of changes -> its ink, from left to right; what is lost is left empty."""


def noise_by_kind(kinds: Sequence[OfKind]) -> Markup:
    """Return for each kind which shares of its changes were mended, missed and lost; nothing without any."""
    shown = sorted((kind for kind in kinds if kind.changes), key=lambda kind: (-kind.changes, kind.kind))
    if not shown:
        return Markup()
    down = _rows([kind.kind for kind in shown])
    bars = [bar for place, kind in enumerate(shown) for bar in _bars(place, kind)]
    counts = [{"place": place, "text": number(kind.changes)} for place, kind in enumerate(shown)]
    lost = sum(kind.unrecoverable for kind in shown)
    mended, changes = sum(kind.mended for kind in shown), sum(kind.changes for kind in shown)
    return chart(
        [
            *(
                {
                    "data": values([bar for bar in bars if bar["fate"] == fate]),
                    "mark": {"type": "bar", "height": 12, **ink},
                    "encoding": {"y": down, "x": {"field": "from", **_SHARE}, "x2": {"field": "to"}},
                }
                for fate, ink in _FATES.items()
            ),
            {
                "data": values(counts),
                "mark": {"type": "text", "align": "left", "dx": 8, "color": INK, "fontSize": 13},
                "encoding": {"y": down, "x": {"datum": 1, **_SHARE}, "text": {"field": "text"}},
            },
        ],
        height=_PITCH * len(shown),
        left=190,
        right=90,
        title="What became of noise, by kind",
        told=f"Of {number(changes)} changes of {len(shown)} kinds, {number(mended)} are mended and {number(lost)} are lost. "
        + "; ".join(f"{kind.kind}: {percent(kind.mended / kind.changes)} mended" for kind in shown)
        + ".",
    )


_SHARE: Mapping[str, Any] = {
    "type": "quantitative",
    "scale": {"domain": [0, 1]},
    "axis": {"values": [0, 0.25, 0.5, 0.75, 1], "format": "~%", "title": "share of the changes of a kind"},
}


def _rows(labels: Sequence[str]) -> dict[str, Any]:
    """Return the vertical axis of rows that are numbered from 0."""
    shown = json.dumps(labels, ensure_ascii=False)
    axis = {"title": None, "ticks": False, "domain": False, "labelExpr": f"{shown}[datum.value]"}
    return {"field": "place", "type": "ordinal", "axis": axis}


def _bars(place: int, kind: OfKind) -> list[dict[str, Any]]:
    bars, start = [], 0.0
    for fate in _FATES:
        end = start + getattr(kind, fate) / kind.changes
        if end > start:
            bars.append({"place": place, "fate": fate, "from": round(start, 6), "to": round(end, 6)})
        start = end
    return bars


# --- rates -------------------------------------------------------------------------------------------------------------


def rates(rules: Sequence[RuleRate]) -> Markup:
    """Return each rule's rate against the specified one, with the bounds that chance allows; nothing without any."""
    shown = [rule for rule in rules if rule.expected > 0 and rule.rate > 0]
    if not shown:
        return Markup()
    least = min(min(rule.expected, rule.rate) for rule in shown) / 2
    rows = [
        {
            "specified": rule.expected,
            "observed": rule.rate,
            "low": max(rule.low, least),
            "high": rule.high,
            "passed": rule.passed,
        }
        for rule in shown
    ]
    beyond = [f"{rule.rule} in {rule.table}" for rule in shown if not rule.passed]
    return chart(
        _rate_marks(rows, least),
        height=380,
        left=80,
        right=40,
        title="Rates of rules, specified and observed",
        told=f"{len(shown)} rates of rules from {percent(least * 2)} to {percent(max(rule.rate for rule in shown))}: "
        + (
            f"out of their bounds are {', '.join(beyond)}."
            if beyond
            else "each is within the bounds that chance allows."
        ),
    )


def _rate_marks(rows: Sequence[Mapping[str, Any]], least: float) -> list[dict[str, Any]]:
    ends = [least, max(1.0, *(float(row["high"]) for row in rows))]
    scale = {"type": "log", "domain": ends, "nice": False}
    ticks = [tick for tick in (0.00001, 0.0001, 0.001, 0.01, 0.1, 1) if ends[0] <= tick <= ends[1]]

    def along(field: str, title: str) -> dict[str, Any]:
        axis = {"values": ticks, "format": "~%", "title": title}
        return {"field": field, "type": "quantitative", "scale": scale, "axis": axis}

    x, y = along("specified", "specified rate"), along("observed", "observed rate")
    return [
        {
            "data": values([{"specified": end, "observed": end} for end in ends]),
            "mark": {"type": "line", "color": RULE, "strokeDash": [4, 4], "strokeWidth": 1},
            "encoding": {"x": x, "y": y},
        },
        {
            "data": values(rows),
            "mark": {"type": "rule", "color": FAINT, "strokeWidth": 2},
            "encoding": {"x": x, "y": along("low", "observed rate"), "y2": {"field": "high"}},
        },
        *(
            {
                "data": values([row for row in rows if row["passed"] == is_passed]),
                "mark": {"type": "point", "shape": shape, "filled": True, "opacity": 1, "color": colour, "size": 55},
                "encoding": {"x": x, "y": y},
            }
            for is_passed, shape, colour in ((True, "circle", BLUE), (False, "cross", BAD))
        ),
    ]

"""Attacks as dots: the share that each found, with its upper bound, what guessing finds, and the limit.

Belongs here: one picture. The attacks stand below it, family by family, with the same numbers as text.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from markupsafe import Markup

from validation.attacks.limits import TOLD_ONLY, highest_allowed, is_over
from validation.report.charts.vega import BAD, BLUE, INK, LINE, PAPER, chart, lines, values
from validation.report.documents.privacy import Attack
from validation.wording import percent

_WORST = 3
"""Attacks of a family that are drawn: those that found the largest shares, each by those whose knowledge helped most."""

_LINE, _GAP, _LABEL = 15, 7, 52
"""Height of a line of a label, what is between two labels, and characters of a line."""


def attack_dots(attacks: Sequence[Attack]) -> Markup:
    """Return the worst attacks of each family as dots; nothing if none found anything."""
    shown = [attack for attack in _worst(attacks) if attack.successes]
    if not shown:
        return Markup()
    rows = [_row(place, attack) for place, attack in enumerate(shown)]
    return chart(
        _marks(rows),
        height=(_LINE * max(len(row["label"]) for row in rows) + _GAP) * len(rows),
        left=390,
        title="What attacks found",
        told=f"{len(rows)} attacks, the worst of each family that found anything: "
        + "; ".join(map(_told, shown))
        + ".",
    )


def _worst(attacks: Sequence[Attack]) -> Iterator[Attack]:
    for _, family in groupby(attacks, lambda attack: attack.family):
        tried = sorted((attack for attack in family if attack.records), key=lambda attack: attack.rate)
        best = {attack.attack: attack for attack in tried}.values()
        yield from sorted(best, key=lambda attack: -attack.rate)[:_WORST]


def _row(place: int, attack: Attack) -> dict[str, Any]:
    return {
        "place": place,
        "label": lines(f"{attack.family}: {attack.attack}", _LABEL),
        "rate": attack.rate,
        "upper": attack.upper_95,
        "chance": attack.chance,
        "limit": highest_allowed(vars(attack)),
        "kept": "over" if is_over(vars(attack)) else "told" if attack.limit == TOLD_ONLY else "kept",
    }


def _told(attack: Attack) -> str:
    return f"{attack.attack} found {percent(attack.rate)}, where guessing finds {percent(attack.chance)}"


def _marks(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    labels = {str(row["place"]): row["label"] for row in rows}
    across = {
        "type": "quantitative",
        "scale": {"type": "sqrt", "domain": [0, 1]},
        "axis": {"values": [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1], "format": "~%", "title": "share found"},
    }
    down = {
        "field": "place",
        "type": "ordinal",
        "axis": {"title": None, "ticks": False, "domain": False, "labelExpr": f"({json.dumps(labels)})[datum.value]"},
    }
    of = {"y": down}
    return [
        {
            "data": values(rows),
            "mark": {"type": "rule", "color": LINE},
            "encoding": {**of, "x": {"datum": 0, **across}, "x2": {"datum": 1}},
        },
        {
            "data": values(rows),
            "mark": {"type": "rule", "color": BLUE, "strokeWidth": 3},
            "encoding": {**of, "x": {"field": "rate", **across}, "x2": {"field": "upper"}},
        },
        {
            "data": values(rows),
            "mark": {"type": "tick", "color": INK, "thickness": 2, "size": 14},
            "encoding": {**of, "x": {"field": "chance", **across}},
        },
        {
            "data": values([row for row in rows if row["kept"] != "told"]),
            "mark": {
                "type": "point",
                "shape": "triangle-down",
                "yOffset": -9,
                "color": INK,
                "filled": True,
                "size": 90,
            },
            "encoding": {**of, "x": {"field": "limit", **across}},
        },
        *(
            {
                "data": values([row for row in rows if row["kept"] == kept]),
                "mark": {"type": "point", "opacity": 1, "size": 90, **mark},
                "encoding": {**of, "x": {"field": "rate", **across}},
            }
            for kept, mark in _DOTS.items()
        ),
    ]


_DOTS: Mapping[str, Mapping[str, Any]] = {
    "kept": {"shape": "circle", "stroke": BLUE, "fill": BLUE},
    "told": {"shape": "circle", "stroke": BLUE, "fill": PAPER, "strokeWidth": 2},
    "over": {"shape": "cross", "fill": BAD, "stroke": BAD},
}
"""Within its limit, without one, and over it."""

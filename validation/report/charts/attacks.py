"""Attacks as dots: the share that each found, with its upper bound, what guessing finds, and the limit.

Belongs here: one picture. The attacks stand below it, family by family, with the same numbers as text.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from markupsafe import Markup

from pipeline.wording import percent
from validation.attacks.limits import REPORTED_ONLY, highest_allowed, is_over
from validation.report.charts.plot import BAD, BLUE, INK, LINE, PAPER, Plot, broken, rows, shares
from validation.report.documents.privacy import AttackCounts

_WORST = 3
"""Attacks of a family that are drawn: those that found the largest shares, each by those whose knowledge helped most."""

_LINE, _GAP, _LABEL = 15, 7, 52
"""Height of a line of a label, what is between two labels, and characters of a line."""


def attack_dots(attacks: Sequence[AttackCounts]) -> Markup:
    """Return the worst attacks of each family as dots; nothing if none found anything."""
    shown = [attack for attack in _worst(attacks) if attack.successes]
    if not shown:
        return Markup()
    labels = [broken(f"{attack.family}: {attack.attack}", _LABEL) for attack in shown]
    height = (_LINE * max(1 + label.count("\n") for label in labels) + _GAP) * len(labels)
    plot = Plot(across=shares("share found", scale=math.sqrt), down=rows(labels), height=height, left=390)
    for row, attack in enumerate(shown):
        _draw(plot, row, attack)
    said = "; ".join(
        f"{attack.attack} found {percent(attack.rate)}, where guessing finds {percent(attack.chance)}"
        for attack in shown
    )
    return plot.drawn(
        "What attacks found", f"{len(shown)} attacks, the worst of each family that found anything: {said}."
    )


def _worst(attacks: Sequence[AttackCounts]) -> Iterator[AttackCounts]:
    for _, family in groupby(attacks, lambda attack: attack.family):
        tried = sorted((attack for attack in family if attack.records), key=lambda attack: attack.rate)
        best = {attack.attack: attack for attack in tried}.values()
        yield from sorted(best, key=lambda attack: -attack.rate)[:_WORST]


def _draw(plot: Plot, row: int, attack: AttackCounts) -> None:
    """Draw an attack: within its limit, over it (a cross), or without one (empty)."""
    limit, is_bad = highest_allowed(vars(attack)), is_over(vars(attack))
    plot.line((0, row), (1, row), ink=LINE, width=1)
    plot.line((attack.rate, row), (attack.upper_95, row), ink=BLUE, width=3)
    plot.point(attack.chance, row, "tick", ink=INK)
    if attack.limit != REPORTED_ONLY:
        plot.point(limit, row, "below", ink=INK)
    is_empty = attack.limit == REPORTED_ONLY and not is_bad
    plot.point(
        attack.rate, row, "cross" if is_bad else "circle", ink=BAD if is_bad else BLUE, fill=PAPER if is_empty else ""
    )

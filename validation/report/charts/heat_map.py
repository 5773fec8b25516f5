"""The map of all tests: measures down, industries across, each cell the worst of its years.

Belongs here: what a cell shows. A cell says its finding by a character, and its colour says the same again; what opens when
it is chosen is `report.js`'s.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

from validation.report.sections.samples import LEVELS, VERDICTS, Comparison, Place, Samples, levels_of
from validation.report.words import group_name

STEPS = 10
"""Shades below the critical distance."""

Cell = tuple[str, str | None]
"""Measure and group."""

_PLURALS = dict(zip(LEVELS, ("industries", "sub-industries"), strict=True))


@dataclass(frozen=True, kw_only=True)
class _Worst:
    """The worst of a cell's years."""

    share: float
    is_rejected: bool
    verdict: int | None


def heat_maps(samples: Samples, industries: Mapping[str, str]) -> str:
    """Return a map for each level; the coarsest is shown first, the others when the reader switches.

    Args:
        samples: all samples of the variant.
        industries: sub-industry -> the industry that it belongs to, so that one industry's can be looked at alone.
    """
    return "".join(_map(samples, level, industries, is_first=not i) for i, level in enumerate(levels_of(samples)))


def level_name(level: str) -> str:
    """Return what the groups of a level are called."""
    return _PLURALS[level]


def _map(samples: Samples, level: str, industries: Mapping[str, str], *, is_first: bool) -> str:
    worst = _worst_by_cell(test for test in samples.tests if test.place[0] == level)
    small = {_cell_of(place) for place in samples.too_small if place[0] == level}
    places = [test.place for test in samples.tests] + list(samples.too_small)
    groups = sorted({place[2] for place in places if place[0] == level}, key=lambda group: (group is None, group or ""))
    measures = list(dict.fromkeys(place[1] for place in places if place[0] == level))
    heads = "".join(_head(group, industries) for group in groups)
    rows = "".join(
        f'<tr><th scope="row">{escape(measure)}</th>'
        f"{''.join(_cell(worst.get((measure, group)), (measure, group) in small) for group in groups)}</tr>\n"
        for measure in measures
    )
    return (
        f'<div class="wide map"{"" if is_first else " hidden"} data-level="{escape(level)}"><table class="heat" role="grid"'
        f' aria-label="measures and {escape(level_name(level))}">\n<thead><tr><td></td>{heads}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody>\n</table></div>\n"
    )


def _worst_by_cell(tests: Iterable[Comparison]) -> Mapping[Cell, _Worst]:
    found: dict[Cell, list[Comparison]] = {}
    for test in tests:
        found.setdefault(_cell_of(test.place), []).append(test)
    return {cell: _worst(of) for cell, of in found.items()}


def _worst(tests: Iterable[Comparison]) -> _Worst:
    tests = list(tests)
    verdicts = [VERDICTS.index(test.verdict) for test in tests if test.verdict is not None]
    return _Worst(
        share=max(test.share_of_critical for test in tests),
        is_rejected=any(test.is_rejected for test in tests),
        verdict=max(verdicts, default=None),
    )


def _cell_of(place: Place) -> Cell:
    return place[1], place[2]


def _head(group: str | None, industries: Mapping[str, str]) -> str:
    parent = industries.get(group_name(group))
    belongs = "" if parent is None else f' data-industry="{escape(parent)}"'
    return f'<th scope="col"{belongs}><span>{escape(group_name(group))}</span></th>'


def _cell(worst: _Worst | None, is_small: bool) -> str:  # noqa: FBT001  # one of two facts about a cell, not an option
    if worst is None:
        return '<td class="small">/</td>' if is_small else "<td></td>"
    verdict = "" if worst.verdict is None else f" v{worst.verdict}"
    if worst.is_rejected:
        return f'<td class="over{verdict}">\u2715</td>'
    step = min(int(STEPS * worst.share), STEPS - 1)
    return f'<td class="d{step}{verdict}">{step}</td>'

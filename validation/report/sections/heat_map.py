"""The map of all tests: measures down, industries across, each cell the worst of its years.

Belongs here: what a cell shows. A cell says its finding by a character, and its colour says the same again; what opens when
it is chosen is `map.js`'s, which also draws the maps that are not shown at first.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from validation.report.sections.samples import LEVELS, VERDICTS, Comparison, Place, ReportedSamples, levels_of
from validation.wording import group_name

STEPS = 10
"""Shades below the critical distance."""

_PLURALS = dict(zip(LEVELS, ("industries", "sub-industries"), strict=True))

_Where = tuple[str, str | None]
"""Measure and group."""

Shown = str
"""A cell as two characters: its finding (tenths of the critical distance, a rejection, too small, nothing), and the verdict on
equivalence by its rank, or a blank."""

_REJECTED, _SMALL, _EMPTY = "\u2715", "/ ", "  "


@dataclass(frozen=True, kw_only=True)
class HeatMap:
    """The map of one level."""

    level: str
    name: str
    """What its groups are called."""
    groups: Sequence[tuple[str | None, str | None]]
    """Each column's group, and the industry that it belongs to."""
    rows: Sequence[tuple[str, Sequence[Shown]]]
    """Each measure and its cells."""

    def packed(self) -> Mapping[str, Any]:
        """Return the map as the script draws it."""
        rows = [(measure, "".join(cells)) for measure, cells in self.rows]
        return {"level": self.level, "name": self.name, "columns": self.groups, "rows": rows}


def heat_maps(samples: ReportedSamples, industries: Mapping[str, str]) -> list[HeatMap]:
    """Return a map for each level, the coarsest first.

    Args:
        samples: all samples of the variant.
        industries: sub-industry -> the industry that it belongs to, so that one industry's can be looked at alone.
    """
    return [_map(samples, level, industries) for level in levels_of(samples)]


def level_name(level: str) -> str:
    """Return what the groups of a level are called."""
    return _PLURALS[level]


def _map(samples: ReportedSamples, level: str, industries: Mapping[str, str]) -> HeatMap:
    shown: dict[_Where, Shown] = {_where(place): _SMALL for place in samples.too_small if place[0] == level}
    shown |= _by_cell(test for test in samples.tests if test.place[0] == level)
    places = [*(test.place for test in samples.tests), *samples.too_small]
    own = list(dict.fromkeys(_where(place) for place in places if place[0] == level))
    groups = sorted({group for _, group in own}, key=lambda group: (group is None, group or ""))
    return HeatMap(
        level=level,
        name=level_name(level),
        groups=[(group, industries.get(group_name(group))) for group in groups],
        rows=[
            (measure, [shown.get((measure, group), _EMPTY) for group in groups])
            for measure in dict.fromkeys(measure for measure, _ in own)
        ],
    )


def _by_cell(tests: Iterable[Comparison]) -> dict[_Where, Shown]:
    found: dict[_Where, list[Comparison]] = {}
    for test in tests:
        found.setdefault(_where(test.place), []).append(test)
    return {cell: _worst(of) for cell, of in found.items()}


def _where(place: Place) -> _Where:
    return place[1], place[2]


def kind_of(cell: Shown) -> str | None:
    """Return the class of a cell; None for one without figures."""
    found, verdict = cell[0], cell[1]
    if cell == _EMPTY:
        return None
    named = {_REJECTED: "over", _SMALL[0]: "small"}.get(found, f"d{found}")
    return named if verdict == " " else f"{named} v{verdict}"


def _worst(tests: Sequence[Comparison]) -> Shown:
    """Return what stands for all years of a cell: a rejection, or the largest share of the critical distance in steps."""
    verdicts = [VERDICTS.index(test.verdict) for test in tests if test.verdict is not None]
    verdict = str(max(verdicts)) if verdicts else " "
    if any(test.is_rejected for test in tests):
        return f"{_REJECTED}{verdict}"
    return f"{min(int(STEPS * max(test.share_of_critical for test in tests)), STEPS - 1)}{verdict}"

"""The section on KS tests: the verdict, the map of all of them, and the table of those with the smallest p.

Belongs here: words and order, and what a cell of the map shows: its finding by a character, and its colour says the same again.
Samples are embedded by `samples.py`. What opens when a cell is chosen is `map.js`'s, which also draws the maps that are not
shown at first.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from pipeline.wording import counted
from validation.report.documents.distributions import Ks, Test, Tests
from validation.report.html import SHAPES, Cell, Column, render, table, word
from validation.report.labels import Labels
from validation.report.sections.samples import (
    LEVELS,
    VERDICTS,
    Comparison,
    Place,
    ReportedSamples,
    embedded,
    levels_of,
    shares_of_critical,
)
from validation.wording import NOTHING, group_name, number, verdict

SHOWN_TESTS = 200
"""Rows of the table that stands there without a script; a page of all 20,000 would not open on a phone."""


def distances(ks: Ks, drawn: Mapping[str, Any] | None = None) -> Markup:
    """Return the section's HTML; without `drawn`, which is what `drawn_of` returned, there is no map."""
    return render("distances.html", ks=ks, **_shown(ks), **(drawn or {"maps": None}))


def drawn_of(samples: ReportedSamples, industries: Mapping[str, str], labels: Labels) -> Mapping[str, Any]:
    """Return the maps of all samples, the first as HTML and all of them as the script draws them.

    Args:
        industries: sub-industry -> its industry; may be empty.
    """
    maps = heat_maps(samples, industries)
    data = embedded(samples, [each.packed() for each in maps], labels)
    return {"maps": maps, "kind_of": kind_of, "has_verdicts": bool(samples.statistics), "data": data}


_SAMPLED = ("figures are sampled from noised statistics of the originals", "both are samples of the same statistics")


_QUANTILES = (
    "Within an industry and a period, sampled figures are evenly spaced quantiles of what the published statistics say"
)


def _independence(ks: Ks) -> str:
    """Return why the samples differ less than independent ones, of which p and what chance gives are stated."""
    if ks.is_of_fresh:
        return (
            f"{_QUANTILES}; the draw decides which company has which. So two draws are alike there by construction, and chance "
            "gives fewer differences than p says: what differs stands in finer groups, or where other companies report."
        )
    if ks.allowed:
        return f"{_QUANTILES}, without the error of a random sample. So chance gives fewer differences than p says."
    return (
        "Both samples are of the same companies, whose low digits were drawn anew, and differ less than independent samples: "
        "that a test finds nothing shows only that nothing is grossly broken. How near figures are is tested under "
        f"“{SHAPES}”."
    )


def sentence_of(ks: Ks) -> str:
    """Return the verdict in a sentence."""
    total, tests, alpha = len(ks.tests), counted_tests(ks), ks.alpha
    finds = "finds" if total == 1 else "find"
    if not total:
        return "No sample is large enough for a test, so there is no evidence either way."
    if ks.passed and ks.rejected:
        return (
            f"{ks.rejected:,} of {tests} {finds} a difference (p <= {alpha}); chance alone would give at most "
            f"about {alpha * total:,.0f}, and {ks.allowed:,} are allowed: {_SAMPLED[ks.is_of_fresh]}."
        )
    if ks.passed:
        return f"None of {tests} finds a difference (every p > {alpha}), and {_sizes(ks)}."
    return (
        f"{ks.rejected:,} of {tests} {finds} a difference (p <= {alpha}); "
        f"figures were lost or gained in {counted(ks.unequal_sizes, 'comparison')}."
    )


def counted_tests(of: Tests, noun: str = "test") -> str:
    """Return how many tests there are, and of how many samples if some are tested twice."""
    samples = of.different_samples
    twice = f" ({counted(samples, 'different sample')})" if samples < len(of.tests) else ""
    return f"{counted(len(of.tests), noun)}{twice}"


def largest_distance(ks: Ks) -> str:
    """Return the largest distance with the sizes of its samples: of a few figures that lie apart it is 1."""
    if not ks.tests:
        return number(ks.largest_statistic)
    test = max(ks.tests, key=lambda test: test.statistic)
    return f"{number(test.statistic)} ({test.n:,} against {test.n_anonymised:,} figures)"


def _shown(ks: Ks) -> dict[str, Any]:
    outcome, kind = _outcome(ks)
    tests = sorted(ks.tests, key=lambda test: (test.p_value, -test.statistic))[:SHOWN_TESTS]
    return {
        "word": outcome,
        "kind": kind,
        "sentence": sentence_of(ks),
        "independence": _independence(ks),
        "figures": _facts(ks),
        "tests": table("tests with the smallest p", tests, _columns(ks)),
    }


def _outcome(ks: Ks) -> tuple[str, str]:
    """Return the word of the verdict and its kind: what differs by more than chance is not called passed, though it may."""
    if ks.passed and not ks.tests:
        return NOTHING, "note"
    if ks.passed and ks.rejected > ks.alpha * len(ks.tests):
        return "Within the limit.", "doubtful"
    return verdict(ks.passed), verdict(ks.passed)


def _sizes(ks: Ks) -> str:
    """Return in how many comparisons the numbers of figures differ, which passes where records are sampled."""
    if not ks.unequal_sizes:
        return "no sample lost or gained a figure"
    compared = counted(ks.unequal_sizes, "comparison")
    return f"{compared} of another number of figures than {ks.others} have there, for records are sampled"


def _facts(ks: Ks) -> list[tuple[str, str]]:
    return [
        *([("companies compared", f"{ks.drawn.companies:,} of {ks.drawn.of:,}, by industry")] if ks.drawn else []),
        ("tests", number(len(ks.tests))),
        ("rejected", f"{ks.rejected:,} ({ks.allowed:,} allowed)"),
        ("largest D", largest_distance(ks)),
        ("smallest p", number(ks.smallest_p_value)),
        ("smallest p after Holm", number(ks.smallest_p_holm)),
        ("median detectable shift", f"{number(ks.median_detectable_shift)} sd"),
        ("too small to test", number(len(ks.too_small))),
    ]


def _columns(ks: Ks) -> Mapping[str, Column]:
    def verdict_on(test: Test) -> Cell:
        # Where chance may reject some, none of them has failed by itself.
        return Cell("differs", kind="note" if ks.allowed else "exceeded") if test.p_value <= ks.alpha else word(True)

    # In the words of the list of all tests (`tests.js`).
    return {
        "measure": "measure",
        # Measure and group do not stand side by side: together they might be a company's name.
        "year": lambda test: str(test.year),
        "level": lambda test: test.level.replace("_", "-"),
        "group": lambda test: group_name(test.group),
        "n": "n",
        "D": "statistic",
        "of critical": lambda test: shares_of_critical([test], ks.alpha)[0],
        "p": "p_value",
        "p (Holm)": "p_holm",
        "detectable shift (sd)": "detectable_shift",
        "KS": verdict_on,
    }


# --- the map -----------------------------------------------------------------------------------------------------------

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
        industries: sub-industry -> the industry that it belongs to, so that one industry's can be looked at alone.
    """
    return [_map(samples, level, industries) for level in levels_of(samples)]


def _map(samples: ReportedSamples, level: str, industries: Mapping[str, str]) -> HeatMap:
    shown: dict[_Where, Shown] = {_where(place): _SMALL for place in samples.too_small if place[0] == level}
    shown |= _by_cell(test for test in samples.tests if test.place[0] == level)
    places = [*(test.place for test in samples.tests), *samples.too_small]
    own = list(dict.fromkeys(_where(place) for place in places if place[0] == level))
    groups = sorted({group for _, group in own}, key=lambda group: (group is None, group or ""))
    return HeatMap(
        level=level,
        name=_PLURALS[level],
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

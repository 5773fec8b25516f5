"""The fixed list of analyses of a declaration: kinds by measures, industries and years, always in the same order.

Belongs here: which questions are asked. Measures are the panel's known figures, then others of the panel. Groups are those with
the most firms in the originals, large enough that half of their firms can still give an answer. So the list depends on which
firms there are and not on their figures, and no analysis is chosen for its outcome.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations, pairwise, product

from pipeline.model import Panel, Ratio
from validation.fidelity.conclusions import analyses
from validation.fidelity.conclusions.view import EVERYBODY, Group, View
from validation.fidelity.sides import FEWEST_FIRMS, EntityColumns

MEASURES = 8
"""Measures that questions are about: seven known figures and one more, or as many as there are."""

LARGE = 8
"""Industries among which the first is asked for: few enough that more than chance separates them."""

FULL = 0.5
"""A year counts if it has at least this share of the records of the fullest year."""

THRESHOLDS = (0.1, 0.5)
"""Thresholds of a ratio, before its scale: a tenth and a half."""

STATISTICS: tuple[analyses.Statistic, ...] = ("median", "mean", "sum")


@dataclass(frozen=True, kw_only=True)
class _Axes:
    """The values over which the kinds are spread."""

    panel: Panel
    columns: EntityColumns
    measures: tuple[str, ...]
    additive: tuple[str, ...]
    years: tuple[int, ...]
    """Full years, ascending."""
    year: int
    """The fullest year; the latest of several."""
    industries: tuple[Group, ...]
    siblings: tuple[tuple[Group, Group], ...]
    """The two largest sub-industries of each industry that has two."""
    categories: tuple[Group, ...]
    """The most frequent values of the further columns."""


def declared_analyses(originals: View, panel: Panel, columns: EntityColumns) -> list[analyses.Analysis]:
    """Return the analyses; fewer where there are few measures, industries or years, none without figures."""
    if not originals.years():
        return []
    axes = _axes(originals, panel, columns)
    kinds = (_rankings, _pairs, _groups, _over_years, _correlations, _regressions, _tails, _ratios, _growth)
    return [analysis for kind in kinds for analysis in kind(axes)]


def asked_measures(panel: Panel) -> list[str]:
    """Return the known figures, most known first, then others spread evenly over the panel's order."""
    known = list(dict.fromkeys(name for names in panel.known for name in names))
    others = [measure.name for measure in panel.measures if measure.name not in known]
    missing = max(MEASURES - len(known), 0)
    step = max(len(others) // max(missing, 1), 1)
    return [*known, *others[::step][:missing]][:MEASURES]


def _axes(view: View, panel: Panel, columns: EntityColumns) -> _Axes:
    sizes = {year: view.rows(year).size for year in view.years()}
    fullest = max(sizes.values())
    year = max(year for year, size in sizes.items() if size == fullest)
    measures = tuple(asked_measures(panel))
    industries = _large(view, columns.industry, year)
    return _Axes(
        panel=panel,
        columns=columns,
        measures=measures,
        additive=tuple(name for name in measures if panel.measure(name).additive),
        years=tuple(year for year, size in sizes.items() if size >= FULL * fullest),
        year=year,
        industries=tuple(industries),
        siblings=tuple(_siblings(view, columns, year, industries)),
        categories=tuple(_frequent(view, columns, year)),
    )


def _large(view: View, column: str, year: int) -> list[Group]:
    return [group for group in view.groups(column, year) if view.rows(year, group).size >= 2 * FEWEST_FIRMS]


def _siblings(view: View, columns: EntityColumns, year: int, industries: list[Group]) -> Iterator[tuple[Group, Group]]:
    if columns.sub_industry == columns.industry:
        return
    subs = _large(view, columns.sub_industry, year)
    for industry in industries:
        members = set(view.rows(year, industry).tolist())
        inside = [sub for sub in subs if members.issuperset(view.rows(year, sub).tolist())]
        if len(inside) > 1:
            yield inside[0], inside[1]


def _frequent(view: View, columns: EntityColumns, year: int) -> Iterator[Group]:
    """Return the two most frequent values of each further column, unless nearly all firms have the value."""
    everybody = view.rows(year).size
    for column in view.labels[2 if columns.industry != columns.sub_industry else 1 :]:
        large = (group for group in _large(view, column, year))
        fitting = [group for group in large if everybody - view.rows(year, group).size >= 2 * FEWEST_FIRMS]
        yield from fitting[:2]


def _rankings(axes: _Axes) -> Iterator[analyses.Analysis]:
    """Ask for the first three of all industries, and for the first of the largest ones."""
    for industries, count in ((axes.industries, 3), (axes.industries[:LARGE], 1)):
        for measure in axes.measures[:4] if len(industries) > count else ():
            for statistic in STATISTICS:
                if measure in axes.additive or statistic != "sum":
                    yield analyses.TopGroups(
                        measure=measure, statistic=statistic, year=axes.year, groups=industries, count=count
                    )


def _pairs(axes: _Axes) -> Iterator[analyses.Analysis]:
    """Compare industries of about the same size, and sub-industries of one industry."""
    alike = product(list(pairwise(axes.industries))[:4], axes.measures[:4])
    for (first, second), measure in chain(alike, product(axes.siblings[:5], axes.measures[:2])):
        yield analyses.LargerMedian(measure=measure, year=axes.year, first=first, second=second)


def _groups(axes: _Axes) -> Iterator[analyses.Analysis]:
    for group, measure in product(axes.categories, axes.measures[:2]):
        yield analyses.AgainstTheRest(measure=measure, year=axes.year, group=group)


def _over_years(axes: _Axes) -> Iterator[analyses.Analysis]:
    asked = list(product((EVERYBODY, *axes.industries[:4]), axes.measures[:3]))
    if len(axes.years) > 1:
        for group, measure in asked:
            yield analyses.Trend(measure=measure, group=group, years=axes.years)
    if len(axes.years) > 2:  # noqa: PLR2004  (of two years, the larger is the trend)
        for group, measure in asked:
            yield analyses.YearOfMaximum(measure=measure, group=group, statistic="median", years=axes.years)


def _correlations(axes: _Axes) -> Iterator[analyses.Analysis]:
    for first, second in combinations(axes.measures[:6], 2):
        yield analyses.Correlation(first=first, second=second, year=axes.year)
    for group, (first, second) in product(axes.industries[:3], combinations(axes.measures[:3], 2)):
        yield analyses.Correlation(first=first, second=second, year=axes.year, group=group)


def _regressions(axes: _Axes) -> Iterator[analyses.Analysis]:
    for output, first, second in combinations(axes.measures[:5], 3):
        yield analyses.RegressionSign(output=output, first=first, second=second, year=axes.year)


def _tails(axes: _Axes) -> Iterator[analyses.Analysis]:
    for measure, group in product(axes.additive[:5], (EVERYBODY, *axes.industries[:1])):
        yield analyses.TopTenthHolds(measure=measure, year=axes.year, group=group)


def _ratios(axes: _Axes) -> Iterator[analyses.Analysis]:
    """Ask about the declared ratios, and about ratios of the first measures."""
    ratios = [identity for identity in axes.panel.identities if isinstance(identity, Ratio)]
    for ratio, share, group in product(ratios[:3], THRESHOLDS, (EVERYBODY, *axes.industries[:2])):
        yield analyses.MostAbove(measure=ratio.output, threshold=ratio.scale * share, year=axes.year, group=group)
    for denominator, measure in combinations(axes.additive[:3], 2):
        yield analyses.MostAbove(measure=measure, denominator=denominator, threshold=THRESHOLDS[1], year=axes.year)


def _growth(axes: _Axes) -> Iterator[analyses.Analysis]:
    if axes.year - 1 not in axes.years:
        return
    for group, measure in product((EVERYBODY, *axes.industries[:2]), axes.measures[:4]):
        yield analyses.MostGrew(measure=measure, year=axes.year, group=group)

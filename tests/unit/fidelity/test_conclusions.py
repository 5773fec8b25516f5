"""Conclusions: the list is fixed by the declaration, answers are those of hand calculation, halves are a fair benchmark."""

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from scipy import stats

from pipeline.model import PERIOD, Environment
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.us_listed import US_LISTED
from tests.unit.fidelity.panels import COLUMNS, KEY, PANEL, TRADES, YEARS, changed, permuted_firms, side
from validation.fidelity import Conclusion, Conclusions, EntityColumns
from validation.fidelity.conclusions.analyses import (
    AgainstTheRest,
    Analysis,
    Correlation,
    LargerMedian,
    MostAbove,
    MostGrew,
    RegressionSign,
    TopGroups,
    TopTenthHolds,
    Trend,
    YearOfMaximum,
)
from validation.fidelity.conclusions.declared import asked_measures, declared_analyses
from validation.fidelity.conclusions.surviving import SPLITS, conclusions, counted, halves_of
from validation.fidelity.conclusions.view import Group, View
from validation.pair import Side

ORIGINALS = side()
BAKING, BREWING, MILLING = (Group("trade", trade) for trade in TRADES)


def view(original: Side = ORIGINALS) -> View:
    return View.of(original, PANEL, COLUMNS)


def asked(published: Side, originals: Side = ORIGINALS) -> tuple[list[Conclusion], int]:
    return conclusions(originals, published, panel=PANEL, columns=COLUMNS, key=KEY)


def concluded(published: Side, originals: Side = ORIGINALS) -> Conclusions:
    return counted(*asked(published, originals))


def staffed(staff: dict[str, list[list[int | None]]]) -> View:
    """Return the view of firms whose staff is given by trade, firm and year, from 2020 on; revenue is 10 times that."""
    rows = [
        (f"{trade} {i}", trade, 2020 + j, None if heads is None else 10 * heads, heads)
        for trade, firms in staff.items()
        for i, years in enumerate(firms)
        for j, heads in enumerate(years)
    ]
    frame = pl.DataFrame(rows, schema=["firm", "trade", PERIOD, "revenue", "staff"], orient="row")
    return View(
        frame=frame.cast({"revenue": pl.Float64, "staff": pl.Float64}).sort("firm", PERIOD),
        code="firm",
        labels=("trade",),
    )


SHEEP = staffed(
    {
        "baking": [[k, k + 1, k + 3] for k in (1, 2, 3, 4, 90)],
        "brewing": [[k, k - 1, k - 2] for k in (11, 12, 13, 14, 15)],
        "milling": [[k, k + 5, k] for k in (6, 7, 8, 9, 10)],
        "weaving": [[k, k, k] for k in (1000, 1000, 1000, 1000)],
    }
)
EVERY_TRADE = (*(Group("trade", trade) for trade in TRADES), Group("trade", "weaving"))

ANSWERS: list[tuple[Analysis, object]] = [
    (TopGroups(measure="staff", statistic="median", year=2020, groups=EVERY_TRADE, count=2), ("brewing", "milling")),
    (TopGroups(measure="staff", statistic="mean", year=2020, groups=EVERY_TRADE, count=1), ("baking",)),
    (TopGroups(measure="staff", statistic="sum", year=2020, groups=EVERY_TRADE, count=2), ("baking", "brewing")),
    (TopGroups(measure="staff", statistic="sum", year=2020, groups=EVERY_TRADE, count=3), None),
    (LargerMedian(measure="staff", year=2020, first=BAKING, second=MILLING), "milling"),
    (LargerMedian(measure="staff", year=2020, first=MILLING, second=MILLING), "equal"),
    (LargerMedian(measure="staff", year=2020, first=BAKING, second=EVERY_TRADE[3]), None),
    (LargerMedian(measure="staff", year=2030, first=BAKING, second=MILLING), None),
    (AgainstTheRest(measure="staff", year=2020, group=BREWING), True),
    (AgainstTheRest(measure="staff", year=2020, group=BAKING), False),
    (Trend(measure="staff", group=BAKING, years=(2020, 2021, 2022)), "up"),
    (Trend(measure="staff", group=BREWING, years=(2020, 2021, 2022)), "down"),
    (Trend(measure="staff", group=MILLING, years=(2020, 2022)), "flat"),
    (Trend(measure="staff", group=MILLING, years=(2020, 2023)), None),
    (YearOfMaximum(measure="staff", group=MILLING, statistic="median", years=(2020, 2021, 2022)), 2021),
    (YearOfMaximum(measure="staff", group=BREWING, statistic="sum", years=(2020, 2021, 2022)), 2020),
    (TopTenthHolds(measure="staff", year=2020), False),
    (TopTenthHolds(measure="staff", year=2020, group=BAKING), None),
    (MostAbove(measure="staff", threshold=7.5, year=2020, group=MILLING), True),
    (MostAbove(measure="staff", threshold=8, year=2020, group=MILLING), False),
    (MostAbove(measure="revenue", denominator="staff", threshold=9, year=2020, group=MILLING), True),
    (MostGrew(measure="staff", year=2021, group=BAKING), True),
    (MostGrew(measure="staff", year=2021, group=BREWING), False),
    (MostGrew(measure="staff", year=2020, group=BAKING), None),
    (Correlation(first="staff", second="revenue", year=2020), None),
    (RegressionSign(output="staff", first="revenue", second="staff", year=2020), None),
]


@pytest.mark.parametrize(("analysis", "expected"), ANSWERS, ids=str)
def test_answers_are_those_by_hand(analysis: Analysis, expected: object) -> None:
    """Each kind answers what a reader of the table would, and nothing where too few firms report."""
    assert analysis.answer(SHEEP) == expected


def test_top_tenth_of_everybody() -> None:
    """Where one of twenty firms holds nearly all, the top tenth holds more than half."""
    heads = staffed({"baking": [[1]] * 19 + [[100]]})
    assert TopTenthHolds(measure="staff", year=2020).answer(heads) is True


@pytest.mark.parametrize(("slope", "expected"), [(1.0, "positive"), (-1.0, "negative"), (0.0, "not significant")])
def test_correlation_has_the_sign_and_significance_of_scipys(slope: float, expected: str) -> None:
    """The sign of a correlation is told where `spearmanr` finds it significant, with ties and gaps."""
    rng = np.random.default_rng(12)
    x, noise = rng.integers(0, 9, (2, 60)).astype(float)
    frame = pl.DataFrame({"firm": np.arange(60), PERIOD: [2020] * 60, "staff": x, "revenue": slope * x + noise})
    gaps = frame.with_columns(staff=pl.when(pl.col("firm") > 4).then("staff"))
    found = Correlation(first="staff", second="revenue", year=2020).answer(View(frame=gaps, code="firm", labels=()))
    there = frame.filter(pl.col("firm") > 4)
    assert (stats.spearmanr(there["staff"], there["revenue"]).pvalue <= 0.05) == (expected != "not significant")
    assert found == expected


@pytest.mark.parametrize("sign", [1, -1])
def test_regression_sign_is_that_of_least_squares(sign: int) -> None:
    """The sign is the first coefficient's of numpy's least squares on logs, not the correlation's."""
    rng = np.random.default_rng(13)
    z = rng.normal(0, 1, 80)
    x = z + rng.normal(0, 0.3, 80)
    y = sign * 0.5 * x - sign * 2 * z + rng.normal(0, 0.01, 80)
    logs = {"y": y, "x": x, "z": z}
    frame = pl.DataFrame({"firm": np.arange(80), PERIOD: [2020] * 80} | {name: np.exp(v) for name, v in logs.items()})
    found = RegressionSign(output="y", first="x", second="z", year=2020).answer(
        View(frame=frame, code="firm", labels=())
    )
    coefficients = np.linalg.lstsq(np.column_stack([x, z, np.ones(80)]), y, rcond=None)[0]
    assert found == ("positive" if coefficients[0] > 0 else "negative") == ("positive" if sign > 0 else "negative")
    assert np.sign(np.corrcoef(x, y)[0, 1]) == -sign


def like(environment: Environment, years: tuple[int, ...]) -> Side:
    """Return invented figures of all measures of an environment: 480 firms of 12 industries with two parts each."""
    rng = np.random.default_rng(14)
    keys, columns = environment.entities, EntityColumns.of(environment)
    number = np.arange(480)
    labels = {column: [f"{column} {k}" for k in rng.integers(0, 4, 480)] for column in columns.categories}
    groups = {keys.industry: [f"i{k % 12}" for k in number], keys.sub_industry: [f"i{k % 12} {k % 24}" for k in number]}
    entities = pl.DataFrame({keys.code: [f"c{k}" for k in number]} | labels | groups)
    figures = [
        pl.DataFrame(
            {keys.code: entities[keys.code], PERIOD: np.full(480, year)}
            | {m.name: rng.lognormal(8, 1, 480).astype(np.int64) for m in environment.panel.measures}
        )
        for year in years
    ]
    return Side(entities=entities, figures=pl.concat(figures))


@pytest.mark.parametrize(("environment", "years"), [(US_LISTED, (2012, 2013, 2014)), (DATACLAW_18, (2020, 2021, 2022))])
def test_shipped_environments_have_at_least_sixty(environment: Environment, years: tuple[int, ...]) -> None:
    """Both declarations give more than 60 analyses of every kind, no two of them alike."""
    columns = EntityColumns.of(environment)
    found = declared_analyses(View.of(like(environment, years), environment.panel, columns), environment.panel, columns)
    assert len(set(found)) == len(found) >= 60
    assert len({type(analysis) for analysis in found}) == 10
    asked = asked_measures(environment.panel)
    assert asked[: len(environment.panel.known[-1])] == list(environment.panel.known[-1])


SCALES: list[Callable[[pl.DataFrame], pl.DataFrame]] = [
    lambda figures: figures.with_columns(staff=1_000 - pl.col("staff")),
    lambda figures: figures.reverse(),
]


@pytest.mark.parametrize("change", SCALES)
def test_list_depends_on_no_figure(change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    """Other figures and another order of rows give the same list."""
    lists = [declared_analyses(view(one), PANEL, COLUMNS) for one in (ORIGINALS, changed(ORIGINALS, change))]
    assert lists[0] == lists[1] != []


def test_categories_are_texts_with_several_values() -> None:
    """A town is asked about against the rest; a year of opening is no category."""
    asked = {a.group.column for a in declared_analyses(view(), PANEL, COLUMNS) if isinstance(a, AgainstTheRest)}
    assert asked == {"town"}
    one_town = Side(entities=ORIGINALS.entities.with_columns(town=pl.lit("Ulm")), figures=ORIGINALS.figures)
    assert not [a for a in declared_analyses(view(one_town), PANEL, COLUMNS) if isinstance(a, AgainstTheRest)]


def test_thin_years_are_not_asked_about() -> None:
    """A year with less than half of the fullest year's records takes part in no trend, and is not the year of others."""
    thin = changed(ORIGINALS, lambda f: f.filter((pl.col(PERIOD) < 2023) | (pl.col("firm") < "F0050")))
    found = declared_analyses(view(thin), PANEL, COLUMNS)
    assert {a.years for a in found if isinstance(a, Trend)} == {(2020, 2021, 2022)}
    assert {a.year for a in found if isinstance(a, LargerMedian)} == {2022}


def test_halves_are_disjoint_and_balanced() -> None:
    """Each firm is in one half with all its years, and the halves of an industry differ by at most one firm."""
    whole = view(side(100))
    halves = halves_of(whole, "trade", KEY)
    firms = [half.frame.select("firm", "trade").unique() for half in halves]
    assert not set(firms[0]["firm"]) & set(firms[1]["firm"])
    assert sum(half.frame.height for half in halves) == whole.frame.height
    counts = [frame["trade"].value_counts().sort("trade")["count"].cast(pl.Int64) for frame in firms]
    assert (counts[0] - counts[1]).abs().max() <= 1
    assert (
        halves_of(whole, "trade", KEY.derive("other"))[0].frame["firm"].to_list() != halves[0].frame["firm"].to_list()
    )


def test_same_originals_share_everything() -> None:
    """Against themselves all conclusions are the same; two halves agree on some and not on others."""
    found = concluded(ORIGINALS)
    assert found.n >= 60
    assert found.same == found.same_of_shared == 1
    assert 0 < found.shared < found.n
    assert found.halves is not None
    assert 0.5 < found.halves < 1


def test_shared_conclusions_survive_in_other_firms_of_one_law() -> None:
    """Of what two halves agree on, other firms of the same law say at least 80 %."""
    found = concluded(side(180, seed=2))
    assert found.same_of_shared is not None
    assert found.same is not None
    assert found.same_of_shared >= 0.8
    assert found.same < found.same_of_shared


def test_distorted_relations_lose_their_conclusions() -> None:
    """Staff of other firms no longer correlates: those conclusions alone are lost."""
    published = changed(ORIGINALS, lambda figures: permuted_firms(ORIGINALS, figures, "staff"))
    lost = {each.kind for each in asked(published)[0] if each.is_shared and not each.is_same}
    assert "Correlation" in lost
    assert lost <= {"Correlation", "RegressionSign", "MostAbove", "AgainstTheRest", "LargerMedian"}


def test_what_the_release_cannot_answer_is_not_the_same() -> None:
    """An empty release shares no conclusion, though the originals answer them all."""
    each, unanswered = asked(changed(ORIGINALS, lambda figures: figures.clear()))
    found = counted(each, unanswered)
    assert (found.same, found.same_of_shared, found.lower_95) == (0, 0, 0)
    assert all(conclusion.published is None for conclusion in each)


def test_what_the_originals_cannot_answer_is_counted_apart() -> None:
    """A measure that nobody reports takes its analyses out of the count, and says how many."""
    silent = changed(ORIGINALS, lambda figures: figures.with_columns(staff=pl.lit(None, pl.Int64)))
    found = concluded(silent, silent)
    assert found.unanswered > 0
    assert found.n + found.unanswered == len(declared_analyses(view(silent), PANEL, COLUMNS))
    assert found.same == 1


def test_bound_is_scipys() -> None:
    """The lower bound is the exact one of a binomial, one-sided at 95 %."""
    published = side(180, seed=2)
    shared = [each for each in asked(published)[0] if each.is_shared]
    test = stats.binomtest(sum(each.is_same for each in shared), len(shared), alternative="greater")
    assert concluded(published).lower_95 == pytest.approx(test.proportion_ci(0.95, method="exact").low)


def test_most_splits_make_a_conclusion_shared() -> None:
    """A conclusion counts as shared if both halves give one answer in more than half of the splits."""
    least = [Conclusion(kind="k", original=1, published=1, halves=share / SPLITS) for share in (4, 5)]
    found = counted(least, 0)
    assert [each.is_shared for each in least] == [False, True]
    assert found.shared == 1
    assert found.halves == pytest.approx(0.5)


def test_the_summary_counts_by_kind() -> None:
    """Every conclusion is counted under its kind."""
    found = concluded(ORIGINALS)
    assert sum(kind["n"] for kind in found.by_kind.values()) == found.n == len(asked(ORIGINALS)[0])


def test_order_and_codes_of_the_release_do_not_matter() -> None:
    """Rows in another order under other codes are the same release."""
    published = side(180, seed=2)
    other = Side(
        entities=published.entities.with_columns("Z" + pl.col("firm")).reverse(),
        figures=published.figures.with_columns("Z" + pl.col("firm")).reverse(),
    )
    assert concluded(other) == concluded(published)


def test_years_of_the_panel_are_those_of_the_questions() -> None:
    """Questions name the full years, the fullest for those of one year."""
    found = declared_analyses(view(), PANEL, COLUMNS)
    assert {a.years for a in found if isinstance(a, YearOfMaximum)} == {YEARS}
    assert {a.year for a in found if isinstance(a, TopTenthHolds | Correlation | MostGrew)} == {2023}

"""A release of sampled records as a whole: what is the originals', what is not, and panels that are hard to sample."""

import re
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from anonymize.synthesis import Synthesis, synthesise
from anonymize.tables import original_figures
from pipeline.errors import GateError, InputError
from pipeline.keyed import Key
from pipeline.model import PERIOD, Column
from tests.stats import ALPHA, check_rate
from tests.unit.synthesis.yards import (
    BUDGET,
    KEY,
    MEASURES,
    OTHER_KEY,
    TOWNS,
    YARDS,
    YEARS,
    of_year,
    originals,
    released,
    with_accounts,
    without,
)
from validation.consistency.residuals import identity_residuals

NAMES = [measure.name for measure in MEASURES]
OUTPUTS = {identity.output for identity in YARDS.panel.identities}
"""What follows from two figures that nearly cancel: small errors of their correlation show there."""


@cache
def usual(key: Key = KEY) -> tuple[Synthesis, pl.DataFrame]:
    """Return the release of 500 yards."""
    return released(originals(), key)


def shuffled(tables: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return the tables with their rows in another order."""
    return {name: frame.sample(fraction=1.0, shuffle=True, seed=5) for name, frame in tables.items()}


def test_order_of_rows_makes_no_difference() -> None:
    """Tables in any order of rows give the same release, to the last digit."""
    tables = originals(120, silent=30)
    first, other = released(tables), released(shuffled(tables))
    assert first[1].equals(other[1])
    assert first[0].drawn.broken.equals(other[0].drawn.broken)
    for parts in ("entities", "rows"):
        for name, frame in getattr(first[0], parts).items():
            assert frame.sort(frame.columns).equals(getattr(other[0], parts)[name].sort(frame.columns)), name


def test_two_keys_share_nothing() -> None:
    """A firm's figures under two keys agree in no digit more than chance has it, its town in as many cases as towns do."""
    (first, figures), (second, others) = usual(), usual(OTHER_KEY)
    rows = figures.join(others, on=["mill", PERIOD], how="inner")
    assert (rows["sales"] == rows["sales_right"]).sum() <= 1
    towns = [sampled.entities["mills"].sort("mill")["town"] for sampled in (first, second)]
    share = sum((towns[0] == town).sum() * (towns[1] == town).sum() for town in TOWNS) / 500**2
    check_rate((towns[0] == towns[1]).sum(), 500, share)


def test_other_draws_of_the_same_statistics_are_others() -> None:
    """What published reports compare a release with is not the release."""
    first, _ = usual()
    tables = originals()
    other = synthesise(YARDS, tables, original_figures(YARDS, tables), KEY, budget=BUDGET, again=first)
    assert other.statistics is first.statistics
    assert not other.drawn.figures.select(NAMES).equals(first.drawn.figures.select(NAMES))


def test_the_owner_of_a_record_is_not_told_by_its_size() -> None:
    """Rank correlation of owner's and record's sales within a trade is 0: five keys, n of each trade, Bonferroni over all."""
    tables = originals(300)
    before = of_year(tables["accounts"], ["sales"]).join(tables["mills"], on="mill")
    rejected = []
    for seed in range(5):
        after = of_year(released(tables, KEY.derive(str(seed)))[1], ["sales"])
        joined = before.join(after, on="mill", suffix=" drawn").drop_nulls(["sales", "sales drawn"])
        for trade in ("flour", "paper", "saw"):
            rows = joined.filter(trade=trade)
            rejected.append(stats.spearmanr(rows["sales"], rows["sales drawn"]).pvalue)
    assert min(rejected) > ALPHA / len(rejected)


def test_counts_by_trade_are_near_the_originals() -> None:
    """Firms of each trade are as many as before; of regions, towns and records of a year 60 of 500 differ at most."""
    tables, (sampled, figures) = originals(), usual()
    drawn, before = sampled.entities["mills"], tables["mills"]
    assert drawn.columns == before.columns
    assert drawn.select("mill", "trade").sort("mill").equals(before.select("mill", "trade").sort("mill"))
    for column in ("region", "town"):
        assert _far(before[column], drawn[column]) < 60
    assert _far(tables["accounts"][PERIOD], figures[PERIOD]) < 60
    assert {TOWNS[town] == region for town, region in drawn.select("town", "region").drop_nulls().iter_rows()} == {True}


def _far(before: pl.Series, after: pl.Series) -> int:
    counts = Counter(before), Counter(after)
    return max(abs(counts[0][value] - counts[1][value]) for value in {*counts[0], *counts[1]})


def test_what_counts_spend_stands_in_the_account() -> None:
    """Of each attribute 1 / 32 at most, and of the budget a twentieth."""
    account = usual()[0].account
    attributes: Counter[str] = Counter()
    for line in account.lines:
        if ": " not in line.statistic:
            continue
        attributes[line.statistic.removesuffix(", within strata")] += line.rho
    assert {"mills: region", "mills: town", "mills: years and tables", "visits: rows"} <= set(attributes)
    assert max(attributes.values()) <= 1 / 32 + 1e-12
    assert sum(attributes.values()) <= account.budget / 20


def test_years_are_drawn_within_a_trade() -> None:
    """A quarter reports later: as many do as before but for the noise, and not the same ones."""
    late = pl.col("mill").is_in([f"M{100 + 7 * i}" for i in range(0, 300, 4)]) & (pl.col(PERIOD) == 2020)
    tables = without(originals(300), late)
    _, figures = released(tables)
    patterns = [
        frame.group_by("mill").agg(pl.col(PERIOD).sort()).sort("mill") for frame in (tables["accounts"], figures)
    ]
    counts = [Counter(map(tuple, frame[PERIOD].to_list())) for frame in patterns]
    assert set(counts[0]) == set(counts[1]) == {(2021, 2022), (2020, 2021, 2022)}
    assert counts[1][2021, 2022] == pytest.approx(75, abs=40)
    own = patterns[0].join(patterns[1], on="mill").filter(pl.col(PERIOD).list.len() == 2)
    check_rate(own.filter(pl.col(f"{PERIOD}_right").list.len() == 2).height, own.height, counts[1][2021, 2022] / 300)


def test_patterns_of_years_that_few_firms_have_do_not_appear() -> None:
    """A gap year that five firms have is nobody's in the release, one that sixty have is there."""
    for firms in (5, 60):
        gap = pl.col("mill").is_in([f"M{100 + 7 * i}" for i in range(firms)]) & (pl.col(PERIOD) == 2021)
        _, figures = released(without(originals(200), gap))
        found = figures.group_by("mill").agg(pl.col(PERIOD).sort())[PERIOD].to_list()
        assert ([2020, 2022] in found) == (firms > 5)


def test_where_no_pattern_is_common_nobodys_is_published() -> None:
    """If every firm reports for its own years, all report for those that pass by themselves: nobody's own pattern stands."""
    tables = originals(400)
    accounts = pl.concat([tables["accounts"].with_columns(pl.col(PERIOD) + 3 * i) for i in range(4)])
    number = pl.col("mill").str.slice(1).cast(pl.Int64) // 7
    own = ((number * 389 + 17) // 2 ** (pl.col(PERIOD) - 2020)) % 2 == 0
    reported = accounts.filter(own | (pl.col(PERIOD) == 2030)).filter(pl.col(PERIOD) != 2031)
    _, figures = released(dict(tables) | {"accounts": reported})
    found = {tuple(years) for years in figures.group_by("mill").agg(PERIOD)[PERIOD].list.sort()}
    assert len(found) == 1
    assert set(next(iter(found))) == set(range(2020, 2031))


def test_years_of_few_firms_are_left_out() -> None:
    """A year that five firms report is none, one that 90 report is there."""
    for firms, years in ((5, {2021, 2022}), (90, {2020, 2021, 2022})):
        few = pl.col("mill").is_in([f"M{100 + 7 * i}" for i in range(firms)]) | (pl.col(PERIOD) != 2020)
        assert set(released(without(originals(120), ~few))[1][PERIOD]) == years


@pytest.mark.parametrize("firms", [0, 19])
def test_too_few_firms_are_refused(firms: int) -> None:
    """Fewer than 20 firms with figures are refused, with how many are enough, what to do, and what each way loses."""
    tables = originals(40)
    few = pl.col("mill").is_in(tables["mills"]["mill"].head(firms).implode())
    lost = int(without(tables, ~few)["accounts"].select(pl.col(NAMES).count()).sum_horizontal().item())
    with pytest.raises(
        InputError,
        match=rf"^too few firms for 'guarded'; about {92 if firms else 53} are enough \(an estimate; a larger budget does not "
        rf"help\)\. Only {firms} report figures\. .*; leave the panel out, which loses 8 measures of {lost} figures; "
        "or publish under 'lsd', which keeps every record and measure, with low digits drawn anew, but lets anybody",
    ):
        released(without(tables, ~few))


def test_a_year_of_too_few_firms_is_refused_with_how_many_are_enough() -> None:
    """At a small budget sixty firms are refused by the draw, and a fifth more than the refusal names are sampled."""
    with pytest.raises(
        GateError,
        match=r"^too few .* No year .* Give more firms .*, or publish under 'lsd', which keeps .* another key may let one pass",
    ) as refused:
        released(originals(60), budget=0.5)
    enough = int(re.findall(r"about (\d+) are enough \(an estimate; fewer with a larger", str(refused.value))[0])
    assert 60 < enough < 300
    assert released(originals(enough + enough // 5), budget=0.5)[1].height


@pytest.mark.parametrize("budget", [10, 100_000])
def test_a_larger_budget_is_not_advised_where_it_changes_no_noise(budget: float) -> None:
    """Counts of attributes spend no more from some budget on: then firms help, or another key, and no budget does."""
    firms = originals(30)
    with pytest.raises(GateError, match=r"about 92 are enough \(an estimate; a larger budget does not help\)\. No"):
        released(firms, Key(bytes([1]) * 32), budget=budget)
    assert released(firms, Key(bytes([2]) * 32), budget=budget)[1].height


def test_years_that_no_key_lets_pass_are_bad_input() -> None:
    """Of so small a budget the noise is more than any draw makes up for."""
    with pytest.raises(
        InputError,
        match=r"^too few firms .* about [0-9,]+ are enough \(an estimate; fewer .* Hardly any key lets one pass$",
    ):
        released(originals(60), budget=0.001)


def test_firms_without_an_industry_are_sampled() -> None:
    """Firms whose trade is null, some or all, keep the null and have figures."""
    for condition in (pl.col("town") == "Celle", pl.lit(value=True)):
        tables = originals(100)
        tables["mills"] = tables["mills"].with_columns(pl.when(~condition).then(pl.col("trade")).alias("trade"))
        sampled, figures = released(tables)
        assert sampled.entities["mills"]["trade"].null_count() == tables["mills"]["trade"].null_count()
        assert figures["mill"].n_unique() == 100


def test_identities_hold_but_where_they_are_drawn_as_broken() -> None:
    """Residuals are 0 in all records that are not drawn as broken; breaks are as frequent as in the originals (6 %)."""
    sampled, figures = usual()
    held = sampled.drawn.broken.select(pl.all().not_())
    assert [each.max_residual for each in identity_residuals(figures, YARDS.panel, code="mill", held=held)] == [0, 0, 0]
    assert sampled.drawn.broken["profit"].mean() == pytest.approx(0.06, abs=0.015)
    assert not sampled.drawn.broken["growth"].any()


def test_gaps_and_zeros_are_as_frequent_as_before() -> None:
    """Shares of gaps and zeros by year are within 4 points."""
    before, (_, after) = originals()["accounts"], usual()
    for year in YEARS:
        for name in NAMES:
            columns = [of_year(frame, [name], year)[name] for frame in (before, after)]
            assert columns[0].is_null().mean() == pytest.approx(columns[1].is_null().mean(), abs=0.04), name
            assert (columns[0] == 0).mean() == pytest.approx((columns[1] == 0).mean(), abs=0.04), name


def test_an_output_whose_input_is_missing_is_missing() -> None:
    """Where sales are not reported, neither are profit, margin and growth that follow from them: as often as before."""
    is_missing = pl.int_range(pl.len()) % 5 == 0
    names = ("sales", "profit", "margin", "growth")
    tables = with_accounts(originals(200), *(pl.when(~is_missing).then(pl.col(name)).alias(name) for name in names))
    after = released(tables)[1]
    assert after.filter(pl.col("sales").is_null()).select(names[1:]).null_count().row(0) == (
        (after["sales"].null_count(),) * 3
    )
    assert after["sales"].is_null().mean() == pytest.approx(0.2, abs=0.02)


def test_distributions_are_near_the_originals() -> None:
    """D by year is below 0.12, that of outputs below 0.25 (n = 500: 5 % of pairs of samples of one law differ by 0.086)."""
    before, (_, after) = originals()["accounts"], usual()
    for year in YEARS:
        for name in NAMES:
            columns = [of_year(frame, [name], year)[name].drop_nulls() for frame in (before, after)]
            if len(columns[0]):
                found = stats.ks_2samp(*columns, method="asymp").statistic
                assert found < (0.25 if name in OUTPUTS else 0.12), (name, year)


def test_rank_correlations_are_near_the_originals() -> None:
    """Spearman's between two figures of a year that are no outputs is within 0.2 (n = 500), half of them within 0.08."""
    before, (_, after) = originals()["accounts"], usual()
    changes = []
    for pair in combinations([name for name in NAMES if name not in OUTPUTS], 2):
        found = [_spearman(of_year(frame, pair).drop_nulls()) for frame in (before, after)]
        changes.append(abs(found[0] - found[1]))
    assert max(changes) < 0.2
    assert np.median(changes) < 0.08


def test_years_hang_together_as_in_the_originals() -> None:
    """Spearman's between a year and the next is within 0.1 for each figure that is no output, and has one sign."""
    before, (_, after) = originals()["accounts"], usual()
    for name in set(NAMES) - OUTPUTS - {"luck"}:
        pairs = [
            of_year(frame, [name], 2021).join(of_year(frame, [name], 2022), on="mill") for frame in (before, after)
        ]
        found = [_spearman(pair.drop_nulls()) for pair in pairs]
        assert found[0] == pytest.approx(found[1], abs=0.1), name


def _spearman(rows: pl.DataFrame) -> float:
    return float(stats.spearmanr(rows[:, 1], rows[:, 2])[0])


def test_an_environment_that_declares_nothing_has_everything_drawn() -> None:
    """Without quasi-identifiers the trade stays and each other attribute, also one completed, is drawn by itself."""
    tables = originals(300)
    tables["mills"] = tables["mills"].with_columns(opened=(pl.int_range(pl.len()) % 5).cast(pl.String))
    first, *others = YARDS.raw_tables
    completed = replace(first, adds=(Column(name="opened"),))
    plain = replace(YARDS, quasi_identifiers=None, raw_tables=(completed, *others))
    sampled, _ = released(tables, environment=plain)
    drawn = sampled.entities["mills"].sort("mill")
    before = tables["mills"].sort("mill")
    assert drawn["trade"].equals(before["trade"])
    for column in ("region", "town", "opened"):
        assert _far(before[column], drawn[column]) < 60
        assert (drawn[column] == before[column]).mean() < 0.5
    assert (drawn["town"].replace(TOWNS) != drawn["region"]).any()


def test_firms_in_two_tables_are_the_same_in_both() -> None:
    """Docks that mills list, too, have the same attributes in both, report no figures, and are not the originals' ones."""
    tables = originals(300, silent=60)
    sampled, figures = released(tables)
    mills, docks = sampled.entities["mills"], sampled.entities["docks"]
    both = docks.join(mills, on="mill", how="inner").sort("mill")
    assert both.height == pytest.approx(60, abs=40)
    assert both["town"].equals(both["town_right"], check_names=False)
    assert not set(both["mill"]) & set(figures["mill"])
    assert set(both["mill"]) != set(tables["mills"]["mill"].tail(60))
    assert docks.columns == tables["docks"].columns
    assert docks["pier"].null_count() == docks.height, "every pier is one firm's"


HARD = {
    "constant": pl.lit(7, pl.Int64),
    "zero": pl.lit(0, pl.Int64),
    "null": pl.lit(None, pl.Int64),
    "negative": -pl.col("gift") - 1,
    "huge": (pl.col("sales") / pl.col("sales").max() * 1e15).cast(pl.Int64),
    "of four firms": pl.when(pl.col("mill").is_in(["M100", "M107", "M114", "M121"])).then(pl.col("gift")),
}


@pytest.mark.parametrize("case", HARD)
def test_hard_measures_are_sampled(case: str) -> None:
    """A measure that is constant, zero, null, negative, up to 1e15, or that four firms report, comes out like it went in."""
    tables = with_accounts(originals(120), HARD[case].alias("gift"))
    before, after = tables["accounts"]["gift"], released(tables)[1]["gift"]
    if case == "constant":
        assert after.is_between(4, 10).all(), "within its bin"
    if case in {"zero", "null"}:
        assert after.unique().to_list() == before.unique().to_list()
    if case == "negative":
        assert (after < 0).all()
    if case == "huge":
        assert 3e14 < after.max() < 3e15  # type: ignore[operator]
    if case == "of four firms":
        assert after.null_count() == len(after)


@pytest.mark.parametrize("case", ["constant", "zero", "null"])
def test_hard_bases_of_identities_are_sampled(case: str) -> None:
    """Identities over sales that are constant, zero or null hold."""
    tables = with_accounts(originals(120), HARD[case].alias("sales"))
    sampled, figures = released(tables)
    held = sampled.drawn.broken.select(pl.all().not_())
    assert {each.max_residual for each in identity_residuals(figures, YARDS.panel, code="mill", held=held)} <= {0, None}


def test_growth_never_leads_out_of_64_bits() -> None:
    """Sales up to 8e18 that grow by 10**6.3 a year (two digits of its logarithm are 15, not 14.5) stay numbers."""
    lasting = pl.col("sales").first().over("mill", order_by=PERIOD) % 2_000_000 + 1
    wild = lasting * 10.0 ** (6.3 * (pl.col(PERIOD) - 2020))
    _, figures = released(with_accounts(originals(120), wild.cast(pl.Int64).alias("sales")))
    assert figures["sales"].null_count() == 0
    assert (figures["sales"] > 0).all()


def test_a_panel_of_one_year_is_sampled() -> None:
    """One year has no growth, and all else."""
    _, figures = released(without(originals(120), pl.col(PERIOD) < 2022))
    assert set(figures[PERIOD]) == {2022}
    assert figures["growth"].null_count() == figures.height == 120
    assert figures["sales"].null_count() == 0


def test_figures_have_the_decimals_of_the_originals() -> None:
    """Sales in whole tens are drawn without decimals, others with theirs."""
    tables = with_accounts(originals(120), pl.col("sales") // 1_000 * 1_000)
    sampled, _ = released(tables)
    assert sampled.statistics
    assert sampled.statistics.grains[:2] == (100, 1)
    assert (sampled.drawn.figures["sales"] % 100 == 0).all()


def test_a_panel_without_identities_is_sampled() -> None:
    """Where figures are bound by nothing, none is broken, and every firm has a record for each year that it reports."""
    panel = replace(YARDS.panel, identities=())
    tables = originals(120, silent=0)
    _, figures = released(tables, environment=replace(YARDS, panel=panel))
    assert figures.height == tables["accounts"].height
    assert figures[NAMES[0]].null_count() < figures.height

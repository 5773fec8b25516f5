"""The mechanism `guarded`: what it keeps exactly, what it never does, and what real companies get from it."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import spearmanr

from anonymize.figures.guarded import FEWEST_FOR_VALUES, Rebuilt, rebuild_from_neighbours
from anonymize.figures.guarded.mixtures import CONTRIBUTORS, LARGEST_MAY_BE_NEAREST
from anonymize.policy import GUARDED
from pipeline.conform import conform
from pipeline.environment.model import PERIOD, Measure, Panel
from pipeline.environment.us_listed import CODE, KNOWN, SECTOR, US_LISTED
from pipeline.errors import InputError
from pipeline.keyed import Key
from validation.attacks import Attack
from validation.attacks.limits import LINKAGE, SEARCHED, is_within
from validation.attacks.linkage import LARGEST_CONTRIBUTOR, MAHALANOBIS, OWNER, linkage_attacks
from validation.likeness import likeness
from validation.strength import STRENGTHS

KEY, OTHER_KEY = Key(b"k" * 32), Key(b"o" * 32)
MEASURES = ("revenue", "assets", "profit")
PANEL = Panel(
    tables=("figures",),
    measures=tuple(Measure(name=name, unit="USD") for name in MEASURES),
    known=(MEASURES[:1], MEASURES[:2]),
)
YEARS = (2020, 2021, 2022)


def firms(sizes: Mapping[str, int], *, seed: int = 0, years: tuple[int, ...] = YEARS) -> pl.DataFrame:
    """Return a panel of firms that have a size of their own in all years and measures; industries of the given sizes."""
    rng = np.random.default_rng(seed)
    codes = [f"{industry}{i:03}" for industry, size in sizes.items() for i in range(size)]
    size = rng.normal(18, 3, (len(codes), 1, 1)) + rng.normal(0, 0.2, (len(codes), len(years), len(MEASURES)))
    sign = np.where(rng.random((len(codes), 1, len(MEASURES))) < 0.2, -1, 1) ** [0, 0, 1]
    values = (np.exp(size) * sign).astype(np.int64).reshape(-1, len(MEASURES))
    keys = {"code": np.repeat(codes, len(years)), "year": list(years) * len(codes)}
    return pl.DataFrame(keys | {measure: values[:, j] for j, measure in enumerate(MEASURES)})


def industries_of(panel: pl.DataFrame) -> dict[str, str | None]:
    return {code: code[0] for code in panel["code"]}


def rebuilt(
    panel: pl.DataFrame,
    *,
    industries: Mapping[str, str | None] | None = None,
    candidates: Mapping[str, list[str]] | None = None,
    strength: int = 2,
    key: Key = KEY,
) -> Rebuilt:
    return rebuild_from_neighbours(
        panel,
        PANEL,
        code="code",
        industries=industries or industries_of(panel),
        candidates=candidates or {},
        strength=strength,
        key=key,
    )


@st.composite
def panels(draw: st.DrawFn) -> pl.DataFrame:
    """Draw two industries with enough firms, missing rows, zeros, gaps, ties, losses and figures of 17 digits."""
    seed = draw(st.integers(0, 2**32))
    rng = np.random.default_rng(seed)
    panel = firms({"a": draw(st.integers(8, 30)), "b": draw(st.integers(20, 30))}, seed=seed)
    share = draw(st.sampled_from([0.0, 0.1, 0.4]))
    coarse = draw(st.sampled_from([1, 10**9]))
    mask = pl.Series(rng.random(panel.height) >= share / 4)
    figures = [
        pl.when(pl.Series(draws < share))
        .then(None)
        .when(pl.Series(draws > 1 - share))
        .then(0)
        .otherwise((pl.col(measure) // coarse * coarse).clip(-(10**17), 10**17))
        .alias(measure)
        for measure, draws in zip(MEASURES, rng.random((len(MEASURES), panel.height)), strict=True)
    ]
    return panel.with_columns(figures).filter(mask)


def values_of(panel: pl.DataFrame, industry: str, year: int, measure: str) -> list[int | None]:
    """Return what an industry reports, sorted, nulls first."""
    return panel.filter(pl.col("code").str.starts_with(industry), year=year)[measure].sort().to_list()


@settings(max_examples=12)
@given(panels())
def test_each_industry_and_year_keeps_its_values(panel: pl.DataFrame) -> None:
    """Every value, zero and gap of an industry and year is there as often as before, for each measure."""
    figures = rebuilt(panel).figures
    for industry in "ab":
        for year in YEARS:
            for measure in MEASURES:
                before = values_of(panel, industry, year, measure)
                if len(before) >= FEWEST_FOR_VALUES:
                    assert values_of(figures, industry, year, measure) == before


@settings(max_examples=12)
@given(panels())
def test_nothing_but_figures_changes(panel: pl.DataFrame) -> None:
    """Rows, their order, codes, years, columns and types are those of the original."""
    figures = rebuilt(panel).figures
    assert figures.schema == panel.schema
    assert figures.select("code", "year").equals(panel.select("code", "year"))


@settings(max_examples=12)
@given(panels())
def test_no_firm_contributes_to_itself(panel: pl.DataFrame) -> None:
    """Each firm is a mixture of `CONTRIBUTORS` others of its industry or its pool, the largest weight first, sum one."""
    found = rebuilt(panel)
    pooled = any("a" in pool for pool in found.merged)
    contributors = found.contributors.with_columns(
        is_near=pl.col("code").str.head(1) == pl.col("contributor").str.head(1)
    )
    assert contributors.filter(pl.col("code") == pl.col("contributor")).is_empty()
    assert pooled or contributors["is_near"].all()
    assert contributors.select("code", "contributor").is_unique().all()
    assert (contributors["weight"] > 0).all()
    each = contributors.group_by("code").agg(
        pl.len(), total=pl.col("weight").sum(), is_sorted=(pl.col("weight").diff().fill_null(0) <= 0).all()
    )
    assert set(each["code"]) == set(panel["code"])
    assert set(each["len"]) == {CONTRIBUTORS}
    assert each["total"].to_numpy() == pytest.approx(1)
    assert each["is_sorted"].all()


@settings(max_examples=8)
@given(panels(), st.integers(0, 2**32))
def test_the_order_of_rows_does_not_matter(panel: pl.DataFrame, seed: int) -> None:
    """Rows in another order get the same figures, and firms the same contributors."""
    first, other = rebuilt(panel), rebuilt(panel.sample(fraction=1, shuffle=True, seed=seed))
    assert other.figures.sort("code", "year").equals(first.figures.sort("code", "year"))
    assert other.contributors.equals(first.contributors)


def test_another_key_makes_other_mixtures() -> None:
    """The same key rebuilds the same panel, another key another, with the same values."""
    panel = firms({"a": 30})
    first, again, other = rebuilt(panel), rebuilt(panel), rebuilt(panel, key=OTHER_KEY)
    assert first.figures.equals(again.figures)
    assert (first.figures["revenue"] != other.figures["revenue"]).mean() > 0.5
    assert sorted(first.figures["revenue"]) == sorted(other.figures["revenue"])


def test_firms_that_are_alike_stay_alike() -> None:
    """Large firms stay large: rebuilt figures rank as the originals do, and few are where they were."""
    panel = firms({"a": 60})
    figures = rebuilt(panel).figures
    for measure in ("revenue", "assets"):
        assert spearmanr(panel[measure], figures[measure]).statistic > 0.9
        assert (panel[measure] == figures[measure]).mean() < 0.3


def nearest_rates(panel: pl.DataFrame, strength: int) -> tuple[float, float]:
    """Return the shares of records that are nearest to their owner and to their largest contributor."""
    found = rebuilt(panel, strength=strength)
    grouped = [side.with_columns(industry=pl.col("code").str.head(1)) for side in (panel, found.figures)]
    attacks = linkage_attacks(
        grouped[0],
        grouped[1],
        entity="code",
        group="industry",
        measures=MEASURES,
        known=PANEL.known[-1:],
        contributors=found.contributors,
    )
    rates = {attack.attack: attack.rate for attack in attacks}
    return rates[OWNER], rates[LARGEST_CONTRIBUTOR]


def test_strength_hides_the_owner() -> None:
    """The more originals are demanded to be nearer than the owner, the fewer owners are found."""
    panel = firms({"a": 100, "b": 100})
    weak, strong = (nearest_rates(panel, strength)[0] for strength in (0, 8))
    assert strong <= 0.15
    assert strong < weak / 1.5


def owners_among_candidates(panel: pl.DataFrame, candidates: Mapping[str, list[str]], *, is_told: bool) -> float:
    """Return the share of records that are nearer to their owner than to its candidates, by the known figures."""
    figures = rebuilt(panel, candidates=candidates if is_told else {}, strength=8).figures
    registers = {code: min(code, *others) for code, others in candidates.items()}
    grouped = [side.with_columns(register=pl.col("code").replace_strict(registers)) for side in (panel, figures)]
    attacks = linkage_attacks(
        grouped[0], grouped[1], entity="code", group="register", measures=MEASURES, known=PANEL.known[-1:]
    )
    return next(attack.rate for attack in attacks if attack.attack == OWNER)


def test_strength_hides_the_owner_among_its_candidates() -> None:
    """Where a register leaves five companies for a record, others of the five are nearer if they are told."""
    panel = firms({"a": 60})
    codes = panel["code"].unique().sort().to_list()
    candidates = {code: [other for other in codes[i % 12 :: 12] if other != code] for i, code in enumerate(codes)}
    untold, told = (owners_among_candidates(panel, candidates, is_told=is_told) for is_told in (False, True))
    assert told < untold - 0.2


def test_strength_does_not_give_the_largest_contributor_away() -> None:
    """The nearest original is seldom the largest contributor, once anything is demanded."""
    assert nearest_rates(firms({"a": 100, "b": 100}), 2)[1] < 2 * LARGEST_MAY_BE_NEAREST


def test_years_of_a_firm_stay_coherent() -> None:
    """A firm that grows out of all proportion with nobody keeps its place from year to year, as the originals do."""
    panel = firms({"a": 60})
    figures = rebuilt(panel).figures
    for side in (panel, figures):
        first, last = (side.filter(year=year)["revenue"] for year in (2020, 2022))
        assert spearmanr(first, last).statistic > 0.95


@pytest.mark.parametrize("value", [None, 0, -7])
def test_a_measure_that_is_the_same_for_all_stays_so(value: int | None) -> None:
    """A measure that nobody reports, or that is one number for everybody, is unchanged."""
    panel = firms({"a": 30}).with_columns(profit=pl.lit(value, pl.Int64))
    assert rebuilt(panel).figures["profit"].equals(panel["profit"])


def test_one_year_is_enough() -> None:
    """A panel of a single year is rebuilt like any other."""
    panel = firms({"a": 30}, years=(2022,))
    figures = rebuilt(panel).figures
    assert sorted(figures["revenue"]) == sorted(panel["revenue"])
    assert not figures["revenue"].equals(panel["revenue"])


def test_a_firm_of_one_year_is_rebuilt_in_it() -> None:
    """A firm that reports once gets one row of the year's values, and the year keeps them all."""
    panel = firms({"a": 30}).filter((pl.col("code") != "a000") | (pl.col("year") == 2021))
    figures = rebuilt(panel).figures
    assert figures.filter(code="a000")["year"].to_list() == [2021]
    assert values_of(figures, "a", 2021, "revenue") == values_of(panel, "a", 2021, "revenue")


def test_huge_figures_lose_no_digit() -> None:
    """Figures of 17 digits that differ in the last one, which a float cannot tell apart, come out as they went in."""
    panel = firms({"a": 30}).with_columns(revenue=10**17 - pl.int_range(pl.len()))
    assert sorted(rebuilt(panel).figures["revenue"]) == sorted(panel["revenue"])


def test_small_industries_are_merged_and_named() -> None:
    """An industry of one gives and gets values within a pool, which is told by its industries' names."""
    panel = firms({"a": 1, "b": 24, "c": 40})
    found = rebuilt(panel)
    assert found.merged == ("a + b",)
    pooled = pl.col("code").str.head(1).is_in(["a", "b"])
    for year in YEARS:
        before, after = (side.filter(pooled, year=year)["revenue"].sort() for side in (panel, found.figures))
        assert after.equals(before)
    inside = found.contributors.filter(pooled)
    assert set(inside["contributor"].str.head(1)) <= {"a", "b"}
    assert values_of(found.figures, "c", 2022, "assets") == values_of(panel, "c", 2022, "assets")


def test_industries_with_too_few_neighbours_keep_their_values() -> None:
    """Where an industry is too small for neighbours but not for values, contributors are foreign and values its own."""
    panel = firms({"a": 8, "b": 40})
    found = rebuilt(panel)
    assert found.merged == ("a + b",)
    assert values_of(found.figures, "a", 2022, "revenue") == values_of(panel, "a", 2022, "revenue")


def test_enough_firms_are_not_merged() -> None:
    """Industries with enough firms say nothing of pools."""
    assert rebuilt(firms({"a": 20, "b": 20})).merged == ()


def test_records_of_thin_years_take_after_the_nearest_year() -> None:
    """In a year with fewer than five records, values are those of the nearest year with enough, not the record's own."""
    panel = firms({"a": 30}).filter((pl.col("year") > 2020) | pl.col("code").is_in(["a003", "a007"]))
    figures = rebuilt(panel).figures
    for measure in MEASURES:
        assert set(values_of(figures, "a", 2020, measure)) <= set(values_of(panel, "a", 2021, measure))
        assert values_of(figures, "a", 2021, measure) == values_of(panel, "a", 2021, measure)


def test_firms_without_an_industry_are_a_group() -> None:
    """Firms whose industry is unknown are mixed among themselves."""
    panel = firms({"a": 25, "b": 25})
    industries = {code: None if code[0] == "a" else "b" for code in panel["code"]}
    found = rebuilt(panel, industries=industries)
    assert values_of(found.figures, "a", 2022, "revenue") == values_of(panel, "a", 2022, "revenue")


def test_too_few_firms_are_refused() -> None:
    """Five others are needed for a mixture; fewer are an error that says so, and names the other policy."""
    assert rebuilt(firms({"a": CONTRIBUTORS + 1})).figures.height == 3 * (CONTRIBUTORS + 1)
    with pytest.raises(InputError, match=r"^5 firms report figures: .* from 5 others; give more firms, or .* 'lsd'"):
        rebuilt(firms({"a": CONTRIBUTORS}))


@pytest.fixture(scope="module")
def companies(real_tables: Path) -> pl.DataFrame:
    """Return the real panel by the calendar year in which a period ends, with each company's sector."""
    tables = conform(US_LISTED.raw_tables, real_tables / "us_listed").frames
    sectors = tables["securities"].select(CODE, SECTOR)
    ends = tables["fundamentals"].with_columns(pl.col("Period Ending").dt.year().cast(pl.Int64).alias(PERIOD))
    measures = [measure.name for measure in US_LISTED.panel.measures]
    # Four times a company closed two fiscal years in one calendar year.
    first = ends.select(CODE, PERIOD, *measures).unique([CODE, PERIOD], keep="first", maintain_order=True)
    return first.join(sectors, on=CODE, maintain_order="left")


def rebuilt_companies(companies: pl.DataFrame, strength: int) -> Rebuilt:
    return rebuild_from_neighbours(
        companies.drop(SECTOR),
        US_LISTED.panel,
        code=CODE,
        industries=dict(companies.select(CODE, SECTOR).iter_rows()),
        candidates={},
        strength=strength,
        key=KEY,
    )


def attacks_on(companies: pl.DataFrame, found: Rebuilt, *, rows: pl.Series | None = None) -> list[Attack]:
    """Attack the year with the most records among those given, all by default."""
    is_given = pl.repeat(True, companies.height, eager=True) if rows is None else rows
    published = found.figures.with_columns(companies[SECTOR])
    return linkage_attacks(
        companies.filter(is_given),
        published.filter(is_given),
        entity=CODE,
        group=SECTOR,
        measures=KNOWN[-1],
        known=KNOWN,
        contributors=found.contributors,
    )


@pytest.fixture(scope="module")
def hidden(companies: pl.DataFrame) -> Rebuilt:
    """Return the real panel rebuilt at the weakest strength at which linkage stays within its limits."""
    rebuildings = (rebuilt_companies(companies, strength) for strength in STRENGTHS)
    return next(
        found
        for found in rebuildings
        if is_within(LINKAGE, [each for each in attacks_on(companies, found) if each.attack in SEARCHED], GUARDED)
    )


def of_2014(companies: pl.DataFrame, found: Rebuilt) -> list[pl.DataFrame]:
    """Return originals and rebuilt records of 2014, with sectors."""
    published = found.figures.with_columns(companies[SECTOR])
    return [side.filter(companies[PERIOD] == 2014) for side in (companies, published)]


def worst(attacks: list[Attack], name: str) -> float:
    """Return the largest rate of an attack over the sets of known figures: one, three and seven."""
    return max(attack.rate for attack in attacks if attack.attack == name)


@pytest.mark.real
def test_real_companies_are_hidden(companies: pl.DataFrame, hidden: Rebuilt) -> None:
    """Of 436 companies of 2014 at most 15 % are named, by Euclid or Mahalanobis, and 20 % of the largest contributors."""
    attacks = attacks_on(companies, hidden, rows=companies[PERIOD] == 2014)
    assert {attack.records for attack in attacks} == {436}
    assert worst(attacks, OWNER) <= 0.15
    assert worst(attacks, MAHALANOBIS) <= 0.15
    assert worst(attacks, LARGEST_CONTRIBUTOR) <= 0.20


@pytest.mark.real
def test_without_demands_real_companies_are_named(companies: pl.DataFrame) -> None:
    """The attacks can succeed: with nothing demanded, more than 15 % of the companies are named."""
    attacks = attacks_on(companies, rebuilt_companies(companies, 0), rows=companies[PERIOD] == 2014)
    assert worst(attacks, OWNER) > 0.15


@pytest.mark.real
def test_real_figures_stay_alike(companies: pl.DataFrame, hidden: Rebuilt) -> None:
    """Of the seven figures the median Spearman is 0.90 or more, and no rank correlation drifts by more than 0.08."""
    alike = likeness(*of_2014(companies, hidden), KNOWN[-1], group=SECTOR)
    assert alike.records == 436
    assert alike.median_spearman is not None
    assert alike.largest_drift is not None
    assert alike.median_spearman >= 0.90
    assert alike.largest_drift <= 0.08


@pytest.mark.real
def test_real_distributions_are_unchanged(companies: pl.DataFrame, hidden: Rebuilt) -> None:
    """Every measure of every sector has D = 0 in 2014, not only those that outsiders know."""
    originals, published = of_2014(companies, hidden)
    assert originals.group_by(SECTOR).len()["len"].min() == FEWEST_FOR_VALUES
    measures = [measure.name for measure in US_LISTED.panel.measures]
    assert likeness(originals, published, measures, group=SECTOR).largest_distance == 0


@pytest.mark.real
def test_real_years_stay_coherent(companies: pl.DataFrame, hidden: Rebuilt) -> None:
    """Ranks within a sector carry over from 2013 to 2014 as much as the originals' do, within 0.05 for each figure."""
    before, after = (_carried_over(side) for side in (companies, hidden.figures.with_columns(companies[SECTOR])))
    for measure in KNOWN[-1]:
        assert after[measure] >= before[measure] - 0.05


def _carried_over(panel: pl.DataFrame) -> dict[str, float]:
    """Return, for each figure, the correlation of ranks within sectors between 2013 and 2014."""
    ranked = panel.with_columns(pl.col(KNOWN[-1]).rank().over(SECTOR, PERIOD) / pl.len().over(SECTOR, PERIOD))
    years = ranked.filter(pl.col(PERIOD) == 2013).join(ranked.filter(pl.col(PERIOD) == 2014), on=CODE)
    return years.select(pl.corr(name, f"{name}_right") for name in KNOWN[-1]).row(0, named=True)

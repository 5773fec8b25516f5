"""The pieces of the corpus, one claim each, at any scale; what the release counts is counted at full size."""

from collections import Counter
from dataclasses import replace
from datetime import date
from string import Formatter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pipeline.errors import InputError
from pipeline.keyed import Key
from raw.corpus.figures import macro
from raw.corpus.figures.drawn import BUSINESSES, make_figures
from raw.corpus.figures.inventions import add_inventions
from raw.corpus.firms import places, population
from raw.corpus.firms.codes import code_domestic, code_overseas
from raw.corpus.firms.drawn import make_firms
from raw.corpus.firms.names import FIRST, LAST, MIDDLE, PINYIN, brands, name_domestic
from raw.corpus.policies import drawn as policies
from raw.corpus.policies.drawn import PolicyText
from raw.corpus.policies.texts import translated_titles
from raw.corpus.policies.titles import REGIONS, TITLES, TOPICS, make_heading
from raw.corpus.trades import TRADES
from raw.draws import normal, pick
from raw.vocabulary.agencies import LOCAL_AGENCIES
from raw.vocabulary.industries import INDUSTRIES, Industry
from raw.vocabulary.listing import ABSENT_PAIRS, EXCHANGES
from raw.vocabulary.macro import FURTHER_SERIES, NATIONAL_SERIES, RegionalSeries
from tests.stats import check_law, check_shares

KEY = Key(b"tests of the corpus")
ROWS = pl.DataFrame({"firm": range(20_000)})


def test_normal_is_normal() -> None:
    """Deviates have the standard normal law (Kolmogorov-Smirnov)."""
    check_law(ROWS.head(5_000).select(normal(KEY, "firm")).to_series().to_numpy(), stats.norm.cdf)


def test_normal_differs_between_keys() -> None:
    """Deviates for two purposes are not correlated."""
    pair = ROWS.select(a=normal(KEY.derive("a"), "firm"), b=normal(KEY.derive("b"), "firm"))
    assert stats.spearmanr(pair["a"], pair["b"]).pvalue > 1e-4


def test_pick_has_the_weights() -> None:
    """Choices come in proportion to their weights, within their own group only."""
    choices = pl.DataFrame({"group": [1, 1, 1, 2], "word": ["a", "b", "c", "d"], "weight": [1.0, 2.0, 5.0, 9.0]})
    rows = ROWS.with_columns(group=1 + (pl.col("firm") % 2))
    chosen = pick(rows, choices, by=["group"], uniform=KEY.uniform("firm"))
    counts = Counter(chosen.filter(pl.col("group") == 1)["word"])
    check_shares([counts[word] for word in "abc"], [1 / 8, 2 / 8, 5 / 8])
    assert set(chosen.filter(pl.col("group") == 2)["word"]) == {"d"}


def test_pick_does_not_depend_on_row_order() -> None:
    """A row's choice depends on the row alone."""
    choices = pl.DataFrame({"group": [1, 1], "word": ["a", "b"], "weight": [1.0, 1.0]})
    rows = ROWS.head(500).with_columns(group=pl.lit(1, pl.Int64))
    there, back = (pick(frame, choices, by=["group"], uniform=KEY.uniform("firm")) for frame in (rows, rows.reverse()))
    assert there.sort("firm").equals(back.sort("firm"))


def test_every_industry_has_its_words() -> None:
    """Every industry has four distinct business words, five products and four skills, and a known kind of business."""
    assert set(TRADES) == {industry.id for industry in INDUSTRIES}
    for trade in TRADES.values():
        assert len({word.short for word in trade.words}) == len({word.english for word in trade.words}) == 4
        assert all(len(word.short) == 2 for word in trade.words)
        assert (len(set(trade.products)), len(set(trade.skills))) == (5, 4)
        assert trade.kind in BUSINESSES


def test_too_many_brands_are_refused() -> None:
    """Asking for more brands than the syllables make is an error that says so."""
    with pytest.raises(InputError, match=r"SCALE too large: 10000 brands asked for, \d+ there; use a smaller SCALE"):
        brands(KEY, 10_000, FIRST, LAST)


def test_brands_last_longer_than_their_syllables() -> None:
    """Where the pools end, brands have a syllable more: those before stay, none is part of another, and none read alike."""
    pools = (FIRST[:6], MIDDLE[:6], LAST[:6])
    made, fewer = (brands(KEY, number, *pools, optional=1, twice=1) for number in (900, 150))
    assert made.head(150).equals(fewer)
    assert set(made["brand"].str.len_chars()) == {2, 3, 4}
    assert made["roman"].is_unique().all()
    assert not any(one != other and one in other for one in made["brand"] for other in made["brand"])


def test_names_of_twenty_times_the_release_are_unique() -> None:
    """Names and codes last for twenty times the release's firms."""
    kinds = {exchange.name: exchange for exchange in EXCHANGES}
    venues = [
        (name, plate)
        for name, exchange in kinds.items()
        for plate in exchange.plates
        for _ in range(exchange.firms * 10)
    ]
    firms = pl.DataFrame(venues, schema=["exchange", "plate"], orient="row").with_columns(
        firm=pl.int_range(pl.len(), dtype=pl.Int64),
        industry_id=pl.lit(3, pl.Int64),
        city=pl.lit("杭州市"),
        company_type=pl.lit("沪深"),
    )
    named = name_domestic(code_domestic(firms))
    assert named.select(pl.col("legal", "english", "short", "code").is_unique().all()).row(0) == (True,) * 4


@given(number=st.integers(1, 3_000))
def test_overseas_codes_are_distinct(number: int) -> None:
    """However many firms a venue has, no two share a code."""
    firms = pl.DataFrame({"firm": range(number), "country": ["日本"] * number})
    coded = code_overseas(firms)
    assert coded["code"].is_unique().all()
    assert coded["code"].str.contains(r"^\d{4}\.T$").all()


def test_more_firms_than_codes_are_refused() -> None:
    """An exchange without enough codes is an error that says so."""
    firms = pl.DataFrame({"firm": range(70_000), "exchange": ["北交所"] * 70_000, "plate": ["北交所"] * 70_000})
    with pytest.raises(InputError, match="SCALE too large: 70000 firms"):
        code_domestic(firms)


@pytest.mark.parametrize("number", [31_999, 32_000, 37_466])
def test_a_full_range_of_codes_goes_on_behind_its_end(number: int) -> None:
    """The range of a board ends where it did as long as its firms fit in; those of fifty times the release do, too."""
    firms = pl.DataFrame({"firm": range(number), "exchange": ["上交所"] * number, "plate": ["科创板"] * number})
    codes = code_domestic(firms)["code"]
    assert codes.is_unique().all()
    assert (codes.max() <= "719999.SH") == (number < 32_000)
    assert codes.max() < "830000.SH"


@pytest.mark.parametrize("scale", [0.01, 0.1, 0.5])
def test_absent_pairs_are_absent_at_any_scale(scale: float) -> None:
    """The three owner-exchange pairs that the release lacks never occur."""
    assert not ABSENT_PAIRS & set(population.populate(scale).select("ownership", "exchange").rows())


def test_firms_gather_in_provinces() -> None:
    """Industries sit in far fewer provinces than firms that were spread by the provinces' weights alone would."""
    placed = places.place(population.populate(1.0))
    held = placed.group_by("industry_id").agg(pl.col("province").n_unique(), pl.len()).filter(pl.col("len") > 100)
    assert (held["province"] < 33).all()
    assert held.select(pl.col("province").mean()).item() < 20


def test_size_drives_everything() -> None:
    """Assets, staff and profits of larger firms are larger, and sizes are heavy-tailed."""
    latest = make_figures(make_firms(0.2)).filter(pl.col("year") == 2022)
    for measure in ("总资产", "雇员总数", "公司市值", "研发投入金额"):
        assert stats.spearmanr(latest["营业收入金额"], latest[measure]).statistic > 0.5
    assert stats.skew(latest["营业收入金额"].to_numpy()) > 3
    assert 0.05 < latest.select((pl.col("净利润金额") < 0).mean()).item() < 0.4


def test_counts_accumulate() -> None:
    """What has accumulated is what had the year before and what the year brought; parts are no larger than wholes."""
    counts = add_inventions(make_figures(make_firms(0.2))).sort("firm", "year")
    before = pl.col("累计中国专利申请数").shift(1).over("firm")
    steps = counts.with_columns(step=pl.col("累计中国专利申请数") - before).drop_nulls("step")
    assert (steps["step"] == steps["年度中国专利申请数"]).all()
    assert (counts["年度中国发明专利申请数"] <= counts["年度中国专利申请数"]).all()
    assert (counts["累计中国发明专利失效数"] <= counts["累计中国发明专利授权数"]).all()


POLICY = PolicyText(0, "地方政策", date(2022, 5, 1), "江苏省", None, None, ("甲", "乙"), (1, 2))


def places_of(pattern: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(pattern) if name}


@pytest.mark.parametrize(
    ("chinese", "english"),
    [*(pair for pairs in TITLES.values() for pair in pairs), *(pair for pair in TOPICS if pair[1])],
)
def test_english_patterns_say_what_the_chinese_ones_do(chinese: str, english: str) -> None:
    """Both forms of a pattern have the same places, none of them a firm's, and the English one is in ASCII."""
    assert places_of(chinese) == places_of(english) <= {"topic", "industry", "region", "year", "until"}
    assert english.isascii()


def test_every_province_that_issues_policies_has_an_english_name() -> None:
    """Regions with English names are the nation and the provinces with agencies; no two have the same."""
    assert set(REGIONS) == {"全国", *LOCAL_AGENCIES}
    assert len(set(REGIONS.values())) == len(REGIONS)


TOPICS_WITHOUT_ENGLISH = {chinese for chinese, english in TOPICS if english is None}


@given(number=st.integers(0, 1_000), industry=st.sampled_from(INDUSTRIES), city=st.sampled_from([None, "南京市"]))
def test_titles_have_an_english_form_if_their_words_do(number: int, industry: Industry, city: str | None) -> None:
    """A title is translated unless it is about a product, a skill or a city; the English names what the Chinese does."""
    heading = make_heading(replace(POLICY, city=city, industries=(industry.id,)), KEY.stream(str(number)))
    words = heading.words
    is_nameless = words["topic"] in {topic.format(**words) for topic in TOPICS_WITHOUT_ENGLISH}
    assert (heading.english is None) == (is_nameless or city is not None)
    if heading.english:
        assert (industry.name in heading.title, industry.english in heading.english) == (True, True)
        assert ("江苏省" in heading.title, "Jiangsu" in heading.english) == (True, True)
        assert ("2022" in heading.title) == ("2022" in heading.english)


def test_different_titles_differ_in_english() -> None:
    """All titles that have an English form have one of their own; more are there than are translated."""
    everything = translated_titles(policies.make_policies(1.0), scale=100)
    assert len(set(everything.values())) == len(everything) > 100


def test_as_many_titles_are_translated_as_the_scale_says() -> None:
    """The number of translated titles grows with the scale, and those of a smaller one stay."""
    made = policies.make_policies(1.0)
    few, many = (translated_titles(made, scale=scale) for scale in (0.001, 0.5))
    assert (len(few), len(many)) == (1, 6)
    assert few.items() <= many.items()


def test_yearly_values_follow_from_their_periods() -> None:
    """The yearly value of a sum series is the sum of its months, as the detail table has them."""
    tables = macro.macro_tables(1.0)
    detail, yearly = tables["national_macro_detail"], tables["national_macro_yearly"]
    name = "产量:钢材:当月值"
    months = detail.filter(pl.col("targetName").str.starts_with(f"{name}（2022年"))
    total = yearly.filter((pl.col("targetName") == f"{name}（年度）") & (pl.col("year") == "2022"))["value"]
    assert months.height == 12
    assert float(total.item()) == pytest.approx(months["value"].cast(pl.Float64).sum())


def test_series_of_further_cities_are_there_for_fifty_times_the_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """They come in only where the others end, and with them there are periods enough; no name is there twice."""
    names = [series.name for series in (*NATIONAL_SERIES, *FURTHER_SERIES)]
    assert len(set(names)) == len(names)
    monkeypatch.setattr(macro, "NATIONAL_SERIES", NATIONAL_SERIES[:2])
    tables = [macro.macro_tables(scale)["national_macro_detail"] for scale in (0.01, 0.1)]
    is_further = [table["targetName"].str.starts_with("商品房:成交面积").any() for table in tables]
    assert (*is_further, tables[1].height) == (False, True, 4_394)
    every = macro._series([RegionalSeries("", series) for series in (*NATIONAL_SERIES, *FURTHER_SERIES)])
    assert macro._reaches(every, 50 * macro.NATIONAL_DETAIL)


def test_too_many_macro_records_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking for more macro records than the series have is an error that says so."""
    monkeypatch.setattr(macro, "FURTHER_SERIES", ())
    with pytest.raises(InputError, match=r"SCALE too large: \d+ macro records asked for, \d+ there"):
        macro.macro_tables(40)


def test_brands_that_read_the_same_count_once() -> None:
    """Two brands that differ in characters only are one brand to an English reader, and one of them is left out."""
    assert (PINYIN["翊"], PINYIN["邑"]) == ("yi", "yi")
    with pytest.raises(InputError, match="SCALE too large: 2 brands asked for, 1 there"):
        brands(KEY, 2, ("翊", "邑"))

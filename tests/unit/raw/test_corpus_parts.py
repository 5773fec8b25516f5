"""The pieces of the corpus, one claim each: draws, names, codes, and what is taken away to meet the release's numbers."""

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
from raw.corpus import gaps
from raw.corpus.figures import macro
from raw.corpus.figures.drawn import BUSINESSES, make_figures
from raw.corpus.figures.inventions import add_inventions
from raw.corpus.firms import places, population
from raw.corpus.firms.codes import code_domestic, code_overseas
from raw.corpus.firms.drawn import make_firms
from raw.corpus.firms.names import FIRST, LAST, MIDDLE, PINYIN, brands, name_domestic
from raw.corpus.gaps import Tally, forget_counts, tally
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


def test_syllables_are_in_one_pool_and_no_word() -> None:
    """No syllable is in two pools, none is part of a business word, no two of a pool read the same."""
    assert len(FIRST) + len(MIDDLE) + len(LAST) == len(PINYIN)
    words = "".join(word.full + word.short for trade in TRADES.values() for word in trade.words)
    products = "".join(product for trade in TRADES.values() for product in trade.products)
    assert not set(PINYIN) & set(words + products)
    for pool in (FIRST, MIDDLE, LAST):
        assert len({PINYIN[syllable] for syllable in pool}) == len(pool)


def test_every_industry_has_its_words() -> None:
    """Every industry has four distinct business words, five products and four skills, and a known kind of business."""
    assert set(TRADES) == {industry.id for industry in INDUSTRIES}
    for trade in TRADES.values():
        assert len({word.short for word in trade.words}) == len({word.english for word in trade.words}) == 4
        assert all(len(word.short) == 2 for word in trade.words)
        assert (len(set(trade.products)), len(set(trade.skills))) == (5, 4)
        assert trade.kind in BUSINESSES


def test_brands_are_distinct_in_characters_and_in_pinyin() -> None:
    """No two brands agree, written or read; some lack the optional syllable."""
    made = brands(KEY, 20_000, FIRST, MIDDLE, LAST, optional=1)
    assert made.height == 20_000
    assert made["brand"].is_unique().all()
    assert made["roman"].is_unique().all()
    assert set(made["brand"].str.len_chars()) == {2, 3}


def test_no_brand_is_part_of_another() -> None:
    """A brand never stands inside another one, so that names can be told apart in prose."""
    made = set(brands(KEY, 5_000, FIRST, MIDDLE, LAST, optional=1)["brand"])
    assert not any(brand[:2] in made or brand[1:] in made for brand in made if len(brand) == 3)


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


def test_owners_settle_without_touching_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer count rows come from turning firms private; nobody's industry or exchange changes, and finance stays."""
    before = population.populate(0.1)
    target = population.count_rows(before) - 10
    monkeypatch.setattr(population, "NATIONAL_COUNT_ROWS", target)
    after = population.populate(0.1)
    assert population.count_rows(after) == target
    changed = before.join(after, on="firm").filter(pl.col("ownership") != pl.col("ownership_right"))
    assert set(changed["ownership_right"]) == {"民营企业"}
    assert "金融业" not in set(changed["industry"])
    assert before.drop("ownership").equals(after.drop("ownership"))


def test_provinces_settle_within_industry_owner_and_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer regional count rows come from moving firms to where firms like them are; no province is emptied."""
    firms = population.populate(0.1)
    before = places.place(firms)
    target = places.count_rows(before) - 60
    monkeypatch.setattr(places, "REGIONAL_COUNT_ROWS", target)
    after = places.place(firms)
    assert places.count_rows(after) == target
    assert set(after["province"]) == set(before["province"])


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


CELL = st.one_of(st.none(), st.integers(0, 2))
CELLS = st.lists(st.tuples(st.sampled_from(["总资产", "资产负债率", "国际行业奖项"]), CELL, CELL, CELL), min_size=1)


@given(rows=CELLS)
def test_tally_counts_records(rows: list[tuple[str, int | None, int | None, int | None]]) -> None:
    """The tally equals a count record by record."""
    frame = pl.DataFrame(
        rows, schema={"measure": pl.String, "2020": pl.Int64, "2021": pl.Int64, "2022": pl.Int64}, orient="row"
    )
    detail = sum(value is not None for _, *values in rows for value in values)
    rated = {
        later: sum(
            row[later] is not None and row[later - 1] not in {None, 0} and row[0] != "资产负债率" for row in rows
        )
        for later in (2, 3)
    }
    changed = sum(row[later] is not None and row[later - 1] is not None for row in rows for later in (2, 3))
    status = sum(row[3] is not None for row in rows) + rated[3]
    assert tally(frame) == Tally(detail=detail, status=status, yearly=changed + rated[2] + rated[3])


def test_counts_settle_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    """If there are enough cells, the three tables lose exactly the surplus, in counts only and by emptying only."""
    rows = [(firm, "沪深", measure, 0, firm % 2, 1) for firm in range(3_000) for measure in ("国际行业奖项", "总资产")]
    schema = {"firm": pl.Int64, "company_type": pl.String, "measure": pl.String} | dict.fromkeys(
        ("2020", "2021", "2022"), pl.Int64
    )
    cells = pl.DataFrame(rows, schema=schema, orient="row")
    monkeypatch.setattr(gaps, "RELEASE", Tally(0, 0, 0))
    monkeypatch.setattr(Tally, "above", lambda *_: Tally(0, 0, 0))
    before = tally(forget_counts(cells, scale=1.0))
    monkeypatch.setattr(Tally, "above", lambda *_: Tally(detail=90, status=20, yearly=30))
    settled = forget_counts(cells, scale=1.0)
    after = tally(settled)
    assert (before.detail - after.detail, before.status - after.status, before.yearly - after.yearly) == (90, 20, 30)
    amounts = settled.filter(pl.col("measure") == "总资产").sort("firm")
    assert amounts.equals(cells.filter(pl.col("measure") == "总资产").sort("firm"))


POLICY = PolicyText(0, "地方政策", date(2022, 5, 1), "江苏省", None, None, ("甲", "乙"), (1, 2))


def test_count_rows_of_one_policy() -> None:
    """A local policy of two agencies and two industries makes 1 + 1 + 2 + 2 + 2 + 2 + 4 rows in each of two scopes."""
    assert policies.count_rows([POLICY]) == 2 * (1 + 1 + 2 + 2 + 2 + 2 + 4)
    assert policies.count_rows([replace(POLICY, province=None)]) == 14
    assert policies.count_rows([replace(POLICY, published=date(2021, 5, 1))]) == 0


def test_policies_settle_exactly() -> None:
    """Count rows come down to the target, and no policy loses its last agency or industry."""
    made = policies.make_policies(0.3)
    target = policies.count_rows(made) - 77
    settled = policies._settle(made, target)
    assert policies.count_rows(settled) == target
    assert all(policy.agencies for policy in settled)
    assert [bool(policy.industries) for policy in settled] == [bool(policy.industries) for policy in made]


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


def test_titles_without_english_forms_are_left_out() -> None:
    """Where no policy has a title with an English form, nothing is translated."""
    assert translated_titles([replace(POLICY, city="南京市")], scale=1.0) == {}


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

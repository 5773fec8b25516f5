"""The kinds of DEFINITIONS and of other languages: what they do, against slow versions, and what they refuse."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from pipeline.keyed import Key
from pipeline.noise.engine import Noised, apply_noise
from pipeline.noise.kinds.definitions.contradicted import ContradictedInProse
from pipeline.noise.kinds.definitions.figures import ScopeMismatch, StaleRevision
from pipeline.noise.kinds.definitions.rollups import DoubleCounting, StockAsFlow
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.names.drift import OtherLanguage
from pipeline.noise.kinds.parts.figures import PLACES, figure_text, quanta, sum_of
from pipeline.noise.kinds.units import UnitMismatch
from pipeline.noise.mechanisms import CompletelyAtRandom, Condition
from pipeline.noise.spec import NoiseSpec, Rule
from silt.environments.registry import ENVIRONMENTS
from tests.unit.noise.applied import refused
from tests.unit.noise.cases_definitions import ENVIRONMENT, PROSE_FIGURE, PROVINCES, RATIO, SCOPE, STOCK, TWICE, rows_of

KEY = Key(bytes(range(32)))
MONTHS = rows_of(
    (None, "2022", "发电量:火电（2022年3月）", "4017.4"),
    (None, "2022", "发电量:火电（2022年4月）", "3785.0"),
    (None, "2022", "商品房待售面积:累计值（2022年2月）", "58468"),
    (None, "2022", "商品房待售面积:累计值（2022年3月）", "57329"),
    (None, "2022", "商品房待售面积:累计值（2022年12月）", "56687"),
)
YEARS = rows_of(
    (None, "2022", "发电量:火电（年度）", "7802.4"),
    (None, "2022", "商品房待售面积:累计值（年度）", "56687"),
    (None, "2021", "商品房待售面积:累计值（年度）", "49772"),
)
OF_SERIES: dict[str, Any] = {
    "figure": "value",
    "same": ("year",),
    "label": "label",
    "series": "^(.*)（",
    "table": "periods",
}


def label(text: str) -> Condition:
    """Return the condition that a label holds a text."""
    return Condition(column="label", matches=text)


def noised(kind: Kind, rows: pl.DataFrame, table: str = "statistics", *more: Kind, **beside: pl.DataFrame) -> Noised:
    """Apply a kind, and more after it, to every cell that it can change."""
    rules = [
        Rule(name=f"rule {place}", kind=each, tables=(table,), mechanism=CompletelyAtRandom(rate=1.0))
        for place, each in enumerate((kind, *more))
    ]
    spec = NoiseSpec(environment="small", rules=tuple(rules))
    return apply_noise(rows, ENVIRONMENT.table(table), spec, ENVIRONMENT, KEY, beside=beside)


def values(frame: pl.DataFrame, column: str = "value") -> list[str | None]:
    """Return a column as a list."""
    return frame[column].to_list()


FIGURES = st.decimals(-(10**12), 10**12, places=3).map(lambda number: format(number.normalize(), "f"))


@given(figures=st.lists(FIGURES, min_size=1, max_size=20))
def test_sums_of_figures_are_exact(figures: list[str]) -> None:
    """A sum of decimal texts is what the standard library's decimals say, to the last digit."""
    total = pl.DataFrame({"value": figures}).select(
        figure_text(sum_of(pl.col("value")), PLACES, like=pl.col("value").first())
    )
    with localcontext(prec=60):
        assert Decimal(total.item()) == sum(map(Decimal, figures))


@pytest.mark.parametrize(
    "text", ["", "1e5", "1,000", "007", "1.", ".5", "+3", "n/a", "inf", "1234567890123456789", f"0.{'1' * 16}"]
)
def test_what_is_no_plain_figure_has_no_sum(text: str) -> None:
    """A sum with a part that cannot be read exactly is not known."""
    frame = pl.DataFrame({"value": ["1", text]})
    assert frame.select(quanta(pl.col("value")))["value"].to_list() == [10**PLACES, None]
    assert frame.select(sum_of(pl.col("value"))).item() is None


# --- scope -------------------------------------------------------------------------------------------------------------


COUNTS = rows_of(
    ("金融业", "2022", "金融业企业数量", "297"),
    ("金融业", "2022", "金融业-深交所企业数量", "64"),
    ("金融业", "2022", "金融业-民营企业-深交所企业数量", "31"),
    ("金融业", "2022", "金融业-民营企业企业数量", "112"),
    ("教育", "2022", "教育-深交所企业数量", "9"),
    (None, "2022", "金融业-深交所企业数量", "5"),
)


def test_a_count_takes_the_figure_of_all_exchanges() -> None:
    """A row whose sibling is there holds the sibling's figure under its own label; others stay."""
    kind = replace(SCOPE, same=("group",), position="contains", instead={"-深交所企业数量": "企业数量"})
    result = noised(kind, COUNTS)
    assert values(result.frame) == ["297", "297", "112", "112", "9", "5"]
    assert values(result.frame, "label") == values(COUNTS, "label")
    assert result.opportunities["eligible"].to_list() == [2]
    assert not result.ledger["recoverable"].any()


def test_the_longest_key_says_the_scope() -> None:
    """Where two keys stand in a label, the longer one is exchanged."""
    instead = {"-深交所企业数量": "企业数量", "-民营企业-深交所企业数量": "企业数量"}
    kind = replace(SCOPE, same=("year",), position="contains", instead=instead)
    assert values(noised(kind, COUNTS).frame)[2] == "297"


def test_two_siblings_of_one_scope_give_no_figure() -> None:
    """Which of two different figures is meant cannot be known, so the cell stays; two alike are one."""
    kind = replace(SCOPE, same=("year",), position="whole", instead={"a": "b"})
    twice = rows_of(("g", "1", "a", "1"), ("g", "1", "b", "2"), ("g", "1", "b", "3"))
    assert values(noised(kind, twice).frame) == ["1", "2", "3"]
    assert values(noised(kind, twice.with_columns(value=pl.Series(["1", "2", "2"]))).frame) == ["2", "2", "2"]


def test_a_figure_may_come_from_a_table_beside() -> None:
    """Without a scope the sibling is the row that agrees in the other table; without that table nothing happens."""
    kind = ScopeMismatch(figure="value", same=("year", "label"), table="periods")
    nation = COUNTS.with_columns(value=pl.lit("1")).head(1)
    assert values(noised(kind, COUNTS, periods=nation).frame) == ["1", "64", "31", "112", "9", "5"]
    assert_frame_equal(noised(kind, COUNTS).frame, COUNTS)


def test_a_figure_that_another_rule_has_moved_is_left() -> None:
    """After a change of units the sibling's figure would be in the wrong one."""
    rows = COUNTS.with_columns(stamp=pl.lit("yuan"))
    kind = replace(SCOPE, same=("group",), position="contains", instead={"-深交所企业数量": "企业数量"})
    units = UnitMismatch(unit_column="stamp", value_column="value", units=("yuan", "10k", "million"))
    result = noised(units, rows, "statistics", kind).frame
    assert_frame_equal(
        result.filter(pl.col("stamp") != "yuan"), noised(units, rows).frame.filter(pl.col("stamp") != "yuan")
    )


# --- ratio of sums -----------------------------------------------------------------------------------------------------


def quotient(numerator: str, denominator: str, scale: int) -> str:
    """Return the quotient to 15 significant digits, at most 15 decimals, rounded half away from zero: the slow version."""
    exact = Fraction(numerator) * scale / Fraction(denominator)
    whole = len(str(int(abs(exact)))) if abs(exact) >= 1 else 0
    with localcontext(prec=80):
        decimal = Decimal(exact.numerator) / Decimal(exact.denominator)
        rounded = decimal.quantize(Decimal(1).scaleb(-max(15 - whole, 0)), ROUND_HALF_UP)
    text = format(abs(rounded), "f")
    return "-" * (rounded < 0) + (text.rstrip("0").rstrip(".") if "." in text else text)


AMOUNTS = st.decimals(-(10**14), 10**14, places=2).map(lambda number: format(number.normalize(), "f"))


@given(numerator=AMOUNTS, denominator=AMOUNTS.filter(lambda text: Decimal(text) != 0))
def test_the_ratio_of_sums_is_exact_to_15_digits(numerator: str, denominator: str) -> None:
    """The mean becomes 100 times numerator over denominator, as rational numbers say."""
    rows = rows_of(
        ("g", "1", "ratio mean", "x"), ("g", "1", "spending sum", numerator), ("g", "1", "revenue sum", denominator)
    )
    assert values(noised(RATIO, rows).frame) == [quotient(numerator, denominator, 100), numerator, denominator]


@pytest.mark.parametrize(
    ("numerator", "denominator"), [("5", "0"), ("n/a", "5"), ("5", None), ("0.12345", "5"), ("12345678901234567", "5")]
)
def test_a_mean_without_both_sums_stays(numerator: str | None, denominator: str | None) -> None:
    """Where a sum is missing, unreadable or too large for exact digits, or the denominator 0, nothing can be changed."""
    rows = rows_of(
        ("g", "1", "ratio mean", "7"), ("g", "1", "spending sum", numerator), ("g", "1", "revenue sum", denominator)
    )
    result = noised(RATIO, rows)
    assert_frame_equal(result.frame, rows)
    assert result.opportunities["eligible"].to_list() == [0]


# --- roll-ups ----------------------------------------------------------------------------------------------------------


def test_a_stock_becomes_the_sum_of_its_months() -> None:
    """The example of the release: 172,484 = 58,468 + 57,329 + 56,687; a year without months stays."""
    kind = StockAsFlow(stock=(label("待售"),), closing=(label("12月"),), **OF_SERIES)
    result = noised(kind, YEARS, periods=MONTHS)
    assert values(result.frame) == ["7802.4", "172484", "49772"]
    assert result.ledger["recoverable"].to_list() == [True]
    mended = kind.mended(result.frame, ENVIRONMENT.table("statistics"), ENVIRONMENT, {"periods": MONTHS})
    assert_frame_equal(mended, YEARS)


def test_a_month_counted_twice_is_the_release_s_example() -> None:
    """15,604.8 = 2 x (4,017.4 + 3,785.0) if all are counted twice; with one, either month is added."""
    kind = DoubleCounting(total=(label("火电"),), counted="all", **OF_SERIES)
    result = noised(kind, YEARS, periods=MONTHS)
    assert values(result.frame) == ["15604.8", "56687", "49772"]
    assert result.ledger["recoverable"].to_list() == [True]
    one = noised(replace(kind, counted="one"), YEARS, periods=MONTHS)
    assert values(one.frame)[0] in {"11819.8", "11587.4"}
    for each, noisy in ((kind, result), (replace(kind, counted="one"), one)):
        mended = each.mended(noisy.frame, ENVIRONMENT.table("statistics"), ENVIRONMENT, {"periods": MONTHS})
        assert_frame_equal(mended, YEARS)


def test_each_part_is_counted_twice_alike() -> None:
    """Over 3,000 totals of three parts, each part is the one in a third of them (binomial, 6 sigma)."""
    groups = [
        row
        for number in range(3000)
        for row in (
            (f"g{number}", "1", "all", "60"),
            *((f"g{number}", "1", f"part {p}", p) for p in ("10", "20", "30")),
        )
    ]
    result = noised(TWICE, rows_of(*groups)).frame.filter(pl.col("label") == "all")
    counts = dict(result["value"].value_counts().iter_rows())
    assert counts.keys() == {"70", "80", "90"}
    assert all(abs(count - 1000) < 6 * (3000 * 2 / 9) ** 0.5 for count in counts.values())


def test_a_total_is_never_its_own_part() -> None:
    """In one table, rows that are totals do not count among the parts, even if the parts are not named."""
    rows = rows_of(("g", "1", "all", "3"), ("g", "1", "part 1", "3"))
    assert values(noised(replace(TWICE, parts=None), rows).frame) == ["6", "3"]


def test_rollups_mend_nothing_without_their_columns() -> None:
    """A file whose columns were renamed, or whose parts are gone, comes back as it is."""
    published = ENVIRONMENT.table("statistics")
    renamed = YEARS.rename({"label": "Label"})
    for kind in (STOCK, TWICE):
        assert_frame_equal(kind.mended(renamed, published, ENVIRONMENT, {"periods": MONTHS}), renamed)
        assert_frame_equal(kind.mended(YEARS, published, ENVIRONMENT, {}), YEARS)


# --- stale -------------------------------------------------------------------------------------------------------------


@given(
    figure=st.one_of(FIGURES, st.integers(-(10**15), 10**15).map(str), st.integers(-999, 999).map("{}.0".format)),
    most=st.sampled_from(["0.001", "0.05", "0.5", "0.999"]),
)
def test_a_stale_figure_is_near_and_written_alike(figure: str, most: str) -> None:
    """It differs, by at most the share, and has as many decimals, the last not 0 unless it was."""
    result = noised(StaleRevision(columns=("value",), most=float(most)), rows_of(("g", "1", "a", figure)))
    after = str(values(result.frame)[0])
    change = abs(Fraction(after) - Fraction(figure))
    assert change <= Fraction(most) * abs(Fraction(figure))
    assert len(after.partition(".")[2]) == len(figure.partition(".")[2])
    assert "." not in after or after.endswith(".0") == figure.endswith(".0")
    assert (change > 0) == (result.opportunities["eligible"].to_list() == [1])


def test_stale_figures_go_up_and_down_evenly() -> None:
    """Over 4,000 figures of 1000 the change is uniform on 1 to 100 in size, and half are lower (6 sigma)."""
    kind = StaleRevision(columns=("value",), most=0.1)
    rows = rows_of(*[("g", "1", "a", "1000")] * 4000)
    changes = noised(kind, rows).frame.select(pl.col("value").cast(pl.Int64) - 1000).to_series()
    assert (changes.abs().min(), changes.abs().max()) == (1, 100)
    assert abs((changes < 0).sum() - 2000) < 6 * 1000**0.5
    assert abs(float(changes.abs().cast(pl.Float64).sum()) / 4000 - 50.5) < 6 * 28.9 / 4000**0.5


def test_a_stamp_goes_with_its_figure() -> None:
    """The stamp is set where the figure is stale, and nowhere else; an empty one stays empty."""
    rows = rows_of(*[("g", "1", "a", "1000")] * 7, ("g", "1", "a", "n/a"))
    kind = StaleRevision(columns=("value",), most=0.1, stamp="stamp", stamped="earlier")
    assert values(noised(kind, rows).frame, "stamp") == [None, *["earlier"] * 5, None, rows["stamp"][7]]


# --- prose -------------------------------------------------------------------------------------------------------------


REVENUES = rows_of(("g0", "1", "revenue sum", "123456"), ("g0", "1", "other", "9"), ("g1", "1", "revenue sum", "1"))


def prose(*rows: Sequence[str | None]) -> pl.DataFrame:
    """Return rows of (group, text) as `prose` has them."""
    return pl.DataFrame(
        [(f"p{n}", *row) for n, row in enumerate(rows)],
        schema=dict.fromkeys(("id", "group", "text"), pl.String),
        orient="row",
    )


def test_prose_tells_another_figure_at_the_end_of_a_sentence() -> None:
    """Of 123.46 thousand the prose tells 10 to 50 percent more or less, in one of the sentences, behind one of its own."""
    texts = prose(*[("g0", "甲。乙。丙")] * 400, ("g1", "甲。"), (None, "甲。"), ("g0", None))
    result = noised(PROSE_FIGURE, texts, "prose", statistics=REVENUES)
    told = result.frame.head(400).select(
        figure=pl.col("text").str.extract(r"(?:营收|营业收入为)([\d.]+)(?:万元)?。").cast(pl.Float64),
        rest=pl.col("text").str.replace(r"(?:营收[\d.]+万元。|营业收入为[\d.]+。)", "|"),
    )
    assert set(told["rest"]) == {"甲。|乙。丙", "甲。乙。|丙", "甲。乙。丙|"}
    change = (told["figure"] / 123.46 - 1).abs()
    assert (change.min(), change.max()) == pytest.approx((0.1, 0.5), abs=0.01)
    assert 100 < (told["figure"] < 123.46).sum() < 300
    assert_frame_equal(
        result.frame.tail(3), texts.tail(3)
    )  # g1 tells 0.00 thousand, of which nothing is off by a share
    assert result.opportunities["eligible"].to_list() == [400]


def test_prose_tells_another_name() -> None:
    """Every name but the true one is told, each alike."""
    kind = ContradictedInProse(
        prose="text",
        table="statistics",
        same=("group",),
        value="label",
        vocabulary="provinces_in_english",
        templates=("总部在{value}。",),
    )
    seats = rows_of(("g0", "1", "上海市", "1"))
    result = noised(kind, prose(*[("g0", "甲。")] * 300), "prose", statistics=seats).frame
    counts = dict(result["text"].value_counts().iter_rows())
    assert counts.keys() == {f"甲。总部在{name}。" for name in PROVINCES if name != "上海市"}
    assert all(count > 100 for count in counts.values())


# --- refusals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        (replace(SCOPE, instead=None), "instead"),
        (ScopeMismatch(figure="value", same=("group",)), "scope"),
        (replace(SCOPE, same=("value",)), "figure"),
        (ScopeMismatch(figure="value", same=("year",), table="prose"), "table"),
        (replace(RATIO, scale=0), "scale"),
        (replace(RATIO, same=("value",)), "same"),
        (replace(STOCK, series=None), "series"),
        (replace(STOCK, series="x"), "series"),
        (replace(STOCK, table=None), "closing"),
        (replace(STOCK, figure="label"), "figure"),
        (replace(TWICE, same=None), "same"),
        (replace(TWICE, table="prose"), "table"),
        (StaleRevision(columns=("value",), most=1.0), "most"),
        (StaleRevision(columns=("value",), most=0.1, stamp="stamp"), "stamped"),
        (StaleRevision(columns=("value",), most=0.1, stamp="value", stamped="x"), "stamp"),
        (replace(PROSE_FIGURE, templates=("no value",)), "templates"),
        (replace(PROSE_FIGURE, value="absent"), "value"),
        (replace(PROSE_FIGURE, least=0.6), "least"),
        (replace(PROSE_FIGURE, per=0), "per"),
        (replace(PROSE_FIGURE, decimals=9), "decimals"),
    ],
    ids=str,
)
def test_parameters_that_cannot_work_are_refused(kind: Kind, field: str) -> None:
    """Each is refused by the field at fault; the cases of the laws are not."""
    assert field in refused(kind, ENVIRONMENT)


# --- other languages ---------------------------------------------------------------------------------------------------


def test_a_column_mixes_languages_and_can_be_translated_back() -> None:
    """Each name gives way to one of its translations, and comes back."""
    kind = OtherLanguage(columns=("group",), vocabulary="provinces_in_english")
    rows = rows_of(*((name, "1", "a", "1") for name in PROVINCES for _ in range(20)), ("广东省", "1", "a", "1"))
    result = noised(kind, rows)
    assert set(result.frame["group"]) == {english for row in PROVINCES.values() for english in row} | {"广东省"}
    assert result.ledger["recoverable"].all()
    assert_frame_equal(kind.mended(result.frame, ENVIRONMENT.table("statistics"), ENVIRONMENT, {}), rows)


TRANSLATED = [
    (environment, vocabulary)
    for environment in ENVIRONMENTS.values()
    for vocabulary in environment.vocabularies
    if vocabulary.name.endswith(("_in_english", "_in_chinese", "_in_spanish", "_in_other_language"))
]


@pytest.mark.parametrize(("environment", "vocabulary"), TRANSLATED, ids=lambda item: item.name)
def test_translations_are_into_another_language_and_unambiguous(environment: Any, vocabulary: Any) -> None:
    """No two names share a translation, none is a name itself, and Chinese becomes Latin or Latin something else."""
    del environment
    translations = [text for row in vocabulary.aliases.values() for text in row]
    assert len(set(translations)) == len(translations)
    assert not set(translations) & vocabulary.aliases.keys()
    for name, row in vocabulary.aliases.items():
        assert row
        for text in row:
            assert is_chinese(text) != is_chinese(name) or vocabulary.name.endswith("_in_spanish")


def is_chinese(text: str) -> bool:
    """Say whether a text has Chinese characters for more than a tenth of it."""
    return sum("一" <= character <= "鿿" for character in text) > len(text) / 10


def test_translated_vocabularies_are_there() -> None:
    """Both environments can mix languages."""
    assert {environment.name for environment, _ in TRANSLATED} == ENVIRONMENTS.keys()

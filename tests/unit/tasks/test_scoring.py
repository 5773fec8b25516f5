"""Answers are compared as docs/tasks.md says: what is right in other words passes, and nothing else does."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.tasks.drawing import UNANSWERABLE
from pipeline.tasks.records import Question
from pipeline.tasks.scoring.matching import judge
from pipeline.tasks.scoring.reading import NotAsAskedError, entries_of, read_value
from pipeline.tasks.wording import values_stated
from tests.unit.report.tasks import question
from tests.unit.tasks.spoilt import RIGHT, WRONG, answers

TWO = "Give a list of 2 entries in this order: (1) a whole number in USD, (2) a number in % rounded to 1 decimal. Numbers."
NAMED = (
    "按以下顺序给出含2项的列表：(1) 与数据表写法一致的文本, (2) 数值（单位：百分点），四舍五入到2位小数。数值四舍五入。"
)
CHOICE = "Give a list of 2 entries in this order: (1) true or false, (2) a day as YYYY-MM-DD. Empty cells do not count."

NUMBER = question("number", unit="%", tolerance=0.005)
WHOLE = question("whole", unit="", tolerance=0.0)
TEXT = question("text", answer_type="text", unit="", tolerance=0.0)
TRUTH = question("truth", answer_type="yes or no", unit="", tolerance=0.0)
SET = question("set", answer_type="list", unit="", tolerance=0.0)
RANKED = question("ranked", answer_type="ranked list", unit="", tolerance=0.0)
RECORD = question("record", answer_type="record", guideline=TWO, unit="%", tolerance=0.05)

GOLD: dict[str, tuple[Question, Any]] = {
    "number": (NUMBER, -1234.56),
    "whole number": (WHOLE, 1234),
    "text": (TEXT, "Société de l'Électricité, Inc."),
    "day": (question("day", answer_type="date", unit="", tolerance=0.0), "1986-04-08"),
    "yes or no": (TRUTH, False),
    "list": (SET, ["Miller or Sons", "Corner", "信息传输、软件和信息技术服务业"]),
    "list of numbers": (question("numbers", answer_type="list", unit="days", tolerance=0.5), [1200.5, 12, -3]),
    "ranked list": (RANKED, ["Corner", "Miller & Sons", "Anvil"]),
    "record": (RECORD, [12345, 28.6]),
    "record in Chinese": (question("zh", answer_type="record", guideline=NAMED), ["金融业", -0.75]),
    "record of yes and a day": (
        question("yes", answer_type="record", guideline=CHOICE, tolerance=0.0),
        [True, "1990-07-04"],
    ),
}
"""One of each type of answer."""


def verdict(asked: Question, gold: Any, answer: object) -> str:
    return judge(asked, gold, answer)[0]


@pytest.mark.parametrize(("asked", "gold"), GOLD.values(), ids=GOLD)
def test_what_is_right_may_be_written_in_many_ways(asked: Question, gold: Any) -> None:
    """Gold itself, with a unit, with commas between thousands, with zeros, as a text of any usual form."""
    refused = {what: judge(asked, gold, made) for what, made in answers(RIGHT, asked, gold)}
    assert {what: found for what, found in refused.items() if found[0] != "right"} == {}


@pytest.mark.parametrize(("asked", "gold"), GOLD.values(), ids=GOLD)
def test_what_is_spoilt_is_wrong(asked: Question, gold: Any) -> None:
    """Another sign, label, order, unit or number of entries, a hedge, a refusal; and the reason does not depend on gold."""
    accepted = {what: made for what, made in answers(WRONG, asked, gold) if verdict(asked, gold, made) != "wrong"}
    assert accepted == {}


def test_every_change_is_tried_on_some_type() -> None:
    """A change that no type of answer has would test nothing."""
    tried = {what for asked, gold in GOLD.values() for what, _ in answers({**RIGHT, **WRONG}, asked, gold)}
    assert tried == RIGHT.keys() | WRONG.keys()


@given(st.decimals(-(10**9), 10**9, places=2), st.integers(0, 3), st.fractions(-3, 3))
@settings(max_examples=200)
def test_a_number_is_right_within_the_tolerance_and_nowhere_else(gold: Decimal, digits: int, steps: Any) -> None:
    """At the tolerance it still is."""
    tolerance = Decimal(5).scaleb(-digits - 1)
    off = tolerance * Decimal(steps.numerator) / Decimal(steps.denominator)
    asked = question("any", unit="", tolerance=float(tolerance))
    assert (verdict(asked, float(gold), f"{gold + off:f}") == "right") is (abs(off) <= tolerance)


@given(
    st.lists(
        st.text("abcÄ業、 1", min_size=1).map(str.strip).filter(bool), min_size=2, max_size=6, unique_by=str.casefold
    ),
    st.randoms(),
)
def test_a_list_is_right_in_any_order_and_a_ranked_one_in_its_own(gold: list[str], source: Any) -> None:
    """Each member stands once."""
    other = source.sample(gold, len(gold))
    assert verdict(SET, gold, other) == "right"
    assert (verdict(RANKED, gold, other) == "right") is (other == gold)
    assert {verdict(asked, gold, [*other, gold[0]]) for asked in (SET, RANKED)} == {"wrong"}


@given(
    st.one_of(
        st.none(),
        st.booleans(),
        st.floats(),
        st.text(),
        st.lists(st.one_of(st.integers(), st.text())),
        st.dictionaries(st.text(), st.none()),
    )
)
@settings(max_examples=200)
def test_any_answer_has_a_verdict_and_a_reason_that_says_nothing_of_gold(answer: object) -> None:
    """Two tasks that differ in gold alone have the same reason for the same wrong answer; also if one cannot be answered."""
    for asked, one, other in ((NUMBER, 7654.32, 1.5), (TEXT, "Zyxo", "Qwax"), (RECORD, [77, 0.5], [98, 1.5])):
        found = {judge(asked, gold, answer) for gold in (one, other, UNANSWERABLE)}
        assert len({reason for verdict, reason in found if verdict == "wrong"}) <= 1
        assert not [reason for _, reason in found if any(part in reason for part in ("7654", "Zyxo", "Qwax", "77"))]


@pytest.mark.parametrize(
    ("written", "unit", "number"),
    [
        ("36.51", "", "36.51"),
        ("1,234,567.5", "", "1234567.5"),
        ("-$1,234", "USD", "-1234"),
        ("$-5", "USD", "-5"),
        ("US$ 5", "USD", "5"),
        ("１２．５％", "%", "12.5"),
        ("12.5 percent", "%", "12.5"),
        ("18.11个百分点", "percentage points", "18.11"),
        ("18.11%", "percentage points", "18.11"),
        ("-0.75 pp", "百分点", "-0.75"),
        ("40 Days", "days", "40"),
        ("40天", "days", "40"),
        ("5 元", "元", "5"),
        ("RMB 5", "元", "5"),
        ("CNY 5", "元", "5"),
        ("¥5", "元", "5"),
        ("2.5 kg", "kg", "2.5"),
        ("1.5e3", "", "1500"),
        (".5", "", "0.5"),
        ("+5", "", "5"),
        (1e22, "", "1e22"),
    ],
)
def test_a_number_has_one_reading(written: object, unit: str, number: str) -> None:
    """Full width, currency signs and words for units are those that people write."""
    assert read_value(written, "number", unit) == Decimal(number)


@pytest.mark.parametrize(
    ("written", "unit"),
    [
        *(
            (text, "")
            for text in ("36,51", "36 51", "1,23,456", "36 or 51", "36-51", "1.234,5", "12.", "--5", "(5)", "~5")
        ),
        *((text, "") for text in ("5%", "five", "", "nan", "inf", "0x10", "1_000", "٣", "5 million", "1e9999")),
        *((text, "%") for text in ("5 pp", "5 kg", "5%5", "% %")),
        ("5 percent", "USD"),
        *((value, "") for value in (True, None, [5], {"a": 5}, float("nan"), float("inf"))),
    ],
)
def test_what_is_no_number_is_none(written: object, unit: str) -> None:
    """A decimal comma, a range, a hedge and another unit are no number, and nothing is guessed."""
    with pytest.raises(NotAsAskedError, match=r"^it is not one number, with or without its unit$"):
        read_value(written, "number", unit)


@pytest.mark.parametrize(
    ("written", "entries"),
    [
        ('["a, b", 1]', ["a, b", 1]),
        ("['a', \"b's\"]", ["a", "b's"]),
        ("[a, b]", ["a", "b"]),
        ("a; '", ["a", "'"]),
        ("a; b, c；d", ["a", "b, c", "d"]),
        ("a, b\nc", ["a, b", "c"]),
        ("1,234, 56", ["1,234", "56"]),
        ("36,51", ["36", "51"]),
        ("甲、乙、丙", ["甲", "乙", "丙"]),
        ("甲、乙，丙", ["甲、乙", "丙"]),
        ("a", ["a"]),
        ("[" * 100_000 + "]", ["[" * 99_999]),
        ("", []),
        ([1, "a, b"], [1, "a, b"]),
    ],
)
def test_a_list_in_a_text_has_one_reading(written: object, entries: list[object]) -> None:
    """It depends on the text alone, never on what is right."""
    assert list(entries_of(written)) == entries


@pytest.mark.parametrize("written", [5, True, None, {"a": 1}])
def test_what_is_no_list_is_none(written: object) -> None:
    with pytest.raises(NotAsAskedError, match=r"^it is not a list$"):
        entries_of(written)


@pytest.mark.parametrize("written", [None, "", " \n"])
def test_no_answer_is_missing(written: object) -> None:
    assert judge(NUMBER, 5.5, written) == ("missing", "no answer was given")


def test_the_guideline_states_kinds_and_units() -> None:
    """A unit belongs to its own part: 12345 % is no number of dollars."""
    assert values_stated(TWO) == [("number", "USD"), ("number", "%")]
    assert values_stated(NAMED) == [("text", ""), ("number", "百分点")]
    assert values_stated(CHOICE) == [("yes or no", ""), ("date", "")]
    assert values_stated("Give a list, in the order of the ranking, written as in the tables.") == []
    assert verdict(RECORD, [12345, 28.6], ["$12,345", "28.6 %"]) == "right"
    assert judge(RECORD, [12345, 28.6], ["12345 %", "28.6"]) == (
        "wrong",
        "part 1 is not one number, with or without its unit",
    )


def test_that_there_is_no_answer_is_right_where_there_is_none() -> None:
    """And wrong elsewhere; where there is none, any other answer is wrong."""
    assert verdict(NUMBER, UNANSWERABLE, f" {UNANSWERABLE.upper()}") == "right"
    assert verdict(NUMBER, 5.5, UNANSWERABLE) == "wrong"
    for asked, gold in GOLD.values():
        assert verdict(asked, UNANSWERABLE, gold) == "wrong"


def test_words_for_yes_and_no_count() -> None:
    """In both languages; a number does not."""
    words = {True: ("Yes", "TRUE", "是", True), False: ("no", "false", "否", False)}
    for gold in (True, False):
        assert [verdict(TRUTH, gold, word) for word in words[gold]] == ["right"] * 4
        assert [verdict(TRUTH, gold, word) for word in (*words[not gold], 1, "1", 0, "true or false")] == ["wrong"] * 8


def test_a_text_of_figures_may_be_a_number_in_json() -> None:
    """A year that stands in the tables as a text; but not one that is written otherwise."""
    assert [verdict(TEXT, "2019", answer) for answer in (2019, "2019", 2019.0, "02019")] == [
        "right",
        "right",
        "wrong",
        "wrong",
    ]

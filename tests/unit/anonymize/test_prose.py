"""Codes by a declared pattern, and texts with mentions replaced: once, from the left, the longest first."""

import re
from collections.abc import Mapping

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.mentions.codes import code_finder
from anonymize.mentions.finding import Mention, leftmost_longest
from anonymize.prose.public import public_values, public_words
from anonymize.prose.replacing import replaced_texts
from pipeline.errors import InputError
from pipeline.model import Column, Entities, Environment, RawTable

MENTION = r"(?<![\d.])(\d{5,6})(?:\.(?:SZ|SH|HK|BJ))?(?!\d)"
CODES = {"000001.SZ": "707889", "000001.SH": "593565", "00700.HK": "218844"}


def replaced_codes(text: str, own: str | None, codes: Mapping[str, str] = CODES, *, pattern: str = MENTION) -> str:
    mentions = leftmost_longest(code_finder(codes, pattern=pattern).find([text], [own]))
    return replaced_texts([text], mentions)[0]


@pytest.mark.parametrize(
    ("text", "own", "expected"),
    [
        ("代码000001.SZ。", None, "代码707889。"),
        ("代码000001.SH。", "000001.SZ", "代码593565。"),
        ("（000001）", "000001.SZ", "（707889）"),
        ("（000001）", "000001.SH", "（593565）"),
        ("（000001）", None, "（593565）"),
        ("（000001）", "00700.HK", "（593565）"),
        ("000001.BJ", "000001.SZ", "707889"),
        ("000001.BJ", None, "593565"),
        ("00700、00701", "00700.HK", "218844、00701"),
        ("金额10000001元，300750.SZ", "000001.SZ", "金额10000001元，300750.SZ"),
    ],
    ids=[
        "full",
        "full not own",
        "own",
        "own twin",
        "first",
        "not own",
        "suffix",
        "no own suffix",
        "unknown",
        "numbers",
    ],
)
def test_code_mentions(text: str, own: str | None, expected: str) -> None:
    """A full mention becomes its pseudonym, a bare one the row's own, else the first with its digits; others stay."""
    assert replaced_codes(text, own) == expected


@given(st.lists(st.sampled_from([*CODES, "000001", "00700", "9", "甲", "，", ".", " "]), max_size=12))
def test_no_raw_code_is_left(parts: list[str]) -> None:
    """After replacing no mention of a known code is found any more, in full or bare."""
    result = replaced_codes("，".join(parts), None)
    known = {*CODES, "000001", "00700"}
    assert not [match for match in re.finditer(MENTION, result) if known & {match[0], match[1]}]


def test_codes_without_digits_are_mentioned_as_they_are() -> None:
    """Tickers are replaced by the same rule; words that are no ticker stay."""
    codes = {"AAPL": "100001"}
    assert replaced_codes("NYSE: AAPL and IBM", None, codes, pattern=r"\b([A-Z]{1,5})\b") == "NYSE: 100001 and IBM"


def test_four_digits_may_be_a_year_unless_they_begin_with_a_zero() -> None:
    """No quantity is written so."""
    codes = {"0700.HK": "218844", "1998.HK": "593565"}
    mentions = code_finder(codes, pattern=r"\b(\d{4})\b").find(["0700 rose in 1998"], [None])
    assert [(mention.says, mention.is_sure) for mention in mentions] == [("218844", True), ("593565", False)]


@pytest.mark.parametrize(
    ("pattern", "message"), [(r"\d+", r"has no group .* found '\\\\d\+'"), ("(", "is no regular expression: .* found")]
)
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str, message: str) -> None:
    """The error shows the pattern."""
    with pytest.raises(InputError, match=message):
        code_finder(CODES, pattern=pattern)


spans = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 6), st.booleans()), max_size=8)


@given(spans)
def test_no_place_is_replaced_twice(drawn: list[tuple[int, int, bool]]) -> None:
    """Of mentions that overlap one is kept, a sure one before one that is not; text between them stays."""
    mentions = [Mention(0, start, start + size, "", "", "", "x", is_sure) for start, size, is_sure in drawn]
    kept = leftmost_longest(mentions)
    taken = [place for mention in kept for place in range(mention.start, mention.end)]
    assert len(taken) == len(set(taken))
    assert all(any(m.start < k.end and k.start < m.end for k in kept) for m in mentions)
    text = "abcdefghijklmnopqrstuvwxyz"
    sure = {place for mention in kept if mention.is_sure for place in range(mention.start, mention.end)}
    expected = "".join(letter for place, letter in enumerate(text) if place not in sure)
    assert replaced_texts([text], kept)[0].replace("x", "") == expected.replace("x", "")


def test_a_value_of_one_row_is_not_public() -> None:
    """A word of it may be somebody's name. Values of several rows are public, and all by which rows are grouped."""
    kinds = RawTable(name="visits", key=("n",), columns=(Column(name="n"), Column(name="kind"), Column(name="trade")))
    firms = Entities(tables=("firms",), code="code", name="name", industry="trade")
    frame = pl.DataFrame({"n": ["1", "2", "3", "4", "5"], "kind": ["fair", "fair", "fair", "fair", "Pelloth Media"]})
    environment = Environment(name="shops", title="Shops", raw_tables=(kinds,), entities=firms)
    found = public_values(environment, {"visits": frame.with_columns(trade=pl.col("n").replace("5", "Bakery"))})
    assert {"fair", "Bakery"} <= (public := set(found))
    assert public.isdisjoint({"Pelloth Media", "Pelloth", "Media"})


def test_words_with_digits_are_public_only_as_whole_values() -> None:
    """`near S104` is where several firms are, and does not make an ordinary word of the code, which prose may name, too."""
    assert set(public_words(["near S104", "Size M2", "Main Street", "S7"])) == {
        *("near S104", "near", "Size M2", "Size", "Main Street", "Main", "Street", "S7")
    }

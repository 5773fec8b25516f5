"""Identities inside prose: longest first, once, whole words, and codes by their own rules."""

import re

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymize.prose import replace_codes, replace_identities
from pipeline.errors import InputError

MENTION = r"(?<![\d.])(\d{5,6})(?:\.(?:SZ|SH|HK|BJ))?(?!\d)"
CODES = {"000001.SZ": "707889", "000001.SH": "593565", "00700.HK": "218844"}

# Few letters of each script, so that names overlap, contain and adjoin each other.
prose = st.text(alphabet="甲乙丙aB1 （-", max_size=40)
names = st.dictionaries(
    st.text(alphabet="甲乙丙aB1 ", min_size=1, max_size=5), st.text(alphabet="新xY9甲a", max_size=4), max_size=8
)


def replaced(text: str, replacements: dict[str, str]) -> str | None:
    """Replace the identities in one text."""
    (result,) = replace_identities(pl.Series([text], dtype=pl.String), replacements).to_list()
    return result if result is None else str(result)


@settings(deadline=None)
@given(prose, names)
def test_replacing_equals_reading_character_by_character(text: str, replacements: dict[str, str]) -> None:
    """The automaton gives what a slow reader gives who tries every name at every place, the longest first."""
    assert replaced(text, replacements) == _read_slowly(text, replacements)


@settings(deadline=None)
@given(prose)
def test_without_names_nothing_changes(text: str) -> None:
    """No replacements leave a text as it is, and so do names that it does not hold."""
    assert replaced(text, {}) == text
    assert replaced(text, {"丁": "戊"}) == text


def test_the_longest_name_wins() -> None:
    """A legal name is replaced whole although its short form is a name too."""
    names = {"甲乙软件": "丙丁", "甲乙软件股份有限公司": "丙丁科技股份有限公司"}
    assert replaced("甲乙软件股份有限公司（简称甲乙软件）", names) == "丙丁科技股份有限公司（简称丙丁）"


def test_a_replacement_is_not_replaced_again() -> None:
    """Two names that are each other's pseudonyms swap."""
    assert replaced("甲与乙", {"甲": "乙", "乙": "甲"}) == "乙与甲"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gap", "Brevanor"),
        ("Gaps in Singapore", "Gaps in Singapore"),
        ("由Gap经营", "由Brevanor经营"),
        ("Gap2", "Gap2"),
    ],
)
def test_latin_names_are_whole_words(text: str, expected: str) -> None:
    """A Latin name inside another word is no mention; beside Chinese characters it is."""
    assert replaced(text, {"Gap": "Brevanor"}) == expected


def test_nulls_and_blanks_stay() -> None:
    """A null stays null and an empty text empty."""
    texts = pl.Series("t", [None, "", "甲"])
    assert replace_identities(texts, {"甲": "乙"}).to_list() == [None, "", "乙"]


def test_an_empty_identity_is_refused() -> None:
    """An empty name would stand everywhere."""
    with pytest.raises(InputError, match="an identity to replace is empty; leave nulls and blanks out"):
        replace_identities(pl.Series(["甲"]), {"": "乙"})


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
        (None, "000001.SZ", None),
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
        "null",
    ],
)
def test_code_mentions(text: str | None, own: str | None, expected: str | None) -> None:
    """A full mention becomes its pseudonym, a bare one the row's own, else the first with its digits; others stay."""
    texts, own_codes = pl.Series("t", [text], dtype=pl.String), pl.Series([own], dtype=pl.String)
    assert replace_codes(texts, CODES, pattern=MENTION, own_codes=own_codes).to_list() == [expected]


@settings(deadline=None)
@given(st.lists(st.sampled_from([*CODES, "000001", "00700", "9", "甲", "，", ".", " "]), max_size=12))
def test_no_raw_code_is_left(parts: list[str]) -> None:
    """After replacing no mention of a known code is found any more, in full or bare."""
    text = "，".join(parts)
    (result,) = replace_codes(pl.Series([text], dtype=pl.String), CODES, pattern=MENTION).to_list()
    known = {*CODES, "000001", "00700"}
    assert not [match for match in re.finditer(MENTION, str(result)) if known & {match[0], match[1]}]


def test_codes_without_digits_are_mentioned_as_they_are() -> None:
    """Tickers are replaced by the same rule; words that are no ticker stay."""
    texts = pl.Series(["NYSE: AAPL and IBM"])
    assert replace_codes(texts, {"AAPL": "100001"}, pattern=r"\b([A-Z]{1,5})\b").to_list() == ["NYSE: 100001 and IBM"]


@pytest.mark.parametrize(
    ("pattern", "message"), [(r"\d+", r"has no group .* found '\\\\d\+'"), ("(", "is no regular expression: .* found")]
)
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str, message: str) -> None:
    """The error shows the pattern."""
    with pytest.raises(InputError, match=message):
        replace_codes(pl.Series(["甲"]), CODES, pattern=pattern)


def _read_slowly(text: str, replacements: dict[str, str]) -> str:
    result, place = "", 0
    while place < len(text):
        here = [name for name in replacements if text.startswith(name, place) and _is_whole(text, place, name)]
        name = max(here, key=len, default="")
        result += replacements[name] if name else text[place]
        place += len(name) or 1
    return result


def _is_whole(text: str, place: int, name: str) -> bool:
    around = [text[place - 1 : place] + name[0], name[-1] + text[place + len(name) : place + len(name) + 1]]
    return not any(re.fullmatch("[aB1]{2}", pair) for pair in around)

"""The normal form: one for all ways to write a name, a matter of single characters, and stable."""

import sys
import unicodedata

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.normal_form import letters, letters_of, normal_form, spread, spread_forms

NAMES = st.text(
    st.characters(max_codepoint=0x24F)
    | st.characters(min_codepoint=0x2000, max_codepoint=0x2AFFF, exclude_categories=["Cs"])
)
"""Latin letters, punctuation, and Asia's scripts."""


def normal(text: str) -> str:
    return str(normal_form(pl.Series([text]))[0])


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Ross-Stores, INC.", "rossstoresinc"),
        ("６００５１９．ＳＨ", "600519sh"),
        ("貴州茅臺酒（集團）", "贵州茅台酒集团"),
        ("贵\u200b州\u00ad茅 台·酒", "贵州茅台酒"),
        ("Société Générale", "societegenerale"),
        ("Socie\u0301te\u0301", "societe"),
        ("Straße ㈱ ①", "strasse株1"),
        ("裡裏 衞 臺 著", "里里卫台着"),
        ("。，-—", ""),
        ("", ""),
    ],
)
def test_width_case_script_accents_and_separators_do_not_count(written: str, expected: str) -> None:
    """Only letters and digits are left: half width, small, simplified and bare."""
    assert normal(written) == expected


@given(NAMES, NAMES)
def test_normal_form_is_that_of_the_characters(first: str, second: str) -> None:
    """Wherever a text is cut, the normal forms of its parts make its own."""
    assert normal(first + second) == normal(first) + normal(second) == "".join(map(letters, first + second))


@given(NAMES)
def test_unicode_compatibility_does_not_count(text: str) -> None:
    """A text and its compatibility forms (UAX #15) have one normal form."""
    for form in ("NFKC", "NFKD", "NFC", "NFD"):
        assert normal(unicodedata.normalize(form, text)) == normal(text)


def test_normal_form_of_a_normal_form_is_itself() -> None:
    """Whatever the character, its normal form is stable and holds nothing but letters and digits."""
    forms = {form for form in map(letters, map(chr, range(sys.maxunicode + 1))) if form}
    characters = set("".join(forms))
    assert [character for character in characters if letters(character) != character] == []
    assert all(map(str.isalnum, characters))


def test_spread_text_keeps_what_can_be_seen_between_words() -> None:
    """Words are normal, separators stay in one width, marks and characters without width go."""
    assert spread("Ａ－B\u200bc，臺\n1") == "a-bc,台\n1"
    assert spread("Ａ－B\u200bc", keeps_case=True) == "A-Bc"


@given(st.lists(NAMES))
def test_many_texts_are_spread_as_each_by_itself(texts: list[str]) -> None:
    """Whatever the characters, of one text or of several, each text comes out as it does alone."""
    assert spread_forms(texts) == [spread(text, keeps_case=True) for text in texts]


@pytest.mark.parametrize(("one", "other"), [("Straße", "STRASSE"), ("ﬁn", "FIN"), ("Σίσυφος", "ΣΊΣΥΦΟΣ")])
def test_case_folds_in_full(one: str, other: str) -> None:
    """A name in capitals reads as it does in small letters, where these are two, or others at the end of a word."""
    assert letters_of(one) == letters_of(other)

"""The loose search finds a token in any writing, and no ordinary words that only resemble one."""

import html
import json
from collections.abc import Callable
from urllib.parse import quote

import opencc
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.mentions.finding import SENTENCE_END
from validation.escapes.documents import TextDocument
from validation.escapes.identifiers import Identifiers
from validation.escapes.loose import _without_lookaround, finders_of, search_loosely

IDENTITIES = Identifiers(
    codes=("600519.SH", "000001.SZ", "00700.HK", "7578.X", "AAPL", "KEYS"),
    names=(
        "贵州茅台酒股份有限公司",
        "上海电力股份有限公司",
        "工业机器人发展有限公司",
        "万科企业（集团）股份有限公司",
        "TCL科技集团",
        "Ross Stores",
        "China ITS (Holdings) Co., Ltd.",
        "The Walt Disney Company",
        "Best Buy Co. Inc.",
        "Total S.A.",
        "Progressive Corp.",
        "Software Systems Inc.",
        "Nestlé Deutschland AG",
        "Shentao Asset Management Co., Ltd.",
    ),
    aliases=("茅台酒业", "NIKE", "Visa"),
    identifiers=("St. Paul, Minnesota", "66740", "2014-01-31"),
)


def found(text: str, identities: Identifiers = IDENTITIES) -> list[tuple[str, list[int]]]:
    return [
        (hit.kind, hit.rows.to_list()) for hit in search_loosely([TextDocument("text", text)], finders_of(identities))
    ]


def kinds(text: str) -> list[str]:
    return [kind for kind, _ in found(text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ross_stores.pdf", "name"),
        ("WaltDisneyCo.", "name"),
        ("阅ross stores的", "name"),
        ("Walt Disney's", "name"),
        ("best buy co inc", "name"),
        ("TOTAL SA", "name"),
        ("Progressive Corporation, Progressive Corp", "name"),
        ("NESTLE DEUTSCHLAND", "name"),
        ("贵州茅台酒厂", "name"),
        ("贵州<b>茅台</b>酒", "name"),
        ("万科企业集团股份有限公司", "name"),
        ("Ｎｉｋｅ ＮＩＫＥ", "alias"),
        ("VISA", "alias"),
        ("６００５１９．ＳＨ", "code"),
        ("600519sh", "code"),
        ("SH600519", "code"),
        ("sz.000001", "code"),
        ("000001-SZ", "code"),
        ("1.SZ", "code"),
        ("700 HK", "code"),
        ("0700.hk", "code"),
        ("HK0700", "code"),
        ("07578.x", "code"),
        ("ＫＥＹＳ", "code"),
    ],
)
def test_a_token_is_found_in_another_writing(text: str, kind: str) -> None:
    """Possessives, endings, markup, legal form, zeros and the order of a suffix do not hide a token."""
    assert kinds(f"见 {text}。") == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "acROSS STORES",
        "Ross Storesomething",
        "Ross Storefront",
        "Walt Disneycolor",
        "albatross stores",
        "Visage, visa, VISAS, a visa.",
        "the keys, keys and a KEYSTONE",
        "Total progressive software systems",
        "Na Shen Tao Asset Management Co., Ltd.",
        "上海电力需求",
        "工业机器人发展迅速",
        "the best buy of all",
        "made by Ross. Stores sell it",
        "found in China. Its products",
        "Ross</td><td>Stores",
        "It was founded in Ross. Stores of all kinds follow.",
        "“Bound for Ross.” Stores follow. 产自贵州茅。台酒",
        "1 HK, 1sz, 7578 X, L7578, 7578x, x600519.SH9, SZ1, 2000001.SZ",
        "66740, 20140131, 2014-01-31",
        "茅台",
    ],
)
def test_ordinary_words_are_no_token(text: str) -> None:
    """Words in small letters, longer words, words of the trade, cells side by side and bare numbers are left alone."""
    assert kinds(f"见 {text}。") == []


TORONTO = Identifiers(codes=("600519.SH", "1900.TO", "2100.TO", "1234.AS", "2022.DE"))


@pytest.mark.parametrize(
    "text",
    [
        "must be greater than or equal to <b>1900</b>",
        "less than or equal to 2100.0.",
        "from 1900 to 2100",
        "To 1900 people",
        "the same as 1234",
        "Hui De 2022年年度报告全文 11 sign Co., Ltd.",
    ],
)
def test_words_of_the_language_are_no_suffixes(text: str) -> None:
    """What a report says of numbers names no company, whichever codes there are in a large corpus."""
    assert found(text, TORONTO) == []


@pytest.mark.parametrize(
    "text",
    [
        "1900.TO",
        "1900.to",
        "TO 1900",
        "to1900",
        "1900TO",
        "to:1900",
        "TO-1900",
        "equal to 1900.TO",
        "1234 AS",
        "DE 2022年",
        "de2022年",
    ],
)
def test_suffixes_are_found_though_they_are_words(text: str) -> None:
    """In capitals, joined to the number or set off by a sign, a suffix says that the number is a code."""
    assert found(text, TORONTO) == [("code", [1])]


def test_a_name_does_not_run_across_sentences_unless_it_is_listed_so() -> None:
    """`in China. Its` names nobody called China ITS; initials, abbreviations and stops of the name itself are no ends."""
    assert found("Sold in China. Its products", Identifiers(names=("China ITS",))) == []
    assert found("Sold by CHINA-ITS", Identifiers(names=("China ITS",))) == [("name", [1])]
    tokens = Identifiers(names=("Stop. Look Here", "J C Penney", "St Paul Travelers", "Smith Bros Stores"))
    for text in ("Stop.  Look Here", "J. C. Penney", "St. Paul Travelers", "Smith Bros. Stores"):
        assert found(text, tokens) == [("name", [1])]


def test_a_part_of_a_name_that_was_invented_too_is_no_token() -> None:
    """A company whose name without legal form stands in an invented name is found by its whole name only."""
    tokens = Identifiers(
        names=("琦霖生物制品有限公司", "Ross Stores Inc."), invented=("冉琦霖生物制品股份公司", "Ross Stores")
    )
    assert found("冉琦霖生物制品股份公司 and Ross Stores", tokens) == []
    assert found("琦霖 生物制品有限公司", tokens) == [("name", [1])]
    assert found("ROSS STORES INC", tokens) == [("name", [1])]


SEPARATORS = st.text(" -·•.,'’()（）\u3000\u200b\u00ad\u2060\n", min_size=1, max_size=3).filter(
    lambda between: not SENTENCE_END.search(between)
)
SCRIPTS = [opencc.OpenCC(conversion) for conversion in ("s2t", "s2tw", "s2hk")]
ENCODINGS: list[Callable[[str], str]] = [
    str,
    html.escape,
    lambda text: "".join(f"&#{ord(character)};" for character in text),
    json.dumps,
    lambda text: json.dumps(json.dumps(text)),
    quote,
]


@st.composite
def rewritten(draw: st.DrawFn, words: tuple[str, ...]) -> str:
    """Draw a writing of a token: each character in any case, width, script, with accents; words set apart anyhow."""
    separators = [draw(st.just("") | SEPARATORS) for _ in words]
    spacing = [draw(st.sampled_from(["", "", " ", "-"])) for _ in words]
    written = [
        space.join(draw(one_of_character(character)) for character in word)
        for word, space in zip(words, spacing, strict=True)
    ]
    text = "".join(word + gap for word, gap in zip(written, separators, strict=True))
    return draw(st.sampled_from(ENCODINGS))(text)


def one_of_character(character: str) -> st.SearchStrategy[str]:
    cases = [character.upper(), character.lower()]
    wide = [chr(ord(case) + 0xFEE0) for case in cases if case.isascii()]
    accented = [case + "\u0301\u200d" for case in cases]
    return st.sampled_from([*cases, *wide, *accented, *(script.convert(character) for script in SCRIPTS)])


WORDS = {
    "Ross Stores": ("Ross", "Stores"),
    "贵州茅台酒股份有限公司": tuple("贵州茅台酒"),
    "The Walt Disney Company": ("Walt", "Disney"),
    "Best Buy Co. Inc.": ("Best", "Buy", "Co", "Inc"),
    "TCL科技集团": ("TCL", *"科技"),
    "茅台酒业": tuple("茅台酒业"),
    "St. Paul, Minnesota": ("St", "Paul", "Minnesota"),
    "上海电力股份有限公司": tuple("上海电力股份有限公司"),
}


@given(st.data(), st.sampled_from(sorted(WORDS)), st.sampled_from(["", "见", "。", "x: ", "臺\n"]))
def test_any_composition_of_writings_is_found(data: st.DataObject, token: str, before: str) -> None:
    """Whatever is done to case, width, script, accents, separators and encoding at once, the token is found."""
    written = data.draw(rewritten(WORDS[token]))
    assert found(f"{before}{written} 等", Identifiers(names=(token,)))


@given(
    st.text(
        st.characters(exclude_characters="rRｒＲ贵貴茅") | st.sampled_from("osSt eé州台酒业<b>%&;\\u"), max_size=200
    )
)
def test_a_text_without_a_letter_of_the_token_holds_none(text: str) -> None:
    """Of texts that cannot hold the tokens, none does."""
    letters_left_out = {"r", "贵", "茅"}
    tokens = Identifiers(names=("Ross Stores", "贵州茅台酒股份有限公司"), aliases=("茅台酒业",))
    forms = [form for pack in finders_of(tokens).names.packs for form in pack.value]
    assert all(letters_left_out & set(form.needle) for form in forms)
    if not any(encoded in text for encoded in ("\\u", "%", "&")):
        assert found(text, tokens) == []


def test_a_pattern_without_lookaround_matches_at_least_as_much() -> None:
    """A blank stands for whatever a spread text may have in its place."""
    pattern = _without_lookaround(r"(?<![A-Za-z])code\s(?P<code>[0-9]+)[\W_](?![A-Za-z0-9])")
    texts = pl.Series(["code 12.", "code-12_", "code:12;;", "codex12.", "code 12x"])
    assert texts.str.contains(pattern).to_list() == [True, True, True, False, False]


def test_codes_are_found_with_hyphens_between_letters_and_digits() -> None:
    """As they are replaced in any text; with a blank or in small letters, or as a public value, they may be something else."""
    identities = Identifiers(codes=("F043", "043GA", "AB12"), ordinary=("AB12",))
    texts = ["F-043", "F\N{NON-BREAKING HYPHEN}043", "043-GA", "F 043", "f-043", "F_043", "AB-12"]
    assert [bool(found(f"saw {text} again", identities)) for text in texts] == [True] * 3 + [False] * 4

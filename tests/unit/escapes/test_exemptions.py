"""False alarms can be exempted; what may name a company cannot, whatever is declared."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.searched import search
from validation.escapes import Found, Identifiers, documents_of
from validation.escapes.exemptions import (
    EXPECTS_NAMES,
    FEWEST_TEXTS,
    IN_CODES,
    NO_WORD,
    NO_WORDS,
    NOT_ORDINARY,
    WITH_CAPITALS,
    Applied,
    JudgedFindings,
    Words,
    judge,
)

IDENTITIES = Identifiers(
    codes=("KEYS",),
    names=("China ITS", "Bright Lighting", "Haiweilao Holdings", "养老社区", "红杉树业"),
    aliases=("seven",),
)
USUAL = [f"hall {number} with bright lamps, and some lighting" for number in range(FEWEST_TEXTS)]


def judged(
    folder: Path, texts: list[str], *exemptions: Applied, usual: list[str] = USUAL, words: Words = NO_WORDS
) -> tuple[Found, JudgedFindings]:
    """Search a table of texts, beside one whose texts say which words are usual."""
    pl.DataFrame({"text": texts}).write_csv(folder / "told.csv")
    pl.DataFrame({"text": usual}).write_csv(folder / "usual.csv")
    found = search(folder, IDENTITIES, code_columns={})
    return found, judge(found.findings(), exemptions, documents_of(folder), words)


def everywhere(token: str, number: int = 1) -> Applied:
    return Applied(number, token, "", "")


@pytest.mark.parametrize(
    ("token", "text"),
    [
        ("China ITS", "made in China, its goods"),
        ("China ITS", "in China (its home)"),
        ("Bright Lighting", "a hall with bright lighting"),
        ("Bright Lighting", "Bright lighting everywhere"),
        ("红杉树业", "产自红杉，树业发达"),
        ("养老社区", "从事养老社区"),
    ],
)
def test_ordinary_words_are_exempted(tmp_path: Path, token: str, text: str) -> None:
    """What runs over a mark that the name has not, and ordinary words without a name's capitals."""
    found, of = judged(tmp_path, [text, "nothing"], everywhere(token))
    assert found.escapes()
    assert found.escapes(without=of.places) == ()
    assert (of.refused, of.unused, of.left.height, of.exempted["token"].to_list()) == ({}, (), 0, [token])


@pytest.mark.parametrize(
    ("token", "text", "why"),
    [
        ("China ITS", "sold by China ITS", NOT_ORDINARY),
        ("China ITS", "china its", NOT_ORDINARY),
        ("Bright Lighting", "sold by Bright Lighting", WITH_CAPITALS),
        ("Bright Lighting", "sold by BRIGHT-LIGHTING", WITH_CAPITALS),
        ("Haiweilao Holdings", "haiweilao holdings", NOT_ORDINARY),
        ("红杉树业", "红杉树业的产品", NOT_ORDINARY),
        (
            "seven",
            "six or seven",
            NOT_ORDINARY,
        ),  # all texts that have it are findings: nothing else tells that it is a word
    ],
)
def test_a_name_is_not_exempted(tmp_path: Path, token: str, text: str, why: str) -> None:
    """The exemption is refused with its reason, which holds no name, and everything stays an escape."""
    found, of = judged(tmp_path, [text, "made in China, its goods"], everywhere(token))
    assert list(of.refused) == [1]
    assert why in of.refused[1]
    assert token not in of.refused[1]
    assert found.escapes(without=of.places) == found.escapes()
    assert why in of.left["objection"].to_list()


def test_a_word_is_ordinary_if_enough_other_texts_have_it(tmp_path: Path) -> None:
    """One text fewer, or texts in which it was itself found, are not enough."""
    few = USUAL[: FEWEST_TEXTS - 1]
    _, of = judged(tmp_path, ["bright lighting"] * 9, everywhere("Bright Lighting"), usual=few)
    assert list(of.refused) == [1]
    _, of = judged(tmp_path, ["bright lighting"] * 9, everywhere("Bright Lighting"))
    assert not of.refused


def test_codes_alone_in_their_column_are_never_exempted(tmp_path: Path) -> None:
    """Even if the word is an ordinary one."""
    pl.DataFrame({"code": ["KEYS"], "text": ["x"]}).write_csv(tmp_path / "codes.csv")
    pl.DataFrame({"text": [f"{one} keys" for one in range(FEWEST_TEXTS)]}).write_csv(tmp_path / "usual.csv")
    found = search(tmp_path, IDENTITIES, code_columns={"codes.csv": ("code",)})
    of = judge(found.findings(), [everywhere("KEYS")], documents_of(tmp_path))
    assert IN_CODES in of.refused[1]
    assert found.escapes(without=of.places) == found.escapes()


def test_an_exemption_holds_where_it_is_declared_and_for_its_token(tmp_path: Path) -> None:
    """Another file, column or name is no part of it; one that excuses nothing is told."""
    text = "in China, its bright lighting"
    elsewhere = [Applied(1, "China ITS", "usual.csv", ""), Applied(2, "China ITS", "told.csv", "other")]
    found, of = judged(tmp_path, [text], *elsewhere, Applied(3, "Bright Lighting", "told.csv", "text"))
    assert of.unused == (1, 2)
    # Both are names in one cell: it is an escape until both are exempted.
    assert found.escapes(without=of.places) == found.escapes()
    both = [everywhere("China ITS"), everywhere("Bright Lighting", 2)]
    found, of = judged(tmp_path, [text, "of Haiweilao Holdings"], *both)
    assert [(escape.row, escape.rows) for escape in found.escapes(without=of.places)] == [(3, 1)]


def test_an_exemption_may_hold_in_a_folder(tmp_path: Path) -> None:
    """In any file of it, and in none beside it: reports show cells of tables."""
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports/rows.js").write_text('"made in China, its goods"')
    found, of = judged(tmp_path, ["made in China, its goods"], Applied(1, "China ITS", "reports/", ""))
    assert [escape.file for escape in found.escapes(without=of.places)] == ["told.csv"]


TEXTS = st.sampled_from(
    [
        *("made in China, its goods", "sold by China ITS", "bright lighting", "Bright Lighting", "haiweilao holdings"),
        *("养老社区", "红杉，树业", "红杉树业", "seven", "nothing", "in China, its bright lighting of Haiweilao"),
    ]
)


@given(
    texts=st.lists(TEXTS, min_size=1, max_size=6),
    tokens=st.sets(st.sampled_from(IDENTITIES.names + IDENTITIES.aliases)),
)
def test_what_is_exempted_and_what_is_left_is_what_was_found(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], tokens: set[str]
) -> None:
    """No finding is lost, none to which something is objected is exempted, and none of a token that is not declared."""
    exemptions = [everywhere(token, number) for number, token in enumerate(sorted(tokens), start=1)]
    found, of = judged(tmp_path_factory.mktemp("judged"), texts, *exemptions)
    everything = found.findings()
    assert pl.concat([of.exempted, of.left.drop("objection")]).sort(everything.columns).equals(everything)
    assert set(of.exempted["token"]) <= tokens
    objected = of.left.filter(pl.col("objection") != "")["token"].unique()
    assert not set(objected) & set(of.exempted["token"])
    assert not (found and not of.exempted.height) or found.escapes(without=of.places) == found.escapes()


IN_TEXT = {"told.csv": {"text"}, "usual.csv": {"text"}}
"""Columns in which no name is expected."""


@pytest.mark.parametrize(
    ("texts", "words", "refusal"),
    [
        (["Seven"] * FEWEST_TEXTS, Words((), IN_TEXT), ""),
        (["of seven"], Words({"seven"}, IN_TEXT), ""),
        (["of seven"], Words((), {"usual.csv": {"text"}}), ""),
        (["Seven"] * (FEWEST_TEXTS - 1), Words((), IN_TEXT), NO_WORD),
        (["of seven"] * FEWEST_TEXTS, Words((), IN_TEXT), NO_WORD),
        (["Seven"] * FEWEST_TEXTS, Words({"seven"}, {"told.csv": ()}), EXPECTS_NAMES),
    ],
    ids=["value", "header", "report", "rare value", "in texts", "column of names"],
)
def test_a_name_is_exempted_as_a_word_where_it_is_one(
    tmp_path: Path, texts: list[str], words: Words, refusal: str
) -> None:
    """It is a value, a header or a word of reports, and stands where no name is expected; then it is proposed, else refused."""
    of = judged(tmp_path, texts, everywhere("seven")._replace(is_word=True), usual=["none"], words=words)[1]
    assert (of.exempted.height == len(texts)) == (not refusal)
    assert all(reason.endswith(refusal) for reason in of.refused.values())
    assert bool(of.refused) == bool(refusal)
    proposed = judged(tmp_path, texts, usual=["none"], words=words)[1].words
    assert proposed == (() if refusal else ("seven",))


def test_a_whole_name_of_several_words_is_never_proposed_as_a_word(tmp_path: Path) -> None:
    """It stands in many cells because it names somebody there; whoever knows better may declare it."""
    texts = ["Bright Lighting"] * FEWEST_TEXTS
    assert judged(tmp_path, texts, usual=["none"], words=Words((), IN_TEXT))[1].words == ()
    declared = everywhere("Bright Lighting")._replace(is_word=True)
    assert judged(tmp_path, texts, declared, usual=["none"], words=Words((), IN_TEXT))[1].refused == {}

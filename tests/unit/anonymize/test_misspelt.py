"""Misspelt names, by one edit or a gap within a word: what is replaced, proposed and left, and what the gate makes of them."""

from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.mentions.blocks import Blocks, Passage
from anonymize.mentions.finding import Mention
from anonymize.mentions.forms import MISSPELT, PERSON, TORN, Term, forms_of
from anonymize.mentions.near.edits import LIKENESSES, is_one_edit, near_pairs
from anonymize.mentions.near.misspelt import misspelt
from anonymize.prose.replacing import mentions_in, replaced_texts
from benchmarks.mentions.attacker import attacked
from benchmarks.mentions.misspelt import EDITS, NEAR_ALONE, ORDINARY, PLACES, in_notes
from pipeline.keyed import Key
from validation.escapes import Identifiers, find_escapes_in_texts

TERMS = (
    Term("Birchfield Foods Inc", "name", "1", "Molas Retail Inc", "Molas Retail", "Molas"),
    Term("Haverstock Ltd", "name", "2", "Tarvo Ltd", "Tarvo", "Tarvo"),
    Term("Market Paper Ltd", "name", "3", "Zelka Works Ltd", "Zelka Works", "Zelka"),
    Term("Martin Fernandez", PERSON, "3", "Rosa Belova"),
)


def found(*texts: tuple[str, str], public: tuple[str, ...] = ()) -> tuple[list[str], list[Mention]]:
    """Return texts, each given with its company, as they are replaced, and the mentions in them."""
    blocks = Blocks([Passage("t", "c", row, text, own) for row, (own, text) in enumerate(texts)])
    key = Key(b"m" * 32)
    ((block, mentions),) = mentions_in(blocks, TERMS, codes=[], key=key, alias_pseudonyms=lambda *_: (), public=public)
    return replaced_texts(block.texts, mentions), mentions


def distance(word: str, other: str) -> int:
    """Return the distance of optimal string alignment, by its recursion (Boytsov 2011, "Indexing methods", 2.1)."""
    costs = [[max(a, b) if 0 in (a, b) else 0 for b in range(len(other) + 1)] for a in range(len(word) + 1)]
    for a, b in product(range(1, len(word) + 1), range(1, len(other) + 1)):
        ways = [costs[a - 1][b] + 1, costs[a][b - 1] + 1, costs[a - 1][b - 1] + (word[a - 1] != other[b - 1])]
        if min(a, b) > 1 and word[a - 1] == other[b - 2] and word[a - 2] == other[b - 1]:
            ways.append(costs[a - 2][b - 2] + 1)
        costs[a][b] = min(ways)
    return costs[-1][-1]


WORDS = st.lists(st.text("abcä", max_size=5), max_size=20, unique=True)


@given(WORDS, WORDS)
def test_words_are_near_at_distance_one(words: list[str], known: list[str]) -> None:
    """All pairs at distance 1 are found and no others, of letters that look like no others."""
    slow = sorted((word, other) for word, other in product(words, known) if distance(word, other) == 1)
    assert near_pairs(*(pl.Series(each, dtype=pl.String) for each in (words, known))) == slow


@given(st.text("ab甲", max_size=6), st.text("ab甲", max_size=6))
def test_one_edit_is_distance_one(word: str, other: str) -> None:
    """Whatever the letters are, either way."""
    assert is_one_edit(word, other) == is_one_edit(other, word) == (distance(word, other) == 1)


@pytest.mark.parametrize(("written", "read"), LIKENESSES.items())
def test_words_that_look_alike_are_near(written: str, read: str) -> None:
    """`rn` for `m`, which are two edits, too."""
    words = (pl.Series([f"bar{each}field"]) for each in (written, read))
    assert near_pairs(*words) == [(f"bar{written}field", f"bar{read}field")]


@pytest.mark.parametrize(
    ("own", "text", "expected"),
    [
        ("1", "saw owner of Birchfeld Foods", "saw owner of Molas Retail"),
        ("2", "saw owner of Birchfeld Foods", "saw owner of Molas Retail"),
        ("2", "Birchfield Fooods Inc. pays", "Molas Retail Inc pays"),
        ("2", "birchfield-foodss", "molas retail"),
        ("1", "call BIRCHFIELDS and ibrchfield's wife", "call MOLAS and molas's wife"),
        ("1", "Birchfìe1d or Birchfie1d", "Molas or Molas"),
        ("2", "Haverstok pays", "Tarvo pays"),
        ("1", "Haverstok Ltd. pays", "Tarvo Ltd pays"),
        ("1", "Market Paperr Ltd", "Zelka Works Ltd"),
        ("2", "saw Birch field Foods", "saw Molas Retail"),
        ("2", "bir ch-\nfield foods and Birchfield F oods Inc.", "molas retail and Molas Retail Inc."),
        ("1", "call birch field's wife or BIRCH FIELD", "call molas's wife or MOLAS"),
        ("2", "Haver stock Ltd. pays", "Tarvo Ltd pays"),
        ("1", "Fernadez, Martin or martin fernándes", "Belova Rosa or rosa belova"),
        ("2", "saw Mar tin Fernandez", "saw Rosa Belova"),
    ],
)
def test_misspelt_names_are_replaced(own: str, text: str, expected: str) -> None:
    """A whole name in any text, a word of it in its company's own; in the shape of what stood there."""
    assert found((own, text))[0] == [expected]


@pytest.mark.parametrize(
    ("own", "text", "rule"),
    [
        ("2", "met Birchfeld today", MISSPELT),
        ("1", "met Haverstok today", MISSPELT),
        ("2", "met Birch field today", TORN),
        ("1", "met Haver stock today", TORN),
    ],
)
def test_a_word_by_itself_is_proposed_in_others_texts(own: str, text: str, rule: str) -> None:
    """It may be somebody else's name."""
    texts, mentions = found((own, text))
    assert texts == [text]
    assert [(mention.rule, mention.is_sure) for mention in mentions] == [(rule, False)]


def test_a_word_of_another_name_is_no_misspelt_one() -> None:
    """`Haverstok` is listed, too: it is who it says."""
    forms = forms_of([*TERMS, Term("Haverstok Grain Ltd", "name", "4")])
    corpus = Blocks([Passage("t", "c", 0, "Haverstok Ltd", None)])
    assert list(misspelt(forms, corpus, known=())) == []


@pytest.mark.parametrize(
    "text",
    ["met Birchflds today", "the Market Paperr is open", "good food", "Paper", "12345 foo", ""],
)
def test_what_is_two_edits_away_ordinary_or_short_stays(text: str) -> None:
    """Nor is it proposed: of ordinary words alone a name counts with its legal form."""
    assert found(("1", text)) == ([text], [])


def test_words_with_gaps_within_say_nothing_of_the_word() -> None:
    """Small letters in others' texts make no ordinary word of it; with two gaps, or without its capital, it is no name."""
    others = [("1", "we haver stock"), ("1", "they haver stock"), ("2", "Hav erst ock"), ("2", "a birch field")]
    texts, mentions = found(("2", "saw haverstock and haver stock"), *others)
    assert texts == ["saw tarvo and tarvo", *(text for _, text in others)]
    assert all(mention.is_sure for mention in mentions)


def test_words_that_others_use_and_public_ones_are_no_misspelt_names() -> None:
    """In small letters in another's text, or as a value of a kept column; of many texts it is proposed."""
    said = "sold the haverstocks again"
    assert found(("2", said), ("1", said))[0] == [said, said]
    assert found(("2", said), public=("Haverstocks",)) == ([said], [])
    texts, mentions = found(("2", "met Haverstok"), *[("1", "met Haverstok")] * 4)
    assert texts == ["met Haverstok"] * 5
    assert {mention.is_sure for mention in mentions} == {False}


def test_a_misspelt_name_is_looked_for_where_its_words_stand_beside_each_other() -> None:
    """Of thousands of names with one word each misspelling would make thousands of forms."""
    forms = forms_of(Term(f"{first} Technology Ltd", "name", first) for first in ("Avana", "Belox", "Corin"))
    corpus = Blocks([Passage("t", "c", 0, "Avana sees Belox Technolgy and technolgy", None)])
    assert [form.words for form in misspelt(forms, corpus, known=())] == [("Belox", "Technolgy")]


def test_the_gate_finds_names_as_texts_misspell_them() -> None:
    """What was replaced in prose as a misspelt name stands nowhere else, either."""
    known = pl.DataFrame({"kind": [MISSPELT], "original": ["Birchfeld Foods"], "pseudonym": ["Molas Retail"]})
    escapes = find_escapes_in_texts({"a": "saw BIRCHFELD foods", "b": "saw Molas Retail"}, Identifiers.of_map(known))
    assert [(escape.file, escape.kind) for escape in escapes] == [("a", "alias")]


def test_the_gate_finds_names_with_a_gap_within_a_word() -> None:
    """Of several words, or with their legal form: one word may be two of the language."""
    listed = [term.surface for term in TERMS]
    names = Identifiers(names=tuple(listed[:3]), aliases=tuple(listed[3:]), codes=("Prednisone Ten",))
    texts = {"a": "saw BIRCHFI-eld foods", "b": "Haver stock Ltd", "c": "Mar tin Fernandez"}
    others = {"d": "a Haver stock", "e": "a Birch field", "f": "Predni sone Ten"}
    assert [escape.file for escape in find_escapes_in_texts(texts | others, names)] == ["a", "b", "c"]


@pytest.mark.parametrize("language", ["en_US", "de_DE"])
def test_of_misspelt_names_hardly_any_stays_unlisted(language: str) -> None:
    """One letter wrong, in names that nobody made for this finder; no word of the manual is replaced beside them."""
    outcome = in_notes(language, 100)
    for place in PLACES:
        kinds = [f"{edit}, {place}" for edit in EDITS]
        notes, left, unlisted = (sum(counts[kind] for kind in kinds) for counts in outcome[:3])
        assert notes > 100
        assert unlisted <= 0.03 * notes
        assert "another" in place or left <= 0.03 * notes
    assert outcome.replaced[ORDINARY] == 0
    assert outcome.replaced[NEAR_ALONE] <= 0.5 * outcome.notes[NEAR_ALONE]


def test_who_has_the_register_finds_hardly_anybody_with_one_mistake() -> None:
    """By means that share nothing with the finder: nobody as listed, few of the people and companies with one letter wrong."""
    read = attacked("de_DE", 20)
    kinds = [f"{kind}, {edit}" for kind in ("name", PERSON) for edit in (*EDITS, "a blank within")]
    assert read.missed["name, as it is"] == read.missed[f"{PERSON}, as it is"] == 0
    assert sum(read.written[kind] for kind in kinds) > 100
    assert sum(read.missed[kind] for kind in kinds) <= 0.03 * sum(read.written[kind] for kind in kinds)

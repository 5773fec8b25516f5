"""Nothing that was planted in comments is found in what is published of them, by a search that the finder does not know."""

from dataclasses import replace
from pathlib import Path
from pydoc_data.topics import topics

import polars as pl
import pytest

from anonymize.mentions.blocks import Blocks, Passage
from anonymize.mentions.forms import PERSON, Term
from anonymize.prose.replacing import mentions_in, read_prose, replaced_texts
from anonymize.pseudonyms import pseudonyms
from pipeline.conform import conform
from pipeline.keyed import Key
from pipeline.model import Column, Entities, Environment, Frames, RawTable, Role
from tests.independent.planted import MANY, Shop, found, shop

KEY = Key(b"q" * 32)
BUYERS = Entities(tables=("buyers",), code="buyer_id", kind="buyer", name="buyer_name", named="person")
TEXTS, FEW = 400, 0.001
"""Texts of a manual in which people are looked for, and the part of its words that may be taken for one of them."""

WORDS = ("May", "Will", "Long", "Young", "Page", "Field", "Mark", "Case", "Read", "Day", "Price")
"""Surnames that the manual has as words."""

MAKERS = Entities(tables=("makers",), code="maker_id", name="maker_name")


def declared(shop_of: Shop, folder: Path) -> tuple[Environment, Frames]:
    def codes(count: int) -> list[str]:
        return [str(1_000 + number) for number in range(count)]

    buyers = {"buyer_id": codes(len(shop_of.people)), "buyer_name": shop_of.people, "phone": shop_of.numbers}
    makers = {"maker_id": codes(len(shop_of.makers)), "maker_name": shop_of.makers}
    frames = {"buyers": buyers, "makers": makers, "comments": {"comment": shop_of.comments}}
    roles = {"buyer_id": Role.CODE, "maker_id": Role.CODE, "phone": Role.IDENTIFIER, "comment": Role.TEXT}
    tables = tuple(
        RawTable(
            name=name,
            columns=(
                Column(name="n", public="a number"),
                *(
                    Column(name=column, role=roles.get(column, Role.NAME), of="buyer" if "buyer" in column else "")
                    for column in columns
                ),
            ),
            key=("n",),
        )
        for name, columns in frames.items()
    )
    environment = Environment(name="shop", title="Shop", raw_tables=tables, entities=MAKERS, further=(BUYERS,))
    for name, columns in frames.items():
        pl.DataFrame(columns).with_row_index("n").write_csv(folder / f"{name}.csv")
    return environment, conform(environment.raw_tables, folder, kinds=environment.kinds).frames


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_planted_in_comments_is_found_again(seed: int, tmp_path: Path) -> None:
    """Surnames, numbers and brands, in three shops, ordinary words among them; in the originals it finds every one."""
    made = shop(seed)
    assert len(list(found(made, made.comments))) == 3 * MANY
    environment, frames = declared(made, tmp_path)
    prose = read_prose(environment, frames, pseudonyms(environment, frames, KEY), KEY)
    assert not list(found(made, prose.text("comments", "comment").to_list()))


def test_ordinary_words_stay_though_people_are_called_so(tmp_path: Path) -> None:
    """In a manual that is about none of the people hardly a word is taken for one of them."""
    texts = [text for topic in topics.values() for text in topic.split("\n\n") if len(text.split()) > 8][:TEXTS]
    made = replace(
        shop(1), comments=texts, people=[*shop(1).people, *(f"Ann {name}" for name in WORDS)], numbers=[""] * 131
    )
    environment, frames = declared(made, tmp_path)
    prose = read_prose(environment, frames, pseudonyms(environment, frames, KEY), KEY)
    words = pl.DataFrame({"before": frames["comments"]["comment"], "after": prose.text("comments", "comment")}).select(
        pl.all().str.extract_all(r"\pL+")
    )
    changed = words.filter(pl.col("before") != pl.col("after")).height
    assert changed <= FEW * words["before"].list.len().sum()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("May complained; ask Young, please.", "Kessler complained; ask Vasil, please."),
        ("May's parcel is late. May I call?", "Kessler's parcel is late. May I call?"),
        ("re:May/urgent, signed,\nYoung", "re:Kessler/urgent, signed,\nVasil"),
        (
            "It came in May, or on 3 May; May 2021. Young people like it.",
            "It came in May, or on 3 May; May 2021. Young people like it.",
        ),
    ],
)
def test_a_surname_that_is_a_word_is_known_by_where_it_stands(text: str, expected: str) -> None:
    """By its capital within a sentence or by what people alone do; a month is none."""
    people = [
        Term("Ann May", PERSON, "buyer\x1f1", "Ida Kessler"),
        Term("Tom Young", PERSON, "buyer\x1f2", "Otto Vasil"),
    ]
    passages = Blocks([Passage("t", "c", 0, text, None)])
    ((block, mentions),) = mentions_in(passages, people, codes=(), key=KEY, alias_pseudonyms=lambda *_: ())
    assert replaced_texts(block.texts, mentions) == [expected]

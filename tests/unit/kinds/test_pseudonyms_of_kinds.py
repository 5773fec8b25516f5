"""Pseudonyms of several kinds of entities: each under a key of its own, none a code or name of any, all in one map."""

import re
from dataclasses import replace

import polars as pl
import pytest

from anonymize.mentions.forms import PERSON
from anonymize.pseudonyms import Pseudonyms, direct_identifiers, pseudonyms
from anonymize.tables import original_figures
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import AliasSource, CodesLike, Environment, Role
from tests.anonymised import anonymise_tables
from tests.unit.kinds.harbours import HARBOURS, PEOPLE, SHIPS, conformed, with_entities

KEY = Key(b"k" * 32)


def made(environment: Environment = HARBOURS, *, key: Key = KEY, ships: int = 6) -> Pseudonyms:
    return pseudonyms(environment, conformed(environment, ships), key)


def test_one_text_of_two_kinds_has_two_pseudonyms() -> None:
    """`S00` is a harbour and a ship, and ships of another name of the kind have other codes."""
    map_ = made()
    assert map_.codes["S00"] != map_.of("ship").codes["S00"]
    boats = replace(SHIPS, kind="boat", code_shape="six digits")
    as_six_digits = with_entities(replace(SHIPS, code_shape="six digits"))
    renamed = tuple(
        replace(table, columns=tuple(replace(c, of="boat") if c.of == "ship" else c for c in table.columns))
        for table in HARBOURS.raw_tables
    )
    of_boats = made(replace(HARBOURS, raw_tables=renamed, further=(boats, PEOPLE))).of("boat").codes
    of_ships = made(as_six_digits).of("ship").codes
    assert of_boats.keys() == of_ships.keys()
    assert not set(of_boats.values()) & set(of_ships.values())


def test_only_persons_are_searched_for_as_persons() -> None:
    """Names and aliases of companies and ships are no names of persons."""
    map_ = made()
    kinds = {
        of: {term.kind for term in map_.of(of).terms_of_kind() if term.kind != "code"} for of in ("ship", "person")
    }
    assert PERSON not in kinds["ship"] | {term.kind for term in map_.terms_of_kind()}
    assert kinds["person"] == {PERSON}


def test_further_kinds_leave_the_main_one_as_it_is() -> None:
    """Whoever adds a kind has the same pseudonyms of the first."""
    tables = tuple(table for table in HARBOURS.raw_tables if table.name in {"harbours", "former"})
    alone = replace(HARBOURS, raw_tables=tables, further=())
    assert made(alone).codes == made().codes
    assert made(alone).legal == made().legal


def test_no_pseudonym_is_a_code_of_any_kind() -> None:
    """Ships that have codes like harbours get none that a harbour has."""
    crowded = with_entities(replace(SHIPS, code_shape=CodesLike("S00")))
    tables = conformed(crowded) | {
        "harbours": pl.DataFrame(
            {"harbour": [f"B{n:02}" for n in range(100)], "name": [None] * 100, "trade": [None] * 100},
            schema=dict.fromkeys(("harbour", "name", "trade"), pl.String),
        )
    }
    tables["former"] = tables["former"].clear()
    tables["ships"] = tables["ships"].clear()
    tables["visits"] = pl.DataFrame({"ship": [f"X{n:03}" for n in range(1_500)]}).with_columns(
        visit=pl.int_range(1_500), pilot=pl.lit("1"), weather=pl.lit(""), text=pl.lit("")
    )
    codes = pseudonyms(crowded, tables, KEY).of("ship").codes
    assert len(set(codes.values())) == 1_500
    assert not {code for code in codes.values() if code.startswith("B")}


def test_more_entities_than_codes_of_the_shape_are_refused() -> None:
    narrow = with_entities(replace(SHIPS, code_shape=CodesLike("7")))
    with pytest.raises(
        InputError, match=r"12 codes want a pseudonym, and of 0 free codes of the shape of '7' at most 90%"
    ):
        made(narrow, ships=12)


def test_the_map_lists_each_kind_under_its_own_name() -> None:
    frame = made().frame()
    counted = dict(frame.group_by("kind").len().iter_rows())
    assert counted == {
        "code": 3,
        "name": 2,
        "name of code": 3,
        "alias": 1,
        "ship code": 6,
        "person code": 3,
        "person name of code": 3,
        "person name": 3,
        "person alias": 1,
    }
    assert frame.null_count().sum_horizontal().item() == 0


def test_people_are_named_as_people_of_their_language() -> None:
    """Three Chinese characters, pinyin for the English alias; nobody has the name of an original."""
    people = made().of("person")
    assert all(re.fullmatch(r"[\u4e00-\u9fff]{3}", name) for name in people.legal.values())
    assert re.fullmatch(r"[A-Z][a-z]+ [A-Z][a-z]+", people.aliases["Li Chenglin"])
    assert not set(people.legal.values()) & set(people.legal)


def test_a_person_has_no_products() -> None:
    sources = (AliasSource(table="people", alias="english", code="person", only_kind="product"),)
    with pytest.raises(InputError, match="unknown kind of alias of a person 'product'; known: english, former, short"):
        made(with_entities(replace(PEOPLE, aliases=sources)))


def test_former_names_are_names_of_their_own() -> None:
    """None shares the brand of a present name, of its own firm or another, with a hundred of them; the key decides."""
    tables = conformed()
    called = [f"Fish Stairs {number} Inc." for number in range(100)]
    tables["former"] = pl.DataFrame({"harbour": ["H100"] * 60 + ["H200"] * 40, "called": called})
    map_ = pseudonyms(HARBOURS, tables, KEY)
    brands = {name.split()[0] for name in map_.legal.values()}
    former = {name.split()[0] for name in map_.aliases.values()}
    assert len(former) == 100
    assert not brands & former
    assert set(map_.former) == set(called)
    assert pseudonyms(HARBOURS, tables, Key(b"o" * 32)).aliases != map_.aliases


def test_prose_speaks_of_every_kind() -> None:
    """Names without their legal form, former ones and people: each by its own pseudonym, in one pass."""
    tables, map_ = conformed(), made()
    figures = original_figures(HARBOURS, tables)
    visits = anonymise_tables(HARBOURS, tables, map_, KEY, figures=figures)["visits"]
    people = map_.of("person")
    text = visits["text"][0]
    assert text.startswith(f"{people.legal['李成林']}（{people.aliases['Li Chenglin']}）在 {map_.codes['H100']}，即 ")
    assert text.endswith(f"{people.legal['王小明']}同行。")
    brand = map_.legal["Port of Brill Ltd"].split()[0]
    assert brand in text
    assert map_.aliases["Fish Stairs Inc."].split()[0] in text
    assert "Brill" not in text
    assert "Fish" not in text
    assert visits["ship"].to_list() == [map_.of("ship").codes[f"S{number:02}"] for number in range(6)]
    assert visits["pilot"][0] == people.codes["1"]


def test_codes_that_are_short_or_digits_are_words_of_nobody() -> None:
    """In prose `S00` and `1` may be anything; with a pattern they are what it says."""
    tables = conformed()
    tables["visits"] = tables["visits"].with_columns(text=pl.lit("1 of S00 by H100"))
    figures = original_figures(HARBOURS, tables)
    texts = anonymise_tables(HARBOURS, tables, made(), KEY, figures=figures)["visits"]["text"]
    assert texts[0] == f"1 of S00 by {made().codes['H100']}"
    patterned = with_entities(replace(SHIPS, code_mention=r"\b(S\d\d)\b"))
    texts = anonymise_tables(patterned, tables, made(patterned), KEY, figures=figures)["visits"]["text"]
    assert texts[0] == f"1 of {made(patterned).of('ship').codes['S00']} by {made().codes['H100']}"


def test_no_invented_name_is_one_of_the_originals() -> None:
    """A firm, and a person, who is called like somebody's invented name makes that somebody have another."""
    tables, before = conformed(), made()
    taken, taken_of_people = before.legal["Old Quay Company"], before.of("person").legal["王小明"]
    assert "Port of Brill Ltd" in tables["harbours"]["name"]
    tables["harbours"] = tables["harbours"].with_columns(pl.col("name").replace("Port of Brill Ltd", taken))
    tables["people"] = tables["people"].with_columns(pl.col("name").replace("Ada Quill", taken_of_people))
    after = pseudonyms(HARBOURS, tables, KEY)
    assert taken not in after.legal.values()
    assert taken_of_people not in after.of("person").legal.values()


def test_identifiers_are_the_columns_that_are_declared_so() -> None:
    """Each value once, and no code."""
    visits = HARBOURS.raw_table("visits")
    columns = tuple(
        replace(column, role=Role.IDENTIFIER) if column.name == "weather" else column for column in visits.columns
    )
    tables = tuple(replace(visits, columns=columns) if table is visits else table for table in HARBOURS.raw_tables)
    found = direct_identifiers(replace(HARBOURS, raw_tables=tables), conformed())
    assert found.rows() == [("identifier", "calm"), ("identifier", "gale")]
    assert direct_identifiers(HARBOURS, conformed()).is_empty()

"""Searching prose finds the owner where sentences were kept, and nobody but by chance where they were written anew."""

from functools import cache

import polars as pl
import pytest

from pipeline.keyed import Key
from pipeline.model import PublishedTable, lazy
from raw.corpus.grammar import Subject, narrative
from validation.attacks import Attack
from validation.attacks.identifiers.clauses import (
    CLAUSE,
    CLAUSES,
    GROUP,
    NUMBERS,
    OWNER,
    TEXT,
    prose_attacks,
    published_texts,
)
from validation.attacks.limits import ALPHA

KEY = Key(b"k" * 32)
FIRMS = 400
INDUSTRIES = ("医药制造业", "农林牧渔业")
CITIES = ("深圳市", "成都市", "南通市", "西安市", "青岛市")


ORIGINAL, INVENTED = ("甲乙丙丁戊己庚辛壬癸", 1), ("子丑寅卯辰巳午未申酉", 7)
"""What the digits of a firm's number are in its brand, and the step by which its code and city go with the number."""


def a_subject(number: int, digits: str, step: int) -> Subject:
    """Return a firm; only its industry follows from its number on both sides."""
    brand = "".join(digits[int(digit)] for digit in f"{number:03d}")
    return Subject(
        code=f"{100_000 * step + step * number}",
        legal=f"{brand}股份有限公司",
        short=brand,
        english=f"{brand} Co., Ltd.",
        city=CITIES[number // 2 * step // 4 % len(CITIES)],
        industry=INDUSTRIES[number % 2],
        subsidiaries=[f"{brand}销售有限公司", f"{brand}物流有限公司"],
        products=[f"{brand}缓释片", f"{brand}颗粒"],
    )


def texts(key: Key, digits: str, step: int) -> pl.DataFrame:
    """Return a text about each firm."""
    about = [a_subject(number, digits, step) for number in range(FIRMS)]
    rows = [(f"{i}", who.industry, narrative(who, key.stream(f"{i}"))) for i, who in enumerate(about)]
    return pl.DataFrame(rows, schema=[OWNER, GROUP, TEXT], orient="row")


@cache
def originals() -> pl.DataFrame:
    return texts(KEY, *ORIGINAL)


@cache
def renamed() -> pl.DataFrame:
    """Return the originals under other names and codes: what replacing identities leaves."""
    pairs = dict(zip(*(digits for digits, _ in (ORIGINAL, INVENTED)), strict=True))
    return originals().select(OWNER, pl.col(TEXT).str.replace_many(pairs).str.replace_all(r"\d{6}", "700000"))


@cache
def written() -> pl.DataFrame:
    """Return other texts about firms of the same industries, in cities that say nothing of the originals'."""
    return texts(KEY.derive("another"), *INVENTED).drop(GROUP)


def found(published: pl.DataFrame) -> dict[str, Attack]:
    return {attack.attack: attack for attack in prose_attacks(originals(), published)}


@pytest.mark.parametrize("attack", [CLAUSE, CLAUSES, NUMBERS])
def test_texts_under_other_names_are_found(attack: str) -> None:
    """A search for one clause, for all of them or for the numbers finds more than nine in ten."""
    of_attack = found(renamed())[attack]
    assert of_attack.records == FIRMS
    assert of_attack.rate > 0.9


@pytest.mark.parametrize("attack", [CLAUSE, CLAUSES, NUMBERS])
def test_texts_written_anew_are_not_found(attack: str) -> None:
    """Texts of the same grammar about other firms of the industry lead to their owner no more often than guessing does."""
    of_attack = found(written())[attack]
    assert of_attack.chance == pytest.approx(2 / FIRMS)
    assert not of_attack.beats_chance(ALPHA)


def test_the_order_of_rows_is_of_no_consequence() -> None:
    """Originals and published texts in any order give the same counts, ties included."""
    shuffled = [frame.sample(fraction=1, shuffle=True, seed=1) for frame in (originals(), written())]
    assert prose_attacks(*shuffled) == prose_attacks(originals(), written())


def test_one_search_says_how_many_texts_it_can_be_made_for() -> None:
    """The clause that one original has alone is what gives a text away; the detail counts the texts that have one."""
    known = pl.DataFrame(
        {
            OWNER: ["a", "b", "c"],
            GROUP: [None] * 3,
            TEXT: [
                "We run the only salt works of the north, and a mill.",
                "We run a mill, and nothing else.",
                "A mill.",
            ],
        }
    )
    told = pl.DataFrame(
        {OWNER: ["a", "b", "c"], TEXT: ["We RUN THE only salt works of the north", known[TEXT][0], None]}
    )
    (clause, *_) = prose_attacks(known, told)
    assert (clause.records, clause.successes, clause.chance) == (2, 0, pytest.approx(1 / 3))
    assert clause.detail.startswith("1 texts have a clause")


def test_a_decimal_figure_gives_a_text_away() -> None:
    """Two texts without a common word are joined by a number that no other has."""
    known = pl.DataFrame({OWNER: ["a", "b"], GROUP: ["x", "x"], TEXT: ["sales 12.75 of 3", "sales 12.76 of 3"]})
    told = pl.DataFrame({OWNER: ["b", "a"], TEXT: ["12.76 was sold", "12.75 was sold"]})
    assert [attack.successes for attack in prose_attacks(known, told)] == [0, 0, 2]


def test_who_has_no_original_text_cannot_be_found() -> None:
    """Texts of companies without one are left out, and so are those of a group of one; nothing is left without records."""
    known = pl.DataFrame({OWNER: ["a", "b", "c"], GROUP: ["x", "x", "y"], TEXT: ["one 1", "two 2", "three 3"]})
    told = pl.DataFrame({OWNER: ["a", "c", "d"], TEXT: ["one 1", "three 3", "two 2"]})
    assert {attack.records for attack in prose_attacks(known, told)} == {1}
    nothing, alone = prose_attacks(known, told.clear()), prose_attacks(known.head(1), told)
    assert {(a.records, a.successes, a.chance) for a in [*nothing, *alone]} == {(0, 0, 0.0)}
    assert {a.detail for a in nothing} == {"No texts about companies of 50 characters in the median are published."}
    assert {a.detail.partition(" that has")[0] for a in alone} == {"No published text is about a company"}


def test_prose_is_found_in_whichever_column_it_stands() -> None:
    """A column of long cells in a table with codes is prose; names, codes alone, other folders and aggregates are not."""

    def table(path: str, folder: str = "database") -> PublishedTable:
        return PublishedTable(
            path=path,
            columns=(),
            needs=(),
            folder="database" if folder == "database" else "ideal",
            render=lambda truth: truth.tables["none"],
        )

    rows = pl.DataFrame({"id": ["1", "2"], "firm": ["100", "200"], "name": ["A", "B"], "told": ["long " * 20, None]})
    tables = (table("a.csv"), table("b.csv"), table("codes.csv"), table("a.csv", "ideal"), table("absent.csv"))
    published = {"a": rows, "b": rows.drop("firm"), "codes": rows.select("firm"), "ideal_a": rows}
    texts_found = published_texts(tables, lazy(published), pl.Series(["100", "200", "300"]))
    assert texts_found.rows() == [("100", "long " * 20), ("200", None)]

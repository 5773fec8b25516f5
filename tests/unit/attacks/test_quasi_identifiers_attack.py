"""The quasi-identifier attack names companies whose fields are kept, and those that are drawn anew by chance alone."""

from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.synthesis.account import BudgetAccount
from anonymize.synthesis.entities.attributes import sample_attributes
from anonymize.synthesis.entities.categories import MOST_OF_CATEGORIES, Allowance
from pipeline.conform import conform
from pipeline.keyed import Key
from pipeline.model import QuasiIdentifier, QuasiIdentifiers
from pipeline.wording import percent
from silt.environments.us_listed import CODE, SECTOR, US_LISTED
from validation.attacks import Attack
from validation.attacks.records.quasi_identifiers import quasi_identifier_attack

KEY = Key(b"k" * 32)
COLUMNS = ("industry", "province", "listed")
DECLARED = QuasiIdentifiers(
    kept=("industry",), dealt=(QuasiIdentifier(column="province"), QuasiIdentifier(column="listed"))
)

Firm = tuple[str | None, str | None, date | None]
firms = st.tuples(
    st.sampled_from(["a", "b"]),
    st.sampled_from(["p", "q", None]),
    st.one_of(st.none(), st.dates(date(2019, 12, 1), date(2020, 1, 31))),
)


def framed(rows: list[Firm]) -> pl.DataFrame:
    schema = {"industry": pl.String, "province": pl.String, "listed": pl.Date}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(code=pl.int_range(pl.len()).cast(pl.String))


def looked_up(originals: list[Firm], published: list[Firm]) -> Attack:
    return quasi_identifier_attack(framed(originals), framed(published), COLUMNS)


def agrees(original: Firm, published: Firm) -> bool:
    """Compare one firm with one record, of dates the year."""
    told = [value.year if isinstance(value, date) else value for value in published]
    known = [value.year if isinstance(value, date) else value for value in original]
    return all(value is None or value == other for value, other in zip(told, known, strict=True))


def test_a_company_that_is_alone_is_named() -> None:
    """Of three firms the one with a province of its own is found; of two that read the same, neither."""
    register: list[Firm] = [("a", "p", None), ("a", "q", None), ("a", "q", None)]
    found = looked_up(register, register)
    assert (found.records, found.successes) == (3, 1)
    assert "guess among the companies that agree is right for 66.7% of the records; between 1 and 2" in found.detail
    assert found.knowledge.startswith("a register with industry, ")
    assert found.chance == pytest.approx(1 / 3)


def test_the_redrawn_day_is_not_held_against_a_company() -> None:
    """A date of the same year agrees, so it tells two firms apart only if their years differ."""
    register: list[Firm] = [("a", "p", date(2019, 5, 1)), ("a", "p", date(2020, 5, 1)), ("a", "p", date(2020, 6, 1))]
    published: list[Firm] = [("a", "p", date(2019, 9, 9)), ("a", "p", date(2020, 9, 9)), ("a", "p", date(2020, 6, 1))]
    assert looked_up(register, published).successes == 1


def test_whoever_carries_another_s_place_is_not_named() -> None:
    """A record that agrees with one company alone, but not its own, is no success."""
    register: list[Firm] = [("a", "p", None), ("a", "q", None)]
    found = looked_up(register, register[::-1])
    assert (found.records, found.successes) == (2, 0)
    assert "right for 0% of the records" in found.detail


def test_a_record_that_tells_nothing_agrees_with_all() -> None:
    """A blank record leaves the whole register to choose from."""
    found = looked_up([("a", "p", None), ("b", "q", None)], [(None, None, None)] * 2)
    assert found.successes == 0
    assert "2 agree with a record" in found.detail


def test_no_record_is_no_attack() -> None:
    """An empty table gives a count of nothing."""
    found = looked_up([], [])
    assert (found.records, found.successes, found.chance, found.detail) == (0, 0, 0.0, "")


@given(st.lists(firms, min_size=1, max_size=30), st.data())
def test_it_counts_what_comparing_each_with_each_counts(originals: list[Firm], data: st.DataObject) -> None:
    """Successes and expected successes are those of a loop over all pairs, whatever was blanked or changed."""
    published = [
        (data.draw(st.sampled_from([firm[0], None])), data.draw(st.sampled_from([firm[1], "q", None])), firm[2])
        for firm in originals
    ]
    candidates = [[agrees(other, record) for other in originals] for record in published]
    right = [row[place] for place, row in enumerate(candidates)]
    found = looked_up(originals, published)
    assert found.successes == sum(own and sum(row) == 1 for own, row in zip(right, candidates, strict=True))
    expected = sum(1 / sum(row) for own, row in zip(right, candidates, strict=True) if own) / len(originals)
    assert f"right for {percent(expected)} of" in found.detail


def drawn_anew(
    register: pl.DataFrame, declared: QuasiIdentifiers, *, industry: str, entity: str, seed: int
) -> pl.DataFrame:
    """Return the register with every attribute drawn from noised counts."""
    key = KEY.derive(str(seed))
    return sample_attributes(
        register,
        declared,
        targets=register.select(entity, industry),
        called="register",
        allowance=Allowance(
            account=BudgetAccount(budget=1.0, key=key.derive("noise")), rho=MOST_OF_CATEGORIES, cells=register.height
        ),
        key=key,
    )


def test_attributes_drawn_anew_name_no_more_than_chance() -> None:
    """Of an industry of 600 firms, six provinces and three years, drawing names hardly anybody in fifty releases."""
    rows: list[Firm] = [("a", f"p{i % 6}", date(2019 + i % 7 % 3, 1, 1)) for i in range(600)]
    rows[:2] = [("a", "p0", date(2022, 1, 1)), ("a", "p1", date(2022, 1, 1))]
    register = framed(rows)
    found = [
        quasi_identifier_attack(
            register, drawn_anew(register, DECLARED, industry="industry", entity="code", seed=seed), COLUMNS
        )
        for seed in range(50)
    ]
    assert quasi_identifier_attack(register, register, COLUMNS).successes == 2
    assert sum(attack.successes for attack in found) <= 0.01 * sum(attack.records for attack in found)


def test_listed_companies_are_named_if_kept_and_hidden_if_drawn_anew(listed_tables: Path) -> None:
    """Of 505 companies four in five are named by sub-industry, place and year as they stand, one in fifty if drawn anew."""
    register = conform(US_LISTED.raw_tables, listed_tables).frames["securities"]
    declared = US_LISTED.quasi_identifiers
    assert declared is not None
    published = drawn_anew(register, declared, industry=SECTOR, entity=CODE, seed=0)
    assert quasi_identifier_attack(register, register, declared.columns).rate > 0.8
    assert quasi_identifier_attack(register, published, declared.columns).rate < 0.02

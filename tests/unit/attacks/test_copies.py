"""Copies of columns are found cell by cell and as sets, in any unit; what chance gives is not one."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.policy import LSD
from pipeline.keyed import Key
from pipeline.model import lazy
from tests.leaks.bakers import BAKERS, raw_tables
from validation.attacks import Attack
from validation.attacks.records.copies import _forms, _neighboured, copy_attacks

CODES = pl.DataFrame({"code": raw_tables()["shops"]["shop"]}).with_columns(
    pseudonym=pl.format("X{}", pl.int_range(pl.len())), group=pl.lit("all")
)


def attacked(first: int | None = None, **columns: pl.Expr | str) -> list[Attack]:
    """Publish columns made of all raw shops, or of the first, under pseudonyms."""
    raw = raw_tables()["shops"].head(first if first is not None else len(CODES))
    shops = raw.select(pl.col("shop").replace_strict(CODES["code"], CODES["pseudonym"]), **columns)
    return copy_attacks(BAKERS, lazy(raw_tables()), {"told": shops.lazy()}, CODES, policy=LSD, key=Key(b"k" * 32))


@pytest.mark.parametrize("scale", ["", "000", "00000000"])
def test_a_number_is_found_in_any_unit(scale: str) -> None:
    """A copied number with another unit, thousands separators or sign of plus is the same number."""
    by_cell, by_value = attacked(copy=pl.format("+{}{}", "loaded", pl.lit(scale)))
    assert (by_cell.successes, by_value.successes) == (1, 1)
    assert "told.copy has 150 of 150 in common with the raw shops.loaded" in by_cell.detail


def test_cells_of_others_are_values_but_no_cells() -> None:
    """A column dealt out to others has every value and no more cells than chance."""
    by_cell, by_value = attacked(copy=pl.col("licence").reverse())
    assert (by_cell.successes, by_value.successes) == (0, 1)


def test_a_copy_of_a_few_rows_is_a_copy() -> None:
    """Of a table with a few of the shops, every cell stands in the originals."""
    by_cell, by_value = attacked(20, copy="licence")
    assert (by_cell.successes, by_value.successes) == (1, 1)


def test_what_is_kept_is_expected() -> None:
    """Attributes of entities are kept under `lsd`: that they are equal is by design."""
    assert [attack.successes for attack in attacked(place=pl.col("town"), craft=pl.col("trade"))] == [0, 0]


def test_a_running_number_is_no_copy() -> None:
    """Numbers that stand as near to originals as their neighbours do are equal by chance."""
    thousands = pl.DataFrame({"id": [str(number) for number in range(1, 20_001)]})
    dense = raw_tables() | {
        "shops": raw_tables()["shops"].with_columns(loaded=(pl.int_range(pl.len()) * 37 + 5_000).cast(pl.String))
    }
    attacks = copy_attacks(BAKERS, lazy(dense), {"told": thousands.lazy()}, CODES, policy=LSD, key=Key(b"k" * 32))
    assert [attack.successes for attack in attacks] == [0, 0]
    assert attacks[1].records > 0


def test_without_published_rows_there_is_nothing_to_try() -> None:
    """No column was compared, and both attacks say so by having no records."""
    attacks = copy_attacks(BAKERS, lazy(raw_tables()), {}, CODES, policy=LSD, key=Key(b"k" * 32))
    assert [attack.records for attack in attacks] == [0, 0]


@given(digits=st.integers(1, 10**12), places=st.integers(0, 6), zeros=st.integers(0, 4), minus=st.booleans())
def test_the_form_of_a_number_is_its_sign_and_digits(digits: int, places: int, zeros: int, minus: bool) -> None:  # noqa: FBT001
    """Where the point stands and how many zeros are written makes no difference; sign and digits do."""
    sign, whole = "-" if minus else "", str(digits).zfill(places + 1)
    pointed = f"{sign}{whole[: len(whole) - places]}.{whole[len(whole) - places :]}{'0' * zeros}"
    cells = pl.DataFrame(
        {"text": [f"{sign}{digits}", pointed, f"{sign}{digits + 1}", f"{'' if minus else '-'}{digits}"]}
    )
    forms = _forms(cells)["form"].to_list()
    assert forms[0] == forms[1]
    assert (str(digits + 1).strip("0") != str(digits).strip("0")) == (forms[2] != forms[0])
    assert forms[3] != forms[0]


def test_neighbours_differ_in_the_last_digit_and_are_numbers_of_as_many() -> None:
    """1239 goes up to 1231 and 1231 down to 1239: what lies beside a number never ends in 0."""
    numbers = _neighboured(_forms(pl.DataFrame({"text": ["1239", "1231", "12.35", "05/03/2001"]})))
    beside = _forms(
        pl.DataFrame({"text": ["1231", "1238", "1232", "1239", "1236", "1234", "2001-03-12", "2001-02-26"]})
    )
    assert [form for pair in zip(numbers["up"], numbers["down"], strict=True) for form in pair] == beside[
        "form"
    ].to_list()

"""What cells mean, against `decimal`, `float` and `datetime` of the standard library."""

import re
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.conform.cells import faults, treatments, understand
from pipeline.model import Column, Numerals

digits = st.text(alphabet="0123456789", max_size=22)
number_like = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "+", "-"]),
        digits,
        st.sampled_from(["", "."]),
        digits,
        st.sampled_from(["", "", "e", "E+", "e-"]),
        st.text(alphabet="0123456789", max_size=2),
    ),
)
anything = st.text(alphabet="019.,eE+- _x％１", max_size=8)


def values(column: Column, *texts: str | None) -> list[object]:
    return understand(column, pl.Series("x", texts, dtype=pl.String)).values.to_list()


def expectations(column: Column, *texts: str | None) -> list[tuple[int, str]]:
    cells = understand(column, pl.Series("x", texts, dtype=pl.String))
    return [(row, fault.expected) for fault in faults(cells) for row in fault.is_found.arg_true()]


def quanta(text: str, decimals: int) -> int | None:
    """Parse slowly: exact rational arithmetic on what `decimal` reads, and the bounds of a signed 64-bit integer."""
    try:
        number = Decimal(text) if text.isascii() and "_" not in text and text == text.strip() else Decimal("nan")
    except InvalidOperation:
        return None
    if not number.is_finite():
        return None
    numerator, denominator = number.as_integer_ratio()
    count, rest = divmod(numerator * 10**decimals, denominator)
    return count if rest == 0 and -(2**63) <= count < 2**63 else None


def test_where_no_decimals_are_declared_a_whole_number_is_expected() -> None:
    """Nobody has to read "at most 0 after the point"."""
    whole, other = (Column(name="x", type="decimal", decimals=decimals) for decimals in (0, 1))
    assert expectations(whole, "1.5")[0][1].startswith(
        "a whole number: digits without spaces or separators, and not larger"
    )
    assert expectations(other, "1.55")[0][1].startswith(
        "a number: digits without spaces or separators, at most 1 after the"
    )


@given(number_like | anything, st.sampled_from([0, 1, 2, 6, 9, 18, 22]))
@example("10000000000000000", 22)
@example("9223372036854775807", 0)
@example("-9223372036854775808", 0)
@example("9223372036854775808", 0)
@example("2.28062E+11", 0)
@example("1e-7", 6)
@example("1e-7", 7)
@example("0e99", 2)
@example("1.5000000000000000000000000000000000000000000000", 1)
def test_decimals_are_counted_exactly(text: str, decimals: int) -> None:
    """A decimal becomes the count of quanta that exact arithmetic gives, or null where it gives none."""
    assert values(Column(name="x", type="decimal", decimals=decimals), text) == [quanta(text, decimals)]


@given(st.lists(number_like | anything, min_size=2, max_size=20))
def test_a_number_means_the_same_in_any_company(texts: list[str]) -> None:
    """A column of numbers in mixed notation is what its cells are one by one, in place."""
    column = Column(name="x", type="decimal", decimals=2)
    assert values(column, *texts) == [value for text in texts for value in values(column, text)]


@given(number_like | anything)
def test_every_text_that_is_not_a_number_is_a_fault(text: str) -> None:
    """A cell is null or at fault, never both and never silently neither."""
    column = Column(name="x", type="decimal", decimals=3)
    assert bool(expectations(column, text)) == (quanta(text, 3) is None)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_read_as_written(number: float) -> None:
    """The shortest text of a float gives that float."""
    assert values(Column(name="x", type="float"), repr(number)) == [number]


@pytest.mark.parametrize("text", ["nan", "inf", "-Infinity", "1e999", "1_0", " 1", "", "1,5", "0x1"])
@pytest.mark.parametrize("type_", ["integer", "decimal", "float"])
def test_what_is_not_a_finite_number_is_refused(text: str, type_: str) -> None:
    """No numeric type takes these."""
    column = Column(name="x", type=type_, decimals=2)  # type: ignore[arg-type]
    assert values(column, text) == [None]
    assert [row for row, _ in expectations(column, text)] == [0]


def test_integers_may_have_an_empty_fraction() -> None:
    """A spreadsheet's `344.0` is a whole number, `344.5` is not."""
    assert values(Column(name="x", type="integer"), "344", "344.0", "344.5", None) == [344, 344, None, None]


@given(
    st.dates(min_value=date(1000, 1, 1)),
    st.sampled_from(["%d/%m/%Y", "%m/%d/%Y", "%Y-%m-%d", "%d %b %Y", "%Y年%m月%d日"]),
)
def test_dates_are_read_with_and_without_padding(day: date, date_format: str) -> None:
    """A date written in the declared format is read back, zero-padded or not."""
    padded = day.strftime(date_format)
    bare = re.sub(r"(?<!\d)0(?=\d)", "", padded)
    assert values(Column(name="x", type="date", date_format=date_format), padded, bare) == [day, day]


@given(st.text(alphabet="0123/ ", max_size=10))
def test_dates_are_those_of_the_calendar(text: str) -> None:
    """What `datetime` refuses is refused, and so are years of fewer than four digits."""
    try:
        expected = datetime.strptime(text, "%d/%m/%Y").date()  # noqa: DTZ007 - a date has no zone
    except ValueError:
        expected = None
    assert values(Column(name="x", type="date"), text) == [expected]


@pytest.mark.parametrize("text", ["1/1/15", "1/1/2015 11:59:09", " 1/1/2015", "+1/1/2015", "31/2/2015", "2015-01-01"])
def test_a_date_in_another_format_is_a_fault(text: str) -> None:
    """Nothing but the declared format is a date."""
    assert expectations(Column(name="x", type="date"), text) == [(0, "a date of the calendar written as %d/%m/%Y")]


def test_null_tokens_are_null_and_counted() -> None:
    """Each declared token is null, no other text is, and each is counted apart."""
    column = Column(name="x", type="decimal", null_tokens=("#N/A", "-"))
    cells = understand(column, pl.Series(["#N/A", "1", "-", None, "#N/A"]))
    assert cells.values.to_list() == [None, 1, None, None, None]
    assert list(treatments(cells))[:2] == [("null token '#N/A'", "null", 2), ("null token '-'", "null", 1)]


def test_scientific_notation_is_counted() -> None:
    """Figures that a spreadsheet rounded are read, and counted; text with an `e` is not."""
    cells = understand(Column(name="x", type="decimal"), pl.Series(["2.07E+11", "1e3", "1000", "one"]))
    assert cells.values.to_list() == [207_000_000_000, 1000, 1000, None]
    assert list(treatments(cells)) == [("scientific notation", "read", 2)]


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        (Column(name="x", type="integer", minimum=2000, maximum=2030), ("1999", "2000", "2030", "2031", None)),
        (
            Column(name="x", type="date", minimum=2000, maximum=2030),
            ("31/12/1999", "1/1/2000", "31/12/2030", "1/1/2031"),
        ),
    ],
)
def test_bounds_are_inclusive(column: Column, texts: tuple[str | None, ...]) -> None:
    """A number, or the year of a date, on the bound is inside; empty cells are not outside."""
    assert [row for row, _ in expectations(column, *texts)] == [0, 3]


def test_out_of_range_can_be_declared_null() -> None:
    """A year of 1215 becomes null and is counted; text that is no number stays a fault."""
    column = Column(name="x", type="integer", minimum=2000, treat={"out of range": "null"})
    cells = understand(column, pl.Series(["1215", "2012", "x"]))
    assert cells.values.to_list() == [None, 2012, None]
    assert ("out of range", "null", 1) in list(treatments(cells))
    assert [row for row, _ in expectations(column, "1215", "2012", "x")] == [2]


def test_a_null_made_where_none_may_be_is_a_fault() -> None:
    """Treating a value as null does not make an obligatory column optional."""
    column = Column(
        name="x", type="integer", minimum=2000, treat={"out of range": "null"}, nullable=False, null_tokens=("-",)
    )
    assert [row for row, _ in expectations(column, "1215", "-", None, "2001")] == [0, 1, 2]


def test_values_outside_the_closed_set_are_faults() -> None:
    """Only allowed values and empty cells stand; an integer may be written with an empty fraction."""
    assert expectations(Column(name="x", allowed=("A", "B")), "A", "C", None) == [(1, "one of A, B")]
    assert expectations(Column(name="x", type="integer", allowed=("0", "1")), "0", "1.0", "2") == [(2, "one of 0, 1")]


@pytest.mark.parametrize("character", [chr(code) for code in range(32)])
def test_text_holds_no_control_characters(character: str) -> None:
    """Tab and line ends are text; every other control character is a fault, the separator of identities above all."""
    assert bool(expectations(Column(name="x"), f"a{character}b")) == (character not in "\t\n\r")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_text_is_kept_as_it_is(text: str) -> None:
    """No blank is stripped, no character is normalised."""
    assert values(Column(name="x"), text) == [text]


GERMAN = Numerals(mark=",", grouping=".", around=("€", "EUR"))


@given(st.decimals(-(10**12), 10**12, places=2), st.sampled_from(["", " €", "€", " EUR"]), st.booleans())
def test_numbers_are_read_in_declared_numerals(number: Decimal, sign: str, is_grouped: bool) -> None:  # noqa: FBT001
    """Decimal commas, groups of three and signs beside a number: read to the last digit."""
    plain = f"{number:,.2f}" if is_grouped else f"{number:.2f}"
    text = plain.translate(str.maketrans(",.", ".,")) + sign
    column = Column(name="sales", type="decimal", decimals=2, numerals=GERMAN)
    assert understand(column, pl.Series([text])).values.to_list() == [int(number * 100)]


@pytest.mark.parametrize("text", ["1234.5", "1.23,4", "1,234.5", "12 €€", "$5", "1.2345", "€"])
def test_what_is_not_in_declared_numerals_is_not_read(text: str) -> None:
    """A number in other numerals might be a thousand times as much: it is named, never guessed."""
    cells = understand(Column(name="sales", type="decimal", decimals=2, numerals=GERMAN), pl.Series([text]))
    assert cells.values.to_list() == [None]
    (fault,) = faults(cells)
    assert "decimals after ','" in fault.expected

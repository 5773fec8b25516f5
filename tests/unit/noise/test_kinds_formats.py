"""What the kinds that write figures in another way do, against Python's decimals."""

from decimal import ROUND_HALF_UP, Context, Decimal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.noise.kinds.formats import DecimalPoint, PercentAsFraction, ScientificNotation, ThousandsSeparators
from pipeline.noise.kinds.interface import Kind
from tests.unit.noise.applied import applied, mended, refused, rows_of

LAW = settings(deadline=None)
DECIMALS = (
    st.decimals(-(10**17), 10**17, places=2) | st.decimals(-(10**6), 10**6, places=6) | st.integers(-(10**18), 10**18)
)
FIGURES = st.lists(DECIMALS.map(lambda number: f"{Decimal(number):f}"), min_size=1, max_size=20)
"""Plain decimals, trailing zeros and minus zero among them."""

COMMAS = ThousandsSeparators(columns=("value",))
SCIENTIFIC = ScientificNotation(columns=("value",))
TRAILING_ZERO, COMMA = DecimalPoint(columns=("value",)), DecimalPoint(columns=("value",), style="comma")
FRACTION = PercentAsFraction(unit_column="unit", value_column="value", fraction_label="1")
NO_FIGURES = [
    "n/a",
    "inf",
    "1e5",
    "1,234",
    "0012",
    "+5",
    ".5",
    "5.",
    "5 ",
    "--5",
    "１２３４",
    "1234\n",
    "1.234,5",
    "12E+3",
]


def rewritten(kind: Kind, values: list[str]) -> list[str]:
    """Return the texts after a kind, and check that all that is called recoverable comes back, and nothing else."""
    noised = applied(kind, value=[*values])
    after = noised.frame["value"].to_list()
    lost = set(noised.ledger.filter(~pl.col("recoverable"))["row_key"].cast(pl.Int64))
    for row, (text, back) in enumerate(zip(values, mended(kind, noised.frame)["value"], strict=True)):
        assert (back == text) != (row in lost)
    return after


@LAW
@given(values=FIGURES)
def test_thousands_are_parted_by_commas(values: list[str]) -> None:
    """The figure reads as Python groups it, and comes back whole."""
    assert rewritten(COMMAS, values) == [f"{Decimal(text):,f}" for text in values]
    assert applied(COMMAS, value=[*values]).ledger["recoverable"].all()


def in_spreadsheet(text: str, digits: int, from_digits: int) -> str:
    """Return a figure as a spreadsheet saves it: rounded half away from zero, trailing zeros dropped."""
    number = Decimal(text)
    if len(text.lstrip("-").split(".")[0]) < from_digits:
        return text
    rounded = Context(prec=digits, rounding=ROUND_HALF_UP).plus(number).normalize()
    mantissa, _, exponent = f"{rounded:e}".partition("e")
    return f"{mantissa}E+{int(exponent):02d}"


@LAW
@given(values=FIGURES, digits=st.integers(1, 15), from_digits=st.integers(2, 14))
def test_large_figures_are_rounded_to_an_exponent(values: list[str], digits: int, from_digits: int) -> None:
    """The text is Python's decimal rounded to so many digits; it comes back only where none was lost."""
    kind = ScientificNotation(columns=("value",), digits=digits, from_digits=from_digits)
    assert rewritten(kind, values) == [in_spreadsheet(text, digits, from_digits) for text in values]


@pytest.mark.parametrize(
    ("before", "after", "is_lost"),
    [
        ("228062123456", "2.28062E+11", True),
        ("228062000000", "2.28062E+11", False),
        ("228062000000.0", "2.28062E+11", True),
        ("-999999500000", "-1E+12", True),
        ("100000000000", "1E+11", False),
        ("99999999999", "99999999999", False),
    ],
)
def test_six_digits_are_kept(before: str, after: str, *, is_lost: bool) -> None:
    """The release's own form, `2.28062E+11`; shorter figures are shown in full, one whose text would differ is lost."""
    noised = applied(SCIENTIFIC, value=[before])
    assert noised.frame["value"].to_list() == [after]
    assert noised.ledger["recoverable"].to_list() == ([not is_lost] if after != before else [])


@LAW
@given(values=FIGURES)
def test_percentages_become_fractions(values: list[str]) -> None:
    """The point moves by two digits, as in Python's `scaleb`, the label moves along, and all of it comes back."""
    units = ["%", "yuan"] * len(values)
    doubled = [text for text in values for _ in range(2)]
    noised = applied(FRACTION, unit=[*units], value=[*doubled])
    expected = [
        (f"{Decimal(text).scaleb(-2):f}", "1") if unit == "%" else (text, unit)
        for text, unit in zip(doubled, units, strict=True)
    ]
    assert noised.frame.select("value", "unit").rows() == expected
    assert noised.ledger["recoverable"].all()
    assert mended(FRACTION, noised.frame).select("value", "unit").rows() == list(zip(doubled, units, strict=True))


def test_fractions_without_a_label_are_lost() -> None:
    """Where the label is emptied nothing tells a fraction."""
    kind = PercentAsFraction(unit_column="unit", value_column="value")
    noised = applied(kind, unit=["%", "%"], value=["28.63", "5"])
    assert noised.frame.select("value", "unit").rows() == [("0.2863", None), ("0.05", None)]
    assert not noised.ledger["recoverable"].any()
    assert mended(kind, noised.frame).equals(noised.frame)


def test_the_label_of_percentages_may_be_another() -> None:
    """百分点 is as good a label, and only its rows move; an empty figure is no opportunity."""
    kind = PercentAsFraction(unit_column="unit", value_column="value", percent_label="百分点", fraction_label="倍")
    noised = applied(kind, unit=["百分点", "%", "百分点", None], value=["150", "150", None, "1"])
    assert noised.frame.select("value", "unit").rows() == [("1.50", "倍"), ("150", "%"), (None, "百分点"), ("1", None)]
    assert noised.opportunities["eligible"].to_list() == [1, 1]


@LAW
@given(values=FIGURES)
def test_whole_figures_get_a_decimal(values: list[str]) -> None:
    """`.0` follows whole figures, broken ones stay."""
    expected = [text if "." in text else f"{text}.0" for text in values]
    noised = applied(TRAILING_ZERO, value=[*values])
    assert noised.frame["value"].to_list() == expected
    assert noised.ledger["recoverable"].all()


@LAW
@given(values=FIGURES)
def test_a_comma_takes_the_place_of_the_point(values: list[str]) -> None:
    """The figure comes back unless it could be a whole one with thousands parted."""
    assert rewritten(COMMA, values) == [text.replace(".", ",") for text in values]


def test_a_comma_that_may_part_thousands_is_lost() -> None:
    """`1,234` is either; `0,234` and `1,2345` are not."""
    ledger = applied(COMMA, value=["1.234", "0.234", "1.2345", "-12.340"]).ledger
    assert dict(ledger.select("before", "recoverable").iter_rows()) == {
        "1.234": False,
        "0.234": True,
        "1.2345": True,
        "-12.340": False,
    }


@LAW
@given(values=FIGURES)
def test_clean_figures_are_left_by_the_cleaner(values: list[str]) -> None:
    """Plain decimals come back as they are, beside empty cells and words; `.0` is expected to be nobody's own."""
    frame = rows_of({"value": [*values, None, "n/a"], "unit": ["%"] * (len(values) + 2)})
    for kind in (COMMAS, SCIENTIFIC, COMMA, FRACTION):
        assert mended(kind, frame).equals(frame)
    without_zeros = frame.filter(~pl.col("value").str.ends_with(".0").fill_null(value=False))
    assert mended(TRAILING_ZERO, without_zeros).equals(without_zeros)


@pytest.mark.parametrize("kind", [COMMAS, SCIENTIFIC, TRAILING_ZERO, COMMA, FRACTION], ids=lambda kind: kind.name)
def test_what_is_no_plain_decimal_is_left(kind: Kind) -> None:
    """Words, exponents, separators, zeros in front and blanks are nothing to rewrite, nor an opportunity."""
    left = rows_of({"value": ["n/a", "1E+4000000000", "1E+5", "1,23,456"], "unit": ["%"] * 4})
    assert mended(kind, left).equals(left)
    noised = applied(kind, value=[*NO_FIGURES], unit=["%"] * len(NO_FIGURES))
    assert noised.ledger.is_empty()
    assert noised.opportunities["eligible"].sum() == 0


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        (ScientificNotation(columns=("value",), digits=0), "digits"),
        (ScientificNotation(columns=("value",), digits=16), "digits"),
        (ScientificNotation(columns=("value",), from_digits=1), "from_digits"),
        (PercentAsFraction(unit_column="value", value_column="value"), "value_column"),
        (PercentAsFraction(unit_column="unit", value_column="value", fraction_label="%"), "fraction_label"),
        (PercentAsFraction(unit_column="unit", value_column="value", fraction_label="10k"), "fraction_label"),
    ],
)
def test_bad_parameters_are_refused(kind: Kind, field: str) -> None:
    """Digits that are none, and labels that mean something else, are refused at their place."""
    assert refused(kind) == {field}

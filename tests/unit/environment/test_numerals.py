"""Numbers as text, against the standard library's decimals."""

from decimal import Decimal

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pipeline.numerals import as_float, decimal_text, digit_count

MANTISSAS = st.lists(st.one_of(st.none(), st.integers(-(10**18), 10**18)), min_size=1)


@given(MANTISSAS, st.integers(0, 18), st.booleans())
def test_text_is_the_exact_number(mantissas: list[int | None], scale: int, keeps_point: bool) -> None:  # noqa: FBT001
    """Text reads back as the exact number, has no needless zeros, and ends in `.0` only where that is asked for."""
    frame = pl.DataFrame({"m": mantissas}, schema={"m": pl.Int64})
    texts = frame.select(decimal_text(pl.col("m"), scale, keeps_point=keeps_point)).to_series()
    for mantissa, text in zip(mantissas, texts, strict=True):
        assert (mantissa is None) == (text is None)
        if mantissa is not None:
            assert Decimal(text) == Decimal(mantissa).scaleb(-scale)
            assert text.endswith(".0") or not (text.endswith("0") and "." in text)
            assert text.endswith(".0") == (keeps_point and mantissa % 10**scale == 0)


@given(st.integers(0, 10**18))
def test_digits_are_counted(magnitude: int) -> None:
    """Digits are those of the number as written; 0 has none."""
    assert pl.select(digit_count(pl.lit(magnitude))).item() == len(str(magnitude).lstrip("0"))


def test_floats_are_near() -> None:
    """A float of a mantissa is the number up to rounding."""
    assert pl.select(as_float(pl.lit(123_456), 3)).item() == 123.456

"""Numbers as text, against the standard library's decimals."""

from decimal import Decimal

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pipeline.numerals import as_float, decimal_text, digit_count

MANTISSAS = st.lists(st.one_of(st.none(), st.integers(-(10**18), 10**18)), min_size=1)


@given(MANTISSAS, st.integers(0, 18), st.integers(0, 20))
def test_text_is_the_exact_number(mantissas: list[int | None], scale: int, least: int) -> None:
    """Text reads back as the exact number, with as many decimals as are asked for at least, and no zero beyond them."""
    frame = pl.DataFrame({"m": mantissas}, schema={"m": pl.Int64})
    texts = frame.select(decimal_text(pl.col("m"), scale, least=least)).to_series()
    for mantissa, text in zip(mantissas, texts, strict=True):
        assert (mantissa is None) == (text is None)
        if mantissa is not None:
            assert Decimal(text) == Decimal(mantissa).scaleb(-scale)
            decimals = len(text.partition(".")[2])
            assert decimals >= least
            assert decimals == least or not text.endswith("0")
            assert not text.endswith(".")


@given(st.integers(0, 10**18))
def test_digits_are_counted(magnitude: int) -> None:
    """Digits are those of the number as written; 0 has none."""
    assert pl.select(digit_count(pl.lit(magnitude))).item() == len(str(magnitude).lstrip("0"))


def test_floats_are_near() -> None:
    """A float of a mantissa is the number up to rounding."""
    assert pl.select(as_float(pl.lit(123_456), 3)).item() == 123.456

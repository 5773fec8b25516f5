"""The least-significant-digit mechanism (`lsd`): fresh low-order digits; the digits above them stay.

Source: DataClaw, appendix A.2, "Distribution-Preserving Perturbation". The paper leaves the number of kept digits open; here
each measure declares it. It hardly protects against linkage: `anonymize/__init__.py` has the numbers.
"""

from collections.abc import Sequence

import polars as pl

from pipeline.keyed import Key
from pipeline.model import Measure
from pipeline.numerals import digit_count, power_of_ten


def perturb_low_digits(measure: Measure, *, of: Sequence[str], key: Key) -> pl.Expr:
    """Return the measure's column with new digits below its `significant_digits` leading ones.

    Sign, zero, null, the number of digits and the number of decimals of each value stay: 12.5 keeps one decimal, a whole
    number stays whole. A value with no more digits than are kept is unchanged. The new digits are uniform, and depend only on
    key, measure and the figure's row; the last decimal of a fraction is never 0, so that the number of decimals stays. The bias
    of reducing a 60-bit draw modulo 10**k is below 10**k / 2**60.

    Args:
        measure: The column, and how many of its digits are kept.
        of: Columns that identify the row of the figure: firm and period, or the key of an event.
        key: Key of this purpose.
    """

    def perturbed(parts: Sequence[pl.Series]) -> pl.Series:
        figures = pl.DataFrame([part.alias(str(place)) for place, part in enumerate(parts)])
        return _perturbed(figures, measure, key)

    return pl.map_batches([measure.name, *of], perturbed, return_dtype=pl.Int64).alias(measure.name)


def _perturbed(figures: pl.DataFrame, measure: Measure, key: Key) -> pl.Series:
    """Return the figures in column 0 with new low digits, drawn for the labels in the other columns where there are any."""
    value, firm, *rest = map(pl.col, figures.columns)
    grain, shown, choices, draw = map(pl.col, ("grain", "shown", "choices", "draw"))
    # Digits are counted from the last one shown: 12.5 held in hundredths has three digits, not four.
    has_fraction = grain < 10**measure.decimals
    # Where no digit stays, a figure becomes neither 0, by which others may be divided, nor what it was.
    whole = draw % choices if measure.significant_digits else 1 + draw % (choices - 1)
    low = pl.when(has_fraction).then(_without_final_zero(draw, choices)).otherwise(whole)
    if not measure.significant_digits:
        low = pl.when(low == shown).then(low // 10 * 10 + low % 10 % 9 + 1).otherwise(low)
    changed = (
        figures.lazy()
        .with_row_index("place")
        .with_columns(grain=_grain(value, measure.decimals))
        .with_columns(shown=value.abs() // grain)
        .with_columns(choices=power_of_ten((digit_count(shown) - measure.significant_digits).clip(lower_bound=0)))
        .filter(choices > 1)
        .with_columns(draw=key.draw(firm, pl.lit(measure.name), *rest))
        .select("place", perturbed=(shown // choices * choices + low) * grain * value.sign())
        .collect()
    )
    return figures.to_series().scatter(changed["place"], changed["perturbed"])


def _grain(value: pl.Expr, decimals: int) -> pl.Expr:
    """Return one step of the value's last shown digit, in quanta: 10**(zeros at the end of its decimals)."""
    zeros = pl.sum_horizontal(
        pl.lit(0), *((value % 10**places == 0).cast(pl.Int64) for places in range(1, decimals + 1))
    )
    return power_of_ten(zeros)


def _without_final_zero(draw: pl.Expr, choices: pl.Expr) -> pl.Expr:
    """Return a uniform number in [0, choices) that is no multiple of ten; choices is a power of ten above 1."""
    # Nine of ten numbers are no multiple of ten: the draw numbers these, and the next line finds the one of that number.
    step = draw % (choices // 10 * 9)
    return step // 9 * 10 + step % 9 + 1

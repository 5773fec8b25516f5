"""Points of curves in two characters each: sign and exponent, then two significant digits, which is all that curves have.

Belongs here: the code alone. It is what keeps a page of 18,000 pairs of curves small enough for a phone.
"""

from collections.abc import Sequence
from unicodedata import category, is_normalized

import numpy as np
import numpy.typing as npt

_ASCII = "".join(sign for code in range(32, 127) if not (sign := chr(code)).isalnum() and sign not in '"\\<>&%')

_FURTHER = "".join(
    sign for code in range(0x2C2, 0x300) if category(sign := chr(code)) == "Sk" and is_normalized("NFKC", sign)
)

ALPHABET = _ASCII + "\u00b7" + _FURTHER + "\u03f6\u0482" + "՚՛՜՝՞՟։֊֍֎֏" + "¡¤¦§¬°±¶»«¿÷"
"""As many characters as there are pairs of digits, 10 to 99, none of them a letter, a digit, or of a meaning in JSON, HTML or
an address: whatever follows whatever, no points spell a name or a code. The 28 that take least room come first, since they
stand for the powers of ten that figures have."""

APART = "%"
"""What stands between two curves."""

EXPONENTS = 44
"""Powers of ten that have a code, of either sign; one code is left for 0."""

USUAL = -1
"""The lowest of the 13 powers that figures usually have; they come first."""

LOWEST = -13
"""The lowest of all: what is nearer to 0 is drawn as 0."""

_ZERO, _FIRST = 0, 1
"""Codes of 0 and of the lowest usual power."""


def packed(sides: Sequence[Sequence[float]]) -> list[str]:
    """Return each curve's points as text, two characters a point.

    Raises:
        ValueError: A point is beyond 1e31, which no figure of 64 bits is.
    """
    lengths = [len(side) for side in sides]
    values = np.array([value for side in sides for value in side], dtype=np.float64)
    text = _coded(values).tobytes().decode("utf-32-le")
    ends = (2 * np.cumsum(lengths, dtype=np.int64)).tolist()
    return [text[end - 2 * length : end] for end, length in zip(ends, lengths, strict=True)]


def _coded(values: npt.NDArray[np.float64]) -> npt.NDArray[np.uint32]:
    """Return one row of two characters for each value."""
    is_zero = ~(np.abs(values) >= 10.0**LOWEST)
    sizes = np.where(is_zero, 1.0, np.abs(values))
    exponents = np.floor(np.log10(sizes)).astype(np.int64)
    digits = np.rint(sizes / 10.0 ** (exponents - 1)).astype(np.int64)
    is_carried = digits == 100  # noqa: PLR2004  # 9.96 has the digits of 10
    exponents, digits = exponents + is_carried, np.where(is_carried, 10, digits)
    if exponents.size and exponents.max() >= LOWEST + EXPONENTS:
        raise ValueError("a point of a curve is larger than any figure can be")
    first = _FIRST + 2 * ((exponents - USUAL) % EXPONENTS) + (values < 0)
    first = np.where(is_zero, _ZERO, first)
    letters = np.frombuffer(ALPHABET.encode("utf-32-le"), dtype="<u4")
    return np.asarray(letters[np.column_stack([first, digits - 10])])

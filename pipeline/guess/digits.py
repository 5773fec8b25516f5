"""What pseudonymous codes shall look like, and how many digits of a figure may stay: from the signs of the cells."""

import polars as pl

from pipeline.guess.looking import Looked
from pipeline.guess.typing import share
from pipeline.guess.words import MARK
from pipeline.model import CodesLike

_ROOM = 3
"""Codes of the guessed shape for each entity, at least (our choice; nine tenths of them can be used)."""

_STEPS = 2
"""Steps of the last digit that stays over which the middle half of the figures spreads, at least (our choice)."""


_MARKS, _OFTEN = 10, 5
"""Whole numbers of a scale, at most, and rows that have each of them, at least (our choice)."""


def code_shape(looked: Looked) -> CodesLike:
    """Return a shape of codes like those that there are, with room for all: an invented example.

    Digits alone get a letter before them, so that no pseudonym is somebody's number or postcode.
    """
    # Names that are codes look like none.
    form = _form(looked) if share(looked.text.str.contains(r"\s")) < 1 / 2 else ""
    form = form if form.isascii() else ""
    if set(form) <= {"0"}:
        form = f"A{form}"
    while 10 ** form.count("0") * 20 ** (form.count("A") + form.count("a")) < _ROOM * looked.distinct:
        form += "0"
    digits, letters = iter("1234567890" * len(form)), iter("BCDFGHJKLM" * len(form))
    example = [next(digits) if sign == "0" else next(letters) if sign == "A" else sign for sign in form]
    return CodesLike("".join(next(letters).lower() if sign == "a" else sign for sign in example))


def _form(looked: Looked) -> str:
    """Return the most frequent form of codes: digits as 0, letters as A and a."""
    forms = looked.text.drop_nulls().str.replace_all(r"\d", "0").str.replace_all(r"[A-Z]", "A")
    return str(forms.str.replace_all(r"[a-z]", "a").mode().sort()[0])


def significant_digits(looked: Looked) -> int:
    """Return how many leading digits may stay: fewer than most figures have, and more where figures hardly differ.

    Of games of a season, 154 or 162, two digits that stay would give 150 to 169: another distribution.
    """
    figures = looked.values.filter(looked.values != 0).abs()
    digits = int(str(figures.cast(pl.String).str.len_chars().median() or 4).split(".")[0])
    kept = max(2, min(3, digits - 1))
    middle = float(figures.quantile(0.75) or 0) - float(figures.quantile(0.25) or 0)
    return kept + 1 if 0 < middle < _STEPS * 10 ** (digits - kept) else kept


def is_scale(looked: Looked) -> bool:
    """Say whether figures are marks of a scale, as stars from 1 to 5: their header says so, and few whole numbers up to ten.

    Each stands in many rows: nobody is found by one alone. As figures they would leave the scale, for fresh digits from 1 to 9.
    """
    counts = looked.values.drop_nulls().value_counts()
    return (
        looked.column.type == "integer"
        and bool(looked.words & MARK)
        and 1 < counts.height <= _MARKS
        and bool(looked.values.is_between(0, _MARKS).all())
        and int(counts["count"].min() or 0) >= _OFTEN  # type: ignore[arg-type]
    )

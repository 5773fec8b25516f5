"""What cells look like identifiers of somebody, in columns that a declaration drops: to declare less never publishes more.

Belongs here: which values. They are searched for and replaced like those of declared columns (`anonymize/pseudonyms.py`). What
a column is declared to be, nobody doubts here.
"""

import re
from collections.abc import Callable, Iterator

import polars as pl
from stdnum import iban, imei, isin, lei, luhn

from pipeline.conform.source import Source
from pipeline.keyed import SEPARATOR
from pipeline.model import Role

ALIKE = f"{SEPARATOR}looks like an identifier"
"""Column of what looks like one; no column of a table can have this name."""

SHARE = 0.5
"""Share of the distinct cells of a column that look alike, from which the column is one of identifiers (our choice)."""

_MAIL = r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"
_PHONE = r"(?:\+|00|\(|0)?\d(?:[ \-()./]{0,3}\d){6,14}(?:\s?(?:x|ext\.?)\s?\d{1,5})?"
_WRITTEN_APART = r"^(?:\+|00|\(|0)|\d[ \-().]\d{2,}"
"""What a telephone number has and a figure has not: a sign of a country or a place, or groups of digits."""

_PERSON = r"[\p{Lu}][\p{L}'’.-]+(?: [\p{L}'’.-]+){0,3}|\p{Han}{2,4}"
_OF_PEOPLE = re.compile(
    r"contact|person|surname|last_?name|first_?name|given|family|vorname|nachname|ansprechpartner|prénom|^nom|nombre|apellido"
    r"|姓名|联系人|负责人|经理|董事",
    re.IGNORECASE,
)
"""Headers that say that somebody's name stands below them."""

_DATE_OR_DECIMAL = r"^\d{1,4}[-./ ]\d{1,2}[-./ ]\d{1,4}|^(?:0|[1-9]\d*)\.\d+$"
"""What is no telephone number, though its digits stand apart: `2024-01-31`, `4.477337`."""

_CHECKED: tuple[Callable[[str], bool], ...] = (iban.is_valid, lei.is_valid, isin.is_valid)
_CHECKED_DIGITS: tuple[Callable[[str], bool], ...] = (imei.is_valid, luhn.is_valid)
"""By check digits (ISO 13616, ISO 17442, ISO 6166; Luhn's of cards and devices, which one number in ten has by chance)."""

_FEWEST_CHECKED, _ALL = 12, 0.9
"""Characters of the shortest value whose check digits count, and the share of a column that has to have them."""


def look_alikes(source: Source) -> pl.Series:
    """Return the distinct cells of dropped columns that look like identifiers (`ALIKE`, null in none)."""
    filed = source.as_filed
    found = [pl.Series(ALIKE, [], pl.String), *(_alike(filed, at) for at in _dropped(filed))]
    return pl.concat(found).unique().sort()


def _dropped(source: Source) -> Iterator[int]:
    dropped = {*source.table.ignored, *(column.name for column in source.table.of_role(Role.IGNORED))}
    yield from (at for at, header in enumerate(source.headers) if header in dropped)


def _alike(source: Source, at: int) -> pl.Series:
    cells = source.column(at).drop_nulls().str.strip_chars().unique().alias(ALIKE)
    mails = cells.str.extract_all(_MAIL).explode(empty_as_null=False).drop_nulls()
    is_apart = cells.str.contains(_WRITTEN_APART) & ~cells.str.contains(_DATE_OR_DECIMAL)
    numbers = cells.filter(cells.str.contains(f"^(?:{_PHONE})$"))
    is_named = _OF_PEOPLE.search(source.headers[at]) is not None
    kinds = [
        (numbers, _share(is_apart & cells.is_in(numbers.implode()), cells) >= SHARE),
        (
            people := cells.filter(cells.str.contains(f"^(?:{_PERSON})$")),
            is_named and len(people) >= SHARE * len(cells),
        ),
        (cells, _has_check_digits(cells)),
    ]
    return pl.concat([mails.alias(ALIKE), *(values for values, is_one in kinds if is_one)])


def _share(is_so: pl.Series, cells: pl.Series) -> float:
    return int(is_so.sum()) / max(len(cells), 1)


def _has_check_digits(cells: pl.Series) -> bool:
    """Say whether nearly all cells of a column have the check digits of one scheme."""
    long = cells.filter(cells.str.len_chars() >= _FEWEST_CHECKED).head(_SAMPLE).to_list()
    if len(long) < max(SHARE * min(len(cells), _SAMPLE), 1):
        return False
    schemes = (*_CHECKED, *_CHECKED_DIGITS) if len(long) >= _ENOUGH else _CHECKED
    return any(sum(map(is_valid, long)) >= _ALL * len(long) for is_valid in schemes)


_SAMPLE, _ENOUGH = 1_000, 5
"""Cells whose check digits are computed, and those from which Luhn's are no chance."""

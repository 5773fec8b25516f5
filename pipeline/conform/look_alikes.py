"""What cells look like identifiers of somebody, though no column of identifiers has them.

Belongs here: which values. They are searched for and replaced like those of declared columns (`anonymize/pseudonyms.py`). Of a
dropped column all that look so count: to declare less never publishes more. Of an attribute only those count that are nothing
else (an address of mail or of the web, a number with a country's code or with check digits): a build that would publish one
is refused, unless the declaration says in `public` why it discloses nothing.
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

_WITH_COUNTRY = r"^\+\d"
_OF_WEB = r"^(?i:https?://|www\.)\S+$"

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

_ACCOUNT_OR_ENTITY = r"^(?:[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}|[A-Z0-9]{18}\d{2})$"
"""What has two check digits in their place: one such cell in a hundred is valid by chance, and a word is none."""

_FEWEST_CHECKED, _ALL = 12, 0.9
"""Characters of the shortest value whose check digits count, and the share of a column that has to have them."""


def look_alikes(source: Source) -> pl.Series:
    """Return the distinct cells of dropped columns and attributes that look like identifiers (`ALIKE`, null in none)."""
    filed, table = source.as_filed, source.table
    dropped = {*table.ignored, *(column.name for column in table.of_role(Role.IGNORED))}
    of_entities = () if table.public else table.of_role(Role.ATTRIBUTE)
    attributes = {column.name for column in of_entities if column.type == "text" and not column.public}
    found = [pl.Series(ALIKE, [], pl.String)]
    for at, header in enumerate(filed.headers):
        if header in dropped:
            found += _alike(filed, at)
        elif header in attributes:
            found += _surely_alike(filed, at)
    return pl.concat(found).unique().sort()


def _surely_alike(source: Source, at: int) -> Iterator[pl.Series]:
    """Yield what is nothing else: addresses of mail and of the web, numbers with a country's code or with check digits."""
    cells = _cells(source, at)
    yield cells.str.extract_all(_MAIL).explode(empty_as_null=False).drop_nulls()
    yield cells.filter(cells.str.contains(_OF_WEB))
    numbers = cells.filter(cells.str.contains(f"^(?:{_PHONE})$"))
    yield numbers.filter(numbers.str.contains(_WITH_COUNTRY))
    yield from _with_check_digits(cells)


def _alike(source: Source, at: int) -> Iterator[pl.Series]:
    """Yield the same, and what is more likely than not a number of a telephone, or the name of a person."""
    cells = _cells(source, at)
    is_apart = cells.str.contains(_WRITTEN_APART) & ~cells.str.contains(_DATE_OR_DECIMAL)
    numbers = cells.filter(cells.str.contains(f"^(?:{_PHONE})$"))
    people = cells.filter(cells.str.contains(f"^(?:{_PERSON})$"))
    yield from _surely_alike(source, at)
    if _share(is_apart & cells.is_in(numbers.implode()), cells) >= SHARE:
        yield numbers
    if _OF_PEOPLE.search(source.headers[at]) and len(people) >= SHARE * len(cells):
        yield people


def _cells(source: Source, at: int) -> pl.Series:
    return source.column(at).drop_nulls().str.strip_chars().unique().alias(ALIKE)


def _share(is_so: pl.Series, cells: pl.Series) -> float:
    return int(is_so.sum()) / max(len(cells), 1)


def _with_check_digits(cells: pl.Series) -> Iterator[pl.Series]:
    """Yield each number of an account or a legal entity, and all long cells of a column that nearly all have check digits."""
    accounts = cells.filter(cells.str.contains(_ACCOUNT_OR_ENTITY))
    is_valid = [iban.is_valid(cell) or lei.is_valid(cell) for cell in accounts]
    yield accounts.filter(pl.Series(is_valid, dtype=pl.Boolean))
    long = cells.filter(cells.str.len_chars() >= _FEWEST_CHECKED)
    tried = long.head(_SAMPLE).to_list()
    schemes = (*_CHECKED, *_CHECKED_DIGITS) if len(tried) >= _ENOUGH else _CHECKED
    if len(tried) >= max(SHARE * min(len(cells), _SAMPLE), 1) and any(
        sum(map(scheme, tried)) >= _ALL * len(tried) for scheme in schemes
    ):
        yield long


_SAMPLE, _ENOUGH = 1_000, 5
"""Cells whose check digits are computed, and those from which Luhn's are no chance."""

"""Searches every byte of every document for tokens of four characters or more, as they are written in the originals.

A token that is one word in Latin letters (`NIKE`) counts only beside other characters than Latin letters and digits,
since chance puts it inside longer words. A token with a blank in it is also found in capitals and in small letters, but
neither begins nor ends within a word (`E Lighting` does not stand in `automotive lighting`).
Documents that are not CSV are searched again with JSON escapes, percent signs and HTML entities undone. Other ways to
write a token belong to `loose.py`, and so do distinctive words, which nobody has listed; this search needs no cells and no
lines, so that it also works where there are none. It shares nothing with the finder of prose, so that each checks the other.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import polars as pl

from pipeline.errors import WITHHELD
from validation.escapes.documents import LETTER, Hit, TextDocument, readings
from validation.escapes.identifiers import LATIN, Identifiers, PackedValue, is_word
from validation.escapes.patterns import Patterns

WINDOW_BYTES = 8 * 2**20
"""Bytes of a file that are in memory at a time."""

_SEPARATOR = re.compile(rb'[,"\r\n]|\xef\xbb\xbf')
"""What separates or quotes cells, or is a byte-order mark."""

_CHARACTER = 4
"""Bytes of the longest character."""


class Window(NamedTuple):
    """Bytes of a document, with some of those that stand around them."""

    raw: bytes
    is_first: bool = True
    is_last: bool = True


class Forms(NamedTuple):
    """What is looked for as it is written."""

    kinds: PackedValue[Mapping[str, str]]
    """Forms with their kinds; a form of several kinds has the first."""
    patterns: Patterns
    overlap: int
    """How many bytes two windows share, so that each form stands whole, with its surroundings, in one."""
    across: tuple[bytes, ...] | None
    """Two bytes of each form that separates cells, in that it has a comma or the like; None if a form has no letter."""


def search_literally(document: TextDocument, forms: Forms) -> Iterator[Hit]:
    """Yield where tokens stand: in cells, or else in lines, or else somewhere."""
    found = set(found_in(document, forms))
    for kind, of_kind in (_by_kind(found, forms.kinds.value) if found else {}).items():
        for column, rows in _places(document, of_kind):
            yield Hit(document, column, kind, rows)


def forms_of(identities: Identifiers) -> Forms:
    """Return the forms in which identities are looked for."""
    kinds: dict[str, str] = {}
    for token, kind in identities.anywhere().items():
        for form in written_forms(token) if kind != "word" else ():
            kinds.setdefault(form, kind)
    raw = [form.encode() for form in kinds]
    across = None if any(not re.search(LETTER, form) for form in kinds) else tuple(sorted({*_across(raw)}))
    return Forms(PackedValue.of(kinds), Patterns(raw), max(map(len, raw), default=0) + 4 * _CHARACTER, across)


def _across(forms: Iterable[bytes]) -> Iterator[bytes]:
    """Yield two bytes, beside each other, of each form that may stand in more than one cell: something that separates cells."""
    for form in forms:
        if match := _SEPARATOR.search(form):
            at = min(match.start(), len(form) - 2)
            yield form[at : at + 2]


def written_forms(token: str) -> Iterator[str]:
    """Yield in which forms a token is looked for."""
    cases = (token, token.upper(), token.lower()) if " " in token else (token,)
    for case in cases:
        yield case
        yield case.replace('"', '""')


def found_in(document: TextDocument, forms: Forms) -> Iterator[str]:
    """Yield forms in readings of what is no table, in the distinct cells of one, or in its bytes if those are not enough."""
    if document.columns is None or has_more_than_cells(document, forms):
        yield from in_bytes(document, forms)
    else:
        yield from in_cells(document.columns, forms)


def in_bytes(document: TextDocument, forms: Forms) -> Iterator[str]:
    """Yield forms in the bytes of a table, or in readings of what is none."""
    windows = _windows(document, forms.overlap) if document.is_table else map(_window, document.readings)
    yield from (form for window in windows for form in standing(window, forms.patterns))


def in_cells(columns: Iterable[pl.Series], forms: Forms) -> Iterator[str]:
    """Yield forms in the distinct cells of columns."""
    cells = (_window("\n".join(column)) for column in columns)
    found = (form for window in cells for form in standing(window, forms.patterns))
    yield from (form for form in found if not _SEPARATOR.search(form.encode()))


def _window(text: str) -> Window:
    return Window(text.encode())


def has_more_than_cells(document: TextDocument, forms: Forms) -> bool:
    """Say whether a form may stand in a file's bytes and in no cell by itself.

    Without any quotation mark, cells are what stands between commas and line ends. A form with neither in it lies within a
    cell, and one with either has two bytes that the file must have, too.
    """
    signs = (b'"', *(forms.across or ()))
    return forms.across is None or any(sign in window.raw for window in _windows(document, 1) for sign in signs)


def _windows(document: TextDocument, overlap: int) -> Iterator[Window]:
    """Cut a file into windows that overlap."""
    with document.open() as content:
        raw = content.read(WINDOW_BYTES + overlap)
        is_first = True
        while raw:
            more = content.read(WINDOW_BYTES)
            yield Window(raw, is_first, not more)
            raw, is_first = raw[-overlap:] + more if more else b"", False


def standing(window: Window, patterns: Patterns) -> Iterator[str]:
    """Yield the forms that stand in a window, by themselves where they must."""
    for start, pattern in patterns.find(window.raw):
        form = pattern.decode()
        if _is_alone(window, start, form):
            yield form


def _is_alone(window: Window, start: int, token: str) -> bool:
    """Return whether nothing that would make a longer word of it is beside a token; false at a cut: another window shows it."""
    not_before, not_after = beside(token)
    if not not_before + not_after:
        return True
    raw, end = window.raw, start + len(token.encode())
    if (start < _CHARACTER and not window.is_first) or (end > len(raw) - _CHARACTER and not window.is_last):
        return False
    before = raw[max(start - _CHARACTER, 0) : start].decode(errors="replace")[-1:]
    after = raw[end : end + _CHARACTER].decode(errors="replace")[:1]
    return not any(which and re.match(f"[{which}]", at) for which, at in ((not_before, before), (not_after, after)))


def beside(token: str) -> tuple[str, str]:
    """Return which characters may not stand before and after a token: any of a word, or letters beside a letter, or none."""
    if is_word(token):
        return LATIN, LATIN
    letters = LATIN.removeprefix("0-9")
    first, last = (letters if " " in token and re.match(f"[{letters}]", end) else "" for end in (token[0], token[-1]))
    return first, last


def _by_kind(tokens: set[str], kinds: Mapping[str, str]) -> dict[str, list[str]]:
    by_kind: dict[str, list[str]] = defaultdict(list)
    for token in sorted(tokens):
        by_kind[kinds[token]] += [token, token.replace('""', '"')]
    return by_kind


def _places(document: TextDocument, tokens: list[str]) -> list[tuple[str, pl.Series]]:
    """Return name and rows of each column in which one of the tokens stands."""
    cells = document.table()
    header = cells.row(0) if cells.height else ()
    unknown = pl.Series([0], dtype=pl.Int64)
    return _rows(cells, header, tokens) or _rows(_lines(document), ("",), tokens) or [("", unknown)]


def _rows(cells: pl.DataFrame, header: tuple[str | None, ...], tokens: list[str]) -> list[tuple[str, pl.Series]]:
    hits = cells.select(_holds(pl.all(), tokens).fill_null(value=False))
    rows = [hits[column].arg_true().cast(pl.Int64) + 1 for column in hits.columns]
    return [(name or "", at) for at, name in zip(rows, header, strict=True) if len(at)]


def _holds(text: pl.Expr, tokens: list[str]) -> pl.Expr:
    bounded = [token for token in tokens if any(beside(token))]
    others = [token for token in tokens if not any(beside(token))]
    has_other = text.str.contains_any(others or [WITHHELD])
    return has_other | text.str.contains("|".join(map(_alone, bounded))) if bounded else has_other


def _alone(token: str) -> str:
    """Return the regular expression of a token that stands by itself."""
    not_before, not_after = beside(token)
    before = f"(?:^|[^{not_before}])" if not_before else ""
    return f"{before}{re.escape(token)}" + (f"(?:$|[^{not_after}])" if not_after else "")


def _lines(document: TextDocument) -> pl.DataFrame:
    """Return a document's lines in one column without a name, each as it is and with its escapes undone."""
    lines = document.text().split("\n")
    return pl.DataFrame({"": lines if document.is_table else ["\n".join(readings(line)) for line in lines]})

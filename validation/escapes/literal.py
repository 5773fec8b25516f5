"""Searches every byte of every document for tokens of four characters or more, as they are written in the originals.

A token that is one word in Latin letters (`NIKE`) counts only beside other characters than Latin letters and digits,
since chance puts it inside longer words. A token with a blank in it is also found in capitals and in small letters, but
neither begins nor ends within a word (`E Lighting` does not stand in `automotive lighting`).
Documents that are not CSV are searched again with JSON escapes, percent signs and HTML entities undone. Other ways to
write a token belong to `loose.py`, and so do distinctive words, which nobody has listed; this search needs no cells and no
lines, so that it also works where there are none. It shares nothing with the finder of prose, so that each checks the other.
"""

import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import BinaryIO, NamedTuple

import polars as pl

from pipeline.errors import WITHHELD
from validation.escapes.documents import Document, Hit, batches, readings
from validation.escapes.identifiers import LATIN, Identifiers, is_word

PARTIAL = "\ufffd"
"""What decoding makes of each byte of a character that a cut goes through: at most three of them at a cut."""

WINDOW_BYTES = 8 * 2**20
BATCH_BYTES = 128 * 2**20
"""What is searched at a time: large, because each search builds its automaton anew (0.2 s for 40,000 tokens)."""


class _Window(NamedTuple):
    document: Document
    text: str
    is_first: bool
    is_last: bool


def search_literally(documents: Iterable[Document], identities: Identifiers) -> Iterator[Hit]:
    """Return where tokens stand: in cells, or else in lines, or else somewhere."""
    kinds = _kinds(identities)
    found = _search(documents, kinds) if kinds else {}
    for document, tokens in found.items():
        for kind, of_kind in _by_kind(tokens, kinds).items():
            for column, rows in _places(document, of_kind):
                yield Hit(document, column, kind, rows)


def _kinds(identities: Identifiers) -> dict[str, str]:
    """Return the forms that are looked for, with their kinds; a form of several kinds has the first."""
    kinds: dict[str, str] = {}
    for token, kind in identities.anywhere().items():
        for form in written_forms(token) if kind != "word" else ():
            kinds.setdefault(form, kind)
    return kinds


def written_forms(token: str) -> Iterator[str]:
    """Yield in which forms a token is looked for."""
    cases = (token, token.upper(), token.lower()) if " " in token else (token,)
    for case in cases:
        yield case
        yield case.replace('"', '""')


def _search(documents: Iterable[Document], kinds: Mapping[str, str]) -> dict[Document, set[str]]:
    overlap = max(len(token.encode()) for token in kinds) + 16  # and the characters on both sides
    found: dict[Document, set[str]] = defaultdict(set)
    windows = chain.from_iterable(_windows(document, overlap) for document in documents)
    for batch in batches(windows, lambda window: len(window.text), least=BATCH_BYTES):
        for window in _holding_any(batch, list(kinds)):
            if tokens := _tokens(window, list(kinds)):
                found[window.document] |= tokens
    return found


def _windows(document: Document, overlap: int) -> Iterator[_Window]:
    """Cut a document into windows that overlap, so that each token stands whole, with its surroundings, in one."""
    with document.open() as content:
        yield from _cut(document, content, overlap)
    if not document.is_csv:
        for reading in readings(document.text())[1:]:
            yield from _cut(document, io.BytesIO(reading.encode()), overlap)


def _cut(document: Document, content: BinaryIO, overlap: int) -> Iterator[_Window]:
    size = content.seek(0, io.SEEK_END)
    for start in range(0, size, WINDOW_BYTES):
        content.seek(start)
        text = content.read(WINDOW_BYTES + overlap).decode(errors="replace")
        is_first, is_last = start == 0, start + WINDOW_BYTES + overlap >= size
        text = text if is_first else text[:3].lstrip(PARTIAL) + text[3:]
        text = text if is_last else text[:-3] + text[-3:].rstrip(PARTIAL)
        yield _Window(document, text, is_first, is_last)


def _holding_any(batch: list[_Window], tokens: list[str]) -> Iterator[_Window]:
    """Return the windows in which a token stands; two halves at a time, since one search has one thread."""
    halves = [half for half in (batch[::2], batch[1::2]) if half]
    frames = pl.collect_all([_holding(half, tokens) for half in halves])
    for half, frame in zip(halves, frames, strict=True):
        yield from (half[index] for index in frame.to_series().arg_true())


def _holding(windows: list[_Window], tokens: list[str]) -> pl.LazyFrame:
    texts = pl.LazyFrame({"text": [window.text for window in windows]})
    return texts.select(pl.col("text").str.contains_any(tokens))


def _tokens(window: _Window, tokens: list[str]) -> set[str]:
    """Return the tokens that stand in a window, by themselves where they must."""
    text = pl.DataFrame({"text": [window.text]})
    found = text.select(
        token=pl.col("text").str.extract_many(tokens, overlapping=True),
        start=pl.col("text").str.find_many(tokens, overlapping=True),
    ).explode("token", "start")
    raw = window.text.encode()
    return {token for token, start in found.iter_rows() if token and _is_alone(window, raw, start, token)}


def _is_alone(window: _Window, raw: bytes, start: int, token: str) -> bool:
    """Return whether nothing that would make a longer word of it is beside a token; false at a cut: another window shows it."""
    not_before, not_after = beside(token)
    if not not_before + not_after:
        return True
    end = start + len(token.encode())
    if (start == 0 and not window.is_first) or (end == len(raw) and not window.is_last):
        return False
    before = raw[max(start - 4, 0) : start].decode(errors="ignore")[-1:]
    after = raw[end : end + 4].decode(errors="ignore")[:1]
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


def _places(document: Document, tokens: list[str]) -> list[tuple[str, pl.Series]]:
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


def _lines(document: Document) -> pl.DataFrame:
    """Return a document's lines in one column without a name, each as it is and with its escapes undone."""
    lines = document.text().split("\n")
    return pl.DataFrame({"": lines if document.is_csv else ["\n".join(readings(line)) for line in lines]})

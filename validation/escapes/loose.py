"""Searches cells and lines for tokens in normal form: however they are spelt, spaced, set, escaped or marked up.

First the normal forms of all distinct texts are searched by one automaton, then each text that it finds is looked at
again with what stands between its words, to tell `ROSS-STORES` from `across stores`. What is looked for belongs to
`forms.py`. Texts without any letter are passed over: bare numbers belong to `code_columns.py`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import polars as pl

from validation.escapes.documents import BROKEN, ENCODED, Document, Hit, readings
from validation.escapes.forms import Form, forms_by_needle
from validation.escapes.identities import Identities
from anonymize.mentions.normal_form import normal_form, spread

_LETTER = r"[A-Za-z]|[^\x00-\x7f]"

BATCH_BYTES = 64 * 2**20
"""Texts that are searched at a time: large, because each search builds its automaton anew."""


class _Part(NamedTuple):
    """Distinct texts of one column of a document, or a whole document."""

    document: Document
    column: int | None
    texts: pl.Series


_Found = Mapping[str, Mapping[str, set[int]]]
"""Text -> kind -> lines of the text, counted from 1."""


def search_loosely(documents: Iterable[Document], identities: Identities) -> Iterator[Hit]:
    """Return where tokens stand, in cells or, of documents without cells, in lines."""
    forms = forms_by_needle(identities)
    for batch in _batches(part for document in documents for part in _parts(document)) if forms else ():
        found = _search(pl.concat([part.texts for part in batch]).unique(), forms)
        for part in batch if found else ():
            yield from _hits(part, found)


def _parts(document: Document) -> list[_Part]:
    try:
        return _columns(document) if document.is_csv else [_whole(document)]
    except BROKEN:
        return [_whole(document)]


def _columns(document: Document) -> list[_Part]:
    cells = document.cells()
    columns = [pl.col(name) for name in cells.collect_schema()]
    distinct = cells.select(column.filter(column.str.contains(_LETTER)).unique().implode() for column in columns)
    lists = distinct.collect().iter_columns()
    return [
        _Part(document, index, each.explode(empty_as_null=False).rename("text")) for index, each in enumerate(lists)
    ]


def _whole(document: Document) -> _Part:
    return _Part(document, None, pl.Series("text", [document.text()]))


def _batches(parts: Iterable[_Part]) -> Iterator[list[_Part]]:
    batch: list[_Part] = []
    size = 0
    for part in parts:
        batch.append(part)
        size += int(part.texts.str.len_bytes().sum())
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _search(texts: pl.Series, forms: Mapping[str, list[Form]]) -> _Found:
    """Return what stands where in distinct texts; texts in which nothing stands are not in it."""
    candidates = _candidates(_readings(texts), list(forms))
    found: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for text, reading, needles in candidates.iter_rows():
        for form, lines in _standing(reading, [form for needle in needles for form in forms[needle]]):
            found[text][form.kind] |= lines
    return found


def _readings(texts: pl.Series) -> pl.DataFrame:
    """Return each text (`text`) in each of its readings (`reading`)."""
    frame = texts.to_frame("text")
    encoded = frame.filter(pl.col("text").str.contains(ENCODED))["text"]
    plain = frame.select("text", reading="text")
    others = [(text, reading) for text in encoded for reading in readings(text)[1:]]
    return plain.vstack(pl.DataFrame(others, schema=plain.schema, orient="row"))


def _candidates(frame: pl.DataFrame, needles: list[str]) -> pl.DataFrame:
    """Return the texts and readings whose normal form holds needles, with these."""
    normal = frame.with_columns(normal=normal_form(frame["reading"]))
    holding = normal.filter(pl.col("normal").str.contains_any(needles))
    held = pl.col("normal").str.extract_many(needles, overlapping=True).list.unique()
    return holding.select("text", "reading", held) if holding.height else holding


def _standing(text: str, forms: Iterable[Form]) -> Iterator[tuple[Form, set[int]]]:
    """Return the forms that stand in a text by themselves, and the lines in which they begin."""
    spreads = {keeps_case: spread(text, keeps_case=keeps_case) for keeps_case in {form.keeps_case for form in forms}}
    for form in forms:
        written = spreads[form.keeps_case]
        if lines := {1 + written.count("\n", 0, match.start()) for match in form.matches(written)}:
            yield form, lines


def _hits(part: _Part, found: _Found) -> Iterator[Hit]:
    held: dict[str, set[str]] = defaultdict(set)
    for text in part.texts.filter(part.texts.is_in(list(found))):
        for kind in found[text]:
            held[kind].add(text)
    for kind, texts in held.items():
        if part.column is None:
            lines = set().union(*(found[text][kind] for text in texts))
            yield Hit(part.document, "", kind, pl.Series(sorted(lines), dtype=pl.Int64))
        else:
            cells = part.document.cells().select(pl.nth(part.column)).collect().to_series()
            rows = cells.is_in(list(texts)).fill_null(value=False).arg_true()
            yield Hit(part.document, cells[0] or "", kind, rows.cast(pl.Int64) + 1)

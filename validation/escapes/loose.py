"""Searches cells and lines for identities however they are spelt, spaced, set, escaped or marked up: by the finder of prose.

What is found here is what is replaced in prose (`anonymize/mentions`). First the normal forms of all distinct texts are
searched by one automaton, then each text that it finds is read. Texts without any letter are passed over: bare numbers
belong to `code_columns.py`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import polars as pl

from anonymize.mentions.codes import EXCHANGES, CodeFinder, code_finder
from anonymize.mentions.finding import Finder, Mention, leftmost_longest
from anonymize.mentions.forms import Term, forms_of, with_strengths
from pipeline.normal_form import letters_of, normal_form, spread_forms, spread_places
from validation.escapes.documents import BROKEN, ENCODED, Document, Hit, batches, readings
from validation.escapes.identifiers import Identifiers

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


def search_loosely(documents: Iterable[Document], identities: Identifiers) -> Iterator[Hit]:
    """Return where tokens stand, in cells or, of documents without cells, in lines."""
    finders = finders_of(identities)
    parts = (part for document in documents for part in _parts(document))
    for batch in batches(parts, _size, least=BATCH_BYTES) if finders.has_any else ():
        found = _search(pl.concat([part.texts for part in batch]).unique(), finders)
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


def _size(part: _Part) -> int:
    return int(part.texts.str.len_bytes().sum())


class Finders(NamedTuple):
    """What is looked for: names and words in their forms, codes in theirs."""

    names: Finder
    codes: CodeFinder
    code: str
    """Pattern of what may be a code, in normal form."""

    @property
    def has_any(self) -> bool:
        """Return whether there is anything to look for."""
        return bool(self.names.forms or self.codes.codes)


@lru_cache(maxsize=1)
def finders_of(identities: Identifiers) -> Finders:
    """Return what finds identities; the last is kept, since every variant of a build is searched for the same."""
    tokens = identities.anywhere().items()
    in_lines = ((" ".join(token.splitlines()), kind) for token, kind in tokens)
    terms = [Term(token, kind, whose=token) for token, kind in in_lines if kind != "code" or not token[:1].isdigit()]
    ordinary = {form.needle for form in forms_of(Term(name, "name") for name in identities.ordinary)}
    people = [term for term in terms if term.kind in identities.people]
    forms = with_strengths(
        forms_of(terms, invented=identities.invented),
        ordinary=ordinary,
        rare={form.needle for form in forms_of(people)},
    )
    numbered = {code: "" for code in identities.codes if code[:1].isdigit()}
    codes = code_finder(numbered, examples=identities.code_examples if numbered else ())
    around = sorted({"".join(filter(str.isalpha, letters_of(code))) for code in numbered} - {""})
    return Finders(
        Finder(tuple(forms)),
        codes,
        _near_digits([*around, *map(str.lower, EXCHANGES), *_said(identities.code_examples)]),
    )


def _said(examples: Iterable[str]) -> Iterator[str]:
    """Yield the words of examples in normal form."""
    for example in examples:
        yield from re.findall(r"[^\W\d_]+", letters_of(example))


def _near_digits(words: Iterable[str]) -> str:
    """Return the pattern of words that stand beside digits."""
    either = "|".join(sorted({re.escape(word) for word in words}))
    return rf"\d(?:{either})|(?:{either})\d"


def _search(texts: pl.Series, finders: Finders) -> _Found:
    """Return what stands where in distinct texts; texts in which nothing stands are not in it."""
    candidates = _candidates(_readings(texts), finders)
    found: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for searched, search in ((candidates.filter("is_named"), names_in), (candidates, codes_in)):
        read = searched["reading"].to_list()
        for mention in search(read, finders):
            line = 1 + read[mention.row].count("\n", 0, mention.start)
            found[searched["text"][mention.row]][mention.kind].add(line)
    return found


def mentions_in(read: Sequence[str], finders: Finders) -> Iterator[Mention]:
    """Yield what surely stands in texts as they are read, each with the token that it is (`whose`)."""
    yield from names_in(read, finders)
    yield from codes_in(read, finders)


def names_in(read: Sequence[str], finders: Finders) -> Iterator[Mention]:
    """Yield the names and words that surely stand in texts."""
    yield from (mention for mention in finders.names.find(read, [None] * len(read)) if mention.is_sure)


def codes_in(read: Sequence[str], finders: Finders) -> Iterator[Mention]:
    """Yield the codes with digits that surely stand in texts."""
    codes = finders.codes.find(spread_forms(read), [None] * len(read))
    for mention in leftmost_longest(codes):
        if mention.is_sure:
            places = spread_places(read[mention.row], keeps_case=True)
            yield mention._replace(start=places[mention.start], end=places[mention.end - 1] + 1)


def _readings(texts: pl.Series) -> pl.DataFrame:
    """Return each text (`text`) in each of its readings (`reading`)."""
    frame = texts.to_frame("text")
    encoded = frame.filter(pl.col("text").str.contains(ENCODED))["text"]
    plain = frame.select("text", reading="text")
    others = [(text, reading) for text in encoded for reading in readings(text)[1:]]
    return plain.vstack(pl.DataFrame(others, schema=plain.schema, orient="row"))


def _candidates(frame: pl.DataFrame, finders: Finders) -> pl.DataFrame:
    """Return the texts and readings whose normal form holds a needle (`is_named`), or what may be a code."""
    normal = frame.with_columns(normal=normal_form(frame["reading"]))
    needles = list(finders.names.by_needle)
    holds = pl.col("normal").str.contains_any(needles) if needles else pl.lit(value=False)
    may_hold_code = pl.col("normal").str.contains(finders.code) if finders.codes.codes else pl.lit(value=False)
    judged = normal.select("text", "reading", is_named=holds, may_hold_code=may_hold_code)
    return judged.filter(pl.col("is_named") | pl.col("may_hold_code"))


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

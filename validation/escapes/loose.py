"""Searches cells and lines for identities however they are spelt, spaced, set, escaped or marked up: by the finder of prose.

What is found here is what is replaced in prose (`anonymize/mentions`). First the normal forms of all distinct texts are
searched by one automaton, then each text that it finds is read. Texts without any letter are passed over: bare numbers
belong to `code_columns.py`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from anonymize.mentions.codes import EXCHANGES, CodeFinder, code_finder
from anonymize.mentions.contacts import numbers_in, significant
from anonymize.mentions.finding import Finder, Mention, leftmost_longest
from anonymize.mentions.forms import Term, forms_of, with_strengths
from pipeline.normal_form import letters_of, normal_form, spread_forms, spread_places
from validation.escapes.documents import ENCODED, Hit, TextDocument, readings
from validation.escapes.identifiers import Identifiers, PackedForms
from validation.escapes.patterns import Patterns

CHANGED = r"[^\x00-\x7f\p{Han}、。，：；！？（）《》“”‘’【】·—…￥％～\u3000]"
"""What may become a letter, a digit, a dot or nothing where a text is spread: not ASCII, Chinese and its usual signs."""


_DIGITS = r"\d(?:[^\w\n]{0,3}\d){6}"
"""What may be a telephone number."""


class _Part(NamedTuple):
    """Distinct texts of one column of a document, or a whole document."""

    document: TextDocument
    column: int | None
    texts: pl.Series


_Found = Mapping[str, Mapping[str, set[int]]]
"""Text -> kind -> lines of the text, counted from 1."""


class Finders(NamedTuple):
    """What is looked for: names and words in their forms, codes in theirs."""

    names: PackedForms
    needles: Patterns
    """The normal forms of names and words."""
    codes: CodeFinder
    code: str
    """Pattern of what may be a code, in normal form."""
    shapes: tuple[str, ...]
    """Patterns of whatever may be a code in spread texts; none if a code may stand anyhow."""
    numbers: Mapping[str, str]
    """Digits of numbers that are found in any notation, in cells alone, with their tokens."""

    @property
    def has_any(self) -> bool:
        """Return whether there is anything to look for."""
        return bool(self.names.packs or self.codes.codes or self.numbers)


def search_loosely(documents: Iterable[TextDocument], finders: Finders) -> Iterator[Hit]:
    """Yield where tokens stand, in cells or, of documents without cells, in lines. All documents are in memory at once."""
    parts = [part for document in documents for part in _parts(document)] if finders.has_any else []
    found = found_in(_readings(parts), finders) if parts else {}
    for part in parts if found else ():
        yield from _hits(part, found)


def stands_in(columns: Sequence[pl.Series], finders: Finders) -> bool:
    """Say whether tokens stand in some texts of columns."""
    document = TextDocument("", "")
    parts = [_Part(document, place, texts) for place, texts in enumerate(columns)]
    return finders.has_any and bool(found_in(_readings(parts), finders))


def _parts(document: TextDocument) -> list[_Part]:
    if document.columns is None:
        return [_Part(document, None, pl.Series("text", document.readings[:1]))]
    return [_Part(document, index, texts) for index, texts in enumerate(document.columns)]


def finders_of(identities: Identifiers) -> Finders:
    """Return what finds identities."""
    tokens = identities.anywhere().items()
    in_lines = ((" ".join(token.splitlines()), kind) for token, kind in tokens)
    # Codes of digits with a suffix have forms of their own, beside digits (`anonymize.mentions.codes`).
    terms = [
        Term(token, kind, whose=token)
        for token, kind in in_lines
        if kind != "code" or not token[:1].isdigit() or token.isalnum()
    ]
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
    names = Finder(tuple(forms)).by_needle
    return Finders(
        PackedForms.of(names),
        Patterns(needle.encode() for needle in names),
        codes,
        _near_digits([*around, *map(str.lower, EXCHANGES), *_said(identities.code_examples)]),
        _shapes(codes),
        identities.numbers(),
    )


def _said(examples: Iterable[str]) -> Iterator[str]:
    """Yield the words of examples in normal form."""
    for example in examples:
        yield from re.findall(r"[^\W\d_]+", letters_of(example))


def _near_digits(words: Iterable[str]) -> str:
    """Return the pattern of words that stand beside digits."""
    either = "|".join(sorted({re.escape(word) for word in words}))
    return rf"\d(?:{either})|(?:{either})\d"


def _shapes(codes: CodeFinder) -> tuple[str, ...]:
    """Return patterns that match, in all texts at once, wherever a label or a suffix may say that a number is a code.

    A bare number is a code only in the shape of an example; if there are any, this tells no texts apart.
    """
    if any(shape.is_declared for shape in codes.shapes):
        return ()
    telling = (shape.pattern for shape in codes.shapes if {"label", "suffix"} & set(shape.pattern.groupindex))
    return tuple(_without_lookaround(pattern.pattern) for pattern in telling)


def _without_lookaround(pattern: str) -> str:
    """Return a pattern that needs no lookaround, which polars has not, and matches at least as much."""
    ended = pattern.replace("(?![A-Za-z0-9])", "(?:[^A-Za-z0-9]|$)")
    bare = re.sub(r"\(\?<?!.*?\)|\?P<\w+>", "", ended)
    return bare.replace(r"[\W_]", r"[^\pL\d]").replace(r"\s", r"[^\pL\d]")


def found_in(readings: pl.DataFrame, finders: Finders) -> _Found:
    """Return what stands where in texts, each in its readings; texts in which nothing stands are not in it."""
    normal = normal_form(readings["reading"])
    held = finders.needles.held(normal)
    named = readings[sorted(held)]
    is_coded = normal.str.contains(finders.code).scatter(list(held), True)
    coded = (
        readings.filter(is_coded & _may_hold_code(readings["reading"], finders)) if finders.codes.codes else named[:0]
    )
    found: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    numbered = (
        readings.filter(readings["is_cell"] & readings["reading"].str.contains(_DIGITS))
        if finders.numbers
        else named[:0]
    )
    for searched, search in ((named, names_in), (coded, codes_in), (numbered, listed_numbers_in)):
        read = searched["reading"].to_list()
        for mention in search(read, finders):
            line = 1 + read[mention.row].count("\n", 0, mention.start)
            found[searched["text"][mention.row]][mention.kind].add(line)
    return found


def _may_hold_code(texts: pl.Series, finders: Finders) -> pl.Series:
    """Say in which texts a known code may stand. Only those are spread in which that could change anything."""
    if not finders.shapes:
        return pl.repeat(value=True, n=len(texts), eager=True)
    changed = texts.str.contains(CHANGED)
    spread = pl.Series(spread_forms(texts.filter(changed).to_list()), dtype=pl.String)
    frame = texts.clone().scatter(changed.arg_true(), spread).to_frame("text").with_row_index("row")
    shaped = frame.filter(pl.col("text").str.contains("|".join(finders.shapes)))
    matches = pl.concat(
        shaped.select("row", match=pl.col("text").str.extract_all(shape)).explode("match", empty_as_null=False)
        for shape in finders.shapes
    )
    # The sign says that a number may be a code; what stands around the match could say so, too.
    known = [match for match in matches["match"].unique() if any(finders.codes.find([f"{match}#"], [None]))]
    return frame["row"].is_in(matches.filter(pl.col("match").is_in(known))["row"].implode())


def mentions_in(read: Sequence[str], finders: Finders) -> Iterator[Mention]:
    """Yield what surely stands in texts as they are read, each with the token that it is (`whose`)."""
    yield from names_in(read, finders)
    yield from codes_in(read, finders)
    yield from listed_numbers_in(read, finders)


def listed_numbers_in(read: Sequence[str], finders: Finders) -> Iterator[Mention]:
    """Yield the listed telephone numbers that stand in texts, in whatever notation."""
    for row, text in enumerate(read):
        for start, end in numbers_in(text, finders.numbers):
            token = next(finders.numbers[one] for one in sorted(significant(text[start:end])) if one in finders.numbers)
            yield Mention(row, start, end, "listed number", "identifier", token, "")


def names_in(read: Sequence[str], finders: Finders) -> Iterator[Mention]:
    """Yield the names and words that surely stand in texts."""
    held = finders.needles.held(normal_form(pl.Series(read, dtype=pl.String)))
    names = finders.names.finder(needle.decode() for needle in set().union(*held.values()))
    yield from (mention for mention in names.find(read, [None] * len(read)) if mention.is_sure)


def codes_in(read: Sequence[str], finders: Finders) -> Iterator[Mention]:
    """Yield the codes with digits that surely stand in texts."""
    codes = finders.codes.find(spread_forms(read), [None] * len(read))
    for mention in leftmost_longest(codes):
        if mention.is_sure:
            places = spread_places(read[mention.row], keeps_case=True)
            yield mention._replace(start=places[mention.start], end=places[mention.end - 1] + 1)


def _readings(parts: Sequence[_Part]) -> pl.DataFrame:
    """Return each distinct text (`text`) in each of its readings (`reading`), and whether it is a cell (`is_cell`)."""
    each = [part.texts.to_frame("text").with_columns(is_cell=pl.lit(part.column is not None)) for part in parts]
    texts = pl.concat(each).group_by("text").agg(pl.col("is_cell").any())
    plain, encoded = texts.with_columns(reading="text"), texts.filter(pl.col("text").str.contains(ENCODED))
    whole = {part.document.readings[0]: part.document.readings for part in parts if part.column is None}
    others = [
        (text, is_cell, reading)
        for text, is_cell in encoded.iter_rows()
        for reading in (whole.get(text) or readings(text))[1:]
    ]
    return plain.vstack(pl.DataFrame(others, schema=plain.schema, orient="row"))


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

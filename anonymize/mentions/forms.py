"""In which forms what identifies somebody is looked for, how far their writing may stray, and what is said in their place.

Any writing of a name's core is a candidate: its words in order, whatever the case, width, script, accents and what stands
between them, a legal form or none. How much else a candidate needs is its *strength*:

- *anyhow*: a core of two words and eight letters (five characters, if one is Chinese) of which one is no ordinary word;
- *cased*: one word, or ordinary words alone: with the capitals that the name has;
- *formed*: anything shorter: with a legal form behind it, as a name in full has;
- *full*: what stands in an invented name: with its own legal form;
- *own*: what is ordinary in the corpus: like *cased* in a text about the company itself, like *formed* elsewhere.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate
from sys import intern
from typing import NamedTuple

import polars as pl

from anonymize.mentions.aligned import Needles, code_points
from anonymize.mentions.ordinary import HAN, SHORT_WORDS, WORD, chinese_words, english_words, syllables
from anonymize.names.legal_forms import (
    CHINESE_FORMS,
    DISTINCTIVE_LETTERS,
    DISTINCTIVE_WITH_CHINESE,
    DISTINCTIVE_WORDS,
    ENGLISH_FORMS,
)
from pipeline.normal_form import letters_of, normal_form, spread

FEWEST_LETTERS, FEWEST_WITH_CHINESE = 4, 2
"""Letters or digits of the shortest core that is looked for by itself; shorter ones are looked for with their legal form."""

FEWEST_OF_PERSON = 3
"""Letters of the shortest surname or given name that is looked for by itself."""

SURE_LETTERS = 4
SURE_LETTERS_OF_CODE = 5
"""Letters of the shortest name of a person, and of the shortest code that is a name, that is looked for in small letters."""

FEWEST_IN_FULL, FEWEST_IN_FULL_WITH_CHINESE = 6, 4
"""Those of the shortest name that is: with these, nothing in the builds of both environments is a false alarm (our choice)."""


class Strength(StrEnum):
    """How much a candidate needs besides its letters."""

    ANYHOW = "anyhow"
    CASED = "cased"
    FORMED = "formed"
    FULL = "full"
    OWN = "own"
    """Its company's own text, and a capital that does not only begin a sentence."""
    NAMED = "named"
    """Its company's own text: there it is the company. In others' texts it is proposed."""


PART, TITLED = "part of a person's name", "person by title"
"""Rules of forms that are a surname or a given name, alone or with a title."""

MISSPELT = "misspelt"
"""Rule of forms that texts write with one wrong word (`near/misspelt.py`)."""

TORN = "blank within a word"
"""Rule of names of which texts set one word apart (`Birch field Foods`): one word alone is sure in its company's own texts."""

IN_PIECES = "code in pieces"
"""Rule of codes whose letters and digits texts set apart (`F-043`, `F 043` for `F043`): sure in their company's own texts,
and with hyphens in any."""

DISTINCTIVE, SHARED = "distinctive word", "word of many names"
"""Rules of distinctive words: of a company's name, and of the names of many companies, so that they are nobody's and stay."""

PERSON, WORDS = "person", "word"
"""Kinds of terms of their own: people, whose names turn round, and distinctive words of names, which were measured."""

NAMES = ("name", "english", "chinese", "short", "former", "called")
"""Kinds of terms that are names of companies: a product or a subsidiary has words of its own."""


class Term(NamedTuple):
    """One listed writing of what identifies somebody."""

    surface: str
    kind: str
    whose: str = ""
    """Original code of the company that it belongs to."""
    pseudonym: str = ""
    """What takes its place."""
    bare: str = ""
    """What takes its place where it stands without its legal form; the same if empty."""
    brand: str = ""
    """What takes the place of a distinctive word of it."""

    @property
    def is_numbered_code(self) -> bool:
        """Return whether it is a code with a digit in it, which is no word in any case."""
        return self._is_code and any(map(str.isdigit, self.surface))

    @property
    def is_named_code(self) -> bool:
        """Return whether it is a code that is a name (`Prednisone`), in any case: no ticker in capitals, no word."""
        if not self._is_code or self.surface.isupper() or self.surface.islower():
            return False
        known = letters_of(self.surface)
        return len(known) >= SURE_LETTERS_OF_CODE and known not in english_words()

    @property
    def _is_code(self) -> bool:
        return self.kind.endswith("code")


class Form(NamedTuple):
    """One form in which a term is looked for."""

    term: Term
    rule: str
    words: tuple[str, ...]
    """The words of its core in their own case."""
    legal: str
    """Its legal form in normal form; empty if it has none."""
    strength: Strength
    says: str
    """What takes the place of its core alone."""
    needle: str
    """The normal form of the core."""

    @property
    def is_strict(self) -> bool:
        """Return whether it may be in its own case or in capitals only: a code of letters alone may be a word in small ones."""
        return self.term.kind.endswith("code") and not (self.term.is_numbered_code or self.term.is_named_code)

    @property
    def is_one_word(self) -> bool:
        """Return whether it is a distinctive word of a company's name, or a name of one word."""
        return self.term.kind == WORDS or (self.term.kind in NAMES and len(self.words) == 1)

    @property
    def means_its_company(self) -> bool:
        """Return whether it is such a word, and no ordinary one of others' texts: in its company's own it is the company."""
        return self.strength is Strength.NAMED or (self.strength is Strength.CASED and self.is_one_word)

    @property
    def breaks(self) -> frozenset[int]:
        """Return the places in the needle at which a word of the core begins."""
        return frozenset(accumulate((len(letters_of(word)) for word in self.words), initial=0))


def forms_of(terms: Iterable[Term], *, invented: Iterable[str] = ()) -> tuple[Form, ...]:
    """Return every form of terms, in their order.

    Args:
        terms: What is listed; of terms with one core the first counts, where nothing else decides.
        invented: What stands in the place of terms: a core that stands there too may be another's.
    """
    cores = [(term, _core(term.surface)) for term in terms]
    taken = _taken({core.needle for _, core in cores}, invented)
    return tuple(form for term, core in cores for form in _forms(term, core, taken))


def with_strengths(
    forms: Iterable[Form],
    *,
    ordinary: Collection[str],
    rare: Collection[str] = (),
    named: Collection[str] = (),
    public: Collection[str] = (),
) -> Iterator[Form]:
    """Yield forms with the strength that their cores have in a corpus.

    Args:
        ordinary: Cores in normal form that are ordinary words there.
        rare: Those that are too short to be sure by themselves, and stand there for one company alone.
        named: Words of names that are known in their companies' own texts alone.
        public: Public words: no part of anybody's name is one.
    """
    for form in forms:
        if form.rule == PART and form.needle in public:
            continue
        if form.term.is_named_code or (form.term.kind == PERSON and form.rule != PART):
            yield form
        elif form.needle in ordinary:
            yield form._replace(strength=Strength.OWN)
        elif form.needle in named and (form.term.kind == WORDS or form.strength is Strength.FORMED):
            yield form._replace(strength=Strength.NAMED)
        elif form.needle in rare and form.strength in {Strength.OWN, Strength.FORMED}:
            yield form._replace(strength=Strength.ANYHOW if HAN.search(form.needle) else Strength.CASED)
        else:
            yield form


def kind_of(identifier: str) -> str:
    """Return the kind of term that an identifier without a kind is: a person's name, or just an identifier."""
    is_person = _PERSON_LIKE.fullmatch(identifier) and not _core(identifier).legal and len(identifier) >= FEWEST_LETTERS
    return PERSON if is_person else "identifier"


class _Core(NamedTuple):
    words: tuple[str, ...]
    legal: str
    needle: str


@lru_cache(maxsize=1 << 16)
def _core(surface: str) -> _Core:
    """Take a name apart: the words of its core in their own case, and its legal form in normal form."""
    written = _GLUED.sub(r" \1", spread(" ".join(surface.splitlines()), keeps_case=True).strip())
    bare = _ARTICLE.sub("", written)
    core = _LEGAL_FORM.sub("", bare)
    # A Chinese word is one character: of all names together there are few, and each would be an object of its own.
    words, of_legal = (tuple(map(intern, WORD.findall(part))) for part in (core, bare[len(core) :]))
    needle, legal = _joined(words), _joined(of_legal)
    if len(needle) < (FEWEST_WITH_CHINESE if HAN.search(core) else FEWEST_LETTERS):
        return _Core((*words, *of_legal), "", needle + legal)
    return _Core(words, legal, needle)


def known_by(surface: str) -> tuple[str, ...]:
    """Return the words by which somebody is known, without a legal form, in normal form."""
    return tuple(map(letters_of, _core(surface).words))


def _joined(words: Iterable[str]) -> str:
    return letters_of("".join(words))


def _taken(cores: Collection[str], invented: Iterable[str]) -> frozenset[str]:
    """Return the cores that stand in invented names."""
    names = normal_form(pl.Series(tuple(invented), dtype=pl.String))
    likely = Needles(sorted(cores)).likely_in(code_points(names.to_list()))
    return frozenset(names.str.extract_many(likely, overlapping=True).explode().drop_nulls()) if likely else frozenset()


def _forms(term: Term, core: _Core, taken: Collection[str]) -> Iterator[Form]:
    if term.kind == PERSON:
        yield from _of_person(term, core.words)
        return
    strength = _strength(term, core, taken)
    if strength is None:
        return
    says = (term.bare or term.pseudonym) if core.legal else term.pseudonym
    rule = "name" if term.kind != WORDS else DISTINCTIVE if term.whose else SHARED
    yield Form(term, rule, core.words, core.legal, strength, says, core.needle)
    pieces = tuple(piece for word in core.words for piece in _PIECE.findall(word))
    if term.is_numbered_code and len(pieces) > len(core.words):
        yield Form(term, IN_PIECES, pieces, core.legal, Strength.NAMED, says, core.needle)
    for words in _conjunctions(term.surface, core):
        yield _form(term, rule, words, strength, says, core.legal)


def _form(term: Term, rule: str, words: tuple[str, ...], strength: Strength, says: str, legal: str = "") -> Form:
    return Form(term, rule, words, legal, strength, says, _joined(words))


def _strength(term: Term, core: _Core, taken: Collection[str]) -> Strength | None:
    """Return how much a core needs, nothing where it could be anything; see above."""
    joined = core.needle
    if not any(map(str.isalpha, joined)) or (term.kind == WORDS and joined in taken):
        return None
    if term.kind == WORDS:
        return Strength.ANYHOW if HAN.search(joined) else Strength.CASED
    if term.is_numbered_code or term.is_named_code:
        return Strength.ANYHOW
    if not core.legal:
        return _of_whole(core.words, joined)
    if joined in taken:
        return Strength.FULL
    return _of_core(core.words, joined)


def _of_whole(words: tuple[str, ...], joined: str) -> Strength:
    """Return what a name needs that has no legal form."""
    if HAN.search(joined):
        return Strength.ANYHOW if len(joined) >= FEWEST_IN_FULL_WITH_CHINESE else Strength.OWN
    if len(words) == 1:
        return Strength.CASED if len(joined) >= FEWEST_LETTERS else Strength.OWN
    if len(joined) < FEWEST_IN_FULL:
        return Strength.OWN
    return Strength.CASED if english_words().issuperset(map(letters_of, words)) else Strength.ANYHOW


def _of_core(words: tuple[str, ...], joined: str) -> Strength:
    """Return what a core needs whose name has a legal form."""
    if HAN.search(joined):
        is_known = len(joined) >= DISTINCTIVE_WITH_CHINESE and not chinese_words().fullmatch(joined)
        return Strength.ANYHOW if is_known else Strength.FORMED
    if len(words) < DISTINCTIVE_WORDS or len(joined) < DISTINCTIVE_LETTERS:
        return Strength.FORMED
    return Strength.CASED if english_words().issuperset(map(letters_of, words)) else Strength.ANYHOW


def _conjunctions(surface: str, core: _Core) -> Iterator[tuple[str, ...]]:
    """Return words with `and` written in other ways: a sign, which has no normal form, a word, or HTML's entity."""
    words = core.words
    if "and" in core.needle and "and" in map(letters_of, words[1:-1]):
        yield tuple(word for word in words if letters_of(word) != "and")
    elif "&" in surface and len(words) > 1:
        at = len(WORD.findall(_ARTICLE.sub("", spread(surface.partition("&")[0], keeps_case=True).strip())))
        if 0 < at < len(words):
            yield (*words[:at], "and", *words[at:])
            yield (*words[:at], "amp", *words[at:])


def _of_person(term: Term, words: tuple[str, ...]) -> Iterator[Form]:
    """Return the forms of a person's name: as it is and, in languages that set words apart, turned round."""
    named = tuple(word for word in words if letters_of(word) not in _TITLES)
    if not named or len(_joined(named)) < FEWEST_WITH_CHINESE:
        return
    if HAN.search("".join(named)):
        strength = Strength.ANYHOW if len(named) > FEWEST_WITH_CHINESE else Strength.OWN
        yield _form(term, "person", named, strength, term.pseudonym)
        yield from (
            _form(term, TITLED, (*named[:1], *title), Strength.OWN, term.pseudonym[:1] + title)
            for title in _CHINESE_TITLES
        )
        return
    said = term.pseudonym.split()
    if len(named) > 1:
        yield _form(term, "person", named, Strength.CASED, term.pseudonym)
        yield _form(term, "person", named[::-1], Strength.CASED, " ".join(said[::-1]))
        yield _form(term, "person", (*named[-1:], *named[:-1]), Strength.CASED, " ".join((*said[-1:], *said[:-1])))
        yield _form(term, "person", (*named[1:], *named[:1]), Strength.CASED, " ".join((*said[1:], *said[:1])))
    yield from _parts_of_person(term, named, said)
    for title in _TITLES:
        for word, other in zip((named[0], named[-1]), (said[:1], said[-1:]), strict=True):
            if other:
                called = title.capitalize()
                yield _form(term, TITLED, (called, word), Strength.OWN, f"{_written(called)} {other[0]}")


def _parts_of_person(term: Term, named: Sequence[str], said: Sequence[str]) -> Iterator[Form]:
    """Return each word of a person's name alone, of one and of several of the family; a syllable of Chinese says nothing."""
    others = [*(said[0] for _ in named[1:]), said[-1]] if said else []
    for word, other in dict(zip(named, others, strict=False)).items():
        needle = letters_of(word)
        if len(needle) < FEWEST_OF_PERSON or needle in syllables():
            continue
        strength = Strength.ANYHOW if len(word) >= SURE_LETTERS and needle not in english_words() else Strength.CASED
        yield from (_form(term, PART, (word + end,), strength, other + end) for end in ("", "s"))


def _written(title: str) -> str:
    return f"{title}." if title in {"Mr", "Mrs", "Ms", "Dr"} else title


_TITLES = ("mr", "mrs", "ms", "miss", "dr", "sir", "professor", "chairman", "chairwoman")
_CHINESE_TITLES = ("先生", "女士", "董事长", "总经理", "博士", "教授", "总")

_PERSON_LIKE = re.compile(r"[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ]\.?)?(?: (?:[a-z]{2,3} )?[A-ZÀ-Þ][\w'’-]+){0,2}")

_GAP = r"[\W_]*"
_GLUED = re.compile(r"(?<=[a-z])(Co)(?=[\W_]+L|\W*$)")
"""A legal form that touches the word before it (`TechnologyCo.,Ltd`)."""
_PIECE = re.compile(r"\d+|\D+")
"""Letters or digits of a code."""

_ARTICLE = re.compile(r"^the[\W_]+(?=\w)", re.IGNORECASE)
_LEGAL_FORM = re.compile(
    rf"(?:{_GAP}(?:{'|'.join(CHINESE_FORMS)}))+{_GAP}$"
    rf"|(?:[\W_]+(?:{'|'.join(map(_GAP.join, ENGLISH_FORMS))}))+{_GAP}$",
    re.IGNORECASE,
)


def is_small(word: str) -> bool:
    """Return whether a word joins others, so that capitals do not count in it."""
    return letters_of(word) in SHORT_WORDS

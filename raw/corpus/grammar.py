"""The grammar of core-competitiveness narratives: how the sentences of `sentences.py` make a text about one firm.

A text is a function of its subject and a stream: another subject gives another text of the same kind. No text states a
figure of the firm's accounts. Which firms have a narrative belongs to `firms/narratives.py`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, cached_property
from string import Formatter

import polars as pl

from pipeline.keyed import KeyedRandom
from raw.corpus.sentences import CLOSINGS, NUMERALS, OPENING_EXTRAS, OPENINGS, SECTIONS
from raw.corpus.trades import TRADES
from raw.vocabulary.industries import INDUSTRIES

_SENTENCES = {3: (3, 4), 4: (2, 3, 4), 5: (2, 3)}
"""Numbers of sections, and of sentences in each: a narrative has 500 to 1,200 characters."""

_SKILLS: Mapping[str, tuple[str, ...]] = {industry.name: TRADES[industry.id].skills for industry in INDUSTRIES}


@dataclass(frozen=True)
class Subject:
    """The firm that a narrative is about. Sentences about a city or an industry are left out for a firm without one."""

    code: str
    legal: str
    short: str
    english: str
    city: str | None
    industry: str | None
    subsidiaries: list[str]
    products: list[str]

    @property
    def bare(self) -> str:
        """Return the code without its suffix."""
        return self.code.partition(".")[0]

    @cached_property
    def words(self) -> Mapping[str, str]:
        """Return the words that are the same in every sentence, by placeholder; one that the firm has none for is missing."""
        names = {
            "code": self.code,
            "bare": self.bare,
            "legal": self.legal,
            "short": self.short,
            "english": self.english,
        }
        places = {"city": self.city, "industry": self.industry}
        return names | {place: word for place, word in places.items() if word is not None}


def subjects(firms: pl.DataFrame) -> Iterator[Subject]:
    """Return the subject of each row; the columns are named like the fields."""
    columns = (field.name for field in fields(Subject))
    return (Subject(*row) for row in firms.select(*columns).iter_rows())


def narrative(subject: Subject, stream: KeyedRandom) -> str:
    """Compose opening, some sections, closing; every subsidiary and product is mentioned."""
    sections, known = stream.sample(list(SECTIONS), stream.choice(list(_SENTENCES))), frozenset(_words(subject, 0))
    parts = [_one_of(_fitting(pool, known), subject, stream) for pool in (OPENINGS, OPENING_EXTRAS)]
    for numeral, section in zip(NUMERALS, sections, strict=False):
        pool = _fitting(SECTIONS[section], known)
        sentences = stream.sample(pool, min(stream.choice(_SENTENCES[len(sections)]), len(pool)))
        parts.append(f"{numeral}、{section}。" + "".join(_filled(sentence, subject, stream) for sentence in sentences))
    closing = _one_of(_fitting(CLOSINGS, known), subject, stream)
    return " ".join(part for part in (*parts, _roll_call(subject), closing) if part)


def _one_of(fitting: Sequence[str], subject: Subject, stream: KeyedRandom) -> str:
    """Return one of the sentences; nothing if there is none."""
    return _filled(stream.choice(fitting), subject, stream) if fitting else ""


@cache
def _fitting(pool: tuple[str, ...], known: frozenset[str]) -> list[str]:
    """Return the sentences of a pool whose placeholders are all known."""
    return [sentence for sentence in pool if _places(sentence) <= known]


def _places(sentence: str) -> set[str]:
    """Return the names of the placeholders in a sentence."""
    return {place for _, place, _, _ in Formatter().parse(sentence) if place}


def _filled(sentence: str, subject: Subject, stream: KeyedRandom) -> str:
    """Fill the placeholders of a sentence, all by one draw."""
    return sentence.format(**_words(subject, stream.getrandbits(64)))


def _words(subject: Subject, draw: int) -> dict[str, str | int]:
    """Return the words that a draw puts into placeholders; placeholders for which the subject has none are missing."""
    return {
        **subject.words,
        **_two("skill", _SKILLS.get(subject.industry or "", ()), draw),
        **_two("subsidiary", subject.subsidiaries, draw >> 8),
        **_two("product", subject.products, draw >> 16),
        "n": 5 + (draw >> 24) % 44,
        "few": 2 + (draw >> 40) % 8,
    }


def _two(place: str, words: Sequence[str], draw: int) -> dict[str, str]:
    """Return the drawn word and the one after it, for a place and the second of its kind."""
    return {place: words[draw % len(words)], f"{place}2": words[(draw + 1) % len(words)]} if words else {}


def _roll_call(subject: Subject) -> str:
    """Say by all its names who the firm is, and which subsidiaries and products it has."""
    subsidiaries, products = "、".join(subject.subsidiaries), "、".join(subject.products)
    names = f"{subject.legal}（股票代码：{subject.bare}，简称{subject.short}）"
    return f"截至报告期末，{names}的主要子公司为{subsidiaries}；主要产品为{products}。"

"""The narratives of core competitiveness: prose about a firm that mentions its names, code, subsidiaries and products.

Composed from the sentences of `sentences.py`, each firm by a stream of its own. No figure of the firm is told.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import polars as pl

from pipeline.keyed import KeyedRandom
from raw.corpus.draws import CORPUS_KEY
from raw.corpus.population import scaled
from raw.corpus.sentences import CLOSINGS, NUMERALS, OPENING_EXTRAS, OPENINGS, SECTIONS
from raw.corpus.stamps import LATEST_YEAR, load_stamps, numbered
from raw.corpus.trades import TRADES

_KEY = CORPUS_KEY.derive("narratives")

NARRATIVES = 4_907
"""Narratives of the release, one a firm."""

_SENTENCES = {3: (3, 4), 4: (2, 3, 4), 5: (2, 3)}
"""Numbers of sections, and of sentences in each: a narrative has 500 to 1,200 characters."""

HEADER = ("id", "bmCode", "year", "hasRun", "bmCoreVieContent", "isDelete", "createTime", "updateTime")


@dataclass(frozen=True)
class Subject:
    """What a narrative is about."""

    code: str
    legal: str
    short: str
    english: str
    city: str
    industry: str
    industry_id: int
    subsidiaries: list[str]
    products: list[str]

    @property
    def bare(self) -> str:
        """Return the code without its suffix."""
        return self.code.partition(".")[0]


def narrated(firms: pl.DataFrame, scale: float) -> pl.DataFrame:
    """Return the firms (column `firm`) that have a narrative."""
    return firms.sort(_KEY.mac("firm")).head(scaled(NARRATIVES, scale)).select("firm")


def company_core(firms: pl.DataFrame, aliases: pl.DataFrame) -> pl.DataFrame:
    """Return the narratives as text, by code; the firms with subsidiaries among the aliases have one."""
    owned = [
        aliases.filter(pl.col("kind") == kind).group_by("firm").agg(pl.col("alias").sort().alias(plural))
        for kind, plural in (("subsidiary", "subsidiaries"), ("product", "products"))
    ]
    told = firms.join(owned[0], on="firm").join(owned[1], on="firm").sort("code")
    texts = [_narrative(subject) for subject in _subjects(told)]
    rows = numbered(told.select(bmCode="code").with_columns(bmCoreVieContent=pl.Series(texts, dtype=pl.String)))
    constant = {"year": str(LATEST_YEAR), "hasRun": "1", "isDelete": "0"}
    named = {name: pl.lit(value) for name, value in constant.items()}
    return rows.with_columns(**named, **load_stamps(rows_a_second=1)).select(pl.col(HEADER).cast(pl.String))


def _subjects(told: pl.DataFrame) -> Iterator[Subject]:
    columns = (field.name for field in fields(Subject))
    return (Subject(*row) for row in told.select(*columns).iter_rows())


def _narrative(subject: Subject) -> str:
    """Compose opening, some sections, closing; every subsidiary and product is mentioned."""
    stream = _KEY.stream("prose", subject.code)
    sections = stream.sample(list(SECTIONS), stream.choice(list(_SENTENCES)))
    parts = [_filled(stream.choice(pool), subject, stream) for pool in (OPENINGS, OPENING_EXTRAS)]
    for numeral, section in zip(NUMERALS, sections, strict=False):
        sentences = stream.sample(SECTIONS[section], stream.choice(_SENTENCES[len(sections)]))
        parts.append(f"{numeral}、{section}。" + "".join(_filled(sentence, subject, stream) for sentence in sentences))
    return " ".join((*parts, _roll_call(subject), _filled(stream.choice(CLOSINGS), subject, stream)))


def _filled(sentence: str, subject: Subject, stream: KeyedRandom) -> str:
    """Fill the places of a sentence; one draw decides them all."""
    draw, skills = stream.getrandbits(64), TRADES[subject.industry_id].skills
    return sentence.format(
        code=subject.code,
        bare=subject.bare,
        legal=subject.legal,
        short=subject.short,
        english=subject.english,
        city=subject.city,
        industry=subject.industry,
        skill=_turned(skills, draw, 0),
        skill2=_turned(skills, draw, 1),
        subsidiary=_turned(subject.subsidiaries, draw >> 8, 0),
        subsidiary2=_turned(subject.subsidiaries, draw >> 8, 1),
        product=_turned(subject.products, draw >> 16, 0),
        product2=_turned(subject.products, draw >> 16, 1),
        n=5 + (draw >> 24) % 44,
        few=2 + (draw >> 40) % 8,
    )


def _turned(words: Sequence[str], draw: int, step: int) -> str:
    """Return the drawn word, or the one that stands `step` places after it."""
    return words[(draw + step) % len(words)]


def _roll_call(subject: Subject) -> str:
    """Say by all its names who the firm is, and which subsidiaries and products it has."""
    subsidiaries, products = "、".join(subject.subsidiaries), "、".join(subject.products)
    names = f"{subject.legal}（股票代码：{subject.bare}，简称{subject.short}）"
    return f"截至报告期末，{names}的主要子公司为{subsidiaries}；主要产品为{products}。"

"""The texts of policies: bodies in HTML and plain, summaries; the table that holds them, and the translated titles.

Composed from the titles of `titles.py` and the sentences of `sentences.py`, each policy by a stream of its
own; some bodies name a listed firm. Which policies there are is decided in `drawn.py`.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import polars as pl

from pipeline.keyed import KeyedRandom
from raw.corpus.policies.drawn import PolicyText
from raw.corpus.policies.sentences import CHAPTERS, MENTIONS, NUMERALS, PREAMBLES
from raw.corpus.policies.titles import make_heading
from raw.corpus.stamps import load_stamps, numbered
from raw.corpus.trades import TRADES
from raw.draws import CORPUS_KEY, scaled
from raw.vocabulary.industries import INDUSTRIES

_KEY = CORPUS_KEY.derive("policy texts")

_COLUMNS = """
id title content clearContent summary attachmentList originalUrl writtenDate publishDate policyClassification province
city area issueAuthor createTime updateTime isDelete machineSummary industry
"""
HEADER = tuple(_COLUMNS.split())

_MENTION_SHARE = 0.2
"""Share of policies that name a listed firm; our choice."""

_ATTACHMENT_SHARE, _EMPTY_ATTACHMENTS = 0.3, ("[]", "{}")
_SUMMARY_CHARACTERS = 150
_MACHINE_SENTENCES = 3
_LONGEST_DELAY_DAYS = 30
_SENTENCES = {"总体要求": 3, "重点任务": 8, "支持政策": 5, "申报条件与程序": 3, "保障措施": 4, "附则": 2}
"""Most sentences of each chapter; a text has 800 to 2,500 characters."""
_FEWEST = {"总体要求": 2, "重点任务": 5, "支持政策": 3, "申报条件与程序": 2, "保障措施": 3, "附则": 1}

_NAMES = {industry.id: industry.name for industry in INDUSTRIES}

TRANSLATED_TITLES = 12
"""Policy titles with an English form in the release's bilingual file (reference, section 8)."""

Firm = tuple[str, str]
"""Legal name and code."""


@dataclass(frozen=True)
class _Chapter:
    title: str
    sentences: tuple[str, ...]


def policy_resource(policies: Sequence[PolicyText], firms: pl.DataFrame) -> pl.DataFrame:
    """Return the policies as text, in keyed order of their numbers; firms have `industry_id`, `legal` and `code`."""
    listed = {industry: _firms_of(firms, industry) for industry in TRADES}
    ordered = sorted(policies, key=lambda policy: _KEY.digest("order", str(policy.number)))
    rows = numbered(pl.DataFrame([_row(policy, listed) for policy in ordered], schema=_schema(), orient="row"))
    dated = _with_distinct_titles(rows)
    return dated.with_columns(isDelete=pl.lit("0"), **load_stamps(rows_a_second=1)).select(
        pl.col(HEADER).cast(pl.String)
    )


def translated_titles(policies: Iterable[PolicyText], scale: float) -> dict[str, str]:
    """Return titles of policies with their English forms: some in keyed order, fewer if fewer have one."""
    headings = [make_heading(policy, _stream(policy)) for policy in policies]
    english = {heading.title: heading.english for heading in headings if heading.english}
    ordered = sorted(english, key=lambda title: _KEY.digest("translated", title))
    return {title: english[title] for title in ordered[: scaled(TRANSLATED_TITLES, scale)]}


def _stream(policy: PolicyText) -> KeyedRandom:
    return _KEY.stream("text", str(policy.number))


def _firms_of(firms: pl.DataFrame, industry: int) -> list[Firm]:
    return firms.filter(pl.col("industry_id") == industry).sort("code").select("legal", "code").rows()


def _schema() -> dict[str, type[pl.String]]:
    made_later = {"id", "createTime", "updateTime", "isDelete"}
    return {name: pl.String for name in HEADER if name not in made_later}


def _with_distinct_titles(rows: pl.DataFrame) -> pl.DataFrame:
    """Number the policies that would have the same title."""
    nth = pl.int_range(1, pl.len() + 1).over("title")
    return rows.with_columns(title=pl.when(nth > 1).then(pl.format("{}（第{}批）", "title", nth)).otherwise("title"))


def _row(policy: PolicyText, listed: Mapping[int, list[Firm]]) -> tuple[str | None, ...]:
    stream = _stream(policy)
    heading = make_heading(policy, stream)
    title, words = heading.title, heading.words
    preamble = stream.choice(PREAMBLES).format(**words)
    chapters = _chapters(policy, words, stream, listed)
    clear = _plain(title, preamble, chapters)
    written = policy.published - timedelta(days=stream.randint(0, _LONGEST_DELAY_DAYS))
    return (
        title,
        _html(title, preamble, chapters),
        clear,
        clear.replace("\n", "")[:_SUMMARY_CHARACTERS],
        _attachments(title, stream),
        f"https://policy.example/{policy.published.year}/{policy.number:06d}.html",
        _day(written),
        _day(policy.published),
        policy.classification,
        policy.province,
        policy.city,
        policy.area,
        "，".join(policy.agencies),
        _machine_summary(chapters, stream),
        "；".join(_NAMES[industry] for industry in policy.industries) or None,
    )


def _chapters(
    policy: PolicyText, words: Mapping[str, str], stream: KeyedRandom, listed: Mapping[int, list[Firm]]
) -> list[_Chapter]:
    chapters = []
    for numeral, (name, pool) in zip(NUMERALS, CHAPTERS.items(), strict=True):
        templates = stream.sample(pool, stream.randint(_FEWEST[name], _SENTENCES[name]))
        sentences = [template.format(**words, **_numbers(stream)) for template in templates]
        if name == "重点任务":
            sentences += _mention(policy, words, stream, listed)
        marked = tuple(f"（{place}）{sentence}" for place, sentence in enumerate(sentences, 1))
        chapters.append(_Chapter(f"{numeral}、{name}", marked))
    return chapters


def _numbers(stream: KeyedRandom) -> dict[str, str]:
    """Return the numbers of one sentence; one draw decides them all."""
    draw = stream.getrandbits(64)
    n, few, percent, amount = (
        10 + draw % 90,
        2 + (draw >> 8) % 8,
        5 * (1 + (draw >> 16) % 6),
        50 * (1 + (draw >> 24) % 40),
    )
    return {"n": str(n), "few": str(few), "percent": str(percent), "amount": str(amount)}


def _mention(
    policy: PolicyText, words: Mapping[str, str], stream: KeyedRandom, listed: Mapping[int, list[Firm]]
) -> list[str]:
    """Return a sentence that names a firm of the policy's industry, or none."""
    firms = listed[policy.industries[0]] if policy.industries else []
    if not firms or stream.random() >= _MENTION_SHARE:
        return []
    legal, code = stream.choice(firms)
    return [stream.choice(MENTIONS).format(**words, legal=legal, code=code, bare=code.partition(".")[0])]


def _plain(title: str, preamble: str, chapters: Sequence[_Chapter]) -> str:
    lines = [line for chapter in chapters for line in (chapter.title, *chapter.sentences)]
    return "\n".join([title, preamble, *lines])


def _html(title: str, preamble: str, chapters: Sequence[_Chapter]) -> str:
    """Return the text as the markup of a web page that it was taken from."""
    body = [f'<p style="text-align: justify;">{_escaped(preamble)}</p>']
    for chapter in chapters:
        body.append(f"<p><strong>{_escaped(chapter.title)}</strong></p>")
        body += [f'<p style="font-weight: 400;">&ensp;&ensp;{_escaped(sentence)}</p>' for sentence in chapter.sentences]
    return "\n".join([f'<h1 class="title">{_escaped(title)}</h1>', *body, "<p>&nbsp;</p>"])


def _escaped(text: str) -> str:
    return text.replace("“", "&ldquo;").replace("”", "&rdquo;")


def _attachments(title: str, stream: KeyedRandom) -> str:
    if stream.random() >= _ATTACHMENT_SHARE:
        return stream.choice(_EMPTY_ATTACHMENTS)
    return json.dumps([{"name": f"附件：{title}.pdf", "size": stream.randint(40, 4_000)}], ensure_ascii=False)


def _machine_summary(chapters: Sequence[_Chapter], stream: KeyedRandom) -> str:
    """Return some sentences in another order, as an extractive summariser does."""
    return ";".join(
        stream.sample([sentence for chapter in chapters for sentence in chapter.sentences], _MACHINE_SENTENCES)
    )


def _day(day: date) -> str:
    return f"{day.day}/{day.month}/{day.year}"

"""Finds, by what a text itself says, how a company was called before, and how it is called for short.

`formerly known as X and changed its name to Y`, `(the "X")`, `原名X`, `简称“X”`: patterns of English and Chinese. What is found
is listed for the curator, and looked for in all texts.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from anonymize.mentions.blocks import Passage
from anonymize.mentions.ordinary import HAN, WORD, english_words
from anonymize.names.legal_forms import CHINESE_FORMS, ENGLISH_FORMS
from pipeline.normal_form import letters_of, spread

FORMER, CALLED = "former", "called"
"""Kinds of names that texts tell: what a company was called, and what it is called for short."""

LONGEST = 120
"""Characters of the longest name that is read."""

MOST_CALLED = 2
"""Companies whose texts may call them by one short name; what more are called says nothing (`the Company`)."""


class Called(NamedTuple):
    """A name that a text tells of its company, and where."""

    table: str
    column: str
    row: int
    code: str
    kind: str
    name: str


def called(passages: Iterable[Passage], *, unnamed: Collection[int] = ()) -> Iterator[Called]:
    """Yield the names that texts tell of the companies that they are about, each once a text.

    Args:
        passages: Prose; what is about no company is not read.
        unnamed: Places of passages in which no listed name of their company stands: the name with a legal form with which
            such a text begins is its company's.
    """
    for place, (table, column, row, text, code) in enumerate(passages):
        if code is not None:
            names = (*_in_english(text), *_in_chinese(text), *(_subject(text) if place in unnamed else ()))
            yield from (Called(table, column, row, code, *one) for one in dict.fromkeys(names) if _is_name(one[1]))


def of_few(learnt: Sequence[Called]) -> list[Called]:
    """Return names that texts tell without the short ones by which many companies are called."""
    users: dict[str, set[str]] = defaultdict(set)
    for one in learnt:
        users[letters_of(one.name)].add(one.code)
    return [one for one in learnt if one.kind == FORMER or len(users[letters_of(one.name)]) <= MOST_CALLED]


def _in_english(text: str) -> Iterator[tuple[str, str]]:
    if not _ENGLISH_HINT.search(text):
        return
    for match in _ENGLISH_FORMER.finditer(text):
        if name := capital_run(text, match.end()):
            yield FORMER, name
            if changed := _CHANGED.match(text, match.end() + len(name)):
                yield FORMER, capital_run(text, changed.end())
    for match in _CHANGED.finditer(text):
        yield FORMER, capital_run(text, match.end())
    for match in _ENGLISH_CALLED.finditer(text):
        yield CALLED, match[1] or capital_run(text, match.end())


def _in_chinese(text: str) -> Iterator[tuple[str, str]]:
    for match in _CHINESE_FORMER.finditer(text):
        yield FORMER, _chinese(match[1])
    for match in _CHINESE_CALLED.finditer(text):
        yield from ((CALLED, _chinese(name)) for name in _QUOTED.findall(match[0]) or [match[1]] if name)


def _subject(text: str) -> Iterator[tuple[str, str]]:
    """Yield the name with which a text begins, if it has a legal form."""
    name = capital_run(text, 0)
    words = [letters_of(word) for word in WORD.findall(spread(name))]
    if len(words) > 1 and words[-1] in ENGLISH_FORMS:
        yield FORMER, name


def capital_run(text: str, start: int) -> str:
    """Return the name in Latin letters that begins at a place: words with capitals, and legal forms behind them."""
    end = reached = start
    was_legal = False
    for match in _TOKEN.finditer(text, start, start + LONGEST):
        if match.start() != reached:
            break
        word = match[1]
        is_legal = letters_of(word) in ENGLISH_FORMS
        if was_legal and not is_legal:
            break
        is_joining = word.lower() in _JOINING
        if not (is_legal or is_joining or word[0].isupper() or word[0].isdigit() or word[0] in "(&"):
            break
        reached = match.end()
        if not is_joining:
            end = match.start(1) + len(word) + (is_legal and match[2].startswith("."))
        was_legal = is_legal
        if _stops(text, match, is_legal=is_legal):
            break
    return _balanced(text[start:end])


def _stops(text: str, match: re.Match[str], *, is_legal: bool) -> bool:
    """Say whether a name ends with a word for what stands behind it."""
    behind = match[2]
    following = _TOKEN.match(text, match.end())
    leads_on = following is not None and letters_of(following[1]) in ENGLISH_FORMS
    if re.search(r"[;:!?\n]", behind) or (behind.count(",") and not leads_on):
        return True
    if behind.startswith("."):
        return not leads_on and not (len(match[1]) == 1 or match[1] in {"St", "Dr", "Mr", "Mt"})
    return is_legal and not leads_on


def _balanced(name: str) -> str:
    name = name.strip(" ,;:\"'“”")
    if name.count("(") > name.count(")"):
        return name.rpartition("(")[0].strip(" ,")
    return name.rstrip(")") if name.count(")") > name.count("(") else name


def _chinese(name: str) -> str:
    """Cut a name in Chinese, which nothing ends: behind its legal form."""
    match = _CHINESE_END.match(name)
    return (match[0] if match else name).strip('“”"「」《》 ')


def _is_name(surface: str) -> bool:
    """Say whether a text could tell somebody by it."""
    if HAN.search(surface):
        return len(surface) > 1 and not _GENERIC.fullmatch(surface)
    words = [letters_of(word) for word in WORD.findall(spread(surface))]
    return sum(map(len, words)) > 1 and not english_words().issuperset(words) and surface[:1] != "&"


_JOINING = frozenset(("and", "of", "the", "for", "de", "&"))
_TOKEN = re.compile(r"([(\w&][\w'’&\-/()]*(?:\.(?=\w)[\w'’&\-/()]+)*)([.,;:!?]*\s*)")
_ENGLISH_HINT = re.compile(
    r"ormer|revious|riginal|[Oo]nce|FKA|/a |/k/a|known as|name|\(|ereinafter|doing business|trading as"
)
_ENGLISH_FORMER = re.compile(
    r"\b(?:[Ff]ormerly|[Pp]reviously|[Oo]riginally|[Oo]nce)(?:\s+(?:was|were))?"
    r"(?:\s+(?:known\s+as|named|called|incorporated\s+as|registered\s+as|established\s+as|trading\s+as|operated\s+as))?,?\s+"
    r"[\"“'‘]?(?:the\s+)?(?=[A-Z0-9])|\b(?:f/k/a|FKA|[Ff]ormer(?:\s+company)?\s+name(?:\s+(?:is|was))?:?)\s+[\"“]?(?=[A-Z0-9])"
)
_CHANGED = re.compile(
    r"[\"”’]?,?\s*(?:and\s+)?(?:then\s+|subsequently\s+|later\s+)?(?:changed\s+its\s+(?:corporate\s+|company\s+)?name\s+to|was\s+renamed(?:\s+as)?"
    r"|renamed\s+(?:itself\s+)?(?:as|to))\s+[\"“‘]?(?:the\s+)?(?=[A-Z0-9])"
)
_ENGLISH_CALLED = re.compile(
    r"\((?:[Hh]ereinafter[^()\"“]{0,40}|together[^()\"“]{0,40}|or\s+)?(?:the\s+)?[\"“”'‘]+(?:the\s+)?([A-Z0-9][^\"“”()]{1,40}?)[,.]?[\"”'’]+\)"
    r"|\b[Hh]ereinafter(?:\s+(?:referred\s+to\s+as|called|known\s+as))?,?\s+(?:the\s+)?[\"“‘]?(?=[A-Z0-9])"
    r"|\b(?:also|better|commonly)\s+known\s+as\s+[\"“‘]?(?=[A-Z0-9])|\b(?:a/k/a|d/b/a|doing\s+business\s+as|trading\s+as)\s+[\"“]?(?=[A-Z0-9])"
)
_CHINESE_NAME = r"((?:[A-Za-z0-9\u3400-\u9fff·&]|[（(][\u3400-\u9fff]{1,6}[)）]){2,40}?)"
_CHINESE_STOP = r"(?=[”\"」』》，。；、,;.!！?？)）\s]|[于於](?=\d|[一二三四五六七八九十])|$)"
_CHINESE_FORMER = re.compile(
    r"(?:原名称?|曾用名称?|前身|旧称|更名前|舊稱|原名稱|曾用名稱)(?:为|為|是|系|称|稱|叫|名)?[：:]?\s*[“\"「『《]?"
    + _CHINESE_NAME
    + _CHINESE_STOP
)
_CHINESE_CALLED = re.compile(
    r"(?:简称|簡稱|下称|下稱)(?:为|為|：|:)?\s*(?:[“\"「『][^”\"」』]{2,30}[”\"」』](?:、|或|及|和)?)+"
    r"|(?:简称|簡稱|下称|下稱)(?:为|為|：|:)?\s*" + _CHINESE_NAME + _CHINESE_STOP
)
_QUOTED = re.compile(r"[“\"「『]([^”\"」』]{2,30})[”\"」』]")
_CHINESE_END = re.compile(
    r".{2,}?(?:公司|总厂|集团(?!股份|有限|公司|控股)|研究所|研究院|合作社|厂(?=[，。；、（(”]|$))"
)
_GENERIC = re.compile(
    r"(?:本|该|我|贵|母|子|上市|总|分)?(?:公司|集团|发行人|企业|我司|股份|本行|我行|银行|单位|公司及子公司|甲方|乙方)"
    rf"|(?:{'|'.join(CHINESE_FORMS)})+|[A-Za-z0-9]"
)

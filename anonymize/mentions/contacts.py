"""Finds hosts, addresses and telephone numbers in prose, and invents others of the same form.

What follows from the key is the same for the same letters, so that `ir@trip.com` and `www.trip.com` still go together, and for
the same digits from the right, so that `+44 20 7946 0958` and `(020) 79460958` are one number still. Which hosts and numbers
are declared (in a column of identifiers) is for the caller to say.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import count, cycle

import polars as pl

from anonymize.mentions.finding import Mention
from pipeline.keyed import Key

_ENDINGS = (
    *("com", "cn", "net", "org", "hk", "tw", "mo", "sg", "io", "edu", "gov"),
    *("biz", "info", "asia", "jp", "kr", "uk", "de", "eu", "group", "tech", "vip", "top", "shop", "online", "app"),
)
_SECOND = ("com", "net", "org", "gov", "edu", "co", "ac")
"""What stands before the ending of a country and is not anybody's."""

_CONSONANTS, _VOWELS = "bdfgklmnprstvz", "aeiou"

_HOST = rf"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+(?:{'|'.join(_ENDINGS)})(?![\w-]|\.[A-Za-z0-9])"
_PATH = r"(?:[/?#][^\s<>\"'，。；、（）()》」】]*[^\s<>\"'，。；、（）()》」】.,;:!?])?/?"
_MAIL = re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+")
_URL = re.compile(
    rf"(?i:https?://)[A-Za-z0-9.-]+[A-Za-z0-9](?::\d+)?{_PATH}|(?i:www\.)[A-Za-z0-9.-]*[A-Za-z0-9]{_PATH}"
)
_DOMAIN = re.compile(rf"(?<![\w@.-]){_HOST}{_PATH}")
_PHONE = re.compile(
    r"(?<![\w+.,])(?:\+|00(?=[1-9]))\d{1,3}[ \-()（）./]{0,3}\d(?:[ \-()（）./]{0,2}\d){5,12}(?![\w]|[.,]\d)"
    r"|(?<![\w+.,-])(?:0\d{1,4}[-/ ]|\(0\d{1,4}\)[-/ ]?)(?:\d{6,8}|\d{2,4}(?:[- ]\d{2,4}){1,3})(?![\w-]|[.,]\d)"
    r"|(?<![\w+.,-])(?:1[-. ])?(?:\(\d{3}\)[ -]?|\d{3}[-.])\d{3}[-.]\d{4}(?![\w-]|[.,]\d)"
    r"|(?<![\w+.,-])(?:0\d{9,10}|1[3-9]\d{9})(?![\w-]|[.,]\d)"
    r"|(?i:(?<=tel )|(?<=tel: )|(?<=tel\. )|(?<=phone )|(?<=phone: )|(?<=call )|(?<=fax )|(?<=电话)|(?<=电话：)|(?<=手机))"
    r"\(?\d(?:[ \-()./]{0,2}\d){6,13}(?![\w]|[.,]\d)"
)
"""International; with a zero for the country's other places, apart or not; North American; Chinese mobile; said to be one."""

_CALLING = r"1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3}"
"""Calling codes of countries: those of one and two digits (ITU-T E.164, annex), and any other has three."""

_NUMBER = re.compile(r"\s*\+?[(（]?\d(?:[ \-()（）./]{0,3}\d){6,16}")
_EXTENSION = re.compile(r"\s*(?:x|ext\.?|#)\s*\d{1,5}\s*$", re.IGNORECASE)
_DIGITS = re.compile(r"(?<![\d.,])\+?[(（]?\d(?:[ \-()（）./]{0,3}\d){6,24}(?![.,]?\d)")
"""What may hold a number, with others beside it, and words that are written together with it."""

FEWEST_DIGITS, LAST_DIGITS = 7, 8
"""Digits of the shortest number that is looked for, and those from the right by which another one is invented."""
_RULES = (("mail address", _MAIL), ("URL", _URL), ("host", _DOMAIN), ("telephone number", _PHONE))
_RUN = re.compile(r"[A-Za-z]+|\d+")
_KEPT = frozenset(("http", "https", "www", "html", "htm", "php", "index", *_ENDINGS, *_SECOND))


def host_of(identifier: str) -> str:
    """Return the host that an identifier says without `www.`, in small letters; empty if it is none."""
    match = re.fullmatch(
        r"\s*(?:https?://)?(?:www\.)?([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)(?::\d+)?(?:/\S*)?\s*", identifier
    )
    return match[1].lower() if match and not re.fullmatch(r"[\d.]+", match[1]) else ""


def significant(written: str) -> frozenset[str]:
    """Return the digits by which a telephone number is known, with and without those of its country; none if it is none."""
    number = _EXTENSION.sub("", written).strip()
    if not _NUMBER.fullmatch(number):
        return frozenset()
    digits = re.sub(r"\D", "", number).lstrip("0")
    is_abroad = number.startswith(("+", "00")) or len(digits) > _LONGEST_NATIONAL
    abroad = re.sub(rf"^(?:{_CALLING})0?", "", digits) if is_abroad else digits
    return frozenset(one for one in (digits, abroad) if len(one) >= FEWEST_DIGITS)


def contact_mentions(
    texts: Sequence[str],
    key: Key,
    *,
    is_anybodys: Sequence[bool],
    hosts: Collection[str] = frozenset(),
    numbers: Collection[str] = frozenset(),
) -> Iterator[Mention]:
    """Yield every host, address and telephone number, with an invented one.

    Args:
        key: The key of this purpose.
        is_anybodys: Whether each text is about a company, so that each of its hosts may be the company's. In others only
            declared hosts count; addresses and numbers are somebody's everywhere.
        hosts: Declared hosts without `www.`.
        numbers: Digits of declared numbers (`significant`), which are found however they are set apart.
    """
    others = _of_hosts(host for host in hosts if not _DOMAIN.fullmatch(host))
    is_hint = pl.Series(texts, dtype=pl.String).str.contains(_HINT)
    for row in range(len(texts)) if others else is_hint.arg_true():
        text, anybodys = texts[row], is_anybodys[row]
        for rule, pattern in (*_RULES, *others):
            for match in pattern.finditer(text):
                is_personal = rule in _PERSONAL and not _DATE.fullmatch(match[0])
                if is_personal or (rule not in _PERSONAL and (anybodys or _is_declared(match[0], hosts))):
                    yield Mention(row, match.start(), match.end(), rule, "contact", "", invented(match[0], key))
        for start, end in numbers_in(text, numbers):
            yield Mention(row, start, end, "listed number", "contact", "", invented(text[start:end], key))


def numbers_in(text: str, numbers: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield where known numbers stand, in whatever groups: the longest of each run of digits."""
    for run in _DIGITS.finditer(text) if numbers else ():
        groups = [(match.start() + run.start(), match.end() + run.start()) for match in re.finditer(r"\+?\d+", run[0])]
        spans = [(start, end) for at, (start, _) in enumerate(groups) for _, end in groups[at:]]
        known = [span for span in spans if not significant(text[slice(*span)]).isdisjoint(numbers)]
        yield from [max(known, key=lambda span: span[1] - span[0])] if known else []


def _of_hosts(hosts: Iterable[str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the pattern of declared hosts with endings that are not listed here."""
    listed = sorted(hosts, key=len, reverse=True)
    pattern = rf"(?<![A-Za-z0-9-])(?i:{'|'.join(map(re.escape, listed))})(?![A-Za-z0-9-]|\.[A-Za-z0-9])"
    return (("host", re.compile(pattern)),) if listed else ()


def _is_declared(written: str, hosts: Collection[str]) -> bool:
    host = re.sub(r"^(?:https?://)?(?:[^@/]*@)?(?:www\.)?|[/:?#].*$", "", written.lower())
    parts = host.split(".")
    return any(".".join(parts[at:]) in hosts for at in range(len(parts) - 1))


def invented(written: str, key: Key) -> str:
    """Return another address or number of the same form: letters for letters, digits for digits, endings as they are."""
    if significant(written):
        return _number(written, key)
    is_phone = not re.search(r"[A-Za-z]", written)
    country = re.match(r"(?:\+|00)\d{1,3}(?=\D)", written) if is_phone else None
    kept = country.end() if country else 3 if is_phone and written.startswith("+") else 1 if is_phone else 0
    return written[:kept] + _RUN.sub(lambda match: _run(match[0], key), written[kept:])


def _number(written: str, key: Key) -> str:
    """Return another telephone number: by its last digits, so that it is the same in any notation; country and zeros stay."""
    digits = re.sub(r"\D", "", written)
    digests = (key.digest("number", digits[-LAST_DIGITS:], str(attempt)) for attempt in count())
    made_up = ("".join(str(byte % 10) for byte in digest) for digest in digests)
    drawn = next(one for one in made_up if one[:LAST_DIGITS] != digits[: -LAST_DIGITS - 1 : -1])
    country = re.match(rf"\s*(?:\+|00) ?(?:{_CALLING})(?=\D|\d{{7}})|\D*0+", written)
    kept, made = country.end() if country else 0, iter(drawn)
    return written[:kept] + re.sub(r"\d", lambda _: next(made), written[kept:][::-1])[::-1]


def _run(written: str, key: Key) -> str:
    if written.lower() in _KEPT:
        return written
    digests = (key.digest(written.lower(), str(attempt)) for attempt in count())
    made = ("".join(map(_one, written, cycle(digest), range(len(written)))) for digest in digests)
    return next(one for one in made if one != written)


def _one(old: str, byte: int, at: int) -> str:
    pool = "0123456789" if old.isdigit() else _VOWELS if at % 2 else _CONSONANTS
    made = pool[byte % len(pool)]
    return made.upper() if old.isupper() else made


_PERSONAL = ("mail address", "telephone number")
_DATE = re.compile(r"\d{1,2}[-./ ]\d{1,2}[-./ ]\d{2,4}|\d{4}[-./ ]\d{1,2}[-./ ]\d{1,2}")
_LONGEST_NATIONAL = 10
"""Digits up to which a number without a sign of it has no country's."""

_HINT = rf"@|://|[Ww][Ww][Ww]\.|\.(?:{'|'.join(_ENDINGS)})|\+\d|\d[-./ )]\d{{2}}|\d{{7}}"
"""What stands in every address and number."""

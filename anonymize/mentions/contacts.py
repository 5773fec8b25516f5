"""Finds hosts, addresses and telephone numbers in prose, and invents others of the same form.

What follows from the key is the same for the same letters, so that `ir@trip.com` and `www.trip.com` still go together. Which
hosts are declared (websites in a column of identifiers) is for the caller to say.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

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
    r"(?<![\w+.,])(?:\+|00)\d{1,3}[ \-()（）.]{0,3}\d(?:[ \-()（）.]{0,2}\d){5,12}(?![\w]|[.,]\d)"
    r"|(?<![\w+.,-])0\d{2,3}[- ]\d{7,8}(?![\w-])|(?<![\w+.,-])\(?0\d{2,3}\)[- ]?\d{7,8}(?![\w-])"
)
_RULES = (("mail address", _MAIL), ("URL", _URL), ("host", _DOMAIN), ("telephone number", _PHONE))
_RUN = re.compile(r"[A-Za-z]+|\d+")
_KEPT = frozenset(("http", "https", "www", "html", "htm", "php", "index", *_ENDINGS, *_SECOND))


def host_of(identifier: str) -> str:
    """Return the host that an identifier says without `www.`, in small letters; empty if it is none."""
    match = re.fullmatch(
        r"\s*(?:https?://)?(?:www\.)?([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)(?::\d+)?(?:/\S*)?\s*", identifier
    )
    return match[1].lower() if match and not re.fullmatch(r"[\d.]+", match[1]) else ""


def contact_mentions(
    texts: Sequence[str], key: Key, *, is_anybodys: Sequence[bool], hosts: Collection[str] = frozenset()
) -> Iterator[Mention]:
    """Yield every host, address and telephone number, with an invented one.

    Args:
        texts: Prose.
        key: The key of this purpose.
        is_anybodys: Whether each text is about a company, so that each of its addresses may be the company's. In others only
            declared hosts count.
        hosts: Declared hosts without `www.`.
    """
    others = _of_hosts(host for host in hosts if not _DOMAIN.fullmatch(host))
    is_hint = pl.Series(texts, dtype=pl.String).str.contains(_HINT)
    for row in range(len(texts)) if others else is_hint.arg_true():
        text, anybodys = texts[row], is_anybodys[row]
        for rule, pattern in (*_RULES, *others):
            for match in pattern.finditer(text):
                if anybodys or _is_declared(match[0], hosts):
                    yield Mention(row, match.start(), match.end(), rule, "contact", "", invented(match[0], key))


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
    is_phone = not re.search(r"[A-Za-z]", written)
    country = re.match(r"(?:\+|00)\d{1,3}(?=\D)", written) if is_phone else None
    kept = country.end() if country else 3 if is_phone and written.startswith("+") else 1 if is_phone else 0
    return written[:kept] + _RUN.sub(lambda match: _run(match[0], key), written[kept:])


def _run(written: str, key: Key) -> str:
    if written.lower() in _KEPT:
        return written
    attempt = 0
    while True:
        digest = key.digest(written.lower(), str(attempt))
        digest = (digest * (len(written) // len(digest) + 1))[: len(written)]
        made = "".join(_one(old, byte, at) for at, (old, byte) in enumerate(zip(written, digest, strict=True)))
        if made != written:
            return made
        attempt += 1


def _one(old: str, byte: int, at: int) -> str:
    pool = "0123456789" if old.isdigit() else _VOWELS if at % 2 else _CONSONANTS
    made = pool[byte % len(pool)]
    return made.upper() if old.isupper() else made


_HINT = rf"@|://|[Ww][Ww][Ww]\.|\.(?:{'|'.join(_ENDINGS)})|\+\d|\d[- )]\d{{3}}|00\d{{3}}"
"""What stands in every address and number."""

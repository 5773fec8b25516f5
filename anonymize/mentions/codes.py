"""Finds codes in prose: in the forms of a declaration's examples, with what people make of them, and in forms of no example.

A form is what stands around the code (`SEHK: 808`, `600488.SH`, `股票代码：000001`); blanks, case, width, brackets and
leading zeros do not count. A number that is no known code stays. A bare one is a code only if nothing speaks against it:
in another company's text, what may be a year or a quantity is proposed, not replaced. A word of the language beside a number
leaves it bare, even if it is an exchange's suffix as well.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from anonymize.mentions.aligned import code_points
from anonymize.mentions.finding import Mention
from anonymize.mentions.forms import IN_PIECES
from anonymize.mentions.labels import labelled
from anonymize.mentions.ordinary import SHORT_WORDS
from pipeline.errors import InputError

LONGEST_BARE_QUANTITY = 4
"""Digits up to which a bare number may be a year or a quantity, unless zeros lead it."""

FEWEST_DIGITS, FEWEST_JOINED = 3, 4
"""Digits of the shortest number that is taken for a code of which nobody gave an example, and that may touch its suffix."""

EXCHANGES = (
    *("SHSE", "SSE", "SZSE", "SEHK", "HKEX", "HKSE", "HKG", "XSHG", "XSHE", "XHKG"),
    *("BSE", "BJSE", "NEEQ", "TWSE", "TPEX"),
    *("NYSE", "NASDAQ", "NasdaqGS", "NasdaqGM", "NasdaqCM", "AMEX", "TSE", "LSE", "ASX", "SGX", "KRX", "TSX", "JPX"),
)
"""How prose calls exchanges."""


UNDECLARED = "code in no declared form"
"""The rule of mentions that a declaration does not expect."""

BARE = "bare code"
"""The rule of codes without their suffix, with nothing beside them that says what they are."""

_YEAR = "年"


@dataclass(frozen=True)
class DeclaredShape:
    """How codes are written: a pattern with a group `code`, and maybe `label` and `suffix`."""

    pattern: re.Pattern[str]
    is_declared: bool = True
    is_free: bool = False
    """Whether it is a declaration's own regular expression, whose first group is the code."""
    is_said: bool = False
    """Whether a word before the number says whose it is; nobody expects that each such number is known."""


@dataclass(frozen=True)
class CodeFinder:
    """Finds known codes in texts."""

    codes: Mapping[str, str]
    """Pseudonymous codes by raw code."""
    shapes: tuple[DeclaredShape, ...]
    by_digits: Mapping[str, tuple[str, ...]]
    """Raw codes by their digits without leading zeros, or by their letters."""
    prefix: str = ""
    """What stands before a code where it says whose a text or a mention is, so that it is nobody's of another kind."""

    def find(self, texts: Sequence[str], own: Sequence[str | None]) -> Iterator[Mention]:
        """Yield mentions; numbers that are no known code are none."""
        declared = [shape for shape in self.shapes if shape.is_declared]
        others = [shape for shape in self.shapes if not shape.is_declared]
        is_of_digits = all(digits.isdigit() for digits in self.by_digits)
        for row, (narrow, code) in enumerate(zip(_narrowed(texts), own, strict=True)):
            own_code = code.removeprefix(self.prefix) if code is not None and code.startswith(self.prefix) else None
            places = list(self._windows(narrow)) if is_of_digits else [(0, len(narrow))]
            found = [mention for shape in declared for mention in self._of_shape(row, narrow, places, shape, own_code)]
            yield from found
            left = [(start, end) for start, end in places if not any(m.start < end and m.end > start for m in found)]
            for shape in others if left else ():
                yield from self._of_shape(row, narrow, left, shape, own_code)

    def _of_shape(
        self, row: int, text: str, places: Sequence[tuple[int, int]], shape: DeclaredShape, own: str | None
    ) -> Iterator[Mention]:
        for start, end in places:
            for match in shape.pattern.finditer(text, max(start - _BESIDE, 0), end + _BESIDE):
                if match.start() < end and match.end() > start:
                    yield from self._mention(row, text, match, own, shape)

    def matches(self, texts: Sequence[str]) -> int:
        """Count what has a declared form in texts, known or not."""
        declared = [shape.pattern for shape in self.shapes if shape.is_declared and not shape.is_said]
        return sum(1 for text in _narrowed(texts) for pattern in declared for _ in pattern.finditer(text))

    def _windows(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where numbers stand that are a code in full, or have its digits beside something that may say so."""
        for run in _RUN.finditer(text):
            written, (start, end) = run[0], run.span()
            is_known = _significant(written) in self.by_digits
            if written in self.by_bare or (is_known and _SAYS_CODE.search(text, max(start - 2, 0), end + 3)):
                yield start, end

    def _mention(
        self, row: int, text: str, match: re.Match[str], own: str | None, shape: DeclaredShape
    ) -> Iterator[Mention]:
        if shape.is_free:
            yield from self._as_listed(row, match, own)
            return
        groups = match.groupdict()
        written, label, suffix = groups["code"], groups.get("label") or "", groups.get("suffix") or ""
        if not shape.is_declared and _is_joining_word(match):
            label = suffix = ""
        code = self._known(written, label, suffix, own)
        if code is None:
            return
        is_bare = not (label or suffix)
        start, end = match.start("code"), match.end("suffix") if suffix else match.end("code")
        is_sure = not is_bare or not _may_be_quantity(text, start, end)
        if not shape.is_declared and is_bare and code != own:
            return
        rule = UNDECLARED if not shape.is_declared else BARE if is_bare else "code"
        yield Mention(row, start, end, rule, "code", self.prefix + code, self.codes[code], is_sure)

    def _as_listed(self, row: int, match: re.Match[str], own: str | None) -> Iterator[Mention]:
        """Read a match of a declared pattern: a code in full as it is, a bare one as the text's own, else as the first."""
        full, bare = match[0], match[1] or match[0]
        known = self.by_bare.get(bare, ())
        code = full if full in self.codes else own if own in known else known[0] if known else None
        if code is None:
            return
        is_bare = full not in self.codes
        is_sure = not (is_bare and _may_be_quantity(match.string, *match.span()))
        rule = BARE if is_bare else "code"
        yield Mention(row, *match.span(), rule, "code", self.prefix + code, self.codes[code], is_sure)

    @cached_property
    def by_bare(self) -> Mapping[str, tuple[str, ...]]:
        """Return raw codes by what they are without their suffix."""
        bare: dict[str, list[str]] = defaultdict(list)
        for code in sorted(self.codes):
            bare[_bare(code)].append(code)
        return {digits: tuple(of) for digits, of in bare.items()}

    def _known(self, written: str, label: str, suffix: str, own: str | None) -> str | None:
        """Return the code that is meant: of several with these digits the text's own, or that of the exchange named."""
        known = self.by_digits.get(_significant(written), ())
        if suffix:
            exact = [code for code in known if _suffix(code) == suffix.upper()]
            known = tuple(exact) or (() if suffix.upper() in self._suffixes else known)
        elif fitting := [code for code in known if _suffix(code) and _suffix(code) in label.upper()]:
            known = tuple(fitting)
        elif any(len(known_suffix) > 1 and known_suffix in label.upper() for known_suffix in self._suffixes):
            known = ()
        if not known:
            return None
        return own if own in known else known[0]

    @cached_property
    def _suffixes(self) -> frozenset[str]:
        return frozenset(_suffix(code) for codes in self.by_digits.values() for code in codes) - {""}


def code_finder(
    codes: Mapping[str, str],
    *,
    examples: Sequence[str] = (),
    pattern: str = "",
    labels: Collection[str] = (),
    prefix: str = "",
) -> CodeFinder:
    """Return what finds codes that are written like examples, or as a regular expression says whose first group is the code.

    Of codes of digits without either, those are found that stand behind a label, a word for what they are codes of.

    Raises:
        InputError: The pattern is no regular expression or has no group; an example holds nothing like a code.
    """
    by_digits: dict[str, list[str]] = defaultdict(list)
    for code in sorted(codes):
        by_digits[_significant(_bare(code))].append(code)
    suffixes = sorted({_suffix(code) for code in codes} - {""})
    longest = max((len(_bare(code)) for code in codes), default=1)
    shapes = [DeclaredShape(_of_example(example, suffixes, longest)) for example in dict.fromkeys(examples)]
    if pattern:
        shapes.append(DeclaredShape(_of_pattern(pattern), is_free=True))
    if labels:
        shapes.append(DeclaredShape(labelled(labels, longest), is_said=True))
    elif any(code[:1].isdigit() for code in codes):
        shapes += [DeclaredShape(shape, is_declared=False) for shape in _undeclared(suffixes, longest)]
    return CodeFinder(codes, tuple(shapes), {digits: tuple(of) for digits, of in by_digits.items()}, prefix)


def _undeclared(suffixes: Sequence[str], longest: int) -> Iterator[re.Pattern[str]]:
    """Yield forms of which no example is needed: an exchange before the number, a suffix on either side, the number itself."""
    longest = max(longest, FEWEST_DIGITS, FEWEST_JOINED)
    long_, ends = [suffix for suffix in suffixes if len(suffix) > 1], "|".join(map(re.escape, suffixes))
    digits = rf"(?P<code>\d{{{FEWEST_DIGITS},{longest}}})"
    labels = "|".join((*EXCHANGES, *(rf"[A-Z]*{re.escape(suffix)}[A-Z]*" for suffix in long_)))
    yield re.compile(rf"(?<![A-Za-z0-9])(?P<label>{labels})\s?[:：]\s?{digits}(?!\d|\.\d)")
    if suffixes:
        yield re.compile(rf"(?<![A-Za-z0-9.])(?P<code>\d{{1,{longest}}})\.(?P<suffix>(?i:{ends}))(?![A-Za-z0-9])")
    if long_:
        ends = "|".join(map(re.escape, long_))
        some = rf"\d{{{FEWEST_JOINED},{longest}}}"
        yield re.compile(rf"(?<![A-Za-z0-9.])(?P<code>{some})[\W_]{{0,2}}(?P<suffix>(?i:{ends}))(?![A-Za-z0-9])")
        yield re.compile(
            rf"(?<![A-Za-z0-9.])(?P<code>\d{{1,{longest}}})[\W_]{{1,2}}(?P<suffix>(?i:{ends}))(?![A-Za-z0-9])"
        )
        yield re.compile(rf"(?<![A-Za-z0-9])(?P<label>(?i:{ends}))[\W_]{{0,2}}(?P<code>{some})(?![A-Za-z0-9])")
    yield re.compile(rf"(?<![\w.,+\-/]){digits}(?![\w]|[.,]\d|-\d)")


def _of_pattern(pattern: str) -> re.Pattern[str]:
    try:
        mention = re.compile(pattern)
    except re.error as error:
        raise InputError(
            f"the pattern of code mentions is no regular expression: {error}; found {pattern!r}"
        ) from error
    if not mention.groups:
        raise InputError(
            f"the pattern of code mentions has no group for the code without its suffix; found {pattern!r}"
        )
    return mention


def _of_example(example: str, suffixes: Sequence[str], longest: int) -> re.Pattern[str]:
    """Turn an example into a pattern: the code's place is free, what names an exchange or says `code` is fixed."""
    tokens = _TOKEN.findall(example.translate(_NARROW))
    places = [at for at, token in enumerate(tokens) if token.isdigit()] or [
        at for at, token in enumerate(tokens) if token.isalpha() and token.isascii() and token.isupper()
    ]
    if not places:
        raise InputError(f"an example of how a code is written holds nothing like a code; found {example!r}")
    at = places[-1]
    words = [token for token in tokens[:at] if token.isalnum()]
    behind = [token for token in tokens[at + 1 :] if token.isalnum()]
    between = r"[\s:：.\-_#]{0,4}"
    label = between.join(_fixed(word) for word in words)
    code = rf"(?P<code>\d{{1,{longest}}})" if tokens[at].isdigit() else rf"(?P<code>[A-Z]{{1,{longest}}})"
    before = rf"(?<![A-Za-z0-9])(?P<label>{label}){between}" if words else r"(?<![\w.,])"
    if behind and behind[0].upper() in suffixes:
        ends = "|".join(map(re.escape, suffixes))
        return re.compile(rf"{before}{code}[\s.\-_]{{0,2}}(?P<suffix>(?i:{ends}))(?![A-Za-z0-9])")
    after = "".join(rf"(?=[\s:：.\-_]{{0,4}}{_fixed(word)})" for word in behind[:1])
    return re.compile(rf"{before}{code}{after}(?![A-Za-z0-9]|[.,]\d)")


def _narrowed(texts: Sequence[str]) -> Iterator[str]:
    """Yield texts with narrow characters in place of wide ones; all at once is five times faster than one by one."""
    points = code_points(texts)
    is_wide = (points >= _WIDE[0]) & (points <= _WIDE[-1])
    joined = np.where(is_wide, points - np.uint32(_WIDER), points).tobytes().decode("utf-32-le")
    yield from (joined[start:end] for start, end in pairwise(accumulate(map(len, texts), initial=0)))


def _fixed(word: str) -> str:
    return rf"(?i:{re.escape(word)})" if word.isascii() else r"\s?".join(map(re.escape, word))


def bare_code(code: str, pattern: str = "") -> str:
    """Return a code without its suffix, empty where it has none: digits without letters, or as a pattern says."""
    if not pattern:
        return _bare(code) if code[:1].isdigit() and _suffix(code) else ""
    match = _of_pattern(pattern).search(code)
    return (match[1] or "") if match else ""


def _bare(code: str) -> str:
    """Return a code without its suffix."""
    digits = re.match(r"\d+(?=[.\-_ ]|[A-Za-z]|$)", code)
    return digits[0] if digits else re.split(r"[.\-_ ]", code)[0]


def _suffix(code: str) -> str:
    return code[len(_bare(code)) :].strip(".-_ ").upper()


def _significant(written: str) -> str:
    """Return digits without leading zeros, narrow; letters as they are."""
    return written.translate(_NARROW).lstrip("0") or "0" if written.isdigit() else written


def _is_joining_word(match: re.Match[str]) -> bool:
    """Say whether what stands beside a number is a word of the language (`up to 1900`), though exchanges have it for a suffix.

    Any word is one beside a year that is called so (`De 2022年`). In capitals or joined to the number it is none (`TO 1900`,
    `to1900`).
    """
    is_year = match.string.startswith(_YEAR, match.end("code"))
    return any(
        (is_year or match[beside].lower() in SHORT_WORDS)
        and not match[beside].isupper()
        and match.string[
            min(match.end(beside), match.end("code")) : max(match.start(beside), match.start("code"))
        ].isspace()
        for beside in ("label", "suffix")
        if match.groupdict().get(beside)
    )


def _may_be_quantity(text: str, start: int, end: int) -> bool:
    """Say whether a bare number may be a year or a quantity."""
    written = text[start:end]
    if not written.isdigit():
        return False
    if _UNIT_BEHIND.match(text, end) or _MONEY_BEFORE.search(text[max(start - 6, 0) : start]):
        return True
    return not written.startswith("0") and len(written) <= LONGEST_BARE_QUANTITY


def counted(mentions: Iterable[Mention], *, texts: int) -> Counter[str]:
    """Count the mentions of codes that say whether a declaration is too wide or too narrow; those that stay by what they are.

    Args:
        texts: How many texts, from the first on, were looked at for how wide it is.
    """
    found = [mention for mention in mentions if mention.kind == "code"]
    declared = [mention for mention in found if mention.rule != UNDECLARED]
    return Counter(_LEFT_AS.get(mention.rule, _OTHER) for mention in found if not mention.is_sure) + Counter(
        undeclared=sum(mention.is_sure and mention.rule == UNDECLARED for mention in found),
        known=sum(mention.row < texts for mention in declared),
    )


def warnings(found: Counter[str], *, matches: int, texts: int) -> Iterator[str]:
    """Yield what is wrong with how a declaration says that codes are written: too wide, or too narrow.

    Args:
        matches: What has a declared form in the texts that were looked at, known or not.
        texts: How many these were.
    """
    if matches > max(MOST_UNKNOWN, 2 * found["known"]):
        yield (
            f"what is declared of how codes are written is too wide: it matches {matches:,} places in {texts:,} texts, of "
            f"which {found['known']:,} hold a known code; give narrower examples"
        )
    for kind, (one, several) in _LEFT.items():
        if left := found[kind]:
            yield f"1 {one}; it was left as it is" if left == 1 else f"{left:,} {several}; they were left as they are"
    if new := found["undeclared"]:
        have, were = ("1 mention has", "it was") if new == 1 else (f"{new:,} mentions have", "they were")
        yield (
            f"what is declared of how codes are written is too narrow: {have} no declared form; {were} replaced; add "
            "examples of such forms"
        )


_OTHER = "other writing"
_LEFT_AS = {BARE: BARE, UNDECLARED: BARE, IN_PIECES: IN_PIECES}
_LEFT = {
    BARE: (
        "bare number is a known code, but may be a year or a quantity",
        "bare numbers are known codes, but may be years or quantities",
    ),
    IN_PIECES: (
        "writing is that of a known code in pieces, but may be something else",
        "writings are those of known codes in pieces, but may be something else",
    ),
    _OTHER: ("word is a known code, but may be something else", "words are known codes, but may be something else"),
}
"""What may stay, by the rule of its mention, and what is said of one and of several."""

_RUN = re.compile(r"\d+")
_SAYS_CODE = re.compile("[A-Za-z:：码碼号號#]")
_BESIDE = 24
"""Characters beside a number in which stands all that says what it is."""

MOST_UNKNOWN = 20
"""Matches that may be no codes before it is said that a pattern is too wide; our choice."""

_TOKEN = re.compile(r"[A-Za-z]+|\d+|[\u3400-\u9fff]+|[^\w\s]")
_WIDE, _WIDER = range(0xFF01, 0xFF5F), 0xFEE0
"""Wide characters, and how far they are from their narrow forms, one for one."""

_NARROW = {wide: wide - _WIDER for wide in _WIDE}

_UNIT_BEHIND = re.compile(
    r"\s?(?:%|‰|％|[万亿元股人家项年月日吨个名亩种条台套件]|million|billion|thousand|percent|people|employees|square|MW|kW|tons?\b)"
)
_MONEY_BEFORE = re.compile(r"(?:[$¥￥€£]|RMB|CNY|HKD|HK\$|USD|No\.)\s?$")

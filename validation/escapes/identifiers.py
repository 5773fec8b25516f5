"""What identifies a company: the tokens that no published byte may hold. Searching for them belongs elsewhere.

What is seldom asked for of them is packed: little is ever found, and as objects they take twenty times the memory.
"""

import pickle
import re
import zlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import polars as pl

from anonymize.keys.identity_map import NAME_OF_CODE
from anonymize.mentions.codes import LONGEST_BARE_QUANTITY, bare_code
from anonymize.mentions.contacts import significant
from anonymize.mentions.finding import Finder
from anonymize.mentions.forms import MISSPELT, Form
from anonymize.pseudonyms import SHORTEST_MENTION
from pipeline.model import Entities

T = TypeVar("T")

_TOGETHER = 256
"""Needles whose forms are packed together: they are unpacked in a millisecond (our choice)."""

LATIN = "0-9A-Za-zÀ-ɏ"
"""Characters that make a one-word token part of a longer word."""

SHORTEST, SHORTEST_WORD = SHORTEST_MENTION, 3
"""Characters of the shortest token that is searched for anywhere, and of a word that was measured to be distinctive: prose is
searched for everything that is replaced in it."""

SHORTEST_OF_PEOPLE = 3
"""Chinese characters of the shortest name of a person that is searched for anywhere: names of two are often words, too."""

FEWEST_OF_NUMBERS = 8
"""Digits of the shortest number that is searched for however it is set apart: of shorter ones many are figures."""

_BARE = "bare code"


@dataclass(frozen=True, kw_only=True)
class Identifiers:
    """Everything in the originals that identifies a company."""

    codes: tuple[str, ...] = ()
    bare_codes: tuple[str, ...] = ()
    """Codes without their suffix."""
    names: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    """Distinctive words of names, as they were measured in the originals' prose."""
    ordinary: tuple[str, ...] = ()
    """Names that are ordinary words there: they count only in full, with a legal form."""
    code_examples: tuple[str, ...] = ()
    """How codes are written in prose (`Entities.code_examples`)."""
    further: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Tokens of further kinds of entities, by the identity map's word for their kind (`aircraft code`)."""
    people: tuple[str, ...] = ()
    """The kinds among them that are names of people."""
    invented: tuple[str, ...] = ()
    """Invented names; a part of a name that occurs in one of them proves nothing."""

    @classmethod
    def of_map(
        cls,
        identity_map: pl.DataFrame,
        *,
        code_mention: str = "",
        code_examples: tuple[str, ...] = (),
        further: Sequence[Entities] = (),
    ) -> Self:
        """Return the tokens of a map, from the column `original` by `kind`: code, name, alias, word, ordinary, or other kinds.

        `NAME_OF_CODE` is left out, because its codes are in the map. If there is a column `pseudonym`, its texts are invented.
        The first group of the regular expression `code_mention` is a code without its suffix.
        """
        originals: dict[str, list[str]] = defaultdict(list)
        of_further = [kind.label(what) for kind in further for what in _KINDS]
        known = {*_KINDS, *of_further, "word", "ordinary"}
        of_codes = [kind.label(NAME_OF_CODE) for kind in further]
        listed = identity_map.filter(~pl.col("kind").is_in([NAME_OF_CODE, *of_codes]))
        for kind, original in listed.select("kind", "original").unique().sort("kind", "original").iter_rows():
            originals[_LEARNT.get(kind, kind if kind in known else "identifier")].append(original)
        bare = {kind.label(_BARE): _bare(originals[kind.label("code")], kind.code_mention) for kind in further}
        pseudonyms = identity_map["pseudonym"].drop_nulls().unique().sort() if "pseudonym" in identity_map else ()
        return cls(
            codes=tuple(originals["code"]),
            bare_codes=_bare(originals["code"], code_mention),
            names=tuple(originals["name"]),
            aliases=tuple(originals["alias"]),
            identifiers=tuple(originals["identifier"]),
            words=tuple(originals["word"]),
            ordinary=tuple(originals["ordinary"]),
            code_examples=code_examples,
            further=tuple({label: tuple(originals[label]) for label in of_further}.items()) + tuple(bare.items()),
            people=tuple(kind.label(what) for kind in further if kind.named == "person" for what in ("name", "alias")),
            invented=tuple(pseudonyms),
        )

    def by_kind(self) -> dict[str, tuple[str, ...]]:
        """Return the tokens of each kind, stripped and without empty ones or repetitions."""
        kinds = {
            "code": self.codes,
            _BARE: self.bare_codes,
            "name": self.names,
            "alias": self.aliases,
            "identifier": self.identifiers,
            **dict(self.further),
            "word": self.words,
        }
        return {kind: tuple(filter(None, (token.strip() for token in tokens))) for kind, tokens in kinds.items()}

    def anywhere(self) -> dict[str, str]:
        """Return the tokens that are searched for anywhere, with their kinds; a token of several kinds has the first."""
        kinds: dict[str, str] = {}
        ordinary = {token.lower() for token in self.ordinary if is_word(token)}
        for kind, tokens in self.by_kind().items():
            for token in tokens:
                is_ordinary = kind == "identifier" and token.lower() in ordinary
                is_long = len(token) >= self.shortest(token, kind)
                if is_long and not (token.isdigit() or is_ordinary or kind.endswith(_BARE)):
                    kinds.setdefault(token, kind)
        return kinds

    def numbers(self) -> dict[str, str]:
        """Return the digits of telephone numbers and the like, by which they are found in any notation, with their tokens."""
        listed = (one for one in self.identifiers if len(one.strip()) >= FEWEST_OF_NUMBERS)
        return {digits: one for one in listed for digits in significant(one) if len(digits) >= FEWEST_OF_NUMBERS}

    def only_in_columns_of_codes(self) -> dict[str, int]:
        """Return how many tokens are searched for nowhere but alone in columns of codes, by why, and `of` how many.

        `short` have too few characters; `numbers` are digits alone that may be a year or a quantity, or name a company;
        `ordinary` are words of the texts.
        """
        kinds = {kind: set(tokens) for kind, tokens in self.by_kind().items() if not kind.endswith(_BARE)}
        every = {token for of_kind in kinds.values() for token in of_kind}
        digits = {token for kind, of_kind in kinds.items() for token in of_kind if _may_be_number(token, kind)}
        numbers = digits - set(self.numbers().values())
        left = every - digits - self.anywhere().keys()
        short = {
            token
            for kind, of_kind in kinds.items()
            for token in of_kind & left
            if len(token) < self.shortest(token, kind)
        }
        ordinary = {token for token in left - short if not token.isdigit()}
        return {"short": len(short), "numbers": len(numbers), "ordinary": len(ordinary), "of": len(every)}

    def shortest(self, token: str, kind: str) -> int:
        """Return how many characters a token like this one must have to be searched for anywhere."""
        if kind == "word":
            return SHORTEST_WORD
        return SHORTEST_OF_PEOPLE if kind in self.people and _CHINESE.search(token) else SHORTEST


def _may_be_number(token: str, kind: str) -> bool:
    """Say whether a token is digits alone that nothing finds in a text, as it finds long codes and those with zeros ahead."""
    is_plain = len(token) <= LONGEST_BARE_QUANTITY and not token.startswith("0")
    return token.isdigit() and (is_plain or not kind.endswith("code"))


_KINDS = ("code", "name", "alias")
"""Kinds that the identity map has for every kind of entity."""

_LEARNT = {"former": "alias", "called": "alias", MISSPELT: "alias"}
"""Kinds of the map whose names are aliases that texts state, or names as texts misspell them."""

_CHINESE = re.compile(r"[\u3400-\u9fff]")


def _bare(codes: Sequence[str], code_mention: str) -> tuple[str, ...]:
    """Return the codes without their suffix."""
    return tuple(dict.fromkeys(filter(None, (bare_code(code, code_mention) for code in codes))))


def is_word(token: str) -> bool:
    """Return whether a token is one word in Latin letters and digits."""
    return re.fullmatch(f"[{LATIN}]+", token) is not None


# --- packed -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class PackedValue(Generic[T]):
    """A value, which is made anew each time that it is asked for. Its `repr` shows nothing of it."""

    _content: bytes

    @classmethod
    def of(cls, value: T) -> Self:
        """Pack a value."""
        return cls(zlib.compress(pickle.dumps(value), level=1))

    @property
    def value(self) -> T:
        """Return the value."""
        value: T = pickle.loads(zlib.decompress(self._content))  # noqa: S301  (as it was packed)
        return value


@dataclass(frozen=True, repr=False)
class PackedForms:
    """The forms of names and words, of which those are unpacked whose needles stand somewhere. Its `repr` shows none."""

    firsts: Sequence[str]
    """The first needle of each pack; packs are in the order of needles."""
    packs: Sequence[PackedValue[tuple[Form, ...]]]

    @classmethod
    def of(cls, by_needle: Mapping[str, Sequence[Form]]) -> Self:
        """Pack forms by their needles."""
        known = sorted(by_needle)
        each = [known[first : first + _TOGETHER] for first in range(0, len(known), _TOGETHER)]
        packs = [PackedValue.of(tuple(form for needle in needles for form in by_needle[needle])) for needles in each]
        return cls([needles[0] for needles in each], packs)

    def finder(self, needles: Iterable[str]) -> Finder:
        """Return what finds these needles, which must be known."""
        by_pack: dict[int, set[str]] = defaultdict(set)
        for needle in needles:
            by_pack[bisect_right(self.firsts, needle) - 1].add(needle)
        return Finder(
            tuple(
                form for place in sorted(by_pack) for form in self.packs[place].value if form.needle in by_pack[place]
            )
        )

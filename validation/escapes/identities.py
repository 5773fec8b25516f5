"""What identifies a company: the tokens that no published byte may hold. How they are looked for is said elsewhere."""

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Self

import polars as pl

from anonymize.identity_map import NAME_OF_CODE
from anonymize.mentions.codes import bare_code

LATIN = "0-9A-Za-zÀ-ɏ"
"""Characters that make a one-word token part of a longer word."""

SHORTEST, SHORTEST_WORD = 4, 3
"""Characters of the shortest token looked for anywhere, and of a word that was measured to be nobody else's. Our choice:
three-letter tickers are ALL, KEY, LOW and NOW."""

_KINDS = {"former": "alias", "called": "alias"}
"""Kinds of the map that are a kind of ours under another name."""


KINDS = ("code", "bare code", "name", "alias", "identifier", "word")
"""What a token can be; a token that is several counts as the first."""


@dataclass(frozen=True, kw_only=True)
class Identities:
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
    """Names that are ordinary words there: they count in full only, with a legal form."""
    code_examples: tuple[str, ...] = ()
    """How codes are written in prose (`Entities.code_examples`)."""
    invented: tuple[str, ...] = ()
    """What stands in their place; a part of a name that stands there too says nothing."""

    @classmethod
    def of_map(cls, identity_map: pl.DataFrame, *, code_mention: str = "", code_examples: tuple[str, ...] = ()) -> Self:
        """Take the column `original` by `kind` (code, name, alias, word, ordinary; any other is an identifier).

        `NAME_OF_CODE` is none: its originals are codes.

        Of a column `pseudonym`, if there is one, all that is not null is invented. The first group of the regular
        expression `code_mention` is a code without its suffix (`Entities.code_mention`).
        """
        originals: dict[str, list[str]] = defaultdict(list)
        known = {"code", "name", "alias", "word", "ordinary"}
        listed = identity_map.filter(pl.col("kind") != NAME_OF_CODE)
        for kind, original in listed.select("kind", "original").unique().sort("kind", "original").iter_rows():
            originals[_KINDS.get(kind, kind if kind in known else "identifier")].append(original)
        bare = filter(None, (bare_code(code, code_mention) for code in originals["code"]))
        pseudonyms = identity_map["pseudonym"].drop_nulls().unique().sort() if "pseudonym" in identity_map else ()
        return cls(
            codes=tuple(originals["code"]),
            bare_codes=tuple(dict.fromkeys(bare)),
            names=tuple(originals["name"]),
            aliases=tuple(originals["alias"]),
            identifiers=tuple(originals["identifier"]),
            words=tuple(originals["word"]),
            ordinary=tuple(originals["ordinary"]),
            code_examples=code_examples,
            invented=tuple(pseudonyms),
        )

    def by_kind(self) -> dict[str, tuple[str, ...]]:
        """Return the tokens of each kind, without blanks around them and without empty ones."""
        of_kind = (self.codes, self.bare_codes, self.names, self.aliases, self.identifiers, self.words)
        return {
            kind: tuple(filter(None, (token.strip() for token in tokens)))
            for kind, tokens in zip(KINDS, of_kind, strict=True)
        }

    def anywhere(self) -> dict[str, str]:
        """Return the tokens that are looked for anywhere, with their kinds; a token of several kinds has the first."""
        kinds: dict[str, str] = {}
        for kind, tokens in self.by_kind().items():
            for token in tokens:
                is_long = len(token) >= (SHORTEST_WORD if kind == "word" else SHORTEST)
                if is_long and not token.isdigit() and kind != "bare code":
                    kinds.setdefault(token, kind)
        return kinds


def is_word(token: str) -> bool:
    """Return whether a token is one word in Latin letters and digits."""
    return re.fullmatch(f"[{LATIN}]+", token) is not None

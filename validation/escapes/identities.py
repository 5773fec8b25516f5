"""What identifies a company: the tokens that no published byte may hold. How they are looked for is said elsewhere."""

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Self

import polars as pl

from anonymize.identity_map import NAME_OF_CODE

LATIN = "0-9A-Za-zÀ-ɏ"
"""Characters that make a one-word token part of a longer word."""

SHORTEST = 4
"""Characters of the shortest token looked for anywhere. Our choice: three-letter tickers are ALL, KEY, LOW and NOW."""


KINDS = ("code", "bare code", "name", "alias", "identifier")
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
    invented: tuple[str, ...] = ()
    """What stands in their place; a part of a name that stands there too says nothing."""

    @classmethod
    def of_map(cls, identity_map: pl.DataFrame, *, code_mention: str) -> Self:
        """Take the column `original` by `kind` (code, name, alias; any other is an identifier, save `NAME_OF_CODE`).

        Of a column `pseudonym`, if there is one, all that is not null is invented. The first group of the regular
        expression `code_mention` is a code without its suffix (`Entities.code_mention`).
        """
        originals: dict[str, list[str]] = defaultdict(list)
        known = {"code", "name", "alias"}
        listed = identity_map.filter(pl.col("kind") != NAME_OF_CODE)
        for kind, original in listed.select("kind", "original").unique().sort("kind", "original").iter_rows():
            originals[kind if kind in known else "identifier"].append(original)
        bare = (mention.group(1) for code in originals["code"] if (mention := re.search(code_mention, code)))
        pseudonyms = identity_map["pseudonym"].drop_nulls().unique().sort() if "pseudonym" in identity_map else ()
        return cls(
            codes=tuple(originals["code"]),
            bare_codes=tuple(dict.fromkeys(bare)),
            names=tuple(originals["name"]),
            aliases=tuple(originals["alias"]),
            identifiers=tuple(originals["identifier"]),
            invented=tuple(pseudonyms),
        )

    def by_kind(self) -> dict[str, tuple[str, ...]]:
        """Return the tokens of each kind, without blanks around them and without empty ones."""
        of_kind = (self.codes, self.bare_codes, self.names, self.aliases, self.identifiers)
        return {
            kind: tuple(filter(None, (token.strip() for token in tokens)))
            for kind, tokens in zip(KINDS, of_kind, strict=True)
        }

    def anywhere(self) -> dict[str, str]:
        """Return the tokens that are looked for anywhere, with their kinds; a token of several kinds has the first."""
        kinds: dict[str, str] = {}
        for kind, tokens in self.by_kind().items():
            for token in tokens:
                if len(token) >= SHORTEST and not token.isdigit() and kind != "bare code":
                    kinds.setdefault(token, kind)
        return kinds


def is_word(token: str) -> bool:
    """Return whether a token is one word in Latin letters and digits."""
    return re.fullmatch(f"[{LATIN}]+", token) is not None

"""The words of invented names: the form of a language's words here, the words themselves in one module a language.

Combining words into names belongs to `providers.py` and `aliases.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Trade:
    """The words for one industry's firms and products."""

    business: Mapping[str, str]
    """Words for the business, each with its English (itself, in English)."""
    products: tuple[str, ...]
    """Nouns for products; none of them is a word for a business."""


@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """The words of one language."""

    gap: str
    """The text between two words."""
    trades: Mapping[str, Trade]
    """Words by industry."""
    any_trade: Trade
    """Words for an unknown industry."""
    legal_forms: tuple[str, ...]
    """Endings of legal names, repeated in proportion to how often they are drawn."""
    subsidiary_roles: tuple[str, ...]
    """Words for what a subsidiary does; none is a word for a business, none names a place."""
    subsidiary_form: str
    famous_brands: tuple[str, ...]
    """Well-known brands and other words that no invented brand may hold."""

    def trade(self, industry: str) -> Trade:
        """Return the words of an industry; those of any business if the industry is unknown."""
        return self.trades.get(industry, self.any_trade)


def trade(business: str, products: str) -> Trade:
    """Return the words of a trade, separated by commas; `药业=Medicine` is a word with its English."""
    pairs = (entry.partition("=") for entry in business.split(", "))
    return Trade({word: english or word for word, _, english in pairs}, tuple(products.split(", ")))


def trades(text: str) -> dict[str, Trade]:
    """Read blocks of lines: an industry; indented, the words of its business, which may take several; its products."""
    found: dict[str, list[str]] = {}
    block: list[str] = []
    for line in text.strip().splitlines():
        if line.startswith(" "):
            block.append(line.strip())
        else:
            block = found[line] = []
    return {industry: trade(" ".join(business), products) for industry, (*business, products) in found.items()}


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text."""
    return tuple(text.split())

"""The words of which names are invented: what a language's words are here, the words in one module a language.

How words combine into names is not said here (`providers.py`, `aliases.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Trade:
    """What the names of one industry's firms and products speak of."""

    business: Mapping[str, str]
    """Words for the business, each with its English (itself, in English)."""
    products: tuple[str, ...]
    """Nouns for products; none of them is a word for a business."""


@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """The words of one language."""

    gap: str
    """What stands between two words."""
    trades: Mapping[str, Trade]
    """Words by industry."""
    any_trade: Trade
    """Words for an industry that is not known."""
    legal_forms: tuple[str, ...]
    """Endings of legal names, each as often as it should be drawn."""
    subsidiary_roles: tuple[str, ...]
    """What a subsidiary does; none is a word for a business, none names a place."""
    subsidiary_form: str
    famous_brands: tuple[str, ...]
    """Well-known brands and other words that no invented brand may hold."""

    def trade(self, industry: str) -> Trade:
        """Return the words of an industry, those of any business for an industry that is not known."""
        return self.trades.get(industry, self.any_trade)


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text."""
    return tuple(text.split())

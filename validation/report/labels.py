"""Names in two languages on an English page: English beside the own name, and each marked with its language.

Belongs here: finding names in the text of a page. Which names there are in English is declared with the environment.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from markupsafe import Markup, escape

_HAN = "\u3400-\u9fff"
APART = re.compile(
    r"(<(?:script|style|svg|title|q)\b.*?</(?:script|style|svg|title|q)>"
    r"|<(?:tbody|bdi) translate=\"no\".*?</(?:tbody|bdi)>|<[^>]*>)",
    re.DOTALL,
)
"""What is no text, and what shows text as it is: between these, every second piece is text."""


@dataclass(frozen=True, kw_only=True)
class Labels:
    """How measures and groups are called in English, where they have names in another language."""

    language: str = "en"
    """Of the own names."""
    english: Mapping[str, str] = field(default_factory=dict)

    def of(self, names: Iterable[str | None]) -> dict[str, str]:
        """Return those of the names that have one in English, with it."""
        return {name: self.english[name] for name in names if name is not None and name in self.english}

    def beside(self, text: str) -> str:
        """Return plain text with its English name before each own name that has one."""
        return self._names.sub(lambda found: " ".join((*self.of([found[0]]).values(), found[0])), text)

    def marked(self, page: Markup) -> Markup:
        """Return HTML with both names wherever one stands, and text in the other language marked."""
        if self.language == "en":
            return page
        pieces = APART.split(page)
        pieces[::2] = [self._names.sub(self._both, piece) for piece in pieces[::2]]
        return Markup("").join(map(Markup, pieces))

    @cached_property
    def _names(self) -> re.Pattern[str]:
        known = sorted((str(escape(name)) for name in self.english), key=len, reverse=True)
        either = "".join(f"(?:{'|'.join(map(re.escape, known))})(?![{_HAN}])|" if known else "")
        return re.compile(f"(?<![{_HAN}])(?:{either}[{_HAN}](?:[{_HAN}\u3000-\u303f\uff00-\uffef]*[{_HAN}\uff09])?)")

    @cached_property
    def _english(self) -> Mapping[str, str]:
        return {str(escape(name)): str(escape(other)) for name, other in self.english.items()}

    def _both(self, found: re.Match[str]) -> str:
        name = found[0]
        own = f'<span lang="{escape(self.language)}">{name}</span>'
        return f"{self._english[name]} {own}" if name in self._english else own

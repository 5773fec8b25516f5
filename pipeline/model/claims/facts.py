"""What is true of a published column in the clean variant: the facts from which suites of expectations are generated.

Belongs here: the shape of a fact, and how numbers are written. Facts of one environment stand in its declaration
(`Environment.facts`), what follows from a declaration without any in `validation/expectations/following.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

TextType = Literal["text", "integer", "decimal"]

FORMS: Final[Mapping[TextType, str]] = {
    "integer": "-?(0|[1-9][0-9]*)",
    "decimal": r"-?(0|[1-9][0-9]*)(\.[0-9]+)?",
}
"""How a number is written, as a regular expression of the whole text; any text is a text."""


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """Facts of one column. The defaults are those of a text that is never empty."""

    type: TextType = "text"
    nullable: bool = False
    """Whether a cell may be empty."""
    allowed: tuple[str, ...] | None = None
    """The closed set of texts, if there is one."""
    minimum: int | None = None
    maximum: int | None = None
    """Inclusive bounds of a number."""
    unique: bool = False
    refers_to: tuple[str, str] | None = None
    """Published table and column in which every text of this one occurs."""
    pattern: str = ""
    """A regular expression of the whole text, for what is no number (days, times, codes)."""

    @property
    def form(self) -> str:
        """Return the regular expression of the whole text that pattern and type ask for; empty where any text will do."""
        return self.pattern or FORMS.get(self.type, "")


TableFacts = Mapping[str, ColumnFacts]
"""Facts by column."""

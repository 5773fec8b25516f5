"""What is true of a published column in the clean variant. Suites of expectations are generated from these facts.

Belongs here: the shape of a fact, and how numbers are written. Facts of one environment belong to its declaration
(`Environment.facts`); facts that follow from the rest of a declaration are made in `validation/expectations/following.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

TextType = Literal["text", "integer", "decimal"]

FORMS: Final[Mapping[TextType, str]] = {"integer": "-?(0|[1-9][0-9]*)", "decimal": r"-?(0|[1-9][0-9]*)(\.[0-9]+)?"}
"""How a number is written, as a regular expression of the whole text; any text is a text."""


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """Facts of one column. By default it holds text and is never empty."""

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
    """A regular expression of the whole text, for texts that are no numbers (days, times, codes)."""

    @property
    def form(self) -> str:
        """Return the regular expression that the whole text must match; empty if any text will do."""
        return self.pattern or FORMS.get(self.type, "")


TableFacts = Mapping[str, ColumnFacts]
"""Facts by column."""

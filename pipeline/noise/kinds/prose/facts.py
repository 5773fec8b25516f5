"""A fact in one text only: a sentence with a figure that stands nowhere else. Attributes moved to prose are another kind."""

from collections.abc import Iterator
from typing import ClassVar

import polars as pl

from pipeline.model import Environment
from pipeline.noise.documents.fields import Some, Text
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.sentences import inserted, picked

_SLOT = "{figure}"


class FactInTextOnly(CellKind):
    """Puts a sentence with a drawn figure after a sentence of one text, where nothing else tells the figure.

    So does the release: one policy's `content` fixes a subsidy that `clearContent` and `summary` do not know (reference 4.24).
    """

    name: ClassVar[str] = "fact_in_text_only"
    family: ClassVar[Family] = Family.PROSE
    recovery: ClassVar[str] = (
        "No: where another text of the row lacks the sentence, nothing says which of the two is right."
    )

    column: WrittenColumn
    """The column of texts that tells it."""
    templates: Some[Text]
    """Sentences with `{figure}`, blanks and full stops included; one is drawn, each alike."""
    figures: Some[Text]
    """What is said; one is drawn, each alike."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse templates without a figure."""
        for template in self.templates:
            if template.count(_SLOT) != 1:
                yield Refusal("templates", template, f"a text with one {_SLOT}")

    def edits(self, _environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return the one edit."""
        template, figure, place = (draws.uniform(self.column, purpose) for purpose in ("template", "figure", "place"))
        before, after = (picked(template, texts) for texts in zip(*self._around, strict=True))
        fact = pl.concat_str(before, picked(figure, self.figures), after)
        return (
            Edit(
                column=self.column,
                owner=draws.row_key,
                is_eligible=pl.lit(value=True),
                draws={"place": place, "fact": fact},
                after={self.column: inserted(pl.col(self.column), drawn("place"), drawn("fact"))},
            ),
        )

    @property
    def _around(self) -> list[list[str]]:
        return [template.split(_SLOT) for template in self.templates]

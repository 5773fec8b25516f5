"""Wrong category: a cell holds another of its column's values. Names that mean the same are another kind."""

from collections.abc import Iterator
from typing import ClassVar, Literal

import polars as pl

from pipeline.model import Environment
from pipeline.noise.documents.fields import Some, Text
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.known_names import any_of
from pipeline.noise.kinds.parts.slips import option


class WrongCategory(ColumnsKind):
    """Puts another of the column's values where the right one stood, each of the others alike."""

    name: ClassVar[str] = "wrong_category"
    family: ClassVar[Family] = Family.NAMES
    recovery: ClassVar[str] = "No, unless another column or table says the category as well."
    claims_realism: ClassVar[bool] = True

    columns: Some[WrittenColumn]
    """Columns of categories, each with its own draw."""
    values: Some[Text]
    """The closed set of categories."""
    at: Literal["whole", "prefix"] = "whole"
    """Where the category stands: it is the cell, or its beginning (部委政策-浙江省人民政府); the longest that fits counts."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a set in which nothing else can be drawn."""
        if len(self.values) == 1:
            yield Refusal("values", self.values[0], "two values or more")

    def _edit(self, column: str, draws: Draws) -> Edit:
        others = {value: [other for other in self.values if other != value] for value in self.values}
        value, cell = drawn("value"), pl.col(column)
        uniform = draws.uniform(column, "what")
        rest = cell.str.slice(value.str.len_chars())
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=self._value(cell).is_not_null(),
            draws={"value": self._value(cell)},
            after={column: pl.concat_str(option(value, others, uniform), rest).fill_null(cell)},
        )

    def _value(self, cell: pl.Expr) -> pl.Expr:
        """Return the category that stands in a cell, null if there is none."""
        if self.at == "whole":
            return pl.when(cell.is_in(self.values)).then(cell)
        return cell.str.extract("^" + any_of(self.values), 1)

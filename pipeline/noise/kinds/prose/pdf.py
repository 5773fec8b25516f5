"""PDF residue: page marks inside a running text, and blanks inside words, as extraction from printed pages leaves them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar

import polars as pl

from pipeline.model import Environment, Frames, PublishedTable
from pipeline.noise.documents.fields import Many, Some, Text, Within
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import CellKind, Draws, Edit, Family, WrittenColumn, clean, drawn
from pipeline.noise.kinds.parts.sentences import counted, picked, replaced_after

_PAGE, _PAGES = "{page}", "{pages}"
_FIRST_PAGES, _LAST_PAGES = (8, 40), (120, 280)
"""Where a chapter begins in an annual report, and how many pages that has; bounds inclusive, our choice."""

_WORD, _SPLIT_WORD = r"(\p{L})(\p{L})", "$1 $2"


@dataclass(frozen=True, kw_only=True)
class PdfResidue(CellKind):
    """Puts page marks into a text, one on each of its pages, and blanks between letters of a word."""

    name: ClassVar[str] = "pdf_residue"
    family: ClassVar[Family] = Family.PROSE
    recovery: ClassVar[str] = (
        "Yes where page marks alone were put in: they follow one pattern; blanks in words are not found."
    )

    columns: Some[WrittenColumn]
    """Columns of texts, each with its own draw; texts that have such page marks already are left alone."""
    marks: Many[Text] = ()
    """Page marks with `{page}`, and maybe `{pages}`; a text has one of them throughout, drawn, with a blank on either side."""
    most_marks: Annotated[int, Within(1)] = 3
    """Most page marks in one text; from 1 to this many, each alike."""
    most_blanks: Annotated[int, Within(0)] = 0
    """Most blanks inside words; from 1 to this many if it is not 0."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a kind that does nothing, and marks without a page."""
        if not self.marks and self.most_blanks < 1:
            yield Refusal("marks", self.marks, "at least one, or most_blanks above 0")
        for mark in self.marks:
            if mark.count(_PAGE) != 1 or mark.count(_PAGES) > 1 or mark == _PAGE:
                yield Refusal("marks", mark, f"a text around one {_PAGE}, and at most one {_PAGES}")

    def edits(self, _environment: Environment, draws: Draws) -> tuple[Edit, ...]:
        """Return one edit a column."""
        return tuple(self._edit(column, draws) for column in self.columns)

    def mended(
        self, rows: pl.DataFrame, table: PublishedTable, environment: Environment, beside: Frames
    ) -> pl.DataFrame:
        """Take out every page mark with its two blanks."""
        there = [column for column in self.columns if column in rows.columns]
        return rows.with_columns(self._without_marks(pl.col(column)).alias(column) for column in there)

    def _edit(self, column: str, draws: Draws) -> Edit:
        text = pl.col(column)
        marked = self._marked(text) if self.marks else text
        steps = {**self._drawn_for_marks(column, draws), "marked": marked, "split0": drawn("marked")}
        steps["blanks"] = counted(_uniform(column, "blanks", draws), self.most_blanks)
        for step in range(self.most_blanks):
            before, place = drawn(f"split{step}"), _uniform(column, f"blank {step}", draws)
            after = replaced_after(before, place, _WORD, _SPLIT_WORD)
            steps[f"split{step + 1}"] = pl.when(drawn("blanks") > step).then(after).otherwise(before)
        is_taken_back = (self._without_marks(drawn("marked")) == text).fill_null(value=False)
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=self._without_marks(text) == text if self.marks else text.str.contains(_WORD),
            draws=steps,
            after={column: drawn(f"split{self.most_blanks}")},
            is_recoverable=pl.lit(value=False) if self.most_blanks else is_taken_back,
        )

    def _drawn_for_marks(self, column: str, draws: Draws) -> dict[str, pl.Expr]:
        if not self.marks:
            return {}
        return {
            "marks": counted(_uniform(column, "marks", draws), self.most_marks),
            "page": _between(*_FIRST_PAGES, _uniform(column, "page", draws)),
            "pages": _between(*_LAST_PAGES, _uniform(column, "pages", draws)),
            "mark": picked(_uniform(column, "mark", draws), self.marks),
            **{f"place{step}": _uniform(column, f"mark {step}", draws) for step in range(self.most_marks)},
        }

    def _marked(self, text: pl.Expr) -> pl.Expr:
        """Return the text with page marks: one in each of as many equal stretches as there are marks."""
        steps, length = range(self.most_marks), text.str.len_chars().cast(pl.Int64)
        places = [((step + drawn(f"place{step}")) * length / drawn("marks")).cast(pl.Int64) for step in steps]
        # past the drawn number there is nothing left of the text, and no mark
        bounds = [pl.lit(0, pl.Int64), *(pl.min_horizontal(place, length) for place in places), length]
        parts = [text.str.slice(start, end - start) for start, end in pairwise(bounds)]
        marks = [
            pl.when(drawn("marks") > step).then(_mark(drawn("page") + step)).otherwise(pl.lit("")) for step in steps
        ]
        return pl.concat_str(parts[0], *(part for pair in zip(marks, parts[1:], strict=True) for part in pair))

    def _without_marks(self, text: pl.Expr) -> pl.Expr:
        if not self.marks:
            return text
        patterns = [
            pl.escape_regex(mark).replace(pl.escape_regex(_PAGES), r"\d+").replace(pl.escape_regex(_PAGE), r"\d+")
            for mark in self.marks
        ]
        return text.str.replace_all(f" (?:{'|'.join(patterns)}) ", "")


def _mark(page: pl.Expr) -> pl.Expr:
    mark = drawn("mark")
    for slot, number in ((_PAGE, page), (_PAGES, drawn("pages"))):
        mark = mark.str.replace(slot, number.cast(pl.String), literal=True)
    return pl.lit(" ") + mark + pl.lit(" ")


def _uniform(column: str, purpose: str, draws: Draws) -> pl.Expr:
    return draws.of(column, purpose).uniform(clean(draws.row_key))


def _between(least: int, most: int, uniform: pl.Expr) -> pl.Expr:
    return (uniform * (most - least + 1)).cast(pl.Int64) + least

"""PDF residue: page marks inside a running text, and blanks inside words, as extraction from printed pages leaves them."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, ClassVar

import polars as pl

from pipeline.model import Environment
from pipeline.noise.documents.fields import Many, Some, Text, Within
from pipeline.noise.documents.problems import Refusal
from pipeline.noise.kinds.interface import ColumnsKind, Draws, Edit, Family, WrittenColumn, drawn
from pipeline.noise.kinds.parts.sentences import counted, picked, replaced_after

_PAGE, _PAGES = "{page}", "{pages}"
_FIRST_PAGES, _LAST_PAGES = (8, 40), (120, 280)
"""Where a chapter begins in an annual report, and how many pages that has; bounds inclusive, our choice."""

_WORD, _SPLIT_WORD = r"(\p{L})(\p{L})", "$1 $2"


class PdfResidue(ColumnsKind):
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

    def _edit(self, column: str, draws: Draws) -> Edit:
        text = pl.col(column)
        marked = self._marked(text) if self.marks else text
        steps = {**self._drawn_for_marks(column, draws), "marked": marked, "split0": drawn("marked")}
        steps["blanks"] = counted(draws.uniform(column, "blanks"), self.most_blanks)
        for step in range(self.most_blanks):
            before, place = drawn(f"split{step}"), draws.uniform(column, f"blank {step}")
            after = replaced_after(before, place, _WORD, _SPLIT_WORD)
            steps[f"split{step + 1}"] = pl.when(drawn("blanks") > step).then(after).otherwise(before)
        is_taken_back = (self._restored(drawn("marked")) == text).fill_null(value=False)
        return Edit(
            column=column,
            owner=draws.row_key,
            is_eligible=self._restored(text) == text if self.marks else text.str.contains(_WORD),
            draws=steps,
            after={column: drawn(f"split{self.most_blanks}")},
            is_recoverable=pl.lit(value=False) if self.most_blanks else is_taken_back,
        )

    def _drawn_for_marks(self, column: str, draws: Draws) -> dict[str, pl.Expr]:
        if not self.marks:
            return {}
        return {
            "marks": counted(draws.uniform(column, "marks"), self.most_marks),
            "page": _between(*_FIRST_PAGES, draws.uniform(column, "page")),
            "pages": _between(*_LAST_PAGES, draws.uniform(column, "pages")),
            "mark": picked(draws.uniform(column, "mark"), self.marks),
            **{f"place{step}": draws.uniform(column, f"mark {step}") for step in range(self.most_marks)},
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

    def _restored(self, text: pl.Expr) -> pl.Expr:
        """Take out every page mark with its two blanks."""
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


def _between(least: int, most: int, uniform: pl.Expr) -> pl.Expr:
    return (uniform * (most - least + 1)).cast(pl.Int64) + least

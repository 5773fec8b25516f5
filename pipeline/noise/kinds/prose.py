"""Prose as it comes out of pages and conversions: marked up, with page marks, clipped, shuffled, with lost glyphs.

And a sentence with a figure that stands nowhere else. Attributes that are moved into prose are `attributes.py`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Literal

import polars as pl

from pipeline.documents.fields import Many, Some, Text, Within
from pipeline.documents.problems import Refusal
from pipeline.keyed import SEPARATOR
from pipeline.model import Environment
from pipeline.noise.kinds.interface import (
    ColumnsKind,
    Draws,
    Edit,
    Family,
    NoisyRows,
    OneEdit,
    Restored,
    WrittenColumn,
    clean,
    drawn,
)
from pipeline.noise.kinds.parts.distinct import rewritten
from pipeline.noise.kinds.parts.sentences import counted, inserted, picked, replaced_after, sentences
from pipeline.noise.mechanisms import ColumnName

_SPREAD = 0.1
"""A clipped text is this share shorter or longer than asked, at most; our choice."""


class ClippedText(ColumnsKind):
    """Cuts a long text off, inside a word where it has words."""

    name = "clipped_text"
    family = Family.PROSE
    recovery = "No, unless the first line of another column (`whole_in`) is the whole text."

    columns: Some[WrittenColumn]
    """Columns of texts, each with its own draw."""
    characters: Annotated[int, Within(2)]
    """How many characters are left, give or take a tenth; texts that are not longer anyway stay."""
    whole_in: ColumnName | None = None
    """A column whose first line may hold the whole text (a title above its text)."""

    def refusals(self, _environment: Environment) -> Iterator[Refusal]:
        """Refuse a text that is whole in itself."""
        if self.whole_in in self.columns:
            yield Refusal("whole_in", self.whole_in, "another column than `columns`")

    def _mended(self, noisy: NoisyRows) -> pl.DataFrame:
        """Take the first line of `whole_in` where a text that may be clipped is its beginning."""
        if self.whole_in is None or not noisy.has(self.whole_in):
            return noisy.rows
        whole = _first_line(pl.col(self.whole_in))

        def completed(text: pl.Expr) -> pl.Expr:
            may_be_clipped = (text.str.len_chars() >= self._shortest) & whole.str.starts_with(text)
            return pl.when(may_be_clipped).then(whole).otherwise(text)

        return rewritten(noisy.rows, self.columns, completed)

    @property
    def _shortest(self) -> int:
        return int(self.characters * (1 - _SPREAD))

    @property
    def _longest(self) -> int:
        return int(self.characters * (1 + _SPREAD))

    def _edit(self, column: str, draws: Draws, restored: Restored) -> Edit:
        whole = pl.lit(None, pl.String) if self.whole_in is None else _first_line(pl.col(self.whole_in))
        return replace(super()._edit(column, draws, restored), is_recoverable=whole.eq_missing(clean(column)))

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return text.str.len_chars() > self._longest

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        uniform = draws.uniform(column, "length")
        length = (uniform * (self._longest - self._shortest + 1)).cast(pl.Int64) + self._shortest
        return {"text": _clipped(pl.col(column), length)}


def _clipped(text: pl.Expr, length: pl.Expr) -> pl.Expr:
    """Return the text up to the first place inside a word that leaves `length` characters or more; else just so many."""
    inside = text.str.slice(length - 1).str.extract(r"(?s)^(.*?\p{L})\p{L}", 1)
    return text.str.slice(0, length - 1) + pl.coalesce(inside, text.str.slice(length - 1, 1))


def _first_line(text: pl.Expr) -> pl.Expr:
    return text.str.extract(r"^([^\r\n]*)", 1)


_QUOTES = ["“", "”", "‘", "’"]


class ShuffledSentences(ColumnsKind):
    """Puts the sentences of a text in another order; typographic quotes may turn into something else on the way."""

    name = "shuffled_sentences"
    family = Family.PROSE
    recovery = "No: the text does not tell the order that its sentences had."

    columns: Some[WrittenColumn]
    """Columns of texts, each with its own draw; texts of one sentence are left alone."""
    quotes_as: Text | None = None
    """What stands for each typographic quote then (`;` in the release); they stay if not given."""

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return sentences(text).list.n_unique() > 1

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        cut = drawn("sentences")
        is_same = drawn("shuffled") == pl.col(column)
        other = pl.when(is_same).then(cut.list.reverse().list.join("")).otherwise(drawn("shuffled"))
        return {
            "sentences": sentences(pl.col(column)),
            "shuffled": self._shuffled(cut, column, draws),
            "text": other if self.quotes_as is None else other.str.replace_many(_QUOTES, [self.quotes_as]),
        }

    def _shuffled(self, cut: pl.Expr, column: str, draws: Draws) -> pl.Expr:
        # NOTE: list.eval sees no other column, so the owner travels before every sentence
        owner, key = clean(draws.row_key) + pl.lit(SEPARATOR), draws.of(column, "order")
        joined = owner + cut.list.join(pl.lit(SEPARATOR) + pl.lit(SEPARATOR) + owner)
        owned = joined.str.split(SEPARATOR + SEPARATOR)
        ordered = owned.list.eval(pl.element().sort_by(key.mac(pl.element())).str.split(SEPARATOR).list.get(1))
        return ordered.list.join("")


_GLYPHS = {"han": r"[\x{3400}-\x{4dbf}\x{4e00}-\x{9fff}]", "latin": "[A-Za-z]"}
"""Ranges rather than Unicode's scripts, which a regular expression takes long to learn."""


class LostGlyphs(ColumnsKind):
    """Replaces some characters of a text by `?`."""

    name = "lost_glyphs"
    family = Family.PROSE
    recovery = "No: a reader may guess the character, the text does not tell it."

    columns: Some[WrittenColumn]
    """Columns of texts, each with its own draw."""
    most: Annotated[int, Within(1)] = 3
    """Most characters that one text loses; from 1 to this many, each alike."""
    script: Literal["han", "latin"] = "han"
    """Whose characters are lost."""

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return text.str.contains(_GLYPHS[self.script])

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        steps = {"lost": counted(draws.uniform(column, "number"), self.most), "0": pl.col(column)}
        for step in range(self.most):
            before, place = drawn(str(step)), draws.uniform(column, f"place {step}")
            after = replaced_after(before, place, _GLYPHS[self.script], "?")
            steps[str(step + 1)] = pl.when(drawn("lost") > step).then(after).otherwise(before)
        return steps


_SLOT = "{figure}"


class FactInTextOnly(OneEdit):
    """Adds a sentence with an invented figure to one text; nothing else tells the figure.

    So does the release: one policy's `content` fixes a subsidy that `clearContent` and `summary` do not know (reference 4.24).
    """

    name = "fact_in_text_only"
    family = Family.PROSE
    recovery = "No: where another text of the row lacks the sentence, nothing says which of the two is right."

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

    def _edit(self, _environment: Environment, draws: Draws) -> Edit:
        template, figure, place = (draws.uniform(self.column, purpose) for purpose in ("template", "figure", "place"))
        before, after = (picked(template, texts) for texts in zip(*self._around, strict=True))
        fact = pl.concat_str(before, picked(figure, self.figures), after)
        return Edit(
            column=self.column,
            owner=draws.row_key,
            is_eligible=pl.lit(value=True),
            draws={"place": place, "fact": fact},
            after={self.column: inserted(pl.col(self.column), drawn("place"), drawn("fact"))},
        )

    @property
    def _around(self) -> list[list[str]]:
        return [template.split(_SLOT) for template in self.templates]


Form = Literal["paragraphs", "indents", "quotes", "blanks"]

_ENTITIES: Mapping[Form, Mapping[str, str]] = {
    "quotes": {"“": "&ldquo;", "”": "&rdquo;", "‘": "&lsquo;", "’": "&rsquo;"},
    "blanks": {" ": "&nbsp;"},
}
_INDENT = "&ensp;&ensp;"
_PARAGRAPHS = ("<p>", '<p style="font-weight: 400;">', '<p style="text-align: justify;">')
"""Beginnings of a paragraph; the second is the release's (reference 1.3), the others ours. Entities: reference 4.25."""
_END = "</p>"

_MARKUP = "[<>&]"


class Markup(ColumnsKind):
    """Writes a text that has no markup as HTML: paragraphs by line, indents, entities; texts with `<`, `>` or `&` stay."""

    name = "markup"
    family = Family.PROSE
    recovery = "Yes: without tags, and with entities as characters, it is the text again."

    columns: Some[WrittenColumn]
    """Columns of texts, each with its own draw; texts that have markup already are left alone."""
    forms: Some[Form] = ("paragraphs", "indents", "quotes")
    """What is written: each line as a paragraph of one drawn style, an indent before each line, quotes or blanks as
    entities."""

    def _edit(self, column: str, draws: Draws, restored: Restored) -> Edit:
        return replace(super()._edit(column, draws, restored), is_recoverable=pl.lit(value=True))

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return ~text.str.contains(_MARKUP) & (self._marked(text, pl.lit(_PARAGRAPHS[0])) != text)

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        text = pl.col(column)
        marked = pl.when(~text.str.contains(_MARKUP)).then(self._marked(text, drawn("style"))).otherwise(text)
        return {"style": picked(draws.uniform(column, "style"), _PARAGRAPHS), "text": marked}

    def _marked(self, text: pl.Expr, style: pl.Expr) -> pl.Expr:
        for form, entities in _ENTITIES.items():
            if form in self.forms:
                text = text.str.replace_many(dict(entities))
        is_paragraph = "paragraphs" in self.forms
        begin = pl.concat_str(style if is_paragraph else pl.lit(""), pl.lit(_INDENT if "indents" in self.forms else ""))
        end = pl.lit(_END if is_paragraph else "")
        # A replacement that is null is refused where it is the only one; such a row is null by its beginning.
        between = (end + pl.lit("\n") + begin).fill_null("")
        return begin + text.str.replace_all("\n", between, literal=True) + end

    @property
    def _characters(self) -> dict[str, str]:
        """Return what every tag and entity stands for in the text."""
        characters = dict.fromkeys((*_PARAGRAPHS, _END), "") if "paragraphs" in self.forms else {}
        characters |= {_INDENT: ""} if "indents" in self.forms else {}
        written = [entities for form, entities in _ENTITIES.items() if form in self.forms]
        return characters | {entity: character for entities in written for character, entity in entities.items()}

    def _restored(self, text: pl.Expr) -> pl.Expr:
        """Return the text of which the marked-up one is this, from first character to last; this itself if there is none."""
        plain = text.str.replace_many(self._characters)
        style = pl.coalesce(pl.when(text.str.starts_with(tag)).then(pl.lit(tag)) for tag in _PARAGRAPHS)
        is_marked = self._marked(plain, style.fill_null(_PARAGRAPHS[0])) == text
        return pl.when(is_marked & ~plain.str.contains(_MARKUP)).then(plain).otherwise(text)


_PAGE, _PAGES = "{page}", "{pages}"
_FIRST_PAGES, _LAST_PAGES = (8, 40), (120, 280)
"""Where a chapter begins in an annual report, and how many pages that has; bounds inclusive, our choice."""

_WORD, _SPLIT_WORD = r"(\p{L})(\p{L})", "$1 $2"


class PdfResidue(ColumnsKind):
    """Puts page marks into a text, one on each of its pages, and blanks between letters of a word."""

    name = "pdf_residue"
    family = Family.PROSE
    recovery = "Yes where page marks alone were put in: they follow one pattern; blanks in words are not found."

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

    def _edit(self, column: str, draws: Draws, restored: Restored) -> Edit:
        is_taken_back = (self._restored(drawn("marked")) == pl.col(column)).fill_null(value=False)
        is_recoverable = pl.lit(value=False) if self.most_blanks else is_taken_back
        return replace(super()._edit(column, draws, restored), is_recoverable=is_recoverable)

    def _fits(self, text: pl.Expr) -> pl.Expr:
        return self._restored(text) == text if self.marks else text.str.contains(_WORD)

    def _steps(self, column: str, draws: Draws) -> Mapping[str, pl.Expr]:
        marked = self._marked(pl.col(column)) if self.marks else pl.col(column)
        blanks = counted(draws.uniform(column, "blanks"), self.most_blanks)
        steps = {**self._drawn_for_marks(column, draws), "marked": marked, "blanks": blanks, "split0": drawn("marked")}
        for step in range(self.most_blanks):
            before, place = drawn(f"split{step}"), draws.uniform(column, f"blank {step}")
            after = replaced_after(before, place, _WORD, _SPLIT_WORD)
            steps[f"split{step + 1}"] = pl.when(drawn("blanks") > step).then(after).otherwise(before)
        return steps

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

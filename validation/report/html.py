"""How HTML is made: the templates, what they are given besides their own context, and tables.

Belongs here: form alone. What a page says stands in the templates and the sections; every text is escaped unless it is marked
as HTML. A page is complete in itself: nothing is fetched, and the same findings give the same bytes.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from pipeline.legible import UNSEEN
from pipeline.wording import counted, percent
from validation.report.charts.drawings import against, bar
from validation.report.labels import APART
from validation.wording import NOTHING, briefly, group_name, number, spoken

MANY = 12
"""Rows above which a table scrolls in a box and has a filter."""

_LEFTWARDS = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
"""Letters of scripts that run from right to left."""

_TURNING = re.compile(f"[{_LEFTWARDS}](?:[{_LEFTWARDS}0-9 ,.'-]*[{_LEFTWARDS}])?")

_HIDDEN = {"Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn"}
"""Unicode categories of characters that a reader cannot see, the plain blank apart."""


@dataclass(frozen=True)
class Cell:
    """A cell that is more than its value: text or HTML, what it is sorted by, and its class."""

    text: str
    value: float | str | None = None
    kind: str | None = None


Value = Cell | str | float | int | None


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table that sorts by any column where there is a script; a long one filters, too, and scrolls."""

    name: str
    """What it lists, for readers who do not see it."""
    headings: Sequence[str]
    rows: Sequence[Sequence[Value]]
    kind: str = ""
    """`cards`: a card for each row on a phone."""

    @cached_property
    def heads(self) -> list[tuple[str, str | None]]:
        """Return each heading and its class: numbers stand to the right, unless there are bars with them."""
        return [(heading, _kind([row[i] for row in self.rows])) for i, heading in enumerate(self.headings)]

    @property
    def cells(self) -> Iterable[Iterable[tuple[str, Cell]]]:
        """Return each row's cells with their headings."""
        return (zip(self.headings, map(_cell, row), strict=True) for row in self.rows)

    @property
    def is_long(self) -> bool:
        """Say whether it scrolls."""
        return len(self.rows) > MANY


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a page under a heading of its own."""

    anchor: str
    heading: str
    body: Markup
    source: str = ""
    """The file beside the page that holds its figures."""
    page: str = ""
    """The file beside the page that shows the section by itself."""

    @property
    def short(self) -> str:
        """Return its name in the contents."""
        return SHORT.get(self.anchor, self.heading)


SHAPES = "Size, spread, tails"
"""Name of the section on what a KS test cannot see: in the contents, on cards and above it."""

SHORT: Mapping[str, str] = {
    "ks": "Distributions",
    "beyond-ks": SHAPES,
    "consistency": "Consistency",
    "privacy": "Privacy",
    "noise": "Noise",
    "ladder": "Ladder",
}
"""Anchor of a section -> its name in the contents and on cards, of those that have a short one or a card leads to."""


Column = str | Callable[[Any], Value]
"""How a column's cells are made of entries: a field, or what returns the cell of one."""


def table(name: str, entries: Iterable[object], columns: Mapping[str, Column], *, kind: str = "") -> Table:
    """Return a table with a row for each entry, those that failed first.

    Args:
        entries: what a row is made of each.
        columns: heading -> what stands in the column.
        kind: as of `Table`.
    """
    makers = [attrgetter(column) if isinstance(column, str) else column for column in columns.values()]
    rows = sorted(
        ([make(entry) for make in makers] for entry in entries), key=lambda row: not any(map(has_failed, row))
    )
    return Table(name=name, headings=list(columns), rows=rows, kind=kind)


def fields(*names: str) -> dict[str, Column]:
    """Return columns that are fields of that name."""
    return {spoken(name): name for name in names}


_ABSENT = (None, Cell(""))
_FAILED = "exceeded"


def has_failed(cell: Value) -> bool:
    """Say whether a cell tells of a failure."""
    return isinstance(cell, Cell) and _FAILED in (cell.kind or "").split()


def word(is_passed: object, *, compared: int = 1, is_judged: bool = True) -> Cell:
    """Return a verdict as a cell: the word says it, colour repeats it.

    Args:
        compared: how much was looked at; of nothing compared nothing holds.
        is_judged: whether it stops publishing if it does not hold; what does not is never called failed.
    """
    if is_passed and not compared:
        return Cell(NOTHING, kind="note")
    if is_passed:
        return Cell("passed", kind="kept")
    return Cell("FAILED", kind=_FAILED) if is_judged else Cell("LOOK AT IT", kind="doubtful")


def share(value: float | None, *, suffix: str = "") -> Cell:
    """Return a share as a cell with its bar; an absent one as nothing."""
    if value is None:
        return Cell("")
    text = f"{percent(value)}{suffix}"
    return Cell(Markup("{}{}").format(text, bar(value)), float(value), kind="rate")


def with_note(text: str, *notes: str) -> Cell:
    """Return a name in bold, with notes in small print below."""
    small = Markup("").join(Markup('<div class="note">{}</div>').format(folded_text(note)) for note in notes if note)
    return Cell(Markup("<b>{}</b>{}").format(text, small), text)


def folded_text(text: str) -> Markup:
    """Return a text; of a long one its first words, with the rest behind them."""
    if len(text) <= _AT_ONCE:
        return escape(text)
    cut = text.rfind(" ", 0, _BEFORE_A_FOLD) + 1 or _BEFORE_A_FOLD
    fold = '<details class="folded"><summary>{}...</summary>{}</details>'
    return Markup(fold).format(text[:cut], text[cut:])


_AT_ONCE = 240
"""Characters of a cell that are shown at once (our choice)."""

_BEFORE_A_FOLD = 80
"""Characters of a longer one that are, at most (our choice)."""


def prose(text: str) -> Markup:
    """Return text with what stands between backticks as code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def command(text: str) -> Markup:
    """Return a command as HTML that breaks between its words and nowhere else."""
    words = Markup(" ").join(Markup("<span>{}</span>").format(each) for each in text.split(" "))
    return Markup("<code>{}</code>").format(words)


def visible(text: str | None) -> Markup:
    """Return a cell's text as HTML, with what cannot be seen made visible: no value, nothing, blanks and marks."""
    if not text:
        return Markup("<i>absent</i>" if text is None else "<i>empty</i>")
    seen = str(escape(text))
    for character in filter(_is_hidden, set(text)):
        seen = seen.replace(character, _mark(f"U+{ord(character):04X}"))
    shown = re.sub("^ +| +$| {2,}", lambda blanks: _mark("\u2423" * len(blanks.group())), seen)
    return Markup(f"<q>{shown}</q>")


def render(template: str, **context: object) -> Markup:
    """Return a template filled with its context."""
    return Markup(_ENVIRONMENT.get_template(template).render(context))


def _legible(page: str) -> Markup:
    """Return a page on which what cannot be seen is marked, and words that run from right to left turn nothing beside them."""
    if not UNSEEN.search(page) and not _TURNING.search(page):
        return Markup(page)
    pieces = APART.split(page)
    pieces[::2] = [_TURNING.sub(r"<bdi>\g<0></bdi>", UNSEEN.sub(_marked, piece)) for piece in pieces[::2]]
    pieces[1::2] = map(marked_unseen, pieces[1::2])
    return Markup("").join(map(Markup, pieces))


def marked_unseen(text: str) -> str:
    """Return text with the code points of what cannot be seen, where there can be no markup."""
    return UNSEEN.sub(_code_point, text)


def _marked(found: re.Match[str]) -> str:
    return _mark(_code_point(found))


def _code_point(found: re.Match[str]) -> str:
    return f"U+{ord(found[0]):04X}"


def _is_hidden(character: str) -> bool:
    return character != " " and unicodedata.category(character) in _HIDDEN


def _mark(text: str) -> Markup:
    return Markup("<mark>{}</mark>").format(text)


def _kind(column: Sequence[Value]) -> str | None:
    """Return the class of a column's heading: `n` where all of its cells are numbers or absent."""
    values = [cell.value if isinstance(cell, Cell) else cell for cell in column]
    known = [isinstance(value, int | float) for value in values]
    if not any(known) or not all(is_known or cell in _ABSENT for is_known, cell in zip(known, column, strict=True)):
        return None
    return "rate n" if any(isinstance(cell, Cell) and cell.kind == "rate" for cell in column) else "n"


def _cell(value: Value) -> Cell:
    match value:
        case Cell(value=float()):
            return Cell(value.text, f"{value.value:.6g}", f"{value.kind or ''} n".strip())
        case Cell():
            return value
        case None:
            return Cell("")
        case int():
            return Cell(number(value), kind="n")
        case float():
            return Cell(number(value), f"{value:.6g}", "n")
        case str():
            return Cell(value)


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("validation.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "briefly": briefly,
        "counted": counted,
        "number": number,
        "percent": percent,
        "spoken": spoken,
        "command": command,
        "legible": _legible,
    }
    made.globals |= {"prose": prose, "against": against, "group_name": group_name}
    return made


_ENVIRONMENT = _environment()

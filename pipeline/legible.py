"""Text that somebody reads: what cannot be seen, or would turn or overwrite what stands beside it, is made visible.

Belongs here: which characters these are, and how a terminal shows them, tables and lists. No line of these is wider than
`WIDTH`, and what is folded stands under itself. Data and published files keep their characters.
"""

import os
import re
import shutil
from collections.abc import Collection, Iterable, Sequence
from io import StringIO

UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]"
)
"""Controls but for tab and line feed, separators, blanks without width, what turns the direction, halves of surrogates."""


_TURNS = str.maketrans({"\n": r"\n", "\t": r"\t"})


def legible(text: str) -> str:
    """Return text for a terminal or a log: such characters are written as Python writes them."""
    return UNSEEN.sub(lambda found: repr(found[0])[1:-1], text)


def one_line(text: str) -> str:
    """Return text that is one line of a list: what it quotes cannot begin another one."""
    return legible(text).translate(_TURNS)


# --- tables and lists -----------------------------------------------------------------------------------------------------

WIDTH = 100
"""Columns of a line (our choice: two windows fit on a screen)."""

_GAP = 2
"""Blanks between columns."""

_LABELLED = re.compile(r" *(?:silt: |\S+(?: \S+)?  +)?")
"""What stands before the text of a line of a list: its indent, and its name with two blanks or more behind it."""

_BETWEEN = re.compile(r" (?=(?:[^`]*`[^`]*`)*[^`]*$)")
"""A blank that is in no command: these stand between backticks, and are copied."""

_COPIED = re.compile(r"\| | *(?:\S+ +)?silt (?!(?:\w+ )?\w+: )")
"""How a line begins that is copied, which a fold would break: a row in Markdown, a command. `silt build: error: ` is none."""


def text_table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Collection[str] = ()) -> str:
    """Return a table as text, without a line at its end.

    Args:
        headings: Of the columns.
        rows: Their cells, which may have several lines. Long ones are folded under their first letter, but for numbers.
        numbers: Headings of the columns that are aligned to the right, and never folded.
    """
    from rich.console import Console, Group  # noqa: PLC0415  (a program does without)
    from rich.padding import Padding  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    def cell(heading: str, text: str) -> Text | Group:
        if heading in numbers:
            return Text(text)
        lines = [(line, len(line) - len(line.lstrip(" "))) for line in text.split("\n")]
        return Group(*(Padding(Text(line[indent:]), (0, 0, 0, indent), expand=False) for line, indent in lines))

    made = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for heading in headings:
        is_number = heading in numbers
        made.add_column(heading, justify="right" if is_number else "left", no_wrap=is_number, overflow="fold")
    for row in rows:
        made.add_row(*map(cell, headings, row))
    shown = StringIO()
    Console(file=shown, width=WIDTH, color_system=None).print(made)
    return "\n".join(line.rstrip() for line in shown.getvalue().splitlines())


def folded(line: str, width: int = 0) -> str:
    """Return a line of a list in as many lines as it needs, the further ones under its text; what is copied stays in one.

    Args:
        width: Columns; by default as many as the variable `COLUMNS` says, or the terminal has, which are at most `WIDTH`.
    """
    width = width or _width()
    if len(line.encode()) <= width or _COPIED.match(line):
        return line
    from rich.cells import cell_len  # noqa: PLC0415

    labelled = _LABELLED.match(line)
    end = min(labelled.end() if labelled else 0, width // 2)
    lines = [""]
    for word in _BETWEEN.split(line[end:]):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and cell_len(longer) > width - end:
            lines.append(word)
        else:
            lines[-1] = longer
    return line[:end] + ("\n" + " " * end).join(lines)


def _width() -> int:
    size = shutil.get_terminal_size((WIDTH, 0)).columns
    return size if "COLUMNS" in os.environ else min(WIDTH, size)

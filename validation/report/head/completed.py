"""Completes a page of a refused build, which is the curator's alone: with the command as it was given, and with raw rows.

Belongs here: what stands on such a page and on no published one. The step that makes a page knows neither.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from pipeline.publish.refusal import EXEMPTIONS, FINDINGS
from validation.report.html import command


@dataclass(frozen=True, kw_only=True)
class RawPlaces:
    """Where the raw tables hold what was found, in words: file, row and column. Never what stands there."""

    found: Sequence[str] = ()
    """Cells that are published as they are, each with its published row and the cell that lists its name or code, if any."""
    has_proposals: bool = False
    """Whether there are exemptions that could be declared."""


RAW_ROWS = Markup('<p class="raw-rows"></p>')
"""Where a page of a refused build names the raw rows."""

STANDS = Markup('<span class="stands"></span>')
"""Where it says that what was built before is still there."""

ADDED = Markup('<span class="added"></span>')
"""Where it says what to add to a build that another command prints."""

_PROPOSED = Markup(
    '<p><b>If it names nobody where it was found:</b> put what <a href="../../../{0}"><code>{0}</code></a> beside the findings '
    "proposes into the declaration, with your reason.</p>"
).format(EXEMPTIONS)

_PAIRED = Markup(
    '<p class="raw-rows"><b>In the raw tables</b>, each with its published row (<a href="../../../{0}"><code>{0}</code></a> '
    "has the words; the header is row 1):</p><ul>{1}</ul>"
)

_SHOWN = 5
"""Raw rows that are named (our choice: a file has all)."""

TRIAL = "silt check --policy guarded"
"""What tries budgets, in words that know no environment."""

_BUILD = re.compile("<code><span>silt</span> <span>build</span>.*?</code>")
_CHECK = re.compile("<code><span>silt</span> <span>check</span>.*?</code>")
_HOW = re.compile('(<p(?: class="how")?>)Run commands where the build was run[^\n]*</p>')


def first_of(raw_rows: Sequence[str]) -> list[str]:
    """Return the first of these places, and in the last one's stead how many follow."""
    further = len(raw_rows) - _SHOWN
    return [*raw_rows[:_SHOWN], *([f"and {further:,} more, in {FINDINGS}"] if further > 0 else [])]


def completed(page: str, *, build: str, trial: str, added: str = "", raw: RawPlaces, stands: str) -> str:
    """Return the page.

    Args:
        page: The page as a step made it.
        build: The command that builds again; empty if none can name what was built.
        trial: The command that tries budgets for it; empty likewise.
        added: What the build that this command prints lacks; empty if nothing.
        raw: Where what was found stands in the raw tables, and what answers it.
        stands: What was built before and is still there; empty if nothing is.
    """
    if build:
        page = _HOW.sub(r"\1Run it where the build was run.</p>", _BUILD.sub(lambda _: command(build), page))
    if trial:
        page = _CHECK.sub(lambda _: command(trial), page.replace(f"<code>{TRIAL}</code>", command(trial)))
    page = page.replace(ADDED, Markup("; add <code>{}</code>").format(added) if added else "")
    pairs = Markup("").join(Markup("<li>{}</li>").format(pair) for pair in first_of(raw.found))
    found = _PAIRED.format(FINDINGS, pairs) if pairs else ""
    page = page.replace(STANDS, f"; {stands} still stands" if stands else "")
    return page.replace(RAW_ROWS, found + (_PROPOSED if raw.has_proposals else ""))

"""Completes a page of a refused build, which is the curator's alone: with the command as it was given, and with raw rows.

Belongs here: what stands on such a page and on no published one. The step that makes a page knows neither.
"""

import re
from collections.abc import Sequence

from markupsafe import Markup

from validation.report.html import command

RAW_ROWS = Markup('<p class="raw-rows"></p>')
"""Where a page of a refused build names the raw rows."""

_BUILD = re.compile("<code><span>silt</span> <span>build</span>.*?</code>")
_HOW = re.compile('(<p(?: class="how")?>)Run commands where the build was run[^\n]*</p>')


def completed(page: str, *, build: str, raw_rows: Sequence[str]) -> str:
    """Return the page.

    Args:
        page: The page as a step made it.
        build: The command that builds again; empty if none can name what was built.
        raw_rows: Where in the raw tables what was found stands.
    """
    if build:
        page = _HOW.sub(r"\1Run it where the build was run.</p>", _BUILD.sub(lambda _: command(build), page))
    found = Markup('<p class="raw-rows"><b>In the raw tables:</b> {}.</p>').format("; ".join(raw_rows))
    return page.replace(RAW_ROWS, found if raw_rows else "")

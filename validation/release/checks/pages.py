"""Pages do nothing that Silt's own do not: their scripts, styles and head are those of the templates, all else is text.

What a page says is covered by digests and signatures. This check asks what a page could do, whoever signed it: it parses each
page, collects whatever is neither text nor a drawing, and compares that with what the empty templates have. The scripts that
pages load hold rows of tables, and nothing that runs but the call that takes them.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser

from pipeline.errors import Problem
from validation.release.opened import Release
from validation.report.html import render

_TAG = re.compile(
    r"a|b|bdi|body|br|caption|code|dd|del|desc|details|div|dl|dt|em|fig(?:ure|caption)|h[1-6]|head(?:er)?|hr|html|i|input|ins"
    r"|label|li|main|mark|nav|ol|option|p|pre|q|section|select|small|span|strong|summary|table|tbody|td|th|thead|title|tr|ul"
    r"|circle|defs|g|line|path|pattern|poly(?:gon|line)|rect|svg|text|tspan"
)
_ATTRIBUTE = re.compile(
    r"(?:class|colspan|hidden|id|lang|placeholder|role|rowspan|scope|size|tabindex|title|value|(?:aria|data(?!-script))-[\w-]+)=.*"
    r"|translate=no|data-script=(?:tables/[\w%.~-]+\.js)?"
    r"|(?:[cdr]|[cdr]?[xy][12]?|display|fill|height|opacity|pattern\w+|points|preserveaspectratio|transform|viewbox|width"
    r"|(?:font|stroke|text)(?:-\w+)?)=[^:]*"
    r"|xmlns=http://www\.w3\.org/2000/svg|type=search"
    r"|style=(?:(?:margin-(?:top|bottom)|--columns):[\w. !]+(?:; ?|$))*"
    r"|href=(?:\.\./|[\w%~-][\w%.~-]*/)*(?:[\w%.~-]+\.[a-z\d]+)?(?:#.*)?",
    re.DOTALL,
)
"""What shows text or draws, and can do nothing."""

_DATA = [("type", "application/json"), ("id", "samples")]
"""Attributes of the one script that holds data, and is never run."""


def pages_do_nothing_else(release: Release) -> Iterator[Problem]:
    """Find pages with a script, a style, an address or a tag that no page of Silt has."""
    for variant in release.variants:
        folder = variant.path_of_report("")
        for path in variant.files:
            if path.startswith(folder) and not path.endswith(".json"):
                for part in _active_in(path, release.tree.content(path).decode()):
                    if part not in _own():
                        yield Problem(
                            path, 0, "", part[:_SHOWN], "expected text and drawings, and the scripts of Silt's pages"
                        )


_SHOWN = 80
"""Characters of what is found that are shown (our choice)."""


_ROWS = re.compile(r"takeRows\(\n(.*)\)\n", re.DOTALL)
"""A script with rows: one call, of JSON."""


def _active_in(path: str, content: str) -> list[str]:
    """Return all of a page, or of a script beside it, that could do something."""
    if not path.endswith(".js"):
        return _active(content)
    try:
        held = _ROWS.fullmatch(content)
        json.loads(held[1] if held else "")
    except (ValueError, RecursionError):
        return [content]
    return []


@cache
def _own() -> frozenset[str]:
    """Return what the pages of Silt have besides text."""
    pages = (
        render("frame.html", title=""),
        render("report.html", title="", top="", sections=()),
        render("data_docs.html", title="", table="", shown=""),
    )
    return frozenset(part for page in pages for part in _active(page))


def _active(page: str) -> list[str]:
    """Return all of a page that is neither text nor a drawing."""
    parser = _Page()
    parser.feed(page)
    parser.close()
    return parser.active


class _Page(HTMLParser):
    """A page, of which `active` is what is neither text nor a drawing."""

    def __init__(self) -> None:
        super().__init__()
        self.active: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that shows nothing, and an attribute that could do something."""
        is_data = tag == "script" and attrs == _DATA
        self._inside = tag if tag in ("script", "style") and not is_data else ""
        if not (is_data or _TAG.fullmatch(tag)):
            self.active.append(self.get_starttag_text() or tag)
        elif not is_data:
            parts = (f"{name}={value or ''}" for name, value in attrs)
            self.active += [f"<{tag} {part}>" for part in parts if not _ATTRIBUTE.fullmatch(part)]

    def handle_endtag(self, tag: str) -> None:
        """Leave a script or style."""
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        """Note a script or style."""
        if self._inside:
            self.active.append(data)

    def handle_comment(self, data: str) -> None:
        """Note a comment, which browsers do not all read alike."""
        self.active.append(f"<!--{data}")

    def handle_decl(self, decl: str) -> None:
        """Note a declaration."""
        self.active.append(f"<!{decl}>")

    def unknown_decl(self, data: str) -> None:
        """Note a declaration that nobody knows."""
        self.active.append(f"<![{data}")

    def handle_pi(self, data: str) -> None:
        """Note an instruction."""
        self.active.append(f"<?{data}")

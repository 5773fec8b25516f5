"""How tests look at a report's page: its text as a reader sees it, and whether it is whole."""

import os
import re
from collections.abc import Mapping
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

_VOID = {"meta", "br", "rect", "line", "circle", "path", "polyline", "polygon"}
"""Elements without an end; those of a drawing end themselves."""


def text_of(page: bytes) -> str:
    """Return the text of the body, tags gone, each run of blanks one blank."""
    body = re.sub(r"(?s)<script.*?</script>", "", page.decode().partition("<body>")[2])
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", body)))


def is_self_contained(page: bytes) -> bool:
    """Say whether nothing is fetched: links lead to pages beside it or into it, and there is no image and no import."""
    text = page.decode()
    links = re.findall(r'href="([^"]*)"', text)
    return not re.search(r"src=|@import|url\(|<link|<iframe", text) and not any(
        re.match(r"\w+:|/", link) for link in links
    )


def dead_links(folder: Path) -> list[str]:
    """Return the links of all pages below a folder that lead to no file below it, or to no place of a page."""
    pages = {page: page.read_text(encoding="utf-8") for page in sorted(folder.rglob("*.html"))}
    links = [(page, unescape(link)) for page, text in pages.items() for link in re.findall(r'\shref="([^"]*)"', text)]
    return [f"{page.relative_to(folder)}: {link}" for page, link in links if not _leads(pages, page, link)]


def _leads(pages: Mapping[Path, str], page: Path, link: str) -> bool:
    path, _, place = link.partition("#")
    target = Path(os.path.normpath(page.parent / path)) if path else page
    return target.is_file() and (not place or f'id="{place}"' in pages.get(target, ""))


def left_open(page: bytes) -> list[str]:
    """Return the elements that are never closed; raise `AssertionError` where another one is closed."""
    parser = _Nesting()
    parser.feed(page.decode())
    return parser.open


class _Nesting(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag, attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

"""Pages are what comes of their reports, byte for byte; those of expectations have the frame of all pages, and text in it.

What a page has that no report does is taken from it: the curves that the script draws, in their own letters, and what names a
declaration of somebody's own in commands, as a path and a name.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from html.parser import HTMLParser
from pathlib import PurePosixPath

from markupsafe import Markup
from pydantic import ValidationError

from pipeline.errors import Problem
from pipeline.publish.variant import CLEAN
from validation.expectations.judging import PAGES, index_page
from validation.release.opened import Release, Variant
from validation.report.charts.vega import drawn_apart
from validation.report.documents import KINDS, Reports
from validation.report.html import render
from validation.report.labels import Labels
from validation.report.pages import Part, about_truth, ks_page, noise_page, privacy_page, report_page
from validation.report.sections.release import ReportedVariant

_CURVES = re.compile(rb'"curves":\{"original":"[^"<>&\\]*","anonymised":"[^"<>&\\]*"\}')
_NO_CURVES = b'"curves":null'

_NAMED = re.compile(rb"<span>--environment</span> <span>([^<]*)</span>")
_OWN = re.compile(r"[\w ./\\~+-]+\.py:\w+")
"""A declaration of somebody's own, as commands name it."""

_COMPANIES = re.compile(rb" on (\d[\d,]*) companies")

_BODY = "@@body@@"

_TAG = re.compile(
    r"a|b|br|caption|code|details|div|em|h[1-6]|hr|i|li|ol|p|pre|small|span|strong|summary|table|tbody|td|th|thead|tr|ul"
)
_ATTRIBUTE = re.compile(
    r"(?:class|colspan|hidden|id|role|rowspan|scope|tabindex|title|(?:aria|data)-[\w-]+)=.*"
    r"|style=(?:margin-(?:top|bottom):[\w. !]+; ?)*|href=(?:[\w-]+\.html)?(?:#[\w.-]*)?",
    re.DOTALL,
)
"""What shows text, and can do nothing."""


def pages_say_the_same(release: Release) -> Iterator[Problem]:
    """Find pages that are not what comes of their reports.

    Drawing them takes more memory than all other checks: none is drawn beside a file that is not read.
    """
    for path in release.tree.unread[:1]:
        yield Problem(path, 0, "", "", "no page is drawn anew beside a file that is not read")
        return
    with drawn_apart():
        for variant in release.variants:
            for page, make in _pages(release, variant).items():
                path = variant.path_of_report(page)
                if path in release.tree.files:
                    found = release.tree.content(path)
                    yield from _differing(path, _CURVES.sub(_NO_CURVES, found, count=1), make(found))


def pages_of_tables_do_nothing(release: Release) -> Iterator[Problem]:
    """Find pages of expectations with another frame than ours, or with anything in it that is no text."""
    for variant in release.variants:
        folder = variant.path_of_report(f"{PAGES}/")
        for path in variant.files:
            if path.startswith(folder) and path != f"{folder}index.html":
                yield from _of_table(release, variant, path)


def _of_table(release: Release, variant: Variant, path: str) -> Iterator[Problem]:
    table = PurePosixPath(path).stem
    frame = render("data_docs.html", title=f"{table}, {variant.name}", table=table, shown=Markup(_BODY))  # noqa: S704
    before, _, after = frame.encode().partition(_BODY.encode())
    page = release.tree.content(path)
    if not (path.endswith(".html") and page.startswith(before) and page.endswith(after)):
        yield Problem(path, 0, "", "another frame", "expected that of all pages")
        return
    body = _Body()
    body.feed(page[len(before) : len(page) - len(after)].decode())
    body.close()
    yield from (
        Problem(path, 0, "", what, "expected text alone: no script, nothing that is fetched") for what in body.more
    )


class _Body(HTMLParser):
    """The body of a page, of which `more` is what is no text."""

    def __init__(self) -> None:
        super().__init__()
        self.more: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that is no text's, and an attribute that could do something."""
        if not _TAG.fullmatch(tag):
            self.more.append(f"<{tag}>")
        for name, value in attrs:
            if not _ATTRIBUTE.fullmatch(f"{name}={value or ''}"):
                self.more.append(f"<{tag} {name}={value!r}>")

    def handle_comment(self, data: str) -> None:
        """Note a comment, which browsers do not all read alike."""
        self.more.append(f"<!--{data}")

    def handle_decl(self, decl: str) -> None:
        """Note a declaration."""
        self.more.append(f"<!{decl}")

    def unknown_decl(self, data: str) -> None:
        """Note a declaration that nobody knows."""
        self.more.append(f"<![{data}")

    def handle_pi(self, data: str) -> None:
        """Note an instruction."""
        self.more.append(f"<?{data}")


def _pages(release: Release, variant: Variant) -> Mapping[str, Callable[[bytes], bytes]]:
    """Return the pages of a variant, each as it is made, given the one that is there."""
    environment, reports = release.environment, _reports(release, variant)
    if environment is None or reports is None:
        return {}
    labels = Labels(language=environment.entities.language, english=environment.english)

    def part(page: bytes) -> Part:
        return Part(environment=_argument(page, environment.argument), title=environment.title, labels=labels)

    def report(page: bytes) -> bytes:
        stated = _COMPANIES.search(page)
        about = ReportedVariant(
            environment=_argument(page, environment.argument),
            title=environment.title,
            variant=variant.name,
            manifest=variant.manifest,
            has_figures=bool(environment.panel),
            figures_of_events=environment.figures_of_events,
            companies=int(stated[1].replace(b",", b"")) if stated else None,
        )
        return report_page(reports, about, bodies=about_truth(reports, _industries(release), labels), labels=labels)

    made: dict[str, Callable[[bytes], bytes]] = {"report.html": report}
    if (ks := reports.ks) is not None:
        made["ks.html"] = lambda page: ks_page(ks, part(page))
    if (privacy := reports.privacy) is not None:
        made["privacy.html"] = lambda page: privacy_page(privacy, part(page))
    if (noise := reports.noise) is not None and variant.name != CLEAN:
        made["noise.html"] = lambda page: noise_page(noise, reports.expectations, part(page))
    if (judged := reports.expectations) is not None:
        entries = [vars(suite) | {"page": PurePosixPath(suite.page).name} for suite in judged.tables]
        made[f"{PAGES}/index.html"] = lambda _: index_page(entries, variant=variant.name, title=environment.title)
    return made


def _reports(release: Release, variant: Variant) -> Reports | None:
    paths = {name: variant.path_of_report(f"{name}.json") for name in KINDS}
    try:
        return Reports.of(
            {name: release.tree.content(path).decode() for name, path in paths.items() if path in release.tree.files}
        )
    except ValidationError:
        return None  # the check of types names it


def _argument(page: bytes, own: str) -> str:
    """Return what names the environment in commands of a page: a shipped one's name, or what the builder called a file."""
    found = _NAMED.search(page)
    try:
        (named,) = shlex.split(unescape(found[1].decode())) if found else [own]
    except ValueError:
        return own
    return named if ".py:" in own and _OWN.fullmatch(named) else own


def _industries(release: Release) -> dict[str, str]:
    """Return the industry of each sub-industry; nothing where they are one column."""
    if release.environment is None or release.read is None:
        return {}
    kind = release.environment.entities
    if kind.sub_industry == kind.industry:
        return {}
    both = release.read.entities.select(kind.sub_industry, kind.industry).drop_nulls()
    return dict(both.unique(kind.sub_industry, keep="first", maintain_order=True).rows())


def _differing(path: str, found: bytes, made: bytes) -> Iterator[Problem]:
    if found != made:
        pairs = enumerate(zip(found.splitlines(), made.splitlines(), strict=False), 1)
        line = next((number for number, (one, other) in pairs if one != other), 0)
        yield Problem(path, line, "", "", f"expected the page that comes of {path.rpartition('/')[2]}'s reports")

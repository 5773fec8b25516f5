"""Serves the pages of what was built beside the web graph, which may not open a file itself.

Only what a variant's folder publishes is served. What is the curator's is not there, whatever path is asked for.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from html import escape
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import BinaryIO, cast
from urllib.parse import quote, urlsplit

from assets.making.keys import Stage
from pipeline.places import CURATOR, TASKS, VARIANTS
from pipeline.publish.refusal import REPORT, REPORTS
from pipeline.tasks.names import PAGE
from silt.commands.build.records import is_recorded

_LISTED = (f"*/*/{REPORTS}/{REPORT}", f"*/{TASKS}/{PAGE}")
"""Where pages are that the list leads to."""

_NOT_BUILT = "No run that is on record was to build it"

_HEAD = """<!doctype html>
<meta charset="utf-8"><title>Pages of Silt</title>
<style>body { font: 1rem/1.5 system-ui; max-width: 48rem; margin: 3rem auto } p { white-space: pre-line }</style>
"""

_REPORTS = [(variant, REPORTS, REPORT) for variant in VARIANTS]

_FAILED = '<h1>The last run failed</h1><p>{why}.</p><p><a href="?before">The page of what was published before</a></p>'


@contextmanager
def served_pages(folder: Path, host: str, port: int) -> Iterator[str]:
    """Serve what is published below a folder while the context lasts; yield the address, with another port if this is taken."""
    handler = partial(_Published, directory=str(folder))
    try:
        server = ThreadingHTTPServer((host, port), handler)
    except OSError:
        server = ThreadingHTTPServer((host, 0), handler)
    with server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://{host}:{server.server_port}"
        server.shutdown()


class _Published(SimpleHTTPRequestHandler):
    """Answers with files below its folder, and at its root with a list of reports and pages of tasks."""

    error_message_format = f"{_HEAD}<h1>%(message)s</h1><p>%(explain)s.</p>"

    def send_head(self) -> BytesIO | BinaryIO | None:
        """Answer with the file, or why it is not there; of a variant whose last run failed first with why."""
        asked = Path(self.translate_path(self.path)).relative_to(self.directory).parts
        if self.headers["Host"] not in self._own_addresses():  # the page of another site may ask under its own name
            self.send_error(HTTPStatus.FORBIDDEN, "ask for it by the address of this server")
        elif not asked:
            return self._listed()
        elif self._is_published(asked):
            why = self._why(asked) if asked[1:] in _REPORTS and not urlsplit(self.path).query else ""
            return self._answered(_FAILED.format(why=escape(why))) if why else super().send_head()
        else:
            missing = (self._why(asked) or _NOT_BUILT) if self._is_missing(asked) else None
            self.send_error(HTTPStatus.NOT_FOUND, "Nothing is published here", missing)
        return None

    def _own_addresses(self) -> tuple[str, ...]:
        host, port = cast("tuple[str, int]", self.server.server_address)
        return f"{host}:{port}", f"localhost:{port}"

    def _is_published(self, asked: Sequence[str]) -> bool:
        root = Path(self.directory).resolve()
        with suppress(ValueError):  # it leads outside, or is no path
            found = root.joinpath(*asked).resolve()
            # A file system may know the folder in capitals, too.
            is_hidden = any(part.casefold() == CURATOR or part[0] == "." for part in found.relative_to(root).parts)
            return found.is_file() and not is_hidden
        return False

    def _is_missing(self, asked: Sequence[str]) -> bool:
        """Say whether it is of a variant that an environment has not got."""
        environment = Path(self.directory, asked[0])
        return (
            len(asked) > 1 and asked[1] in VARIANTS and environment.is_dir() and not (environment / asked[1]).exists()
        )

    def _why(self, asked: Sequence[str]) -> str:
        """Return why the last run of a variant failed, if it did, and where the curator reads more, which is not served."""
        if not is_recorded():
            return ""
        from assets.wiring.graph.shown import why_failed  # noqa: PLC0415  (imports Dagster)

        why, page = why_failed(asked[0], Stage.PUBLISHED, asked[1])
        more = f". The page that says more is the curator's and not served: open the file {page}" if page else ""
        return f"{why.strip().rstrip('.')}{more}"

    def _listed(self) -> BytesIO:
        root = Path(self.directory)
        pages = sorted(path.relative_to(root) for place in _LISTED for path in root.glob(place))
        shown = (page.as_posix() for page in pages if self._is_published(page.parts))
        links = (f'<li><a href="{quote(each)}">{escape(each)}</a></li>' for each in shown)
        return self._answered(f"<h1>Pages</h1><ul>{''.join(links)}</ul>")

    def _answered(self, body: str) -> BytesIO:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        return BytesIO(f"{_HEAD}{body}".encode())

    def log_message(self, format: str, *_: object) -> None:  # noqa: A002
        """Say nothing: the terminal is the web graph's."""

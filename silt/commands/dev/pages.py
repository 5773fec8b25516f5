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
from urllib.parse import quote

from assets.making.keys import Stage
from pipeline.places import CURATOR, TASKS, VARIANTS
from pipeline.publish.refusal import REPORT, REPORTS
from pipeline.tasks.names import PAGE
from silt.commands.build.records import is_recorded

_LISTED = (f"*/*/{REPORTS}/{REPORT}", f"*/{TASKS}/{PAGE}")
"""Where pages are that the list leads to."""

_NOT_BUILT = "No run that is on record was to build it"


_PAGE = """<!doctype html>
<meta charset="utf-8"><title>%(message)s</title>
<style>body { font: 1rem/1.5 system-ui; max-width: 48rem; margin: 3rem auto; white-space: pre-line }</style>
<h1>%(message)s</h1><p>%(explain)s.</p>
"""
"""What stands in the place of a page that is not there."""


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

    error_message_format = _PAGE

    def send_head(self) -> BytesIO | BinaryIO | None:
        """Answer with the file, or say that nothing is published at this path."""
        asked = Path(self.translate_path(self.path)).relative_to(self.directory).parts
        if self.headers["Host"] not in self._own_addresses():  # the page of another site may ask under its own name
            self.send_error(HTTPStatus.FORBIDDEN, "ask for it by the address of this server")
        elif not asked:
            return self._listed()
        elif self._is_published(asked):
            return super().send_head()
        else:
            self.send_error(HTTPStatus.NOT_FOUND, "Nothing is published here", self._why(asked))
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

    def _why(self, asked: Sequence[str]) -> str | None:
        """Return why a variant is not there, and where the curator reads more: the page of its refusal is not served."""
        environment = Path(self.directory, asked[0])
        is_variant = len(asked) > 1 and asked[1] in VARIANTS
        if not is_variant or not environment.is_dir() or (environment / asked[1]).exists():
            return None
        if not is_recorded():
            return _NOT_BUILT
        from assets.wiring.graph.shown import why_failed  # noqa: PLC0415  (imports Dagster)

        why, page = why_failed(environment.name, Stage.PUBLISHED, asked[1])
        more = f". The page that says more is the curator's and not served: open the file {page}" if page else ""
        return f"{why.strip().rstrip('.') or _NOT_BUILT}{more}"

    def _listed(self) -> BytesIO:
        root = Path(self.directory)
        pages = sorted(path.relative_to(root) for place in _LISTED for path in root.glob(place))
        shown = (page.as_posix() for page in pages if self._is_published(page.parts))
        links = (f'<li><a href="{quote(each)}">{escape(each)}</a></li>' for each in shown)
        page = f'<!doctype html><meta charset="utf-8"><title>Pages</title><h1>Pages</h1><ul>{"".join(links)}</ul>'
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        return BytesIO(page.encode())

    def log_message(self, format: str, *_: object) -> None:  # noqa: A002
        """Say nothing: the terminal is the web graph's."""

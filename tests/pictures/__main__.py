"""`python -m tests.pictures BUILD RAW`: make every picture from a build of `dataclaw-18`, and write down what they show."""

import argparse
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import Page, sync_playwright

from silt.commands.dev import WORKSPACE
from tests.pictures.five_rows import five_rows
from tests.pictures.shown import FIVE_ROWS, GRAPH, REPORT, ROOT, write_shown

_GROUP = "global@global:dataclaw_18"
"""What the address of the graph calls the group that is open."""

_PATIENCE = 300
"""Seconds in which a web server has to answer."""


def main() -> int:
    """Make the pictures."""
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__)
    parser.add_argument("build", type=Path, help="folder of a built dataclaw-18")
    parser.add_argument("raw", type=Path, help="folder of its originals")
    options = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        _of_rows(browser.new_page(viewport={"width": 1600, "height": 400}), options.build, options.raw)
        _of_report(browser.new_page(viewport={"width": 1200, "height": 800}), options.build)
        _of_graph(browser.new_page(viewport={"width": 1500, "height": 560}))
        browser.close()
    write_shown()
    return 0


def _of_rows(page: Page, build: Path, raw: Path) -> None:
    command = [Path(sys.executable).parent / "silt", "reveal", "--out", build.parent]
    revealed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    page.set_content(five_rows(build, raw, revealed))
    page.locator("body").screenshot(path=ROOT / FIVE_ROWS)


def _of_report(page: Page, build: Path) -> None:
    page.goto((build / "noisy/reports/report.html").resolve().as_uri())
    page.screenshot(path=ROOT / REPORT)


def _of_graph(page: Page) -> None:
    with _served() as address:
        page.goto(f"{address}/asset-groups?expanded={_GROUP}")
        page.get_by_text("fetching statuses").first.wait_for(state="detached", timeout=_PATIENCE * 1_000)
        page.locator("#zoom-slider-container").evaluate("node => node.remove()")
        page.screenshot(path=ROOT / GRAPH, clip={"x": 540, "y": 110, "width": 960, "height": 450})


@contextmanager
def _served() -> Iterator[str]:
    """Give the address of the web graph of this checkout, as its builds left it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [sys.executable, "-m", "dagster_webserver", "-w", str(WORKSPACE), "-p", port]
    with TemporaryDirectory() as said, Path(said, "said.txt").open("wb") as file:
        server = subprocess.Popen(command, cwd=ROOT, stdout=file, stderr=file)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(address)
            yield address
        finally:
            server.terminate()
            server.wait()


def _wait_for(address: str) -> None:
    begun = monotonic()
    while True:
        try:
            urlopen(f"{address}/server_info").close()  # noqa: S310  (an address of our own)
        except URLError:
            if monotonic() - begun > _PATIENCE:
                raise
            sleep(1)
        else:
            return


if __name__ == "__main__":
    sys.exit(main())

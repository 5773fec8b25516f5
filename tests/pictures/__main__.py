"""`python -m tests.pictures BUILD RAW`: make every picture from a build of `dataclaw-18`, and write down what they show."""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from assets.wiring.graph.shown import start_page
from silt.commands.build.recorded import opened_instance
from silt.commands.dev import write_workspace
from silt.environments import SHIPPED
from tests.pictures.five_rows import five_rows
from tests.pictures.shown import FIVE_ROWS, GRAPH, REPORT, ROOT, write_shown
from tests.served import PATIENCE, served

SHOWN_ENVIRONMENT = "dataclaw-18"
"""The one in the graph's picture, whatever else was built here."""


def main() -> int:
    """Make the pictures."""
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__)
    parser.add_argument("build", type=Path, help="folder of a built dataclaw-18")
    parser.add_argument("raw", type=Path, help="folder of its originals")
    options = parser.parse_args()
    if not subprocess.run(["fc-list", ":lang=zh"], check=True, capture_output=True).stdout:  # noqa: S607
        parser.error(
            "no font here has Chinese characters, and names would be empty boxes: apt-get install fonts-noto-cjk"
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        _of_rows(browser.new_page(viewport={"width": 1600, "height": 400}), options.build, options.raw)
        _of_report(browser.new_page(viewport={"width": 1200, "height": 800}), options.build)
        _of_graph(browser.new_page(viewport={"width": 1280, "height": 800}))
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
    with served(
        ROOT, sys.executable, "-m", "dagster_webserver", "-w", write_workspace(dict.fromkeys(SHIPPED, ""))
    ) as address:
        with opened_instance() as instance:
            page.goto(f"{address}{start_page(instance, (SHOWN_ENVIRONMENT,))}")
        expect(page.get_by_text("Passed")).to_have_count(2, timeout=PATIENCE * 1_000)
        expect(page.get_by_text("fetching statuses")).to_have_count(0, timeout=PATIENCE * 1_000)
        page.locator("#zoom-slider-container").evaluate("node => node.remove()")
        page.screenshot(path=ROOT / GRAPH, clip={"x": 560, "y": 160, "width": 680, "height": 480})


if __name__ == "__main__":
    sys.exit(main())

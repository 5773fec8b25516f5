"""`python -m benchmarks.pages FOLDER ...`: the longest task of each step on the pages of a build, on a slow machine.

Each page of a folder of reports is opened in Chromium, slowed down four times, and used. What is measured is the time that
the page's own thread computes without a pause, in which it answers nobody; other work on the machine does not count.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

SLOWED = 4
LIMIT = 200
"""Milliseconds of a task on such a machine, after which a reader feels that the page does not answer."""

_TRACED = ["toplevel", "devtools.timeline"]
_SETTLED = 1000
"""Milliseconds after a step in which what it put off is done, too."""

RUNS = 3
"""Of which the least counts: what else the machine does makes a task longer, never shorter."""

_Step = Callable[[Page], object]

_STEPS: Mapping[str, tuple[str, _Step]] = {
    "data": ("#data", lambda page: page.locator("#data").scroll_into_view_if_needed()),
    "table opened": ("details.data", lambda page: page.locator("details.data summary").first.click()),
    "widest table opened": ("details.data", lambda page: page.evaluate(_OPEN_WIDEST)),
    "map": ("#maps", lambda page: page.locator("#maps").scroll_into_view_if_needed()),
    "cell pointed at": ("#maps td[class]", lambda page: page.locator(_CELL).nth(5).hover()),
    "cell opened": ("#maps td[class]", lambda page: page.locator(_CELL).nth(5).click()),
    "cell closed": ("#opened:not([hidden])", lambda page: page.keyboard.press("Escape")),
    "colours of the map": ("#colour", lambda page: page.locator("#colour").select_option("by-distance")),
    "hidden map": ("#level option + option", lambda page: page.locator("#level").select_option(index=1)),
    "its cell opened": ("#level option + option", lambda page: page.locator(_CELL).nth(30).click()),
    "map narrowed": ("#level option + option", lambda page: page.locator("#only-measure").fill("a")),
    "tests": ("#tests", lambda page: page.locator("#tests").scroll_into_view_if_needed()),
    "tests searched": ("#all-tests", lambda page: page.locator("#tests input[type=search]").fill("2")),
    "tests searched on": ("#all-tests", lambda page: page.locator("#tests input[type=search]").press("End")),
    "tests sorted": ("#all-tests", lambda page: page.locator("#all-tests th button").nth(4).click()),
    "failed tests": ("#all-tests", lambda page: page.locator("#tests input[type=checkbox]").check()),
    "table filtered": (
        ".controls input[size='18']:visible",
        lambda page: page.locator(".controls input[size='18']:visible").first.fill("a"),
    ),
    "table sorted": (
        "table.sortable th button:visible",
        lambda page: page.locator("table.sortable th button:visible").first.click(),
    ),
    "end": ("section.part", lambda page: page.locator("section.part").last.scroll_into_view_if_needed()),
    "theme": ("#theme", lambda page: page.locator("#theme").select_option("dark")),
}
"""Name of a step -> what has to be there for it, and what is done."""

_CELL = "#maps .map:not([hidden]) tbody td[class]"
_OPEN_WIDEST = """() => [...document.querySelectorAll("details.data")]
  .reduce((a, b) => (a.innerHTML.length > b.innerHTML.length ? a : b)).open = true"""


def main() -> int:
    """Print the longest task of each step; return 1 if one is longer than a reader should wait."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    options.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="reports of a variant")
    given = options.parse_args()
    longest = 0.0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for file in (page for folder in given.folders for page in _pages(folder)):
            runs = [_tasks(browser, file) for _ in range(RUNS)]
            for step in runs[0]:
                task = min(run[step] for run in runs)
                print(f"{file}\t{step}\t{task:.0f} ms{' OVER' if task > LIMIT else ''}", flush=True)
                longest = max(longest, task)
        browser.close()
    return int(longest > LIMIT)


def _pages(folder: Path) -> list[Path]:
    """Return the pages of a folder, and of Data Docs its contents and its largest page."""
    docs = sorted(folder.glob("data_docs/*.html"), key=lambda page: page.stat().st_size)
    return [*sorted(folder.glob("*.html")), *(page for page in docs if page.name == "index.html"), *docs[-1:]]


def _tasks(browser: Browser, file: Path) -> dict[str, float]:
    """Return the milliseconds of the longest task of each step that there is on a page."""
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    tasks = {"load": _longest(browser, page, lambda page: page.goto(file.resolve().as_uri()))}
    for name, (needed, step) in _STEPS.items():
        if page.locator(needed).count():
            tasks[name] = _longest(browser, page, step)
    page.close()
    return tasks


def _longest(browser: Browser, page: Page, step: _Step) -> float:
    """Return the milliseconds of processor time of the longest task that a step leads to."""
    browser.start_tracing(page=page, categories=_TRACED)
    step(page)
    page.wait_for_timeout(_SETTLED)
    events: list[dict[str, Any]] = json.loads(browser.stop_tracing())["traceEvents"]
    main = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    tasks = (each for each in events if each["name"].endswith("RunTask") and (each["pid"], each["tid"]) in main)
    return max((each.get("tdur", 0) / 1000 for each in tasks), default=0)


if __name__ == "__main__":
    sys.exit(main())

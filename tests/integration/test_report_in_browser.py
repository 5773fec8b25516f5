"""`report.html` in a browser: opened from a file, by mouse, by keyboard, on a phone, on paper, without a network."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.unit.report import findings
from tests.unit.report.findings import HOSTILE, TESTS, a_test

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_PROGRAM = next(filter(None, map(shutil.which, _PROGRAMS)), None)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(_PROGRAM is None, reason=f"none of {', '.join(_PROGRAMS)} is installed"),
]

MANY = [a_test(measure=f"measure {i}", year=2020, statistic=i / 1_000, p_value=1 - i / 1_000) for i in range(120)]


@dataclass
class Opened:
    """A page, with what the browser said and asked for while it was open."""

    page: Page
    messages: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=_PROGRAM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page of a variant with a hostile name, a rejected test and more tests than a page shows."""
    tests = [*TESTS, *MANY, a_test(measure=HOSTILE)]
    pairs = findings.curves()["curves"] + [None] * (len(tests) - len(TESTS))
    made = findings.reports(ks=findings.ks(*tests), curves=findings.curves() | {"curves": pairs})
    path = tmp_path_factory.mktemp("reports") / "report.html"
    path.write_bytes(findings.page(made))
    return path


@pytest.fixture
def opened(browser: Browser, file: Path) -> Iterator[Opened]:
    """Open the page; afterwards, the browser has complained of nothing and has asked for nothing but the page."""
    found = Opened(browser.new_page(viewport={"width": 1200, "height": 900}))
    found.page.on("console", lambda message: found.messages.append(message.text))
    found.page.on("pageerror", lambda error: found.messages.append(str(error)))
    found.page.on("request", lambda request: found.requests.append(request.url))
    found.page.goto(file.as_uri())
    yield found
    found.page.close()
    assert not found.messages
    assert [url for url in found.requests if not url.startswith("data:")] == [file.as_uri()]


def cell(page: Page, measure: str, column: int = 0) -> object:
    row = page.locator(".map:not([hidden]) tbody tr").filter(
        has=page.get_by_role("rowheader", name=measure, exact=True)
    )
    return row.locator("td").nth(column)


def test_cell_opens_into_two_curves_of_each_year(opened: Opened) -> None:
    """From the map of sub-industries a click leads to curves and figures, year by year."""
    page = opened.page
    page.get_by_label("level").select_option("sub_industry")
    cell(page, "revenue").click()
    expect(page.locator("#opened h3")).to_have_text("revenue: 银行")
    assert page.locator("#opened h4").all_inner_texts() == ["2020", "2021", "2022"]
    curves = page.locator("#opened svg polyline")
    assert curves.count() == 6
    assert {len(curves.nth(i).get_attribute("points").split()) for i in range(6)} == {2, 3}
    rejected = page.locator("#opened figure").nth(2)
    expect(rejected).to_contain_text("REJECTED")
    expect(rejected).to_contain_text("different")
    expect(rejected.locator("tr").filter(has_text="p after Holm")).to_contain_text("0.002")


def test_curves_lie_where_their_figures_are(opened: Opened) -> None:
    """Losses are left of 0 and gains right of it; the original ends where its largest figure is, the other where its own is."""
    page = opened.page
    page.get_by_label("level").select_option("sub_industry")
    cell(page, "revenue").click()
    anonymised, original = (
        [float(point.split(",")[0]) for point in line.get_attribute("points").split()]
        for line in page.locator("#opened figure").first.locator("polyline").all()
    )
    assert original[0] == anonymised[0] == 34
    assert original[2] < anonymised[2] == 284
    assert page.locator("#opened figure").first.locator("svg text").all_text_contents()[-3:][::2] == ["-120", "3.5B"]


def test_map_is_used_by_keyboard(opened: Opened) -> None:
    """Arrows move between cells, which say what they hold; Enter opens, and closing leads back to the cell."""
    page = opened.page
    page.get_by_label("level").select_option("sub_industry")
    cell(page, "revenue").focus()
    expect(page.locator("#pointed")).to_contain_text("revenue, 银行. 2020: D 0.1")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#pointed")).to_contain_text("profit, 银行")
    page.keyboard.press("Enter")
    expect(page.locator("#opened h3")).to_have_text("profit: 银行")
    page.get_by_role("button", name="close").click()
    expect(cell(page, "profit")).to_be_focused()
    expect(page.locator("#opened")).to_be_empty()


def test_map_narrows_to_an_industry_and_a_measure(opened: Opened) -> None:
    """A sub-industry is found by its industry's name; what does not match is hidden."""
    page = opened.page
    page.get_by_label("level").select_option("sub_industry")
    page.locator("#only-group").fill("金融")
    expect(page.locator(".map:not([hidden]) thead th:visible")).to_have_count(1)
    page.locator("#only-group").fill("elsewhere")
    expect(page.locator(".map:not([hidden]) thead th:visible")).to_have_count(0)
    page.locator("#only-measure").fill("measure 11")
    expect(page.locator(".map:not([hidden]) tbody tr:visible")).to_have_count(11)


def test_map_shows_equivalence_instead(opened: Opened) -> None:
    """The other colouring has other marks."""
    page = opened.page
    page.get_by_label("level").select_option("sub_industry")
    page.get_by_label("colour").select_option("by-verdict")
    mark = cell(page, "revenue").evaluate("cell => getComputedStyle(cell, '::before').content")
    assert mark == '"\u2260"'
    expect(page.locator(".by-verdict-only")).to_be_visible()
    expect(page.locator(".by-distance-only")).to_be_hidden()


def test_table_of_tests_filters_sorts_and_pages(opened: Opened) -> None:
    """The smallest p comes first; filters narrow, headings sort, buttons page, and a row opens its cell."""
    page = opened.page
    rows = page.locator("#all-tests tbody tr")
    expect(rows).to_have_count(50)
    expect(rows.first).to_contain_text("REJECTED")
    expect(page.locator(".pager")).to_contain_text(f"1 to 50 of {len(TESTS) + len(MANY) + 1}")
    page.get_by_role("button", name="next").click()
    expect(page.locator(".pager")).to_contain_text("51 to 100")
    page.get_by_label("only failed").check()
    expect(rows).to_have_count(1)
    page.get_by_label("only failed").uncheck()
    page.locator("#tests").get_by_label("filter").fill("measure 7 2020")
    expect(rows).to_have_count(21)
    heading = page.locator("#all-tests th", has_text="D").first
    heading.get_by_role("button").click()
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    expect(rows.first).to_contain_text("measure 117")
    rows.first.get_by_role("button").click()
    expect(page.locator("#opened h3")).to_have_text("measure 117: 银行")


def test_other_tables_sort_and_filter(opened: Opened) -> None:
    """Numbers sort as numbers, what is absent comes last either way, and a filter hides rows."""
    page = opened.page
    table = page.locator("#consistency table", has=page.get_by_role("columnheader", name="KS p"))
    offset = table.get_by_role("columnheader", name="largest offset")
    for order in ("ascending", "descending"):
        offset.get_by_role("button").click()
        expect(offset).to_have_attribute("aria-sort", order)
        expect(table.locator("tbody tr").last).to_contain_text("max")


def test_hostile_name_is_text(opened: Opened) -> None:
    """A name that looks like HTML is shown as it is, in the table, the map and an opened cell."""
    page = opened.page
    page.locator("#tests").get_by_label("filter").fill("alert(1)")
    page.locator("#all-tests tbody button").first.click()
    assert page.locator("#opened h3").text_content() == f"{HOSTILE}: 银行"


@pytest.mark.parametrize("width", [390, 768, 1_200])
def test_page_fits_its_screen(opened: Opened, width: int) -> None:
    """Nothing but tables in their own boxes is wider than the screen, an opened cell included."""
    page = opened.page
    page.set_viewport_size({"width": width, "height": 844})
    page.locator("#all-tests tbody button").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_page_prints(opened: Opened) -> None:
    """On paper nothing is cut off at the side, controls are gone, and what was open stays."""
    page = opened.page
    page.locator("#all-tests tbody button").first.click()
    page.set_viewport_size({"width": 730, "height": 1_000})
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") == 730
    expect(page.locator(".controls").first).to_be_hidden()
    expect(page.locator("#opened svg").first).to_be_visible()
    assert page.pdf().startswith(b"%PDF")


def test_page_is_readable_without_script(browser: Browser, file: Path) -> None:
    """Without a script there are the verdict, the map and the tests, all if they are few; no control that does nothing."""
    page = browser.new_page(java_script_enabled=False)
    page.goto(file.as_uri())
    expect(page.locator(".verdict").first).to_be_visible()
    expect(page.locator(".map").first).to_be_visible()
    expect(page.locator("#tests tbody tr")).to_have_count(len(TESTS) + len(MANY) + 1)
    assert page.locator("select:visible, input:visible, button:visible").count() == 0
    page.close()

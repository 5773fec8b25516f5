"""`report.html` in a browser: opened from a file, by mouse, by keyboard, on a phone, on paper, without a network."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from pipeline.legible import UNSEEN
from tests.unit.report import findings
from tests.unit.report import tasks as task_findings
from tests.unit.report.findings import HOSTILE, TESTS, a_test, an_attack
from validation.profile.rows import ShownRows
from validation.report.data.rows import scripts
from validation.report.documents import Reports, read
from validation.report.documents.distributions import Ks
from validation.report.html import render
from validation.report.labels import Labels
from validation.report.pages import PageContext, consistency_page, ks_page, noise_page, privacy_page
from validation.report.sections.met import suites_table
from validation.report.sections.samples import shares_of_critical

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
    path.write_bytes(findings.page(made, labels=LABELS, rows={"shops": ROWS}))
    for name, script in scripts({"shops": ROWS}).items():
        (path.parent / name).parent.mkdir()
        (path.parent / name).write_bytes(script)
    return path


ROWS = ShownRows(
    table="shops",
    columns=("id", "town"),
    records=120,
    rows=tuple((str(row), f"town{row % 7}" if row else HOSTILE) for row in range(120)),
    first=120,
    changed=((3, 1, "town3", "twon3 "), (99, 1, "town1", "")),
)
"""More than the page holds, the last changed one in the script."""


def _of_parts(told: Reports, folder: Path, part: PageContext) -> None:
    """Write the pages of single sections, and one of Data Docs."""
    assert told.ks
    assert told.privacy
    assert told.noise
    assert told.expectations
    assert told.consistency
    (folder / "ks.html").write_bytes(ks_page(told.ks, part))
    (folder / "consistency.html").write_bytes(consistency_page(told.consistency, part))
    (folder / "privacy.html").write_bytes(privacy_page(told.privacy, part))
    (folder / "noise.html").write_bytes(noise_page(told.noise, told.expectations, part))
    suites = suites_table(told.expectations.tables)
    page = render("data_docs_index.html", variant="noisy", about=part.title, met=12, total=12, suites=suites)
    (folder / "index.html").write_text(page, encoding="utf-8")


LABELS = Labels(language="zh", english={"银行": "Banking", "金融": "Finance"})


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with every page there is: of a passed variant, a refused one, and parts of it."""
    folder = tmp_path_factory.mktemp("pages")
    passed = findings.reports(ks=findings.ks(passed=True))
    over = an_attack(attack="names", family="names", rate=0.5, limit="no better than guessing", passed=False)
    refused = findings.reports(privacy=findings.privacy(passed=False, attacks=[an_attack(), over], escapes=None))
    (folder / "passed.html").write_bytes(findings.page(passed, labels=LABELS, rows={"shops": ROWS}))
    (folder / "refused.html").write_bytes(findings.page(refused, labels=LABELS))
    (folder / "real.html").write_bytes(
        findings.page(passed, manifest=findings.manifest(source="user tables", is_demonstration_key=False))
    )
    _of_parts(findings.typed(refused), folder, PageContext(title="Shops", policy="lsd", labels=LABELS))
    (folder / "tasks.html").write_bytes(task_findings.page(folder))
    (folder / "scores.html").write_bytes(task_findings.scores())
    return folder


PAGES = ("passed", "refused", "real", "ks", "consistency", "privacy", "noise", "index", "tasks", "scores")


SCREENS = ((390, "dark"), (1_200, "light"), (390, "light"), (1_200, "dark"))


@pytest.mark.parametrize(
    ("name", "width", "theme"),
    # What breaks a rule breaks it at a width or in a theme: the page with most on it is looked at in all four.
    [
        *((name, *SCREENS[place % 2]) for place, name in enumerate(PAGES)),
        *(("passed", *screen) for screen in SCREENS[1:]),
    ],
)
def test_page_is_accessible(browser: Browser, pages: Path, name: str, width: int, theme: Any) -> None:
    """No page breaks a rule of WCAG 2.2 AA that axe-core can check, with all opened that can be opened, too."""
    page = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=theme)
    page.goto((pages / f"{name}.html").as_uri())
    found = _broken(page)
    opening = ("#all-tests tbody button", ".task summary", ".data > summary", ".data .folded summary")
    closed = [page.locator(each).first for each in opening if page.locator(each).count()]
    for each in closed:
        each.click()
    page.evaluate("scrollTo({top: 0, behavior: 'instant'})")  # wherever it stands, the bar hides some link
    found += _broken(page) if closed else []
    page.close()
    assert found == []


def _broken(page: Page) -> list[str]:
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    # What every rule says of what keeps it takes most of the time to hand over, and nobody reads it.
    only = {"runOnly": {"type": "tag", "values": tags}, "resultTypes": ["violations"]}
    found = Axe().run(page, options=only)
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found.response["violations"]]


@pytest.mark.parametrize("name", ["passed", "real", "refused"])
def test_first_screen_answers_without_scrolling(browser: Browser, pages: Path, name: str) -> None:
    """What it is, whether it may be published, is like the originals, how hard it is, and what to do next fit 1200 x 800.

    Of what is refused these answers are in a fold.
    """
    page = browser.new_page(viewport={"width": 1_200, "height": 800})
    page.goto((pages / f"{name}.html").as_uri())
    next_step = page.locator(".banner, .next").last
    answers = page.locator(".answers > summary" if name == "refused" else ".card").all()
    for part in (page.locator(".about"), *answers, next_step):
        box = part.bounding_box()
        assert box
        assert box["y"] + box["height"] <= 800
    assert page.locator(".card h2").all_text_contents() == [
        "Faithful to the originals?",
        "Safe to publish?",
        "How hard?",
    ]
    page.close()


@contextmanager
def _opened(browser: Browser, file: Path) -> Iterator[Opened]:
    """Open a page; afterwards, the browser has complained of nothing and has asked for nothing but the page."""
    found = Opened(browser.new_page(viewport={"width": 1200, "height": 900}))
    found.page.on("console", lambda message: found.messages.append(message.text))
    found.page.on("pageerror", lambda error: found.messages.append(str(error)))
    found.page.on("request", lambda request: found.requests.append(request.url))
    found.page.goto(file.as_uri())
    yield found
    found.page.close()
    assert not found.messages
    assert [url.partition("?")[0] for url in found.requests if not url.startswith("data:")] == [file.as_uri()]


@pytest.fixture
def opened(browser: Browser, file: Path) -> Iterator[Opened]:
    """Open the page of the variant."""
    with _opened(browser, file) as found:
        yield found


@pytest.mark.parametrize("name", ["small", "listed_guarded"])
def test_shares_of_the_critical_distance_are_those_of_the_report(
    browser: Browser, name: str, request: pytest.FixtureRequest
) -> None:
    """The script finds what the report says: 1 or more where a test rejects, and only there, also of unequal sizes."""
    reports = request.getfixturevalue(name).clean / "reports"
    ks = read(Ks, json.loads((reports / "ks.json").read_bytes()))
    with _opened(browser, reports / "report.html") as found:
        drawn = found.page.evaluate("[samples().tests.share, [...samples().rejected]]")
    assert drawn[0] == pytest.approx(shares_of_critical(ks.tests, ks.alpha), rel=1e-5)
    assert drawn[1] == [i for i, share in enumerate(drawn[0]) if share >= 1]


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
    expect(page.locator("#opened h3")).to_have_text("revenue: Banking 银行")
    expect(page.locator("#opened h3 [lang=zh]")).to_have_text("银行")
    expect(page.locator("#opened h4")).to_have_text(["2020", "2021", "2022"])
    curves = page.locator("#opened svg:not(.difference) polyline")
    assert curves.count() == 6
    assert {len(curves.nth(i).get_attribute("points").split()) for i in range(6)} == {2, 3}
    told = [each.get_attribute("aria-label") for each in page.locator("#opened .difference").all()]
    assert told[1:] == [f"Their difference is at most {most}% of firms; 35% would be significant." for most in (10, 50)]
    rejected = page.locator("#opened figure").nth(2)
    expect(rejected).to_contain_text("differs")
    expect(rejected).to_contain_text("different")
    expect(rejected.locator("tr").filter(has_text="p after Holm")).to_contain_text("0.002")


def test_a_cell_does_not_stay_open_beside_other_sections(opened: Opened) -> None:
    """It closes where its section ends, and the page stays where the reader went."""
    page = opened.page
    cell(page, "revenue").click()
    expect(page.locator("#opened")).to_be_visible()
    page.locator("#provenance").scroll_into_view_if_needed()
    expect(page.locator("#opened")).to_be_hidden()
    expect(page.locator("#provenance")).to_be_in_viewport()


def test_curves_lie_where_their_figures_are(opened: Opened) -> None:
    """Losses are left of 0 and gains right of it; the original ends where its largest figure is, the other where its own is."""
    page = opened.page
    page.get_by_label("level").select_option("sub_industry")
    cell(page, "revenue").click()
    anonymised, original = (
        [float(point.split(",")[0]) for point in line.get_attribute("points").split()]
        for line in page.locator("#opened svg:not(.difference)").first.locator("polyline").all()
    )
    assert original[0] == anonymised[0] == 34
    assert original[2] < anonymised[2] == 284
    assert page.locator("#opened svg").first.locator("text").all_text_contents()[-3:][::2] == ["-120", "3.5B"]


def test_map_is_used_by_keyboard(opened: Opened) -> None:
    """Arrows move between cells, which say what they hold; Enter opens, and closing leads back to the cell."""
    page = opened.page
    page.get_by_label("level").select_option("sub_industry")
    cell(page, "revenue").focus()
    expect(page.locator("#pointed")).to_contain_text("revenue, Banking 银行. 2020: D 0.1")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#pointed")).to_contain_text("profit, Banking 银行")
    page.keyboard.press("Enter")
    expect(page.locator("#opened h3")).to_have_text("profit: Banking 银行")
    expect(cell(page, "profit")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(cell(page, "profit")).to_be_focused()
    expect(page.locator("#opened")).to_be_hidden()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="close").click()
    expect(cell(page, "profit")).to_be_focused()


def test_address_keeps_what_is_shown(opened: Opened) -> None:
    """Loaded again, the page has the same level, cell, filters and order, in the table of tests and in another one."""
    page = opened.page
    page.get_by_label("level").select_option("sub_industry")
    page.locator("#tests").get_by_label("filter").fill("measure 7")
    page.locator("#all-tests th", has_text="D").first.get_by_role("button").click()
    page.locator("#consistency").get_by_role("button", name="largest offset").click()
    page.locator("#all-tests tbody button").first.click()
    shown = page.locator("#opened h3").inner_text()
    page.reload()
    opened.requests.pop()
    expect(page.locator("#opened h3")).to_have_text(shown)
    expect(page.get_by_label("level")).to_have_value("sub_industry")
    expect(page.locator(".map:not([hidden])")).to_have_attribute("data-level", "sub_industry")
    expect(page.locator("#tests").get_by_label("filter")).to_have_value("measure 7")
    expect(page.locator("#all-tests th", has_text="D").first).to_have_attribute("aria-sort", "ascending")
    expect(page.locator("#consistency th", has_text="largest offset")).to_have_attribute("aria-sort", "ascending")


def test_colours_are_the_readers(opened: Opened) -> None:
    """The page is dark where the reader asks for it, and stays so."""
    page = opened.page
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_label("theme").select_option("dark")
    assert page.evaluate(paper) != light
    page.reload()
    opened.requests.pop()
    assert page.evaluate(paper) != light
    page.get_by_label("theme").select_option("auto")
    assert page.evaluate(paper) == light


def test_contents_stay_at_hand(opened: Opened) -> None:
    """From the end of the page one click leads to any section, and the contents say where the reader is."""
    page = opened.page
    page.locator("#provenance h3").last.scroll_into_view_if_needed()
    expect(page.get_by_role("link", name="Provenance")).to_have_attribute("aria-current", "location")
    page.get_by_role("link", name="Privacy", exact=True).click()
    expect(page.get_by_role("heading", name="Privacy", exact=True)).to_be_in_viewport()


def test_page_is_whole_before_anybody_scrolls(browser: Browser, file: Path) -> None:
    """A picture of the whole page has the map and the long tables, which are laid out once the first screen stands."""
    page = browser.new_page(viewport={"width": 1_280, "height": 900})
    page.goto(file.as_uri())
    assert page.locator(".tall, .map").count() > 1
    drawn = "(each) => getComputedStyle(each).contentVisibility === 'visible'"
    page.wait_for_function(f"[...document.querySelectorAll('.tall, .map')].every({drawn})")
    expect(page.locator(".map tbody .beyond")).to_have_count(0)
    assert page.evaluate("scrollY") == 0
    page.close()


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
    """The tests come first, each row's name in the middle of its marks; the other colouring has other marks."""
    page = opened.page
    page.get_by_label("level").select_option("sub_industry")
    expect(page.locator(".by-distance-only")).to_be_visible()
    expect(page.locator(".by-verdict-only")).to_be_hidden()
    heads = page.locator(".map:not([hidden]) tbody :is(th, td)")
    assert heads.evaluate_all("all => all.every(each => getComputedStyle(each).verticalAlign === 'middle')")
    page.get_by_label("colour").select_option("by-verdict")
    mark = cell(page, "revenue").evaluate("cell => getComputedStyle(cell, '::before').content")
    assert mark == '"\u2260"'
    expect(page.locator(".by-verdict-only")).to_be_visible()
    expect(page.locator(".by-distance-only")).to_be_hidden()


def test_table_of_tests_filters_sorts_and_pages(opened: Opened) -> None:
    """The smallest p comes first; filters narrow, headings sort, buttons page, and a row opens its cell."""
    page = opened.page
    rows = page.locator("#all-tests tbody tr")
    expect(rows).to_have_count(10)
    expect(rows.first).to_contain_text("differs")
    expect(page.locator(".pager")).to_contain_text(f"1 to 10 of {len(TESTS) + len(MANY) + 1}")
    page.get_by_role("button", name="next").click()
    expect(page.locator(".pager")).to_contain_text("11 to 20")
    page.get_by_label("only those that differ").check()
    expect(rows).to_have_count(1)
    page.get_by_label("only those that differ").uncheck()
    page.locator("#tests").get_by_label("filter").fill("measure 7 2020")
    expect(page.locator(".pager")).to_contain_text("1 to 10 of 21")
    heading = page.locator("#all-tests th", has_text="D").first
    heading.get_by_role("button").click()
    heading.get_by_role("button").click()
    expect(heading).to_have_attribute("aria-sort", "descending")
    expect(rows.first).to_contain_text("measure 117")
    rows.first.get_by_role("button").click()
    expect(page.locator("#opened h3")).to_have_text("measure 117: Banking 银行")


def test_the_page_of_tests_alone_sorts_and_filters(browser: Browser, tmp_path: Path) -> None:
    """It lists them without the map's script."""
    tests = [findings.a_test(measure=f"measure_{i}", n=40 + i, n_anonymised=40 + i) for i in range(20)]
    file = tmp_path / "ks.html"
    made = findings.typed(findings.reports(ks=findings.ks(*tests)))
    assert made.ks
    file.write_bytes(ks_page(made.ks, PageContext(title="Shops", policy="lsd")))
    with _opened(browser, file) as found:
        page, first = found.page, found.page.locator("#tests tbody tr:visible td:first-child")
        page.locator("#tests th button").nth(4).dblclick()
        expect(first.first).to_have_text("measure_19")
        page.get_by_label("filter").fill("measure_7")
        expect(first).to_have_text(["measure_7"])


def test_other_tables_sort_and_filter(opened: Opened) -> None:
    """Numbers sort as numbers, what is absent comes last either way, and a filter hides rows."""
    page = opened.page
    table = page.locator("#consistency table", has=page.get_by_role("columnheader", name="KS p"))
    offset = table.get_by_role("columnheader", name="largest offset")
    for order in ("ascending", "descending"):
        offset.get_by_role("button").click()
        expect(offset).to_have_attribute("aria-sort", order)
        expect(table.locator("tbody tr").last).to_contain_text("max")


END = "<img src=x onerror=window.ran=1></script><script>window.ran=1</script>\"'&<!--]]>{{7*7}}{% x %}${7*7}\x1b[2J\x85\0\u2028"
TURNED = "a \u05e9 1 \u202eb c"
"""Letters that run from right to left, and an override that turns the others."""

PLACES = """place => [...place.textContent].map((_, i) => {
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let before = 0; walker.nextNode(); before += walker.currentNode.length) {
    if (i >= before + walker.currentNode.length) continue;
    range.setStart(walker.currentNode, i - before);
    range.setEnd(walker.currentNode, i - before + 1);
    return range.getBoundingClientRect().left;
  }
})"""


def test_hostile_texts_are_text(browser: Browser, tmp_path: Path) -> None:
    """Whatever texts hold: nothing runs, nothing is fetched, all of it shows, and what stands beside it keeps its place."""
    made, labels = findings.hostile(findings.reports(), END), Labels(language="zh", english={f"银行{END}": "Banking"})
    (tmp_path / "report.html").write_bytes(findings.page(made, labels=labels, title=END, environment=END))
    _of_parts(findings.typed(made), tmp_path, PageContext(title=f"{TURNED}{END}", policy="lsd", labels=labels))
    (tmp_path / "tasks.html").write_bytes(task_findings.page(tmp_path, END))
    (tmp_path / "scores.html").write_bytes(task_findings.scores(END))
    shown = UNSEEN.sub(lambda found: f"U+{ord(found[0]):04X}", END)
    for file in sorted(tmp_path.glob("*.html")):
        with _opened(browser, file) as found:
            if found.page.locator("#all-tests").count():
                found.page.locator("#all-tests tbody button").first.click()
                assert found.page.locator("#opened h3").text_content() == f"revenue{shown}: Banking 银行{shown}"
            assert found.page.evaluate("[window.ran, document.querySelectorAll('img').length]") == [None, 0]
            assert shown in found.page.locator("main").text_content()
    with _opened(browser, tmp_path / "index.html") as found:
        places = found.page.locator(".note").first.evaluate(PLACES)[: len(TURNED)]
        assert places == sorted(places)


def test_records_are_paged_and_searched(opened: Opened) -> None:
    """Opened, a table fetches the script beside the page; records come by fifty, by word, or those that noise changed."""
    page, table = opened.page, opened.page.locator("#data-shops")
    rows = table.locator(".records:not(.pairs) tbody tr")
    table.locator("> summary").click()
    expect(table.locator(".pager")).to_contain_text("1 to 50 of 120")
    assert opened.requests.pop() == (Path(page.url.removeprefix("file://")).parent / "tables/shops.js").as_uri()
    expect(rows).to_have_count(50)
    assert page.evaluate("window.ran") is None
    table.get_by_role("button", name="next").click()
    expect(rows.first).to_contain_text("50")
    table.locator(".tall").evaluate("frame => { frame.style.width = '3rem' }")
    table.get_by_label("search").fill("town5")
    expect(table.locator(".pager")).to_contain_text("1 to 17 of 17")
    expect(table.locator("td.found")).to_have_count(17)
    expect(table.locator("td.found").first).to_contain_text("town5")
    expect(table.locator("td.found").first).to_be_in_viewport()
    table.get_by_label("search").fill("")
    expect(table.locator("td.found")).to_have_count(0)
    table.get_by_label("only those that noise changed").check()
    expect(rows).to_have_text(["3town3 twon3\u2423", "99town1 empty"])
    expect(rows.locator("ins").first).to_be_in_viewport()
    expect(rows.locator("td").first).to_be_in_viewport()  # which record it is, beside what was changed


def test_records_on_the_page_stay_without_their_script(browser: Browser, file: Path, tmp_path: Path) -> None:
    """A page that was sent on by itself shows the first, and says where the others are."""
    page = browser.new_page()
    page.goto(Path(shutil.copy(file, tmp_path)).as_uri())
    table = page.locator("#data-shops")
    table.locator("> summary").click()
    expect(table.locator(".controls")).to_contain_text("tables/shops.js, which is not beside this page")
    expect(table.locator(".records:not(.pairs) tbody tr")).to_have_count(50)
    page.close()


def test_a_search_says_of_how_many_records_and_a_reload_keeps_it(browser: Browser, tmp_path: Path) -> None:
    """Of a long table the page has the first records alone; the address has what was opened and searched."""
    first = replace(ROWS, rows=ROWS.rows[:50], first=50, changed=ROWS.changed[:1])
    made = findings.reports(profile=findings.profile(records=165_283))
    (tmp_path / "report.html").write_bytes(findings.page(made, rows={"shops": first}))
    page = browser.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    table, pager = page.locator("#data-shops"), page.locator("#data-shops .pager")
    table.locator("> summary").click()
    table.get_by_label("search these 50").fill("5000")
    expect(pager).to_contain_text("No row fits, of 50 that are here; the file has 165,283")
    table.get_by_label("search").fill("town5")
    expect(pager).to_contain_text("1 to 7 of 7, of 50 that are here; the file has 165,283")
    page.reload()
    expect(pager).to_contain_text("1 to 7 of 7, of 50")
    expect(table.locator(".records:not(.pairs) tbody tr")).to_have_count(7)
    page.close()


def test_an_address_opens_the_table_that_it_leads_to(browser: Browser, file: Path) -> None:
    """A link to a table is of no use while that is closed; on arrival, and from within the page."""
    page = browser.new_page()
    page.goto(f"{file.as_uri()}#data-shops")
    expect(page.locator("#data-shops .records:not(.pairs)")).to_be_visible()
    page.goto(file.as_uri())
    expect(page.locator("#data-shops .records:not(.pairs)")).to_be_hidden()
    page.evaluate("location.hash = 'data-shops'")
    expect(page.locator("#data-shops .records:not(.pairs)")).to_be_visible()
    page.close()


def test_contents_show_where_the_reader_is_on_a_phone(opened: Opened) -> None:
    """The part that is read is in sight among the contents, though there is no room for all of them."""
    page = opened.page
    page.set_viewport_size({"width": 390, "height": 844})
    tabs, theme = (page.locator(name).bounding_box() for name in (".bar nav", "#theme"))
    assert tabs
    assert theme
    assert tabs["y"] >= theme["y"] + theme["height"]
    page.evaluate("document.getElementById('provenance').scrollIntoView()")
    link = page.locator(".bar nav a[href='#provenance']")
    expect(link).to_have_attribute("aria-current", "location")
    inside = "a => a.getBoundingClientRect().right <= a.closest('nav').getBoundingClientRect().right"
    assert link.evaluate(inside)
    fading = "parseFloat(getComputedStyle(nav).maskImage.match(/([\\d.]+)px/)[1])"
    beside = "document.querySelector('.bar nav li:last-child').getBoundingClientRect().right"
    found = f"nav => (nav.scrollLeft = nav.scrollWidth, [{fading}, nav.getBoundingClientRect().right - {beside}])"
    faded, free = page.locator(".bar nav").evaluate(found)
    assert free >= faded > 4 * 16, "several letters fade where more follows, and the last link does not"


def test_cells_of_a_narrowed_map_keep_their_size(opened: Opened) -> None:
    """A single column does not stretch over the page."""
    page = opened.page
    width = "document.querySelector('.map:not([hidden]) tbody td').getBoundingClientRect().width"
    before = page.evaluate(width)
    page.locator("#only-group").fill("金融")
    assert page.evaluate(width) == pytest.approx(before, abs=1)


@pytest.mark.parametrize("width", [390, 768, 1_200])
def test_page_fits_its_screen(opened: Opened, width: int) -> None:
    """Nothing but tables in their own boxes is wider than the screen, an opened cell included."""
    page = opened.page
    page.set_viewport_size({"width": width, "height": 844})
    page.locator("#all-tests tbody button").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    digests = page.get_by_role("region", name="published files")
    assert digests.evaluate("frame => frame.scrollWidth - frame.clientWidth") == 0, "digests stand in full"


def test_frame_of_records_is_as_wide_as_they_are(opened: Opened) -> None:
    """There is no empty box beside a narrow table, and a frame is never wider than its place."""
    page = opened.page
    page.locator("#data-shops > summary").click()
    frame = page.get_by_role("region", name="records of shops", exact=True)
    expect(frame.locator("del").first).to_be_visible()
    opened.requests.pop()
    beside = "frame => frame.clientWidth - frame.querySelector('table').getBoundingClientRect().width"
    assert frame.evaluate(beside) == pytest.approx(0, abs=1)
    page.set_viewport_size({"width": 390, "height": 844})
    assert frame.evaluate(beside) < 0
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("page", ["noise", "privacy"])
def test_charts_fit_a_phone(browser: Browser, pages: Path, page: str) -> None:
    """Nothing of a chart is cut off: neither an axis nor the number at the end of a bar."""
    opened = browser.new_page(viewport={"width": 390, "height": 844})
    opened.goto((pages / f"{page}.html").as_uri())
    drawn = [
        each.bounding_box() for each in opened.locator(".drawn .chart").locator("xpath=.|.//*[name()='text']").all()
    ]
    assert len(drawn) > 10
    assert [box for box in drawn if box and not (box["x"] >= 0 and box["x"] + box["width"] <= 390)] == []
    opened.close()


def test_page_prints(opened: Opened) -> None:
    """On paper nothing is cut off at the side, controls are gone, what was open stays, and what is left out is said."""
    page = opened.page
    page.locator("#all-tests tbody button").first.click()
    page.set_viewport_size({"width": 730, "height": 1_000})
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") == 730
    assert page.locator("select:visible, input:visible, button:visible:not(td button, th button)").count() == 0
    expect(page.locator(".pager [role=status]")).to_have_text("1 to 10 of 127")
    closed = page.locator("details:not(.answers, .card *) > summary")
    said = "every => every.map((each) => getComputedStyle(each, '::after').content)"
    assert set(closed.evaluate_all(said)) == {'" (closed: open it to print it)"'}
    expect(page.locator("#opened svg").first).to_be_visible()
    expect(page.locator(".card details li").first).to_be_visible()
    sizes = "every => every.map((each) => parseFloat(getComputedStyle(each).fontSize))"
    assert max(page.locator(".card p:not(.answer)").evaluate_all(sizes)) < 12, (
        "cards in 9 points leave room on their sheet"
    )
    below = [each.bounding_box() for each in page.locator(".card").all()]
    assert all(box and box["y"] + box["height"] <= 1_000 for box in below), "all cards stand on the first sheet"
    assert page.pdf().startswith(b"%PDF")


def test_page_is_readable_without_script(browser: Browser, file: Path) -> None:
    """Without a script there are the verdict, the map and the tests, all if they are few; no control that does nothing."""
    page = browser.new_page(java_script_enabled=False)
    page.goto(file.as_uri())
    expect(page.locator(".verdict").first).to_be_visible()
    expect(page.locator(".map").first).to_be_visible()
    expect(page.locator("#tests tbody tr")).to_have_count(len(TESTS) + len(MANY) + 1)
    assert page.locator("select:visible, input:visible, button:visible").count() == 0
    page.locator("#data-shops > summary").click()
    expect(page.locator("#data-shops .records:not(.pairs) tbody tr")).to_have_count(50)
    page.close()


# --- tasks -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def tasks(browser: Browser, pages: Path) -> Iterator[Opened]:
    """Open the page of tasks."""
    with _opened(browser, pages / "tasks.html") as found:
        yield found


def test_tasks_are_filtered_and_the_address_keeps_it(tasks: Opened) -> None:
    """A count of the table filters, filters add up, and all tasks come back."""
    page, shown = tasks.page, tasks.page.locator(".task:visible h3 a")
    page.locator("[data-label=all] a").last.click()
    tasks.requests.pop()
    expect(shown).to_have_text(["dev-0001", "test-0001"])
    page.get_by_label("naive reader").select_option("wrong")
    expect(shown).to_have_text(["dev-0001"])
    page.reload()
    tasks.requests.pop()
    expect(shown).to_have_text(["dev-0001"])
    page.get_by_role("button", name="show all").click()
    page.get_by_label("words").fill("TOTAL dev")
    expect(shown).to_have_text(["dev-0001", "dev-0002"])
    page.locator("select[name=rule]").select_option(label="gaps")
    expect(page.locator("#filters [role=status]")).to_have_text("1 of 3 tasks, with and without answers")


def test_picture_leads_to_a_task_by_keyboard(tasks: Opened) -> None:
    """A task that a filter hides is shown, opened and put in view; its SQL is put together when it is unfolded."""
    page = tasks.page
    page.get_by_label("level").select_option("hard")
    page.get_by_role("columnheader", name="dev-0001").get_by_role("link").focus()
    page.keyboard.press("Enter")
    task = page.locator("#dev-0001")
    expect(task.locator("h3")).to_be_in_viewport()
    expect(task.locator(".steps")).to_be_visible()
    task.locator(".sql summary").press("Enter")
    expect(task.locator("pre")).to_have_text("SELECT 'x'\nWHERE '' <> ''")


def test_cards_of_tasks_stand_apart_from_the_table(tasks: Opened) -> None:
    """By as much as from each other."""
    gap = (
        "document.querySelector('.verdicts + table').getBoundingClientRect().top - cards.getBoundingClientRect().bottom"
    )
    assert (
        tasks.page.evaluate(f"(() => {{ const cards = document.querySelector('.verdicts'); return {gap}; }})()") == 12
    )


def test_tasks_fit_paper_and_phone(tasks: Opened) -> None:
    """With a task open, nothing but tables in their own boxes is wider than the screen or the sheet."""
    page = tasks.page
    page.locator(".task summary").first.click()
    for media, width in (("screen", 390), ("print", 730)):
        page.emulate_media(media=media)
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator("select:visible, input:visible").count() == 0


def test_tasks_are_a_list_without_script(browser: Browser, pages: Path) -> None:
    """Without a script there are questions, answers and evidence, and no control that does nothing."""
    page = browser.new_page(java_script_enabled=False)
    page.goto((pages / "tasks.html").as_uri())
    expect(page.locator(".task:visible .question")).to_have_count(3)
    expect(page.locator("#dev-0001")).to_contain_text("Answer: gold (in USD)Naive reader on noisy: spoilt wrong")
    page.locator(".task summary").first.click()
    expect(page.locator("#dev-0001 ins").first).to_have_text("0.0205")
    assert page.locator("select:visible, input:visible, button:visible, [data-only] a").count() == 0
    page.close()

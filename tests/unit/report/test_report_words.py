"""Single values on the page: shares that do not lie at the ends, text whose blanks are seen, tables that sort as numbers."""

import re
from collections.abc import Sequence
from html import unescape
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from pipeline.wording import counted, percent
from validation.report.html import _ENVIRONMENT, MANY, Cell, Table, Value, prose, render, share, visible, word
from validation.wording import cell_of, group_name


def table(headings: Sequence[str], rows: Sequence[Sequence[Value]], **fields: str) -> str:
    forms = _ENVIRONMENT.get_template("forms.html").module
    return str(forms.table(Table(name="listed", headings=headings, rows=rows, **fields)))


@pytest.mark.parametrize(
    ("share", "words"),
    [(0, "0%"), (1, "100%"), (1e-9, "under 0.1%"), (0.99999, "over 99.9%"), (0.1234, "12.3%"), (0.0005, "0.1%")],
)
def test_only_nothing_is_none_and_only_all_is_all(share: float, words: str) -> None:
    """A share that rounds to an end is not told as that end."""
    assert percent(share) == words


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (None, "<i>absent</i>"),
        ("", "<i>empty</i>"),
        ("a b", "<q>a b</q>"),
        ("a  b", "<q>a<mark>\u2423\u2423</mark>b</q>"),
        ("\ta", "<q><mark>U+0009</mark>a</q>"),
        ("<b>", "<q>&lt;b&gt;</q>"),
    ],
)
def test_blanks_are_seen(text: str | None, html: str) -> None:
    """What cannot be seen is marked, and what is ordinary is not."""
    assert visible(text) == html


@given(st.text(min_size=1))
def test_visible_text_reads_back(text: str) -> None:
    """Every character is shown, as itself or as its mark."""
    shown = visible(text).removeprefix("<q>").removesuffix("</q>")
    shown = shown.replace("\u2423", "\u0000") if "\u2423" not in text else shown
    plain = re.sub("<mark>U\\+([0-9A-F]{4,6})</mark>", lambda code: f"&#x{code.group(1)};", shown)
    assert re.sub("</?mark>", "", plain).count("<") == 0
    if text.isprintable() and "\u2423" not in text:
        assert unescape(re.sub("</?mark>", "", shown)).replace("\u0000", " ") == text


def test_groups_and_cells_have_names() -> None:
    """Null is a group like another; a worst cell is told by its columns, and where there is none by nothing."""
    assert group_name(None) == "(none)"
    assert cell_of({"year": 2021, "by_place": None, "share": 0.123456}) == "year 2021, by place none, share 0.1235"
    assert cell_of({}) == cell_of(None) == ""
    assert cell_of("elsewhere") == "elsewhere"


def test_numbers_are_sorted_by_what_they_are() -> None:
    """A column of numbers stands right and keeps its digits; one with words in it is text."""
    made = table(("a", "b"), [(1.23456789, 2), (None, "x")])
    assert '<th scope="col" class="n">a</th><th scope="col">b</th>' in made
    assert '<td class="n" data-value="1.23457">1.235</td>' in made


def test_long_tables_filter() -> None:
    """Beyond so many rows a table has a filter and scrolls."""
    assert "data-filter" not in table(("a",), [(i,) for i in range(MANY)])
    assert "data-filter" in table(("a",), [(i,) for i in range(MANY + 1)])


def test_verdicts_are_words() -> None:
    """Colour repeats what a word says."""
    assert word(is_passed=True) == Cell("passed", kind="kept")
    assert word(is_passed=False) == Cell("FAILED", kind="exceeded")


def test_script_and_style_can_stand_in_a_page() -> None:
    """Neither holds what would end its element, nor anything that reaches out."""
    scripts, styles = (
        [file.read_text() for file in (files("validation.report") / "templates" / folder).iterdir()]
        for folder in ("scripts", "styles")
    )
    assert scripts
    assert styles
    assert not any(re.search(r"</script|<!--|innerHTML|fetch\(|XMLHttp|import |eval\(", script) for script in scripts)
    assert not any(re.search(r"</style|@import|url\(", style) for style in styles)


def test_absent_numbers_leave_a_column_one_of_numbers() -> None:
    """A bar is a number, and so is its column although one of its cells has none."""
    made = table(("share",), [(share(0.5),), (share(None),)])
    assert '<th scope="col" class="rate n">share</th>' in made
    assert '<td class="rate n" data-value="0.5">50.0%<svg' in made


def test_cards_name_their_cells() -> None:
    """Where a row is a card on a phone, each cell but the first says what it is."""
    made = table(("a", "b"), [("x", "<y>")], kind="cards")
    assert '<tr><td>x</td><td data-label="b">&lt;y&gt;</td></tr>' in made


def test_templates_miss_nothing_in_silence() -> None:
    """A template that names what its section did not give it is a defect, not a gap on the page."""
    with pytest.raises(UndefinedError, match="'suites' is undefined"):
        render("met.html", strictness="", figures=[])


@given(st.text())
def test_code_in_prose_is_text(text: str) -> None:
    """What stands between backticks is code, whatever it is; nothing else is markup."""
    assert unescape(re.sub("</?code>", "`", prose(text))).replace("`", "") == text.replace("`", "")
    assert prose("see `<b>`") == "see <code>&lt;b&gt;</code>"


@pytest.mark.parametrize(("count", "words"), [(0, "0 rows"), (1, "1 row"), (1_234, "1,234 rows")])
def test_one_is_not_many(count: int, words: str) -> None:
    """The noun is in the plural unless it is one."""
    assert counted(count, "row") == words

"""Pages do nothing that Silt's own do not: what shows text or draws passes, and everything that could act is named."""

from pathlib import Path

import pytest
from markupsafe import Markup

from tests.unit.release.test_checks_of_releases import made_in, of
from tests.unit.report import findings
from tests.unit.report.findings import HOSTILE
from validation.profile.rows import ShownRows
from validation.release.checks.pages import pages_do_nothing_else
from validation.report.data.rows import scripts
from validation.report.html import render
from validation.report.sections.recovery import ladder_chart

ROWS = ShownRows(
    table="shops", columns=("a",), records=60, rows=((HOSTILE,),) * 60, first=60, changed=((0, 0, "a", HOSTILE),)
)
SHOWN = Markup('<h1 id="a" lang="zh">Text</h1><p style="margin-top:1rem;"><a href="../report.html#ks">ks</a></p>')
DATA = Markup('<script type="application/json" id="samples">{"a": "</b>"}</script>')


def found(folder: Path, page: str, name: str = "report.html") -> list[str]:
    """Return what is named of a page, or a script, in the place of a report."""
    file = folder / "clean/reports" / name
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_text(page, encoding="utf-8")
    return [problem.value for problem in pages_do_nothing_else(of(folder)) if problem.file.endswith(name)]


def page(body: str = "") -> str:
    shown = SHOWN + DATA + ladder_chart({"one record": [0.5, 1.0]}) + Markup(body)  # noqa: S704
    return str(render("report.html", title="Evidence", top=shown, sections=()))


def test_text_drawings_and_own_scripts_pass(tmp_path: Path) -> None:
    """A page as Silt writes it, with data that the script reads."""
    assert found(made_in(tmp_path), page()) == []


@pytest.mark.parametrize(
    "body",
    [
        "<script>alert(1)</script>",
        '<script type="" type="application/json" id="samples">alert(1)</script>',
        '<script src="x.js"></script>',
        '<p onclick="alert(1)">x</p>',
        '<svg onload="alert(1)"></svg>',
        '<iframe src="x"></iframe>',
        '<a href="//example.org">x</a>',
        '<a href="javascript:alert(1)">x</a>',
        '<img src="data:image/png,">',
        '<div style="position:fixed">x</div>',
        "<style>main { display: none }</style>",
        '<meta http-equiv="refresh" content="0">',
        "<!-- x -->",
        '<form action="https://example.org"><input type="submit"></form>',
        '<rect fill="url(https://example.org)"/>',
        '<table data-script="https://example.org/x.js"></table>',
        '<table data-script="../x.js"></table>',
        '<a href="\\\\example.org/x.csv">x</a>',
    ],
)
def test_what_could_act_is_found(tmp_path: Path, body: str) -> None:
    """Wherever it stands in the page."""
    assert found(made_in(tmp_path), page(body))


def test_another_script_in_place_of_the_own_one_is_found(tmp_path: Path) -> None:
    """The frame is as before, and its script does more; so is another policy of content."""
    folder = made_in(tmp_path)
    assert found(folder, page().replace('"use strict";', '"use strict";alert(1);', 1))
    assert found(folder, page().replace("default-src 'none'", "default-src *", 1))


def test_a_page_with_rows_and_its_script_pass(tmp_path: Path) -> None:
    """With links to the files of tables, whatever cells hold."""
    folder = made_in(tmp_path)
    assert found(folder, findings.page(findings.reports(), rows={"shops": ROWS}).decode()) == []
    ((path, script),) = scripts({"shops": ROWS}).items()
    assert found(folder, script.decode(), path) == []


@pytest.mark.parametrize(
    "script",
    [
        "alert(1)",
        "takeRows(\nalert(1))\n",
        'takeRows(\n{"a": 1})\nalert(1)\n',
        'takeRows(\n{"a": 1}), alert(1, {})\n',
        f"takeRows(\n{'[' * 100_000})\n",
        "",
    ],
)
def test_a_script_that_does_more_than_hold_rows_is_found(tmp_path: Path, script: str) -> None:
    """It is run by whoever opens a table."""
    assert found(made_in(tmp_path), script, "tables/shops.js") == [script[:80]]

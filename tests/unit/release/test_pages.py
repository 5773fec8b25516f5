"""Pages do nothing that Silt's own do not: what shows text or draws passes, and everything that could act is named."""

from pathlib import Path

import pytest
from markupsafe import Markup

from tests.unit.release.test_checks_of_releases import made_in, of
from validation.release.checks.pages import pages_do_nothing_else
from validation.report.html import render
from validation.report.sections.recovery import ladder_chart

SHOWN = Markup('<h1 id="a" lang="zh">Text</h1><p style="margin-top:1rem;"><a href="../report.html#ks">ks</a></p>')
DATA = Markup('<script type="application/json" id="samples">{"a": "</b>"}</script>')


def found(folder: Path, page: str) -> list[str]:
    """Return what is named of a page in the place of a report."""
    (folder / "clean/reports").mkdir(exist_ok=True)
    (folder / "clean/reports/report.html").write_text(page, encoding="utf-8")
    return [problem.value for problem in pages_do_nothing_else(of(folder)) if problem.file.endswith("report.html")]


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

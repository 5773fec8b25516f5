"""The section on the data: columns with what they mean and hold, first records, and records that noise changed."""

import json
import re
from dataclasses import replace

import pytest

from pipeline.legible import UNSEEN
from tests.pages import text_of
from tests.unit.report import findings
from tests.unit.report.findings import HOSTILE, a_column, page, profile, reports
from validation.profile.rows import FIRST, ShownRows
from validation.report.data.rows import scripts
from validation.report.html import command
from validation.report.labels import Labels


def section(**changes: object) -> str:
    """Return the section of a page."""
    made = page(reports(**changes)).decode()
    start = made.index('<section id="data"')
    return made[start : made.index("</section>", start)]


def test_each_table_opens_into_its_columns_and_records() -> None:
    """Closed at first, since nobody reads twenty tables; name and size stand there, and columns before records."""
    shown = section()
    assert shown.index("Columns: what each means and holds") < shown.index("<h3>Records</h3>")
    assert '<details class="data" id="data-shops">' in shown
    assert "4 records, 3 columns." in shown
    assert "where it is" in shown
    assert "25.0%" in shown  # of the towns are missing
    assert "<td>Aachen</td>" in shown
    assert "Noise changed 1 cell in 1 of 4 records (25.0%)." in shown
    assert "The first 2 of 4 records; the file has all." in shown
    assert '<a href="../database/shops.csv">' in shown


def test_changes_that_no_page_shows_have_a_place() -> None:
    """Records that noise removed are counted, and the command that prints every change stands where not all are shown."""
    changed = {"rows": 1, "of_rows": 4, "cells": 1, "added": 0, "removed": 2, "is_rebuilt": False}
    assert "removed 2 records (in the curator&#39;s ledger)." in section(profile=profile(changes=changed))
    noise = text_of(page(reports()))
    assert "silt noise changes --ledger FILE --table NAME prints those of a table as CSV" in noise
    more = page(reports(profile=profile(records=600)), rows={"shops": ROWS})
    whole = "silt noise changes --ledger FILE --table shops"
    assert f"{whole} prints every change, where FILE is the curator's noise_ledger.parquet" in text_of(more)
    assert command(whole) in more.decode(), "it breaks between its words alone"


@pytest.mark.parametrize(
    ("policy", "why"),
    [("lsd", "Nothing of the originals comes here."), ("guarded", "No record of this kind was sampled")],
)
def test_an_empty_table_says_why(policy: str, why: str) -> None:
    """In its line, in place of what noise changed."""
    made = profile(records=0, first=[], changed=[], columns=[a_column(missing=0, distinct=0, examples=[])])
    empty, filled = (
        text_of(page(reports(**changes), manifest=findings.manifest(policy=policy)))
        for changes in ({"profile": made}, {})
    )
    assert f"0 records, 1 column. {why}" in empty
    assert why not in filled


def test_a_file_that_is_not_beside_the_page_is_no_link() -> None:
    """The page of a refused build lies where no file is."""
    refused = page(reports(), manifest=findings.manifest(files=[])).decode()
    assert 'href="../database' not in refused


def test_names_are_those_of_the_file_and_english_stands_apart() -> None:
    """In the columns, the headings of records and the cells: what is searched for in the file has to be there."""
    labels = Labels(language="zh", english={"银行": "Banking"})
    made = profile(columns=[a_column(column="银行", examples=["银行"])], first=[["银行"]], changed=[])
    shown = page(reports(profile=made), labels=labels).decode()
    own = '<bdi translate="no" lang="zh">银行</bdi>'
    assert f'<th scope="col">{own}<small>Banking</small></th>' in shown
    assert f'<th scope="row">{own}<small>Banking</small>' in shown
    assert "<td>银行</td>" in shown
    assert f"<td>{own}</td>" in shown


ROWS = ShownRows(
    table="shops",
    columns=("id", "town"),
    records=60,
    rows=tuple((str(row), HOSTILE if row else None) for row in range(60)),
    first=60,
    changed=((1, 1, "Bremen", "Brmen "), (55, 0, "5", "")),
)


def test_rows_beyond_the_first_lie_in_a_script() -> None:
    """The page has fifty, in both texts where noise changed a cell; the script has all, as text and never as markup."""
    shown = page(reports(profile=profile(records=60)), rows={"shops": ROWS}).decode()
    body = re.search(r'<table class="records" data-script="tables/shops.js">.*?</table>', shown, re.DOTALL)
    assert body
    assert body[0].count("<tr>") == 1 + FIRST
    assert "<td><del>Bremen</del> <ins>Brmen\u2423</ins></td>" in body[0]
    assert "All 60 records; without a script the first 50." in shown
    ((path, script),) = scripts({"shops": ROWS}).items()
    assert path == "tables/shops.js"
    held = json.loads(script.decode().removeprefix("takeRows(\n").removesuffix(")\n"))
    assert [row[0] for row in held["rows"]] == [str(row) for row in range(60)]
    assert held["rows"][0][1] is None
    assert held["changed"] == [[1, 1, "Bremen", "Brmen\u2423"], [55, 0, "5", "empty"]]
    assert UNSEEN.search(script.decode()) is None


def test_of_many_tables_the_page_shows_fewer_rows() -> None:
    """It stays below 2 MB; the others are in scripts, each of which the page names."""
    (table,) = profile(records=60, changed=[])["tables"]
    tables = {
        f"t{i}": replace(ROWS, table=f"t{i}", columns=("a",) * 20, rows=(("x" * 40,) * 20,) * 60) for i in range(60)
    }
    made = page(reports(profile={"tables": [table | {"table": name} for name in tables]}), rows=tables)
    assert len(made) < 2_000_000
    assert set(re.findall(r'data-script="([^"]+)"', made.decode())) == set(scripts(tables))


def test_each_cell_has_a_line_of_its_own() -> None:
    """Else two cells beside each other could read as a name that is searched for."""
    texts = [["Alpha", "Beta"] for _ in range(60)]
    (script,) = scripts({"shops": replace(ROWS, rows=texts, changed=())}).values()
    assert not re.search("Alpha.*Beta", script.decode())


def test_changed_cells_are_marked_and_others_are_not() -> None:
    """The text before is a deletion, the one after an insertion, with what cannot be seen made visible."""
    shown = section()
    assert "<del>Bremen</del>" in shown
    assert "<ins>Brmen\u2423</ins>" in shown
    assert len(re.findall("<del>|<ins>", shown)) == 2
    assert "typos" in shown


def test_columns_lead_to_places_that_are_there() -> None:
    """To the rules that change them, to the tests of their figures, and nowhere else."""
    rule = findings.noise()["rules"][0] | {"table": "shops", "column": "revenue", "rule": "typos & <more>"}
    noise = findings.noise() | {"rules": [rule, rule | {"rule": "blanks"}]}
    made = page(reports(noise=noise)).decode()
    shown = section(noise=noise)
    links = re.findall(r'href="#([^"]+)"', shown)
    assert "rule-0" in links
    assert "ks" in links
    assert all(f'id="{link}"' in made for link in links)
    assert "noise: typos & <more> , blanks tests of its figures" in text_of(page(reports(noise=noise)))


def test_histogram_says_what_it_shows() -> None:
    """Frequent texts by name and share; figures by their ends and where most of them are."""
    shown = section()
    assert 'aria-label="most frequent: Aachen 66.7%, Bremen 33.3%"' in shown
    assert 'aria-label="figures from 0 to 20, most often from 0 to 10"' in shown


@pytest.mark.parametrize(
    ("edges", "ends"),
    [
        ([1955, 1980, 2020], "1955 to 2020"),
        ([-5_000, 0, 10_000], "-5000 to 10,000"),
        ([0.5, 1, 12_345.5], "0.5 to 12,350"),
    ],
)
def test_ends_of_a_histogram_may_be_years(edges: list[float], ends: str) -> None:
    """So numbers of four digits have no comma."""
    shape = {"of": "numbers", "values": [], "edges": edges, "counts": [1, 2], "other": 0}
    shown = section(profile=profile(columns=[a_column(histogram=shape)], changed=[]))
    assert f"figures from {ends}, most often from" in shown
    assert f"<small>{ends}</small>" in shown


def test_figures_of_several_units_say_where_the_unit_stands() -> None:
    """In the place of a picture, so that nobody looks for a range."""
    shown = section(profile=profile(columns=[a_column(unit_in="unit", histogram=None)], changed=[]))
    assert "several units: see unit" in shown


def test_wide_tables_show_some_columns_and_say_so() -> None:
    """All of them stand in the report."""
    columns = [a_column(column=f"c{i}") for i in range(60)]
    row = [f"x{i}" for i in range(60)]
    shown = section(profile=profile(columns=columns, first=[row], changed=[], row_key=""))
    assert "The other 20 columns stand in <code>profile.json</code>." in shown
    assert "c39" in shown
    assert "c40" not in shown
    assert "x40" not in shown


@pytest.mark.parametrize("where", ["table", "description", "file"])
def test_no_text_breaks_out_of_a_table(where: str) -> None:
    """Names are the user's own."""
    assert HOSTILE not in section(profile=profile(**{where: HOSTILE}))


def test_no_text_breaks_out_of_a_cell() -> None:
    """Neither from an example, nor from a record, nor from a change."""
    bars = {"of": "values", "values": [HOSTILE, "b"], "edges": [], "counts": [2, 1], "other": 0}
    column = a_column(column=HOSTILE, examples=[HOSTILE], histogram=bars, meaning=HOSTILE, unit=HOSTILE)
    cell = {"column": HOSTILE, "before": HOSTILE, "after": HOSTILE * 2, "rules": [HOSTILE]}
    changed = [{"row": ["1", HOSTILE], "cells": [cell]}]
    made = profile(
        columns=[a_column(column="id"), column], first=[["1", HOSTILE]], declared=["id", HOSTILE], changed=changed
    )
    shown = section(profile=made)
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown


def test_formulas_are_told() -> None:
    """A table says how many cells a spreadsheet would run, and in which columns."""
    shown = text_of(
        page(reports(profile=profile(columns=[a_column(column="id", formulas=3), a_column(formulas=1_000)])))
    )
    assert "would run 1,003 cells as formulas" in shown
    assert "3 of id , 1,000 of town" in shown
    assert "as formulas" not in text_of(page(reports()))


def test_a_build_without_the_report_says_so() -> None:
    """An older one, or one that was refused before."""
    made = reports()
    del made["profile"]
    assert "There is no profile.json beside this page." in page(made).decode()

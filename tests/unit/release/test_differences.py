"""What `silt diff` says of two releases, in lines."""

import json
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bare import bare, published
from validation.release.diff.choices import folded
from validation.release.diff.differences import Differences, OfTable, differences
from validation.release.diff.numbering import Step, in_words
from validation.release.opened import opened


def test_noise_is_counted_in_cells() -> None:
    """Of how many they are so many, in both; a table that one of them has not got has no cell there."""
    rates = {("shops", "town"): ((66, 300), (47, 300)), ("books", "sales"): ((0, 0), (1, 1))}
    lines = Differences(removed=(), added=(), changed=(), meaning={}, tables=(), rates=rates).lines()
    assert [line for line in lines if line.startswith("noise")] == [
        "noise    shops, column 'town': 66 of 300 cells (22.0%), then 47 of 300 cells (15.7%)",
        "noise    books, column 'sales': no cell, then 1 of 1 cell (100%)",
    ]


def test_cells_are_counted_by_what_makes_them_differ() -> None:
    """How many there are, and of these how many by what."""
    tables = (
        OfTable(path="books.csv", cells={"noise": 1, "figures": 2}),
        OfTable(path="shops.csv", cells={"other": 1}),
    )
    lines = Differences(removed=(), added=(), changed=(), meaning={}, tables=tables, rates={}).lines()
    assert [line for line in lines if line.startswith("cells")] == [
        "cells    books.csv: 3 cells differ: 1 by noise alone, 2 in columns of figures",
        "cells    shops.csv: 1 cell differs: 1 in other columns",
    ]


SHOPS = bare("shops", published("shops", ("id", "name")))

tables = st.lists(st.tuples(st.sampled_from("12345"), st.sampled_from("ab")), max_size=12)
"""Records, of which noise may have duplicated some, or changed copies."""


@given(st.lists(tables, min_size=4, max_size=4))
def test_from_both_sides_the_same_differs(four: list[list[tuple[str, str]]]) -> None:
    """Records that come one way go the other, and as many cells differ; each number counts something."""
    with TemporaryDirectory() as folder:
        for (side, variant), rows in zip(product("ab", ("clean", "noisy")), four, strict=True):
            release_of(Path(folder), side, variant, rows)
        sides = [opened(Path(folder) / side, SHOPS) for side in "ab"]
        there, back = differences(*sides).tables, differences(*reversed(sides)).tables
    assert [(each.path, each.gone, each.come, each.cells) for each in there] == [
        (each.path, each.come, each.gone, each.cells) for each in back
    ]
    assert all(count >= 0 for each in there for count in (each.gone, each.come, *each.cells.values()))


def test_copies_come_and_go_and_their_cells_are_counted_once(tmp_path: Path) -> None:
    """Of three records with a key of which one is left, two are gone."""
    for side, rows in (("a", "1a 1a 1a 2a"), ("b", "1b 2a 2a")):
        release_of(tmp_path, side, "noisy", [(row[0], row[1]) for row in rows.split()])
    (found,) = differences(*(opened(tmp_path / side / "noisy", SHOPS) for side in "ab")).tables
    assert (found.gone, found.come, sum(found.cells.values())) == (2, 1, 1)


def release_of(folder: Path, side: str, variant: str, rows: Sequence[tuple[str, str]]) -> None:
    """Write one table of a variant."""
    database = folder / side / variant / "database"
    database.mkdir(parents=True)
    (database.parent / "manifest.json").write_text(json.dumps({"environment": "shops", "variant": variant}))
    (database / "shops.csv").write_text("".join(f"{key},{name}\n" for key, name in [("id", "name"), *rows]))


def release(folder: Path, *, version: str, author: str, discloses_noise: bool, files: Mapping[str, str]) -> Path:
    """Write as much of a release as is compared."""
    head = {"environment": "shops", "version": version, "mode": "underexplored", "discloses_noise": discloses_noise}
    card = {"creator": [{"name": author}], "license": "CC0"}
    every = {
        "release.json": json.dumps(head),
        "croissant.json": json.dumps(card),
        "noisy/manifest.json": json.dumps({"environment": "shops"}),
        f"shops-{version}-noisy.tar.zst": version,
        **files,
    }
    for path, text in every.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_choices_come_first_and_files_that_follow_are_counted(tmp_path: Path) -> None:
    """A file that follows from nothing that was chosen is named; archives of two versions differ by their names."""
    page, other = "noisy/reports/report.html", "clean/reports/report.html"
    first = release(
        tmp_path / "first", version="1.0.0", author="A.", discloses_noise=False, files={page: "a", other: "a"}
    )
    told = {page: "b", "noisy/reports/noise.json": "{}", other: "b", "tasks/dev.jsonl": ""}
    told |= {f"{variant}/parquet/database/a.parquet": "" for variant in ("clean", "noisy")}
    second = release(tmp_path / "second", version="1.1.0", author="B.", discloses_noise=True, files=told)
    assert list(differences(opened(first), opened(second)).lines()) == [
        "chosen   noise disclosed: no, then yes",
        "chosen   tasks published: no, then yes",
        "chosen   further formats: none, then parquet",
        "chosen   authors: A., then B.",
        "chosen   version: 1.0.0, then 1.1.0",
        "files    by 'tasks published': 1 only in the second (tasks/*)",
        "files    by 'noise disclosed': 1 only in the second, 1 with other bytes (noisy/reports/*)",
        "files    by 'further formats': 2 only in the second (noisy/parquet/*, clean/parquet/*)",
        "files    stating these choices: 2 with other bytes (release.json, croissant.json)",
        "files    by 'version': 2 archives, whose names hold it",
        "file     clean/reports/report.html: with other bytes",
        "number   minor: tasks are published in one alone; at least 1.1.0: 1.1.0 is enough",
    ]


def test_no_licence_is_said_to_be_none(tmp_path: Path) -> None:
    """Releases of before 0.17.0 have `other` where nobody stated one; an address of SPDX is its identifier."""
    for stated in ("other", "none stated"):
        sides = [tmp_path / stated / side for side in ("first", "second")]
        for side, licence in zip(sides, (stated, "https://spdx.org/licenses/CC-BY-4.0.html"), strict=True):
            card = json.dumps({"creator": [{"name": "A."}], "license": licence})
            release(side, version="1.0.0", author="A.", discloses_noise=False, files={"croissant.json": card})
        lines = list(differences(*map(opened, sides)).lines())
        assert lines[0] == "chosen   licence: none stated, then CC-BY-4.0"


@pytest.mark.parametrize(
    ("versions", "step", "said"),
    [
        (("1.0.0", "1.0.1"), "minor", "at least 1.1.0: 1.0.1 is too low"),
        (("1.0.9", "1.10.0"), "minor", "at least 1.1.0: 1.10.0 is enough"),
        (("1.2.3", "2.0.0-rc.1"), "major", "at least 2.0.0: 2.0.0-rc.1 is enough"),
        (("2.0.0-rc.1", "2.0.0"), "major", "at least 2.0.0: 2.0.0 is enough"),
        (("1.2.3", "1.2.3"), "patch", "at least 1.2.4: 1.2.3 is too low"),
        (("1.2.3", "1.2.4"), "none", ""),
        (("", "1.2.4"), "patch", ""),
        (("9" * 9_999 + ".0.0", "1.2.4"), "patch", ""),
    ],
)
def test_the_number_that_is_needed_is_said(versions: tuple[str, str], step: Step, said: str) -> None:
    """By the first one's; a marked one promises nothing yet, and a stranger's of any length is not read."""
    assert in_words(versions, step) == said


def test_the_same_statistics_count_once_whatever_variants_there_are(tmp_path: Path) -> None:
    """Of two releases of one build the second has the noisy variant alone; a third has statistics of its own."""
    manifest = json.dumps({"environment": "shops", "budget": 10})
    sides = {"first": ("noisy", "clean"), "second": ("noisy",), "third": ("noisy",)}
    for side, variants in sides.items():
        files = {f"{variant}/manifest.json": manifest for variant in variants}
        files |= {f"{variant}/reports/model.json": str(side == "third") for variant in variants}
        release(tmp_path / side, version="1.0.0", author="A.", discloses_noise=False, files=files)
    first, second, third = (opened(tmp_path / side) for side in sides)
    for others, rho in ((second, 10), (third, 20)):
        (cost,) = (line for line in differences(first, others).lines() if line.startswith("budget"))
        assert f"both spend rho {rho} together" in cost


def test_noise_is_not_gone_where_a_variant_is_missing(tmp_path: Path) -> None:
    """Cells that noise changed are counted by comparing variants: of a release with one nothing is said of them."""
    for side, variant, name in (("a", "clean", "b"), ("a", "noisy", "a"), ("b", "noisy", "a")):
        release_of(tmp_path, side, variant, [("1", name)])
    lines = list(differences(*(opened(tmp_path / side, SHOPS) for side in "ab")).lines())
    told = [line for line in lines if line.startswith("noise")]
    assert told == ["noise    not compared: one of both lacks the noisy variant or the clean one"]


@pytest.mark.parametrize("is_same_data", [True, False])
def test_reports_on_other_data_follow_from_no_choice(is_same_data: bool) -> None:  # noqa: FBT001
    """That noise is disclosed in one alone says why reports in both differ if nothing else does; and always which are there."""
    sides = {"only in the second": ["noisy/reports/noise.json"], "with other bytes": ["noisy/reports/report.html"]}
    said, left = folded({"noise disclosed": ("no", "yes")}, sides, is_same_data=is_same_data)
    changed = ", 1 with other bytes" if is_same_data else ""
    assert said == [f"by 'noise disclosed': 1 only in the second{changed} (noisy/reports/*)"]
    assert left == {"only in the second": [], "with other bytes": [] if is_same_data else ["noisy/reports/report.html"]}


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ({"changed": ("noisy/database/a.csv",), "tables": (OfTable(path="", come=1),)}, "minor: rows differ"),
        (
            {"changed": ("noisy/database/a.csv", "tasks/dev.jsonl"), "tables": (OfTable(path="", cells={"noise": 1}),)},
            "minor: cells differ, tasks differ",
        ),
        ({"changed": ("noisy/database/a.csv",)}, "minor: files of data have other bytes"),
        ({"removed": ("noisy/database/a.csv",)}, "major: a file of data is there in one alone"),
        ({"meaning": {"policy": ("lsd", "guarded")}}, "major: how it was made differs"),
        ({"changed": ("README.md",)}, "patch: neither data nor tasks differ"),
    ],
)
def test_a_number_says_what_asks_for_it(found: Mapping[str, Any], why: str) -> None:
    """What does not differ is not named."""
    nothing: Mapping[str, Any] = {"removed": (), "added": (), "changed": (), "meaning": {}, "tables": (), "rates": {}}
    assert list(Differences(**{**nothing, **found}).lines())[-1] == f"number   {why}"

"""What is put together of many versions: each line once, and an escape shows in it if and only if it shows in the files."""

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validation.escapes import Identifiers, search
from validation.escapes.distinct import put_together

IDENTITIES = Identifiers(
    codes=("600519.SH", "AAPL"),
    bare_codes=("600519",),
    names=("贵州茅台酒股份有限公司", 'Baker "Best" & Sons, Inc.', "3M"),
    aliases=("NIKE",),
)
CODES = "code"

HARMLESS = ("a", "12.5", "SNIKERS", "Baker", "", "x, y", 'say "so"', "two\nlines", "贵州", "600")
TOKENS = ("600519.SH", "aapl", "3M", "贵州茅台酒股份有限公司", "Baker\nBest & Sons, Inc.", "Just NIKE", "600519")

Rows = list[tuple[str, str]]


def write(folder: Path, versions: Sequence[tuple[str, Rows]]) -> list[str]:
    """Write versions of a table, each with the name of its first column; return their paths."""
    paths = [f"{number}/t.csv" for number in range(len(versions))]
    for path, (header, rows) in zip(paths, versions, strict=True):
        (folder / path).parent.mkdir()
        with (folder / path).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([(header, "text"), *rows])
    return paths


cells = st.sampled_from(HARMLESS) | st.sampled_from((*HARMLESS, *TOKENS))
rows = st.lists(st.tuples(cells, cells), max_size=4)
versions = st.lists(st.tuples(st.sampled_from([CODES, "id"]), rows), min_size=1, max_size=4)


@settings(deadline=None, max_examples=60)
@given(versions)
def test_an_escape_shows_if_and_only_if_it_is_in_a_file(given_versions: list[tuple[str, Rows]]) -> None:
    """The search of what was put together finds something exactly where the search of all files does."""
    with TemporaryDirectory() as name:
        folder, to = Path(name) / "files", Path(name) / "distinct"
        folder.mkdir()
        paths = write(folder, given_versions)
        coded = [path for path, (header, _) in zip(paths, given_versions, strict=True) if header == CODES]
        made = put_together(folder, [paths], to)
        of_files = search(folder, IDENTITIES, code_columns=dict.fromkeys(coded, (CODES,))).escapes()
        of_lines = search(to, IDENTITIES, code_columns={made[path]: (CODES,) for path in coded}).escapes()
        assert bool(of_lines) == bool(of_files)
        assert {escape.kind for escape in of_lines} == {escape.kind for escape in of_files}


def lines_of(folder: Path) -> list[str]:
    """Return all lines of all files of a folder."""
    return [line for path in sorted(folder.rglob("*.csv")) for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_line_is_there_once(tmp_path: Path) -> None:
    """Versions with one header become one file with their distinct lines; another header makes another."""
    folder, to = tmp_path / "files", tmp_path / "distinct"
    folder.mkdir()
    paths = write(
        folder,
        [
            ("id", [("1", "a"), ("2", "b")]),
            ("id", [("2", "b"), ("1", "A")]),
            ("ID", [("1", "a")]),
            ("id", [("1", "A")]),
        ],
    )
    made = put_together(folder, [paths], to)
    assert made == {"0/t.csv": "0/t.csv", "1/t.csv": "0/t.csv", "2/t.csv": "2/t.csv", "3/t.csv": "0/t.csv"}
    assert lines_of(to) == ["id,text", "1,a", "2,b", "1,A", "ID,text", "1,a"]


@pytest.mark.parametrize("name", ["t.csv", "report.json"])
def test_what_cannot_be_taken_apart_is_put_in_whole(tmp_path: Path, name: str) -> None:
    """A table whose cells run over lines, and a file that is no table; a second name of a file adds nothing."""
    folder, to = tmp_path / "files", tmp_path / "distinct"
    for number in range(2):
        (folder / str(number)).mkdir(parents=True)
    content = b'id,text\n1,"two\nlines"\n'
    (folder / "0" / name).write_bytes(content)
    os.link(folder / "0" / name, folder / "1" / name)
    assert put_together(folder, [[f"0/{name}", f"1/{name}"]], to) == dict.fromkeys(
        [f"0/{name}", f"1/{name}"], f"0/{name}"
    )
    assert [(path.relative_to(to).as_posix(), path.read_bytes()) for path in to.rglob("*.*")] == [
        (f"0/{name}", content)
    ]


def test_tables_at_other_paths_are_kept_apart(tmp_path: Path) -> None:
    """Only versions of one table are put together."""
    folder = tmp_path / "files"
    folder.mkdir()
    first, second = write(folder, [("id", [("1", "a")]), ("id", [("1", "a")])])
    assert put_together(folder, [[first], [second]], tmp_path / "to") == {first: first, second: second}

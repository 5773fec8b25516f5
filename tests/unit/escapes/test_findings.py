"""Findings lead the curator to each place that was found: token, rule, and the words around; none is left out."""

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.normal_form import spread, spread_places
from tests.searched import search
from validation.escapes import Escape, Identifiers
from validation.escapes.findings import AROUND, SCHEMA

IDENTITIES = Identifiers(
    codes=("600519.SH", "AAPL"),
    bare_codes=("600519",),
    names=("China ITS", "Ross Stores Inc.", "贵州茅台酒股份有限公司"),
    aliases=("NIKE",),
)


def found(folder: Path, **files: str) -> list[dict[str, object]]:
    """Write files into a folder, search it, and return what stands there."""
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content, encoding="utf-8")
    columns = {path.name: ("code",) for path in folder.glob("*.csv") if "code" in path.read_text(encoding="utf-8")}
    return search(folder, IDENTITIES, code_columns=columns).findings().drop("text").to_dicts()


def finding(file: str, row: int, column: str, kind: str, token: str, rule: str, *words: str) -> dict[str, object]:
    return dict(zip(SCHEMA.names(), (file, row, column, kind, token, rule, *words), strict=False))


def test_a_finding_says_which_token_stands_where_and_what_is_around(tmp_path: Path) -> None:
    """In cells: as it is written, or only in normal form; record and column are those of the escape."""
    texts = ["id,text", "1,nothing", '2,"made in China, its goods"', "3,by NIKE and 貴州 茅臺酒 too"]
    assert found(tmp_path, a_csv="\n".join(texts)) == [
        finding("a.csv", 3, "text", "name", "China ITS", "normal form", "made in ", "China, its", " goods"),
        finding("a.csv", 4, "text", "alias", "NIKE", "literal", "by ", "NIKE", " and 貴州 茅臺酒 too"),
        finding(
            "a.csv", 4, "text", "name", "贵州茅台酒股份有限公司", "normal form", "by NIKE and ", "貴州 茅臺酒", " too"
        ),
    ]


def test_codes_alone_in_their_column_are_reported(tmp_path: Path) -> None:
    """A code that lost its suffix, and one in small letters."""
    assert found(tmp_path, a_csv="code,n\n600519.0,1\naapl,2\n") == [
        finding("a.csv", 2, "code", "bare code", "600519", "code column", "", "600519.0", ""),
        finding("a.csv", 3, "code", "code", "AAPL", "code column", "", "aapl", ""),
    ]


def test_lines_of_other_files_and_names_of_files_are_reported(tmp_path: Path) -> None:
    """A name over two lines counts in its first, one in escapes is shown as it reads, and a file's name is a place."""
    content = "first\nof Ross\nStores\n" + json.dumps("见贵州茅台酒厂")
    told = [(one["row"], one["token"], one["before"], one["written"]) for one in found(tmp_path, NIKE_json=content)]
    assert told == [
        (0, "NIKE", "", "NIKE"),
        (2, "Ross Stores Inc.", "first of ", "Ross Stores"),
        (4, "贵州茅台酒股份有限公司", 'first of Ross Stores "见', "贵州茅台酒"),
    ]


def test_the_words_around_are_few(tmp_path: Path) -> None:
    """At most `AROUND` characters on each side, in one line."""
    one = found(tmp_path, a_txt=f"{'x ' * 200}\nNIKE\n{'y ' * 200}")[0]
    before, after = str(one["before"]), str(one["after"])
    assert AROUND - 2 <= len(before) <= AROUND
    assert AROUND - 2 <= len(after) <= AROUND
    assert before.endswith("x ")


NAMED = (
    "NIKE",
    "nike",
    "ross stores",
    "ROSS-STORES",
    "China ITS",
    "China. Its",
    "China, its",
    "600519.SH",
    "贵州茅台酒",
)
OTHERS = (
    "<b>贵州</b>茅台酒",
    "&#33541;",
    "贵\u200b州茅台酒",
    '"',
    ",",
    "\n",
    " ",
    "é",
    "of",
    "中",
    "%e8%8c%85",
    "\\u8d35",
)
PIECES = st.sampled_from(NAMED + OTHERS)


@given(
    cells=st.lists(
        st.tuples(st.lists(PIECES, max_size=8).map("".join), st.lists(PIECES, max_size=8).map("".join)),
        min_size=1,
        max_size=5,
    )
)
def test_every_place_of_an_escape_has_a_finding_with_its_token(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]]
) -> None:
    """Whatever is written into cells and lines: findings and escapes count the same rows, and each finding knows its token."""
    folder = tmp_path_factory.mktemp("found")
    frame = pl.DataFrame(cells, schema={"code": pl.String, "text": pl.String}, orient="row")
    frame.write_csv(folder / "a.csv")
    (folder / "a.json").write_text(json.dumps([" ".join(pair) for pair in cells], indent=1), encoding="utf-8")
    what = search(folder, IDENTITIES, code_columns={"a.csv": ("code",)})
    told = what.findings()
    assert not told.filter(token="").height
    rows = pl.col("row").n_unique().alias("rows")
    counted = told.group_by("file", "column", "kind").agg(pl.col("row").min(), rows)
    assert {Escape(e["file"], e["row"], e["column"], e["kind"], e["rows"]) for e in counted.to_dicts()} == set(
        what.escapes()
    )


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("ßﬁ½㍿é\u0301\u200bＡ臺"), max_size=60), st.booleans())
def test_places_of_a_spread_text_are_where_its_characters_come_from(text: str, keeps_case: bool) -> None:  # noqa: FBT001
    """There is one place for each character of the spread text, in order, and each character spread alone is found there."""
    places, written = spread_places(text, keeps_case=keeps_case), spread(text, keeps_case=keeps_case)
    assert places == sorted(places)
    assert "".join(spread(text[place], keeps_case=keeps_case) for place in sorted(set(places))) == written

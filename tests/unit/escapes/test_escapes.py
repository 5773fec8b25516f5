"""The escape scan finds each planted identity, tells where, shows none, and is silent on a clean folder."""

import csv
import html
import json
from dataclasses import astuple
from pathlib import Path
from urllib.parse import quote

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pipeline.errors import WITHHELD
from pipeline.model import Entities
from tests.searched import search
from validation.escapes import Escape, Identifiers, find_escapes_in_texts, literal
from validation.escapes.documents import TextDocument
from validation.escapes.identifiers import SHORTEST

IDENTITIES = Identifiers(
    codes=("600519.SH", "000001.SZ", "AAPL", "A"),
    bare_codes=("600519", "000001"),
    names=("贵州茅台酒股份有限公司", 'Baker "Best" & Sons, Inc.', "3M"),
    aliases=("茅台酒业", "NIKE"),
    identifiers=("66740", "St. Paul, Minnesota"),
)
TABLE = "database/company_profile.csv"
CODE_COLUMNS = {TABLE: ("code",), "database/left_out.csv": ("code",)}


def scan(folder: Path) -> tuple[Escape, ...]:
    return search(folder, IDENTITIES, code_columns=CODE_COLUMNS).escapes()


def write_table(folder: Path, *records: tuple[str, str, str]) -> None:
    path = folder / TABLE
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("id", "code", "text"), *records])


def test_clean_folder_has_none(tmp_path: Path) -> None:
    """Figures, words and states that only look like short tokens, or contain a one-word token, are no escapes."""
    write_table(tmp_path, ("600519", "707889", "A, 3M; SNIKERS and NIKED; MY AAPLE"), ("66740", "593565", "A"))
    (tmp_path / "manifest.json").write_text('{"rows": 66740}')
    assert scan(tmp_path) == ()


PAGE = (
    '<style>\n.{0} {{ width: 3px }}</style><p class="{0}">{1}</p><svg width="{0}"><path d="M {0} 2"/><text>{2}</text></svg>'
    '<script>let {0};</script><b title="{3}">x</b><script type="application/json">{4}</script>\n'
)
"""Five kinds of places: in the first, of which there are many, a page shows nothing."""


def test_pages_are_searched_where_they_show_data(tmp_path: Path) -> None:
    """Not in style sheets, scripts, class names and geometry; in text, in labels of charts, in titles, and in data."""
    for place in range(5):
        (tmp_path / "page.html").write_text("\n" + PAGE.format(*("NIKE" if at == place else "" for at in range(5))))
        assert [(escape.row, escape.kind) for escape in scan(tmp_path)] == ([(3, "alias")] if place else [])


@pytest.mark.parametrize(("text", "found"), [('"delta": 1e-05', 0), ('"storm": "delta"', 1), ('"delta": "km"', 1)])
def test_fields_of_reports_are_nobodys_names(tmp_path: Path, text: str, found: int) -> None:
    """A storm may be called as a parameter of statistics is; values are searched as everywhere."""
    (tmp_path / "model.json").write_text(f"{{{text}}}")
    assert len(search(tmp_path, Identifiers(aliases=("delta",)), code_columns={}).escapes()) == found


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x600519.SHx", "code"),
        ("see AAPL.", "code"),
        ("贵州茅台酒股份有限公司的产品", "name"),
        ('by Baker "Best" & Sons, Inc. today', "name"),
        ('BAKER "BEST" & SONS, INC.', "name"),
        ("产品茅台酒业等", "alias"),
        ("阅NIKE的", "alias"),
        ("at St. Paul, Minnesota", "identifier"),
    ],
)
def test_token_in_a_cell_is_found_with_its_place(tmp_path: Path, text: str, kind: str) -> None:
    """A code, name, alias or identifier inside a cell is found, with record and column, after a cell of two lines."""
    write_table(tmp_path, ("1", "707889", "several\nlines"), ("2", "593565", text))
    assert scan(tmp_path) == (Escape(TABLE, 3, "text", kind, 1),)


def test_a_token_of_several_words_is_no_part_of_longer_ones(tmp_path: Path) -> None:
    """`automotive lighting` does not name E Lighting, and a mill is no Mil; what stands by itself is found in small letters."""
    identities = Identifiers(names=("E Lighting", "Red Mil"))
    write_table(
        tmp_path, ("1", "707889", "automotive lighting; a bored mill and red mill"), ("2", "593565", "an e lighting")
    )
    assert search(tmp_path, identities, code_columns={}).escapes() == (Escape(TABLE, 3, "text", "name", 1),)


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("600519", "bare code"),
        ("600519.0", "bare code"),
        (" 1 ", "bare code"),
        ("000001", "bare code"),
        ("A", "code"),
        ("aapl", "code"),
        ("ａａｐｌ", "code"),
        ("６００５１９", "bare code"),
        ("'000001", "bare code"),
        ("600,519.00", "bare code"),
        ("600519 SH", "code"),
        ("3M", "name"),
        ("3-m", "name"),
        *((form, "identifier") for form in ("66740", "000066740", "66740.0")),
    ],
)
def test_short_token_alone_in_a_code_cell_is_found(tmp_path: Path, cell: str, kind: str) -> None:
    """Bare codes and short tokens are found in a code column, through what casts and spreadsheets do to them."""
    write_table(tmp_path, ("1", "707889", ""), ("2", cell, ""))
    assert scan(tmp_path) == (Escape(TABLE, 3, "code", kind, 1),)


@pytest.mark.parametrize(
    "token", ["600519.SH", "贵州茅台酒股份有限公司", 'Baker "Best" & Sons, Inc.', "茅台酒业", "St. Paul, Minnesota"]
)
@pytest.mark.parametrize("encode", [str, html.escape, json.dumps, quote], ids=["as it is", "html", "json", "url"])
@pytest.mark.parametrize("name", ["manifest.json", "reports/ks.html", "notes"])
def test_token_in_another_file_is_found_however_encoded(tmp_path: Path, name: str, encode: object, token: str) -> None:
    """JSON, HTML and other files give a token's line, also when it is written in escapes."""
    assert callable(encode)
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"first\nsecond {encode(token)}\n", encoding="utf-8")
    assert [(escape.file, escape.row, escape.column) for escape in scan(tmp_path)] == [(name, 2, "")]


@pytest.mark.parametrize("name", ["profile.json", "dev.jsonl", "page.html"])
@pytest.mark.parametrize("between", [", ", ",", ",\n "])
def test_texts_beside_each_other_in_json_are_not_one(tmp_path: Path, name: str, between: str) -> None:
    """Cells of two records, or of two columns, make no address; one text of the list that holds the address does."""
    (tmp_path / name).write_text(f'{{"examples": ["New St. Paul"{between}"Minnesota"]}}', encoding="utf-8")
    assert scan(tmp_path) == ()
    (tmp_path / name).write_text(f'{{"examples": ["New St. Paul, Minnesota"{between}"Ohio"]}}', encoding="utf-8")
    assert scan(tmp_path) == (Escape(name, 1, "", "identifier", 1),)


def test_token_among_bytes_that_are_not_utf8_is_found(tmp_path: Path) -> None:
    """A file that is no text is searched all the same."""
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\xe4\x00" + "茅台酒业".encode() + b"\xff")
    assert [escape.kind for escape in scan(tmp_path)] == ["alias"]


def test_token_across_cells_is_found(tmp_path: Path) -> None:
    """A name that the commas of unquoted cells cut in two is found in its line."""
    (tmp_path / "cut.csv").write_text("a,b\nSt. Paul, Minnesota\n", encoding="utf-8")
    assert scan(tmp_path) == (Escape("cut.csv", 2, "", "identifier", 1),)


def test_names_of_files_and_columns_are_searched_and_withheld(tmp_path: Path) -> None:
    """A token in the name of a folder or column is found, and its name is not shown."""
    (tmp_path / "茅台酒业").mkdir()
    (tmp_path / "茅台酒业" / "a.csv").write_text("id,贵州茅台酒股份有限公司\n1,2\n", encoding="utf-8")
    assert scan(tmp_path) == (
        Escape(f"{WITHHELD}/a.csv", 0, "", "alias", 1),
        Escape(f"{WITHHELD}/a.csv", 1, WITHHELD, "name", 1),
    )


def test_a_name_and_what_stands_below_it_are_two_places(tmp_path: Path) -> None:
    """Though both are of one kind, in one file."""
    (tmp_path / "茅台酒业.txt").write_text("first\n茅台酒业\n", encoding="utf-8")
    assert [(escape.row, escape.rows) for escape in scan(tmp_path)] == [(0, 1), (2, 1)]


def test_escape_never_holds_the_value(tmp_path: Path) -> None:
    """No field of any escape contains any token."""
    tokens = [token for tokens in IDENTITIES.by_kind().values() for token in tokens if len(token) >= SHORTEST]
    (tmp_path / "600519.SH.json").write_text("\n".join(tokens), encoding="utf-8")
    write_table(tmp_path, *((token, token, token) for token in tokens))
    shown = " ".join(str(field) for escape in scan(tmp_path) for field in astuple(escape))
    assert shown
    assert not [token for token in tokens if token in shown]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=st.text(alphabet="ab中é,\n", max_size=60),
    after=st.text(alphabet="ab中é,\n", max_size=60),
    word=st.sampled_from(["600519.SH", "贵州茅台酒股份有限公司", "NIKE"]),
    window=st.integers(1, 40),
)
@example(before="é", after="", word="NIKE", window=1)  # a window begins inside the letter before the word
@example(before="," * 45, after="é", word="NIKE", window=1)  # a window of 50 bytes ends inside the letter after it
def test_cuts_hide_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str, word: str, window: int
) -> None:
    """Wherever windows and batches are cut, what is found is what one look at the whole file finds."""
    monkeypatch.setattr(literal, "WINDOW_BYTES", window)
    (tmp_path / "a.csv").write_text(before + word + after, encoding="utf-8", newline="")
    is_glued = word.isalpha() and word.isascii() and any(side in {"a", "b", "é"} for side in (before[-1:], after[:1]))
    document = TextDocument("a.csv", tmp_path / "a.csv")
    assert bool(list(literal.search_literally(document, literal.forms_of(IDENTITIES)))) is not is_glued


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        *(("Ross Stores", True), ("ROSS STORES", True), ("ross stores", True), ("1Ross Stores2", True)),
        *(("aRoss Stores", False), ("Ross Storesé", False), ("!NIKE!", True), ("NIKE1", False)),
    ],
)
def test_a_name_stands_as_a_whole(text: str, is_found: bool) -> None:  # noqa: FBT001
    """In its own letters, in capitals or in small ones; a digit beside it makes a longer word of a single one alone."""
    forms = literal.forms_of(Identifiers(names=("Ross Stores", "NIKE")))
    assert bool([*literal.standing(literal.Window(text.encode()), forms.patterns)]) is is_found


@pytest.mark.parametrize("name", ["贵州茅台酒股份有限公司", "NIKE"])
def test_a_form_stands_whole_in_some_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Wherever it begins, with what stands around it, and however many bytes its characters have."""
    monkeypatch.setattr(literal, "WINDOW_BYTES", 40)
    forms = literal.forms_of(Identifiers(names=(name,)))
    for before in range(80):
        (tmp_path / "a.csv").write_text(f"{'.' * before}{name}{'.' * 80}", encoding="utf-8")
        assert set(literal.in_bytes(TextDocument("a.csv", tmp_path / "a.csv"), forms)) == {name}, before


def test_identities_of_a_map() -> None:
    """The map's kinds become tokens; bare codes come from the pattern's first group."""
    rows = [
        ("code", "600519.SH"),
        ("code", "000001.SZ"),
        ("name", "N"),
        ("alias", "a"),
        ("identifier", "1"),
        ("phone", "2"),
    ]
    frame = pl.DataFrame(rows, schema=["kind", "original"], orient="row")
    assert Identifiers.of_map(frame, code_mention=r"(\d{5,6})(?:\.[A-Z]{2})?") == Identifiers(
        codes=("000001.SZ", "600519.SH"),
        bare_codes=("000001", "600519"),
        names=("N",),
        aliases=("a",),
        identifiers=("1", "2"),
    )
    invented = frame.with_columns(pseudonym=pl.Series(["100002", "100001", "Z", None, None, "Z"]))
    assert Identifiers.of_map(invented, code_mention=r"(\d{6})").invented == ("100001", "100002", "Z")


def test_words_and_codes_of_further_kinds_come_from_the_map() -> None:
    """Measured words and ordinary names are tokens of their own; bare codes of a further kind follow its pattern."""
    ships = Entities(kind="ship", tables=("ships",), code="ship", code_mention=r"(\d{4})\.X")
    rows = [("word", "Quorn"), ("ordinary", "Seven Hills"), ("ship code", "1234.X")]
    known = Identifiers.of_map(pl.DataFrame(rows, schema=["kind", "original"], orient="row"), further=(ships,))
    assert (known.words, known.ordinary, known.identifiers) == (("Quorn",), ("Seven Hills",), ())
    found = {kind: tokens for kind, tokens in known.further if tokens}
    assert found == {"ship code": ("1234.X",), "ship bare code": ("1234",)}


def test_what_is_searched_for_anywhere_is_long_enough() -> None:
    """Three letters of a word that was measured, four of what was not; no bare code, of whatever kind."""
    known = Identifiers(
        words=("Quo", "Qu"), names=("Abcd", "Abc"), bare_codes=("AB12",), further=(("ship bare code", ("CD34",)),)
    )
    assert known.anywhere() == {"Abcd": "name", "Quo": "word"}


def test_names_written_otherwise_are_withheld_too(tmp_path: Path) -> None:
    """Names of files and columns that hold a token in another writing are found and not shown."""
    (tmp_path / "茅臺-酒業.csv").write_text("id,st_paul_minnesota\n1,2\n", encoding="utf-8")
    assert scan(tmp_path) == (Escape(WITHHELD, 0, "", "alias", 1), Escape(WITHHELD, 1, WITHHELD, "identifier", 1))


def test_empty_and_broken_tables_are_searched_as_text(tmp_path: Path) -> None:
    """A file that is no table in spite of its name is searched line by line."""
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "ragged.csv").write_text("a,b\n1,2,3\n,茅臺酒業\n", encoding="utf-8")
    assert scan(tmp_path) == (Escape("ragged.csv", 3, "", "alias", 1),)


def test_texts_are_searched_by_name() -> None:
    """Texts that are in no file are searched likewise; names that identify are withheld, texts without none."""
    texts = {
        "log": "first\nby Baker Best & Sons, Inc.",
        "NIKE": "",
        "metadata": r'{"note": "\\u8305\\u53f0\\u9152\\u4e1a"}',
    }
    assert find_escapes_in_texts(texts, IDENTITIES) == (
        Escape(WITHHELD, 0, "", "alias", 1),
        Escape("log", 2, "", "name", 1),
        Escape("metadata", 1, "", "alias", 1),
    )
    assert find_escapes_in_texts({"log": "nothing here"}, IDENTITIES) == ()


def test_half_a_character_in_json_is_no_obstacle(tmp_path: Path) -> None:
    """JSON writes characters beyond 16 bits as two escapes; one of them alone is passed over."""
    (tmp_path / "a.json").write_text('"\\ud83d\\ude00 \\ud83d NIKE"', encoding="utf-8")
    assert scan(tmp_path) == (Escape("a.json", 1, "", "alias", 1),)


def test_nothing_to_look_for_finds_nothing(tmp_path: Path) -> None:
    """Without identities no file is an escape."""
    write_table(tmp_path, ("1", "2", "3"))
    assert search(tmp_path, Identifiers(), code_columns=CODE_COLUMNS).escapes() == ()


def test_what_cannot_be_searched_for_is_counted() -> None:
    """Short tokens, and digits alone that may be a year, stand for something else wherever no code is expected."""
    known = Identifiers(
        codes=("A", "0042", "0043", "1984", "600000"), names=("360", "2024", "Old Mill Road"), aliases=("3M", "A")
    )
    assert known.only_in_columns_of_codes() == {"short": 2, "numbers": 3, "ordinary": 0, "of": 9}
    assert not {"A", "3M", "1984", "360", "2024"} & known.anywhere().keys()
    nothing_left = {"short": 0, "numbers": 0, "ordinary": 0, "of": 2}
    assert Identifiers(codes=("SHOP-17",), names=("Old Mill Road",)).only_in_columns_of_codes() == nothing_left
    others = Identifiers(identifiers=("030 1234567", "03012345678", "Comfort"), ordinary=("comfort",))
    assert others.only_in_columns_of_codes() == {"short": 0, "numbers": 0, "ordinary": 1, "of": 3}


@pytest.mark.parametrize("name", ['Kunz "Kiki" Kolm', 'Kolm "K"', " Kolm Kunz ", "Kolm Kunz\u3000"])
def test_a_name_is_found_however_its_cell_is_written(tmp_path: Path, name: str) -> None:
    """Quotation marks are doubled in a file of commas and blanks around a token are nobody's; in both the name is there."""
    write_table(tmp_path, ("1", "707889", f"about {name.strip()} alone"), ("2", "593565", name.strip()))
    found = search(tmp_path, Identifiers(names=(name,)), code_columns={}).escapes()
    assert [(escape.column, escape.kind, escape.rows) for escape in found] == [("text", "name", 2)]


@given(st.text(" \t\u3000", max_size=3), st.text(" \t\u3000", max_size=3))
def test_blanks_around_a_token_are_nobodys(before: str, after: str) -> None:
    """What is searched for is the token."""
    assert Identifiers(names=(f"{before}Kolm Kunz{after}",)).anywhere() == {"Kolm Kunz": "name"}


def test_names_that_texts_tell_are_other_names() -> None:
    """Former ones and short ones have legal forms, too, as no identifier has."""
    rows = [("former", "Old Crane Ltd."), ("called", "Crane"), ("alias", "Golden"), ("number", "X-77")]
    known = Identifiers.of_map(pl.DataFrame(rows, schema=["kind", "original"], orient="row"))
    assert set(known.aliases) == {"Old Crane Ltd.", "Crane", "Golden"}
    assert known.identifiers == ("X-77",)

"""The search of one file finds what slow and obvious searches of its bytes and texts find, whatever they are written like."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.mentions.finding import Finder
from pipeline.errors import InputError
from pipeline.normal_form import normal_form, spread
from pipeline.publish.formats import FORMATS, Format, WrittenAs
from tests.json_lines import JsonLines
from validation.escapes import Identifiers, literal, loose
from validation.escapes.documents import BROKEN, TextDocument
from validation.escapes.files import File, FileFindings, SearchTerms, each_once, search_files, stands_across

IDENTITIES = Identifiers(
    codes=("600519.SH", "000001.SZ", "00700.HK", "7578.X", "AAPL", "KEYS"),
    bare_codes=("600519", "000001"),
    names=("贵州茅台酒股份有限公司", 'Baker "Best" & Sons, Inc.', "Ross Stores", "Two\nLines Ltd", "A,BC", "3M"),
    aliases=("茅台酒业", "NIKE", "E Lighting"),
    identifiers=("St. Paul, Minnesota", "66740", "2014-01-31"),
)
WITHOUT_FIGURES = Identifiers(codes=IDENTITIES.codes, names=IDENTITIES.names, aliases=IDENTITIES.aliases)
SEARCH_TERMS = {each: SearchTerms.of(each) for each in (IDENTITIES, WITHOUT_FIGURES)}

PIECES = (
    *(
        "600519.SH",
        "SZ: 000001",
        "700 HK",
        "0700.hk",
        "HK0700",
        "1.SZ",
        "7578.X",
        "7578x",
        "AAPL",
        "600519",
        "2014-01-31",
    ),
    *(
        "贵州茅台酒",
        "茅台酒业",
        "茅臺·酒業",
        "Ross Stores",
        "ROSS-STORES",
        "ross",
        "Stores",
        "NIKE",
        "NI\u200bKE",
        "SNIKERS",
    ),
    *('Baker "Best" & Sons', 'Baker ""Best"" & Sons', "BAKER", ", Inc.", "St. Paul", " Minnesota", "Two", "Lines Ltd"),
    *(
        "automotive lighting",
        "an e lighting",
        "&#33541;",
        "&amp;",
        r"\u8305\u53f0",
        "%E8%8C%85",
        "<b>茅</b>台",
        "６００５１９．ＳＨ",
    ),
    *(
        ",",
        ", ",
        '"',
        '""',
        "\n",
        "\r\n",
        "\r",
        ";",
        "\t",
        " ",
        "A",
        "BC",
        "1",
        "12.5",
        "中",
        "é",
        "：",
        "…",
        "㎡",
        "\ufeff",
        "",
    ),
)
texts = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)


def quoted(cell: str, *, always: bool) -> str:
    escaped = cell.replace('"', '""')
    return f'"{escaped}"' if always or any(sign in cell for sign in ',"\r\n') else cell


QUOTES: list[Callable[[str], str]] = [partial(quoted, always=False), partial(quoted, always=True), str]


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Draw a table in some dialect and encoding, with cells of any content, or anything at all that calls itself one."""
    if draw(st.booleans()):
        return draw(texts).encode(draw(st.sampled_from(["utf-8", "utf-16", "utf-16-le"])))
    rows = draw(st.lists(st.tuples(texts, texts), max_size=5))
    separator, end = draw(st.sampled_from(",,,;\t")), draw(st.sampled_from(["\n", "\r\n"]))
    quote = draw(st.sampled_from(QUOTES))
    lines = [separator.join(map(quote, row)) + end for row in (("id", "text"), *rows)]
    text = draw(st.sampled_from(["", "\ufeff"])) + "".join(lines)
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8", "utf-16", "gb18030"]))
    return text.encode(encoding) + draw(st.sampled_from([b"", b"\xe4"]))


def written(raw: bytes, forms: literal.Forms) -> Iterator[str]:
    """Yield the forms that stand in bytes by themselves where they must: one regular expression each."""
    text = raw.decode(errors="replace")
    for form in forms.kinds.value:
        before, after = literal.beside(form)
        pattern = (f"(?<![{before}])" if before else "") + re.escape(form) + (f"(?![{after}])" if after else "")
        if re.search(pattern, text):
            yield form


@given(files(), st.sampled_from([IDENTITIES, WITHOUT_FIGURES]), st.integers(1, 60))
def test_forms_are_found_wherever_they_stand_in_bytes(raw: bytes, identities: Identifiers, window: int) -> None:
    """In cells, across cells, quotation marks, line ends and windows, in any encoding: what one look at all bytes finds."""
    forms, whole = SEARCH_TERMS[identities].forms, literal.WINDOW_BYTES
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_bytes(raw)
        literal.WINDOW_BYTES = window
        try:
            found = set(literal.found_in(TextDocument("a.csv", path), forms))
        finally:
            literal.WINDOW_BYTES = whole
    assert found == set(written(raw, forms))


def slowly(readings: pl.DataFrame, finders: loose.Finders) -> dict[str, dict[str, set[int]]]:
    """Find in every text what the finder of prose finds in those that an automaton or the pattern of codes picks."""
    found: dict[str, dict[str, set[int]]] = {}
    names = Finder(tuple(form for pack in finders.names.packs for form in pack.value))
    for text, reading in readings.iter_rows():
        normal = normal_form(pl.Series([reading]))[0]
        is_named = any(needle in normal for needle in names.by_needle)
        mentions = [one for one in names.find([reading], [None]) if one.is_sure]
        mentions += loose.codes_in([reading], finders) if is_named or re.search(finders.code, normal) else []
        for mention in mentions:
            found.setdefault(text, {}).setdefault(mention.kind, set()).add(1 + reading.count("\n", 0, mention.start))
    return found


@given(st.lists(texts, max_size=6), st.sampled_from([(), ("600519", "600519.SH")]))
def test_mentions_are_found_in_every_text(given_texts: list[str], examples: tuple[str, ...]) -> None:
    """What picks texts for the finder leaves none out, whether or not examples say how codes are written."""
    finders = loose.finders_of(Identifiers(codes=IDENTITIES.codes, names=IDENTITIES.names, code_examples=examples))
    readings = pl.DataFrame(
        {"text": given_texts, "reading": given_texts}, schema=dict.fromkeys(("text", "reading"), pl.String)
    )
    assert loose.found_in(readings, finders) == slowly(readings, finders)


def test_what_is_not_spread_stays_as_it_is() -> None:
    """Characters that are taken for themselves where codes are looked for become no letter, digit, dot, colon or nothing."""
    every = pl.Series([chr(point) for point in range(0x80, 0x110000) if not 0xD800 <= point < 0xE000])
    for character in every.filter(~every.str.contains(loose.CHANGED)):
        made = spread(character, keeps_case=True)
        assert re.search("^[^0-9A-Za-z]+$", made)
        assert made not in {".", ":"} or character == "："


@given(st.lists(files(), min_size=1, max_size=4), texts)
def test_what_is_found_in_a_file_depends_on_no_other(raws: list[bytes], text: str) -> None:
    """Together, alone, or known from before: the same findings."""
    terms = SEARCH_TERMS[IDENTITIES]
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.csv" for number in range(len(raws))]
        for path, raw in zip(paths, raws, strict=True):
            path.write_bytes(raw)
        given_files = [*(File(TextDocument(path.name, path)) for path in paths), File(TextDocument("log", text))]
        together = search_files(given_files, terms)
        assert together == [search_files([file], terms)[0] for file in given_files]
        assert each_once()([*given_files, *given_files], terms) == [*together, *together]


@given(files(), st.integers(1, 40))
def test_blocks_of_a_table_are_its_cells(raw: bytes, size: int) -> None:
    """Records are divided nowhere, whatever stands between quotation marks; a table that cannot be read has no blocks."""
    with TemporaryDirectory() as folder, patch("validation.escapes.documents.BLOCK_BYTES", size):
        file = Path(folder, "a.csv")
        file.write_bytes(raw)
        document = TextDocument("a.csv", file)
        try:
            found = pl.concat(document.blocks())
        except BROKEN:
            return
        assert found.equals(document.cells().collect())


@given(rows=st.lists(st.tuples(texts, texts), min_size=1, max_size=8), size=st.integers(1, 60), has_codes=st.booleans())
def test_a_long_table_is_searched_as_a_short_one(rows: list[tuple[str, str]], size: int, *, has_codes: bool) -> None:
    """Nothing is missed, or found besides, where a table is read block by block first."""
    lines = [",".join(quoted(cell, always=False) for cell in row) for row in (("code", "text"), *rows)]
    with TemporaryDirectory() as folder:
        file = Path(folder, "a.csv")
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        asked = [File(TextDocument("a.csv", file), ("code",) if has_codes else ())]
        whole = search_files(asked, SEARCH_TERMS[IDENTITIES])
        with (
            patch("validation.escapes.documents.BLOCK_BYTES", size),
            patch("validation.escapes.files.BLOCK_BYTES", size),
        ):
            assert search_files(asked, SEARCH_TERMS[IDENTITIES]) == whole


@given(rows=st.lists(st.tuples(texts, texts), min_size=2, max_size=8), data=st.data())
def test_parts_of_a_table_hold_what_the_whole_holds(rows: list[tuple[str, str]], data: st.DataObject) -> None:
    """What stands in the whole file stands in a part under the header, or where two parts meet, and nobody else need look."""
    terms, cut = SEARCH_TERMS[IDENTITIES], data.draw(st.integers(1, len(rows) - 1))
    lines = ["".join(f"{','.join(quoted(cell, always=False) for cell in row)}\n") for row in (("code", "text"), *rows)]
    contents = {
        "whole.csv": "".join(lines),
        "above.csv": "".join(lines[: cut + 1]),
        "below.csv": "".join([lines[0], *lines[cut + 1 :]]),
    }
    with TemporaryDirectory() as folder:
        files = {name: Path(folder, name) for name in contents}
        for name, file in files.items():
            file.write_text(contents[name], encoding="utf-8", newline="")
        whole, *parts = search_files(
            [File(TextDocument("a.csv", files[name]), ("code",)) for name in ("whole.csv", "above.csv", "below.csv")],
            terms,
        )
        meets = stands_across(files["whole.csv"], len("".join(lines[: cut + 1]).encode()), terms)
    assert not whole or any(parts) or meets


def test_a_name_across_two_parts_is_found(tmp_path: Path) -> None:
    """It ends the one and begins the other, and neither holds it; nor need it end in the next part, if that is short."""
    file, above = tmp_path / "a.csv", "code,text\n1,Two\n"
    for content, is_found in (("Lines Ltd,2\n", True), ("Lines,2\n", False)):
        file.write_text(above + content)
        assert stands_across(file, len(above), SEARCH_TERMS[IDENTITIES]) is is_found


def test_a_long_table_in_which_nothing_stands_is_not_read_as_a_whole(tmp_path: Path) -> None:
    """Its blocks are enough; where a name stands in one of them, the rows are counted in the whole file."""
    file, rows = tmp_path / "a.csv", [f"{number},plain" for number in range(100)]
    document = TextDocument("a.csv", file)
    with patch("validation.escapes.documents.BLOCK_BYTES", 50), patch("validation.escapes.files.BLOCK_BYTES", 50):
        file.write_text("\n".join(["code,text", *rows, ""]))
        with patch("validation.escapes.files._search_together", side_effect=AssertionError("read as a whole")):
            assert search_files([File(document)], SEARCH_TERMS[IDENTITIES]) == [FileFindings()]
        file.write_text("\n".join(["code,text", *rows, "100,茅台酒业", ""]), encoding="utf-8")
        (found,) = search_files([File(document)], SEARCH_TERMS[IDENTITIES])
        assert {row for place in found.places for row in place.rows} == {102}


def test_every_column_of_codes_of_a_long_table_is_searched(tmp_path: Path) -> None:
    """A bare code in the second of them is found, though nothing else reads it as one."""
    file = tmp_path / "a.csv"
    file.write_text("\n".join(["code,parent", *("B,C" for _ in range(50)), "B,600519", ""]))
    with patch("validation.escapes.documents.BLOCK_BYTES", 50), patch("validation.escapes.files.BLOCK_BYTES", 50):
        (found,) = search_files([File(TextDocument("a.csv", file), ("code", "parent"))], SEARCH_TERMS[IDENTITIES])
        with pytest.raises(InputError, match=r"unknown code column of a\.csv 'absent'; known: code, parent"):
            search_files([File(TextDocument("a.csv", file), ("absent",))], SEARCH_TERMS[IDENTITIES])
    assert [(place.column, place.rows) for place in found.places] == [("parent", (52,))]


@pytest.mark.parametrize("each", [*FORMATS.values(), JsonLines()], ids=lambda each: each.name)
def test_what_stands_in_a_table_is_found_in_every_format(
    tmp_path: Path, each: Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the columns and rows in which it is found as CSV: a code in its column, and a name in prose."""
    monkeypatch.setitem(FORMATS, each.name, each)
    table = pl.DataFrame({"code": ["B", "600519", None], "text": ["plain", "plain", "茅台酒业"]})
    each.write([table], WrittenAs(), file := tmp_path / f"a{each.suffix}")
    (found,) = search_files([File(TextDocument(file.name, file), ("code",))], SEARCH_TERMS[IDENTITIES])
    assert {(place.column, place.rows) for place in found.places} == {("code", (3,)), ("text", (4,))}


def test_a_file_is_searched_once(tmp_path: Path) -> None:
    """A second name of the same bytes, and a second search, add nothing; another column of codes does."""
    seen: list[str] = []

    def searched(given_files: Sequence[File], terms: SearchTerms) -> list[FileFindings]:
        seen.extend(file.document.name for file in given_files)
        return search_files(given_files, terms)

    for name in ("a.csv", "b.csv", "c.txt"):
        (tmp_path / name).write_text("id,code\n1,600519\n")
    once = each_once(searched)
    known = [
        File(TextDocument(name, tmp_path / name), codes)
        for name in ("a.csv", "b.csv", "c.txt")
        for codes in ((), ("code",))
    ]
    first = once(known[:4], SEARCH_TERMS[IDENTITIES])
    assert first == once(known[:4], SEARCH_TERMS[IDENTITIES])
    once([File(TextDocument("c.txt", tmp_path / "c.txt"))], SEARCH_TERMS[IDENTITIES])
    assert sorted(seen) == ["a.csv", "a.csv", "c.txt"]
    assert [[place.kind for place in found.places] for found in first] == [[], ["bare code"]] * 2

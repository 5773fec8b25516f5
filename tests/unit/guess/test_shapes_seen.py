"""Shapes of real files are seen, said in the declaration, shown by `silt check`, and read to the last cell."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.codes import code_space
from pipeline.conform import conform
from pipeline.conform.first_look.sniffing import written as dialect_of
from pipeline.errors import ContractError
from pipeline.guess.declared import Guess, guess
from pipeline.guess.looking import look
from pipeline.model import CsvDialect, Numerals, Reshape
from pipeline.model.periods_said import pattern_said, period_said
from silt.commands.check.checking import checked
from silt.commands.init.writing import declaration
from tests.unit.guess.folders import written

FIRMS = (
    "Müller Bau GmbH", "Öztürk KG", "Backhaus AG", "Nordlicht GmbH", "Weiß Logistik AG", "Alpenmilch eG", "Schäfer OHG",
    "Elbe AG",
)  # fmt: skip

_ENGLISH = "".join(
    f"{firm},{51_210_000 + 7_919 * at},{1_200.5 + 37 * at},{1_300.25 + 31 * at},{40 + at},{44 + at},{2_500.75 + 68 * at}\n"
    for at, firm in enumerate(FIRMS)
)
WIDE = {"books": f"company,branch_plan,sales_2019,sales_2020,staff_2019,staff_2020,Total sales\n{_ENGLISH}".encode()}
"""Figures by year in headers, beside a number of the firm and a sum over the years."""

NAMED = {
    "office": (
        "Report,,,,\r\n(in thousands),,,,\r\n\r\nCountry,Code,Indicator,Unit,FY2019,FY2020\r\n"
        + "".join(
            f'{firm},X{at}X,{name},{unit},"{at + 1},{100 + 7 * place}","({at},{200 + 3 * place})"\r\n'
            for at, firm in enumerate(FIRMS)
            for place, (name, unit) in enumerate((("Sales", "EUR"), ("Profit", "EUR"), ("Staff", "persons")))
        )
        + ",,,,,\r\nSource: office,,,,,\r\n* preliminary,,,,,\r\n"
    ).encode()
}
"""A row for each figure, years in headers, titles and notes with separators behind them."""


def _year(year: int) -> bytes:
    rows = "".join(f"{firm};2.{year - 2018}{at}1.{100 + at},5{year % 10}-\n\n" for at, firm in enumerate(FIRMS))
    note = f"Stand: 3.4.{year}; vorläufig\n" if year > 2019 else ""
    return f"Umsatz {year};\n;\nFirma;Umsatz\n{rows}Summe;9.999,00\n{note}".encode("cp1252")


YEARS = {f"Umsatz-{year}": _year(year) for year in (2018, 2019, 2020)}
"""A file each year, with blank lines between rows, and notes below some."""


def _guessed(folder: Path, files: Mapping[str, bytes]) -> Guess:
    found = guess(written(folder, files))
    assert found is not None
    return found


def test_years_in_headers_become_a_panel(tmp_path: Path) -> None:
    """What is the firm's in all years is no figure of a year, and a sum over years is left out."""
    found = _guessed(tmp_path / "wide", WIDE)
    books, firms = found.raw_tables
    assert books.reshape == firms.reshape == Reshape(figures={"sales": "sales_{year}", "staff": "staff_{year}"})
    assert [each.name for each in found.panel.measures] == ["sales", "staff"]
    assert {"branch_plan", "Total sales"} <= set(books.ignored)
    rows = conform(found.raw_tables, tmp_path / "wide").frames["books"].sort("year", "sales")
    assert rows.row(0) == ("Müller Bau GmbH", 2019, 120_050, 40)
    assert rows.height == 2 * len(FIRMS)


def test_names_of_figures_in_rows_become_columns(tmp_path: Path) -> None:
    """What is said of a figure (its unit) is left out; titles in several lines, an empty row and notes are not read."""
    found = _guessed(tmp_path / "named", NAMED)
    figures = found.raw_tables[0]
    assert figures.reshape == Reshape(figures={"value": "FY{year}"}, named_by="Indicator")
    assert figures.dialect == CsvDialect(title_lines=3, foot=("Source:",), totals=("",))
    assert "Unit" in figures.ignored
    rows = conform(found.raw_tables, tmp_path / "named").frames["office"].sort("Code", "year")
    assert rows.filter(rows["Code"] == "X2X").rows() == [
        ("X2X", 2019, 3_100, 3_107, 3_114), ("X2X", 2020, -2_200, -2_203, -2_206),
    ]  # fmt: skip
    said = declaration(found, "named")
    assert "the cells of 'Indicator' name the figures" in said
    assert "begins with 'Source:'" in said


def test_files_by_year_are_one_table(tmp_path: Path) -> None:
    """With the year of their names as the period; blank lines, totals and notes are left out of each."""
    found = _guessed(tmp_path / "years", YEARS)
    table = found.raw_tables[0]
    assert (table.file, table.name) == ("Umsatz-{year}", "Umsatz")
    assert table.dialect == CsvDialect(
        separator=";", encoding="cp1252", title_lines=2, foot=("Stand:",), totals=("Summe", "")
    )
    assert found.panel.measure("Umsatz").numerals == Numerals(
        mark=",", grouping=".", minus_behind=True, least_decimals=2
    )
    rows = conform(found.raw_tables, tmp_path / "years").frames["Umsatz"]
    assert rows.filter(rows["Firma"] == "Elbe AG").sort("year")["Umsatz"].to_list() == [
        -207_110_758,
        -217_110_759,
        -227_110_750,
    ]
    assert rows.height == 3 * len(FIRMS)


def test_names_in_other_letters_get_codes(tmp_path: Path) -> None:
    """Where names are the codes, what is published in their place has Latin letters and digits."""
    names = [f"{sign}达科技有限公司" for sign in "华东海南中北西金"]
    rows = "".join(
        f"{name},{year},{at * 977 + year}.5\n" for at, name in enumerate(names) for year in (2019, 2020, 2021)
    )
    found = _guessed(tmp_path / "raw", {"books": f"公司,年份,营业收入\n{rows}".encode()})
    assert code_space(found.entities.code_shape).size > len(names)


def _rows(line: str, *more: Sequence[object]) -> str:
    return "".join(line.format(firm, *(each[at % len(each)] for each in more)) + "\n" for at, firm in enumerate(FIRMS))


NUMBERS = range(1_013, 9_999, 977)


@pytest.mark.parametrize(
    ("text", "dialect", "reshape"),
    [
        ("Firma;Mrz 2021;Apr 2021\n" + _rows("{};{};{}", NUMBERS, NUMBERS), CsvDialect(separator=";"), {"books": "{month}"}),
        ("firm,Q1/2020,Q2/2020\n" + _rows("{},{},{}", NUMBERS, NUMBERS), CsvDialect(), {"books": "{quarter}"}),
        ("firm,2018/19,2019/20\n" + _rows("{},{},{}", NUMBERS, NUMBERS), CsvDialect(), {"books": "{year}"}),
        ("firm,2019,2020\n" + _rows("{},{}.5 p,{}.5", NUMBERS, NUMBERS), CsvDialect(), {"books": "{year}"}),
        (
            "firm,FY2019 sales,FY2020 sales\n,EUR,EUR\n" + _rows("{},{},{}", NUMBERS, NUMBERS),
            CsvDialect(header_lines=2),
            {"sales EUR": "FY{year} sales EUR"},
        ),
        (
            "firm,year,sales\nNorth,,\n" + _rows("{},2019,{}", NUMBERS)
            + "Subtotal North,,9\nSouth,,\n" + _rows("{},2020,{}", NUMBERS),
            CsvDialect(totals=("Subtotal North", "North", "South")),
            {},
        ),
        (
            "firm,year,sales\n" + _rows("{},2019,{}", NUMBERS) + "firm,year,sales\n" + _rows("{},2020,{}", NUMBERS),
            CsvDialect(totals=("firm",)),
            {},
        ),
        (
            "firm,year,sales\n" + _rows("{},2019,{}", NUMBERS) + "Quiet AG,,\nStill AG,,\n" + _rows("{},2020,{}", NUMBERS),
            CsvDialect(),
            {},
        ),
        (f"firm,year,sales\nNote: A,2019,7\n{_rows('{},2019,{}', NUMBERS)}\nNote: early,,\n", CsvDialect(totals=("",)), {}),
        ("firm,Sales 2019,Grade 2019\n" + _rows("{},{},{}", NUMBERS, "AB"), CsvDialect(), {}),
    ],
)  # fmt: skip
def test_what_offices_write(text: str, dialect: CsvDialect, reshape: Mapping[str, str], tmp_path: Path) -> None:
    """Names of periods, units below names, sections, headers on each page; a firm without figures is no section."""
    (found,) = look(written(tmp_path / "raw", {"books": text.encode()}))
    assert found.dialect == dialect
    assert (found.reshape.figures if found.reshape else {}) == reshape


@given(
    before=st.sampled_from(["", "sales_", "Umsatz ", "a."]),
    behind=st.sampled_from(["", " (k€)", "年", "_x"]),
    year=st.integers(1800, 2099),
    part=st.integers(0, 4),
    form=st.sampled_from(["{year}Q{part}", "{year} Q{part}", "Q{part} {year}", "{year}-{part:02}", "{part:02}/{year}"]),
)
def test_a_period_in_a_name_is_found_again(before: str, behind: str, year: int, part: int, form: str) -> None:
    """By the pattern that was made of the name; in another name it is none."""
    name = f"{before}{form.format(year=year, part=part) if part else year}{behind}"
    said = pattern_said(name, "period")
    assert said is not None
    pattern, period = said
    assert pattern == f"{before}{{period}}{behind}"
    assert period == (f"{year}" if not part else f"{year}Q{part}" if "Q" in form else f"{year}-{part:02}")
    assert period_said(pattern, name) == period
    assert period_said(pattern, name + "1") is period_said(f"x{pattern}", name) is None


HEADERS = st.lists(
    st.sampled_from(["firm", "city", "sales", "note", "Total assets", "Stand", "source", "2019", "unit", "EUR"]),
    min_size=2, max_size=5, unique=True,
)  # fmt: skip
FIRST = st.sampled_from(["A1", "B2", "Ulm AG", "Stand GmbH", "Quelle AG", "Source One"])
OTHERS = st.sampled_from(["", "", "7", "1300", "Ulm", "kg", "Source", "a b c d"])


@given(header=HEADERS, rows=st.lists(st.tuples(FIRST, OTHERS, OTHERS, OTHERS, OTHERS), min_size=2, max_size=12))
def test_a_plain_table_is_taken_as_it_is(
    header: list[str], rows: list[tuple[str, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """No row of it is a title, a unit, a total or a note, also if firms are called so or have no figures."""
    file = tmp_path_factory.mktemp("plain") / "firms.csv"
    file.write_text("".join(",".join(row[: len(header)]) + "\n" for row in (tuple(header), *rows)))
    assert dialect_of(file) == CsvDialect()


def test_files_that_differ_are_read_apart_and_said(tmp_path: Path) -> None:
    """None is lost, and what was seen of each says why they are not one table."""
    others = YEARS | {"Umsatz-2021": YEARS["Umsatz-2020"].replace(b"Firma;Umsatz", b"Firma;Erl\xf6s")}
    found = look(written(tmp_path / "years", others))
    assert [table.file for table in found] == sorted(others)
    assert all("could be one table, but the files differ" in table.notes[-1] for table in found)


@pytest.mark.parametrize(
    ("files", "name", "before", "behind", "place"),
    [
        (WIDE, "books", b"1300.25", b"n.n.", r"books\.csv, row 2, column 'sales_2020': found 'n.n.'"),
        (NAMED, "office", b'"1,107"', b"n.n.", r"office\.csv, row 3, column 'FY2019': found 'n.n.'.*line 6 of the file"),
        (YEARS, "Umsatz-2019", b"2.131.103,5", b"n.n.", r"Umsatz-2019\.csv, row 5, column 'Umsatz': found 'n.n.9-'.*line 10"),
    ],
)  # fmt: skip
def test_a_bad_cell_is_named_where_it_stands(
    files: Mapping[str, bytes], name: str, before: bytes, behind: bytes, place: str, tmp_path: Path
) -> None:
    """File, row, line, header and value are those of the file, not of the table that is made of it."""
    found = _guessed(tmp_path / "raw", files)
    assert before in files[name]
    written(tmp_path / "raw", {name: files[name].replace(before, behind, 1)})
    with pytest.raises(ContractError, match=place):
        conform(found.raw_tables, tmp_path / "raw")


def test_check_shows_cells_before_and_after(tmp_path: Path) -> None:
    """On a terminal: a cell as it stands, and what is read of it."""
    folder = tmp_path / "years"
    found = _guessed(folder, YEARS)
    file = folder.with_suffix(".py")
    file.write_text(declaration(found, folder.name), encoding="utf-8")
    lines = checked(f"{file}:YEARS", raw=folder, noise=None, with_cells=True).columns
    (line,) = (line for line in lines if line.startswith("Umsatz.Umsatz: "))
    assert "(as in 2.001.100,58- -> -2001100.58 from 'Umsatz' in row 2 of Umsatz-2018.csv, " in line

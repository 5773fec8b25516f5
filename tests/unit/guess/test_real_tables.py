"""Tables as they really are: what is guessed of them neither damages nor leaks, and is read as it is written."""

import math
import shutil
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import yaml

from anonymize.figures.events import published_order
from anonymize.pseudonyms import pseudonyms
from anonymize.tables import anonymised_figures
from pipeline.conform import conform
from pipeline.errors import InputError
from pipeline.guess.declared import Guess, guess
from pipeline.guess.keys import references
from pipeline.guess.looking import look
from pipeline.keyed import Key
from pipeline.model import CsvDialect, Environment, Numerals, Role
from silt.cli import main
from silt.commands.check.checking import CheckResult, checked
from silt.commands.init.noise import specification
from silt.commands.init.writing import declaration
from tests.anonymised import anonymise_tables
from tests.unit.guess.folders import CHINESE, FLIGHTS, GERMAN, SHOP, write, written

KEY = Key(b"g" * 32)


def guessed(folder: Path) -> Guess:
    found = guess(folder)
    assert found is not None
    return found


def roles(found: Guess, table: str) -> dict[str, Role]:
    (declared,) = (each for each in found.raw_tables if each.name == table)
    return {column.name: column.role for column in declared.columns}


def checks(found: Guess, folder: Path, *, with_cells: bool = False) -> CheckResult:
    """Return what `silt check` says of the declaration that is written down."""
    file = folder.with_suffix(".py")
    file.write_text(declaration(found, folder.name), encoding="utf-8")
    return checked(f"{file}:{folder.name.upper()}", raw=folder, noise=None, with_cells=with_cells)


def published(environment: Environment, folder: Path) -> dict[str, pl.DataFrame]:
    """Return the tables anonymised under `lsd`."""
    conformed = conform(environment.raw_tables, folder, kinds=environment.kinds, panel=environment.panel)
    names = pseudonyms(environment, conformed.frames, KEY)
    figures = anonymised_figures(environment, conformed.frames, KEY).figures
    return anonymise_tables(environment, conformed.frames, names, KEY, figures=figures)


def test_a_german_export_is_read_as_it_is_written(tmp_path: Path) -> None:
    """Title lines, semicolons, code page, decimal commas, groups, signs, totals: stated, and read to the last cent."""
    folder = written(tmp_path / "umsatz", {"umsatz": GERMAN})
    found = guessed(folder)
    dialect = CsvDialect(separator=";", encoding="cp1252", title_lines=2, totals=("Summe",))
    assert {each.dialect for each in found.raw_tables} == {dialect}
    assert found.panel.measure("Umsatz").numerals == Numerals(mark=",", grouping=".", around=("€",), least_decimals=2)
    assert (found.panel.period.column, found.entities.code) == ("Jahr", "Firma")
    assert {each.name: each.unit for each in found.panel.measures} == {"Umsatz": "EUR", "Anteil": "%", "Stück": ""}
    conformed = conform(found.raw_tables, folder)
    rows = conformed.frames["umsatz"].sort("Jahr", "Umsatz")
    assert rows["Umsatz"].to_list()[:2] == [120_451_137, 218_222_456]
    assert rows.height == 60
    assert sum(each.count for each in conformed.treated if each.cause == "a row of totals") == 2
    assert checks(found, folder).problems == []


def test_years_stay_and_firms_do_not(tmp_path: Path) -> None:
    """`Jahr` is published as it was, `Firma` under other names."""
    folder = written(tmp_path / "umsatz", {"umsatz": GERMAN})
    rows = published(guessed(folder).environment(), folder)["figures"]
    assert rows["year"].unique().sort().to_list() == [2018, 2019, 2020, 2021, 2022]
    assert not rows["Firma"].str.contains("GmbH|AG|KG").any()


def test_chinese_tables_in_gbk(tmp_path: Path) -> None:
    """Encoding, companies with codes and names, the year and units are known by Chinese headers and by what cells hold."""
    folder = written(tmp_path / "tables", {"公司": CHINESE})
    found = guessed(folder)
    assert found.raw_tables[0].dialect.encoding == "gb18030"
    assert (found.entities.code, found.entities.name, found.entities.language) == ("公司代码", "公司名称", "zh")
    assert (found.panel.period.column, {each.unit for each in found.panel.measures}) == ("年份", {"万元"})
    assert checks(found, folder).problems == []


@pytest.mark.parametrize("header", ["Jahr", "annee", "x"])
def test_years_are_known_by_what_they_hold(header: str, tmp_path: Path) -> None:
    """With a code they make a panel whatever their header says, and beside records they are no figures."""
    rows = "".join(f"F{firm},{year},{firm * 977 + year}.5\n" for firm in range(9) for year in range(2001, 2009))
    found = guessed(write(tmp_path / "books", {"books": f"firm,{header},sales\n{rows}"}))
    assert found.panel.period.column == header


def test_parts_of_a_time_follow_it_or_are_withheld(tmp_path: Path) -> None:
    """What says a part of the time is published as the moved time says it; a local hour and a clock are not published."""
    folder = write(tmp_path / "flights", FLIGHTS)
    found = guessed(folder)
    taken = roles(found, "flights")
    assert {"local_hour", "dep_time"}.isdisjoint(taken)
    assert (taken["origin"], taken["dest"], taken["flight"]) == (Role.CODE, Role.CODE, Role.NUMBER)
    rows = published(found.environment(), folder)["flights"]
    moved = rows.select(
        pl.col("month").cast(pl.Int64) - pl.col("time_hour").dt.month(),
        pl.col("day").cast(pl.Int64) - pl.col("time_hour").dt.day(),
        pl.col("hour").cast(pl.Int64) - pl.col("time_hour").dt.hour(),
    )
    assert moved.sum_horizontal().abs().sum() == 0
    assert checks(found, folder).problems == []


def test_hardly_a_row_is_unique_and_published_as_it_was(tmp_path: Path) -> None:
    """Over all that stays of a row: weekday and time of day, delays, gates, categories."""
    folder = write(tmp_path / "flights", FLIGHTS)
    environment = guessed(folder).environment()
    table = environment.raw_table("flights")
    originals = conform(environment.raw_tables, folder).frames["flights"]
    rows = published(environment, folder)["flights"]
    kept = [
        column.name
        for column in table.of_role(Role.MEASURE, Role.ATTRIBUTE)
        if column.name in rows and not column.follows
    ]
    moment = pl.col("time_hour").dt.to_string("%u %H:%M")
    then = originals[published_order(table, originals, KEY)].select(*kept, moment)
    is_same = (then == rows.select(*kept, moment)).select(pl.all_horizontal(pl.all().fill_null(value=True))).to_series()
    is_alone = then.is_unique()
    assert is_alone.sum() > 0.9 * then.height
    assert (is_same & is_alone).sum() <= 0.01 * then.height


def test_what_is_not_understood_is_not_published(tmp_path: Path) -> None:
    """Texts of many values under an unknown header, and names of companies under a wrong one, say why they are withheld."""
    rows = "".join(
        f"F{each},{'NS'[each % 2]},token {each * 7 % 33} of {each % 31},Kontor {each} GmbH\n" for each in range(60)
    )
    found = guessed(write(tmp_path / "firms", {"firms": f"firm,side,remarkable,stichwort\n{rows}"}))
    assert found.entities.name == "stichwort"
    (table,) = found.raw_tables
    assert "remarkable" not in roles(found, "firms") or roles(found, "firms")["remarkable"] is Role.IDENTIFIER
    assert any("not understood" in note or "distinct of" in note for note in found.notes[id(table)])


def test_files_with_one_header_are_of_one_kind(tmp_path: Path) -> None:
    """One file a year has the shops of all years; lists of words with one header stay lists of words."""
    files = {
        f"sales_{year}": "shop,region,sales\n"
        + "".join(f"S{each},{'NS'[each % 2]},{each * year}.5\n" for each in range(20))
        for year in (2019, 2020, 2021)
    }
    found = guessed(write(tmp_path / "sales", files))
    assert [kind.code for kind in (found.entities, *found.further)] == ["shop"]
    assert all(roles(found, table.name)["shop"] is Role.CODE for table in found.raw_tables)


def test_check_names_what_would_not_hold_after(tmp_path: Path) -> None:
    """The price of a line is that of the list; an order's total over its lines and a product within a row are declared."""
    folder = write(tmp_path / "shop", SHOP)
    found = guessed(folder)
    assert [each.output for events in found.events for each in events.identities] == ["amount"]
    hints = checks(found, folder).hints
    assert [(each.output, each.events, each.of) for events in found.events for each in events.sums] == [
        ("total", "lines", "amount")
    ]
    assert not any("orders.total" in hint for hint in hints)
    said = [line for line in checks(found, folder).columns if line.startswith("orders.total: ")]
    assert "-> worked out again as the sum of lines.amount; perturbed where that did not hold" in said[0]
    (product,) = (line for line in checks(found, folder).columns if line.startswith("lines.amount: "))
    assert "-> worked out again from pieces and unit_price; perturbed where that did not hold" in product
    lost = checks(replace(found, events=tuple(replace(each, sums=()) for each in found.events)), folder).hints
    assert any("orders.total is the sum of lines.amount, by 'order_id', in 160 of 160 rows" in hint for hint in lost)
    assert any("unit_price stands in lines.unit_price again, by 'product_id'" in hint for hint in hints)


def test_check_says_a_line_a_column(tmp_path: Path) -> None:
    """What it is taken for and what happens to it, for those that are left out, too; cells are shown to a terminal alone."""
    folder = write(tmp_path / "flights", FLIGHTS)
    found = guessed(folder)
    shown, hidden = (checks(found, folder, with_cells=with_cells).columns for with_cells in (True, False))
    headers = {f"{name}.{each}" for name, text in FLIGHTS.items() for each in text.partition("\n")[0].split(",")}
    assert {line.partition(": ")[0] for line in hidden} == headers
    said = "flights.month: part of 'time_hour' -> written as %-m from the published time"
    assert said in hidden
    assert f"{said} (as in 1, 6, 11)" in shown
    assert any(line.startswith("flights.dep_time: ") and "not published" in line for line in hidden)


def test_spreadsheets_and_databases_are_named_with_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be read says how it is written as CSV, each table of a database by its name."""
    monkeypatch.chdir(tmp_path)
    folder = Path("data")
    folder.mkdir()
    for name in ("book.xlsx", "old.ods"):
        (folder / name).touch()
    with closing(sqlite3.connect(folder / "shop.db")) as base:
        base.execute('CREATE TABLE "late ""orders""" (number INTEGER PRIMARY KEY AUTOINCREMENT, day TEXT)')
        base.execute('INSERT INTO "late ""orders""" VALUES (7, ?)', ("Monday, or 'so'",))
        base.commit()
    with pytest.raises(InputError, match=r"pip install xlsx2csv && xlsx2csv --all data/book\.xlsx data") as found:
        guess(folder)
    assert "soffice --headless --convert-to xlsx --outdir data data/old.ods" in str(found.value)
    (command,) = (line.partition(": ")[2] for line in str(found.value).splitlines() if "shop.db is a database" in line)
    assert main(["init", "data"]) == 2
    if shutil.which("sqlite3"):
        subprocess.run(command, shell=True, check=True)  # noqa: S602  (it is what a user would type)
        assert look(folder)[0].texts.rows() == [("7", "Monday, or 'so'")]


def test_a_row_of_totals_a_year_is_left_out(tmp_path: Path) -> None:
    """Ten totals below thirty states are no state."""
    rows = [f"S{state};{year};{31 * state + year},5" for year in range(2001, 2011) for state in range(30)]
    totals = [f"Summe;{year};73.500,0" for year in range(2001, 2011)]
    found = guessed(write(tmp_path / "states", {"states": "\n".join(["Staat;Jahr;Produkt", *rows, *totals, ""])}))
    assert {each.dialect.totals for each in found.raw_tables} == {("Summe",)}


def test_records_without_a_key_may_have_gaps(tmp_path: Path) -> None:
    """Columns with empty cells are no part of a key that is made of all columns."""
    measured = [[10 + place // 3**digit % 3 for digit in range(5)] for place in range(243)]
    rows = [
        f"S{one},{','.join(map(str, each))},{f'{each[0]}.{each[1]}' if each[2] > 10 else ''}"
        for one in range(2)
        for each in measured
    ]
    folder = write(tmp_path / "storms", {"storms": "\n".join(["storm,a,b,c,d,e,gap", *rows, *rows[:3], ""])})
    found = guessed(folder)
    assert found.raw_tables[0].repeats
    assert checks(found, folder).problems == []


def test_proposed_noise_leaves_half_of_the_rows(tmp_path: Path) -> None:
    """A list of names and days has few kinds of noise: their rates are higher for it."""
    rows = "".join(f"F{firm},Baker {firm} Ltd,19{firm + 10}-04-0{1 + firm % 9}\n" for firm in range(60))
    found = guessed(write(tmp_path / "firms", {"firms": f"firm,name,listed\n{rows}"}))
    rules = yaml.safe_load(specification(found, found.environment()))["rules"]
    left = [(1 - rule["mechanism"]["rate"]) ** len(rule["parameters"]["columns"]) for rule in rules]
    assert math.prod(left) == pytest.approx(0.5, abs=0.01)


def test_a_latitude_is_withheld_and_not_searched_for(tmp_path: Path) -> None:
    """A number like 61.1 is a figure elsewhere: as an identifier it would refuse what is published of others."""
    rows = "".join(
        f"S{storm},{10 + hour}.{storm},{980 + hour * storm % 17}\n" for storm in range(9) for hour in range(8)
    )
    found = guessed(write(tmp_path / "storms", {"storms": f"storm,lat,pressure\n{rows}"}))
    assert [each.ignored for each in found.raw_tables if each.name == "storms"] == [("lat",)]


def test_lines_refer_to_the_orders_that_their_table_lists(tmp_path: Path) -> None:
    """A comment on each order holds the same numbers, and is no list of orders."""
    tables = {
        "comments": "number,order\n" + "".join(f"{100 + order},{order}\n" for order in range(1, 31)),
        "lines": "line,order,price\n"
        + "".join(f"{line},{1 + line % 30},{line * 37 % 91}.5\n" for line in range(1, 91)),
        "orders": "order_id,customer\n" + "".join(f"{order},C{order % 7}\n" for order in range(1, 31)),
    }
    found = {(each.table, each.column): each.to_table for each in references(look(write(tmp_path / "shop", tables)))}
    assert (found["comments", "order"], found["lines", "order"]) == ("orders", "orders")


def test_a_header_leads_before_values_that_happen_to_be_equal(tmp_path: Path) -> None:
    """To shops that list most of them, not to marks that have them all; without a header half of them lead nowhere."""
    tables = {
        "shops": "shop,town\n" + "".join(f"S{shop},Town {shop % 3}\n" for shop in range(18)),
        "marks": "mark,colour\n" + "".join(f"S{mark},{'rgb'[mark % 3]}\n" for mark in range(20)),
        "lines": "line,shop,label\n"
        + "".join(f"{line},S{line % 20},{f'S{line % 20}' if line % 2 else f'T{line % 8}'}\n" for line in range(40)),
    }
    found = {(each.table, each.column): each.to_table for each in references(look(write(tmp_path / "shop", tables)))}
    assert found["lines", "shop"] == "shops"
    assert ("lines", "label") not in found

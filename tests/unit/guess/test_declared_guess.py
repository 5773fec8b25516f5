"""A guessed declaration: what each table and column is taken for, and that the file says exactly what was guessed."""

import argparse
import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from pipeline.errors import InputError
from pipeline.guess.declared import Guess, guess
from pipeline.model import PERIOD, Environment, Ratio, RawTable, Role, Total
from pipeline.model.refused.contradictions import refuse_unready
from silt.cli import main
from silt.commands.check.checking import checked
from silt.commands.init import run as init
from silt.commands.init.writing import declaration
from tests.unit.guess.folders import SHOPS, write


def guessed(folder: Path, tables: dict[str, str]) -> Guess:
    found = guess(write(folder, tables))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Guess:
    """Return what the shops are taken for."""
    return guessed(tmp_path_factory.mktemp("found") / "shops", SHOPS)


def roles(found: Guess, table: str) -> dict[str, Role]:
    (declared,) = (each for each in found.raw_tables if each.name == table)
    return {column.name: column.role for column in declared.columns}


def test_what_each_column_is(found: Guess) -> None:
    """Codes, names, aliases, texts, identifiers, figures, and times and numbers of records."""
    assert roles(found, "shops") == {
        "shop": Role.CODE, "name": Role.NAME, "trade": Role.ATTRIBUTE, "town": Role.ATTRIBUTE,
        "email": Role.IDENTIFIER, "about": Role.TEXT,
    }  # fmt: skip
    assert roles(found, "aliases") == {"shop": Role.CODE, "alias": Role.ALIAS}
    assert roles(found, "deliveries") == {
        "shop": Role.CODE,
        "slip": Role.NUMBER,
        "day": Role.TIME,
        "value": Role.MEASURE,
    }
    assert [source.alias for source in found.entities.aliases] == ["alias"]


def test_what_binds_the_figures(found: Guess) -> None:
    """The panel with its units, a total over records and a ratio, and events that stay within its period."""
    units = {measure.name: measure.unit for measure in found.panel.measures}
    assert units == {"delivered": "", "sales (EUR)": "EUR", "costs": "", "profit": "", "margin": "%"}
    assert found.notes[id(found.panel.measures)] == ("? unit: missing in 3 headers of measures",)
    assert Total(output="delivered", events="deliveries", of="value") in found.panel.identities
    assert Ratio(output="margin", numerator=("profit",), denominator="sales (EUR)") in found.panel.identities
    assert [each.stay_within for each in found.events] == ["year"]


STAFF = "employee_id,first_name,last_name,reports_to,grade\n" + "".join(
    f"{number},Ann{number},Lee{number},{'' if number == 1 else number // 2},{'abc'[number % 3]}\n"
    for number in range(1, 30)
)


def test_persons_are_withheld_and_lead_to_each_other(tmp_path: Path) -> None:
    """Parts of their names are no attributes, and whom somebody reports to is a code of the same table."""
    found = guessed(tmp_path / "staff", {"employees": STAFF})
    assert roles(found, "employees") == {
        "employee_id": Role.CODE, "first_name": Role.IDENTIFIER, "last_name": Role.IDENTIFIER,
        "reports_to": Role.CODE, "grade": Role.ATTRIBUTE,
    }  # fmt: skip
    (reference,) = found.raw_tables[0].references
    assert (reference.columns, reference.to_table, reference.to_columns) == (
        ("reports_to",),
        "employees",
        ("employee_id",),
    )


FIGURES_ALONE = {
    "panel": "firm,year,region,sales\n"
    + "".join(f"F{firm},{year},{'NS'[firm % 2]},{firm * year}.5\n" for firm in range(20) for year in (2021, 2022))
}
DATED = {
    "firms": "ticker,company\n" + "".join(f"T{firm},Firm number {firm}\n" for firm in range(9)),
    "books": "ticker,ending,sales\n"
    + "".join(
        f"T{firm},{day},{firm + 1}77\n" for firm in range(9) for day in ("2021-12-31", "2023-01-02", "2023-12-30")
    ),
}


def test_a_listing_is_drawn_from_figures_where_there_is_none(tmp_path: Path) -> None:
    """From the same file: the codes, and what is the same in all rows of each."""
    found = guessed(tmp_path / "firms", FIGURES_ALONE)
    (listing,) = (each for each in found.raw_tables if each.name == found.entities.tables[0])
    assert (listing.file, listing.key, [each.name for each in listing.columns]) == (
        "panel",
        ("firm",),
        ["firm", "region"],
    )
    assert (found.panel.tables, found.panel.period.column) == (("panel",), "year")


def test_a_panel_with_a_row_twice_stays_a_panel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What does not fit is said, and checked by its row; of many rows that come again, each is a record."""
    rows = [f"F{number:02},{year},{number * year}.5" for number in range(30) for year in (2021, 2022)]
    tables = {"firms": "firm,name\n" + "".join(f"F{number:02},Miller {number} Ltd\n" for number in range(30))}
    monkeypatch.chdir(tmp_path)
    for name, again in {"few": ["F00,2021,7.5"], "many": [f"{row}1" for row in rows[:9]]}.items():
        tables["books"] = "\n".join(["firm,year,sales", *rows, *again, ""])
        folder = write(tmp_path / name, tables)
        found = guess(folder)
        assert found
        assert (found.panel.tables, [each.table for each in found.events]) == (
            (("books",), []) if name == "few" else ((), ["books"])
        )
    assert main(["init", "few"]) == 0
    said = "look at 'firm' and 'year' number 60 of 61 rows in 'books': `silt check` names those that have them again"
    assert said in " ".join(capsys.readouterr().out.split())
    assert main(["check", "--environment", "few.py:FEW", "--raw", "few"]) == 2
    assert "books.csv, row 62, columns 'firm, year'" in " ".join(capsys.readouterr().err.split())


def test_a_period_is_taken_from_dates(tmp_path: Path) -> None:
    """A year that ends in the first days of January is the year before, if only so there is one row a year."""
    found = guessed(tmp_path / "dated", DATED)
    (books,) = (each for each in found.raw_tables if each.name == "books")
    assert books.key == ("ticker", PERIOD)
    assert found.notes[id(found.panel)] == ("? panel: one row for each 'ticker' and year of 'ending', 7 days before",)


@pytest.mark.parametrize("tables", [SHOPS, FIGURES_ALONE, DATED], ids=["shops", "figures alone", "dated"])
def test_the_file_says_what_was_guessed(tables: dict[str, str], tmp_path: Path) -> None:
    """Read back, the declaration is the guess, field by field; nothing in it is undecided, and conforming refuses nothing."""
    folder = write(tmp_path / "tables", tables)
    found = guess(folder)
    assert found is not None
    (tmp_path / "tables.py").write_text(declaration(found, "tables"), encoding="utf-8")
    names: dict[str, Environment] = {}
    exec((tmp_path / "tables.py").read_text(encoding="utf-8"), names)  # noqa: S102
    environment = names["TABLES"]
    assert list(map(plain, environment.raw_tables)) == list(map(plain, found.raw_tables))
    for part in ("entities", "further", "panel", "events", "aggregates"):
        assert getattr(environment, part) == getattr(found, part), part
    refuse_unready(environment)
    assert checked(f"{tmp_path / 'tables.py'}:TABLES", raw=folder, noise=None).problems == []


def plain(table: RawTable) -> RawTable:
    """Return a table without the column that stands for the industry of entities that have none."""
    adds = tuple(column for column in table.adds if column.name != "all entities")
    return replace(table, adds=adds, complete=None)


def test_nothing_is_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is there stays as it is, and no other is written beside it."""
    write(tmp_path / "shops", SHOPS)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shops.yaml").write_text("mine", encoding="utf-8")
    assert main(["init", "shops"]) == 2
    assert (tmp_path / "shops.yaml").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "shops.py").exists()


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    """It says what belongs there."""
    with pytest.raises(InputError, match="put CSV"):
        guess(tmp_path)


def test_noise_has_a_mild_and_a_harsh_level(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has the rules of the default, all of them rarer or all more frequent, and `check` accepts it."""
    write(tmp_path / "shops", SHOPS)
    monkeypatch.chdir(tmp_path)
    assert main(["init", "shops"]) == 0
    rates = {}
    for name in ("shops-mild.yaml", "shops.yaml", "shops-harsh.yaml"):
        assert main(["check", "--environment", "shops.py:SHOPS", "--raw", "shops", "--noise", name]) == 0
        rules = yaml.safe_load(Path(name).read_text(encoding="utf-8"))["rules"]
        rates[name] = {rule["name"]: rule["mechanism"]["rate"] for rule in rules}
    mild, default, harsh = rates.values()
    assert mild.keys() == default.keys() == harsh.keys()
    assert all(0 < mild[rule] < rate < harsh[rule] < 1 for rule, rate in default.items())


def test_check_says_every_problem_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of declaration, raw tables and specification, with status 2; what is right is told with the next command.

    A build says the same, and a program gets the list.
    """
    write(tmp_path / "shops", SHOPS)
    monkeypatch.chdir(tmp_path)
    assert main(["init", "shops"]) == 0
    command = ["check", "--environment", "shops.py:SHOPS", "--raw", "shops", "--noise", "shops.yaml"]
    capsys.readouterr()
    assert main(command) == 0
    printed = capsys.readouterr().out
    assert printed.endswith("next       silt build --environment shops.py:SHOPS --raw shops --noise shops.yaml\n")
    assert "guesses still marked '?'" in printed
    assert main(command[:-2]) == 0
    assert capsys.readouterr().out.endswith("next       silt build clean --environment shops.py:SHOPS --raw shops\n")
    text = (tmp_path / "shops.py").read_text(encoding="utf-8")
    wrong = text.replace('Column(name="email", role=Role.IDENTIFIER)', 'Column(name="email", type="integer")')
    (tmp_path / "shops.py").write_text(wrong, encoding="utf-8")
    (tmp_path / "shops.yaml").write_text(
        (tmp_path / "shops.yaml").read_text().replace("missing_values", "mising_values")
    )
    assert main(command) == 2
    told = capsys.readouterr().err
    assert "in its declaration" in told
    assert "shops.csv, row 2, column 'email'" in told
    assert "mising_values" in told
    (tmp_path / "shops.py").write_text(text.replace('name="email"', 'name="mail"'), encoding="utf-8")
    write(tmp_path / "shops", {"accounts": SHOPS["accounts"].replace("991.20", "many")})
    assert main(["build", *command[1:], "--json"]) == 2
    built = capsys.readouterr()
    assert "2 parts to mend" in built.err
    assert main(["build", "--environment", "shops.py:SHOPS", "--raw", "nowhere"]) == 2
    both = capsys.readouterr().err
    assert "can't read the folder nowhere" in both
    assert "give one with --noise (NOISE): shops.yaml lies beside the declaration" in " ".join(both.split())
    problems = json.loads(built.out)["problems"]
    assert {"file": "shops.csv", "row": 1, "column": "mail", "value": "email"}.items() <= problems[1].items()
    of_noise = {one["place"]: (one["file"], one["found"]) for one in problems if "place" in one}
    assert ("shops.yaml", "'mising_values'") in of_noise.values()
    (expected,) = (one["expected"] for one in problems if one.get("value") == "many")
    assert expected.startswith("a number: digits")
    assert main([*command, "--json"]) == 2
    looked_at = capsys.readouterr()
    found = json.loads(looked_at.out)
    assert found["problems"] == problems
    assert f"silt: {' '.join(found['message'].split())}" in " ".join(looked_at.err.split())
    assert (found["first"], found["next"]) == ("mend what is named in `message`", shlex.join(["silt", *command]))


@pytest.mark.parametrize("command", ["check", "build"])
def test_a_misspelt_column_is_one_problem(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Advice fits the declaration, and a specification that names the column as the table does is not told to misspell it."""
    write(tmp_path / "shops", SHOPS)
    monkeypatch.chdir(tmp_path)
    assert main(["init", "shops"]) == 0
    text = (tmp_path / "shops.py").read_text(encoding="utf-8")
    (tmp_path / "shops.py").write_text(text.replace('"costs"', '"costss"'), encoding="utf-8")
    assert "costs" in (tmp_path / "shops.yaml").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main([command, "--environment", "shops.py:SHOPS", "--raw", "shops", "--noise", "shops.yaml"]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "1 problem in the raw tables: accounts.csv, row 1, column 'costss': found 'costs'; the column is" in told
    assert "or correct the columns in the declaration" in told
    assert not re.search("null_tokens|did you mean|specification", told)


def test_wide_files_are_not_counted_as_tables() -> None:
    """The paper's environment has 18 tables, as everywhere, and beside them the wide files of `ideal/`."""
    summary = checked("dataclaw-18", raw=None, noise=None).summary
    assert summary.startswith("16 raw tables, 18 published and 6 wide files in ideal/, ")


def test_check_names_what_is_published_and_looks_like_an_identifier(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An attribute of e-mail addresses is kept as it is; whoever declared it so hears of it."""
    rows = "".join(f"S{shop},Shop number {shop},shop{shop}@example.org\n" for shop in range(20))
    folder = write(tmp_path / "shops", {"shops": "shop,name,reach\n" + rows})
    monkeypatch.chdir(tmp_path)
    assert main(["init", "shops"]) == 0
    text = (tmp_path / "shops.py").read_text(encoding="utf-8")
    (tmp_path / "shops.py").write_text(
        text.replace('Column(name="reach", role=Role.IDENTIFIER)', 'Column(name="reach")')
    )
    hints = checked("shops.py:SHOPS", raw=folder, noise=None).hints
    assert any("'reach' is published as it is" in hint and "e-mail addresses in 20 of 20" in hint for hint in hints)


def test_a_short_name_in_a_kept_column_is_something_to_look_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No gate searches for one word of a name. A word that many cells have is a category.

    A name in full is refused: of its column nothing else is said.
    """
    names = [f"{chr(65 + shop)}{chr(97 + shop)}rokker Ltd" for shop in range(12)]
    cells = ["North, once CCROKKER", *["North"] * 5, *["Aarokker"] * 4, "South", "East"]
    rows = "".join(
        f"S{shop},{name},{cell!r}\n".replace("'", '"')
        for shop, (name, cell) in enumerate(zip(names, cells, strict=True))
    )
    folder = write(tmp_path / "shops", {"shops": "shop,name,region\n" + rows})
    monkeypatch.chdir(tmp_path)
    assert main(["init", "shops"]) == 0
    found = checked("shops.py:SHOPS", raw=folder, noise=None)
    (hint,) = (hint for hint in found.hints if "without its legal form" in hint)
    assert hint.startswith(
        "'shops', column 'region' is published as it is: 1 raw cell with a word that is a listed name"
    )
    assert "first in row 2 of shops.csv. No gate searches for such words; if they name somebody, mend" in hint
    assert not re.search("rokker", hint, re.IGNORECASE)
    write(folder, {"shops": "shop,name,region\n" + rows.replace("South", "Ddrokker Ltd")})
    found = checked("shops.py:SHOPS", raw=folder, noise=None)
    assert len(found.refused) == 1
    assert not any("column 'region'" in hint for hint in found.hints)


def test_a_listed_name_in_a_kept_column_is_named_with_its_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where it is guessed, and where it is checked, by the row of the raw file. What is quoted is not shown."""
    rows = (
        'S3,Harbour Goods,"we open\nat nine"\nS2,Miller House,dear to us\nS1,The Corner Loaf,The Corner Loaf for all\n'
    )
    folder = write(tmp_path / "shops", {"shops": f"shop,name,slogan\n{rows}"})
    monkeypatch.chdir(tmp_path)
    assert main(["init", "shops"]) == 0
    assert "column 'slogan' is published as it is, and a build would refuse it" in " ".join(
        capsys.readouterr().out.split()
    )
    (hint,) = checked("shops.py:SHOPS", raw=folder, noise=None).refused
    assert hint.startswith("'shops', column 'slogan' is published as it is")
    assert (
        "1 raw cell with what identifies somebody, first in row 4 of shops.csv; mend the raw cell, or declare slogan: "
        in hint
    )
    assert "Loaf" not in hint
    assert main(["check", "--environment", "shops.py:SHOPS", "--raw", "shops"]) == 1
    printed = capsys.readouterr()
    assert "silt: a build would refuse what stands in 1 column" in printed.err
    assert "first      mend what a build would refuse, then:" in printed.out
    assert main(["check", "--environment", "shops.py:SHOPS", "--raw", "shops", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["outcome"], found["refused"], found["problems"]) == ("refused", [hint], [])
    assert found["next"] in printed.out
    assert all(line.split()[0].split(".")[1].strip(":") in printed.out for line in found["columns"])
    (folder / "shops.csv").unlink()
    assert main(["check", "--environment", "shops.py:SHOPS", "--raw", "shops", "--json"]) == 2
    found = json.loads(capsys.readouterr().out)
    assert (found["outcome"], found["next"]) == ("bad input", "silt check --environment shops.py:SHOPS --raw shops")
    (problem,) = found["problems"]
    assert (problem["file"], problem["row"]) == ("shops.csv", 0)
    assert problem["expected"].startswith("the file is missing")


@pytest.mark.parametrize("with_cells", [False, True])
def test_words_near_a_name_in_texts_about_others_are_counted(
    *, with_cells: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By column and cell; the words are shown on a terminal alone. In the company's own text they are replaced."""
    names = [f"{word} Foods Inc" for word in ("Birchfield", "Haverstock", *(f"Zol{letter}akim" for letter in "bcdfgh"))]
    notes = ["met Birchfeld today and was asked for prices", "met Haverstok at the fair and on the phone"]
    notes.append("saw Birch field at the mill and heard of others")
    others = [f"paid for call number {number} and asked for another one" for number in range(60)]
    shops = "".join(f"S{number},{name},{number}000\n" for number, name in enumerate(names))
    calls = "".join(
        f"{number},S{number % 8},{100 + number * number},{note}\n" for number, note in enumerate(["", *notes, *others])
    )
    folder = write(tmp_path / "shops", {"shops": f"shop,name,sales\n{shops}", "calls": f"call,shop,cost,note\n{calls}"})
    monkeypatch.chdir(tmp_path)
    assert main(["init", "shops"]) == 0
    hints = checked("shops.py:SHOPS", raw=folder, noise=None, with_cells=with_cells).hints
    (hint,) = (hint for hint in hints if "one letter from a listed name" in hint)
    assert hint.startswith(
        "'calls', column 'note': a build keeps 2 words one letter from a listed name, in 2 raw cells"
    )
    assert hint.endswith("'Birchfeld' in 1, 'Haverstok' in 1") == with_cells
    (hint,) = (hint for hint in hints if "with a blank within" in hint)
    assert "a build keeps 1 writing of a listed name with a blank within, in 1 raw cell about others" in hint
    assert hint.endswith("'Birch field' in 1") == with_cells
    sampled = checked("shops.py:SHOPS", raw=folder, noise=None, policy="guarded").hints
    assert not any("one letter" in hint for hint in sampled)  # texts are written anew, or left blank
    write(tmp_path / "shops", {"news": "day,said\nMonday,the fair of Birchfeld was well attended\n"})
    text = (tmp_path / "shops.py").read_text(encoding="utf-8")
    news = 'Column(name="said", role=Role.TEXT, public="news"), Column(name="day", public="a day")'
    declared = f'raw_tables=(\n            RawTable(name="news", key=("day",), columns=({news})),'
    (tmp_path / "shops.py").write_text(text.replace("raw_tables=(", declared, 1), encoding="utf-8")
    (hint,) = (
        hint for hint in checked("shops.py:SHOPS", raw=folder, noise=None, policy="guarded").hints if "letter" in hint
    )
    assert hint.startswith("'news', column 'said': a build keeps 1 word one letter from a listed name, in 1 raw cell")


def test_numbers_that_are_assigned_are_no_figures(tmp_path: Path) -> None:
    """Each row has one of its own, all of one length; what has a unit may look so, too."""
    rows = (f"District {n % 90},{61_000 + 137 * n % 9_973},{n * n % 977},{50_000 + 311 * n}\n" for n in range(97))
    found = guess(write(tmp_path / "schools", {"schools": "district,distcod,pupils,pay (EUR)\n" + "".join(rows)}))
    assert found is not None
    roles = {each.name: each.role for table in found.raw_tables if table.name == "schools" for each in table.columns}
    assert (roles["distcod"], roles["pupils"], roles["pay (EUR)"]) == (Role.IDENTIFIER, Role.MEASURE, Role.MEASURE)


def test_a_declaration_is_written_to_a_file(tmp_path: Path) -> None:
    """A place without a name is refused before anything is written."""
    folder = write(tmp_path / "shops", {"shops": "shop,name\nS1,Bell\nS2,Carr\nS3,Dunn\n"})
    options = argparse.Namespace(folder=folder, to=".", policy="lsd")
    with pytest.raises(InputError, match=r"^--to \.: the declaration is a file"):
        init(options)


def test_a_word_that_many_names_share_is_counted_where_others_texts_hold_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is nobody's, and stays: a reader may know the group by it. So is a word of one name, in small letters."""
    shops = "".join(
        f"S{number},Quarrow {trade} Ltd\n" for number, trade in enumerate(("Foods", "Metals", "Gems", "Toys"))
    )
    others = "".join(f"S{number},Vexholm{'abcdefgh'[number - 4]} Foods Ltd\n" for number in range(4, 12))
    small = {5: "vexholma"}
    notes = (
        f"on day {day} the managers of Quarrow paid and asked for {small.get(day, 'another')}" for day in range(60)
    )
    calls = "".join(f"{number},S{4 + number % 8},{100 + number * number},{note}\n" for number, note in enumerate(notes))
    folder = write(
        tmp_path / "shops", {"shops": f"shop,name\n{shops}{others}", "calls": f"call,shop,cost,note\n{calls}"}
    )
    monkeypatch.chdir(tmp_path)
    assert main(["init", "shops"]) == 0
    hints = checked("shops.py:SHOPS", raw=folder, noise=None, with_cells=True).hints
    keeps = "'calls', column 'note': a build keeps 1 word"
    assert {hint for hint in hints if hint.startswith(keeps)} == {
        f"{keeps} that many listed names share, in 60 raw cells about others; mend what names them: 'Quarrow' in 60",
        f"{keeps} of a listed name, or like one, in 1 raw cell about others; mend what names them: 'vexholma' in 1",
    }


def test_columns_that_move_to_another_table_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Figures of a listing are published in a table of their own, and a listing of who stands in no listing."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"S{number},Shop {number} & Co,{100 + 7 * number}\n" for number in range(9))
    write(tmp_path / "shops", {"shops": f"shop,name,staff\n{rows}"})
    years = "".join(f"A{number},{year},{number}.5\n" for number in range(9) for year in (2020, 2021))
    write(tmp_path / "books", {"books": f"siren,year,turnover\n{years}"})
    assert main(["init", "shops"]) == main(["init", "books"]) == 0
    said = capsys.readouterr().out
    assert "  apart      staff of shops: published in a table of its own, shops_figures\n" in said
    assert "  apart      siren of books: published in a table of its own, siren_list\n" in said


def test_a_table_that_cannot_be_called_as_its_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Silt itself has a table of that name; of others nothing is said."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"S{number},{year},{100 + 7 * number + year}\n" for number in range(9) for year in (2020, 2021))
    shops = "".join(f"S{number},Shop {number} & Co\n" for number in range(9))
    write(tmp_path / "shops", {"shops": f"shop,name\n{shops}", "figures": f"shop,year,sales\n{rows}"})
    assert main(["init", "shops"]) == 0
    (said,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("  called"))
    assert said == "  called     figures: the table is called raw_figures, also where it is published"


def test_records_that_nothing_tells_apart_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their rows differ in cells that may be empty: no key is left, and what is guessed without them can be built."""
    shops = "".join(f"S{number},Shop {number} & Co\n" for number in range(9))
    sales = "".join(f"S{number % 9},{number if number % 7 else ''}\n" for number in range(60))
    folder = write(tmp_path / "shops", {"shops": f"shop,name\n{shops}", "sales": f"shop,amount\n{sales}"})
    monkeypatch.chdir(tmp_path)
    assert main(["init", "shops"]) == 0
    assert "  left out   sales\n" in capsys.readouterr().out
    assert "have no key: 'sales'" in Path("shops.py").read_text(encoding="utf-8")
    assert checked("shops.py:SHOPS", raw=folder, noise=None).problems == []


def test_a_number_of_each_record_is_its_key_whatever_it_is_called(tmp_path: Path) -> None:
    """Two sales of a shop on one day are told apart by it alone; it numbers them anew."""
    shops = "".join(f"S{number},Shop {number} & Co\n" for number in range(9))
    sales = "".join(f"{number + 1},S{number % 9},2024-03-{1 + number % 3:02},5\n" for number in range(60))
    folder = write(tmp_path / "shops", {"shops": f"shop,name\n{shops}", "sales": f"sale,shop,day,fee\n{sales}"})
    found = guess(folder)
    assert found is not None
    assert found.left_out == ()
    roles = {each.name: each.role for table in found.raw_tables if table.name == "sales" for each in table.columns}
    assert roles["sale"] == Role.NUMBER


def test_a_number_that_is_the_code_of_a_register_is_none_of_its_figures(tmp_path: Path) -> None:
    """Its header has `of`, as those of figures have: `code of owner`. The register keeps it, and nothing breaks."""
    owners = "".join(f"Shop {number} & Co,{2_000 + 7 * number}\n" for number in range(12))
    found = guess(write(tmp_path / "owners", {"owners": f"name,code of owner\n{owners}"}))
    assert found is not None
    roles = {each.name: each.role for table in found.raw_tables for each in table.columns}
    assert roles["code of owner"] == Role.CODE

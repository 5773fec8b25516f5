"""Where in the raw tables of a refused build the leaks stand: the first of each column first, of many the first are named."""

from pathlib import Path

import polars as pl

from pipeline.errors import GateError
from pipeline.model import Column, RawTable, Role
from pipeline.places import CURATOR
from pipeline.publish.publication import REFUSED
from pipeline.publish.refusal import FINDINGS
from silt.commands.build.refused import complete
from validation.report.head.completed import first_of


def test_places_are_in_the_order_of_rows(tmp_path: Path) -> None:
    """Twelve addresses that were found in another order: row 10 does not stand before row 2."""
    mails = [f"owner{number}@shops.example" for number in range(12)]
    table = RawTable(name="shops", columns=(Column(name="shop", role=Role.CODE), Column(name="mail")), key=("shop",))
    codes = [f"S{number}" for number in range(12)]
    pl.DataFrame({"shop": codes, "mail": mails}).write_csv(tmp_path / "shops.csv")
    refused = tmp_path / CURATOR / REFUSED
    refused.mkdir(parents=True)
    found = pl.DataFrame(
        {"file": "database/shops.csv", "row": 1, "column": "mail", "written": mails[::-1], "token": ""}
    )
    found.write_csv(refused / FINDINGS)
    error = GateError("refused")
    error.report = str(refused / "report.html")
    places = complete(error, [table], folder=tmp_path, raw=tmp_path, build="", trial="", stands="")
    assert places == [f"shops.csv, row {row}, column mail" for row in range(2, 14)]


def test_a_place_is_of_the_finding_and_not_of_its_words(tmp_path: Path) -> None:
    """A name stands in the table that lists it, too, and in another row: the words around say which cell was published."""
    shops = pl.DataFrame({"shop": ["S1", "S2"], "note": ["Birch sells bread", "none"], "name": ["Birch", "Elm"]})
    visits = pl.DataFrame(
        {"shop": ["S2", "S1", "S2"], "note": ["quick", "like Birch", "Birch again"], "name": [""] * 3}
    )
    tables = []
    for name, rows in {"shops": shops, "visits": visits}.items():
        rows.write_csv(tmp_path / f"{name}.csv")
        roles = {"name": Role.NAME}
        columns = tuple(Column(name=each, role=roles.get(each, Role.ATTRIBUTE)) for each in rows.columns)
        tables.append(RawTable(name=name, columns=columns, key=("shop",)))
    refused = tmp_path / CURATOR / REFUSED
    refused.mkdir(parents=True)
    found = {
        "file": ["database/visits.csv", "database/visits.csv", "database/shops.csv", "reports/report.html"],
        "row": [9, 8, 7, 1],
        "column": ["note", "note", "note", None],
        "before": ["", "like ", "", "like "],
        "written": ["Birch"] * 4,
        "after": [" again", "", "", ""],
        "token": ["Birch"] * 3 + [""],
    }
    pl.DataFrame(found).write_csv(refused / FINDINGS)
    error = GateError("refused")
    error.report = str(refused / "report.html")
    places = complete(error, tables, folder=tmp_path, raw=tmp_path, build="", trial="", stands="")
    assert places == [
        f"{place}, column note (listed in shops.csv, row 2, column name)"
        for place in ("shops.csv, row 2", "visits.csv, row 3", "visits.csv, row 4")
    ]
    kept = pl.read_csv(refused / FINDINGS, infer_schema=False)
    assert kept["raw_row"].to_list() == ["4", "3", "2", None]
    assert kept["listed_in"].to_list() == ["shops.csv, row 2, column name"] * 3 + [""]


def test_of_many_the_first_are_named() -> None:
    """What follows is counted, and stands in the file of findings."""
    assert first_of(["a", "b", "c", "d", "e"]) == ["a", "b", "c", "d", "e"]
    assert first_of(["a", "b", "c", "d", "e", "f", "g"]) == ["a", "b", "c", "d", "e", "and 2 more, in findings.csv"]

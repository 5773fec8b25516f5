"""Where in the raw tables of a refused build the leaks stand: all places in the order of rows, of many the first are named."""

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
    found = pl.DataFrame({"file": "database/shops.csv", "row": 1, "column": "mail", "written": mails[::-1]})
    found.write_csv(refused / FINDINGS)
    error = GateError("refused")
    error.report = str(refused / "report.html")
    places = complete(error, [table], folder=tmp_path, raw=tmp_path, build="", stands="")
    assert places == [f"shops.csv, row {row}, column mail" for row in range(2, 14)]


def test_of_many_the_first_are_named() -> None:
    """What follows is counted, and stands in the file of findings."""
    assert first_of(["a", "b", "c", "d", "e"]) == ["a", "b", "c", "d", "e"]
    assert first_of(["a", "b", "c", "d", "e", "f", "g"]) == ["a", "b", "c", "d", "e", "and 2 more, in findings.csv"]

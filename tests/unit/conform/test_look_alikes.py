"""What columns hold that nobody declares, and that looks like an identifier, is known all the same."""

from pathlib import Path

import pytest

from anonymize.pseudonyms import direct_identifiers
from pipeline.conform import conform, known
from pipeline.model import Column, Entities, Environment, RawTable, Role

COLUMNS = {
    "phone": (["+44 20 7946 0958", "(030) 1234567", "415-555-2671"], True),
    "fax": (["415-555-2671", "on request"], True),
    "mail": (["ida@example.org", "write to jo@example.org", "none"], True),
    "ContactLastName": (["Vandervoort", "Turpin", "O'Hara"], True),
    "iban": (["DE89370400440532013000", "GB82WEST12345698765432", "FR1420041010050500013M02606"], True),
    "terms": (["none", "DE89 3704 0044 0532 0130 00", "on request", "213800KUD8LAJWSQ9D15"], True),
    "batch": (["DE00 3704 0044 0532 0130 00", "AB12345678901234567890", "213800KUD8LAJWSQ9D16"], False),
    "city": (["Lyon", "Nantes", "Vienna"], False),
    "ordered": (["2021-10-11", "2021-10-12", "2021-10-13"], False),
    "capital": (["4.477337", "0.301234", "4.590571"], False),
    "total": (["1234567", "2345678.5", "345678901"], False),
    "status": (["Shipped", "On Hold", "Resolved"], False),
}


def declared(*, ignored: bool, header: str) -> Environment:
    columns = (Column(name="id", role=Role.CODE), *(() if ignored else (Column(name=header, role=Role.IGNORED),)))
    table = RawTable(name="buyers", columns=columns, key=("id",), ignored=(header,) if ignored else ())
    return Environment(
        name="shop", title="Shop", raw_tables=(table,), entities=Entities(tables=("buyers",), code="id"), tables=()
    )


@pytest.mark.parametrize("ignored", [True, False])
@pytest.mark.parametrize("header", list(COLUMNS))
def test_what_looks_like_an_identifier_is_one_whether_declared_or_not(
    header: str, tmp_path: Path, *, ignored: bool
) -> None:
    """By check digits, by form, or by a header that says that people stand below it; other columns hold nothing of the kind."""
    cells, is_one = COLUMNS[header]
    rows = [f'{number},"{cell}"' for number, cell in enumerate(cells)]
    (tmp_path / "buyers.csv").write_text("\n".join([f"id,{header}", *rows]), encoding="utf-8")
    environment = declared(ignored=ignored, header=header)
    result = conform(environment.raw_tables, tmp_path, kinds=environment.kinds)
    found = set(direct_identifiers(environment, known(result.frames, result.dropped))["original"])
    alike = {cell.removeprefix("write to ") for cell in cells} - {"none", "on request"}
    assert found == (alike if is_one else set())

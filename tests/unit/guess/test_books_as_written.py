"""Numbers below zero in brackets and headers of two lines are found, said in the declaration, and read."""

from pathlib import Path

import pytest

from pipeline.conform import conform
from pipeline.errors import ContractError
from pipeline.guess.declared import guess
from pipeline.model import CsvDialect, Numerals, Reshape
from silt.commands.init.writing import declaration
from tests.unit.guess.folders import written

BOOKS = "Books of the group\n,2019,,2020,\nfirm_id,sales,profit,sales,profit\n" + "".join(
    f'F{firm},"{firm * 37 % 9_000 + 1_000:,}","({firm - 900:,})","{firm * 53 % 7_000 + 1_000:,}","{firm * 31 % 8_000:,}"\n'
    for firm in range(1_001, 1_041)
)


def test_books_are_read_as_they_are_written(tmp_path: Path) -> None:
    """A name below `2019` is that of 2019 in each column that it goes on over; a row is known by its line."""
    folder = written(tmp_path / "firms", {"firms": BOOKS.encode()})
    found = guess(folder)
    assert found is not None
    books = next(table for table in found.raw_tables if table.reshape and found.panel.tables == (table.name,))
    assert books.dialect == CsvDialect(title_lines=1, header_lines=2)
    assert books.reshape == Reshape(figures={"sales": "{year} sales", "profit": "{year} profit"})
    assert found.panel.measure("profit").numerals == Numerals(brackets=True, grouping=",")
    rows = conform(found.raw_tables, folder).frames[books.name].sort("firm_id", "year")
    assert rows.rows()[:2] == [("F1001", 2019, 2_037, -101), ("F1001", 2020, 5_053, 7_031)]
    said = declaration(found, "firms")
    assert "the header has 2 lines" in said
    assert "those in brackets are below zero" in said


def test_a_number_that_is_no_number_is_named_with_its_line(tmp_path: Path) -> None:
    """Half a bracket is none."""
    folder = written(tmp_path / "firms", {"firms": BOOKS.encode()})
    found = guess(folder)
    assert found is not None
    written(folder, {"firms": BOOKS.replace('"(101)"', '"(101"').encode()})
    with pytest.raises(ContractError, match=r"row 4.*2019 profit|2019 profit.*row 4|line 4"):
        conform(found.raw_tables, folder)

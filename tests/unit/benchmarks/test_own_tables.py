"""The search of ten published sets can find: names in other writing, numbers in other notation, cells that are alike."""

import pytest

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

"""What `silt diff` says of two releases, in lines."""

from validation.release.diff.differences import Differences


def test_noise_is_counted_in_cells() -> None:
    """Of how many they are so many, in both; a table that one of them has not got has no cell there."""
    rates = {("shops", "town"): ((66, 300), (47, 300)), ("books", "sales"): ((0, 0), (1, 1))}
    lines = Differences(removed=(), added=(), changed=(), meaning={}, tables=(), rates=rates).lines()
    assert [line for line in lines if line.startswith("noise")] == [
        "noise    shops, column 'town': 66 of 300 cells (22.0%), then 47 of 300 cells (15.7%)",
        "noise    books, column 'sales': no cell, then 1 of 1 cell (100%)",
    ]

"""Words of kept columns that are a listed name less its legal form."""

import polars as pl
import pytest

from anonymize.names.short import short_names, with_short_names


def test_a_short_name_is_one_word_before_a_legal_form() -> None:
    """Names of more words are searched for without it, a name without one is searched for as it is, and codes are no names."""
    listed = [("name", "Rokker Ltd"), ("alias", "Wheelers GmbH"), ("name", "Harbour Goods Ltd"), ("name", "Miller")]
    map_ = pl.DataFrame([*listed, ("code", "Zed Ltd")], schema=["kind", "original"], orient="row")
    assert sorted(short_names(map_)) == ["rokker", "wheelers"]


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["North", "once ROKKER's", None, "Rokkers"], [1]),
        (["Rokker, Rokker and Rokker"] * 3, [0, 1, 2]),
        (["Rokker"] * 4, []),
        (["Rokker"] * 4 + ["wheelers"], [4]),
        ([None, None], []),
    ],
    ids=["whole words", "as often in a cell", "a category", "beside a category", "blank"],
)
def test_few_cells_have_a_word_that_names_somebody(cells: list[str | None], found: list[int]) -> None:
    """In any case and between any marks; a word that more than three cells have is a category."""
    assert with_short_names(pl.Series("region", cells, dtype=pl.String), ["rokker", "wheelers"]) == found
    assert with_short_names(pl.Series("region", cells, dtype=pl.String), []) == []


def test_a_name_may_be_repeated_by_its_entity() -> None:
    """In each of its records; a category has many entities, however often one of them has it."""
    cells = pl.Series(["Rokker", "Wheelers"] * 6)
    few = pl.Series(["A", "B"] * 6)
    assert with_short_names(cells, ["rokker"], few) == list(range(0, 12, 2))
    many = pl.Series([f"A{row // 3}" for row in range(12)])
    assert with_short_names(cells, ["rokker"], many) == []

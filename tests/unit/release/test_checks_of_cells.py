"""Cells of a release: what breaks the facts of its column is named, and noise changes as many cells as rules tell of."""

from pathlib import Path

import polars as pl
import pytest

from pipeline.model import Field, PublishedTable
from validation.release.checks import expected, pair
from validation.release.opened import ReleasedVariant
from validation.release.tree import Tree

SHOPS = PublishedTable(path="shops.csv", columns=("id", "name"), needs=(), render=lambda _truth: pl.DataFrame())
VARIANT = ReleasedVariant(tree=Tree(Path(), {}, {}), name="noisy", prefix="noisy/", environment=None)


def shops(*names: str | None) -> pl.DataFrame:
    return pl.DataFrame({"id": [str(row) for row in range(len(names))], "name": names})


def test_a_cell_that_breaks_its_facts_is_named_with_its_row() -> None:
    """The header is row 1."""
    (problem,) = expected._of_table({"name": Field()}, VARIANT, SHOPS, shops("a", None, "c"), {})
    assert (problem.row, problem.column, problem.value) == (3, "name", "nothing")


@pytest.mark.parametrize(("told", "is_found"), [([2], False), ([3], True), ([1], True), ([1, 2], False)])
def test_as_many_cells_differ_as_rules_tell_of(told: list[int], is_found: bool) -> None:  # noqa: FBT001
    """No more than all of them together changed, and no fewer than one of them did."""
    both = pair.paired(SHOPS, shops("a", "b", "c"), shops("x", "y", "c"))
    assert bool(list(pair._of_cells(VARIANT, both, "name", {("shops", "name"): told}))) == is_found

"""Given aggregates against derived ones: agreement is seen, and each kind of disagreement counted."""

import polars as pl

from pipeline.model import GivenAggregate
from validation.consistency.given import Agreement, compare_given

DECLARED = GivenAggregate(
    table="given",
    by={"industry": "行业"},
    statistics=(("assets", "sum", "assets total"), ("assets", "mean", "assets mean")),
)
STATISTICS = pl.DataFrame(
    [("a", "assets", "sum", 12_345, 2), ("a", "assets", "mean", 4_115, 2), ("b", "assets", "sum", None, 2)],
    schema={
        "industry": pl.String,
        "measure": pl.String,
        "statistic": pl.String,
        "mantissa": pl.Int64,
        "scale": pl.Int64,
    },
    orient="row",
)


def given(total: float | None, mean: float | None, empty: float | None = None) -> pl.DataFrame:
    return pl.DataFrame(
        {"行业": ["a", "b"], "assets total": [total, empty], "assets mean": [mean, None]},
        schema={"行业": pl.String, "assets total": pl.Float64, "assets mean": pl.Float64},
    )


def test_the_same_numbers_agree() -> None:
    """Given numbers that follow from the firms agree, a 0 for a group without figures included."""
    found = compare_given(given(123.45, 41.15, 0.0), STATISTICS, DECLARED)
    assert found == Agreement(table="given", cells=2, agreeing=2, only_given=0, only_derived=0)


def test_another_number_is_seen() -> None:
    """A number that differs in its last digit does not agree."""
    assert compare_given(given(123.46, 41.15), STATISTICS, DECLARED).agreeing == 1


def test_cells_of_one_side_are_counted() -> None:
    """A cell that is given without firms, and one that firms make but is not given, are counted apart."""
    found = compare_given(given(None, 41.15, 7.0), STATISTICS, DECLARED)
    assert (found.cells, found.only_given, found.only_derived) == (1, 1, 1)

"""A measure that is the same for everybody: it tells nobody apart, and stays; the figure of a few does not."""

import polars as pl
import pytest

from anonymize.figures import FEWEST_WHO_SHARE, perturb_figures
from pipeline.keyed import Key
from pipeline.model import PERIOD, Measure, Panel

PANEL = Panel(tables=("books",), measures=(Measure(name="fee", unit="EUR", decimals=2),))
KEY = Key(bytes(32))


@pytest.mark.parametrize(
    ("firms", "other", "is_kept"),
    [
        (FEWEST_WHO_SHARE, [], True),
        (FEWEST_WHO_SHARE - 1, [], False),
        (FEWEST_WHO_SHARE, [None], True),
        (FEWEST_WHO_SHARE, [100_001], False),
    ],
    ids=["everybody", "a few", "everybody who has it", "all but one"],
)
def test_only_what_everybody_shares_stays(firms: int, other: list[int | None], *, is_kept: bool) -> None:
    """It is the only value, and enough entities have it; records of one entity count once."""
    fees = [100_000] * firms + other
    books = pl.DataFrame(
        {"firm": [f"F{place}" for place in range(len(fees))] * 2, "fee": fees * 2}, schema_overrides={"fee": pl.Int64}
    ).with_columns(pl.int_range(pl.len()).alias(PERIOD))
    published = perturb_figures(books, PANEL, code="firm", key=KEY)
    assert published["fee"].equals(books["fee"]) == is_kept

"""What cells look like is worked out once for each text, and is what each cell by itself looks like."""

import math

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from validation.attacks.noise.looks import NOWHERE, RANGES, NoiseLooks

TEXTS = (
    st.none() | st.text("汉é9a -\t　٣①,.", max_size=6) | st.sampled_from(["1.50", "-0", "0", "nan", "1e3", "3/4/2022"])
)
PATTERNS = (r"[0-9]", r"\p{Han}", r"\p{Latin}", r"\s", r"[^\p{L}\p{N}\s]")


def slowly(text: str | None) -> list[float]:
    """Return the numbers of one cell, each by an expression of its own."""
    cell = pl.select(text=pl.lit(text, pl.String))
    column, length = pl.col("text"), len(text or "")
    number, digit = (
        cell.select(each.cast(pl.Float64, strict=False)).item() for each in (column, column.str.extract(r"([0-9])$", 1))
    )
    decimals = cell.select(column.str.extract(r"\.([0-9]+)$", 1).str.len_bytes()).item() or 0
    counts = [cell.select(column.str.count_matches(pattern)).item() for pattern in PATTERNS]
    shares = [count / length if text else None for count in counts]
    told = [length, number, decimals, digit, *shares] if text is not None else [None] * 9
    return [math.nan if each is None or not math.isfinite(each) else float(each) for each in told]


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=8))
def test_numbers_of_many_texts_are_those_of_each(cells: list[tuple[str | None, str | None]]) -> None:
    """Length, number, decimals, last digit and kinds of characters are counted as one by one."""
    rows = pl.DataFrame(cells, schema={"first": pl.String, "second": pl.String}, orient="row")
    looks = NoiseLooks.of([rows, rows])
    found = looks.numbers[looks.places(rows)]
    wanted = [[slowly(text) for text in rows[column]] for column in rows.columns]
    np.testing.assert_array_equal(found, np.array(wanted))


@given(st.lists(TEXTS, min_size=1, max_size=12))
def test_ranks_follow_the_order_of_texts(texts: list[str | None]) -> None:
    """Constants are ranked as texts are sorted; an empty cell has no rank but that of being missing."""
    rows = pl.DataFrame({"column": texts}, schema={"column": pl.String})
    looks = NoiseLooks.of([rows])
    (places,) = looks.places(rows)
    ordered = sorted({text for text in texts if text is not None}, key=lambda text: text.encode())
    expected = [NOWHERE if text is None else ordered.index(text) for text in texts]
    assert looks.ranks["a constant"][places].tolist() == expected
    assert all(
        (looks.ranks[kind][places] == NOWHERE).tolist()[place]
        for kind in list(RANGES)[1:]
        for place in [place for place, text in enumerate(texts) if text is None]
    )

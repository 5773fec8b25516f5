"""Columns of codes: which of their cells are a token, in the form that is compared."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pipeline.model.plain_codes import plain_code
from validation.escapes.code_columns import plain_tokens, stand_in
from validation.escapes.identifiers import Identifiers

codes = st.text("09Aa.é股😀", max_size=4)


def plain(cells: list[str | None]) -> list[str | None]:
    return (
        pl.DataFrame({"cell": cells}, schema={"cell": pl.String}).select(plain_code(pl.col("cell")))["cell"].to_list()
    )


@given(st.lists(st.one_of(st.none(), codes), max_size=5), st.sets(codes, max_size=9))
def test_a_token_among_many_is_found(cells: list[str | None], tokens: set[str]) -> None:
    """As by comparing each with each, and a cell without a value is none."""
    every = plain_tokens(Identifiers(codes=tuple(sorted(tokens))))
    held = {token for of_kind in every.values() for token in of_kind}
    assert stand_in(pl.Series("code", cells, dtype=pl.String), every) == bool(held & {*plain(cells)} - {None})

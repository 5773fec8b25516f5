"""Shares of tables: every entity falls to one, and what looks further than an entity is not divided."""

import polars as pl
import pytest

from validation.noise.cleaner.shares import NotApartError, Share, numbers_of, shares_of

CODES = pl.Series("code", [str(number) for number in range(50)])


def test_every_code_falls_to_one_share() -> None:
    """To the same one in any order and among any others; a table that is not long is one share."""
    numbers = numbers_of(CODES, 3)
    assert set(numbers) == {0, 1, 2}
    assert numbers_of(CODES.reverse()[:20], 3).equals(numbers.reverse()[:20], check_names=False)
    assert (shares_of(1), shares_of(250_000), shares_of(250_001)) == (1, 1, 2)


def test_rows_of_others_are_refused() -> None:
    """Mended codes must fall to the share, in every table; a row without one is nobody's, a table without them is refused."""
    share = Share(1, 3, {"firms": "code", "figures": "firm"})
    own, other = CODES.filter(numbers_of(CODES, 3) == 1), CODES.filter(numbers_of(CODES, 3) != 1)
    rows = pl.DataFrame({"code": [*own, None]})
    share.refuse_others({"firms": rows, "figures": rows.rename({"code": "firm"})})
    for wrong in (pl.DataFrame({"firm": [own[0], other[0]]}), pl.DataFrame({"another": [own[0]]})):
        with pytest.raises(NotApartError, match="rows of figures are of entities of several shares"):
            share.refuse_others({"firms": rows, "figures": wrong})

"""Rows that further tables have about entities: drawn from counts to which an entity gives 1, however many rows it has."""

from collections import Counter
from dataclasses import replace
from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.synthesis.entities.categories import SENSITIVITY
from anonymize.synthesis.entities.rows import _counting, _rounded
from pipeline.model import Column, Entities, RawTable, Role
from tests.unit.synthesis.test_categories import moved
from tests.unit.synthesis.yards import YARDS, originals, released

ROW = st.tuples(st.integers(0, 5), st.sampled_from(["a", "b", None]))


def owned(rows: list[tuple[int, str | None]]) -> pl.DataFrame:
    """Return rows of owners."""
    return pl.DataFrame(rows, schema={"owner": pl.Int64, "value": pl.String}, orient="row")


@given(rows=st.lists(ROW, max_size=40), instead=st.lists(st.sampled_from(["a", "b", None]), max_size=100))
def test_all_rows_of_an_entity_together_move_a_count_by_no_more_than_its_sensitivity(
    rows: list[tuple[int, str | None]], instead: list[str | None]
) -> None:
    """Whatever rows the first entity has, none or a hundred, the counts of values move by sqrt(2) at most."""
    others = [row for row in rows if row[0]]
    replaced = [*others, *((0, value) for value in instead)]
    counting = [_counting(owned(each), "owner") for each in (rows, replaced)]
    assert moved(*counting, ["value"]) <= SENSITIVITY + 1e-9


def test_numbers_of_rows_are_rounded_down() -> None:
    """To powers of two, and to one and a half of them."""
    found = pl.select(_rounded(pl.int_range(0, 26))).to_series().to_list()
    assert found == [0, 1, 2, 3, 4, 4, 6, 6, *[8] * 4, *[12] * 4, *[16] * 8, 24, 24]


def test_rows_about_firms_are_nobodys() -> None:
    """A third of 600 firms is visited once: about as many are drawn, others, and what one visit alone says is blank."""
    tables = originals(600)
    rows = released(tables)[0].rows["visits"]
    before, after = (set(frame["mill"]) for frame in (tables["visits"], rows))
    assert rows.columns == tables["visits"].columns
    assert len(after) == rows.height == pytest.approx(200, abs=60)
    assert after <= set(tables["mills"]["mill"])
    assert len(before & after) == pytest.approx(len(before) * len(after) / 600, abs=40)
    assert set(rows["visit"]) <= {1, None}
    assert rows["visit"].null_count() < 0.1 * rows.height
    assert rows["seen"].null_count() == rows.height


PILOTS = Entities(tables=("pilots",), code="pilot", kind="pilot")
TRIPS = RawTable(
    name="trips",
    key=("mill", "number"),
    columns=(
        Column(name="mill", role=Role.CODE, nullable=False),
        Column(name="number", type="integer", nullable=False, public="counts the trips of a mill"),
        Column(name="pilot", role=Role.CODE, of="pilot"),
        Column(name="day", role=Role.DATE, type="date"),
        Column(name="weather"),
        Column(name="told", role=Role.TEXT),
        Column(name="by", role=Role.NAME),
        Column(name="ticket", role=Role.IDENTIFIER),
    ),
)
PORTS = replace(
    YARDS,
    raw_tables=(
        *YARDS.raw_tables,
        TRIPS,
        RawTable(
            name="pilots", key=("pilot",), columns=(Column(name="pilot", role=Role.CODE, of="pilot", nullable=False),)
        ),
    ),
    further=(PILOTS,),
)


def trips() -> dict[str, pl.DataFrame]:
    """Return yards of which every second made three trips, in one of two years, most in rain, some without a pilot."""
    tables = originals(600)
    mills = [mill for mill in tables["mills"]["mill"][::2] for _ in range(3)]
    count = len(mills)
    made = pl.DataFrame(
        {
            "mill": mills,
            "number": [1, 2, 3] * (count // 3),
            "pilot": [None if i % 4 == 0 else f"P{i % 50}" for i in range(count)],
            "day": [date(2020 + i // 3 % 2, 3, 1 + i % 28) for i in range(count)],
            "weather": ["rain" if i % 10 else "fog" for i in range(count)],
            "told": [f"trip {i}" for i in range(count)],
            "by": [f"{mill} Ltd" for mill in mills],
            "ticket": [f"T{i}" for i in range(count)],
        }
    )
    return tables | {"trips": made, "pilots": pl.DataFrame({"pilot": [f"P{i}" for i in range(50)]})}


def test_each_column_of_a_row_is_drawn_by_itself() -> None:
    """Numbers, years and weather are as frequent as before, pilots come evenly, texts and tickets are null, names are codes."""
    tables = trips()
    before, after = tables["trips"], released(tables, environment=PORTS)[0].rows["trips"]
    assert after.schema == before.schema
    assert not after.select("mill", "number").is_duplicated().any()
    visited = after["mill"].n_unique()
    assert visited == pytest.approx(300, abs=40)
    for column in ("weather", "number"):
        counts = [Counter(frame[column]) for frame in (before, after)]
        for value, number in counts[0].items():
            assert counts[1][value] / after.height == pytest.approx(number / before.height, abs=0.1), value
    assert set(after["day"].drop_nulls()) == {date(2020, 7, 1), date(2021, 7, 1)}
    assert after["pilot"].null_count() / after.height == pytest.approx(0.25, abs=0.1)
    pilots = Counter(after["pilot"].drop_nulls())
    assert len(pilots) == 50
    assert max(pilots.values()) < 4 * min(pilots.values())
    assert after["told"].null_count() == after["ticket"].null_count() == after.height
    assert after["by"].equals(after["mill"], check_names=False)

"""Quasi-identifiers: classes are counted as by hand, and so is what a release leaves blank; declarations hang together."""

from collections import Counter
from datetime import date

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.quasi_identifiers import Classes, anonymity, given_up
from pipeline.errors import InputError
from pipeline.model import Environment, QuasiIdentifier, QuasiIdentifiers
from silt.environments.registry import ENVIRONMENTS

DECLARED = QuasiIdentifiers(
    kept=("industry",),
    dealt=(
        QuasiIdentifier(column="province"),
        QuasiIdentifier(column="city", within="province"),
        QuasiIdentifier(column="owner", along=("owner_id",)),
        QuasiIdentifier(column="listed"),
    ),
)
SCHEMA = {
    "industry": pl.String,
    "province": pl.String,
    "city": pl.String,
    "owner": pl.String,
    "owner_id": pl.Int64,
    "listed": pl.Date,
}

# Few values, so that classes of every size occur; a city may stand in two provinces, an owner may lack its number.
firms = st.tuples(
    st.sampled_from("ab"),
    st.sampled_from(["p", "p", "p", "q", "r", None]),
    st.sampled_from(["x", "x", "y", None]),
    st.sampled_from(["state", "private", None]),
    st.sampled_from([1, 2, None]),
    st.one_of(st.none(), st.dates(date(2019, 12, 1), date(2020, 1, 31))),
)
registers = st.lists(firms, max_size=50)


def framed(rows: list[tuple[object, ...]]) -> pl.DataFrame:
    """Give each firm a code of its own."""
    return pl.DataFrame(rows, schema=SCHEMA, orient="row").with_columns(code=pl.int_range(pl.len()).cast(pl.String))


def read_alike(frame: pl.DataFrame) -> Counter[tuple[object, ...]]:
    """Count the firms of each class by comparing rows one by one, of dates the year."""
    rows = frame.select(DECLARED.columns).rows()
    return Counter(tuple(value.year if isinstance(value, date) else value for value in row) for row in rows)


@given(registers, st.integers(1, 7))
def test_classes_are_counted(rows: list[tuple[object, ...]], k: int) -> None:
    """The figures are those of classes counted row by row."""
    frame = framed(rows)
    sizes = read_alike(frame).values()
    below = sum(size for size in sizes if size < k)
    assert anonymity(frame, DECLARED.columns, k=k) == Classes(
        k=k,
        records=len(rows),
        smallest=min(sizes, default=0),
        below=below,
        unique=sum(size for size in sizes if size == 1),
        share_below=below / max(len(rows), 1),
    )


def test_the_share_below_is_of_all_records() -> None:
    """One firm in four is in a class of fewer than three; no firm is none."""
    frame = framed([("a", None, None, None, None, None)] * 3 + [("b", None, None, None, None, None)])
    assert anonymity(frame, DECLARED.columns, k=3).share_below == 0.25
    assert anonymity(frame.clear(), DECLARED.columns, k=3).share_below == 0.0


def test_a_part_before_its_whole_is_refused() -> None:
    """A city cannot be told before the province without which it is not told."""
    with pytest.raises(InputError, match="unknown quasi-identifier before 'city' 'province'; known: industry"):
        QuasiIdentifiers(kept=("industry",), dealt=DECLARED.dealt[1::-1])


def test_a_column_declared_twice_is_refused() -> None:
    """A column is kept or may be given up, not both."""
    with pytest.raises(InputError, match=r"\['industry'\] are declared twice"):
        QuasiIdentifiers(kept=("industry",), dealt=(QuasiIdentifier(column="sub", along=("industry",)),))


@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=ENVIRONMENTS.keys())
def test_declared_columns_are_in_the_entity_table(environment: Environment) -> None:
    """Every quasi-identifier is a column of the first entity table, read or completed, and no direct identifier."""
    table = environment.raw_table(environment.entities.tables[0])
    empty = pl.LazyFrame(
        schema={column.name: pl.Date if column.type == "date" else pl.String for column in table.columns}
    )
    completed = table.complete(empty) if table.complete else empty
    assert environment.quasi_identifiers is not None
    assert set(environment.quasi_identifiers.columns) <= set(completed.collect_schema().names())
    assert environment.quasi_identifiers.kept[0] == environment.entities.industry


def test_what_is_left_blank_is_counted() -> None:
    """Each column with its filled fields, those blanked and the share left; 1 where nothing was filled."""
    before = framed([("a", "p", None, "state", 1, None)] * 4)
    after = before.with_columns(province=pl.Series(["p", None, None, None]))
    found = given_up(before, after, DECLARED)
    assert found.columns == ["column", "filled", "given_up", "share_left"]
    assert found.rows()[:3] == [("industry", 4, 0, 1.0), ("province", 4, 3, 0.25), ("city", 0, 0, 1.0)]


def test_days_of_one_year_read_the_same() -> None:
    """Five firms listed on different days of a year are one class, for days are drawn and say nothing."""
    frame = framed([("a", "p", "x", "state", 1, date(2020, 1 + place, 1)) for place in range(5)])
    assert anonymity(frame, DECLARED.columns, k=5).smallest == 5

"""Quasi-identifiers: no class is smaller than k, nothing is changed but blanked, and what is most useful stays longest."""

import random
from collections import Counter
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymize.quasi_identifiers import Anonymity, anonymity, generalise, given_up
from pipeline.conform import conform
from pipeline.environment.model import Environment, QuasiIdentifier, QuasiIdentifiers
from pipeline.environment.registry import ENVIRONMENTS
from pipeline.environment.us_listed import CODE, US_LISTED
from pipeline.errors import InputError
from pipeline.keyed import Key

KEY = Key(b"k" * 32)
DECLARED = QuasiIdentifiers(
    kept=("industry",),
    told=(
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


def generalised(frame: pl.DataFrame, k: int, key: Key = KEY) -> pl.DataFrame:
    """Generalise by what the tests declare."""
    return generalise(frame, DECLARED, k=k, entity="code", key=key)


def read_alike(frame: pl.DataFrame) -> Counter[tuple[object, ...]]:
    """Count the firms of each class by comparing rows one by one, of dates the year."""
    rows = frame.select(DECLARED.columns).rows()
    return Counter(tuple(value.year if isinstance(value, date) else value for value in row) for row in rows)


@settings(max_examples=40)
@given(registers, st.integers(1, 7))
def test_classes_have_k_firms_where_industries_have(rows: list[tuple[object, ...]], k: int) -> None:
    """A class of fewer than k is a whole industry of fewer than k."""
    frame = framed(rows)
    industries = Counter(frame["industry"])
    classes = read_alike(generalised(frame, k))
    assert all(size >= k or size == industries[str(read[0])] for read, size in classes.items())


@settings(max_examples=40)
@given(registers, st.integers(1, 7))
def test_values_stay_or_are_blanked(rows: list[tuple[object, ...]], k: int) -> None:
    """Each field is the original's or blank, nothing that is kept is blank, and columns and rows keep their order."""
    frame = framed(rows)
    after = generalised(frame, k)
    assert after.schema == frame.schema
    assert after.select("code", "industry").equals(frame.select("code", "industry"))
    for old, new in zip(frame.rows(), after.rows(), strict=True):
        assert all(there in (before, None) for before, there in zip(old, new, strict=True))


@settings(max_examples=40)
@given(registers, st.integers(2, 7))
def test_columns_go_with_those_that_they_belong_to(rows: list[tuple[object, ...]], k: int) -> None:
    """No city is told without its province; an owner and its number are both told as they were, or both blank."""
    frame = framed(rows)
    for old, new in zip(frame.rows(named=True), generalised(frame, k).rows(named=True), strict=True):
        assert new["city"] is None or new["province"] is not None
        assert (new["owner"], new["owner_id"]) in ((old["owner"], old["owner_id"]), (None, None))


@settings(max_examples=40)
@given(registers, st.integers(1, 7), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(rows: list[tuple[object, ...]], k: int, shuffler: random.Random) -> None:
    """The same firms in another order are blanked alike."""
    frame = framed(rows)
    places = list(range(frame.height))
    shuffler.shuffle(places)
    assert generalised(frame[places], k).equals(generalised(frame, k)[places])


@settings(max_examples=40)
@given(registers)
def test_classes_of_one_blank_nothing_but_cities_without_a_province(rows: list[tuple[object, ...]]) -> None:
    """With k = 1 nothing is blanked but a city that stands without its province in the table itself."""
    frame = framed(rows)
    coherent = frame.with_columns(pl.when(pl.col("province").is_not_null()).then("city").alias("city"))
    assert generalised(frame, 1).equals(coherent)


@settings(max_examples=40)
@given(registers, st.integers(1, 7))
def test_a_second_time_changes_nothing(rows: list[tuple[object, ...]], k: int) -> None:
    """What was generalised stays as it is, whoever the key would draw next."""
    once = generalised(framed(rows), k)
    assert generalised(once, k, KEY.derive("another")).equals(once)


def test_records_of_the_commonest_value_join_those_that_are_too_few() -> None:
    """Two firms of a rare province and twenty of a common one: three of the twenty give theirs up, not all."""
    frame = framed([("a", "q", None, None, None, None)] * 2 + [("a", "p", None, None, None, None)] * 20)
    after = generalised(frame, 5)["province"]
    assert after[:2].null_count() == 2
    assert after[2:].null_count() == 3


def test_all_join_where_too_few_would_be_left() -> None:
    """Two firms of a rare province and six of a common one: three of six may not go alone, so all eight are blank."""
    frame = framed([("a", "q", None, None, None, None)] * 2 + [("a", "p", None, None, None, None)] * 6)
    assert generalised(frame, 5)["province"].null_count() == 8


def test_the_key_draws_who_joins() -> None:
    """Under another key other firms give their province up, and as many."""
    frame = framed([("a", "q", None, None, None, None)] + [("a", "p", None, None, None, None)] * 200)
    one, other = (generalised(frame, 50, key)["province"].is_null() for key in (KEY, KEY.derive("another")))
    assert one.sum() == other.sum() == 50
    assert not one.equals(other)


def test_what_is_most_useful_is_told_first() -> None:
    """Ten firms that differ in owner and year keep the province that they share, and the owners that five share."""
    years = [date(2010 + place, 1, 1) for place in range(10)]
    frame = framed([("a", "p", "x", "state" if day.year < 2015 else "private", 1, day) for day in years])
    after = generalised(frame, 5)
    assert given_up(frame, after, DECLARED)["given_up"].to_list() == [0, 0, 0, 0, 0, 10]


def test_days_of_one_year_read_the_same() -> None:
    """Five firms listed on different days of a year keep their days, for those are redrawn and say nothing."""
    frame = framed([("a", "p", "x", "state", 1, date(2020, 1 + place, 1)) for place in range(5)])
    assert generalised(frame, 5).equals(frame)


def test_what_was_given_up_is_counted() -> None:
    """Each column with its filled fields, those blanked and the share left; 1 where nothing was filled."""
    before = framed([("a", "p", None, "state", 1, None)] * 4)
    after = before.with_columns(province=pl.Series(["p", None, None, None]))
    found = given_up(before, after, DECLARED)
    assert found.columns == ["column", "filled", "given_up", "share_left"]
    assert found.rows()[:3] == [("industry", 4, 0, 1.0), ("province", 4, 3, 0.25), ("city", 0, 0, 1.0)]


@settings(max_examples=40)
@given(registers, st.integers(1, 7))
def test_classes_are_counted(rows: list[tuple[object, ...]], k: int) -> None:
    """The figures are those of classes counted row by row."""
    frame = framed(rows)
    sizes = read_alike(frame).values()
    assert anonymity(frame, DECLARED.columns, k=k) == Anonymity(
        k=k,
        records=len(rows),
        smallest=min(sizes, default=0),
        below=sum(size for size in sizes if size < k),
        unique=sum(size for size in sizes if size == 1),
    )


def test_the_share_below_is_of_all_records() -> None:
    """One firm in four is in a class of fewer than three; no firm is none."""
    frame = framed([("a", None, None, None, None, None)] * 3 + [("b", None, None, None, None, None)])
    assert anonymity(frame, DECLARED.columns, k=3).share_below == 0.25
    assert anonymity(frame.clear(), DECLARED.columns, k=3).share_below == 0.0


def test_a_part_before_its_whole_is_refused() -> None:
    """A city cannot be told before the province without which it is not told."""
    with pytest.raises(InputError, match="unknown quasi-identifier before 'city' 'province'; known: industry"):
        QuasiIdentifiers(kept=("industry",), told=DECLARED.told[1::-1])


def test_a_column_declared_twice_is_refused() -> None:
    """A column is kept or may be given up, not both."""
    with pytest.raises(InputError, match=r"\['industry'\] are declared twice"):
        QuasiIdentifiers(kept=("industry",), told=(QuasiIdentifier(column="sub", along=("industry",)),))


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


@pytest.mark.real
def test_real_companies_are_five_anonymous(real_tables: Path) -> None:
    """No real company of 505 is in a class of five; after generalising all are, and three sub-industries in five stay."""
    securities = conform(US_LISTED.raw_tables, real_tables / "us_listed").frames["securities"]
    declared = US_LISTED.quasi_identifiers
    assert declared is not None
    after = generalise(securities, declared, k=5, entity=CODE, key=KEY)
    assert anonymity(securities, declared.columns, k=5).below == 505
    assert anonymity(after, declared.columns, k=5).smallest == 5
    left = dict(given_up(securities, after, declared).select("column", "share_left").iter_rows())
    assert left["GICS Sector"] == 1.0
    assert left["GICS Sub Industry"] > 0.6

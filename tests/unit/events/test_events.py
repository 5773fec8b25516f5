"""Events under `lsd`: figures keyed by the row, times moved by whole weeks, numbers drawn anew, no order left."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.figures.closure import breaks
from anonymize.figures.events import anonymise_events, published_order
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import Column, Difference, Environment, Role
from pipeline.model.periods import Frequency, period_of
from tests.unit.events.voyages import KEY, LOG, TABLE, VOYAGES, fleet, many, voyages, within

TIMES = st.datetimes(datetime.fromisoformat("2019-01-01"), datetime.fromisoformat("2024-12-31T23:00"))
AMOUNTS = st.one_of(st.none(), st.integers(-(10**6), 10**6))
ROWS = st.lists(st.tuples(st.sampled_from(["s1", "s2", "s3"]), TIMES, AMOUNTS, AMOUNTS), min_size=1, max_size=12)
WITHIN: tuple[Frequency | None, ...] = (None, "year", "quarter", "month")

Rows = list[tuple[str, datetime, int | None, int | None]]


def released(originals: pl.DataFrame, stay_within: Frequency | None = None, key: Key = KEY) -> pl.DataFrame:
    """Return the events as they are published, in the order of the originals."""
    events = replace(VOYAGES, stay_within=stay_within)
    published = anonymise_events(events, TABLE, originals, key)
    order = published_order(TABLE, originals, key)
    return published.with_columns(place=order).sort("place").drop("place")


def moved(originals: pl.DataFrame, published: pl.DataFrame, column: str) -> pl.Series:
    """Return by how much each time moved."""
    return (published[column] - originals[column]).alias("moved")


@pytest.mark.parametrize("stay_within", WITHIN)
@given(rows=ROWS)
def test_times_move_by_whole_weeks_and_never_stay(stay_within: Frequency | None, rows: Rows) -> None:
    """Weekday and time of day stay, the time does not, and the times of one row move together."""
    originals = voyages(rows)
    published = released(originals, stay_within)
    shift = moved(originals, published, "left")
    assert (shift.dt.total_microseconds() % timedelta(weeks=1).total_seconds() * 1e6 == 0).all()
    assert (shift != timedelta(0)).all()
    assert (moved(originals, published, "due").dt.total_days() == shift.dt.total_days()).all()


@given(rows=ROWS)
def test_events_of_an_entity_keep_their_order(rows: Rows) -> None:
    """Where they may leave their periods, all of an entity move by one number of weeks, half a year at most."""
    originals = voyages(rows)
    shift = originals.select("ship", moved(originals, released(originals), "left"))
    assert (shift.group_by("ship").agg(pl.col("moved").n_unique())["moved"] == 1).all()
    assert (shift["moved"].abs() <= timedelta(weeks=26)).all()


@pytest.mark.parametrize("stay_within", ["year", "quarter", "month"])
@given(rows=ROWS)
def test_events_stay_within_their_period(stay_within: Frequency, rows: Rows) -> None:
    """The first time of a row, by which it belongs to a period, does not leave it."""
    originals = voyages(rows)
    before, after = (
        side.select(period_of(pl.col("left"), stay_within)).to_series()
        for side in (originals, released(originals, stay_within))
    )
    assert before.equals(after)


@pytest.mark.parametrize(("year", "days"), [(2023, 365), (2024, 366)])
def test_the_days_of_a_year_are_turned_round(year: int, days: int) -> None:
    """The days of whole weeks change places; those behind the last week go where the first ones go."""
    every = [datetime.fromisoformat(f"{year}-01-01") + timedelta(days=day) for day in range(days)]
    published = released(voyages([("s1", day, 1, 1) for day in every]), "year")
    places = [(day.date() - date(year, 1, 1)).days for day in published["left"]]
    assert sorted(places[:364]) == list(range(364))
    assert all((place - day) % 7 == 0 and place < 364 for day, place in enumerate(places))
    steps = {(after - before) % 364 for before, after in pairwise(places[:364])}
    assert steps == {1}


def test_a_row_without_its_first_time_moves_by_the_next() -> None:
    """What is missing stays missing, and the other time is none of the originals'."""
    originals = many(2, 3).with_columns(left=pl.lit(None, pl.Datetime("us")))
    published = released(originals, "year")
    assert published["left"].null_count() == published.height
    assert (published["due"] != originals["due"]).all()
    assert (published["due"].dt.year() == originals["due"].dt.year()).all()


def test_ships_move_apart_and_keys_differ() -> None:
    """Of many ships hardly two move alike, and another key moves them otherwise."""
    originals = voyages([(f"s{ship}", datetime.fromisoformat("2023-05-01"), 1, 1) for ship in range(300)])
    shifts = [moved(originals, released(originals, "year", key), "left") for key in (KEY, Key(b"o" * 32))]
    counts = shifts[0].value_counts()["count"]
    assert 45 <= counts.len() <= 51
    assert int(counts.to_numpy().max()) < 20
    assert (shifts[0] == shifts[1]).mean() < 0.1  # type: ignore[operator]


@given(rows=ROWS, data=st.data())
def test_a_row_depends_on_itself_alone(rows: Rows, data: st.DataObject) -> None:
    """Figures and times of a row are the same whatever other rows there are, and in whatever order."""
    originals = voyages(rows)
    columns = ["ship", "left", "due", *(measure.name for measure in VOYAGES.measures)]
    places = data.draw(st.permutations(range(originals.height)))[: max(1, originals.height - 1)]
    assert released(originals)[places].select(columns).equals(released(originals[places]).select(columns))


@given(rows=ROWS)
def test_identities_of_a_row_hold_where_they_held(rows: Rows) -> None:
    """Products and sums are computed again; where one did not hold it need not."""
    originals = voyages(rows).with_columns(aboard=pl.col("aboard") + (pl.int_range(pl.len()) == 2).cast(pl.Int64))
    held = breaks(originals, VOYAGES, code="ship").select(~pl.all())
    broken = breaks(released(originals), VOYAGES, code="ship")
    for name in held.columns:
        assert not (held[name] & broken[name]).any()


def test_numbers_are_drawn_anew_for_each_entity_and_number() -> None:
    """A number that returns is the same, two entities with one number have two, and no original is left but by chance."""
    originals = many(20, 40).with_columns(ticket=pl.format("T{}", pl.int_range(pl.len()) % 9))
    published = released(originals)
    pairs = originals.select("ship", "ticket").with_columns(number=published["ticket"]).unique()
    assert pairs.height == pairs.select("ship", "ticket").unique().height
    assert sorted(int(number) for number in pairs["number"]) == list(range(1, pairs.height + 1))


@pytest.mark.parametrize("name", ["number", "owner", "was"])
def test_a_column_of_numbers_has_any_name(name: str) -> None:
    """Also one by which the numbering calls what it works on."""
    originals = many(3, 4)
    columns = (replace(each, name=name) if each.name == "ticket" else each for each in TABLE.columns)
    named = replace(TABLE, key=("ship", name), columns=tuple(columns))
    numbers = anonymise_events(VOYAGES, named, originals.rename({"ticket": name}), KEY)[name]
    assert sorted(numbers) == sorted(released(originals)["ticket"])


def test_the_order_of_rows_is_another() -> None:
    """Rows stand in an order of their own, whatever the order in which they came."""
    originals = many(20, 20)
    events = replace(VOYAGES, stay_within="year")
    first, second = (anonymise_events(events, TABLE, side, KEY) for side in (originals, originals.reverse()))
    assert first.drop("ticket").equals(second.drop("ticket"))
    places = published_order(TABLE, originals, KEY)
    assert (
        abs(
            pl.DataFrame({"now": pl.int_range(len(places), eager=True), "then": places})
            .select(pl.corr("now", "then"))
            .item()
        )
        < 0.15
    )


def test_small_figures_change_only_as_far_as_digits_are_left() -> None:
    """Figures keep their leading digits as the panel's do: one digit of tons, three of takings that are no product."""
    originals = many(5, 10)
    published = released(originals)
    for name, kept in (("tons", 1), ("fare", 1)):
        before, after = (side[name].cast(pl.String).str.slice(0, kept) for side in (originals, published))
        assert before.equals(after)
        assert (originals[name] != published[name]).mean() > 0.9  # type: ignore[operator]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fleet(replace(VOYAGES, entity="port")), "column of role code in the events 'voyages' 'port'"),
        (lambda: fleet(replace(VOYAGES, time="tons")), "column of role time in the events 'voyages' 'tons'"),
        (lambda: fleet(replace(VOYAGES, table="flights")), "raw table 'flights'"),
        (lambda: fleet(VOYAGES), "have to `stay_within` the year"),
        (lambda: fleet(replace(VOYAGES, stay_within="year", time="")), "need a `time`"),
        (lambda: within("week"), "cannot be moved by whole weeks within a week"),
        (
            lambda: replace(VOYAGES, identities=(Difference(output="tons", base="crew"),)),
            "looks beyond the row of an event",
        ),
        (
            lambda: fleet(replace(VOYAGES, stay_within="year", measures=(), identities=(), may_stay=frozenset())),
            "measure of the events 'voyages'",
        ),
        (
            lambda: fleet(
                replace(VOYAGES, stay_within="year"),
                table=replace(TABLE, columns=(*TABLE.columns, Column(name="port", role=Role.TIME))),
            ),
            "column 'port' of 'voyages' is a time, but of type text",
        ),
        (
            lambda: replace(fleet(within("year").events[0]), events=(), panel=replace(LOG, identities=())),
            "column 'ticket' of 'voyages' has the role number, which only tables of events have",
        ),
        (lambda: replace(within("year"), events=within("year").events * 2), "'voyages' is declared as events twice"),
        (
            lambda: fleet(
                replace(VOYAGES, stay_within="year", measures=VOYAGES.measures[:3], identities=(), may_stay=frozenset())
            ),
            "measure of the events 'voyages' 'crew'",
        ),
    ],
)
def test_declarations_that_cannot_be_are_refused(make: object, message: str) -> None:
    """What is wrong is named while the declaration is loaded."""
    assert callable(make)
    with pytest.raises(InputError, match=message):
        make()


def test_months_within_a_year_are_a_log_by_year() -> None:
    """Events that stay within their month stay within the year, so that a log by year may total them; not the other way."""
    monthly = replace(VOYAGES, stay_within="month")
    assert isinstance(fleet(monthly), Environment)
    with pytest.raises(InputError, match="stay_within` the month"):
        fleet(replace(VOYAGES, stay_within="year"), panel=replace(LOG, period=within("month", column="m").panel.period))

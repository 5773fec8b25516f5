"""Events under `guarded`: how many, when and what is sampled from statistics, and no row is one of the originals."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chisquare

from anonymize.policy import GUARDED, LSD
from anonymize.synthesis import Synthesis, synthesise
from anonymize.synthesis.categories import PASSES
from anonymize.synthesis.events.columns import (
    CLOCK,
    DAY,
    DECADES_OF_POSITIONS,
    NUMBER,
    event_columns,
    figures_of,
    rows_of,
)
from anonymize.synthesis.sampling import Drawn
from anonymize.tables import anonymised_events, original_figures, sampled_figures
from pipeline.conform import conform
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import (
    ALL_IN_ONE,
    PERIOD,
    CodesLike,
    Column,
    Entities,
    Environment,
    Panel,
    RawTable,
    Reference,
    Role,
    lazy,
)
from pipeline.model.periods import Frequency, first_day, period_of
from tests.stats import ALPHA
from tests.unit.events.lines import lines, write_lines
from tests.unit.events.lines_declared import LINES, SAILINGS
from tests.unit.events.voyages import TABLE, VOYAGES, many, voyages
from validation.attacks.limits import EVENTS, limit_of
from validation.attacks.records.copies import VALUES, copy_attacks
from validation.attacks.records.events import COPIED, COUNT, DAYS, OWNER, OWNERS, EventSides, event_attacks

KEY = Key(b"s" * 32)
BUDGET, NO_LIMIT = 20.0, 1e6
"""What a release may spend by default, and what is as good as no noise at all."""
KEYS = [Key(bytes([number]) * 32) for number in range(4)]
PERIODS: tuple[Frequency, ...] = ("year", "quarter", "month")


@cache
def originals(companies: int = 60) -> dict[str, pl.DataFrame]:
    """Return the conformed tables."""
    with TemporaryDirectory() as folder:
        return conform(LINES.raw_tables, write_lines(Path(folder), lines(companies)), kinds=LINES.kinds).frames


@cache
def sampled(key: Key = KEY, budget: float = BUDGET) -> Synthesis:
    """Return a release."""
    return released(LINES, originals(), key, budget=budget)


def released(
    environment: Environment, tables: Mapping[str, pl.DataFrame], key: Key = KEY, *, budget: float = BUDGET
) -> Synthesis:
    """Sample what an environment declares."""
    return synthesise(environment, tables, original_figures(environment, tables), key, budget=budget)


def rows(key: Key = KEY, budget: float = BUDGET) -> pl.DataFrame:
    """Return the sampled sailings."""
    return sampled(key, budget).events["sailings"].rows


def test_sampled_rows_are_like_conformed_ones() -> None:
    """Columns and types are those of the conformed table; rows are numbered from 1 in their order."""
    assert rows().schema == originals()["sailings"].schema
    assert rows()["voucher"].to_list() == [str(number) for number in range(1, rows().height + 1)]
    assert set(rows()["company"]) <= set(originals()["companies"]["company"])


def test_the_key_decides_everything() -> None:
    """One key gives the same rows twice, another one others."""
    assert rows().equals(released(LINES, originals()).events["sailings"].rows)
    other = rows(KEYS[0])
    assert rows().join(other, on=["company", "sailed", "fare"]).height < 10


def test_totals_are_those_of_the_sampled_rows() -> None:
    """Counts and sums by company and year, added up here from the rows, are the panel's to the last digit."""
    figures = sampled_figures(LINES, sampled(), KEY).figures
    added: dict[tuple[str, int], list[int]] = {}
    for company, sailed, takings in rows().select("company", "sailed", "takings").iter_rows():
        place = added.setdefault((company, sailed.year), [0, 0])
        place[0] += 1
        place[1] += takings or 0
    told = {(row["company"], row[PERIOD]): row for row in figures.iter_rows(named=True)}
    assert set(added) <= set(told)
    for place, (count, takings) in added.items():
        assert told[place]["sailings"] == count
        assert (told[place]["takings"] or 0) == takings
    assert all(row["sailings"] is None for place, row in told.items() if place not in added)


def test_an_identity_that_always_holds_always_holds() -> None:
    """Without the rows that break it, takings are passengers times fare in every sampled row that has them."""
    tables = dict(originals())
    product = pl.col("passengers") * pl.col("fare")
    tables["sailings"] = tables["sailings"].with_columns(takings=product)
    events = released(LINES, tables, budget=NO_LIMIT).events["sailings"]
    assert events.holding == ("takings",)
    found = events.rows.drop_nulls("passengers")
    assert found.height > 1_000
    assert (found["takings"] == found["passengers"] * found["fare"]).all()


def test_an_identity_that_is_broken_in_some_rows_is_broken_in_about_as_many() -> None:
    """Two of a hundred takings are not the product, in the originals and among the sampled rows."""
    shares = [
        float((side["takings"] != side["passengers"] * side["fare"]).mean() or 0.0)
        for side in (originals()["sailings"], rows(budget=NO_LIMIT))
    ]
    assert sampled(budget=NO_LIMIT).events["sailings"].holding == ()
    assert shares[0] == pytest.approx(0.02, abs=0.01)
    assert shares[1] == pytest.approx(shares[0], abs=0.01)


def test_rows_have_the_shape_of_the_originals() -> None:
    """Without noise quantiles, gaps, classes, seasons, dependence within a row and how alike a company's rows are are near."""
    both = [originals()["sailings"], rows(budget=NO_LIMIT)]
    for name in ("passengers", "fare", "takings"):
        for share in (0.1, 0.5, 0.9):
            then, now = (side[name].quantile(share) or 0.0 for side in both)
            assert now == pytest.approx(then, rel=0.2), (name, share)
    gaps = [side["passengers"].null_count() / side.height for side in both]
    assert gaps[1] == pytest.approx(gaps[0], abs=0.03)
    assert both[1].filter(pl.col("passengers").is_null())["takings"].null_count() == both[1]["passengers"].null_count()
    ranks = [side.select(pl.corr("passengers", "fare", method="spearman")).item() for side in both]
    assert ranks[1] == pytest.approx(ranks[0], abs=0.15)
    summers = [float(side["sailed"].dt.month().is_between(5, 8).mean() or 0.0) for side in both]
    assert summers[1] == pytest.approx(summers[0], abs=0.05)
    cars = [float((side["class"] == "car").mean() or 0.0) for side in both]
    assert cars[1] == pytest.approx(cars[0], abs=0.06)
    alike = [
        float(np.var(side.group_by("company").agg(pl.col("fare").log().mean())["fare"].to_numpy())) for side in both
    ]
    assert 0.4 < alike[1] / alike[0] < 2.5
    larger = [
        side.group_by("company")
        .agg(pl.len(), pl.col("passengers").mean())
        .select(pl.corr("len", "passengers", method="spearman"))
        .item()
        for side in both
    ]
    assert larger[1] == pytest.approx(larger[0], abs=0.25)


@pytest.mark.parametrize("key", KEYS)
def test_at_the_usual_budget_rows_are_coarse_but_plausible(key: Key) -> None:
    """Of sixty companies little is told: medians within a factor of 1.5, numbers of rows within a third."""
    both = [originals()["sailings"], rows(key)]
    assert both[1].height == pytest.approx(both[0].height, rel=0.35)
    for name in ("passengers", "fare", "takings"):
        then, now = (side[name].median() for side in both)
        assert 1 / 1.5 < now / then < 1.5, name


def test_times_are_written_like_the_originals() -> None:
    """Sailings leave at full and half hours, and last a number of minutes that five divides; each lands after it left."""
    found = rows(budget=NO_LIMIT).with_columns(span=pl.col("landed") - pl.col("sailed"))
    assert set(found["sailed"].dt.minute()) == {0, 30}
    assert (found["span"].dt.total_seconds() % 300 == 0).all()
    assert (found["span"] > timedelta(0)).all()
    assert set(found["sailed"].dt.year()) == set(originals()["sailings"]["sailed"].dt.year())


def attacks(published: pl.DataFrame, key: Key, *, is_sampled: bool) -> dict[str, Any]:
    """Return the attacks by name."""
    sides = EventSides(
        events=SAILINGS,
        table=LINES.raw_table("sailings"),
        originals=originals()["sailings"],
        published=published,
        groups=originals()["companies"].select("company", group="port"),
        is_aligned=False,
        is_sampled=is_sampled,
    )
    return {attack.attack: attack for attack in event_attacks(sides, key)}


@pytest.mark.parametrize("key", KEYS)
def test_nobody_is_found_by_sampled_events(key: Key) -> None:
    """Under four keys every attack keeps the limits of `guarded`."""
    found = attacks(rows(key), key, is_sampled=True)
    assert set(found) == {COPIED, OWNER, OWNERS, DAYS, COUNT}
    for attack in found.values():
        limit = limit_of(EVENTS, attack, GUARDED)
        assert limit is not None
        assert limit.is_kept(attack), attack
        assert attack.records >= 50


def test_over_many_keys_owners_are_found_as_often_as_guessing_finds_them() -> None:
    """Of 4 x 60 companies days, counts and figures each name about one of twenty, which a binomial test cannot tell from it."""
    found = [attacks(rows(key), key, is_sampled=True) for key in KEYS]
    for name in (OWNERS, DAYS, COUNT):
        hits, records = (sum(getattr(each[name], field) for each in found) for field in ("successes", "records"))
        assert 200 <= records <= 240
        assert found[0][name].chance == pytest.approx(1 / 20)
        assert hits <= 24, name


def test_the_same_attacks_find_owners_under_lsd() -> None:
    """What is found under `lsd` breaks the limits of `guarded`: the attacks see what there is."""
    published = anonymised_events(LINES, originals(), KEY)["sailings"]
    found = attacks(published, KEY, is_sampled=False)
    for name in (OWNER, OWNERS, DAYS, COUNT):
        limit = limit_of(EVENTS, found[name], GUARDED)
        assert limit is not None
        assert not limit.is_kept(found[name]), name
        assert limit_of(EVENTS, found[name], LSD) is None


@pytest.mark.parametrize(("leaks", "found"), [(True, 1), (False, 0)])
def test_figures_that_are_the_originals_are_copies(leaks: bool, found: int) -> None:  # noqa: FBT001  (a case)
    """Original fares in another order are a copied column under `guarded`; sampled ones are none."""
    fares = originals()["sailings"].sort(KEY.mac("voucher")) if leaks else rows()
    cents = (fares["fare"] / 100).cast(pl.String).alias("fare")
    raw = {"sailings": (originals()["sailings"]["fare"] / 100).cast(pl.String).alias("fare").to_frame()}
    codes = pl.DataFrame({"code": ["a"], "pseudonym": ["b"], "group": ["c"]})
    attack = next(
        each
        for each in copy_attacks(
            WITHOUT_PANEL, lazy(raw), {"told": cents.to_frame().lazy()}, codes, policy=GUARDED, key=KEY
        )
        if each.attack == VALUES
    )
    assert attack.successes == found


# ----------------------------------------------------------------------------------------------------------------------


def test_numbers_of_an_event_give_the_event_again() -> None:
    """Figures, gaps and times read off rows and put together again are the rows, to the minutes that they are written to."""
    frame = many(3, 10).with_columns(period_of(pl.col("left"), "year").alias(PERIOD), pl.lit(1).alias(NUMBER))
    frame = frame.with_columns(tons=pl.when(pl.int_range(pl.len()) % 3 > 0).then("tons")).with_columns(
        takings=pl.col("tons") * pl.col("fare")
    )
    layout = event_columns(VOYAGES, TABLE, "year")
    weekdays = frame["left"].dt.weekday().cast(pl.Int64) - 1
    again = rows_of(layout, frame[PERIOD], drawn_of(figures_of(layout, frame)), weekdays, 1_800)
    columns = ["tons", "fare", "takings", "crew", "guests", "aboard", "left"]
    assert again.select(columns).equals(frame.select(columns))
    assert again["due"].cast(pl.Date).equals(frame["due"])


def drawn_of(figures: pl.DataFrame) -> Drawn:
    """Return figures as if they had been drawn, gaps where they have none."""
    return Drawn(
        figures=figures,
        broken=pl.DataFrame({each.output: pl.repeat(False, figures.height, eager=True) for each in VOYAGES.identities}),
        missing=figures.select(pl.all().is_null()),
    )


def test_what_is_declared_never_to_be_missing_never_is() -> None:
    """A gap that noise made of a column that is never empty is none."""
    frame = many(3, 10).with_columns(period_of(pl.col("left"), "year").alias(PERIOD), pl.lit(1).alias(NUMBER))
    table = replace(
        TABLE, columns=tuple(replace(each, nullable=each.name not in ("fare", "due")) for each in TABLE.columns)
    )
    layout = event_columns(VOYAGES, table, "year")
    drawn = drawn_of(figures_of(layout, frame))
    drawn = replace(
        drawn, missing=drawn.missing.select(pl.repeat(True, pl.len()).alias(name) for name in drawn.missing.columns)
    )
    found = rows_of(layout, frame[PERIOD], drawn, frame["left"].dt.weekday().cast(pl.Int64) - 1, 60)
    assert found.select("fare", "due", "left").null_count().row(0) == (0, 0, 0)
    assert found.select("tons", "takings").null_count().row(0) == (frame.height, frame.height)


@pytest.mark.parametrize("frequency", PERIODS)
@settings(max_examples=60, deadline=None)
@given(
    days=st.lists(
        st.tuples(st.dates(date(1999, 1, 1), date(2030, 12, 31)), st.integers(-(10**18), 10**18), st.integers(0, 6)),
        min_size=1,
    )
)
def test_drawn_days_are_of_their_period_and_weekday(frequency: Frequency, days: list[tuple[date, int, int]]) -> None:
    """Whatever is drawn, a day is in its period and falls on the wanted weekday, and its other times are of the calendar."""
    layout = event_columns(VOYAGES, TABLE, frequency)
    periods = pl.select(period_of(pl.lit(pl.Series([day for day, _, _ in days])), frequency)).to_series().alias(PERIOD)
    numbers = pl.Series([number for _, number, _ in days], dtype=pl.Int64)
    names = [measure.name for measure in layout.measured.measures]
    drawn = dict.fromkeys(names, pl.zeros(len(days), pl.Int64, eager=True)) | dict.fromkeys(
        (DAY, CLOCK, "due"), numbers
    )
    figures = pl.DataFrame(drawn)
    weekdays = pl.Series([weekday for _, _, weekday in days], dtype=pl.Int64)
    found = rows_of(layout, periods, drawn_of(figures), weekdays, 60)
    bounds = pl.DataFrame({PERIOD: periods}).select(
        start=first_day(pl.col(PERIOD), frequency), end=first_day(pl.col(PERIOD) + 1, frequency)
    )
    at = found["left"].dt.date()
    assert ((at >= bounds["start"]) & (at < bounds["end"])).all()
    assert (at.dt.weekday() - 1).to_list() == weekdays.to_list()
    assert found["due"].dt.year().is_between(1890, 2140).all()


@settings(max_examples=60, deadline=None)
@given(at=st.datetimes(datetime(1999, 1, 1), datetime(2030, 12, 31)))  # noqa: DTZ001
def test_positions_are_within_the_decades_that_are_known(at: datetime) -> None:
    """Whatever the time, its positions are where the shape of positions has its bins."""
    frame = voyages([("s1", at, 1, 1)]).with_columns(pl.lit(at.year, pl.Int64).alias(PERIOD), pl.lit(1).alias(NUMBER))
    found = figures_of(event_columns(VOYAGES, TABLE, "year"), frame).select(DAY, CLOCK).row(0)
    first, last = DECADES_OF_POSITIONS
    assert all(first < np.log10(1 + figure) < last for figure in found)


# ----------------------------------------------------------------------------------------------------------------------


WITHOUT_PANEL = replace(
    LINES,
    raw_tables=tuple(table for table in LINES.raw_tables if table.name != "annual"),
    panel=Panel(),
    tables=(),
    views=None,
)
"""The environment without totals, so that events alone decide who is refused."""


def with_sailings(*columns: Column, **changes: Any) -> Environment:
    """Return the environment with more columns of sailings, and nothing published."""
    table = LINES.raw_table("sailings")
    table = replace(table, columns=(*table.columns, *columns))
    kept = tuple(each for each in LINES.raw_tables if each.name != "sailings")
    return replace(LINES, raw_tables=(*kept, table), tables=(), views=None, **changes)


def test_too_few_companies_are_refused() -> None:
    """Of nineteen companies no statistic of twenty can be taken."""
    known = originals()["companies"]["company"].head(19).implode()
    tables = {name: originals()[name].filter(pl.col("company").is_in(known)) for name in ("companies", "sailings")}
    with pytest.raises(InputError, match=r"19 entities have events in 'sailings': the policy"):
        released(WITHOUT_PANEL, tables)


def test_a_period_of_few_is_not_sampled() -> None:
    """A year in which three companies sail is left out, whatever they did."""
    sailings = originals()["sailings"]
    few = sailings["company"].unique().sort().head(3).implode()
    kept = sailings.filter((pl.col("sailed").dt.year() != 2023) | pl.col("company").is_in(few))
    found = released(WITHOUT_PANEL, {"companies": originals()["companies"], "sailings": kept}).events["sailings"].rows
    assert set(found["sailed"].dt.year()) == {2022, 2024}


def test_a_company_that_no_table_lists_is_refused() -> None:
    """Nobody knows its industry."""
    listed = originals()["companies"].filter(pl.col("company") != "L007")
    tables = {"companies": listed, "sailings": originals()["sailings"]}
    count = tables["sailings"].filter(pl.col("company") == "L007").height
    with pytest.raises(
        InputError, match=rf"{count} rows of the events 'sailings' have no code in 'company' that a table"
    ):
        released(WITHOUT_PANEL, tables)


def test_a_category_of_nobody_else_is_refused() -> None:
    """A column of which each value is one company's cannot be drawn, and the message says what to do."""
    environment = with_sailings(Column(name="ship", nullable=False))
    tables = dict(originals())
    tables["sailings"] = tables["sailings"].with_columns(ship=pl.col("company"))
    with pytest.raises(
        InputError, match=r"column 'ship' of the events 'sailings' is never empty, and has no value of so many entities"
    ):
        released(environment, tables)


def test_rare_categories_are_not_drawn() -> None:
    """A value that one company alone has is drawn under no more keys than is said (`PASSES`); what many have always is."""
    environment = with_sailings(Column(name="flag"))
    environment = replace(
        environment, panel=Panel(), raw_tables=environment.raw_tables[:1] + environment.raw_tables[-1:]
    )
    tables = {name: originals()[name] for name in ("companies", "sailings")}
    first = tables["sailings"]["company"].min()
    flags = pl.when(company=first).then(pl.lit("Malta")).otherwise(pl.lit("Eire"))
    tables["sailings"] = tables["sailings"].with_columns(flags.alias("flag"))
    seen = [
        set(released(environment, tables, KEY.derive(str(number))).events["sailings"].rows["flag"].drop_nulls())
        for number in range(40)
    ]
    assert all("Eire" in each for each in seen)
    # Of 40 keys, each with probability `PASSES` at most: more than 4 in one of 10,000 runs.
    assert sum("Malta" in each for each in seen) <= binom.ppf(1 - 1e-4, 40, PASSES)


def test_declared_values_are_drawn_however_few_have_them() -> None:
    """A column with a declared vocabulary is drawn from it where no value stands out of noise."""
    environment = with_sailings(Column(name="flag", nullable=False, allowed=("Eire", "Malta", "Norway")))
    tables = dict(originals())
    tables["sailings"] = tables["sailings"].with_columns(pl.lit("Eire").alias("flag"))
    found = released(environment, tables).events["sailings"].rows["flag"].value_counts(normalize=True)
    shares = dict(found.iter_rows())
    assert set(shares) <= {"Eire", "Malta", "Norway"}
    assert shares["Eire"] > 0.7


def test_references_to_sampled_rows_are_refused() -> None:
    """A table that refers to vouchers would refer to nothing."""
    tickets = RawTable(
        name="tickets",
        key=("ticket",),
        columns=(
            Column(name="ticket", public="a number of ours"),
            Column(name="company", role=Role.CODE),
            Column(name="sailing", public="a number of ours"),
        ),
        references=(Reference(columns=("company", "sailing"), to_table="sailings", to_columns=("company", "voucher")),),
    )
    environment = replace(LINES, raw_tables=(*LINES.raw_tables, tickets))
    with pytest.raises(InputError, match=r"'company', 'sailing' of 'tickets' refer to rows of the events 'sailings'"):
        released(environment, originals())


def test_whom_an_event_names_says_nothing_of_it() -> None:
    """All harbours that are listed are named about as often, however busy they are; one event in five names none, as before."""
    harbours = pl.DataFrame({"harbour": [f"H{place:02d}" for place in range(30)], ALL_IN_ONE: ALL_IN_ONE})
    kind = Entities(kind="harbour", tables=("harbours",), code="harbour", code_shape=CodesLike("H00"))
    column = Column(name="to", role=Role.CODE, of="harbour")
    environment = with_sailings(column, further=(replace(kind, tables=()),))
    listing = RawTable(name="harbours", key=("harbour",), columns=(replace(column, name="harbour"),))
    environment = replace(environment, raw_tables=(*environment.raw_tables, listing), further=(kind,))
    tables = dict(originals()) | {"harbours": harbours}
    place = pl.int_range(pl.len())
    named = pl.when(place % 5 > 0).then(pl.when(place % 2 == 0).then(pl.lit("H00")).otherwise(pl.lit("H01")))
    tables["sailings"] = tables["sailings"].with_columns(named.alias("to"))
    found = released(environment, tables, budget=NO_LIMIT).events["sailings"].rows["to"]
    assert found.null_count() / len(found) == pytest.approx(0.2, abs=0.02)
    counts = found.drop_nulls().value_counts()
    assert set(counts["to"]) == set(harbours["harbour"])
    assert chisquare(counts["count"]).pvalue > ALPHA


def test_events_without_time_number_or_category_are_sampled() -> None:
    """Events that have figures alone, keyed by what is not published, are sampled as one period."""
    claims = RawTable(
        name="claims",
        key=("file",),
        columns=(
            Column(name="file", role=Role.IDENTIFIER),
            Column(name="company", role=Role.CODE),
            *(measure.column() for measure in SAILINGS.measures[:2]),
        ),
    )
    events = replace(SAILINGS, table="claims", time="", stay_within=None, measures=SAILINGS.measures[:2], identities=())
    kept = tuple(table for table in LINES.raw_tables if table.name == "companies")
    environment = replace(LINES, raw_tables=(*kept, claims), panel=Panel(), events=(events,), tables=(), views=None)
    tables = {
        "companies": originals()["companies"],
        "claims": originals()["sailings"].select("company", "passengers", "fare", file="voucher"),
    }
    found = released(environment, tables, budget=NO_LIMIT).events["claims"].rows
    assert found["file"].null_count() == found.height
    assert found.height == pytest.approx(tables["claims"].height, rel=0.2)
    assert found["fare"].mean() == pytest.approx(tables["claims"]["fare"].mean(), rel=0.15)


def test_rows_of_one_key_are_one_row() -> None:
    """Where the key is company and time alone, no two sampled rows have both."""
    table = LINES.raw_table("sailings")
    unnumbered = tuple(column for column in table.columns if column.role is not Role.NUMBER)
    table = replace(table, columns=unnumbered, key=("company", "sailed"))
    others = tuple(each for each in LINES.raw_tables if each.name != "sailings")
    environment = replace(LINES, raw_tables=(*others, table), tables=(), views=None)
    tables = dict(originals())
    tables["sailings"] = (
        tables["sailings"]
        .drop("voucher")
        .with_columns(pl.col("sailed").dt.truncate("1mo"))
        .unique(["company", "sailed"], keep="first", maintain_order=True)
    )
    found = released(environment, tables).events["sailings"].rows
    assert found.height > 500
    assert not found.select("company", "sailed").is_duplicated().any()


def test_the_order_of_rows_makes_no_difference() -> None:
    """Tables in any order of rows give the same sampled rows."""
    tables = {name: frame.sample(fraction=1.0, shuffle=True, seed=5) for name, frame in originals().items()}
    assert released(LINES, tables).events["sailings"].rows.equals(rows())


def test_every_statistic_is_told() -> None:
    """What is known of events is all that stands in the account about them, and the account spends no more than its budget."""
    release = sampled()
    told = json.loads(json.dumps(release.events["sailings"].described, allow_nan=False))
    assert told["periods"] == [2022, 2023, 2024]
    for part in ("counts", "rows"):
        names = {each["statistic"] for each in told[part]["statistics"]}
        lines = {line.statistic.rsplit(": ", 1)[-1] for line in release.account.lines if "sailings: " in line.statistic}
        assert names <= lines
    assert {each["statistic"] for each in told["values"]} == {"sailings: class", "sailings: weekday"}
    assert release.account.spent() <= BUDGET


@pytest.mark.parametrize("companies", [20, 24, 40])
@pytest.mark.parametrize("budget", [0.5, BUDGET])
def test_few_companies_are_sampled_coarsely(companies: int, budget: float) -> None:
    """Where next to nothing can be said of so few, rows are drawn all the same: of periods that there are, identities exact."""
    environment = replace(
        WITHOUT_PANEL,
        raw_tables=tuple(
            replace(
                table,
                columns=tuple(replace(each, nullable=True) if each.name == "class" else each for each in table.columns),
            )
            for table in WITHOUT_PANEL.raw_tables
        ),
    )
    known = originals()["companies"]["company"].head(companies).implode()
    tables = {name: originals()[name].filter(pl.col("company").is_in(known)) for name in ("companies", "sailings")}
    found = released(environment, tables, budget=budget).events["sailings"]
    assert found.rows.schema == tables["sailings"].schema
    held = found.rows.drop_nulls(["passengers", "fare", "takings"])
    if "takings" in found.holding:
        assert (held["takings"] == held["passengers"] * held["fare"]).all()

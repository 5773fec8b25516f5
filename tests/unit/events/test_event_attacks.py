"""Attacks on events: they find everything where nothing was done, and no more than chance where rows are others'."""

from dataclasses import replace

import polars as pl
import pytest

from anonymize.figures.events import anonymise_events, published_order
from anonymize.policy import GUARDED, LSD
from pipeline.model import Measure, Role
from pipeline.model.periods import Frequency
from tests.unit.events.voyages import KEY, TABLE, VOYAGES, many
from validation.attacks import Attack
from validation.attacks.limits import EVENTS, in_words, judged, limit_of
from validation.attacks.privacy import privacy_report
from validation.attacks.records.events import (
    ALONE,
    COPIED,
    COUNT,
    DAYS,
    FIGURE,
    GROUP,
    NUMBER,
    OWNER,
    OWNERS,
    TIME,
    EventSides,
    OfRows,
    event_attacks,
)

SHIPS = 24
ORIGINALS = many(SHIPS, 40)
GROUPS = pl.DataFrame({"ship": [f"s{ship}" for ship in range(SHIPS)], GROUP: ["North", "South"] * (SHIPS // 2)})


def attacked(
    published: pl.DataFrame, stay_within: Frequency | None = None, groups: pl.DataFrame = GROUPS
) -> dict[str, list[Attack]]:
    """Return the attacks by name; row i of the published events is that of the originals."""
    sides = EventSides(
        events=replace(VOYAGES, stay_within=stay_within),
        table=TABLE,
        originals=ORIGINALS,
        published=published,
        groups=groups,
    )
    found: dict[str, list[Attack]] = {}
    for attack in event_attacks(sides, KEY):
        found.setdefault(attack.attack, []).append(attack)
    return found


def released(stay_within: Frequency | None) -> pl.DataFrame:
    """Return the events as `lsd` publishes them, in the order of the originals, under the original codes."""
    published = anonymise_events(replace(VOYAGES, stay_within=stay_within), TABLE, ORIGINALS, KEY)
    places = published_order(TABLE, ORIGINALS, KEY)
    return published.with_columns(place=places).sort("place").drop("place")


def is_kept(attack: Attack) -> bool:
    limit = limit_of(EVENTS, attack, LSD)
    return limit is None or limit.is_kept(attack)


def test_events_as_they_are_are_found_by_everything() -> None:
    """Each cell equals its original, each record and entity has its owner; times and numbers break their limits."""
    found = attacked(ORIGINALS)
    assert set(found) == {FIGURE, TIME, NUMBER, COPIED, ALONE, OWNER, OWNERS, DAYS, COUNT}
    assert {attack.rate for name, attacks in found.items() for attack in attacks if name != ALONE} == {1.0}
    assert {name for name, attacks in found.items() if not all(map(is_kept, attacks))} == {TIME, NUMBER, ALONE}


@pytest.mark.parametrize("stay_within", [None, "year", "month"])
def test_lsd_hides_no_owner_and_the_attacks_say_so(stay_within: Frequency | None) -> None:
    """No time or number is left, hardly a figure of many digits; by days and counts nearly every owner is found."""
    found = attacked(released(stay_within), stay_within)
    assert all(is_kept(attack) for attacks in found.values() for attack in attacks)
    assert {attack.successes for attack in found[TIME]} == {0}
    assert next(a for a in found[FIGURE] if a.knowledge.startswith("takings")).rate < 0.05
    assert next(a for a in found[FIGURE] if a.knowledge.startswith("crew")).rate == 1.0
    assert found[COUNT][0].rate == 1.0
    assert found[DAYS][0].rate > 0.9


def test_one_time_left_as_it_was_breaks_the_limit() -> None:
    """A single row that did not move is refused."""
    published = released("year")
    slipped = published.with_columns(
        left=pl.when(pl.int_range(pl.len()) == 5).then(ORIGINALS["left"]).otherwise("left")
    )
    (left, _) = attacked(slipped, "year")[TIME]
    assert left.successes == 1
    assert not is_kept(left)


def test_events_of_somebody_else_are_found_no_more_often_than_by_chance() -> None:
    """Where ships have each other's events, neither figures nor days nor counts name the owner more often than guessing."""
    ships = GROUPS.sort(KEY.derive("another ship").mac("ship"))["ship"]
    others = dict(zip(GROUPS.sort(GROUP, "ship")["ship"], ships, strict=True))
    other = ORIGINALS.with_columns(other=pl.col("ship").replace_strict(others))
    swapped = other.drop("ship").rename({"other": "ship"}).sort("ship", "left")
    rows = [column.name for column in TABLE.of_role(Role.TIME, Role.NUMBER)] + [
        measure.name for measure in VOYAGES.measures
    ]
    both = ORIGINALS.with_columns(n=pl.int_range(pl.len()).over("ship")).join(
        swapped.with_columns(n=pl.int_range(pl.len()).over("ship")).select("ship", "n", *rows),
        on=["ship", "n"],
        how="left",
        suffix=" now",
    )
    published = both.select("ship", *(pl.col(f"{name} now").alias(name) for name in rows))
    found = attacked(published)
    for name in (OWNER, OWNERS, DAYS):
        assert not found[name][0].beats_chance(1e-4), name


def test_chance_is_a_guess_within_the_group() -> None:
    """An entity is one of twelve of its group; a record belongs to the entity with the most events, if one guesses."""
    found = attacked(ORIGINALS)
    assert found[DAYS][0].chance == pytest.approx(2 / SHIPS)
    north, all_ = (sum(40 + ship for ship in range(start, SHIPS, step)) for start, step in ((0, 2), (0, 1)))
    expected = (north * (62 / north) + (all_ - north) * (63 / (all_ - north))) / all_
    assert found[OWNER][0].chance == pytest.approx(expected)
    assert found[OWNER][0].records == all_


def test_entities_without_a_group_are_a_group() -> None:
    """A blank industry leads to nobody else's group."""
    found = attacked(ORIGINALS, groups=GROUPS.with_columns(pl.lit(None, pl.String).alias(GROUP)))
    assert found[DAYS][0].chance == pytest.approx(1 / SHIPS)
    assert found[COUNT][0].records == SHIPS


def test_first_lines_say_what_events_give_away() -> None:
    """The report says in words who is found, by what, and which figures are the originals'."""
    attacks = [attack for of_name in attacked(released("year"), "year").values() for attack in of_name]
    entries = judged({EVENTS: attacks}, LSD)
    summary = privacy_report(entries, LSD, anonymity=None, given_up=None, is_demonstration=False)["summary"]
    assert "finds the right company for 24 of 24 (100%; guessing finds 8.3%)" in summary
    assert "Figures of events that are the originals' to the last digit: crew of voyages (100%). The" in summary


@pytest.mark.parametrize("attack", [OWNER, OWNERS, DAYS, COUNT, COPIED])
def test_what_lsd_tells_guarded_refuses(attack: str) -> None:
    """Every attack on owners breaks the limit of `guarded` on what `lsd` publishes; a whole copy breaks it on originals."""
    published = ORIGINALS if attack == COPIED else released(None)
    (found,) = attacked(published)[attack]
    assert limit_of(EVENTS, found, LSD) is None
    limit = limit_of(EVENTS, found, GUARDED)
    assert limit is not None
    assert not limit.is_kept(found)


def test_a_row_copied_to_another_owner_is_a_copy() -> None:
    """Sixty of a thousand rows that stand under other codes are found; rows a week later are what chance finds."""
    other = ORIGINALS["ship"].replace_strict({f"s{ship}": f"s{(ship + 1) % SHIPS}" for ship in range(SHIPS)})
    is_copy = pl.int_range(pl.len()) % 17 == 0
    later = pl.duration(weeks=1_000)
    some = ORIGINALS.with_columns(
        other, *(pl.when(is_copy).then(name).otherwise(pl.col(name) + later) for name in ("left", "due"))
    )
    (found,) = attacked(some)[COPIED]
    assert found.successes == -(-ORIGINALS.height // 17)
    assert found.beats_chance(1e-4)
    (none,) = attacked(ORIGINALS.with_columns(pl.col("left", "due") + later))[COPIED]
    assert none.successes == 0
    assert not none.beats_chance(1e-4)


def test_rows_of_an_entity_that_go_together_are_worth_one_record() -> None:
    """Thousand rows of one of twenty entities prove no more than one guess."""
    rows = OfRows(attack="", knowledge="", records=20_000, successes=4_000, chance=0.05, effective_records=20.0)
    many = OfRows(**vars(rows) | {"effective_records": 20_000.0})
    assert not rows.beats_chance(1e-3)
    assert many.beats_chance(1e-12)
    said = [in_words(entry) for entry in judged({EVENTS: [rows, many]}, LSD)]
    assert said == ["reported only, p = 0.016", "reported only, p < 0.0001"]


@pytest.mark.parametrize("header", ["group", "then", "now", "size", "place", "named", "owner", "point", "records"])
def test_no_header_of_a_raw_table_changes_what_is_found(header: str) -> None:
    """Whether it is that of the entity, or of another column: attacks have names of their own for what they compute."""
    usual = [attack.published() for every in attacked(ORIGINALS).values() for attack in every]
    other = ORIGINALS.with_columns(pl.int_range(pl.len()).cast(pl.String).alias(header))
    sides = EventSides(events=VOYAGES, table=TABLE, originals=other, published=other, groups=GROUPS)
    assert [attack.published() for attack in event_attacks(sides, KEY)] == usual
    events = replace(VOYAGES, entity=header)
    renamed = ORIGINALS.rename({"ship": header})
    sides = EventSides(
        events=events, table=TABLE, originals=renamed, published=renamed, groups=GROUPS.rename({"ship": header})
    )
    found = [attack.published() for attack in event_attacks(sides, KEY)]
    assert [each for each in found if "owner" in str(each["attack"])] == [
        each for each in usual if "owner" in str(each["attack"])
    ]


def test_rows_are_worth_what_permuted_owners_say() -> None:
    """Where all rows of a ship name one owner, rows count for about as many as ships; where they name anybody, far more."""
    one_each = ORIGINALS.with_columns(tons=100 * pl.col("ship").str.slice(1).cast(pl.Int64), fare=1, takings=1, crew=1)
    one_each = one_each.with_columns(guests=pl.lit(1), aboard=pl.lit(1))
    sides = EventSides(events=VOYAGES, table=TABLE, originals=one_each, published=one_each, groups=GROUPS)
    (clustered,) = (a for a in event_attacks(replace(sides, is_sampled=True), KEY) if isinstance(a, OfRows))
    assert SHIPS / 2 < clustered.effective_records < 2 * SHIPS
    assert clustered.chance == pytest.approx(2 / SHIPS)
    figures = ORIGINALS.sort(KEY.mac("ship", "ticket")).select(measure.name for measure in VOYAGES.measures)
    (loose,) = attacked(ORIGINALS.select("ship", "ticket", "left", "due").hstack(figures))[OWNER]
    assert isinstance(loose, OfRows)
    assert loose.effective_records > loose.records / 4


def test_a_figure_of_few_values_is_copied_by_chance() -> None:
    """Events are numbers from 1 to 9 and nothing else: all of them are among the originals, and so would others be."""
    crew = Measure(name="crew", unit="", significant_digits=0)
    events = replace(VOYAGES, time="", measures=(crew,), identities=(), may_stay=frozenset())
    table = replace(TABLE, columns=tuple(column for column in TABLE.columns if column.role is not Role.TIME))
    then = ORIGINALS.select("ship", crew=pl.int_range(pl.len()) % 9 + 1)
    now = then.with_columns(crew=10 - pl.col("crew"))
    sides = EventSides(events=events, table=table, originals=then, published=now, groups=GROUPS, is_sampled=True)
    (copied,) = (attack for attack in event_attacks(sides, KEY) if attack.attack == COPIED)
    assert copied.rate == 1.0
    assert not copied.beats_chance(1e-4)

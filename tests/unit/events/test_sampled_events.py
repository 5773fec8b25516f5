"""Events under `guarded`: how many, when and what is sampled from statistics, and no row is one of the originals."""

import json
from datetime import timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest

from anonymize.policy import GUARDED, LSD
from anonymize.synthesis.statistics import LOCATION, PRODUCTS, SPREAD
from anonymize.tables import anonymised_events, sampled_figures
from pipeline.keyed import Key
from pipeline.model import PERIOD, lazy
from tests.unit.events.lines_declared import LINES, SAILINGS
from tests.unit.events.sampled_lines import (
    BUDGET,
    KEY,
    KEYS,
    NO_LIMIT,
    WITHOUT_PANEL,
    originals,
    released,
    rows,
    sampled,
)
from validation.attacks.limits import EVENTS, limit_of
from validation.attacks.records.copies import VALUES, copy_attacks
from validation.attacks.records.events import COPIED, COUNT, DAYS, GROUP, OWNER, OWNERS, EventSides, event_attacks


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
        groups=originals()["companies"].select("company", pl.col("port").alias(GROUP)),
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


def test_the_order_of_rows_makes_no_difference() -> None:
    """Tables in any order of rows give the same sampled rows."""
    tables = {name: frame.sample(fraction=1.0, shuffle=True, seed=5) for name, frame in originals().items()}
    assert released(LINES, tables).events["sailings"].rows.equals(rows())


def test_every_statistic_is_told() -> None:
    """What is known of events is all that stands in the account about them, and the account spends no more than its budget."""
    release = sampled()
    told = json.loads(json.dumps(release.events["sailings"].described, allow_nan=False))
    assert told["periods"] == [2022, 2023, 2024]
    lines = {line.statistic for line in release.account.lines}
    for part in ("sailings: numbers of events: ", "sailings: "):
        assert {f"{part}{name}" for name in (LOCATION, PRODUCTS, SPREAD)} <= lines
    assert {each["statistic"] for each in told["values"]} == {"sailings: class", "sailings: weekday"}
    assert release.account.spent() <= BUDGET

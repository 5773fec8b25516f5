"""Totals of a panel over events: taken from the published events where they held, and found out where they contradict them."""

from dataclasses import replace
from fractions import Fraction
from math import floor

import polars as pl
import pytest
from hypothesis import given, settings

from anonymize.figures.closure import breaks
from anonymize.tables import anonymised_events, anonymised_figures, original_figures
from pipeline.derive.event_statistics import event_statistics, with_period
from pipeline.model import PERIOD, Environment
from pipeline.model.identities import column_of_total, with_totals, without_totals
from pipeline.model.periods import Frequency
from tests.unit.events.test_events import ROWS, Rows
from tests.unit.events.voyages import KEY, LOG, VOYAGES, many, voyages, within
from validation.consistency.report import Findings, defects
from validation.consistency.residuals import Residual, identity_residuals, with_sums_of_events

YEARLY = within("year")


def slowly(events: pl.DataFrame, environment: Environment) -> dict[tuple[str, int], tuple[int, int | None, int | None]]:
    """Return by ship and period the number of voyages, takings in cents, and mean tons in tenths."""
    rows: dict[tuple[str, int], list[dict[str, int | None]]] = {}
    for row in with_period(events, environment.events[0], environment.panel.period).to_dicts():
        rows.setdefault((row["ship"], row[PERIOD]), []).append(row)
    return {place: (len(of), _sum(of, "takings"), _mean(of, "tons")) for place, of in rows.items()}


def _known(rows: list[dict[str, int | None]], name: str) -> list[int]:
    return [value for row in rows if (value := row[name]) is not None]


def _sum(rows: list[dict[str, int | None]], name: str) -> int | None:
    known = _known(rows, name)
    return sum(known) if known else None


def _mean(rows: list[dict[str, int | None]], name: str) -> int | None:
    known = _known(rows, name)
    if not known:
        return None
    exact = Fraction(10 * sum(known), len(known))
    return floor(abs(exact) + Fraction(1, 2)) * (1 if exact >= 0 else -1)


def log_of(events: pl.DataFrame, environment: Environment) -> pl.DataFrame:
    """Return the log that the events give."""
    told = [(*place, *of) for place, of in slowly(events, environment).items()]
    names = [measure.name for measure in LOG.measures]
    return pl.DataFrame(
        told, schema={"ship": pl.String, PERIOD: pl.Int64} | dict.fromkeys(names, pl.Int64), orient="row"
    )


@pytest.mark.parametrize("frequency", ["year", "quarter", "month"])
@settings(max_examples=20)
@given(rows=ROWS)
def test_totals_equal_a_slow_version(frequency: Frequency, rows: Rows) -> None:
    """Counts, sums and rounded means are those of a loop over the rows; the test of consistency finds them right."""
    environment, events = within(frequency), voyages(rows)
    log = log_of(events, environment)
    told = with_totals(log, environment, {"voyages": events})
    for total in LOG.totals:
        assert told[column_of_total(total)].equals(told[total.output])
    assert [each.max_residual for each in residuals(log, environment, events)] == [0, 0, 0]
    assert without_totals(told, LOG).equals(log)


def residuals(log: pl.DataFrame, environment: Environment, events: pl.DataFrame) -> list[Residual]:
    """Return what the report on consistency says of the log."""
    return identity_residuals(
        with_sums_of_events(log, environment, {"voyages": events}), environment.panel, code="ship"
    )


def released(events: pl.DataFrame, log: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return events and log as they are published, under the original codes."""
    tables = {"voyages": events, "log": log}
    published = anonymised_events(YEARLY, tables, KEY)
    return published["voyages"], anonymised_figures(YEARLY, tables, KEY, events=published).figures


def test_the_published_log_is_that_of_the_published_voyages() -> None:
    """Where the log held it is computed again, to the last digit, and differs from the original one."""
    events = many(6, 12)
    log = log_of(events, YEARLY)
    voyages_, figures = released(events, log)
    assert figures.sort("ship", PERIOD).equals(log_of(voyages_, YEARLY).sort("ship", PERIOD))
    assert (figures["income"] != log.sort("ship", PERIOD)["income"]).all()
    assert [each.max_residual for each in residuals(figures, YEARLY, voyages_)] == [0, 0, 0]


def test_a_log_that_contradicts_the_voyages_is_found() -> None:
    """One unit in one figure, one voyage less, or the perturbed events beside the original log: each is a defect."""
    events = many(6, 12)
    voyages_, figures = released(events, log_of(events, YEARLY))
    off = figures.with_columns(income=pl.col("income") + (pl.int_range(pl.len()) == 3).cast(pl.Int64))
    worst = residuals(off, YEARLY, voyages_)[1]
    assert (worst.max_residual, dict(worst.worst_cell)) == (1, off[3].select("ship", PERIOD).row(0, named=True))
    assert residuals(figures, YEARLY, voyages_[1:])[0].max_residual == 1
    contradicting = residuals(log_of(events, YEARLY), YEARLY, voyages_)
    assert contradicting[1].max_residual > 100_000
    sentences = defects(Findings(residuals=contradicting))["identities"]
    assert [sentence.split("'")[1] for sentence in sentences] == [
        "income = sum of takings over voyages",
        "mean tons = mean of tons over voyages",
    ]


def test_a_total_that_did_not_hold_is_a_figure_of_its_own() -> None:
    """It is perturbed like any other, keeps its leading digits, and is not claimed."""
    events = many(6, 12)
    log = log_of(events, YEARLY).sort("ship", PERIOD)
    wrong = log.with_columns(income=pl.when(pl.int_range(pl.len()) == 2).then(987_654_321).otherwise("income"))
    voyages_, figures = released(events, wrong)
    assert str(figures["income"][2])[:3] == "987"
    assert figures["income"][2] != 987_654_321
    held = breaks(with_totals(wrong, YEARLY, {"voyages": events}), LOG, code="ship").select(~pl.all())
    assert held["income"].to_list().count(False) == 1
    summed = with_sums_of_events(figures, YEARLY, {"voyages": voyages_})
    assert [each.max_residual for each in identity_residuals(summed, LOG, code="ship", held=held)] == [0, 0, 0]


def test_absent_events_say_nothing() -> None:
    """Without the table of events a total is a figure like others."""
    log = log_of(many(3, 4), YEARLY)
    figures = anonymised_figures(YEARLY, {"log": log}, KEY, events={}).figures
    assert figures.columns == original_figures(YEARLY, {"log": log}).columns
    assert (figures["income"] != log.sort("ship", PERIOD)["income"]).all()
    assert [each.records for each in identity_residuals(with_sums_of_events(log, YEARLY, {}), LOG, code="ship")] == [
        0
    ] * 3


@settings(max_examples=20)
@given(rows=ROWS)
def test_statistics_equal_a_slow_version(rows: Rows) -> None:
    """Number and sum by sea and year are those of a loop; a sea without figures has no row."""
    events = voyages(rows)
    ships = pl.DataFrame({"ship": ["s1", "s2", "s3"], "sea": ["North", "North", "South"]})
    declared = event_statistics("by_sea", YEARLY.events[0], by=("sea",), of="ships", code="ship")
    found = declared.derive({"voyages": events, "ships": ships})
    expected: dict[tuple[str, int], list[int]] = {}
    for row in events.join(ships, on="ship").to_dicts():
        if row["tons"] is not None:
            expected.setdefault((row["sea"], row["left"].year), []).append(row["tons"])
    sums = found.filter(measure="tons", statistic="sum").select("sea", PERIOD, "n", "mantissa").rows()
    assert {(sea, year): (n, total) for sea, year, n, total in sums} == {
        place: (len(tons), sum(tons)) for place, tons in expected.items()
    }


def test_statistics_of_entities_themselves() -> None:
    """By the code, each entity has its own; events that leave their periods are of one period."""
    events = many(3, 5)
    ships = pl.DataFrame({"ship": ["s0", "s1", "s2"]})
    declared = event_statistics("by_ship", replace(VOYAGES, time=""), by=("ship",), of="ships", code="ship")
    found = declared.derive({"voyages": events, "ships": ships}).filter(measure="tons", statistic="mean")
    assert found.select("ship", PERIOD, "n").rows() == [("s0", 0, 5), ("s1", 0, 6), ("s2", 0, 7)]

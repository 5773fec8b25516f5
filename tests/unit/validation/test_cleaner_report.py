"""What the report and the page say of the reference cleaner: counts by kind, the verdict, and nothing in colour alone."""

from dataclasses import replace
from functools import cache
from typing import Any

import polars as pl
import pytest
from pydantic import TypeAdapter

from pipeline.derive import derive_aggregate
from pipeline.keyed import Key
from pipeline.model import PERIOD, Aggregate, EntityView, Frames, PublishedTable, Truth, Views, WideFigures
from pipeline.noise.cleaning_plan import CleaningPlan, Suspicion
from pipeline.noise.engine import apply_noise
from pipeline.noise.kinds.missing import MissingValues, Repetition
from pipeline.noise.mechanisms import CompletelyAtRandom
from pipeline.noise.spec import NoiseSpec, Rule
from pipeline.report_json import report_json
from tests.pages import is_self_contained, left_open, text_of
from tests.unit.validation.mills import MILLS, conformed_mills
from validation.noise.cleaner.aggregates import Firms
from validation.noise.cleaner.cleaning import CleanerSight, clean_up, in_sight
from validation.noise.cleaner.report import LEAST_SHARE, Cleaned, cleaned, cleaner_report, outcome
from validation.report.documents import read
from validation.report.documents.noise import Noise
from validation.report.pages import PageContext, noise_page

FIRMS = 1_100
KEY = Key(bytes(range(32)))
CONFORMED = conformed_mills(FIRMS)
TRUTH = Firms(entities=CONFORMED["mills"], figures=CONFORMED["accounts"])


def _render_registry(_: Truth) -> pl.DataFrame:
    return TRUTH.entities.select(pl.int_range(1, pl.len() + 1).cast(pl.String).alias("id"), "mill", "trade")


REGISTRY = PublishedTable(
    path="registry.csv", columns=("id", "mill", "trade"), needs=("mills",), render=_render_registry
)
ENVIRONMENT = replace(
    MILLS,
    aggregates=(Aggregate(name="by_trade", by=("trade",)),),
    tables=(replace(MILLS.tables[0], beside=("registry",)), *MILLS.tables[1:], REGISTRY),
    views=Views(
        entities=EntityView(table="mills", columns={"mill": "mill", "trade": "trade"}),
        figures=(WideFigures(table="accounts", code="mill", year=PERIOD),),
    ),
)
GAPS = MissingValues(
    columns=("trade",), repeated_in=Repetition(table="registry", joined_on={"mill": "mill"}, value="trade")
)
LOST = MissingValues(columns=("town",))
PLAN = CleaningPlan(environment="mills", suspicions=(Suspicion(kind=GAPS, tables=("mills",), reason="Registered."),))


@cache
def clean() -> Frames:
    truth = Truth(tables={"mills": TRUTH.entities, "figures": TRUTH.figures}, order=KEY.derive("order"))
    return {table.name: table.render(truth) for table in ENVIRONMENT.tables}


@cache
def noised() -> tuple[Frames, pl.DataFrame]:
    """Return the tables with every trade gone, which the registry repeats, and half of the towns, which nothing does."""
    rules = tuple(
        Rule(name=name, kind=kind, tables=("mills",), mechanism=CompletelyAtRandom(rate=rate))
        for name, kind, rate in (("trades", GAPS, 1.0), ("towns", LOST, 0.5))
    )
    spec = NoiseSpec(environment="mills", rules=rules)
    noisy = apply_noise(clean()["mills"], ENVIRONMENT.table("mills"), spec, ENVIRONMENT, KEY, beside=clean())
    return {**clean(), "mills": noisy.frame}, noisy.ledger


def cleaner(plan: CleaningPlan = PLAN, **tables: pl.DataFrame) -> dict[str, Any]:
    noisy, ledger = noised()
    return report_of(plan, ledger, clean(), {**noisy, **tables})


def report_of(plan: CleaningPlan, ledger: pl.DataFrame, before: Frames, noisy: Frames) -> dict[str, Any]:
    """Clean the mills, which alone have noise, with what is needed for them, and report."""
    sight, schema = in_sight(plan.within({"mills"}), "mills", ENVIRONMENT), TRUTH.entities.schema
    whole = outcome(
        ENVIRONMENT,
        sight,
        "mills",
        clean=before["mills"],
        noisy=only(noisy, {"mills", *sight.beside}),
        ledger=ledger,
        schema=schema,
    )
    found = cleaned([whole])
    (aggregate,) = ENVIRONMENT.aggregates
    derived = derive_aggregate(ENVIRONMENT, aggregate, TRUTH.entities, TRUTH.figures)
    assert TypeAdapter(Cleaned).validate_json(TypeAdapter(Cleaned).dump_json(found)) == found
    return cleaner_report(ENVIRONMENT, {"mills": found}, clean={}, derived=derived, firms=TRUTH)


def only(tables: Frames, names: set[str]) -> Frames:
    return {name: table for name, table in tables.items() if name in names}


def a_report(found: dict[str, Any] | None) -> dict[str, Any]:
    rule = {"rule": "trades <b>", "kind": "missing_values", "table": "mills", "column": "trade", "cells": 3}
    told = {"rule": "trades <b>", "table": "mills", "records": 600, "detail": "Best: id."}
    told |= {"kind": "missing_values", "knowledge": "rows", "successes": 300, "chance": 0.5, "upper_95": 0.56}
    filters = [
        {**told, "attack": "one filter", "rate": 0.52, "is_detected": False, "limit": None, "passed": True},
        {**told, "attack": "classifier", "rate": 0.9, "is_detected": True, "limit": None, "passed": True},
        {**told, "attack": "held", "rate": 0.7, "is_detected": True, "limit": 0.6, "passed": False},
    ]
    return {"rules": [{**rule, "rate": 0.25, "recoverable": True}], "filters": filters, "cleaner": found}


def page(found: dict[str, Any] | None, **changes: Any) -> bytes:
    return noise_page(
        read(Noise, a_report(found) | {"is_blocking": True} | changes), None, PageContext(title="R&D <b>", policy="lsd")
    )


def test_what_is_recoverable_is_mended_and_the_rest_is_no_fault() -> None:
    """Lost towns count as lost and not as missed; with all trades mended the cleaner passes and the aggregates are exact."""
    found = cleaner()
    assert found["passed"]
    assert found["aggregates_are_exact"]
    assert found["recoverable"] == found["mended"] == FIRMS
    assert found["unrecoverable"] > FIRMS / 3
    assert (found["missed"], found["wrong"], found["right_anyway"]) == (0, 0, 0)
    (kind,) = found["kinds"]
    assert (kind["kind"], kind["family"]) == ("missing_values", "missing")
    assert {name: kind[name] for name in ("changes", "mended", "missed", "wrong")} == {
        name: found[name] for name in ("changes", "mended", "missed", "wrong")
    }


def test_a_cleaner_that_does_nothing_fails() -> None:
    """Without suspicions everything recoverable is missed, and the aggregates differ without the reason of a lost truth."""
    found = cleaner(CleaningPlan(environment="mills"))
    assert not found["passed"]
    assert (found["missed"], found["mended"], found["share"]) == (FIRMS, 0, 0.0)
    assert not found["aggregates_are_exact"]
    assert any(one["unexplained"] for one in found["recomputed_aggregates"])


def test_one_missed_cell_of_an_aggregate_is_too_many() -> None:
    """The share that must be mended is met, but the firm is missing from the aggregates."""
    found = cleaner(registry=clean()["registry"][1:])
    assert found["missed"] == 1
    assert LEAST_SHARE <= found["share"] < 1
    assert not found["passed"]


def test_one_clean_cell_changed_is_too_many() -> None:
    """What is wrong is laid at the door of the kind that changed it, and the cleaner fails."""
    noisy, _ = noised()
    plan = replace(PLAN, suspicions=(*PLAN.suspicions, _fills_names()))
    gone = clean()["mills"].with_columns(name=pl.when(pl.col("id") == "1").then(None).otherwise("name"))
    ledger = noised()[1]
    tables = {**noisy, "mills": noisy["mills"].with_columns(gone["name"])}
    found = report_of(plan, ledger, {**clean(), "mills": gone}, tables)
    assert (found["wrong"], [kind["wrong"] for kind in found["kinds"]]) == (1, [1])
    assert not found["passed"]


def _fills_names() -> Suspicion:
    repetition = Repetition(table="registry", joined_on={"mill": "mill"}, value="mill")
    return Suspicion(kind=MissingValues(columns=("name",), repeated_in=repetition), tables=("mills",), reason="Wrong.")


def test_what_the_cleaner_of_a_table_looks_into_is_known_before() -> None:
    """Its own suspicions, tables that they name, and what is done there before: no more is needed to mend it alike."""
    names = Suspicion(kind=_fills_names().kind, tables=("registry", "mills"), reason="Named by another.")
    towns = Suspicion(kind=LOST, tables=("accounts",), reason="Of no concern.")
    back = Suspicion(kind=_fills_names().kind, tables=("registry",), reason="Too late.")
    plan = CleaningPlan(environment="mills", suspicions=(towns, names, *PLAN.suspicions, back))
    sight = in_sight(plan, "mills", ENVIRONMENT)
    assert sight.beside == {"registry"}
    assert sight.plan.suspicions == (names, *PLAN.suspicions)
    assert in_sight(plan, "accounts", ENVIRONMENT) == CleanerSight(replace(plan, suspicions=(towns,)), frozenset())
    noisy, _ = noised()
    whole = clean_up(noisy, plan, ENVIRONMENT)["mills"]
    assert clean_up(only(noisy, {"mills", "registry"}), sight.plan, ENVIRONMENT)["mills"].equals(whole)


def test_no_noise_passes() -> None:
    """A specification without rules has nothing to mend."""
    found = cleaner_report(
        ENVIRONMENT,
        {},
        clean={},
        derived=derive_aggregate(ENVIRONMENT, ENVIRONMENT.aggregates[0], *vars(TRUTH).values()),
        firms=TRUTH,
    )
    assert (found["passed"], found["changes"], found["share"], found["kinds"]) == (True, 0, 1.0, [])
    assert "No noise" in text_of(page(found, rules=[]))


# --- the page ----------------------------------------------------------------------------------------------------------


def test_page_says_the_outcome_first_and_stands_alone() -> None:
    """One sentence with the counts opens the page; it fetches nothing, closes its elements and escapes texts."""
    found = cleaner()
    shown = page(found)
    text = text_of(shown)
    assert f"{FIRMS:,} can be undone from the published data alone" in text
    assert "undoes 1,100 (100%) and breaks nothing else" in text
    assert text.index(" of noise made") < text.index("passed") < text.index("What each kind did")
    assert is_self_contained(shown)
    assert not left_open(shown)
    assert "R&D <b>" in text
    assert "trades <b>" in text


def test_page_of_a_failure_says_so_in_words() -> None:
    """The verdict, and each aggregate that differs, are told by words, not by colour."""
    text = text_of(page(cleaner(CleaningPlan(environment="mills"))))
    assert "failed 1,100 recoverable changes were missed, 0 cells wrongly changed." in text
    assert "The mended tables do not give the clean aggregates." in text
    assert "FAILED" in text


def test_page_without_a_plan_says_that_nobody_knows() -> None:
    """An environment for which nobody wrote down what to suspect has rules and no verdict."""
    text = text_of(page(None))
    assert "No cleaner has tried: there is no cleaning plan." in text
    assert "passed" not in text
    assert "No better than guessing. one filter: 52.0% of 600 rows sorted rightly" in text
    assert "Detected; that is allowed. classifier: 90.0% of 600 rows sorted rightly Best: id." in text
    assert (
        "OVER ITS LIMIT. held: 70.0% of 600 rows sorted rightly, where a kind that claims realism may be sorted to 60.0%"
        in text
    )


@pytest.mark.parametrize("share", [0.0, 0.0001, 0.5, 0.99999, 1.0])
def test_shares_do_not_round_to_all_or_nothing(share: float) -> None:
    """Only 0 reads as 0% and only 1 as 100%."""
    text = text_of(page(None, rules=[{**a_report(None)["rules"][0], "rate": share}]))
    assert ("100%" in text, " 0%" in text) == (share == 1.0, share == 0.0)


def test_report_is_json_with_stable_fields() -> None:
    """The report can be written down; the fields of a kind and of the whole are those that readers rely on."""
    found = cleaner()
    counts = ["changes", "recoverable", "mended", "missed", "unrecoverable", "right_anyway"]
    assert list(found) == [
        "passed", *counts, "share", "wrong", "aggregates_are_exact", "published_aggregates", "recomputed_aggregates", "kinds",
    ]  # fmt: skip
    assert list(found["kinds"][0]) == ["kind", "family", *counts, "wrong"]
    assert report_json({"cleaner": found})

"""The verdict on a release: attacks held against the policy's limits, classes counted, nothing told of what is not declared."""

from dataclasses import replace

import polars as pl
import pytest

from anonymize.policy import GUARDED, LSD, Policy
from silt.environments.us_listed import CODE, US_LISTED
from validation.attacks import Attack
from validation.attacks.limits import CODES
from validation.attacks.suite import CLASS_SIZE, Sides, verdict

ENTITIES = pl.DataFrame(
    {
        CODE: [f"C{n}" for n in range(CLASS_SIZE + 1)],
        "GICS Sector": ["Energy"] * CLASS_SIZE + ["Utilities"],
        "GICS Sub Industry": [None] * CLASS_SIZE + ["Water"],
        "Country": ["Chile"] * (CLASS_SIZE + 1),
        "state": [None] * (CLASS_SIZE + 1),
        "year_added": [1999] * (CLASS_SIZE + 1),
        "Date first added": [None] * (CLASS_SIZE + 1),
    },
    schema_overrides={"state": pl.String, "Date first added": pl.Date},
)
SIDES = Sides(
    environment=US_LISTED,
    conformed={"securities": ENTITIES.with_columns(pl.lit("Oil").alias("GICS Sub Industry"))},
    raw={},
    entities=ENTITIES,
    figures=pl.DataFrame(),
    names=pl.DataFrame(),
    published={},
    codes={},
    policy=LSD,
)


def found(successes: int) -> dict[str, list[Attack]]:
    return {CODES: [Attack(attack="arithmetic", knowledge="codes", records=100, successes=successes)]}


@pytest.mark.parametrize(("successes", "is_passed"), [(0, True), (50, False)])
def test_attack_over_its_limit_fails_the_release(successes: int, is_passed: bool) -> None:  # noqa: FBT001
    """Half of the codes undone is more than guessing; none is not."""
    assert verdict(SIDES, found(successes), LSD)["passed"] is is_passed


def test_classes_of_the_published_entities_are_counted() -> None:
    """One firm of six is alone."""
    told = verdict(SIDES, {}, LSD)["quasi_identifiers"]
    assert (told["k"], told["records"], told["below"], told["unique"]) == (CLASS_SIZE, 6, 1, 1)


@pytest.mark.parametrize(("policy", "given_up"), [(LSD, []), (GUARDED, [5])])
def test_what_is_left_blank_is_told_where_records_are_sampled(policy: Policy, given_up: list[int]) -> None:
    """Five sub-industries are blank that the originals have; `lsd` leaves nothing blank and does not count."""
    rows = verdict(SIDES, {}, policy)["given_up"]
    assert [row["given_up"] for row in rows if row["column"] == "GICS Sub Industry"] == given_up


def test_environment_without_quasi_identifiers_has_classes_all_the_same() -> None:
    """What nobody declares is counted: attributes and dates of companies are what a register tells."""
    sides = replace(SIDES, environment=replace(US_LISTED, quasi_identifiers=None))
    report = verdict(sides, {}, GUARDED)
    assert report["quasi_identifiers"]["unique"] == 1
    told = [entry["column"] for entry in report["given_up"]]
    assert told == ["GICS Sector", "GICS Sub Industry", "Country", "Date first added", "state"]

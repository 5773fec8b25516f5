"""The independent opinion is asked about the declared figures of the fullest year, and says so where it is not asked."""

import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from anonymize.figures import perturb_figures
from anonymize.policy import LSD
from anonymize.tables import original_figures
from pipeline.conform import conform
from pipeline.keyed import Key
from pipeline.model import Environment, Frames
from silt.environments.us_listed import CODE, US_LISTED
from tests.stats import ALPHA
from validation.attacks.independent import NOT_INSTALLED, NOTHING_KNOWN, independent_opinion
from validation.attacks.suite import Sides

KEY = Key(b"i" * 32)


def sides(environment: Environment, conformed: Frames, figures: pl.DataFrame) -> Sides:
    """Return sides whose codes are the originals' own; the opinion uses no other truth."""
    return Sides(
        environment=environment,
        conformed=conformed,
        raw={},
        entities=conformed[environment.entities.tables[0]],
        figures=figures,
        names=pl.DataFrame(),
        published={},
        codes={},
        policy=LSD,
    )


def nothing(environment: Environment) -> Sides:
    return sides(environment, {environment.entities.tables[0]: pl.DataFrame()}, pl.DataFrame())


def test_a_missing_package_is_told_not_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without Anonymeter there is one attack without records, which says why and alarms nobody."""
    monkeypatch.setitem(sys.modules, "anonymeter", None)
    (found,) = independent_opinion(nothing(US_LISTED), KEY)
    assert (found.records, found.successes, found.detail) == (0, 0, NOT_INSTALLED)
    assert not found.beats_chance(ALPHA)


@pytest.mark.parametrize("known", [(), (("Total Revenue",),)], ids=["nothing", "one figure"])
def test_too_few_known_figures_are_told(known: tuple[tuple[str, ...], ...]) -> None:
    """An environment whose outsider knows no two figures together has nothing to ask about, and the report says so."""
    environment = replace(US_LISTED, panel=replace(US_LISTED.panel, known=known))
    (found,) = independent_opinion(nothing(environment), KEY)
    assert (found.records, found.detail) == (0, NOTHING_KNOWN)


def test_the_longest_known_set_of_the_fullest_year_is_attacked(listed_tables: Path) -> None:
    """Digit noise on listed companies, rows in another order: linked and inferred nearly always, in the year that has most.

    Queries for exact figures single out nobody.
    """
    conformed = conform(US_LISTED.raw_tables, listed_tables).frames
    originals = original_figures(US_LISTED, conformed)
    perturbed = perturb_figures(originals, US_LISTED.panel, code=CODE, key=KEY)
    found = independent_opinion(sides(US_LISTED, conformed, perturbed.reverse()), KEY)
    longest = max(US_LISTED.panel.known, key=len)
    assert [attack.attack for attack in found[3:]] == [f"Anonymeter: inference of {measure}" for measure in longest]
    assert found[2].knowledge.endswith("of 2015, and the GICS Sector")
    assert min(attack.rate for attack in found[2:]) > 0.9
    assert not any(attack.beats_chance(ALPHA) for attack in found[:2])

"""Under `guarded` no report says which record is whose: it is the same whatever pseudonym a firm has in its industry."""

import json
from typing import Any

import polars as pl
import pytest

from anonymize.tables import FIGURES, original_figures
from pipeline.conform import conform
from pipeline.keyed import Key
from pipeline.places import CURATOR
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.integration.checks import report
from tests.integration.conftest import Build
from tests.stages import table
from validation.distributions.correlations import correlation_changes
from validation.distributions.equivalence import equivalence
from validation.distributions.samples import KEYS, ranked_samples
from validation.distributions.shape import Shapes, shapes
from validation.distributions.two_sample import compare_distributions, ks_report
from validation.fidelity import EntityColumns, fidelity
from validation.pair import Side

pytestmark = pytest.mark.slow

CODE, INDUSTRY = DATACLAW_18.entities.code, DATACLAW_18.entities.industry
LEVELS = {"sub_industry": DATACLAW_18.entities.sub_industry, "industry": INDUSTRY}
KEY = Key(b"p" * 32)


@pytest.fixture(scope="module")
def originals(small_guarded: Build) -> Side:
    """Return the originals: firms and figures."""
    conformed = conform(DATACLAW_18.raw_tables, small_guarded.raw).frames
    return Side(entities=conformed[DATACLAW_18.entities.tables[0]], figures=original_figures(DATACLAW_18, conformed))


@pytest.fixture(scope="module")
def published(small_guarded: Build) -> Side:
    """Return the records between the stages, where their codes are still those that are published."""
    names = (DATACLAW_18.entities.tables[0], FIGURES)
    entities, figures = (table(small_guarded.folder, "anonymised", name) for name in names)
    return Side(entities=entities, figures=figures)


def paired_otherwise(side: Side) -> Side:
    """Give each firm the pseudonym of the next one of its industry that reports as many years: rows stand for other owners."""
    reported = side.figures.group_by(CODE).len("years")
    firms = side.entities.join(reported, on=CODE, how="left").sort(CODE)
    others = firms.select(CODE, other=pl.col(CODE).shift(1).fill_null(pl.col(CODE).last()).over(INDUSTRY))
    assert others.filter(pl.col(CODE) != pl.col("other")).height > 100
    entities, figures = (
        frame.join(others, on=CODE).with_columns(pl.col("other").alias(CODE)).select(frame.columns)
        for frame in (side.entities, side.figures)
    )
    return Side(entities=entities.sort(CODE), figures=figures.sort(CODE, "year"))


def told(originals: Side, published: Side) -> dict[str, Any]:
    """Return what `ks.json` and `distributions.json` say, made as a build makes it."""
    panel = DATACLAW_18.panel
    sides = [
        side.figures.join(side.entities.select(CODE, *LEVELS.values()), on=CODE, how="left")
        for side in (originals, published)
    ]
    shaped = Shapes.merged([shapes(each) for each in ranked_samples(*sides, measures=panel.measures, levels=LEVELS)])
    tests = compare_distributions(*sides, panel=panel, levels=LEVELS)
    evidence = tests.filter("can_reject").select(KEYS)
    found = fidelity(originals, published, panel=panel, columns=EntityColumns.of(DATACLAW_18), key=KEY)
    return {
        "ks": ks_report(tests, is_sampled=True),
        "equivalence": equivalence(shaped, evidence, is_sampled=True),
        "correlations": correlation_changes(*sides, [measure.name for measure in panel.measures]),
        "fidelity": found.as_json(),
    }


def test_no_statistic_needs_to_know_whose_record_is_whose(
    small_guarded: Build, originals: Side, published: Side
) -> None:
    """Tests, equivalence, correlations and fidelity are what they are for any other pairing, and are the curator's."""
    before, after = told(originals, published), told(originals, paired_otherwise(published))
    for part, found in before.items():
        assert json.dumps(found, default=str) == json.dumps(after[part], default=str), part
    of_build = report(small_guarded.folder / CURATOR, "distributions.json")["correlations"]
    changes = [[each["median_change"] for each in found] for found in (before["correlations"], of_build)]
    assert changes[0] == pytest.approx(changes[1])

"""Lineage as the graph tells it: every column that it names is there, in the table that it names."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from anonymize.tables import FIGURES
from assets.anonymised import anonymised_names
from assets.making.keys import Stage, path_of
from assets.making.results import AssetPath
from assets.wiring.lineage import of_aggregate, of_anonymised, of_noisy, of_rendered, said
from pipeline.model import Environment
from pipeline.render import published_files, rows_of
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.us_listed import US_LISTED
from tests.integration.conftest import Build
from tests.stages import kept

KEY = "dagster/column_lineage"


def frame_of(out: Path, asset: AssetPath) -> pl.DataFrame | None:
    value = kept(out / asset[0], *asset[1:])
    return value if isinstance(value, pl.DataFrame) else None


def told(environment: Environment, out: Path) -> Iterator[tuple[AssetPath, Any]]:
    """Yield every asset that is there with its lineage."""
    for name in anonymised_names(environment):
        asset = path_of(environment, Stage.ANONYMISED, name)
        yield asset, of_anonymised(environment, name, frame_of(out, asset))
    for aggregate in environment.aggregates:
        yield path_of(environment, Stage.DERIVED, aggregate.name), of_aggregate(environment, aggregate)
    for published in published_files(environment):
        yield path_of(environment, Stage.RENDERED, published.name), of_rendered(environment, published)
    for noisy in environment.noisy_tables():
        ledger = kept(out / environment.name, Stage.LEDGER, noisy.name)
        if isinstance(ledger, pl.DataFrame):
            yield path_of(environment, Stage.NOISY, noisy.name), of_noisy(environment, noisy, ledger)


def columns_of(environment: Environment, out: Path, asset: AssetPath) -> set[str]:
    _, stage, name = asset
    value = kept(out / asset[0], *asset[1:])
    if isinstance(value, str):
        value = rows_of(environment.table(name), value)
    assert isinstance(value, pl.DataFrame), asset
    counts = kept(out / environment.name, stage, f"{name}_counts") if stage == Stage.DERIVED else None
    return set(value.columns) | set(counts.columns if isinstance(counts, pl.DataFrame) else ())


def assert_true(environment: Environment, out: Path) -> None:
    found = 0
    for asset, lineage in told(environment, out):
        if frame_of(out, asset) is None:
            continue
        deps = lineage[KEY].value
        assert set(deps) <= columns_of(environment, out, asset), asset
        for origin, column in {dep for of in deps.values() for dep in of}:
            assert column in columns_of(environment, out, origin), (asset, origin)
            found += 1
    assert found > 100


def test_graph_of_dataclaw_18_names_columns_that_are_there(small: Build) -> None:
    """For every table between the conformed ones and the noisy."""
    assert_true(DATACLAW_18, small.folder.parent)


def test_graph_of_us_listed_names_columns_that_are_there(listed: Build) -> None:
    """For every table between the conformed ones and the noisy."""
    assert_true(US_LISTED, listed.folder.parent)


def test_words_say_few_columns_and_count_many() -> None:
    """Beside a column stands its note, then where it comes from; what is made by the stage itself says so."""
    lineage = of_rendered(US_LISTED, US_LISTED.table("company_figures"))
    words = said(lineage, {"value": "a number", "other": "a note"})
    assert words["code"] == f"from anonymised/{FIGURES}: Ticker Symbol"
    assert words["value"] == f"a number; from anonymised/{FIGURES}: 76 columns"
    assert words["id"] == "made here"
    assert words["other"] == "a note"
    assert said({}, {"a": "b"}) == {"a": "b"}

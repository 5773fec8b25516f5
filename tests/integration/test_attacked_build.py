"""The attackers of `benchmarks.learnt` read a finished build: tables, and what its reports state of cells."""

import polars as pl

from benchmarks.learnt.reports import stated_cells
from benchmarks.learnt.sides import KEYS, cells, originals, published
from silt.environments.us_listed import US_LISTED
from tests.integration.conftest import Build


def test_a_build_is_read_with_its_reports(listed: Build) -> None:
    """Under `lsd` every cell has as many figures as the originals', nearly the same, and every judged cell is found."""
    seen = published(listed.folder, US_LISTED)
    sides = [cells(side, US_LISTED) for side in (originals(US_LISTED, listed.raw), seen.population)]
    then, now = (side.group_by(KEYS).agg(pl.len(), pl.mean("value")) for side in sides)
    both = then.join(now, on=KEYS, how="full", suffix=" now")
    assert both.filter(pl.col("len").ne_missing(pl.col("len now"))).is_empty()
    assert both.select((pl.col("value") - pl.col("value now")).abs().median()).item() < 0.01
    assert stated_cells(seen, US_LISTED).height == len(seen.reports["ks"]["tests"])

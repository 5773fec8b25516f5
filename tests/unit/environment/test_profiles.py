"""Profiles are rendered so that neither the row number nor a load time tells an overseas firm from the others."""

from datetime import datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.keyed import Key
from pipeline.model import Truth
from pipeline.render import render_table
from raw.corpus.stamps import numbered
from silt.environments.dataclaw_18 import DATACLAW_18
from silt.environments.dataclaw_18.enterprise import COUNTRIES_OF_FILE, render_overseas
from silt.environments.dataclaw_18.stamps import load_stamps
from tests.stats import ALPHA
from validation.attacks.noise.filters import filter_attack

KEY = Key(b"p" * 32)
PROFILE = DATACLAW_18.table("company_profile")
IS_OVERSEAS = pl.col("companyType") == "国外"
COUNTRIES = [country for countries in COUNTRIES_OF_FILE.values() for country in countries]


def profiles(*, firms: int, overseas: int) -> pl.DataFrame:
    """Return conformed profiles as the raw table has them: the overseas firms at the end."""
    row = pl.int_range(firms + overseas)
    absent = {name: pl.lit(None, pl.String) for name in PROFILE.columns}
    days = {name: pl.lit(None, pl.Date) for name in ("completedDate", "listingDate", "delistingDate")}
    told = {
        "bmCode": pl.format("{}", 100_000 + row * 7_919 % 900_000),
        "companyType": pl.when(row < firms).then(pl.lit("沪深")).otherwise(pl.lit("国外")),
        "country": pl.lit(pl.Series(COUNTRIES, dtype=pl.String)).gather(row % len(COUNTRIES)),
    }
    return pl.select(row.alias("row")).select(**absent | days | told)


def published(**tables: pl.DataFrame) -> Truth:
    return Truth(tables=tables, order=KEY)


def stamped(rows: int) -> pl.DataFrame:
    times = numbered(pl.DataFrame({"row": range(rows)})).with_columns(*load_stamps())
    return times.with_columns(pl.col("createTime", "updateTime").str.to_datetime("%d/%m/%Y %H:%M:%S"))


def test_overseas_firms_are_scattered_among_the_others() -> None:
    """No filter on a column that the kinds share tells the overseas firms, which the raw table has at its end."""
    rendered = render_table(PROFILE, published(company_profile=profiles(firms=1_400, overseas=400)))
    kinds = [rendered.filter(kind) for kind in (IS_OVERSEAS, ~IS_OVERSEAS)]
    assert [kind.height for kind in kinds] == [400, 1_400]
    found = filter_attack(*kinds, kinds="overseas against others", key=KEY, inherent=("companyType", "country"))
    assert not found.beats_chance(ALPHA), found
    assert rendered["id"].to_list() == [f"{n}" for n in range(1, 1_801)]


def test_load_times_of_the_regional_files_are_those_of_the_profiles() -> None:
    """A short file was loaded in the same hours as a long one."""
    firms = render_table(PROFILE, published(company_profile=profiles(firms=2_000, overseas=0)))
    overseas = published(overseas_profile=profiles(firms=0, overseas=800))
    decoys = pl.concat([render_overseas(file, overseas) for file in COUNTRIES_OF_FILE])
    stamps = ["createTime", "updateTime"]
    found = filter_attack(decoys.select(stamps), firms.select(stamps), kinds="overseas against others", key=KEY)
    assert not found.beats_chance(ALPHA), found


def test_the_regional_files_share_out_one_sequence_of_ids() -> None:
    """Every overseas firm stands in one file, the one of its country, under an id that no other has."""
    truth = published(overseas_profile=profiles(firms=0, overseas=99))
    files = {file: render_overseas(file, truth) for file in COUNTRIES_OF_FILE}
    ids = [int(row) for file in files.values() for row in file["id"]]
    assert sorted(ids) == list(range(1, 100))
    for file, rows in files.items():
        assert set(rows["country"]) <= set(COUNTRIES_OF_FILE[file])


@given(st.integers(1, 5_000))
def test_load_times_grow_with_the_row(rows: int) -> None:
    """Later rows are loaded no earlier, all between eight and noon, and updated in at most three batches."""
    times = stamped(rows)
    assert times["createTime"].is_sorted()
    assert times["createTime"][0] == datetime(2025, 9, 7, 8)  # noqa: DTZ001  (stamps have no zone)
    assert times["createTime"][-1] < datetime(2025, 9, 7, 12)  # noqa: DTZ001
    assert times["updateTime"].n_unique() == min(rows, 3)
    assert times["updateTime"].rle_id().n_unique() == min(rows, 3)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_the_shortest_tables_have_load_times(rows: int) -> None:
    """A table of a row or two is stamped like any other."""
    assert stamped(rows).null_count().row(0) == (0, 0, 0, 0)

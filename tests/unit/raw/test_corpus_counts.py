"""The release's numbers at full size, counted from the tables as a reader would; records are in `test_full_size.py`."""

import polars as pl

from raw.vocabulary.industries import INDUSTRIES
from raw.vocabulary.listing import EXCHANGES, OWNERSHIP_EXCHANGE_PAIRS, OWNERSHIPS
from tests.unit.raw.generated import Corpus

COUNTED = (
    "民营企业",
    "中央国有企业",
    "地方国有企业",
    "国有企业（其他）",
    "国有企业（院所）",
    "外资企业",
    "中外合资经营企业",
    "集体企业",
)


def test_firms_by_industry_and_exchange(full: Corpus) -> None:
    """Industries and exchanges have the release's numbers of firms."""
    assert dict(full.domestic.group_by("industry").len().rows()) == {i.name: i.firms for i in INDUSTRIES}
    assert dict(full.domestic.group_by("exchange").len().rows()) == {e.name: e.firms for e in EXCHANGES}


def test_owners_of_finance(full: Corpus) -> None:
    """Financial firms have the release's owners (reference, section 2.7)."""
    owners = dict(full.domestic.filter(pl.col("industry") == "金融业").group_by("ownership").len().rows())
    assert [owners[ownership] for ownership in COUNTED] == [112, 64, 105, 1, 2, 7, 5, 1]


def test_owners_and_exchanges_that_occur(full: Corpus) -> None:
    """All owners occur, and the 29 pairs with exchanges that the release has."""
    pairs = set(full.domestic.select("ownership", "exchange").unique().rows())
    assert pairs == set(OWNERSHIP_EXCHANGE_PAIRS)
    assert len(pairs) == 29
    assert {ownership for ownership, _ in pairs} == set(OWNERSHIPS)


def test_policies_of_the_counted_year(full: Corpus) -> None:
    """602 policies were published in 2022: 23 of the State Council, 392 local ones, 187 of ministries."""
    counted = full.tables["policy_resource"].filter(pl.col("publishDate").str.ends_with("/2022"))
    found = dict(counted.group_by("policyClassification").len().rows())
    assert found == {"国务院政策": 23, "地方政策": 392, "部委政策": 187}


def test_translated_titles(full: Corpus) -> None:
    """A dozen policy titles have English forms (reference, section 8)."""
    assert len(full.titles) == 12


def test_overseas_firms_by_region(full: Corpus) -> None:
    """The four overseas files have the release's numbers; 400 of the firms stand among the domestic ones."""
    overseas = full.tables["overseas_profile"]
    regions = {
        "日本": "as",
        "新加坡": "as",
        None: "as",
        "英国": "eu",
        "德国": "eu",
        "法国": "eu",
        "美国": "na",
        "加拿大": "na",
    }
    found = overseas.group_by(pl.col("country").replace_strict(regions, default="oc").alias("region")).len()
    assert dict(found.rows()) == {"as": 1_282, "eu": 1_201, "na": 791, "oc": 401}
    assert overseas.join(full.tables["company_profile"], on="bmCode", how="semi").height == 400


def test_documented_extremes_stand(full: Corpus) -> None:
    """The extremes of the release are the extremes of the corpus (reference, section 4.18)."""
    status = full.tables["company_operation_status"].join(full.domestic.select("bmCode", "industry"), on="bmCode")
    top = {
        name: pl.col(name).cast(pl.Float64)
        for name in ("研发投入占比", "营业收入同比增减幅", "研发投入同比增减幅", "资产负债率")
    }
    found = status.select(
        top["研发投入占比"].max(),
        top["营业收入同比增减幅"].max(),
        top["研发投入同比增减幅"].max(),
        top["资产负债率"].min(),
    )
    assert found.row(0) == (934_642.8, 21_217.83, 99_540.03, -47.1)
    assert "187.92" in status["资产负债率"].to_list()

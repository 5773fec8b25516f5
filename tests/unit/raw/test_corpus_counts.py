"""The release's numbers at full size, counted from the tables as a reader of them would."""

import polars as pl
import pytest

from raw.vocabulary.indicators import INDICATORS
from raw.vocabulary.industries import INDUSTRIES
from raw.vocabulary.listing import EXCHANGES, OWNERSHIP_EXCHANGE_PAIRS, OWNERSHIPS
from tests.unit.raw.generated import Corpus

pytestmark = pytest.mark.full

ADDITIVE = [measure.name for measure in INDICATORS if measure.additive]
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


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        ("company_profile", 7_295),
        ("company_operation_status", 6_895),
        ("company_core", 4_907),
        ("national_industry_status", 44),
        ("regional_industry_status", 34 * 44),
        ("policy_resource", 1_129),
        ("overseas_profile", 3_675),
        ("national_macro_detail", 43_938),
        ("national_macro_yearly", 776),
        ("regional_macro_detail", 3_173),
        ("regional_macro_yearly", 3_207),
        ("internal_metrics", 25),
    ],
)
def test_records(full: Corpus, table: str, rows: int) -> None:
    """Every table has as many records as the release (reference, section 0)."""
    assert full.tables[table].height == rows


def known_cells(full: Corpus) -> pl.DataFrame:
    """Return one row a firm and indicator with its text of each year."""
    names = [measure.name for measure in INDICATORS]
    long = full.operation.unpivot(names, index=["bmCode", "year"], variable_name="measure")
    return long.pivot("year", index=["bmCode", "measure"], values="value")


def test_figures_make_the_three_published_tables(full: Corpus) -> None:
    """Cells, changes and rates add up to the release's three operation tables."""
    cells = known_cells(full)
    known = {year: pl.col(year).is_not_null() for year in ("2020", "2021", "2022")}
    rated = {
        later: known[later] & known[before] & (pl.col(before) != "0") & pl.col("measure").is_in(ADDITIVE)
        for later, before in (("2022", "2021"), ("2021", "2020"))
    }
    counted = cells.select(
        a=known["2022"].sum(),
        b=known["2021"].sum(),
        c=known["2020"].sum(),
        d22=(known["2022"] & known["2021"]).sum(),
        d21=(known["2021"] & known["2020"]).sum(),
        r22=rated["2022"].sum(),
        r21=rated["2021"].sum(),
    ).row(0, named=True)
    assert counted["a"] + counted["b"] + counted["c"] == 781_772
    assert counted["a"] + counted["r22"] == 353_438
    assert counted["d22"] + counted["d21"] + counted["r22"] + counted["r21"] == 669_169


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


def groups(firms: pl.DataFrame, place: list[str], breakdowns: list[list[str]]) -> int:
    total = firms.with_columns(industry=pl.lit("全行业"))
    both = pl.concat([firms, total])
    return sum(both.select(*place, "industry", *columns).n_unique() for columns in breakdowns)


def test_national_count_rows(full: Corpus) -> None:
    """The firms make the release's 1,026 national count rows."""
    breakdowns = [[], ["ownership"], ["exchange"], ["ownership", "exchange"]]
    assert groups(full.domestic, [], breakdowns) == 1_026


def test_regional_count_rows(full: Corpus) -> None:
    """The firms make 2,809 regional count rows, in all provinces but Macao."""
    assert groups(full.domestic, ["province"], [[], ["ownership", "exchange"]]) == 2_809
    assert full.domestic["province"].n_unique() == 33


def test_policies_of_the_counted_year(full: Corpus) -> None:
    """602 policies were published in 2022: 23 of the State Council, 392 local ones, 187 of ministries."""
    counted = full.tables["policy_resource"].filter(pl.col("publishDate").str.ends_with("/2022"))
    found = dict(counted.group_by("policyClassification").len().rows())
    assert found == {"国务院政策": 23, "地方政策": 392, "部委政策": 187}


def test_translated_titles(full: Corpus) -> None:
    """A dozen policy titles have English forms (reference, section 8)."""
    assert len(full.titles) == 12


def test_policy_count_rows(full: Corpus) -> None:
    """Counted by scope, classification, agency and industry, the policies of 2022 make 7,792 rows."""
    counted = full.tables["policy_resource"].filter(pl.col("publishDate").str.ends_with("/2022"))
    layers = (["c"], ["a"], ["i"], ["c", "a"], ["i", "c"], ["i", "c", "a"])
    local = counted.filter(pl.col("province").is_not_null())
    scoped = pl.concat([local, counted.with_columns(province=pl.lit("全国"))])
    split = scoped.select(
        "province",
        c="policyClassification",
        a=pl.col("issueAuthor").str.split("，"),
        i=pl.col("industry").str.split("；"),
    )
    rows = split.explode("a").explode("i", empty_as_null=True)
    assert (
        split["province"].n_unique() + sum(rows.select("province", *on).drop_nulls().n_unique() for on in layers)
        == 7_792
    )


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

"""Writes the profile tables as text: the release's 29 headers, its flags, days and load times.

What stands in the columns is decided in `drawn.py` and `overseas.py`.
"""

import polars as pl

from raw.corpus.stamps import LATEST_YEAR, day_text, load_stamps, numbered
from raw.draws import CORPUS_KEY
from raw.vocabulary.listing import HONG_KONG

_KEY = CORPUS_KEY.derive("profile")

_COLUMNS = """
id year bmCode companyType bmCompanyName completedDate listingDate delistingDate industryId secondIndustryId
firstClassificationId secondClassificationId secondClassification firstClassification secondIndustry industry province
city area exchange plate ownership multipleList isResult country isDelete companyStatusType createTime updateTime
"""
HEADER = tuple(_COLUMNS.split())

_MULTIPLE_SHARE, _SECONDARY_SHARE, _STATUS_SHARE = 0.1, 0.5, 0.001
"""Shares of firms listed on several venues, of those in Hong Kong that count as the secondary listing, of odd statuses."""


def company_profile(firms: pl.DataFrame, overseas: pl.DataFrame) -> pl.DataFrame:
    """Return the domestic firms by code, then the repeated decoys by code, under one running id."""
    repeated = overseas.filter("is_repeated")
    return _as_text(pl.concat([_rows(firms), _rows(repeated)]))


def overseas_profile(overseas: pl.DataFrame) -> pl.DataFrame:
    """Return all decoys by code, under a running id of their own."""
    return _as_text(_rows(overseas))


def _rows(firms: pl.DataFrame) -> pl.DataFrame:
    return firms.select(
        *("province", "city", "area", "exchange", "plate", "ownership", "industry", "country"),
        bmCode="code",
        companyType="company_type",
        bmCompanyName="legal",
        completedDate=day_text(pl.col("completed")),
        listingDate=day_text(pl.col("listed")),
        delistingDate=day_text(pl.col("delisted")),
        industryId="industry_id",
        secondIndustryId="second_id",
        secondIndustry="second",
        firstClassificationId=pl.col("class_id").fill_null(0),
        secondClassificationId=pl.col("subclass_id").fill_null(0),
        firstClassification="class",
        secondClassification="subclass",
        **_flags(),
    ).cast(pl.String)


def _flags() -> dict[str, pl.Expr]:
    """Return who is listed on several venues, whose row is the listing that counts, and who has an odd status."""
    is_multiple = _KEY.derive("multiple").uniform("firm") < _MULTIPLE_SHARE
    is_second = (_KEY.derive("secondary").uniform("firm") < _SECONDARY_SHARE) & (pl.col("company_type") == HONG_KONG)
    has_status = _KEY.derive("status").uniform("firm") < _STATUS_SHARE
    flags = {"multipleList": is_multiple, "isResult": ~(is_multiple & is_second), "companyStatusType": has_status}
    return {name: flag.cast(pl.Int8) for name, flag in flags.items()}


def _as_text(rows: pl.DataFrame) -> pl.DataFrame:
    constant = {"year": pl.lit(str(LATEST_YEAR)), "isDelete": pl.lit("0")}
    whole = numbered(rows).with_columns(**constant)
    return whole.with_columns(**load_stamps(rows_a_second=2)).select(pl.col(HEADER).cast(pl.String))

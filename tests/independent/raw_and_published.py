"""Where figures stand in the raw tables and published files of both environments. Standard library, numpy and pandas only.

Figures come as one frame: `code, industry, sub_industry, ...` (what groups are made by), `year` (int), `measure`, `value`
(Decimal, exact). A missing group is None.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from functools import cache
from pathlib import Path

import pandas as pd

FACTS = ["code", "industry", "sub_industry"]


@dataclass(frozen=True)
class Aggregate:
    """A published table of statistics over groups of firms."""

    name: str
    by: tuple[str, ...]
    published: Callable[[Path], pd.DataFrame]
    """Database -> `by`, year, measure, statistic, value (text)."""
    members: Callable[[pd.DataFrame], pd.DataFrame]
    """Figures -> those that count, totals over groups among them."""


@dataclass(frozen=True)
class Layout:
    """Where things stand in one environment."""

    originals: Callable[[Path], pd.DataFrame]
    published: Callable[[Path], pd.DataFrame]
    aggregates: tuple[Aggregate, ...]


@cache
def csv_table(path: Path) -> pd.DataFrame:
    """Read a CSV file as text, empty fields as empty strings; once, for many look into the same one."""
    return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")


def _figures(wide: pd.DataFrame, firms: pd.DataFrame, measures: list[str]) -> pd.DataFrame:
    """Make one frame of figures out of a wide one with `code` and `year`."""
    return _long(wide.melt(["code", "year"], measures, var_name="measure"), firms)


def _long(figures: pd.DataFrame, firms: pd.DataFrame) -> pd.DataFrame:
    there = figures[~figures["value"].isin(["", "#N/A"]) & figures["value"].notna()]
    exact = there.assign(value=there["value"].map(Decimal), year=there["year"].astype(int))
    return exact.merge(firms.replace("", None), on="code", how="left", validate="many_to_one")


# dataclaw-18: Chinese tables. A firm of the type 国外 is an overseas decoy; 全行业 is the total over industries.

_PROFILE = {
    "bmCode": "code",
    "industry": "industry",
    "secondIndustry": "sub_industry",
    "province": "province",
    "companyType": "type",
}
_SUFFIXES = {"合计": "sum", "均值": "mean", "最大值": "max", "最小值": "min", "中位数": "median"}


def _dataclaw_firms(profile: pd.DataFrame) -> pd.DataFrame:
    return profile[list(_PROFILE)].rename(columns=_PROFILE)


def _dataclaw_originals(raw: Path) -> pd.DataFrame:
    tables = ("company_operation_status", "company_operation_history")
    wide = pd.concat([pd.read_parquet(raw / f"{name}.parquet") for name in tables])
    measures = [column for column in wide.columns if column not in {"企业名称", "bmCode", "year"}]
    firms = _dataclaw_firms(pd.read_parquet(raw / "company_profile.parquet"))
    return _figures(wide.rename(columns={"bmCode": "code"}), firms, measures)


def _dataclaw_published(database: Path) -> pd.DataFrame:
    latest = csv_table(database / "enterprise" / "company_operation_status.csv")
    names = dict(zip(latest["targetCode"], latest["targetName"], strict=True))
    detail = csv_table(database / "enterprise" / "company_operation_status_detail.csv").rename(
        columns={"bmCode": "code"}
    )
    detail = detail.assign(measure=detail["targetCode"].map(names))[["code", "year", "measure", "value"]]
    return _long(detail, _dataclaw_firms(csv_table(database / "enterprise" / "company_profile.csv")))


def _with_totals(figures: pd.DataFrame) -> pd.DataFrame:
    listed = figures[figures["type"] != "国外"]
    return pd.concat([listed, listed.dropna(subset=["industry"]).assign(industry="全行业")])


def _dataclaw_statistics(path: str) -> Callable[[Path], pd.DataFrame]:
    def read(database: Path) -> pd.DataFrame:
        rows = csv_table(database / "industry" / path)
        parts = rows["targetName"].str.extract(f"^(.*)({'|'.join(_SUFFIXES)})$")
        rows = rows.assign(measure=parts[0], statistic=parts[1].map(_SUFFIXES), year=rows["year"].astype(int))
        return rows.dropna(subset=["measure"])[[*_groups(rows), "year", "measure", "statistic", "value"]]

    return read


def _groups(rows: pd.DataFrame) -> list[str]:
    return [column for column in ("province", "industry") if column in rows.columns]


def _dataclaw() -> Layout:
    return Layout(
        originals=_dataclaw_originals,
        published=_dataclaw_published,
        aggregates=(
            Aggregate("national", ("industry",), _dataclaw_statistics("national_industry_status.csv"), _with_totals),
            Aggregate(
                "regional", ("province", "industry"), _dataclaw_statistics("regional_industry_status.csv"), _with_totals
            ),
        ),
    )


# us-listed: two raw CSV files.

_SECURITIES = {"Ticker Symbol": "code", "GICS Sector": "industry", "GICS Sub Industry": "sub_industry"}
_NO_FIGURES = {"", "Unnamed: 0", "Unnamed: 1", "Ticker Symbol", "Period Ending", "For Year"}
_DECIMALS = {"Price": 9, "Earnings Per Share": 3, "Estimated Shares Outstanding": 2}


def _us_originals(raw: Path) -> pd.DataFrame:
    securities = csv_table(raw / "securities.csv")
    state = securities["Address of Headquarters"].str.split(", ").str[-1].replace({"D.C.": "District of Columbia"})
    is_american = securities["Country"] == "United States"
    firms = securities.rename(columns=_SECURITIES)[FACTS].assign(state=state.where(is_american, None))
    wide = csv_table(raw / "fundamentals.csv")
    ends = pd.to_datetime(wide["Period Ending"], format="%m/%d/%Y") - pd.Timedelta(days=7)
    measures = [column for column in wide.columns if column not in _NO_FIGURES and not column.startswith("Unnamed")]
    figures = _figures(wide.assign(year=ends.dt.year, code=wide["Ticker Symbol"]), firms, measures)
    return figures.assign(value=[_kept(*place) for place in zip(figures["measure"], figures["value"], strict=True)])


def _kept(measure: str, value: Decimal) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-_DECIMALS.get(measure, 0)), ROUND_HALF_EVEN)


def _us_published(database: Path) -> pd.DataFrame:
    firms = csv_table(database / "company_profile.csv").rename(columns={"sector": "industry"})
    figures = csv_table(database / "company_figures.csv")[["code", "year", "measure", "value"]]
    return _long(figures, firms[[*FACTS, "state"]])


def _us_statistics(name: str, group: str, by: str) -> Callable[[Path], pd.DataFrame]:
    def read(database: Path) -> pd.DataFrame:
        rows = csv_table(database / f"{name}.csv").rename(columns={group: by})
        return rows.assign(year=rows["year"].astype(int))[[by, "year", "measure", "statistic", "value"]]

    return read


def _us_listed() -> Layout:
    return Layout(
        originals=_us_originals,
        published=_us_published,
        aggregates=tuple(
            Aggregate(name, (by,), _us_statistics(name, group, by), lambda figures: figures)
            for name, group, by in (("sector_aggregates", "sector", "industry"), ("state_aggregates", "state", "state"))
        ),
    )


LAYOUTS: dict[str, Callable[[], Layout]] = {"dataclaw-18": _dataclaw, "us-listed": _us_listed}

"""Long tables, aggregates and counts of policies, written as CSV: what a user would write with pandas.

A part of `peer_pipeline.py`; facts come from `originals.py`.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.peers.anonymising import CODE, YEAR, Facts, Tables, year_before

STATUS = ["id", CODE, "targetCode", "targetName", "targetUnit", "value", "createTime", "updateTime", YEAR]
DETAIL = ["id", CODE, YEAR, "targetCode", "value"]
INDUSTRY = ["id", "industryId", "industry", "targetName", "targetUnit", "value", "createTime", "updateTime", YEAR]
RELEASED = ["id", "industryId", "industry", "targetName", "value", "createTime", "updateTime", YEAR, "province"]


def published(tables: Tables, figures: pd.DataFrame, facts: Facts) -> Tables:
    """Return every published table by its path, without noise."""
    profile, policies = tables["company_profile"], tables["policy_resource"]
    latest = figures[figures[YEAR] == facts["year"]].merge(profile.drop(columns=YEAR), on=CODE)
    enterprise = {
        "company_profile": numbered(profile),
        "company_core": numbered(tables["company_core"]),
        **overseas_files(tables["overseas_profile"], facts),
        **figure_tables(figures, facts),
    }
    industry = {
        "national_industry_status": industry_table(latest, [], tables["national_macro_yearly"], facts),
        "regional_industry_status": industry_table(latest, ["province"], tables["regional_macro_yearly"], facts),
        **{
            f"{place}_industry_{table}": numbered(tables[f"{place}_macro_{raw}"])
            for place in ("national", "regional")
            for table, raw in (("status_detail", "detail"), ("yearly_status", "yearly"))
        },
    }
    policy = {"policy_resource": numbered(policies), "policy_release_status": policy_counts(policies, facts)}
    folders = {"enterprise": enterprise, "industry": industry, "policy": policy}
    paths = {f"{folder}/{name}.csv": frame for folder, frames in folders.items() for name, frame in frames.items()}
    return paths | {"internal_metrics.csv": numbered(tables["internal_metrics"])}


def long_figures(panel: pd.DataFrame, facts: Facts) -> pd.DataFrame:
    """Return one row for each firm, year and measure."""
    return panel.melt([CODE, YEAR], facts["measures"], var_name="targetName", value_name="value")


def figure_tables(figures: pd.DataFrame, facts: Facts) -> Tables:
    """Return the three long tables of figures: the last year with its rates, every year, changes over the year before."""
    before = year_before(figures, facts).assign(**figures[[CODE, YEAR]])
    rows = long_figures(figures, facts).assign(before=long_figures(before, facts)["value"]).dropna(subset="value")
    rows["targetCode"] = rows["targetName"].map(facts["codes"])
    rows["targetUnit"] = rows["targetName"].map(facts["units"])
    known = rows.dropna(subset="before")
    rates = known[known["targetName"].isin(facts["additive"]) & (known["before"] != 0)]
    rates = rates.assign(
        value=(100 * (rates["value"] - rates["before"]) / rates["before"].abs()).round(2),
        targetName=rates["targetName"] + "同比",
        targetCode=rates["targetCode"] + "_YOY",
        targetUnit="%",
    )
    changes = known.assign(value=(known["value"] - known["before"]).round(2), targetCode=known["targetCode"] + "_CHG")
    latest = pd.concat([frame[frame[YEAR] == facts["year"]] for frame in (rows, rates)])
    order = [CODE, YEAR, "targetCode"]
    return {
        "company_operation_status": stamped(numbered(latest.sort_values(order)))[STATUS],
        "company_operation_status_detail": numbered(rows.sort_values(order))[DETAIL],
        "company_operation_yearly_status": numbered(pd.concat([changes, rates]).sort_values(order))[DETAIL],
    }


def industry_table(firms: pd.DataFrame, by: list[str], macro: pd.DataFrame, facts: Facts) -> pd.DataFrame:
    """Return statistics, counts and macro series of each industry, in the nation or in each province."""
    domain = [facts["provinces"]] if by else []
    breakdowns = (_BREAKDOWNS[0], _BREAKDOWNS[-1]) if by else _BREAKDOWNS
    listed = firms.dropna(subset=[*by, "industry"])
    grouped = pd.concat([listed, listed.assign(industry=facts["total"][1])])
    series = macro.assign(industry=facts["total"][1], value=pd.to_numeric(macro["value"]))
    parts = [statistics(grouped, by, domain, facts), counts(grouped, by, facts, breakdowns), series]
    rows = pd.concat(parts, ignore_index=True).assign(**{YEAR: facts["year"]})
    rows["industryId"] = rows["industry"].map(facts["industries"] | dict([reversed(facts["total"])]))
    return stamped(numbered(rows))[[*INDUSTRY[:1], *by, *INDUSTRY[1:]]]


def statistics(firms: pd.DataFrame, by: list[str], domain: list[list[str]], facts: Facts) -> pd.DataFrame:
    """Return sum, mean, extremes and median of each measure in each group; every group has its rows."""
    grouped = firms.groupby([*by, "industry"])[facts["measures"]]
    found = {name: grouped.sum(min_count=1) if name == "sum" else grouped.agg(name) for name in facts["suffixes"]}
    every = pd.MultiIndex.from_product([*domain, [*facts["industries"], facts["total"][1]]], names=[*by, "industry"])
    wide = {name: table.reindex(every if by else every.get_level_values(0)) for name, table in found.items()}
    rows = pd.concat(wide, names=["statistic"]).reset_index()
    rows = rows.melt(["statistic", *by, "industry"], facts["measures"], var_name="measure")
    rows = rows[(rows["statistic"] != "sum") | rows["measure"].isin(facts["additive"])]
    is_zero = rows["value"].isna() & rows["measure"].isin(facts["zero_if_unknown"])
    return rows.assign(
        value=rows["value"].mask(is_zero, 0),
        targetName=rows["measure"] + rows["statistic"].map(facts["suffixes"]),
        targetUnit=rows["measure"].map(facts["units"]),
    ).drop(columns=["statistic", "measure"])


_BREAKDOWNS: tuple[tuple[str, ...], ...] = ((), ("ownership",), ("exchange",), ("ownership", "exchange"))


def counts(firms: pd.DataFrame, by: list[str], facts: Facts, breakdowns: Sequence[tuple[str, ...]]) -> pd.DataFrame:
    """Return how many firms each group has, by owner and exchange."""
    parts = []
    for breakdown in breakdowns:
        counted = firms.groupby([*by, "industry", *breakdown]).size().reset_index(name="value")
        is_total = counted["industry"] == facts["total"][1]
        if breakdown:
            label = counted[list(breakdown)].agg("-".join, axis=1) + "企业数量"
            counted["targetName"] = label.where(is_total, counted["industry"] + "-" + label)
        else:
            counted["targetName"] = (counted["industry"] + "企业数量").mask(is_total, "企业总数")
        parts.append(counted.drop(columns=list(breakdown)))
    return pd.concat(parts, ignore_index=True)


_LAYERS = (
    (),
    ("class",),
    ("agency",),
    ("industry",),
    ("class", "agency"),
    ("industry", "class"),
    ("industry", "class", "agency"),
)


def policy_counts(policies: pd.DataFrame, facts: Facts) -> pd.DataFrame:
    """Count the policies of the last year, for the nation and each province, in seven ways."""
    latest = policies[policies["publishDate"].str.endswith(f"/{facts['year']}", na=False)]
    listed = pd.DataFrame(
        {
            "policy": latest.index,
            "province": latest["province"],
            "class": latest["policyClassification"],
            "agency": latest["issueAuthor"].str.split("，"),
            "industry": latest["industry"].str.split("；"),
        }
    )
    scoped = pd.concat([listed.assign(province="nation"), listed.dropna(subset="province")])
    parts = []
    for by in _LAYERS:
        rows = scoped
        for column in {"agency", "industry"} & set(by):
            rows = rows.explode(column)
        counted = rows.groupby(["province", *by])["policy"].nunique().reset_index(name="value")
        named = [column for column in by if column != "industry"]
        label = counted[named].agg("-".join, axis=1) if named else ""
        counted["targetName"] = label + ("发布政策数量" if by in ((), ("agency",)) else "政策数量")
        parts.append(counted.drop(columns=named))
    rows = pd.concat(parts, ignore_index=True).assign(**{YEAR: facts["year"]})
    rows["industryId"], rows["province"] = (
        rows["industry"].map(facts["industries"]),
        rows["province"].replace("nation", None),
    )
    return stamped(numbered(rows))[RELEASED]


def overseas_files(overseas: pd.DataFrame, facts: Facts) -> Tables:
    """Return the overseas firms, file by file of countries."""
    everyone = numbered(overseas)
    return {
        f"company_profile_{file}": everyone[everyone["country"].isin(countries)]
        for file, countries in facts["overseas"].items()
    }


def numbered(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with ids from 1 on, in the first column."""
    return pd.concat(
        [
            pd.Series(range(1, len(frame) + 1), name="id"),
            frame.drop(columns="id", errors="ignore").reset_index(drop=True),
        ],
        axis=1,
    )


def stamped(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with times of loading that grow by the second."""
    times = pd.Timestamp("2025-09-07 08:00:00") + pd.to_timedelta(
        np.arange(len(frame)) * 14_400 // max(len(frame), 1), unit="s"
    )
    return frame.assign(createTime=times.strftime("%d/%m/%Y %H:%M:%S"), updateTime="10/9/2025 14:24:34")


def write(tables: Tables, items: Mapping[str, Any], folder: Path) -> dict[str, int]:
    """Write every table and the list of names, and return the rows of each file."""
    for path, frame in tables.items():
        file = folder / "database" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        frame.to_csv(file, index=False, float_format="%.15g")
    text = json.dumps(items, ensure_ascii=False, indent=4)
    (folder / "database/bilingual_translation_english_chinese.json").write_text(text, encoding="utf-8")
    return {path: len(frame) for path, frame in tables.items()}

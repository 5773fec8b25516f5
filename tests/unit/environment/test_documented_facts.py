"""The documented facts of `dataclaw-18`: each tells its section, can fail, and counts what it says in planted rows."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pytest

from silt.environments.dataclaw_18 import DATACLAW_18
from tests.realism.comparing import compare
from tests.realism.documented import Documented, DocumentedText, Tables
from tests.realism.facts import DOCUMENTED

FACTS = {fact.what: fact for fact in DOCUMENTED}
EMPTY = {
    table.name: pl.DataFrame(schema=dict.fromkeys(table.columns, pl.String))
    for table in DATACLAW_18.tables
    if table.folder == "database"
}

Rows = Sequence[Mapping[str, str | None]]


def planted(**tables: Rows) -> Tables:
    """Return every table, empty but for the given rows, whose other cells are empty."""
    rows = {name: pl.DataFrame(given, schema=EMPTY[name].schema) for name, given in tables.items()}
    return EMPTY | rows


def measured(what: str, tables: Tables) -> Any:
    """Return what a fact measures: counts, a number or texts, by the sort of fact."""
    fact = FACTS[what]
    return fact.measure({name: tables[name] for name in fact.needs})


def test_facts_have_names_of_their_own() -> None:
    """No two lines of the table say that they compare the same."""
    assert len(FACTS) == len(DOCUMENTED)


@pytest.mark.parametrize("fact", FACTS.values(), ids=list(FACTS))
def test_fact_names_its_section_and_tables(fact: Documented) -> None:
    """Each fact says where the reference tells it, and looks at published tables only."""
    assert re.fullmatch(r"\d+(\.\d+)?(, \d+(\.\d+)?)*", fact.where)
    assert fact.needs
    assert set(fact.needs) <= set(EMPTY)


@pytest.mark.parametrize("fact", FACTS.values(), ids=list(FACTS))
def test_fact_can_fail(fact: Documented) -> None:
    """Tables without rows agree with no fact."""
    (compared,) = compare([fact], EMPTY)
    assert compared.agrees == ("not compared" if isinstance(fact, DocumentedText) else "no")


def statistic(name: str, unit: str = "元", value: str = "1", industry: str = "教育") -> dict[str, str | None]:
    return {"industry": industry, "targetName": name, "targetUnit": unit, "value": value, "year": "2022"}


def macro(label: str, value: str = "1", **cells: str) -> dict[str, str | None]:
    return {"targetName": label, "value": value, "year": "2022"} | cells


def count(target: str, industry: str | None = None, **cells: str | None) -> dict[str, str | None]:
    return {"targetName": target, "industry": industry, "value": "1"} | cells


def policy(authors: str = "财政部", kind: str = "部委政策", **cells: str | None) -> dict[str, str | None]:
    return {"id": "1", "issueAuthor": authors, "policyClassification": kind} | cells


def firm(**cells: str | None) -> dict[str, str | None]:
    return {"companyType": "沪深", "createTime": "7/9/2025 11:59:09", "updateTime": "8/9/2025 11:59:09"} | cells


def overseas(code: str, province: str | None = None, city: str | None = None) -> dict[str, str | None]:
    return {"bmCode": code, "bmCompanyName": "n", "companyType": "国外", "province": province, "city": city}


STATUS = {
    "national_industry_status": [
        statistic("总资产合计"),
        statistic("总资产均值", "万元", "33.241873989999995"),
        statistic("资产合计最大值", "万元", "33.25"),
        statistic("资产总额最大值", value="1.5", industry="建筑业"),
        statistic("净利金额合计", "千万元"),
        statistic("净利润金额均值", "百万元"),
        statistic("净利润总额均值", "百万元"),
        statistic("营业利润均值", "千万元"),
        statistic("营业利润金额均值"),
        statistic("总负债均值"),
        statistic("负债合计均值", "十万元"),
        statistic("资产负债率最小值", "%", "-47.1"),
        statistic("研发投入占比最大值", "百分比", "934642.8"),
        statistic("金融业-民营企业企业数量", ""),
        macro("CPI:当月同比（年度）"),
        macro("CPI:当月同比（年度）", year="2021"),
        macro("公路客运量:当月值（年度）"),
    ]
}


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("总资产, all but the sum: rows with the canonical name", (1, 3)),
        ("总资产合计: rows with the canonical name", (1, 1)),
        ("净利润金额: rows with the canonical name", (1, 3)),
        (
            "营业利润金额: rows by name",
            {"营业利润金额": 1, "营业利润": 1, "营业利润总额": 0, "经营利润金额": 0},
        ),
        ("the five other indicators of money: rows with the canonical name", (1, 2)),
        ("indicators that are not money: rows with canonical name and own unit", (1, 2)),
        ("营业利润金额: rows by unit", {"元": 1, "万元": 0, "十万元": 0, "百万元": 0, "千万元": 1}),
        ("all money: rows by unit", {"元": 4, "万元": 2, "十万元": 1, "百万元": 2, "千万元": 2}),
        ("binary residue in converted figures", ["33.241873989999995万元"]),
        ("binary residue in figures left in 元", (0, 4)),
        ("largest 研发投入占比 of any industry: outliers are kept", "934,642.8 % (n = 1 industries)"),
        ("debt ratios below zero", ["-47.1"]),
        ("rows by year that the status table repeats", 3),
        ("of these, dated 2022", (2, 3)),
        ("different values of CPI:当月同比 for 2022", 1),
    ],
)
def test_statistics_are_counted(what: str, expected: object) -> None:
    """Names, units and digits are read off the national table; counts of firms and macro series are no statistics."""
    assert measured(what, planted(**STATUS)) == expected


def test_neighbours_in_other_units_are_of_one_indicator_and_industry() -> None:
    """Two rows are neighbours if the indicator and the industry are the same."""
    assert measured("neighbouring statistics of one indicator in different units", planted(**STATUS)) == [
        "总资产合计 元 / 总资产均值 万元",
        "净利金额合计 千万元 / 净利润金额均值 百万元",
        "营业利润均值 千万元 / 营业利润金额均值 元",
        "总负债均值 元 / 负债合计均值 十万元",
    ]


def test_regional_statistics_are_counted() -> None:
    """A province has statistics if one of them has a value; figures with an exponent are shown as they stand."""
    rows = [
        statistic("总资产合计", value="2.28062E+11") | {"province": "广东省"},
        statistic("总资产合计") | {"province": "北京市", "value": None},
        macro("企业总数", province="福建省"),
    ]
    tables = planted(regional_industry_status=rows)
    assert measured("provinces of the 34 that have statistics", tables) == 1
    assert measured("scientific notation of few digits in regional figures", tables) == ["2.28062E+11"]


RELEASE = [
    count("发布政策数量", value="602"),
    count("地方政策政策数量"),
    count("工业和信息化部发布政策数量"),
    count("工信部发布政策数量"),
    count("部委政策-工业和信息化部政策数量"),
    count("部委政策-工业和信息化部政策数量", "教育", industryId="31"),
    count("工业和信息化部办公厅发布政策数量"),
    count("部委政策-北京市财政局政策数量"),
    count("地方政策-财政部政策数量"),
    count("湖南省工业和信息化厅   政策数量"),
    count("广东省科技厅发布政策数量", province="广东省"),
    count("科技厅发布政策数量"),
    count("政策数量", "互联网和相关服务", value="116"),
    count("部委政策政策数量", "互联网和相关服务", value="7"),
    count("政策数量", "教育", industryId="31"),
    count("地方政策政策数量", "建筑业", industryId="16"),
    count("政策数量", "建筑业", industryId="16", province="广东省"),
]
RESOURCE = [
    policy("财政部，中国证监会办公厅、工业和信息化部办公厅", summary="s", industry="i"),
    policy("财政部商务部，合肥市人民政府办公司", industry="i"),
    policy("国家发展改革委等", "地方政策", summary="s"),
    policy("中共北京市委　", summary="s", industry="i", id="2"),
]


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("工业和信息化部: rows by name", {"工业和信息化部": 3, "中华人民共和国工业和信息化部": 0, "工信部": 1}),
        ("广东省科学技术厅: rows by name", {"广东省科学技术厅": 0, "广东省科技厅": 1}),
        ("agencies without their first characters", ["科技厅"]),
        ("misspelt agencies", ["合肥市人民政府办公司"]),
        ("blanks in names", ["湖南省工业和信息化厅   政策数量", "中共北京市委　"]),
        ("two agencies as one", ["财政部商务部"]),
        ("titles, and lists that end in 等, as agencies", ["国家发展改革委等"]),
        ("agencies under a class that is not theirs", ["部委政策-北京市财政局", "地方政策-财政部"]),
        ("industries without an id, and their policies", ["互联网和相关服务 116"]),
        ("industries whose national total is missing", ["建筑业"]),
        ("sum of counts by agency: joint policies count for each", 4),
        ("policies without industry or summary", ["id 1"]),
    ],
)
def test_agencies_and_industries_of_policies_are_counted(what: str, expected: object) -> None:
    """Names are read off counts and lists of issuing agencies, and looked up among those that there are."""
    assert measured(what, planted(policy_release_status=RELEASE, policy_resource=RESOURCE)) == expected


TEXT = "一、总则。各市每年给予补贴。对每家企业补助5,000,000元。二、附则。"


@pytest.mark.parametrize(
    ("content", "plain", "expected"),
    [
        (TEXT, TEXT, 0),
        (TEXT, TEXT.replace("对每家企业补助5,000,000元。", ""), 1),
        ("<p>一、总则&nbsp;。</p>" + TEXT, "一、总则。" + TEXT.replace("对每家企业补助5,000,000元。", ""), 1),
        (TEXT, TEXT.replace("各市每年给予补贴。", ""), 0),
        (TEXT, "一、总则。各市每年给予补贴。", 0),
        (TEXT, TEXT.replace("企业补", "企?补"), 0),
        (TEXT.removesuffix("二、附则。"), "一、总则。各市每年给予补贴。", 0),
    ],
    ids=["same", "injected", "injected among markup", "no amount", "clipped", "lost glyph", "last clipped"],
)
def test_injected_facts_are_counted(content: str, plain: str, expected: int) -> None:
    """An amount counts whose sentence the plain copy leaves out in the middle, not one that was cut off with the rest."""
    tables = planted(policy_resource=[policy(content=content, clearContent=plain)])
    assert measured("policies with an amount in the text that the plain copy leaves out", tables) == expected


def test_damage_in_texts_is_shown() -> None:
    """Lost glyphs and entities are shown as they stand."""
    rows = [policy(content="&ldquo;a&nbsp;b", clearContent="法?化"), policy(machineSummary="为什么？", content="c")]
    tables = planted(policy_resource=rows)
    assert measured("lost glyphs in texts", tables) == ["法?化"]
    assert measured("HTML entities in texts", tables) == ["&ldquo;", "&nbsp;"]


DETAIL = [
    macro("CCFI:综合指数（2022年1月1日）", targetUnit="亿千瓦时"),
    macro("CCFI:综合指数（2022年1月10日）", targetUnit="亿千瓦小时"),
    macro("CCFI:综合指数（2022年1月2日）", id="1"),
    macro("CCFI:综合指数（2022年1月2日）", id="2"),
    *(macro("民航客运量:当月值（1974年1月）", str(value)) for value in range(10)),
    *(macro("公路客运量:当月值（1974年1月）", str(value)) for value in range(9)),
]


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("macro rows that are there twice", ["CCFI:综合指数（2022年1月2日） 1"]),
        ("monthly values whose period is lost: one month for all", 10),
        ("days in the order of their text", ["2022年1月10日 before 2022年1月2日"]),
        ("two spellings of one unit", ["亿千瓦时", "亿千瓦小时"]),
    ],
)
def test_series_are_counted(what: str, expected: object) -> None:
    """Repeated rows, lost periods and orders are read off the labels."""
    assert measured(what, planted(national_industry_status_detail=DETAIL)) == expected


def test_one_spelling_is_not_two() -> None:
    """Both spellings have to be there."""
    assert measured("two spellings of one unit", planted(national_industry_status_detail=DETAIL[:1])) == []


def test_yearly_series_are_counted() -> None:
    """The regional rows by year have an order, ids and a year; the national ones a part of a year."""
    regional = [macro("x", "1", id="280"), macro("x", "3", id="2"), macro("x", "2", id="3", year="2021")]
    national = [macro("公路客运量:当月值（年度）", "32"), macro("公路客运量:当月值（年度）", "100", year="2021")]
    tables = planted(regional_industry_yearly_status=regional, national_industry_yearly_status=national)
    assert measured("regional rows by year: neighbours in the order of their values", tables) == (1, 2)
    assert measured("their ids, out of order", tables) == ["280"]
    assert measured("their year, whatever their label says: 2022", tables) == (2, 3)
    part_of_year = "part of a year as a year: 公路客运量 of 2022 against the year before"
    assert measured(part_of_year, tables) == "32.0 against 100.0 (32%)"


PROFILE = [
    firm(completedDate="21/10/1993", listingDate="10/8/1993", delistingDate="3/12/2025"),
    firm(completedDate="10/8/1993", listingDate="21/10/1993", createTime="7/9/2025 10:16:105", exchange="北交所"),
    firm(companyType="港股", province="香港特别行政区", city="香港", area="无", country="美国"),
    firm(companyType="港股", province="香港特别行政区", completedDate="1/1/2001", country="中国香港"),
    firm(province="福建省", city="厦门市", area="厦明区", listingDate="2/10/1984", exchange="北交所"),
    firm(province="福建省", city="厦门市", area="思明区", updateTime="7/9/2025 10:16:93"),
    firm(province="福建省", city="某市", area="某区"),
    overseas("100001"),
    overseas("100009"),
]
OVERSEAS = {
    "company_profile_as": [overseas("100001", "Ontario", "Frankfurt"), overseas("100002", "Tokyo", "Tokyo")],
    "company_profile_eu": [overseas("100003", "Bavaria", None)],
}


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("overseas firms among the domestic ones that repeat those of the other files", 1),
        ("overseas firms by file", {"as": 2, "eu": 1, "na": 0, "oc": 0}),
        ("overseas firms without province", (0, 3)),
        ("overseas firms without city", (1, 3)),
        ("overseas firms without plate", (3, 3)),
        ("overseas firms in places that do not belong together", ["Ontario,Frankfurt,,,"]),
        ("firms listed in Hong Kong without a founding date", (1, 2)),
        ("listed before founded", ["21/10/1993,10/8/1993"]),
        ("delisted after the last update", ["3/12/2025"]),
        ("firms of 北交所 listed on 2/10 of a year", (1, 2)),
        ("load times with impossible seconds", (2, 9)),
        ("districts that their city does not have", ["福建省,厦门市,厦明区"]),
        ("firms of Hong Kong in another country", ["香港特别行政区,美国"]),
    ],
)
def test_firms_are_counted(what: str, expected: object) -> None:
    """Dates, places and blanks are read off the profiles."""
    assert measured(what, planted(company_profile=PROFILE, **OVERSEAS)) == expected


def test_narratives_are_counted() -> None:
    """A narrative is lost if key and text are; what PDF pages left is shown as it stands."""
    rows = [{"id": "7"}, {"bmCode": "1"}, {"bmCoreVieContent": "年度报告全文 12 和 17 / 200"}]
    tables = planted(company_core=rows)
    assert measured("narratives without key and text", tables) == 1
    assert measured("what PDF pages left in narratives", tables) == ["年度报告全文 12"]


def test_records_and_ids_are_counted() -> None:
    """Ids are missing up to the largest; a repeated one counts once, and every table's rows count."""
    rows = [{"id": "1"}, {"id": "4"}, {"id": "4"}]
    tables = planted(
        policy_resource=rows, internal_metrics=[{"interal_knowladge": "资产 a"}, {"interal_knowladge": "b"}]
    )
    assert measured("ids missing in policy_resource", tables) == (2, 4)
    assert measured("records of the 18 files, give or take 1%", tables) == 5
    assert measured("metrics told in Chinese", tables) == (1, 2)

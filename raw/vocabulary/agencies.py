"""The agencies that issue policies, by classification, and the other names under which they are written.

Public bodies only. A body and its general office (办公厅) are different agencies. Which agency issues which
policy is in `raw/corpus/policies/drawn.py`, which alias the noise picks in `pipeline/noise/`.
"""

from raw.vocabulary.geography import PROVINCES

STATE_COUNCIL, MINISTRY, LOCAL = CLASSIFICATIONS = ("国务院政策", "部委政策", "地方政策")

STATE_COUNCIL_AGENCIES: tuple[str, ...] = ("国务院", "国务院办公厅", "中共中央办公厅")

_MINISTRIES = """
工业和信息化部 国家发展改革委 科技部 财政部 商务部 生态环境部 交通运输部 农业农村部 教育部 自然资源部 水利部
文化和旅游部 人力资源社会保障部 住房和城乡建设部 市场监管总局 税务总局 中国人民银行 证监会 银保监会 国务院国资委
中科院 应急部 国家卫生健康委 中央网信办 国家能源局 国家药监局 国家知识产权局 国家医保局 海关总署 国家统计局 国家邮政局
民航局 工业和信息化部办公厅 国家发展改革委办公厅 财政部办公厅 商务部办公厅 交通运输部办公厅 住房和城乡建设部办公厅
"""
MINISTRY_AGENCIES: tuple[str, ...] = tuple(_MINISTRIES.split())

_DEPARTMENTS = (
    "工业和信息化",
    "发展和改革",
    "科学技术",
    "财政",
    "商务",
    "生态环境",
    "交通运输",
    "农业农村",
    "住房和城乡建设",
    "能源",
)
_MUNICIPALITIES = frozenset({"北京市", "天津市", "上海市", "重庆市"})
_MUNICIPAL_FORMS = {"工业和信息化": "经济和信息化局", "科学技术": "科学技术委员会"}
_SPECIAL_REGIONS = frozenset({"香港特别行政区", "澳门特别行政区", "台湾省"})


def _department(province: str, subject: str) -> str:
    if subject == "发展和改革":
        return f"{province}发展和改革委员会"
    if subject == "能源":
        return f"{province}能源局"
    if province in _MUNICIPALITIES:
        return f"{province}{_MUNICIPAL_FORMS.get(subject, subject + '局')}"
    return f"{province}{subject}厅"


def _bodies(province: str) -> tuple[str, ...]:
    departments = (_department(province, subject) for subject in _DEPARTMENTS)
    return (f"{province}人民政府", f"{province}人民政府办公厅", *departments)


LOCAL_AGENCIES: dict[str, tuple[str, ...]] = {
    province.name: _bodies(province.name) for province in PROVINCES if province.name not in _SPECIAL_REGIONS
}
"""Province -> its agencies: government, its general office, departments (厅; 局 and 委员会 in municipalities)."""

CITY_AGENCIES: dict[str, tuple[str, ...]] = {
    city.name: (
        f"{city.name}人民政府",
        f"{city.name}人民政府办公室",
        f"{city.name}工业和信息化局",
        f"{city.name}科学技术局",
    )
    for province in PROVINCES
    if province.name not in _SPECIAL_REGIONS | _MUNICIPALITIES
    for city in province.cities
    if city.name.endswith("市")
}
"""City -> its agencies."""

_MINISTRY_ALIASES: dict[str, tuple[str, ...]] = {
    "工业和信息化部": ("中华人民共和国工业和信息化部", "工信部"),
    "国家发展改革委": ("国家发展和改革委员会", "发展改革委", "发改委", "中华人民共和国国家发展和改革委员会"),
    "科技部": ("科学技术部",),
    "人力资源社会保障部": ("人力资源和社会保障部", "人社部"),
    "住房和城乡建设部": ("住房城乡建设部",),
    "市场监管总局": ("国家市场监督管理总局", "市场监督管理总局"),
    "中国人民银行": ("人民银行",),
    "证监会": ("中国证监会", "中国证券监督管理委员会"),
    "银保监会": ("中国银行保险监督管理委员会", "银保监局"),
    "国务院国资委": ("国务院国有资产监督管理委员会", "国资委"),
    "中科院": ("中国科学院",),
    "应急部": ("应急管理部",),
    "国家卫生健康委": ("国家卫生健康委员会", "卫生健康委"),
    "中央网信办": ("国家互联网信息办公室", "中国网信网"),
    "税务总局": ("国家税务总局",),
    "国家药监局": ("国家药品监督管理局",),
    "国家医保局": ("国家医疗保障局",),
    "民航局": ("中国民用航空局",),
}


def _local_aliases(agency: str) -> tuple[str, ...]:
    """Return the short forms that provincial departments go by: 科技厅, 发展改革委, 工信厅."""
    shortened = (("科学技术厅", "科技厅"), ("发展和改革委员会", "发展改革委"), ("工业和信息化厅", "工信厅"))
    return tuple(agency.removesuffix(long) + short for long, short in shortened if agency.endswith(long))


AGENCY_ALIASES: dict[str, tuple[str, ...]] = _MINISTRY_ALIASES | {
    agency: aliases
    for agencies in LOCAL_AGENCIES.values()
    for agency in agencies
    if (aliases := _local_aliases(agency))
}
"""Agency -> the other names it is written under, the most frequent first (ministries as counted in the release)."""

AGENCY_NAMES: dict[str, tuple[str, ...]] = {
    agency: AGENCY_ALIASES.get(agency, ())
    for agencies in (STATE_COUNCIL_AGENCIES, MINISTRY_AGENCIES, *LOCAL_AGENCIES.values(), *CITY_AGENCIES.values())
    for agency in agencies
}
"""Every agency -> its other names, if it has any: what a reader looks a damaged name up in."""

"""Documented facts on agencies: the forms of their names, and what went wrong in writing them."""

from collections.abc import Callable, Mapping
from functools import cache

import polars as pl

from raw.vocabulary.agencies import AGENCY_ALIASES, AGENCY_NAMES, CITY_AGENCIES, CLASSIFICATIONS, LOCAL, LOCAL_AGENCIES
from silt.environments.dataclaw_18.policy import AGENCY_SEPARATOR
from tests.realism.comparing import Documented, Tables, of_counts, of_examples
from tests.realism.counting import texts

RELEASE, RESOURCE = "policy_release_status", "policy_resource"

TOTAL = "发布政策数量"
"""Label of the count of all policies, and end of the labels of those of an agency."""

_TARGET = rf"^(?:(?<class>{'|'.join(CLASSIFICATIONS)})-)?(?<agency>.+?)(?:发布)?政策数量$"

FORMS: tuple[Mapping[str, int], ...] = (
    {"工业和信息化部": 47, "中华人民共和国工业和信息化部": 3, "工信部": 1},
    {
        "国家发展改革委": 23,
        "国家发展和改革委员会": 11,
        "发展改革委": 7,
        "发改委": 1,
        "中华人民共和国国家发展和改革委员会": 1,
    },
    {"科技部": 24, "科学技术部": 5},
    {"人力资源社会保障部": 3, "人力资源和社会保障部": 2, "人社部": 1},
    {"住房和城乡建设部": 10, "住房城乡建设部": 6},
    {"市场监管总局": 11, "国家市场监督管理总局": 5, "市场监督管理总局": 1},
    {"中国人民银行": 5, "人民银行": 8},
    {"证监会": 3, "中国证监会": 2, "中国证券监督管理委员会": 1},
    {"银保监会": 5, "中国银行保险监督管理委员会": 3, "银保监局": 1},
    {"国务院国资委": 6, "国务院国有资产监督管理委员会": 3, "国资委": 1},
    {"中科院": 4, "中国科学院": 1},
    {"应急部": 2, "应急管理部": 2},
    {"国家卫生健康委": 4, "卫生健康委": 1, "国家卫生健康委员会": 1},
    {"中央网信办": 5, "国家互联网信息办公室": 7, "中国网信网": 2},
    {"广东省科学技术厅": 3, "广东省科技厅": 1},
    {"云南省发展和改革委员会": 12, "云南省发展改革委": 1},
    {"深圳市科技创新委员会": 5, "深圳科技创新委员会": 1},
)
"""The forms of one agency's name and the rows that have them; what stands first is the form that ours starts from."""


def counted(tables: Tables) -> pl.DataFrame:
    """Return the policy counts by agency, with `class` (null in the layer without) and `agency` as they stand."""
    parts = pl.col("targetName").str.extract_groups(_TARGET).alias("parts")
    of_agency = tables[RELEASE].filter(pl.col("targetName") != TOTAL).with_columns(parts).unnest("parts")
    return of_agency.filter(~pl.col("agency").is_in(CLASSIFICATIONS))


def authors(tables: Tables) -> pl.DataFrame:
    """Return one row for each agency in a policy's list, with `class` and `agency` as they stand."""
    lists = tables[RESOURCE].select(pl.col("policyClassification").alias("class"), agency="issueAuthor")
    return lists.drop_nulls("agency").with_columns(pl.col("agency").str.split(AGENCY_SEPARATOR)).explode("agency")


def _forms(forms: Mapping[str, int]) -> Callable[[Tables], dict[str, int]]:
    def measure(tables: Tables) -> dict[str, int]:
        found = dict(counted(tables).group_by("agency").len().iter_rows())
        return {form: found.get(form, 0) for form in forms}

    return measure


# --- names that are none -----------------------------------------------------------------------------------------------

_KNOWN = frozenset(form for name, forms in AGENCY_NAMES.items() for form in (name, *forms)) | {
    name.replace(body, form, 1)
    for name in AGENCY_NAMES
    for body, forms in AGENCY_ALIASES.items()
    for form in forms
    if name.startswith(body)
}
"""Every name in every form, offices of renamed bodies (工信部办公厅) among them."""
_OF_A_PLACE = frozenset(name for agencies in (*LOCAL_AGENCIES.values(), *CITY_AGENCIES.values()) for name in agencies)
_OF_THE_NATION = _KNOWN - {form for name in _OF_A_PLACE for form in (name, *AGENCY_NAMES[name])}
_ENDS = frozenset(name[start:] for name in _KNOWN for start in range(1, len(name) - 1))
"""What is left of a name that lost its first characters; two at least."""
_BLANKS = r"\s{2,}|\u3000|\p{Han}\s+\p{Han}"
_AND_OTHERS = "等"
_POLICY = r"[《“]"
"""What titles have and names have not."""


def _names(tables: Tables) -> list[str]:
    """Return the names of agencies as they stand in the counts and in the texts, each once, that nobody has."""
    names = pl.concat([frame.select("agency") for frame in (counted(tables), authors(tables))])
    return [name for name in texts(names, "agency") if name not in _KNOWN]


def _truncated(tables: Tables) -> list[str]:
    return [name for name in _names(tables) if name in _ENDS]


def _misspelt(tables: Tables) -> list[str]:
    """Return names that differ from a known one in one character, and are no end of another (科技厅, 科技部)."""
    names = (name for name in _names(tables) if name not in _ENDS)
    return [name for name in names if any(form in _with_one_character_open() for form in _open(name))]


@cache
def _with_one_character_open() -> frozenset[str]:
    return frozenset(form for name in _KNOWN for form in _open(name))


def _open(name: str) -> list[str]:
    """Return the name with each of its characters in turn replaced by a mark that no name has."""
    return [f"{name[:place]}*{name[place + 1 :]}" for place in range(len(name))]


def _glued(tables: Tables) -> list[str]:
    """Return names that two known ones make, one right after the other or with a comma of enumeration between."""
    cuts = ((name, place) for name in _names(tables) for place in range(2, len(name) - 1))
    is_of_two = (name for name, place in cuts if name[:place] in _KNOWN and name[place:].removeprefix("、") in _KNOWN)
    return list(dict.fromkeys(is_of_two))


def _titles_and_others(tables: Tables) -> list[str]:
    names = pl.DataFrame({"agency": _names(tables)}, schema={"agency": pl.String})
    is_none = pl.col("agency").str.ends_with(_AND_OTHERS) | pl.col("agency").str.contains(_POLICY)
    return texts(names.filter(is_none), "agency")


def _blanks(tables: Tables) -> list[str]:
    """Return labels of counts, and names in lists, with more than a blank, a wide one, or one between characters."""
    written = pl.concat([tables[RELEASE].select(shown="targetName"), authors(tables).select(shown="agency")])
    return texts(written.filter(pl.col("shown").str.contains(_BLANKS)), "shown")


def _wrong_class(tables: Tables) -> list[str]:
    """Return agencies under a class that is not theirs: of a place among the nation's, or the other way around."""
    rows = pl.concat([frame.select("class", "agency") for frame in (counted(tables), authors(tables))])
    is_local, agency = pl.col("class") == LOCAL, pl.col("agency")
    is_wrong = pl.when(is_local).then(agency.is_in(_OF_THE_NATION)).otherwise(agency.is_in(_OF_A_PLACE))
    return texts(rows.drop_nulls().filter(is_wrong).select(shown=pl.format("{}-{}", "class", "agency")), "shown")


_BOTH = (RELEASE, RESOURCE)

AGENCIES: tuple[Documented, ...] = (
    *(
        of_counts(f"{next(iter(forms))}: rows by name", "4.4", (RELEASE,), forms, _forms(forms))
        for forms in FORMS
    ),
    of_examples("agencies without their first characters", "4.5", _BOTH,
        ("京市通州区人民政府办公室", "省发展改革委", "自治区科学技术厅"), _truncated),
    of_examples("misspelt agencies", "4.5", _BOTH, ("合肥市人民政府办公司", "横琴粤澳深度财政局"), _misspelt),
    of_examples("blanks in names", "4.6", _BOTH,
        ("宁夏回族自治区人民政府  政策数量", "湖南省工业和信息化厅   政策数量", "中共北京市委、北京市人民政府　　　"), _blanks),
    of_examples("two agencies as one", "4.6", _BOTH,
        ("中国证券监督管理委员会国家保密局", "中国证监会办公厅、工业和信息化部办公厅"), _glued),
    of_examples("titles, and lists that end in 等, as agencies", "4.6", _BOTH,
        ("“十四五”新型储能发展实施方案", "…等"), _titles_and_others),
    of_examples("agencies under a class that is not theirs", "4.7", _BOTH,
        ("部委政策-浙江省人民政府", "地方政策-财政部", "部委政策-国务院办公厅"), _wrong_class),
)  # fmt: skip

"""The macro-economic series that stand beside the firms as distractors: names, units, frequencies, how a year is taken.

Facts of the series only; their values are drawn in `raw/corpus/figures/macro.py`. Names and units follow the release's patterns
(`:` hierarchies, two spellings of the electricity unit); levels are our own orders of magnitude, not published figures.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from raw.vocabulary.geography import PROVINCES


class Frequency(StrEnum):
    """How often a series has a value; days are all days, weeks begin on Mondays."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


class Rollup(StrEnum):
    """How the value of a year follows from those of its periods."""

    MEAN = "mean"
    SUM = "sum"
    LAST = "last"


@dataclass(frozen=True)
class MacroSeries:
    """A series: name, unit, frequency, how a year follows from its periods, first year, level of 2022, industry id."""

    name: str
    unit: str
    frequency: Frequency
    rollup: Rollup
    first_year: int
    level: float
    industry_id: int | None = None


@dataclass(frozen=True)
class RegionalSeries:
    """A series of one province."""

    province: str
    series: MacroSeries


_REAL_ESTATE = 4
_FIRST_YEAR_OF_PRODUCTS = 1951
_MAINLAND = tuple(
    province for province in PROVINCES if province.country == "中国" and province.name != "澳门特别行政区"
)

_CORE = """
CPI:当月同比|%|month|mean|1951|2.0
CPI:消费品:当月同比|%|month|mean|1994|2.2
全社会用电量:当月值|亿千瓦时|month|sum|1985|7200
全社会用电量:第一产业:当月值|亿千瓦时|month|sum|1998|95
全社会用电量:第二产业:当月值|亿千瓦时|month|sum|1998|4800
全社会用电量:第三产业:当月值|亿千瓦时|month|sum|1998|1240
公路客运量:当月值|万人|month|sum|1980|31000
公路货运量:当月值|万吨|month|sum|1980|310000
铁路客运量:当月值|万人|month|sum|1955|14000
铁路货运量:当月值|万吨|month|sum|1955|41000
制造业PMI|%|month|mean|2005|49.8
制造业PMI:生产|%|month|mean|2005|50.3
制造业PMI:新订单|%|month|mean|2005|49.2
制造业PMI:原材料库存|%|month|mean|2005|47.6
工业增加值:当月同比|%|month|mean|1990|3.8
工业增加值:制造业:当月同比|%|month|mean|1998|3.1
产量:原煤:当月值|亿吨|month|sum|1989|3.7|14
产量:天然气:当月值|亿立方米|month|sum|1989|180|14
产量:钢材:当月值|万吨|month|sum|1989|11200
产量:水泥:当月值|万吨|month|sum|1989|18000
产量:原铝:当月值|万吨|month|sum|1989|335
产量:微型电子计算机:当月值|万台|month|sum|1998|3600
TFT液晶面板:出货量|百万片|month|sum|2009|62
一级市场债券净融资量:合计|亿元|month|sum|2002|11000
个人住房公积金贷款利率:5年以上|%|month|last|1999|3.1
中长期贷款利率:5年以上|%|month|last|1989|4.65
乘用车产量:SUV:当月值|辆|month|sum|2005|910000
乘用车销量:SUV:当月值|辆|month|sum|2005|930000
汽车产量:当月值|万辆|month|sum|1990|225
汽车销量:当月值|万辆|month|sum|1990|224
汽车经销商库存系数|  |month|mean|2012|1.6
信托产品发行规模:房地产|亿元|month|sum|2004|95
出口数量:微型电脑:当月值|万台|month|sum|1995|1500
进口数量:原油:当月值|万吨|month|sum|1993|4200
进口数量:煤:当月值|万吨|month|sum|1993|2400
发电量:火电:当月值|亿千瓦小时|month|sum|1989|4900
商品房待售面积:累计值|万平方米|month|last|1999|55000
固定资产投资完成额:累计值|亿元|month|last|1992|280000
存管证券:只数|只|month|last|2004|39000
存管证券:面值|亿元|month|last|2004|200000
平均汇率:美元兑人民币|  |month|mean|1985|6.73
房地产开发投资完成额:累计值|亿元|month|last|1994|72000
月均国际现货价格:航空煤油|美元/桶|month|mean|1990|110
沪深合计:融资融券余额|亿元|month|last|2010|15800
生产资料价格指数:原煤|2000=100|month|mean|2000|270
监管进出境总数:火车|节|month|sum|1998|310000
销量:煤炭:当月值|万吨|month|sum|1998|21000
重点发电企业:耗煤量|万吨|month|sum|2003|11800
民航客运量:当月值|万人|month|sum|1974|2100
规模以上港口:货物吞吐量:当月值|万吨|month|sum|1974|129000
M2:同比|%|month|mean|1990|10.9
社会消费品零售总额:当月值|亿元|month|sum|1984|36600
进出口金额:当月值|亿美元|month|sum|1981|5200
邮政业务总量:当月值|亿元|month|sum|1985|1190
期货收盘价:布伦特原油|美元/桶|day|mean|1992|98
CCFI:综合指数|1998年1月1日=1000|week|mean|1998|2790|24
CCFI:美西航线|1998年1月1日=1000|week|mean|1998|2150|24
全部土地:全市:成交面积|万平方米|week|sum|2008|1300
"""
"""The first 46 are those with yearly figures; the order is the order in which series enter a larger corpus."""

YEARLY_SERIES = 46
"""Series that carry a figure for 2022 in the yearly table."""

_PRODUCTS = """
公路货运量:当月值|万吨|sum|9800
水路货运量:当月值|万吨|sum|2600
公路客运量:当月值|万人|sum|1000
用电量:当月值|亿千瓦时|sum|230
发电量:当月值|亿千瓦时|sum|220
产量:粗钢:当月值|万吨|sum|290
产量:水泥:当月值|万吨|sum|580
产量:化肥:当月值|万吨|sum|14
产量:发电设备:当月值|万千瓦|sum|48
产量:汽车:当月值|万辆|sum|7.3
产量:集成电路:当月值|万块|sum|87000
产量:塑料制品:当月值|万吨|sum|210
产量:乳制品:当月值|万吨|sum|8.4
产量:饮料:当月值|万吨|sum|48
产量:布:当月值|亿米|sum|1.2
产量:纸制品:当月值|万吨|sum|36
社会消费品零售总额:当月值|亿元|sum|1180
一般公共预算收入:当月值|亿元|sum|290
商品房销售面积:当月值|万平方米|sum|360
房地产开发投资:当月值|亿元|sum|350
进出口金额:当月值|亿美元|sum|168
实际使用外资:当月值|亿美元|sum|4.9
接待游客人次:当月值|万人|sum|1900
工业增加值:当月同比|%|mean|3.6
CPI:当月同比|%|mean|2.0
PPI:当月同比|%|mean|4.1
城镇新增就业:当月值|万人|sum|3.2
快递业务量:当月值|万件|sum|29000
产量:原煤:当月值|万吨|sum|1200
产量:原油:当月值|万吨|sum|55
产量:天然气:当月值|亿立方米|sum|5.8
产量:十种有色金属:当月值|万吨|sum|18
产量:平板玻璃:当月值|万重量箱|sum|270
产量:家用电冰箱:当月值|万台|sum|23
产量:移动通信手持机:当月值|万台|sum|420
电信业务总量:当月值|亿元|sum|47
"""

_HOUSING_CITIES = """
上海市:上海 北京市:北京 广东省:广州 广东省:深圳 浙江省:杭州 江苏省:南京 湖北省:武汉 四川省:成都 重庆市:重庆 江苏省:苏州
"""


def _core() -> Iterator[MacroSeries]:
    for line in _CORE.strip().splitlines():
        name, unit, frequency, rollup, first_year, level, *industry = line.split("|")
        yield MacroSeries(
            name=name,
            unit=unit.strip(),
            frequency=Frequency(frequency),
            rollup=Rollup(rollup),
            first_year=int(first_year),
            level=float(level),
            industry_id=int(industry[0]) if industry else None,
        )


def _products() -> Iterator[RegionalSeries]:
    """Yield every product in every province that has them, by product; a province's level goes by its place."""
    for line in _PRODUCTS.strip().splitlines():
        product, unit, rollup, level = line.split("|")
        for place, province in enumerate(_MAINLAND):
            series = MacroSeries(
                name=f"{province.short_name}:{product}",
                unit=unit,
                frequency=Frequency.MONTH,
                rollup=Rollup(rollup),
                first_year=_FIRST_YEAR_OF_PRODUCTS,
                level=float(level) * (0.4 + (place * 7 % len(_MAINLAND)) / 20),
            )
            yield RegionalSeries(province.name, series)


def _housing() -> Iterator[RegionalSeries]:
    for province, city in (entry.split(":") for entry in _HOUSING_CITIES.split()):
        yield RegionalSeries(province, _housing_of(city))


def _housing_of(city: str) -> MacroSeries:
    name = f"商品房:成交面积:{city}"
    return MacroSeries(name, "万平方米", Frequency.DAY, Rollup.SUM, 1990, 4.2, _REAL_ESTATE)


def _further() -> Iterator[MacroSeries]:
    """Yield a daily series of every other city."""
    listed = {entry.partition(":")[2] for entry in _HOUSING_CITIES.split()}
    cities = dict.fromkeys(city.name.removesuffix("市") for province in PROVINCES for city in province.cities)
    yield from (_housing_of(city) for city in cities if city not in listed)


PRODUCT_SERIES: tuple[RegionalSeries, ...] = tuple(_products())
"""Monthly series of single provinces."""

HOUSING_SERIES: tuple[RegionalSeries, ...] = tuple(_housing())
"""Daily series of single cities."""

NATIONAL_SERIES: tuple[MacroSeries, ...] = (*_core(), *(regional.series for regional in PRODUCT_SERIES))
"""The series of the national tables: the national ones, then those that carry a province in their name."""

FURTHER_SERIES: tuple[MacroSeries, ...] = tuple(_further())
"""Series that a national table has only if the others have not got as many records as it needs."""

"""The 44 level-1 industries, their level-2 industries, the total, other names for them, and the strategic classes.

Facts of the classification only: what firms of an industry look like is in `raw/corpus/`.
Ids and firm counts: the release (11, 40, 42, 44 were never used); level-2 ids that it does not show are free ones.
English names are ours, after the usual ones of the national classification (GB/T 4754).
"""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Industry:
    """A level-1 industry, its national number of firms (2022) and its level-2 industries `(id, name)`."""

    id: int
    name: str
    english: str
    firms: int
    second: tuple[tuple[int, str], ...]


TOTAL_INDUSTRY: tuple[str, str] = ("0", "全行业")
"""Id and name under which figures over all industries stand."""

_TABLE = """
1 医药制造业 449 Pharmaceutical Manufacturing
  3:制药 16:生物科技 89:化学制剂 18:中药
2 化学原料和化学制品制造业 364 Chemical Raw Materials and Chemical Products Manufacturing
  13:化工原料 66:化肥 76:日化产品 19:精细化工
3 信息传输、软件和信息技术服务业 644 Information Transmission, Software and Information Technology Services
  1:软件和信息技术服务 10:互联网和相关服务 62:电信、广播电视和卫星传输服务
4 房地产业 295 Real Estate
  7:住宅 53:商业地产 27:物业管理 43:房地产中介
5 专用设备制造业 447 Special-Purpose Equipment Manufacturing
  2:其他专用设备制造业 25:医疗专用设备制造业
6 消费电子及电气业 358 Consumer Electronics and Electrical Appliances
  4:电子元件及设备 36:家用电器 69:智能消费设备
7 金融业 297 Finance
  15:多元金融 32:证券 34:银行 77:保险
8 商业电气机械和器材制造业 320 Commercial Electrical Machinery and Equipment Manufacturing
  14:电机制造业 40:电池制造业 50:光伏制造业 44:光纤电缆制造业 46:非家用照明设备制造业
9 批发和零售业 273 Wholesale and Retail Trade
  9:零售业 21:批发业
10 食品饮料业 247 Food and Beverages
  11:食品业 47:酒业 49:饮料业
12 汽车制造业 230 Automobile Manufacturing
  5:汽车零部件制造业 56:整车制造业
13 电力、热力、燃气及水生产和供应业 189 Production and Supply of Electricity, Heat, Gas and Water
  17:电力热力生产和供应业 41:燃气生产和供应业 58:水生产和供应业
14 采矿业 143 Mining
  48:有色金属开采业 55:石油天然气开采业 57:煤炭开采和洗选业
15 纺织鞋服业 177 Textiles, Footwear and Apparel
  8:纺织鞋服业
16 建筑业 148 Construction
  26:土木工程 64:房屋建筑 67:建筑装饰
17 交通运输、仓储和邮政业 176 Transport, Storage and Post
  35:陆路交通运输业 37:水路交通运输业 78:航空交通运输业 63:邮政业 68:仓储业
18 通用设备制造业 213 General-Purpose Equipment Manufacturing
  6:通用设备制造业
19 半导体业 172 Semiconductors
  12:半导体业 85:半导体专用设备制造业
20 租赁和商务服务业 111 Leasing and Business Services
  23:商务服务业 86:租赁业
21 通信传输设备业 120 Communication Transmission Equipment
  22:通信传输设备业
22 非金属矿物制品业 125 Non-Metallic Mineral Products Manufacturing
  61:水泥制品业 65:玻璃制品业 73:其他非金属制品业
23 橡胶和塑料制品业 107 Rubber and Plastic Products Manufacturing
  30:塑料制品 74:橡胶制品
24 综合 34 Conglomerates
  52:综合
25 其他制造业 53 Other Manufacturing
  38:其他制造业
26 金属制品业 114 Metal Products Manufacturing
  20:金属制品业
27 铁路、船舶、航空航天和其他运输设备制造业 99 Railway, Shipbuilding, Aerospace and Other Transport Equipment Manufacturing
  51:航空航天 60:铁路 80:船舶及海洋工程装备
28 水利、环境和公共设施管理业 104 Water Conservancy, Environment and Public Facilities Management
  24:水利、环境和公共设施管理业
29 金属冶炼和压延加工业 145 Smelting and Rolling of Metals
  29:有色金属冶炼和压延加工业 39:黑色金属冶炼和压延加工业
30 科学研究和技术服务业 127 Scientific Research and Technical Services
  101:医药研发服务 102:其他科研技术服务
31 教育 60 Education
  33:教育
32 仪器仪表制造业 89 Instruments and Meters Manufacturing
  31:仪器仪表制造业
33 文化、体育和娱乐业 88 Culture, Sports and Entertainment
  28:文化、体育和娱乐业
34 农、林、牧、渔业 50 Agriculture, Forestry, Animal Husbandry and Fishery
  79:农业 82:林业 83:畜牧业 84:渔业
35 卫生和社会工作 29 Health and Social Work
  70:医疗保健
36 造纸和纸制品业 51 Paper and Paper Products Manufacturing
  42:造纸和纸制品业
37 住宿和餐饮业 35 Accommodation and Catering
  75:住宿业 81:餐饮业
38 家具制造业 43 Furniture Manufacturing
  45:家具制造业
39 印刷和记录媒介复制业 33 Printing and Reproduction of Recorded Media
  87:印刷和记录媒介复制业
41 文教、工美、体育和娱乐用品制造业 39 Manufacture of Articles for Culture, Education, Arts and Crafts, Sports and Entertainment
  54:文教、工美、体育和娱乐用品制造业
43 化学纤维制造业 34 Chemical Fibre Manufacturing
  59:化学纤维制造业
45 石油加工、炼焦和核燃料加工业 21 Petroleum Processing, Coking and Nuclear Fuel Processing
  72:石油加工、炼焦和核燃料加工业
46 废弃资源综合利用业 27 Comprehensive Utilisation of Waste Resources
  71:废弃资源综合利用业
47 木材加工和木、竹、藤、棕、草制品业 11 Timber Processing and Manufacture of Wood, Bamboo, Rattan, Palm and Straw Products
  88:木材加工和木、竹、藤、棕、草制品业
48 居民服务、修理和其他服务业 4 Resident Services, Repair and Other Services
  90:居民服务、修理和其他服务业
"""


def _industries() -> Iterator[Industry]:
    """Read blocks of two lines: id, name, firms and English name; the level-2 industries `id:name`."""
    lines = _TABLE.strip().splitlines()
    for own, second in zip(lines[0::2], lines[1::2], strict=True):
        number, name, firms, english = own.split(maxsplit=3)
        parts = (part.split(":") for part in second.split())
        yield Industry(int(number), name, english, int(firms), tuple((int(part), called) for part, called in parts))


INDUSTRIES: tuple[Industry, ...] = tuple(_industries())
"""In the order of their ids; the firms sum to 6,895."""

INDUSTRY_SYNONYMS: dict[str, tuple[str, ...]] = {
    "信息传输、软件和信息技术服务业": ("互联网和相关服务", "电信、广播电视和卫星传输服务", "计算机"),
    "商业电气机械和器材制造业": ("电气机械和器材制造业", "电气设备"),
    "其他制造业": ("制造业", "工业制造业"),
    "房地产业": ("房地产",),
    "汽车制造业": ("汽车",),
    "交通运输、仓储和邮政业": ("交通运输",),
    "消费电子及电气业": ("家用电器", "电子"),
    "医药制造业": ("医药生物",),
    "化学原料和化学制品制造业": ("化工",),
    "专用设备制造业": ("机械设备",),
    "金融业": ("非银金融",),
    "住宿和餐饮业": ("休闲服务",),
    "建筑业": ("建筑装饰",),
    "非金属矿物制品业": ("建筑材料",),
    "金属冶炼和压延加工业": ("有色金属",),
    "采矿业": ("采掘",),
    "批发和零售业": ("商业贸易",),
}
"""Names outside the dictionary that stand for an industry; they have no id. Which it means is our reading."""

STRATEGIC_CLASSES: tuple[tuple[int, str, tuple[tuple[int, str], ...]], ...] = (
    (1, "新一代信息技术产业", ((1, "下一代信息网络产业"), (2, "新兴软件和新型信息技术服务"), (3, "电子核心产业"))),
    (2, "高端装备制造产业", ((1, "智能制造装备产业"), (5, "轨道交通装备产业"))),
    (3, "新材料产业", ((4, "先进石化化工新材料"), (7, "先进有色金属材料"), (8, "高性能纤维及制品"))),
    (4, "生物产业", ((6, "生物医药产业"), (9, "生物医学工程产业"))),
    (5, "节能环保产业", ((10, "高效节能产业"), (11, "先进环保产业"), (12, "资源循环利用产业"))),
    (6, "新能源产业", ((16, "风能产业"), (17, "太阳能产业"), (18, "智能电网产业"))),
    (7, "数字创意产业", ((13, "数字文化创意活动"),)),
    (8, "相关服务业", ((14, "新技术与创新创业服务"), (15, "其他相关服务"))),
    (9, "新能源汽车产业", ((19, "新能源汽车整车制造"), (20, "新能源汽车装置、配件制造"))),
)
"""Strategic emerging industries: id, name, sub-classes `(id, name)`. Class 0 with no name stands for none."""

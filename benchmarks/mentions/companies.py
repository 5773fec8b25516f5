"""Invented companies, with all that is listed of them and what only texts say."""

from dataclasses import dataclass

from pypinyin import lazy_pinyin

from anonymize.names.vocabulary import words
from pipeline.keyed import Key, KeyedRandom

KEY = Key(b"written forms of companies 000001")


_SYLLABLES = words("""
    bao bei chao cheng chun da deng dong fang fei feng gao guang hai han heng hong hua hui ji jia jian jing jun kai
    kang lan li lian long lu mei ming nan ning peng ping qian qing rong rui sheng shun song tai tian tong wan wei
    xiang xin xing yang yi yong yu yuan yue zhen zheng zhong
""")


_BRAND_CHARACTERS = "昭霁榕曜岑钧泓蔚彤翊澜桓珩沅骥瑜嵘峻煜烨琛瑾楠枫皓昊晟旻朔珂弘诺迈锐驰腾跃翔鹏鲲鼎铭鑫淼垚焱森茂葆"


_COMMON = words("""
    bridge crane falcon harvest summit golden silver bright union pacific royal dragon orient crystal modern premier
    first garden island river sunny green star ocean lucky grand noble vision future smart
""")


_TRADES = {
    "Foods": "食品",
    "Pharmaceutical": "制药",
    "Electronics": "电子",
    "Machinery": "机械",
    "Textile": "纺织",
    "Technology": "科技",
    "New Materials": "新材料",
    "Logistics": "物流",
    "Energy": "能源",
    "Medical Devices": "医疗器械",
}


CITIES = {
    "Ningbo": "宁波",
    "Suzhou": "苏州",
    "Wuxi": "无锡",
    "Foshan": "佛山",
    "Xiamen": "厦门",
    "Yantai": "烟台",
    "Xi'an": "西安",
}


_ENGLISH_FORMS = (
    "Co., Ltd.",
    "Co.,Ltd",
    "Holdings Limited",
    "Group Co., Ltd.",
    "Limited",
    "Corporation",
    "(Group) Co., Ltd.",
)


_CHINESE_FORMS = ("股份有限公司", "有限公司", "集团股份有限公司", "（集团）股份有限公司")


_SURNAMES = {
    "Li": "李",
    "Wang": "王",
    "Zhang": "张",
    "Chen": "陈",
    "Zhao": "赵",
    "Huang": "黄",
    "Zhou": "周",
    "Wu": "吴",
}


LONG = 7
"""Letters of a brand that is distinctive by itself."""


@dataclass(frozen=True)
class Company:
    """One company, with all that is listed of it and what only texts say."""

    code: str
    brand: str
    """Words by which it is known in English."""
    trade: str
    form: str
    city: str
    brand_zh: str
    form_zh: str
    former: str
    former_zh: str
    called: str
    called_zh: str
    host: str
    phone: str
    person: str
    person_zh: str
    is_distinctive: bool
    """Whether its brand is no ordinary words."""

    @property
    def core(self) -> str:
        """Return the English name without legal form."""
        return f"{self.city} {self.brand} {self.trade}" if self.city else f"{self.brand} {self.trade}"

    @property
    def name(self) -> str:
        """Return the listed English name."""
        return f"{self.core} {self.form}"

    @property
    def core_zh(self) -> str:
        """Return the Chinese name without legal form."""
        return f"{CITIES.get(self.city, '')}{self.brand_zh}{_TRADES[self.trade]}"

    @property
    def name_zh(self) -> str:
        """Return the listed Chinese name."""
        return self.core_zh + self.form_zh

    @property
    def digits(self) -> str:
        """Return the code without its suffix."""
        return self.code.partition(".")[0]


def companies(count: int) -> list[Company]:
    """Return invented companies; some are called by ordinary words."""
    made: list[Company] = []
    brands: set[str] = set()
    for number in range(count):
        stream, attempt = KEY.stream("company", str(number)), 0
        while (company := _company(number, stream)).core in brands or company.brand_zh in brands:
            attempt += 1
        brands |= {company.core, company.brand_zh, company.called}
        made.append(company)
    return made


def _company(number: int, stream: KeyedRandom) -> Company:
    kind = stream.choice(["joined"] * 12 + ["apart"] * 5 + ["compound"] * 6 + ["two words"] * 2 + ["one word"])
    brand = {
        "joined": lambda: "".join(stream.sample(_SYLLABLES, stream.choice([2, 3, 3]))).capitalize(),
        "apart": lambda: " ".join(one.capitalize() for one in stream.sample(_SYLLABLES, 3)),
        "compound": lambda: (
            stream.choice(_COMMON).capitalize() + stream.choice(_SYLLABLES) + stream.choice(["tec", "ron", "sen"])
        ),
        "two words": lambda: " ".join(one.capitalize() for one in stream.sample(_COMMON, 2)),
        "one word": lambda: stream.choice(_COMMON).capitalize(),
    }[kind]()
    suffix = ("SH", "SZ", "HK")[number % 3]
    code = {"SH": f"{600000 + number}", "SZ": f"{number + 1:06d}", "HK": f"{1 + number * 4:04d}"}[suffix]
    surname, given = stream.choice(list(_SURNAMES)), "".join(stream.sample(_SYLLABLES, 2)).capitalize()
    brand_zh = "".join(stream.sample(_BRAND_CHARACTERS, 3))
    other = "".join(stream.sample(_SYLLABLES, 3)).capitalize()
    other_zh = "".join(stream.sample(_BRAND_CHARACTERS, 3))
    trade = stream.choice(list(_TRADES))
    return Company(
        code=f"{code}.{suffix}",
        brand=brand,
        trade=trade,
        form=stream.choice(_ENGLISH_FORMS),
        city=stream.choice(["", "", *CITIES]),
        brand_zh=brand_zh,
        form_zh=stream.choice(_CHINESE_FORMS),
        former=f"{other} {stream.choice(list(_TRADES))} Co., Ltd.",
        former_zh=f"{other_zh}{_TRADES[stream.choice(list(_TRADES))]}有限公司",
        called="".join(one.upper() for one in stream.sample("bcdfghjklmnpqrstvwxyz", 2)) + str(number) + "tec",
        called_zh=f"{brand_zh}{stream.choice(['股份', '科创', '实业'])}",
        host=f"{''.join(lazy_pinyin(brand_zh))}{number}.com.cn",
        phone=f"+86 {stream.randrange(21, 99)} {stream.randrange(10**7, 10**8 - 1)}",
        person=f"{given} {surname}",
        person_zh=_SURNAMES[surname]
        + "".join(stream.sample("卫国晓明建华海燕志强美玲一帆伟芳娜敏静磊洋艳勇杰娟涛超霞平刚桂英", 2)),
        is_distinctive=kind in {"joined", "apart", "compound"} and len(brand) >= LONG,
    )

"""Descriptions in which companies are written in every way that is listed here, and where.

Each form is a name and a function. What is written where is known because it is written here; nothing of the finder is used.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import opencc

from anonymize.names.vocabulary import words
from benchmarks.mentions.companies import CITIES, KEY, LONG, Company
from pipeline.keyed import KeyedRandom


class Phrase(NamedTuple):
    """A mention as it is written: what identifies, and what stands before and behind it."""

    before: str
    core: str
    behind: str = ""


class WrittenForm(NamedTuple):
    """One way to write something of a company."""

    name: str
    language: str
    write: Callable[[Company, KeyedRandom], Phrase]
    of: Callable[[Company], bool] = lambda _: True
    """Companies that can be written so."""
    is_own: bool = False
    """Whether it says who is meant in the company's own text only."""
    introduced_by: tuple[str, ...] = ()
    """Forms of which one stands in the company's own text, since no table lists what this one says."""


@dataclass(frozen=True)
class Text:
    """One description, and where in it what is written."""

    code: str
    text: str
    places: Sequence[tuple[int, int, str]]
    """Start, end and form of each mention."""
    zones: Sequence[tuple[int, int]]
    """Where anything but ordinary text stands."""


def _apart(word: str) -> str:
    half = len(word) // 2
    return f"{word[:half].capitalize()} {word[half:].capitalize()}"


def _wide(text: str) -> str:
    return "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text)


def _accented(text: str) -> str:
    return text.translate(str.maketrans("aeiou", "áéíóú"))


def _traditional(text: str) -> str:
    return _converter().convert(text)


@cache
def _converter() -> opencc.OpenCC:
    return opencc.OpenCC("s2t")


def _distinctive(company: Company) -> bool:
    return company.is_distinctive


def _is_one_word(company: Company) -> bool:
    return company.is_distinctive and " " not in company.brand and len(company.brand) >= LONG


FORMS: tuple[WrittenForm, ...] = (
    WrittenForm("as listed", "en", lambda c, _: Phrase("", c.core, f" {c.form}")),
    WrittenForm("capitals", "en", lambda c, _: Phrase("", c.core.upper(), f" {c.form.upper()}")),
    WrittenForm("small letters", "en", lambda c, _: Phrase("", c.core.lower(), f" {c.form.lower()}")),
    WrittenForm("without legal form", "en", lambda c, _: Phrase("", c.core), _distinctive),
    WrittenForm("without legal form, own", "en", lambda c, _: Phrase("", c.core), is_own=True),
    WrittenForm(
        "another legal form",
        "en",
        lambda c, r: Phrase("", c.core, " " + r.choice(["Ltd.", "Inc.", "Limited", "Co., Limited"])),
    ),
    WrittenForm(
        "other punctuation", "en", lambda c, r: Phrase("", c.core, r.choice([", Co Ltd", " Co. Ltd.", " CO.,LTD."]))
    ),
    WrittenForm("possessive", "en", lambda c, r: Phrase("", c.core, r.choice([" Group's", " Limited’s"]))),
    WrittenForm("article", "en", lambda c, _: Phrase("The ", c.core, " Company")),
    WrittenForm("wide characters", "en", lambda c, _: Phrase("", _wide(c.core)), _distinctive),
    WrittenForm("words joined", "en", lambda c, _: Phrase("", c.core.replace(" ", ""), ""), _distinctive),
    WrittenForm("hyphens", "en", lambda c, _: Phrase("", c.core.replace(" ", "-")), _distinctive),
    WrittenForm("file name", "en", lambda c, _: Phrase("", c.core.replace(" ", "_").lower(), ".pdf"), _distinctive),
    WrittenForm("over lines", "en", lambda c, _: Phrase("", c.core.replace(" ", "\n  "), f"\n  {c.form}")),
    WrittenForm("two blanks", "en", lambda c, _: Phrase("", c.core.replace(" ", "  "), f"  {c.form}")),
    WrittenForm("accents", "en", lambda c, _: Phrase("", _accented(c.core), f" {c.form}")),
    WrittenForm("group in brackets", "en", lambda c, _: Phrase("", c.core, " (Group) Company Limited")),
    WrittenForm("set in quotes", "en", lambda c, _: Phrase("“", c.core, f" {c.form}”")),
    WrittenForm("zero width", "en", lambda c, _: Phrase("", f"{c.core[:3]}\u200b{c.core[3:]}", f" {c.form}")),
    WrittenForm("brand in pieces", "en", lambda c, _: Phrase("", _apart(c.brand)), _is_one_word),
    WrittenForm("brand alone", "en", lambda c, _: Phrase("", c.brand), _distinctive),
    WrittenForm("brand in capitals", "en", lambda c, _: Phrase("", c.brand.upper()), _distinctive),
    WrittenForm("brand of a product", "en", lambda c, _: Phrase("under the ", c.brand, " brand name"), _distinctive),
    WrittenForm("Chinese as listed", "zh", lambda c, _: Phrase("", c.name_zh)),
    WrittenForm("traditional", "zh", lambda c, _: Phrase("", _traditional(c.core_zh), _traditional(c.form_zh))),
    WrittenForm("Chinese without legal form", "zh", lambda c, _: Phrase("", c.core_zh)),
    WrittenForm(
        "another Chinese legal form",
        "zh",
        lambda c, r: Phrase("", c.core_zh, r.choice(["有限责任公司", "集团有限公司", "集团"])),
    ),
    WrittenForm(
        "blanks between characters", "zh", lambda c, _: Phrase("", " ".join(c.core_zh), " " + " ".join(c.form_zh))
    ),
    WrittenForm("Chinese group in brackets", "zh", lambda c, _: Phrase("", c.core_zh, "（集团）有限公司")),
    WrittenForm("Chinese brand alone", "zh", lambda c, _: Phrase("", c.brand_zh)),
    WrittenForm("Chinese brand of a product", "zh", lambda c, _: Phrase("“", c.brand_zh, "”牌")),
    WrittenForm(
        "changed its name",
        "en",
        lambda c, r: Phrase(
            "formerly known as ", c.former, f" and changed its name to {c.name} in May {r.randrange(1995, 2022)}"
        ),
        is_own=True,
    ),
    WrittenForm("formerly", "en", lambda c, _: Phrase("(formerly ", c.former, ")"), is_own=True),
    WrittenForm(
        "former name in another text",
        "en",
        lambda c, _: Phrase("", c.former),
        introduced_by=("changed its name", "formerly"),
    ),
    WrittenForm("the company in quotes", "en", lambda c, _: Phrase(f"{c.name} (the “", c.called, "”)"), is_own=True),
    WrittenForm("hereinafter", "en", lambda c, _: Phrase(f"{c.name}, hereinafter ", c.called, ","), is_own=True),
    WrittenForm(
        "called so elsewhere",
        "en",
        lambda c, _: Phrase("", c.called),
        introduced_by=("the company in quotes", "hereinafter"),
    ),
    WrittenForm("原名", "zh", lambda c, _: Phrase("原名", c.former_zh, ""), is_own=True),
    WrittenForm("前身为", "zh", lambda c, _: Phrase("其前身为", c.former_zh, "，"), is_own=True),
    WrittenForm("曾用名", "zh", lambda c, _: Phrase("（曾用名：", c.former_zh, "）"), is_own=True),
    WrittenForm("简称", "zh", lambda c, _: Phrase(f"{c.name_zh}（以下简称“", c.called_zh, "”）"), is_own=True),
    WrittenForm(
        "Chinese former name in another text",
        "zh",
        lambda c, _: Phrase("", c.former_zh),
        introduced_by=("原名", "前身为", "曾用名"),
    ),
    WrittenForm("code in full", "en", lambda c, _: Phrase("", c.code)),
    WrittenForm("code in small letters", "en", lambda c, _: Phrase("", c.code.lower())),
    WrittenForm("exchange and code", "en", lambda c, _: Phrase(f"({_EXCHANGES[c.code[-2:]]} : ", c.digits, ")")),
    WrittenForm(
        "exchange and code without zeros",
        "en",
        lambda c, _: Phrase(f"{_EXCHANGES[c.code[-2:]]}: ", c.digits.lstrip("0")),
    ),
    WrittenForm("suffix first", "en", lambda c, _: Phrase(c.code[-2:], c.digits)),
    WrittenForm("股票代码", "zh", lambda c, _: Phrase("（股票代码：", c.digits, "）")),
    WrittenForm("code in wide digits", "zh", lambda c, _: Phrase("证券代码", _wide(c.digits))),
    WrittenForm("host", "en", lambda c, _: Phrase("", c.host)),
    WrittenForm("www", "en", lambda c, _: Phrase("", f"www.{c.host}")),
    WrittenForm("URL", "en", lambda c, _: Phrase("", f"https://www.{c.host}/about/index.html")),
    WrittenForm("mail address", "en", lambda c, _: Phrase("", f"ir@{c.host}")),
    WrittenForm("telephone number", "en", lambda c, _: Phrase("", c.phone)),
    WrittenForm("unlisted host", "en", lambda c, _: Phrase("", f"shop-{c.host.partition('.')[0]}.cn")),
    WrittenForm("person", "en", lambda c, _: Phrase("", c.person)),
    WrittenForm("person, surname first", "en", lambda c, _: Phrase("", " ".join(c.person.split()[::-1]))),
    WrittenForm("person in capitals", "en", lambda c, _: Phrase("", c.person.upper())),
    WrittenForm(
        "person by title",
        "en",
        lambda c, r: Phrase(r.choice(["Mr. ", "Ms. ", "Chairman "]), c.person.split()[1]),
        is_own=True,
    ),
    WrittenForm("Chinese person", "zh", lambda c, _: Phrase("", c.person_zh)),
    WrittenForm(
        "Chinese person by title",
        "zh",
        lambda c, r: Phrase("", c.person_zh[0], r.choice(["先生", "董事长", "女士"])),
        is_own=True,
    ),
)
"""Every form that is written."""


_EXCHANGES = {"SH": "SHSE", "SZ": "SZSE", "HK": "SEHK"}


ENGLISH = (
    "The company offers {w} and {w} for {w} in China and internationally.",
    "It operates through three segments: Property Management, Golden Garden Services, and Modern Logistics.",
    "In addition, it engages in the {w} and {w} businesses across stores in China. Its products include {w}.",
    "As of December 31, {y}, it operated {n} retail stores and {n} harvest stations, which employed {n} people.",
    "The bridge over the river and the tower crane were built with {w} in {y}.",
    "A bright future, a grand vision and smart, sunny gardens are what its customers look for.",
    "The company was founded in {y} and is headquartered in {city}, China.",
    "Revenue of RMB {n} million came from {w}; {n}% came from {w}.",
    "Crane operators, Bridge builders and other {w} are trained for {n} days in {city}.",
    "It was the first to offer {w} under a royal and noble design, with {n} patents.",
    "Falcon is a method for {w}, and pacific herring is processed for modern kitchens.",
    "The products are used in {w}, {w}, and energy, foods, machinery and textile plants.",
)


CHINESE = (
    "公司主要从事{z}和{z}的研发、生产和销售，产品远销海外。",
    "截至{y}年12月31日，公司拥有员工{n}人，专利{n}项。",
    "报告期内，公司实现营业收入{n}万元，同比增长{n}%。",
    "公司坚持创新驱动，建成了食品、电子、机械和新材料的生产基地。",
    "公司位于{c}市，成立于{y}年，科技能源物流产业发展迅速。",
    "公司所处的{z}行业前景光明，未来将继续加大{z}投入。",
    "公司通过电子商务平台销售{z}，覆盖全国{n}个城市。",
    "董事长先生表示，制药和医疗器械是公司的重点，纺织次之。",
)


_FRAMES = {
    "en": (
        "{m} is a supplier of the company.",
        "The company is a subsidiary of {m}.",
        "Its customers include {m}, among others.",
        "In {y}, an agreement with {m} was signed.",
        "More is told of {m} in the annual report.",
    ),
    "zh": ("公司与{m}签订了协议。", "主要客户包括{m}等。", "{m}是公司的合作伙伴。", "详见{m}的年度报告。"),
}


_OWN_FRAMES = {
    "en": (
        "The company is {m} as well.",
        "In its report, {m} is told of.",
        "It was {m} at the time.",
        "It says this of {m} again.",
    ),
    "zh": ("公司{m}。", "{m}", "本报告所述的{m}。"),
}


_WORDS = words("""
    gears valves cables resins coatings tablets capsules yarns fabrics snacks beverages turbines boilers sensors
    chips panels batteries motors pumps filters pipes castings moulds inks papers plastics alloys wires lamps
    screens scanners dressings
""")


_WORDS_ZH = (
    "齿轮",
    "阀门",
    "电缆",
    "树脂",
    "涂料",
    "片剂",
    "面料",
    "零食",
    "饮料",
    "涡轮机",
    "锅炉",
    "传感器",
    "芯片",
    "电池",
    "水泵",
    "管道",
    "铸件",
)


def texts(made: Sequence[Company], *, mentions: int = 6) -> Iterator[Text]:
    """Yield a text in English and one in Chinese of each company, with mentions of it and of others in turn of the forms."""
    for language in ("en", "zh"):
        of_language = [form for form in FORMS if form.language == language]
        chosen = [
            [of_language[(number * mentions + at) % len(of_language)] for at in range(mentions)]
            for number in range(len(made))
        ]
        introducing: dict[str, list[Company]] = {}
        for company, forms in zip(made, chosen, strict=True):
            for form in forms:
                introducing.setdefault(form.name, []).append(company)
        for company, forms in zip(made, chosen, strict=True):
            yield _text(company, made, forms, introducing, language)


def _text(
    company: Company,
    made: Sequence[Company],
    chosen: Sequence[WrittenForm],
    introducing: Mapping[str, Sequence[Company]],
    language: str,
) -> Text:
    stream, gap = KEY.stream("text", language, company.code), " " if language == "en" else ""
    text, places, zones = "", [], []
    for form in chosen:
        text += _ordinary(language, stream) + gap
        known = (
            [one for other in form.introduced_by for one in introducing.get(other, ())] if form.introduced_by else made
        )
        who = company if form.is_own else stream.choice(known) if known else None
        if who is None or not form.of(who):
            continue
        written = form.write(who, stream)
        frame = _filled(stream.choice((_OWN_FRAMES if form.is_own else _FRAMES)[language]), stream)
        before, _, behind = frame.partition("{m}")
        start = len(text) + len(before) + len(written.before)
        zones.append((len(text) + len(before), len(text) + len(before) + len("".join(written))))
        text += before + "".join(written) + behind + gap
        places.append((start, start + len(written.core), form.name))
    return Text(company.code, text + _ordinary(language, stream), places, zones)


def _ordinary(language: str, stream: KeyedRandom) -> str:
    return _filled(stream.choice(ENGLISH if language == "en" else CHINESE), stream)


def _filled(template: str, stream: KeyedRandom) -> str:
    parts = {
        "{w}": lambda: stream.choice(_WORDS),
        "{z}": lambda: stream.choice(_WORDS_ZH),
        "{y}": lambda: str(stream.randrange(1980, 2023)),
        "{n}": lambda: str(stream.randrange(2, 9999)),
        "{city}": lambda: stream.choice(list(CITIES)),
        "{c}": lambda: stream.choice(list(CITIES.values())),
    }
    for place, word in parts.items():
        while place in template:
            template = template.replace(place, word(), 1)
    return template

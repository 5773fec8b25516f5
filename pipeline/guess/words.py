"""What headers say: words that mark a role, and units. Data, and how a header is taken apart.

Headers are a hint in English, German, French, Spanish and Chinese: what a foreign word means stands in one table (`_MEANS`),
and everything else knows the English word alone. What cells say belongs to `typing.py`.
"""

import re
import unicodedata
from collections.abc import Iterator


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


ID = _set("id code key no nr num number symbol ticker ref uid index")  # numbers or names something
GENERIC = _set("id code key no nr num number uid")  # says nothing of what it numbers
TITLE = _set("title label")  # names things; a title may be a post as well
NAME = TITLE | _set("name names company firm security organisation organization legal")
PART_OF_NAME = _set("first last given family middle surname forename firstname lastname")
IDENTIFIER = _set(
    "email mail phone telephone tel fax mobile cell url website web homepage link photo image address addr street zip zipcode"
    " postcode postal postalcode isin lei cik cusip sedol wkn duns vat tin ein ssn nino passport iban bic swift lat latitude"
    " lon lng longitude ip mac uuid guid username login siren siret nif cif"
)  # finds somebody in the world, whatever its cells look like
PERSON = _set(
    "customer client employee person people patient student user author player member contact driver teacher doctor staff"
    " actor manager passenger tenant"
)  # what a table calls its rows if they are people
ENTITY = PERSON | _set(
    "company firm enterprise supplier vendor shop store bank airline school hospital artist merchant account branch plant"
    " organisation organization issuer borrower client shipper team farm hotel"
)  # or somebody
SOMEBODY = ENTITY | _set(
    "composer owner director founder ceo chair head rep agent partner buyer seller sender receiver"
)
ABOVE = _set(
    "parent manager supervisor boss superior reports reporting mentor leader referrer previous original"
)  # leads to a row
ALIAS = _set("alias aliases nickname aka former formerly called short abbreviation brand")
FORMER = _set("former formerly")
RECORD = _set("voucher invoice ticket slip receipt order bill flight booking claim policy contract case batch")
PROSE = _set("about description text note notes remark remarks comment comments narrative summary abstract body")
YEAR = _set("year years fy yr fiscal founded established incorporated opened since built")
DATE = _set("date day time on at")
INDUSTRY = _set("industry sector trade branch category segment field")
GROUP = INDUSTRY | _set(
    "class type group region state country continent city place"
)  # entities are compared by it, or live there
MARK = _set("star stars rating ratings rated score scores grade grades mark marks satisfaction")  # of a scale
RATIO = _set(
    "ratio rate margin pct percent percentage share avg average mean price per index yield growth change roe roa density"
    " score expectancy lifeexp percap capita"
)  # makes no sense in sum
"""Words of headers."""

WHEN: dict[str, tuple[int, int]] = {
    "month": (1, 12), "day": (1, 31), "hour": (0, 24), "minute": (0, 59), "second": (0, 60), "week": (1, 53),
    "weekday": (0, 7), "quarter": (1, 4), "dayofweek": (0, 7), "dow": (0, 7),
}  # fmt: skip
"""Word of a column that says a part of a date or time -> the least and largest value that it can have."""

UNITS = {
    "¥": "CNY", "￥": "CNY", "chf": "CHF", "fr.": "CHF", "usd": "USD", "dollars": "USD", "dollar": "USD", "$": "USD",
    "eur": "EUR", "euro": "EUR", "euros": "EUR", "€": "EUR",
    "gbp": "GBP", "£": "GBP", "cny": "CNY", "rmb": "CNY", "jpy": "JPY", "元": "元", "万元": "万元",
    "亿元": "亿元", "pct": "%", "percent": "%", "percentage": "%", "%": "%",
    "kg": "kg", "tonnes": "t", "tons": "t", "lb": "lb", "lbs": "lb",
    "km": "km", "miles": "miles", "mi": "miles", "m2": "m2", "m3": "m3", "sqm": "m2", "sqft": "sqft", "litres": "l",
    "liters": "l", "kwh": "kWh", "mwh": "MWh", "gwh": "GWh", "kw": "kW", "mw": "MW", "seconds": "s", "secs": "s",
    "minutes": "min", "mins": "min", "hours": "h", "hrs": "h", "days": "days", "ms": "ms", "milliseconds": "ms",
    "bytes": "bytes", "persons": "persons", "people": "persons",
    "teur": "TEUR", "keur": "TEUR", "employees": "persons", "headcount": "persons", "pop": "persons",
    "population": "persons", "shares": "shares", "units": "units", "quantity": "units", "qty": "units",
}  # fmt: skip
"""Word of a header -> the unit that it says."""

_MEANINGS = """
year: jahr annee ano exercice ejercicio 年; month: monat mois mes 月; day: tag jour dia; hour: stunde heure hora
小时 时刻; minute: 分钟; weekday: wochentag 星期 周几; quarter: quartal trimestre 季度; date: datum fecha 日期; time: zeit
uhrzeit heures 时间; company: firma firmen unternehmen gesellschaft societe entreprise empresa compania 公司 企业;
name: bezeichnung nom nombre denominacion razon 名称 姓名 名字 简称; forename: vorname prenom; surname: nachname
familienname apellido; customer: kunde kunden cliente 客户 顾客 会员; supplier: lieferant fournisseur proveedor 供应商;
employee: mitarbeiter salarie empleado 员工 职工; patient: patientin paciente 患者 病人; student: schuler etudiant eleve
alumno 学生; teacher: lehrer enseignant profesor 教师 老师; shop: filiale laden magasin tienda 门店 店铺; branch: agence
sucursal; code: kennung schluessel schlussel codigo kode 代码 编码; number: nummer numero 编号 号码 序号; order:
bestellung auftrag commande pedido 订单; invoice: rechnung facture factura 发票; phone: telefon handy telefono 电话
手机; mail: correo courriel 邮箱 邮件; address: adresse anschrift strasse direccion calle rue 地址; zip: plz
postleitzahl 邮编; price: preis prix precio 价格 单价; share: anteil taux quote 比例 占比 率; industry: branche secteur
sector 行业; city: stadt ort ville ciudad 城市; country: staat pays pais 国家; state: bundesland 省份; comment:
bemerkung kommentar notiz remarque comentario 备注 评论; rating: bewertung sterne etoiles calificacion estrellas 评分
星级; grade: zensur
"""
"""An English word, and what it is called in German, French, Spanish and Chinese, without accents."""

_MEANS = {
    word: meaning.strip()
    for each in _MEANINGS.split(";")
    for meaning, _, of in [each.partition(":")]
    for word in of.split()
}

_PART = 4
"""Letters of a word that tells at an end of a longer one (`Kundennummer`), at least (our choice)."""

_BRACKETS = re.compile(r"[(\[（【]([^)\]）】]+)[)\]）】]")

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+|[%$€£]")


def words(header: str) -> tuple[str, ...]:
    """Return the words of a header in small letters, without accents, and what they mean in English before them.

    Of `unitPrice`, `unit_price` and `Unit Price` they are the same.
    """
    plain = "".join(
        sign for sign in unicodedata.normalize("NFD", header.replace("ß", "ss")) if not unicodedata.combining(sign)
    )
    found = [word.lower() for word in _WORD.findall(unicodedata.normalize("NFC", plain))]
    return tuple(dict.fromkeys(meaning for word in found for meaning in (*_meanings(word), word)))


def _meanings(word: str) -> Iterator[str]:
    """Yield what a word means in English, or what its parts do."""
    for foreign, meaning in _MEANS.items():
        is_part = len(foreign) >= _PART and (word.endswith(foreign) or word.startswith(foreign))
        if word == foreign or is_part or (not foreign.isascii() and foreign in word):
            yield meaning
    if word.endswith(("code", "number")):
        yield "code"


def one(name: str) -> str:
    """Return the name of one of many: `company` of `companies`."""
    for plural, singular in (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("s", "")):
        if name.endswith(plural) and not name.endswith("ss") and len(name) > len(plural) + 1:
            return name.removesuffix(plural) + singular
    return name


def unit(header: str) -> str:
    """Return the unit that a header states: what stands in brackets, or its last word that is one; else the empty text."""
    bracketed: list[str] = _BRACKETS.findall(header)
    if bracketed:
        said = bracketed[-1].strip()
        return UNITS.get(said.lower(), said)
    return next((UNITS[word] for word in reversed(words(header)) if word in UNITS), "")


def is_ratio(header: str) -> bool:
    """Say whether a header speaks of a figure that cannot be summed."""
    return bool(RATIO.intersection(words(header))) or unit(header) == "%" or "/" in unit(header)


def identifier(header: str) -> str:
    """Return the word of a header that finds somebody, also at the end of one (`billingaddress`); else the empty text."""
    ends = tuple(word for word in IDENTIFIER if len(word) > _PART)
    return next((word for word in words(header) if word in IDENTIFIER or word.endswith(ends)), "")

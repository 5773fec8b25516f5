"""Folders of raw tables that are written for a test."""

from collections.abc import Mapping
from pathlib import Path

SHOPS = {
    "shops": "shop,name,trade,town,email,about\n"
    "A1,Miller & Daughter,Bakery,Ulm,a@mill.example,Bakes for A2.\n"
    "A2,The Corner Loaf,Bakery,Ulm,b@loaf.example,Rolls.\n"
    "B1,Wheel and Chain,Bicycles,Bonn,c@wheel.example,Repairs.\n",
    "aliases": "shop,alias\nA2,Loafers\nA2,Corner\n",
    "accounts": "shop,year,delivered,sales (EUR),costs,profit,margin\n"
    "A1,2023,30.50,1204.50,991.20,213.30,17.71\n"
    "A2,2023,12.00,880.12,802.30,77.82,8.84\n"
    "B1,2023,40.25,3105.55,2900.00,205.55,6.62\n"
    "B1,2024,7.10,n/a,3012.00,,\n",
    "deliveries": "shop,slip,day,value\n"
    "A1,S1,2023-02-04,10.50\nA1,S2,2023-09-11,20.00\nA2,S1,2023-03-27,12.00\nB1,S1,2023-05-15,40.25\nB1,S2,2024-08-02,7.10\n",
}
"""A listing, aliases, figures by year and records whose sum stands among the figures."""


def write(folder: Path, tables: Mapping[str, str]) -> Path:
    """Write tables as CSV into a folder, and return it."""
    folder.mkdir(exist_ok=True)
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


def written(folder: Path, tables: Mapping[str, bytes]) -> Path:
    """Write files as they are into a folder, and return it."""
    folder.mkdir(exist_ok=True)
    for name, content in tables.items():
        (folder / f"{name}.csv").write_bytes(content)
    return folder


_FIRMS = (
    "Müller Bau GmbH", "Öztürk & Söhne KG", "Backhaus AG", "Nordlicht Energie GmbH", "Weiß Logistik GmbH & Co. KG",
    "Alpenmilch eG",
    "Schäfer Druck OHG", "Hanse Kontor AG", "Rhein Chemie GmbH", "Isar Software GmbH", "Fjord Fisch AG", "Spree Möbel GmbH",
)  # fmt: skip


def _german(year: int, firm: int) -> str:
    cents, share = 120_451_137 + 97_771_319 * firm + 3_133_701 * (year - 2018), 125 + 31 * firm % 400 + year % 5
    euros, pieces = (f"{each:,}".replace(",", ".") for each in (cents // 100, 2_000 + 613 * firm + year % 7))
    place = ("Köln", "Ulm", "Kiel")[firm % 3]
    return f"{year};{_FIRMS[firm]};{place};{euros},{cents % 100:02} €;{share // 10},{share % 10} %;{pieces}"


GERMAN = "\r\n".join(
    [
        "Umsätze der Kunden, Stand 3.4.2024",
        "",
        "Jahr;Firma;Ort;Umsatz;Anteil;Stück",
        *(_german(year, firm) for year in range(2018, 2023) for firm in range(len(_FIRMS))),
        ";;Summe;382.114.560,75 €;;",
        "",
    ]
).encode("cp1252")
"""Firms by year as a spreadsheet writes them: title lines, semicolons, decimal commas, signs of currency, a row of totals."""


def _chinese(year: int, firm: int) -> str:
    trade = ("科技", "机械", "食品", "能源")[firm % 4]
    name = f"{'华东海南中北西金安泰和'[firm]}{'源晟博瑞达'[firm % 5]}{trade}有限公司"
    sales, profit = 1204 + 377 * firm + 41 * (year - 2018), 104 + 37 * firm + year % 9
    return f"{600100 + firm},{name},{year},{('制造业', '零售业')[firm % 2]},{sales}.{firm}5,{profit}.{year % 10}1"


CHINESE = "\n".join(
    [
        "公司代码,公司名称,年份,行业,营业收入（万元）,净利润（万元）",
        *(_chinese(year, firm) for firm in range(11) for year in range(2018, 2023)),
        "",
    ]
).encode("gb18030")
"""Companies by year in GBK."""

_PRICES = [(199, 1250, 899, 4999, 75, 320)[each % 6] + 10 * each for each in range(24)]


def _shop() -> dict[str, str]:
    """Return customers, their orders, the lines of these, and products with their prices."""
    lines = [
        (order, line, (7 * order + 5 * line) % 24, 1 + (order + line) % 4)
        for order in range(1, 161)
        for line in range(1 + order % 3)
    ]
    totals = {
        order: sum(_PRICES[item] * pieces for each, _, item, pieces in lines if each == order)
        for order in range(1, 161)
    }
    return {
        "customers": "customer_id,name,city\n"
        + "".join(f"C{each:03},{_FIRMS[each % 12]} {each},{('Köln', 'Ulm', 'Kiel')[each % 3]}\n" for each in range(30)),
        "products": "product_id,label,shelf,unit_price\n"
        + "".join(
            f"P{each:02},Article {each},{'ABC'[each % 3]},{price / 100:.2f}\n" for each, price in enumerate(_PRICES)
        ),
        "orders": "order_id,customer_id,ordered,total\n"
        + "".join(
            f"{order},C{order * 7 % 30:03},2023-{1 + order % 12:02}-{1 + order % 28:02},{totals[order] / 100:.2f}\n"
            for order in totals
        ),
        "lines": "order_id,line,product_id,pieces,unit_price,amount\n"
        + "".join(
            f"{order},{line + 1},P{item:02},{pieces},{_PRICES[item] / 100:.2f},{_PRICES[item] * pieces / 100:.2f}\n"
            for order, line, item, pieces in lines
        ),
    }


SHOP = _shop()
"""Orders whose total is the sum of their lines, which are pieces x price, the price being that of the list."""


_FROM, _TO = ("EWR", "JFK", "LGA"), ("ATL", "BOS", "DEN", "MIA", "ORD", "SEA")


def _flights() -> dict[str, str]:
    """Return departures with their parts of the time, a local hour, clocks, small delays and codes of places."""
    rows = []
    for each in range(600):
        month, day, hour = 1 + each * 5 % 12, 1 + each * 11 % 28, 6 + each * 7 % 17
        late = (each * 37 % 23) - 9
        stamp = f"2013-{month:02}-{day:02}T{hour:02}:00:00Z"
        places = _FROM[each % 3], _TO[each * 5 % 6]
        clock = hour * 100 + each * 17 % 60
        local = (hour - (4 if 3 < month < 11 else 5)) % 24
        rows.append((month, day, hour, local, clock, late, 7 - each % 5, f"B{each % 7}", 100 + each, *places, stamp))
    header = "month,day,hour,local_hour,dep_time,dep_delay,gate,carrier,flight,origin,dest,time_hour\n"
    return {
        "airlines": "carrier,name\n" + "".join(f"B{each},{_FIRMS[each]}\n" for each in range(7)),
        "airports": "faa,name,zone,size\n"
        + "".join(f"{code},Airport {code},{'EW'[at % 2]},{'SML'[at % 3]}\n" for at, code in enumerate([*_FROM, *_TO])),
        "flights": header + "".join(",".join(map(str, row)) + "\n" for row in rows),
    }


FLIGHTS = _flights()
"""Events whose rows nearly all differ, and are known by parts of their time, delays and places."""

"""Documented facts on profiles, overseas decoys and narratives: blanks, dates, places, what PDF files left behind."""

import polars as pl

from raw.vocabulary.geography import NO_AREA, PROVINCES
from silt.environments.dataclaw_18.enterprise import COUNTRIES_OF_FILE
from silt.environments.dataclaw_18.raw_tables import CODE, NAME, OVERSEAS
from tests.realism.comparing import Documented, Part, Tables, of_counts, of_examples, of_number, of_range, of_share
from tests.realism.counting import ALWAYS, part, texts

PROFILE, CORE = "company_profile", "company_core"
FILES = {f"company_profile_{file}": file for file in COUNTRIES_OF_FILE}

_HONG_KONG = "港股"
_DAY, _TIME = "%d/%m/%Y", "%d/%m/%Y %H:%M:%S"
_AREAS = {(province.name, city.name, area) for province in PROVINCES for city in province.cities for area in city.areas}
_CITIES = {(province, city) for province, city, _ in _AREAS}


def _overseas(tables: Tables) -> pl.DataFrame:
    return pl.concat([tables[file] for file in FILES])


def _by_file(tables: Tables) -> dict[str, int]:
    return {short: tables[file].height for file, short in FILES.items()}


def _blank(column: str, stated: str, low: float, high: float) -> Documented:
    return of_range(
        f"overseas firms without {column}",
        "4.10, 6.4",
        tuple(FILES),
        stated,
        low,
        high,
        lambda tables: part(_overseas(tables), pl.col(column).is_null()),
    )


def _repeated_overseas(tables: Tables) -> int:
    """Return the rows of the profile that repeat an overseas firm of the other files."""
    keys = [CODE, NAME]
    return tables[PROFILE].filter(companyType=OVERSEAS).join(_overseas(tables), on=keys, how="semi").height


_CITIES_OVERSEAS = {"Ontario": "Toronto", "England": "London", "Tokyo": "Tokyo", "New South Wales": "Sydney"}
"""The one city that overseas firms have of each province; California, Zurich and Bavaria have none."""


def _scattered(tables: Tables) -> list[str]:
    own = pl.col("province").replace_strict(_CITIES_OVERSEAS, default=None)
    rows = _overseas(tables).drop_nulls(["province", "city"]).filter(pl.col("city").ne_missing(own))
    return texts(rows, "province", "city", "area", "exchange", "country")


def _domestic(tables: Tables) -> pl.DataFrame:
    return tables[PROFILE].filter(pl.col("companyType").ne_missing(OVERSEAS))


def _founding_of_hong_kong(tables: Tables) -> Part:
    return part(tables[PROFILE].filter(companyType=_HONG_KONG), pl.col("completedDate").is_null())


def _listed_before_founded(tables: Tables) -> list[str]:
    founded, listed = (pl.col(c).str.to_date(_DAY, strict=False) for c in ("completedDate", "listingDate"))
    return texts(_domestic(tables).filter(listed < founded), "completedDate", "listingDate")


def _delisted_after_update(tables: Tables) -> list[str]:
    delisted = pl.col("delistingDate").str.to_date(_DAY, strict=False)
    updated = pl.col("updateTime").str.to_datetime(_TIME, strict=False).dt.date().max()
    return texts(tables[PROFILE].filter(delisted > updated), "delistingDate")


def _beijing_listed_on_one_day(tables: Tables) -> Part:
    listed = tables[PROFILE].filter(exchange="北交所").drop_nulls("listingDate")
    return part(listed, pl.col("listingDate").str.starts_with("2/10/"))


_IMPOSSIBLE = r":([6-9]\d|\d{3})$"
"""How times end whose seconds are 60 or more."""


def _impossible_times(tables: Tables) -> Part:
    stamps = (pl.col(column).str.contains(_IMPOSSIBLE) for column in ("createTime", "updateTime"))
    return part(tables[PROFILE], pl.any_horizontal(stamps))


def _unknown_areas(tables: Tables) -> list[str]:
    """Return areas that a known city does not have."""
    places = _domestic(tables).select("province", "city", "area").drop_nulls().filter(pl.col("area") != NO_AREA)
    areas, cities = (pl.DataFrame(sorted(known), orient="row") for known in (_AREAS, _CITIES))
    areas.columns, cities.columns = ["province", "city", "area"], ["province", "city"]
    known = places.join(cities, on=cities.columns, how="semi")
    return texts(known.join(areas, on=areas.columns, how="anti", maintain_order="left"), "province", "city", "area")


def _hong_kong_in_another_country(tables: Tables) -> list[str]:
    own = _domestic(tables).filter(companyType=_HONG_KONG, province="香港特别行政区")
    return texts(own.filter(~pl.col("country").str.starts_with("中国")), "province", "country")


def _without_key_and_text(tables: Tables) -> int:
    return tables[CORE].filter(pl.col(CODE).is_null(), pl.col("bmCoreVieContent").is_null()).height


def _pdf_residue(tables: Tables) -> list[str]:
    marks = tables[CORE]["bmCoreVieContent"].str.extract(r"(\d+ / \d+|年度报告全文 \d+)").drop_nulls()
    return texts(marks.alias("shown").to_frame(), "shown")


FIRMS: tuple[Documented, ...] = (
    of_number("overseas firms among the domestic ones that repeat those of the other files", "4.13, 5",
        (PROFILE, *FILES), "400", 400, 400, _repeated_overseas),
    of_counts("overseas firms by file", "6.4", tuple(FILES),
        {"as": 1_282, "eu": 1_201, "na": 791, "oc": 401}, _by_file),
    *(_blank(column, "one in 8 to 9", 1 / 9, 1 / 8) for column in ("province", "city", "exchange", "country")),
    _blank("plate", "one in 6", 1 / 6, 1 / 6),
    of_examples("overseas firms in places that do not belong together", "4.11", tuple(FILES),
        ("Ontario,Frankfurt,,TSE,日本", "Bavaria,Tokyo,,LSE"), _scattered),
    of_range("firms listed in Hong Kong without a founding date", "4.10", (PROFILE,),
        *ALWAYS, _founding_of_hong_kong),
    of_examples("listed before founded", "4.16", (PROFILE,),
        ("21/10/1993,10/8/1993", "5/7/1993,29/3/1993"), _listed_before_founded),
    of_examples("delisted after the last update", "4.16", (PROFILE,), ("3/12/2025",), _delisted_after_update),
    of_range("firms of 北交所 listed on 2/10 of a year", "4.16", (PROFILE,),
        *ALWAYS, _beijing_listed_on_one_day),
    of_share("load times with impossible seconds", "4.16", (PROFILE,), (400, 7_295), _impossible_times),
    of_examples("districts that their city does not have", "4.12", (PROFILE,),
        ("福建省,厦门市,厦明区", "江苏省,南京市,宣武区"), _unknown_areas),
    of_examples("firms of Hong Kong in another country", "4.12", (PROFILE,),
        ("香港特别行政区,美国",), _hong_kong_in_another_country),
    of_number("narratives without key and text", "4.10", (CORE,), "more than 60", 60, 99, _without_key_and_text),
    of_examples("what PDF pages left in narratives", "4.26", (CORE,),
        ("年度报告全文 12", "17 / 200"), _pdf_residue),
)  # fmt: skip

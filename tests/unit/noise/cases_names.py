"""Cases of the kinds of noise about names: other, damaged, misspelt, wrong ones, and the same ones in other signs."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypedDict

import polars as pl

from pipeline.model import Environment, Vocabulary
from pipeline.noise.kinds.interface import Kind
from pipeline.noise.kinds.names.damaged import GluedNames, TruncatedNames, WrongCategory
from pipeline.noise.kinds.names.drift import NamingDrift
from pipeline.noise.kinds.names.spelling import OtherScript, OtherWidth, StrayBlanks
from pipeline.noise.kinds.names.typos import ChineseTypos, LatinTypos
from tests.bare import published
from tests.unit.noise.conftest import small_environment
from tests.unit.noise.kind_case import KindCase

BODIES: Mapping[str, tuple[str, ...]] = {
    "证监会": ("中国证监会", "中国证券监督管理委员会"),
    "国家保密局": (),
    "国家发展改革委": ("国家发展和改革委员会", "发改委"),
    "合肥市人民政府办公室": (),
    "北京市通州区人民政府办公室": (),
    "北京市通州区人民政府": (),
    "财政部": (),
    "财政部办公厅": (),
    "办公厅": (),
}
SECTORS: Mapping[str, tuple[str, ...]] = {
    "Health Care": ("Healthcare", "HC"),
    "Materials": (),
    "Industrials": ("Industrial Goods",),
    "Real Estate": ("Realty",),
    "Utilities": ("HC",),
}
CLASSES = ("国务院政策", "部委政策", "地方政策")


class _Parts(TypedDict):
    columns: tuple[str, ...]
    vocabulary: str


def names_environment() -> Environment:
    """Return an environment with Chinese bodies and English sectors, and a table of them."""
    return replace(
        small_environment(),
        tables=(published("names", ("id", "body", "bodies", "target", "sector", "sector_id", "year")),),
        vocabularies=(Vocabulary(name="bodies", aliases=BODIES), Vocabulary(name="sectors", aliases=SECTORS)),
    )


_ENVIRONMENT = names_environment()
_BODIES, _SECTORS = list(BODIES), list(SECTORS)
_ROWS = pl.DataFrame(
    [
        {
            "id": f"r{row}",
            "body": _BODIES[row % 9] if row % 10 else None,
            "bodies": "，".join(_BODIES[(row + step) % 9] for step in range(1 + row % 3)) if row % 11 else None,
            "target": f"{CLASSES[row % 3]}-{_BODIES[row % 9]}政策数量" if row % 7 else None,
            "sector": _SECTORS[row % 5] if row % 8 else None,
            "sector_id": str(row % 5 + 100) if row % 8 and row % 5 else None,
            "year": f"{2000 + row}年{row % 12 + 1}月A" if row % 6 else None,
        }
        for row in range(60)
    ],
    schema=dict.fromkeys(_ENVIRONMENT.tables[0].columns, pl.String),
)
_SEPARATED = "，"


def _case(kind: Kind, name: str = "") -> KindCase:
    return KindCase(
        kind=kind, environment=_ENVIRONMENT, published=_ENVIRONMENT.table("names"), rows=_ROWS, name=name or kind.name
    )


_BODY: _Parts = {"columns": ("body",), "vocabulary": "bodies"}
_LIST: _Parts = {"columns": ("bodies",), "vocabulary": "bodies"}
_SECTOR: _Parts = {"columns": ("sector",), "vocabulary": "sectors"}

NAMES = (
    _case(NamingDrift(**_SECTOR, blank=("sector_id",))),
    _case(NamingDrift(columns=("target",), vocabulary="bodies", position="contains"), "naming_drift inside"),
    _case(NamingDrift(**_LIST, position="list", separator=_SEPARATED), "naming_drift of lists"),
    _case(TruncatedNames(**_BODY, end="both", most=3)),
    _case(TruncatedNames(**_LIST, end="last", separator=_SEPARATED), "truncated_names of lists"),
    _case(TruncatedNames(columns=("body",)), "truncated_names without a vocabulary"),
    _case(GluedNames(**_LIST, separator=_SEPARATED, forms=("lost", "other_sign", "and_others"))),
    _case(
        StrayBlanks(
            columns=("body", "sector"), where=("leading", "trailing", "inner"), signs=("space", "full_width"), most=3
        )
    ),
    _case(StrayBlanks(columns=("sector",), signs=("no_break",)), "stray_blanks at the end"),
    _case(WrongCategory(columns=("sector",), values=tuple(_SECTORS))),
    _case(WrongCategory(columns=("target",), values=CLASSES, at="prefix"), "wrong_category before a name"),
    _case(OtherScript(columns=("body", "target"))),
    _case(OtherWidth(columns=("year",), characters=("digits", "letters"))),
    _case(ChineseTypos(**_BODY)),
    _case(ChineseTypos(**_LIST, separator=_SEPARATED, means=("shape",)), "chinese_typos of lists"),
    _case(LatinTypos(**_SECTOR)),
    _case(LatinTypos(columns=("year",), means=("keyboard",)), "latin_typos without a vocabulary"),
)

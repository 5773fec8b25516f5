"""Cases of the kinds of noise about translations: names in English, with and without the Chinese ones beside."""

from dataclasses import replace

import polars as pl

from pipeline.noise.kinds.names.translations import TranslationVariants
from tests.bare import published
from tests.unit.noise.conftest import small_environment
from tests.unit.noise.kind_case import KindCase

_NAMES = (
    ("三三达腾数据有限公司", "San San Da Teng Data Co., Ltd."),
    ("长桥科技股份有限公司", "Chang Qiao Technology Co., Ltd."),
    ("众课科数软件有限公司", "Zhong Ke Ke Shu Software Co., Ltd."),
    ("锌锗材料", "Xin Zhe Materials"),
    ("西安西餐饮有限公司", "Xi An Xi Catering Co., Ltd."),
    ("丁丁百货有限公司", "Ding Ding Department Store Co., Ltd."),
    ("关于稳增长的通知", "Notice on Stable Growth"),
    ("明 TCL 有限公司", "Ming TCL Co., Ltd."),
)
_ENVIRONMENT = replace(small_environment(), tables=(published("names", ("id", "chinese", "english")),))
_ROWS = pl.DataFrame(
    [
        {
            "id": f"r{row}",
            "chinese": _NAMES[row % 8][0] if row % 11 else None,
            "english": _NAMES[row % 8][1] if row % 13 else None,
        }
        for row in range(60)
    ],
    schema=dict.fromkeys(("id", "chinese", "english"), pl.String),
)


def _case(kind: TranslationVariants, name: str) -> KindCase:
    table = _ENVIRONMENT.table("names")
    return KindCase(kind=kind, environment=_ENVIRONMENT, published=table, rows=_ROWS, name=name)


CASES_OF_LANGUAGE = (
    _case(TranslationVariants(columns=("english",), chinese="chinese"), "translation_variants"),
    _case(TranslationVariants(columns=("english",)), "translation_variants without Chinese names"),
    _case(
        TranslationVariants(columns=("english",), forms=("lost_letter", "swapped_syllables"), chinese="chinese"),
        "translation_variants of syllables",
    ),
)

"""The grammar of narratives: what a firm lacks is not told, and what it has is mentioned."""

from dataclasses import replace

import pytest

from pipeline.keyed import Key
from raw.corpus.grammar import Subject, narrative
from raw.vocabulary.industries import INDUSTRIES

KEY = Key(b"k" * 32)
FIRM = Subject(
    code="123456.SZ",
    legal="甲乙丙制药股份有限公司",
    short="甲乙丙制药",
    english="Jia Yi Bing Pharma Co., Ltd.",
    city="深圳市",
    industry="医药制造业",
    subsidiaries=["甲乙丙销售有限公司"],
    products=["甲乙丙缓释片", "甲乙丙颗粒"],
)


def texts(subject: Subject, count: int = 60) -> list[str]:
    return [narrative(subject, KEY.stream(str(i))) for i in range(count)]


def test_names_subsidiaries_and_products_are_mentioned() -> None:
    """Every text says by all its names who the firm is, and what belongs to it; one stream gives one text."""
    for text in texts(FIRM):
        assert all(name in text for name in (FIRM.legal, FIRM.short, FIRM.bare, *FIRM.subsidiaries, *FIRM.products))
    assert texts(FIRM) == texts(FIRM)
    assert len(set(texts(FIRM))) == 60


@pytest.mark.parametrize("industry", ["医药制造业", None, "an industry of one's own"])
@pytest.mark.parametrize("city", ["深圳市", None])
def test_what_is_not_known_is_not_told(industry: str | None, city: str | None) -> None:
    """Without city or industry, or with one that the vocabulary lacks, sentences that need them are left out."""
    written = texts(replace(FIRM, city=city, industry=industry))
    assert any("深圳市" in text for text in written) == (city is not None)
    assert any(str(industry) in text for text in written) == (industry is not None)
    for text in written:
        assert "一、" in text
        assert not [mark for mark in ("None", "{", "}", "  ") if mark in text]


def test_every_industry_has_its_skills() -> None:
    """Texts of different industries speak of different skills."""
    first, second = (texts(replace(FIRM, industry=industry.name)) for industry in INDUSTRIES[:2])
    assert all(one != other for one, other in zip(first, second, strict=True))

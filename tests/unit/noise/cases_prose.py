"""Cases of the kinds of prose: policies with title, body and province, and firms with narratives in a table of their own."""

from dataclasses import replace

import polars as pl

from pipeline.model import Vocabulary
from pipeline.noise.kinds.attributes import AttributeInProse, ColumnOf, Place
from pipeline.noise.kinds.prose import ClippedText, FactInTextOnly, LostGlyphs, Markup, PdfResidue, ShuffledSentences
from tests.bare import published
from tests.unit.noise.conftest import small_environment
from tests.unit.noise.kind_case import KindCase

POLICY_HEADER = ("id", "title", "body", "province")
FIRM_HEADER = ("id", "code", "province")
NARRATIVE_HEADER = ("id", "code", "year", "prose")

ENVIRONMENT = replace(
    small_environment(),
    tables=(
        published("policies", POLICY_HEADER),
        replace(published("firms", FIRM_HEADER), beside=("narratives",)),
        replace(published("narratives", NARRATIVE_HEADER), beside=("firms",)),
    ),
    vocabularies=(
        Vocabulary(
            name="provinces",
            aliases={
                "广东省": ("广东", "粤"),
                "广西壮族自治区": ("广西", "桂"),
                "上海市": (),
                "山西省": ("晋", "Shanxi"),
                "陕西省": ("陕", "Shanxi", "晋省"),
                "晋省": (),
            },
        ),
        Vocabulary(name="nothing", aliases={"广东省": ()}),
    ),
)

_PROVINCES = ("广东省", "上海市", "广西壮族自治区", "Ontario", "粤", None)
_TITLES = (
    "关于印发“三品”行动方案的通知",
    "Notice on Subsidies for Retrofitting",
    "关于支持专精特新企业的若干措施（第二批）",
    None,
)
_SENTENCES = (
    "企业可以申报“专精特新”称号，每年评审一次。",
    "补贴不超过30%，申报截至12月31日！",
    "Applications are due in March. Late ones are not read.",
    "详见附件 1 至 3；联系人：市场处。",
    "是否适用？由主管部门解释。",
)


def body(row: int) -> str | None:
    """Return a text of some lines: the title where there is one, then sentences; every tenth is markup already."""
    lines = [_TITLES[row % 4] or "（无题）", *(_SENTENCES[(row + step) % 5] for step in range(row % 4 + 1))]
    if row % 10 == 9:
        return "\n".join(f"<h1>{line}</h1> &amp;" for line in lines)
    return None if row % 13 == 5 else "\n".join(lines)


POLICIES = pl.DataFrame(
    [
        {"id": f"p{row}", "title": _TITLES[row % 4], "body": body(row), "province": _PROVINCES[row * 5 % 6]}
        for row in range(40)
    ],
    schema=dict.fromkeys(POLICY_HEADER, pl.String),
)

FIRMS = pl.DataFrame(
    [
        {"id": f"f{row}", "code": f"F{row % 26}" if row % 9 else None, "province": _PROVINCES[row % 6]}
        for row in range(28)
    ],
    schema=dict.fromkeys(FIRM_HEADER, pl.String),
)
"""Firms F1 and so on, two of them twice, some without code or province."""

NARRATIVES = pl.DataFrame(
    [
        {
            "id": f"n{row}",
            "code": f"F{row % 30}" if row % 11 else None,
            "year": "2022" if row % 7 else None,
            "prose": body(row),
        }
        for row in range(36)
    ],
    schema=dict.fromkeys(NARRATIVE_HEADER, pl.String),
)
"""One narrative for most firms, two for some, none for others; some of no firm."""

STABLE = ("注册地为{value}。",)
VARIED = ("本公告适用于{value}。", "{value}为发文地。", "（适用地区：{value}）")


def told(place: Place, templates: tuple[str, ...] = VARIED) -> AttributeInProse:
    """Return a rule's kind that tells the province of a policy in its body."""
    return AttributeInProse(
        attribute=ColumnOf(table="policies", column="province"),
        narrative=ColumnOf(table="policies", column="body"),
        templates=templates,
        place=place,
        paraphrases="provinces" if templates == VARIED else None,
    )


TOLD_BESIDE = AttributeInProse(
    attribute=ColumnOf(table="firms", column="province"),
    narrative=ColumnOf(table="narratives", column="prose"),
    templates=VARIED,
    joined_by="code",
    paraphrases="provinces",
)

FACT = FactInTextOnly(
    column="body", templates=("每家企业补贴{figure}元。", "补贴{figure}元每家企业。"), figures=("5,000,000", "300,000")
)

_MARKS = ("2022年年度报告全文 {page}", "{page} / {pages}")
_ON_POLICIES = {
    "moved_to_prose at the end": told("end"),
    "moved_to_prose at the start": told("start"),
    "moved_to_prose after the first sentence": told("after_first_sentence"),
    "fact_in_text_only": FACT,
    "markup": Markup(columns=("body", "title")),
    "markup of entities": Markup(columns=("body",), forms=("blanks", "quotes")),
    "pdf_residue": PdfResidue(columns=("body",), marks=_MARKS),
    "pdf_residue with blanks": PdfResidue(columns=("body",), marks=_MARKS[1:], most_marks=1, most_blanks=2),
    "lost_glyphs": LostGlyphs(columns=("body", "title")),
    "lost_glyphs of Latin": LostGlyphs(columns=("body",), most=1, script="latin"),
    "clipped_text": ClippedText(columns=("body",), characters=20),
    "clipped_text of titles": ClippedText(columns=("title",), characters=10, whole_in="body"),
    "shuffled_sentences": ShuffledSentences(columns=("body",), quotes_as=";"),
}

CASES_OF_PROSE = (
    *(
        KindCase(kind=kind, environment=ENVIRONMENT, published=ENVIRONMENT.table("policies"), rows=POLICIES, name=name)
        for name, kind in _ON_POLICIES.items()
    ),
    KindCase(
        kind=TOLD_BESIDE,
        environment=ENVIRONMENT,
        published=ENVIRONMENT.table("narratives"),
        rows=NARRATIVES,
        beside={"firms": FIRMS},
        grouped_by="code",
        name="moved_to_prose of another table",
    ),
)

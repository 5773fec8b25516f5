"""The titles of policies and the words that fill their places, in Chinese and in English.

Both languages come from one grammar. Only industries and provinces have English names, so a title about a product, a skill
or a city has no English form. No pattern names a firm: whatever the anonymiser puts in for a firm, titles stay as they are.
Our own wording in the manner of such documents. Texts under the titles are in `texts.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.keyed import KeyedRandom
from raw.corpus.policies.drawn import PolicyText
from raw.corpus.trades import TRADES
from raw.vocabulary.agencies import LOCAL, LOCAL_AGENCIES, MINISTRY, STATE_COUNCIL
from raw.vocabulary.english import PROVINCES_IN_ENGLISH
from raw.vocabulary.industries import INDUSTRIES, Industry

TITLES: dict[str, tuple[tuple[str, str], ...]] = {
    STATE_COUNCIL: (
        (
            "国务院关于推动{topic}高质量发展的意见",
            "Opinions of the State Council on Promoting the High-Quality Development of {topic}",
        ),
        (
            "国务院办公厅关于印发{topic}振兴行动方案的通知",
            "Notice of the General Office of the State Council on Issuing the Action Plan for Revitalising {topic}",
        ),
        (
            "国务院关于加快构建{topic}现代化体系的若干意见",
            "Several Opinions of the State Council on Accelerating the Building of a Modern System of {topic}",
        ),
        (
            "关于进一步优化{topic}发展环境的指导意见",
            "Guiding Opinions on Further Improving the Development Environment of {topic}",
        ),
    ),
    MINISTRY: (
        (
            "关于印发《{topic}创新发展行动计划（{year}—{until}年）》的通知",
            "Notice on Issuing the Action Plan for the Innovative Development of {topic} ({year}-{until})",
        ),
        (
            "关于开展{year}年{topic}试点示范项目申报工作的通知",
            "Notice on Applying for the {year} Pilot and Demonstration Projects in {topic}",
        ),
        (
            "关于促进{topic}与数字经济深度融合的实施意见",
            "Implementing Opinions on Promoting the Deep Integration of {topic} with the Digital Economy",
        ),
        ("关于做好{year}年{topic}稳增长工作的通知", "Notice on Stabilising the Growth of {topic} in {year}"),
        ("{topic}规范条件（{year}年本）", "Standard Conditions for {topic} ({year} Edition)"),
        ("关于加强{topic}标准化工作的指导意见", "Guiding Opinions on Strengthening the Standardisation of {topic}"),
    ),
    LOCAL: (
        (
            "{region}关于印发《{topic}高质量发展三年行动方案》的通知",
            "Notice of {region} on Issuing the Three-Year Action Plan for the High-Quality Development of {topic}",
        ),
        ("{region}支持{topic}发展若干措施", "Several Measures of {region} to Support the Development of {topic}"),
        (
            "关于组织申报{year}年{region}{topic}专项资金项目的通知",
            "Notice on Organising Applications for the {year} Special Fund Projects of {region} in {topic}",
        ),
        ("{region}{topic}“十四五”发展规划", "The 14th Five-Year Plan of {region} for the Development of {topic}"),
        (
            "{region}关于加快{topic}集群培育的实施意见",
            "Implementing Opinions of {region} on Accelerating the Cultivation of Clusters of {topic}",
        ),
        (
            "关于公布{year}年{region}{topic}重点项目名单的通知",
            "Notice on Publishing the List of the {year} Key Projects of {region} in {topic}",
        ),
        (
            "{region}{topic}专项资金管理办法",
            "Measures of {region} for the Administration of the Special Funds for {topic}",
        ),
    ),
}
"""Patterns of titles by classification: Chinese and English."""

TOPICS: tuple[tuple[str, str | None], ...] = (
    ("{industry}", "{industry}"),
    ("{product}产业", None),
    ("{skill}技术应用", None),
    ("{industry}数字化转型", "the Digital Transformation of {industry}"),
    ("{product}产业链", None),
)
"""What policies are about, in Chinese and English; products and skills have no English names."""

_NATION = "全国"
REGIONS: dict[str, str] = {_NATION: "China", **{name: PROVINCES_IN_ENGLISH[name][0] for name in LOCAL_AGENCIES}}
"""The nation and the provinces that issue policies, in English; cities have no English names."""

_INDUSTRIES = {industry.id: industry for industry in INDUSTRIES}
_ANY_INDUSTRY = 30
"""The industry whose words a policy borrows that concerns none."""

_HORIZON_YEARS = 3


@dataclass(frozen=True)
class Heading:
    """The title of a policy, its English form if every word has one, and the words that fill the text under it."""

    title: str
    english: str | None
    words: Mapping[str, str]


def make_heading(policy: PolicyText, stream: KeyedRandom) -> Heading:
    """Draw the words and the title of a policy, the first draws of its stream."""
    words = _words(policy, stream)
    topic, english_topic = stream.choice(TOPICS)
    words |= {"topic": topic.format(**words)}
    title, english_title = stream.choice(TITLES[policy.classification])
    english = _english(english_title, english_topic, words | {"industry": _industry(policy).english})
    return Heading(title.format(**words), english, words)


def _words(policy: PolicyText, stream: KeyedRandom) -> dict[str, str]:
    """Return what fills the places of a policy's title and preamble, but for the topic."""
    industry = _industry(policy)
    trade = TRADES[industry.id]
    return {
        "industry": industry.name,
        "product": stream.choice(trade.products),
        "skill": stream.choice(trade.skills),
        "region": policy.city or policy.province or _NATION,
        "agency": policy.agencies[0],
        "year": str(policy.published.year),
        "until": str(policy.published.year + _HORIZON_YEARS),
    }


def _industry(policy: PolicyText) -> Industry:
    return _INDUSTRIES[policy.industries[0] if policy.industries else _ANY_INDUSTRY]


def _english(title: str, topic: str | None, words: Mapping[str, str]) -> str | None:
    """Return the English title, or nothing if its topic or its region has no English form."""
    region = REGIONS.get(words["region"])
    if topic is None or region is None:
        return None
    named = {**words, "region": region}
    return title.format(**named | {"topic": topic.format(**named)})

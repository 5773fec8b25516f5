"""Which policies there are: who issued them, where, when and for which industries, in the release's numbers.

Their texts are composed in `texts.py`. What is counted of them (`_cells`) follows the seven layers of the release's
policy table (reference, section 3.3).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from pipeline.keyed import KeyedRandom
from raw.draws import CORPUS_KEY, scaled
from raw.vocabulary.agencies import (
    CITY_AGENCIES,
    LOCAL,
    LOCAL_AGENCIES,
    MINISTRY,
    MINISTRY_AGENCIES,
    STATE_COUNCIL,
    STATE_COUNCIL_AGENCIES,
)
from raw.vocabulary.geography import PROVINCES
from raw.vocabulary.industries import INDUSTRIES

_KEY = CORPUS_KEY.derive("policies")

COUNTED_YEAR = 2022
COUNT_ROWS = 7_792
"""Rows of the release's policy counts."""

_NUMBERS = {STATE_COUNCIL: (23, 20), LOCAL: (392, 340), MINISTRY: (187, 167)}
"""Policies published in the counted year (the release's numbers) and in other years (1,129 in all; their split is ours)."""

_OTHER_YEARS = (2016, 2017, 2018, 2019, 2020, 2021, 2023)
_DAYS_A_YEAR = 365

_INDUSTRY_WEIGHTS = {30: 186, 3: 116, 13: 96, 1: 80, 12: 50, 5: 45, 19: 35, 7: 40, 17: 40, 34: 40, 28: 45, 16: 30}
"""How often policies concern an industry: the release's counts for the first four, the others ours; 12 where not named."""

_AGENCIES_AT_MOST = {STATE_COUNCIL: 2, LOCAL: 3, MINISTRY: 4}
_FURTHER_AGENCY, _FURTHER_INDUSTRY = 0.52, 0.72
"""Chance of each further agency and industry of a policy; our choice."""
_INDUSTRIES_AT_MOST = 7
_NO_INDUSTRY_SHARE = 0.01
_CITY_SHARE, _AREA_SHARE = 0.4, 0.3
"""Share of local policies of a city rather than of a province, and of those with a district."""

_CITIES = {province.name: [city for city in province.cities if city.name in CITY_AGENCIES] for province in PROVINCES}
_AREAS = {city.name: city.areas for province in PROVINCES for city in province.cities}


@dataclass(frozen=True)
class PolicyText:
    """One policy; a policy of the nation has no province."""

    number: int
    classification: str
    published: date
    province: str | None
    city: str | None
    area: str | None
    agencies: tuple[str, ...]
    industries: tuple[int, ...]
    """Level-1 ids."""


def make_policies(scale: float) -> list[PolicyText]:
    """Return the policies; those of the counted year make as many count rows as the release has, if they can."""
    policies = [
        _policy(number, classification, is_counted=is_counted)
        for number, (classification, is_counted) in enumerate(_quotas(scale))
    ]
    return _settle(policies, round(COUNT_ROWS * scale))


def _quotas(scale: float) -> Iterator[tuple[str, bool]]:
    for classification, numbers in _NUMBERS.items():
        for number, is_counted in zip(numbers, (True, False), strict=True):
            for _ in range(scaled(number, scale)):
                yield classification, is_counted


def _policy(number: int, classification: str, *, is_counted: bool) -> PolicyText:
    stream = _KEY.stream("policy", str(number))
    year = COUNTED_YEAR if is_counted else stream.choice(_OTHER_YEARS)
    province, city, area = _place(stream) if classification == LOCAL else (None, None, None)
    return PolicyText(
        number=number,
        classification=classification,
        published=date(year, 1, 1) + timedelta(days=stream.randrange(_DAYS_A_YEAR)),
        province=province,
        city=city,
        area=area,
        agencies=tuple(
            stream.sample(
                _pool(classification, province, city),
                _number(stream, _FURTHER_AGENCY, _AGENCIES_AT_MOST[classification]),
            )
        ),
        industries=_industries(stream),
    )


def _place(stream: KeyedRandom) -> tuple[str, str | None, str | None]:
    province = stream.choice(list(LOCAL_AGENCIES))
    if not _CITIES[province] or stream.random() >= _CITY_SHARE:
        return province, None, None
    city = stream.choice(_CITIES[province]).name
    return province, city, stream.choice(_AREAS[city]) if stream.random() < _AREA_SHARE else None


def _pool(classification: str, province: str | None, city: str | None) -> Sequence[str]:
    """Return the agencies that can have issued a policy."""
    if city:
        return CITY_AGENCIES[city]
    if province:
        return LOCAL_AGENCIES[province]
    return STATE_COUNCIL_AGENCIES if classification == STATE_COUNCIL else MINISTRY_AGENCIES


def _industries(stream: KeyedRandom) -> tuple[int, ...]:
    if stream.random() < _NO_INDUSTRY_SHARE:
        return ()
    weights = [_INDUSTRY_WEIGHTS.get(industry.id, 12) for industry in INDUSTRIES]
    number = _number(stream, _FURTHER_INDUSTRY, _INDUSTRIES_AT_MOST)
    drawn = stream.choices([industry.id for industry in INDUSTRIES], weights, k=number)
    return tuple(dict.fromkeys(drawn))


def _number(stream: KeyedRandom, further: float, most: int) -> int:
    """Return a number from 1 to `most`, each further one with the same chance."""
    number = 1
    while number < most and stream.random() < further:
        number += 1
    return number


def _cells(policy: PolicyText) -> Iterator[tuple[object, ...]]:
    """Yield the count rows that a policy is counted in: nothing if it is of another year."""
    if policy.published.year != COUNTED_YEAR:
        return
    c = policy.classification
    for scope in {None: 0, policy.province: 0}:
        yield (scope,)
        yield scope, "classification", c
        for agency in policy.agencies:
            yield scope, "agency", agency
            yield scope, c, "agency", agency
        for industry in policy.industries:
            yield scope, "industry", industry
            yield scope, c, "industry", industry
            yield from ((scope, c, industry, agency) for agency in policy.agencies)


def _settle(policies: list[PolicyText], target: int) -> list[PolicyText]:
    """Take further agencies and industries from policies until the count rows are as many as they should be."""
    cells = Counter(cell for policy in policies for cell in _cells(policy))
    settled = list(policies)
    surplus = len(cells) - target
    for policy in sorted(policies, key=lambda policy: _KEY.digest("settle", str(policy.number))):
        for smaller in _smaller(policy):
            lost = Counter(_cells(settled[policy.number])) - Counter(_cells(smaller))
            # A row disappears only if all of its count came from what this policy loses.
            gain = sum(cells[cell] == number for cell, number in lost.items())
            if 0 < gain <= surplus:
                cells -= lost
                settled[policy.number] = smaller
                surplus -= gain
                break
    return settled


def _smaller(policy: PolicyText) -> Iterator[PolicyText]:
    """Yield the policy without its last agency, and without its last industry, if others remain."""
    if len(policy.agencies) > 1:
        yield replace(policy, agencies=policy.agencies[:-1])
    if len(policy.industries) > 1:
        yield replace(policy, industries=policy.industries[:-1])

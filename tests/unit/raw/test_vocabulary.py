"""The vocabulary agrees with itself and with the numbers of the release."""

from raw.vocabulary.agencies import AGENCY_ALIASES, LOCAL_AGENCIES, MINISTRY_AGENCIES, STATE_COUNCIL_AGENCIES
from raw.vocabulary.geography import PROVINCES, STATISTICS_PROVINCES
from raw.vocabulary.indicators import (
    COUNT_INDICATORS,
    IDENTITIES,
    INDICATOR_ALIASES,
    INDICATORS,
    MONEY,
    MONEY_UNITS,
    TARGET_CODES,
)
from raw.vocabulary.industries import INDUSTRIES, INDUSTRY_SYNONYMS
from raw.vocabulary.listing import EXCHANGES, OWNERSHIP_EXCHANGE_PAIRS, OWNERSHIPS
from raw.vocabulary.macro import NATIONAL_SERIES
from raw.vocabulary.metrics import INTERNAL_METRICS

NAMES = [measure.name for measure in INDICATORS]


def test_indicators_are_forty_eight_of_which_eleven_have_no_sum() -> None:
    """There are 48 distinct indicators, 11 of them ratios or rates, which make 229 statistics."""
    assert len(set(NAMES)) == len(INDICATORS) == 48
    assert sum(5 if measure.additive else 4 for measure in INDICATORS) == 229
    assert {measure.name for measure in INDICATORS if not measure.additive} == {i.output for i in IDENTITIES}


def test_codes_are_distinct_and_off_the_column_order() -> None:
    """Codes are 01 to 48, the attested one is right, and they do not follow the columns."""
    assert sorted(TARGET_CODES.values()) == [f"Y_EC_{number:02d}" for number in range(1, 49)]
    assert TARGET_CODES["累计中国发明专利授权数"] == "Y_EC_44"
    assert [TARGET_CODES[name] for name in NAMES] != sorted(TARGET_CODES.values())


def test_no_identity_touches_a_count() -> None:
    """Counts are neither input nor output of an identity."""
    touched = {name for identity in IDENTITIES for name in (identity.output, *identity.inputs)}
    assert len(COUNT_INDICATORS) == 26
    assert not touched & set(COUNT_INDICATORS)


def test_aliases_name_one_indicator_each() -> None:
    """Every amount in yuan has aliases; no alias is an indicator or belongs to two."""
    aliases = [alias for of_one in INDICATOR_ALIASES.values() for alias in of_one]
    assert set(INDICATOR_ALIASES) == {measure.name for measure in INDICATORS if measure.unit == MONEY}
    assert len(set(aliases)) == len(aliases)
    assert not set(aliases) & set(NAMES)
    assert list(MONEY_UNITS.values()) == [1, 10**4, 10**5, 10**6, 10**7]


def test_industries_sum_to_the_release() -> None:
    """44 industries have 6,895 firms; ids are distinct on both levels, and everyone has a second level."""
    assert len(INDUSTRIES) == 44
    assert sum(industry.firms for industry in INDUSTRIES) == 6_895
    seconds = [second_id for industry in INDUSTRIES for second_id, _ in industry.second]
    assert len(set(seconds)) == len(seconds)
    assert all(industry.second for industry in INDUSTRIES)
    assert not {11, 40, 42, 44} & {industry.id for industry in INDUSTRIES}


def test_industries_have_english_names() -> None:
    """Every industry has an English name in ASCII, its own."""
    names = [industry.english for industry in INDUSTRIES]
    assert all(name and name.isascii() for name in names)
    assert len(set(names)) == len(names)


def test_synonyms_are_not_industries() -> None:
    """A synonym stands for one industry and is none itself."""
    names = {industry.name for industry in INDUSTRIES}
    synonyms = [synonym for of_one in INDUSTRY_SYNONYMS.values() for synonym in of_one]
    assert set(INDUSTRY_SYNONYMS) <= names
    assert len(set(synonyms)) == len(synonyms)
    assert not set(synonyms) & names


def test_listing_has_the_release_s_venues() -> None:
    """Four exchanges list 6,895 firms; 8 owners make 29 pairs with them."""
    assert sum(exchange.firms for exchange in EXCHANGES) == 6_895
    assert (len(OWNERSHIPS), len(OWNERSHIP_EXCHANGE_PAIRS)) == (8, 29)


def test_provinces_are_thirty_four_of_which_sixteen_carry_statistics() -> None:
    """34 provinces have cities with districts; 16 of them carry statistics."""
    assert len({province.name for province in PROVINCES}) == 34
    assert all(city.areas for province in PROVINCES for city in province.cities)
    assert len(set(STATISTICS_PROVINCES)) == 16
    assert set(STATISTICS_PROVINCES) <= {province.name for province in PROVINCES}


def test_agency_aliases_name_one_agency_each() -> None:
    """An alias belongs to one agency that exists, and is no agency itself."""
    agencies = {
        *STATE_COUNCIL_AGENCIES,
        *MINISTRY_AGENCIES,
        *(name for names in LOCAL_AGENCIES.values() for name in names),
    }
    aliases = [alias for of_one in AGENCY_ALIASES.values() for alias in of_one]
    assert set(AGENCY_ALIASES) <= agencies
    assert len(set(aliases)) == len(aliases)
    assert not set(aliases) & agencies


def test_series_and_metrics_are_distinct() -> None:
    """No two macro series share a name; there are 25 metric definitions, half of them in English."""
    assert len({series.name for series in NATIONAL_SERIES}) == len(NATIONAL_SERIES)
    assert len(set(INTERNAL_METRICS)) == 25
    assert sum(metric[0].isascii() for metric in INTERNAL_METRICS) == 13

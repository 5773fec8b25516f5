"""Every measure and group of the generated environment has an English name for pages."""

from raw.vocabulary.english import NAMES_IN_ENGLISH
from raw.vocabulary.industries import INDUSTRIES
from silt.environments.dataclaw_18 import DATACLAW_18


def test_every_measure_and_industry_has_an_english_name() -> None:
    """None is missing, none is for something that there is not, and each is English."""
    measures = {measure.name for measure in DATACLAW_18.panel.measures}
    groups = {name for each in INDUSTRIES for name in (each.name, *(second for _, second in each.second))}
    assert set(DATACLAW_18.english) == set(NAMES_IN_ENGLISH) == measures | groups | {"全行业"}
    assert all(name.isascii() for name in NAMES_IN_ENGLISH.values())


def test_no_two_measures_have_one_english_name() -> None:
    """A reader of English alone can tell measures apart."""
    names = [NAMES_IN_ENGLISH[measure.name] for measure in DATACLAW_18.panel.measures]
    assert len(set(names)) == len(names)

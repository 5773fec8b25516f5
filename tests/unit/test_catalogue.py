"""Bad input: each case of the catalogue is told word for word as it is written down, and nothing of a company is told."""

import pytest

from tests.catalogue import PAGE, Case, cases, page, tried, written
from tests.integration.refusals import SHOP_NAMES

CASES = {case.id: case for case in cases()}
OF_COMPANIES = (*SHOP_NAMES, "Zenker", "Q7731", "0123456789abcdef")
"""What identifies a company in the cases, and what their keys hold."""


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_case_is_told_as_it_is_written_down(case: Case) -> None:
    """`python -m tests.catalogue` writes down what is said now; a change of it is a decision."""
    told = tried(case)
    assert told == written()[case.id]
    assert not any(name in line for name in OF_COMPANIES for line in told)


def test_every_case_is_on_the_page_and_has_a_clear_end() -> None:
    """The page is the golden file, shown; no case ends as a defect, and none is left of what there was."""
    told = written()
    assert told.keys() == CASES.keys()
    assert PAGE.read_text(encoding="utf-8") == page(told)
    assert {lines[0] for lines in told.values()} == {"exit 0", "exit 2"}
    assert len(told) >= 150

"""The table for a terminal: attacks under their families, with what they know, and whether a limit was kept in one word."""

from itertools import pairwise

import pytest

from anonymize.policy import LSD
from validation.attacks import Attack
from validation.attacks.limits import CODES, LINKAGE, OPINION, judged
from validation.attacks.privacy import HEADER, attack_table, family_table
from validation.attacks.records.linkage import AMONG_FIVE

FOUND = {
    CODES: [
        Attack(attack="arithmetic", knowledge="every code", records=1_000, successes=2, chance=0.001),
        Attack(attack="a longer name", knowledge="营业收入金额", records=1_000, successes=900, chance=0.001),
    ],
    LINKAGE: [
        Attack(attack="nearest", knowledge="figures", records=0, successes=0, detail="No figures."),
        Attack(attack="panel", knowledge="figures", records=9, successes=9),
    ],
    OPINION: [Attack(attack="opinion", knowledge="figures", records=0, successes=0, detail="It is not installed.")],
}


@pytest.fixture
def table() -> str:
    """Return the table of five attacks."""
    return attack_table(judged(FOUND, LSD))


def test_attacks_stand_under_their_families(table: str) -> None:
    """In the order of the report, each with what it knows."""
    first = [line.split("  ")[0] for line in table.split("\n") if not line.startswith(" ")]
    assert first == ["attack", CODES, LINKAGE, OPINION]
    names = ["arithmetic", "every code", "a longer name", "营业收入金额", "nearest", "figures", "panel", "opinion"]
    assert [table.index(name) for name in names] == sorted(table.index(name) for name in names)


@pytest.mark.parametrize(
    ("attack", "found", "verdict"),
    [
        ("arithmetic", "2 of 1,000 0.2%", "kept, p = 0.26"),
        ("a longer name", "900 of 1,000 90.0%", "EXCEEDED, p < 0.0001"),
        ("nearest", "nothing to try", "nothing to try"),
        ("opinion", "not asked", "not asked"),
        ("panel", "9 of 9 100%", "reported only"),
    ],
)
def test_what_was_found_and_the_verdict_stand_beside_the_name(
    table: str, attack: str, found: str, verdict: str
) -> None:
    """A limit is kept or exceeded; without one the finding is reported; without records nothing was tried, or nobody asked."""
    ((line, below),) = (two for two in pairwise([*table.split("\n"), ""]) if two[0].startswith(f"  {attack} "))
    assert " ".join(line.split()).startswith(f"{attack} {found}")
    judged, _, beside = verdict.partition(", ")
    assert line.endswith(judged)
    assert below.endswith(beside)


def test_why_nothing_was_tried_stands_below(table: str) -> None:
    """Also where the best of each family stands alone; why nobody was asked is said after the table."""
    untried = family_table(judged({LINKAGE: FOUND[LINKAGE][:1], OPINION: FOUND[OPINION]}, LSD))
    for each in (table, untried):
        assert "\n    No figures." in each
        assert "installed" not in each


def test_the_best_attack_on_owners_has_a_row_below_that_of_its_family() -> None:
    """Where another attack of the family finds more; no row stands there twice."""
    among = Attack(attack=AMONG_FIVE, knowledge="figures", records=100, successes=90, chance=0.05)
    owners = Attack(attack="owners", knowledge="figures", records=100, successes=19, chance=0.02)
    lines = family_table(judged({LINKAGE: [among, owners], CODES: FOUND[CODES][:1]}, LSD)).split("\n")
    (row,) = (line for line in lines if line.startswith("    owners "))
    assert row.split()[:5] == ["owners", "19", "of", "100", "19.0%"]
    assert (
        max(at for at, line in enumerate(lines[: lines.index(row)]) if AMONG_FIVE[:12] in line) == lines.index(row) - 2
    )
    alone = family_table(judged({LINKAGE: FOUND[LINKAGE]}, LSD))
    assert alone.count("panel") == 1


def test_no_attack_gives_the_header_alone() -> None:
    """As an environment without figures would."""
    assert attack_table([]).split() == " ".join(HEADER).split()

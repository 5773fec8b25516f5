"""The table for a terminal: one line an attack, columns in line, and whether a limit was kept in one word."""

import pytest

from anonymize.policy import LSD
from validation.attacks import Attack
from validation.attacks.limits import CODES, LINKAGE, judged
from validation.attacks.privacy import HEADER, attack_table

FOUND = {
    CODES: [
        Attack(attack="arithmetic", knowledge="every code", records=1_000, successes=2, chance=0.001),
        Attack(attack="a longer name", knowledge="营业收入金额", records=1_000, successes=900, chance=0.001),
    ],
    LINKAGE: [
        Attack(attack="nearest", knowledge="figures", records=0, successes=0),
        Attack(attack="panel", knowledge="figures", records=9, successes=9),
    ],
}


@pytest.fixture
def lines() -> list[str]:
    """Return the lines of the table of four attacks."""
    return attack_table(judged(FOUND, LSD)).split("\n")


def test_each_attack_has_a_line_under_the_header(lines: list[str]) -> None:
    """In the order of the report."""
    assert tuple(lines[0].replace("upper 95", "upper_95").split()) == tuple(n.replace(" ", "_") for n in HEADER)
    assert [line.split("  ")[0] for line in lines[1:]] == [CODES, CODES, LINKAGE, LINKAGE]


def test_columns_stand_in_line(lines: list[str]) -> None:
    """What is known stands last, at one place, numbers end at one place."""
    knowledge = ["every code", "营业收入金额", "figures", "figures"]
    assert {line.index(known) for line, known in zip(lines[1:], knowledge, strict=True)} == {
        lines[0].index("knowledge")
    }
    assert lines[1].index("0.2%") + len("0.2%") == lines[2].index("90.0%") + len("90.0%")


@pytest.mark.parametrize(("place", "verdict"), [(1, "kept"), (2, "EXCEEDED"), (3, "nothing"), (4, "reported")])
def test_verdict_is_told_in_words(lines: list[str], place: int, verdict: str) -> None:
    """A limit is kept or exceeded; without one the finding is reported, and without records there was nothing to try."""
    start = lines[0].index("verdict")
    assert lines[place][start:].split()[0] == verdict


def test_no_attack_gives_the_header_alone() -> None:
    """As an environment without figures would."""
    assert attack_table([]).split() == " ".join(HEADER).split()

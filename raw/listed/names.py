"""Invented names of listed companies, and the tickers that come of them."""

from collections.abc import Mapping
from itertools import combinations
from random import Random
from string import ascii_uppercase

from raw.listed.shapes import ENDS, FORMS, JOINTS, MIDDLES, NAMES, ONSETS, PLAIN

_LENGTHS = {3: 325, 4: 113, 2: 51, 1: 11, 5: 5}
"""Lengths of tickers, with weights."""

_LONGER = (3, 4, 5)
"""What is tried if all of one length are taken."""

_SHORT = 0.5
"""Share of brands of two syllables."""


def weighted(random: Random, weights: Mapping[str, int]) -> str:
    """Return one of the texts, each with the probability of its weight."""
    return random.choices(list(weights), list(weights.values()))[0]


def company_name(random: Random, trades: list[str], taken: set[str]) -> str:
    """Return a name that nobody else has, and whose invented words are nobody else's; add both to `taken`."""
    while True:
        pattern, invented = weighted(random, NAMES), {"brand": _brand(random), "other": _brand(random)}
        a, b, digit = random.choice(ascii_uppercase), random.choice(ascii_uppercase), random.choice("235679")
        plain, trade = " ".join(random.sample(PLAIN, 2)).title(), random.choice(trades)
        core = pattern.format(a=a, b=b, digit=digit, plain=plain, trade=trade, form="", **invented).strip()
        used = {core, *(word for role, word in invented.items() if f"{{{role}}}" in pattern)}
        if not used & taken:
            taken |= used
            return f"{core} {weighted(random, FORMS)}".strip() if "{form}" in pattern else core


def ticker(random: Random, name: str, taken: set[str]) -> str:
    """Return one to five letters of a name, in their order, that nobody else has, and add them to `taken`."""
    first, *others = [letter for letter in name.upper() if letter in ascii_uppercase]
    lengths = (random.choices(list(_LENGTHS), list(_LENGTHS.values()))[0], *_LONGER)
    found = (first + "".join(rest) for length in lengths for rest in combinations(others, length - 1))
    free = next(each for each in found if each not in taken)
    taken.add(free)
    return free


def _brand(random: Random) -> str:
    middle = "" if random.random() < _SHORT else random.choice(MIDDLES) + random.choice(JOINTS)
    return (random.choice(ONSETS) + middle + random.choice(ENDS)).capitalize()

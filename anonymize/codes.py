"""Pseudonymous codes: six digits in place of each raw code, by keyed hash, injective by construction.

Only the map from raw to pseudonymous code is made here. Replacing codes in prose is `prose.py`; the map is the
curator's to keep (`identity_map.py`).
"""

import re
from collections.abc import Iterable

from pipeline.errors import InputError
from pipeline.keyed import Key

FIRST_CODE = 100_000
"""The lowest pseudonymous code."""

CODE_COUNT = 900_000
"""How many six-digit codes there are: 100000 to 999999, both included."""

HIGHEST_LOAD = 0.9
"""Share of the free codes that may be given out (our choice): the number of attempts grows without bound towards 1."""


def pseudonymous_codes(codes: Iterable[str], key: Key, *, avoid: Iterable[str]) -> dict[str, str]:
    """Give each distinct code a pseudonymous code of six digits; two codes never share one.

    A code's candidates are PRF(key, code, 0), PRF(key, code, 1), ... reduced to the code space. It asks for them in
    this order; a pseudonym that two ask for goes to the smaller PRF output, and the loser asks for its next. This is
    deferred acceptance (Gale and Shapley 1962), whose outcome is the same whoever asks first, so it does not depend on
    the order of `codes`.

    When codes are added, an older code moves only if a newcomer wins its pseudonym, or that of a code which then wins
    its own: with n codes each newcomer moves about n / 1,800,000 of them (one of 6,895 codes for 260 newcomers).

    Args:
        codes: raw codes, in any order, duplicates allowed.
        key: the key of this purpose.
        avoid: raw codes whose digits no pseudonym may equal, bare or padded with zeros (`000001.SZ`, `830799`).

    Returns:
        Pseudonyms by raw code, sorted by raw code.

    Raises:
        InputError: there are more codes than `HIGHEST_LOAD` of the pseudonyms that remain.
    """
    wanting = sorted(set(codes))
    forbidden = _numbers(avoid)
    _refuse_overload(
        len(wanting), CODE_COUNT - sum(FIRST_CODE <= number < FIRST_CODE + CODE_COUNT for number in forbidden)
    )
    holders: dict[int, tuple[bytes, str, int]] = {}
    for code in wanting:
        _seat(code, key, forbidden, holders)
    return dict(sorted((code, str(slot)) for slot, (_, code, _) in holders.items()))


def _seat(code: str, key: Key, forbidden: frozenset[int], holders: dict[int, tuple[bytes, str, int]]) -> None:
    """Let a code ask until it, and whoever it displaces, holds a pseudonym."""
    attempt = 0
    while True:
        digest = key.digest(code, str(attempt))
        slot = FIRST_CODE + int.from_bytes(digest, "big") % CODE_COUNT
        claim = (digest, code, attempt)
        if slot not in forbidden:
            holder = holders.get(slot)
            if holder is None or claim < holder:
                holders[slot] = claim
                if holder is None:
                    return
                _, code, attempt = holder
        attempt += 1


def _numbers(codes: Iterable[str]) -> frozenset[int]:
    return frozenset(int(digits) for code in codes for digits in re.findall(r"[0-9]+", code))


def _refuse_overload(wanted: int, free: int) -> None:
    if wanted > HIGHEST_LOAD * free:
        raise InputError(
            f"{wanted:,} codes want a pseudonym, and of {free:,} free six-digit codes at most {HIGHEST_LOAD:.0%} "
            "are given out; split the tables into environments of fewer entities"
        )

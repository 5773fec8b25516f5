"""Guessed keys: does a key that anybody would try give the published codes?

The attacker has this code and every existing code, but not the key (Kerckhoffs). That codes depend on nothing but the key is a
law of `anonymize/codes.py`, and tested there. Data can show that the key is one of those that are no secret. Whether published
rows are in the order of raw rows is tested in `records/order.py`.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pipeline.keyed import Key
from validation.attacks import Attack
from validation.laws import exceeded

Derive = Callable[[Sequence[str], Key], Mapping[str, str]]
"""The release's own derivation: raw codes and the key of this purpose -> published code by raw code."""

PURPOSE = "codes"
"""The purpose of the key of codes (`anonymize/pseudonyms.py`)."""

LEVEL = 0.001
"""Level of the test: how probable it is that random codes let the best key find more than `chance` says."""

SAMPLE = 1_000
"""Codes, evenly spaced, on which a key is tried first; only if it finds one are all tried (our choice)."""

PASSWORDS = ("", "0", "123456", "admin", "changeme", "default", "key", "password", "release", "secret", "silt", "test")
"""Common inputs where a secret is asked for (our choice, after the published lists of common passwords)."""


def guessed_keys_attack(truth: Mapping[str, str], *, guesses: Mapping[str, Key], derive: Derive, codes: int) -> Attack:
    """Try every guess as the release key; a success is a raw code whose published code the best guess gives.

    `chance` is the share of codes that the best of as many random maps finds at most, except with probability `LEVEL`
    (Bonferroni over exact binomials).

    Args:
        truth: Raw code -> published code, at least one.
        guesses: Keys that are tried as release key, by their names in the detail.
        derive: How the release derives codes.
        codes: How many codes of that shape there are.
    """
    raw = sorted(truth)
    some = raw[:: -(-len(raw) // SAMPLE)]
    hits: dict[str, int] = {}
    for name, key in guesses.items():
        secret = key.derive(PURPOSE)
        hits[name] = _found(truth, derive(raw, secret)) if _found(truth, derive(some, secret)) else 0
    successes = max(hits.values(), default=0)
    best = next((name for name, found in hits.items() if found == successes > 0), "none finds a code")
    return Attack(
        attack="dictionary, guessed keys",
        knowledge="the register of codes, and how codes are derived but for the key",
        records=len(raw),
        successes=successes,
        chance=_most_by_chance(len(raw), len(hits), 1 / codes) / len(raw),
        detail=f"Best of {len(hits):,} keys: {best}.",
    )


def guessable_keys(*phrases: str) -> dict[str, Key]:
    """Return release keys that are no secret, by name: constant bytes, and SHA-256 of passwords and of the phrases.

    The public demonstration key is SHA-256 of its phrase (`anonymize/keys/release_key.py`).
    """
    constant = {"bytes of zeros": bytes(32), "bytes of ones": b"\xff" * 32, "bytes that count up": bytes(range(32))}
    hashed = {f"SHA-256 of {phrase!r}": hashlib.sha256(phrase.encode()).digest() for phrase in (*PASSWORDS, *phrases)}
    return {name: Key(secret) for name, secret in (constant | hashed).items()}


def _found(truth: Mapping[str, str], derived: Mapping[str, str]) -> int:
    return sum(truth[code] == pseudonym for code, pseudonym in derived.items())


def _most_by_chance(records: int, tries: int, coincidence: float) -> int:
    """Return how many records the best of so many random maps finds at most, except with probability `LEVEL`."""
    chances = exceeded(np.arange(records + 1), records, coincidence)
    return int(np.argmax(chances <= LEVEL / max(tries, 1)))

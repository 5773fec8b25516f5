"""Dictionary: can published codes be derived from the register of raw codes, by a hash, a guessed key or plain arithmetic?

Belongs here: attacks on the map from raw to published codes, all by trial. The attacker has this code and every existing code,
but not the key (Kerckhoffs). Whether published rows are in the order of raw rows is tested in `records/order.py`.
"""

import hashlib
import zlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from math import gcd, prod
from operator import eq, xor
from re import findall
from string import digits

import numpy as np
import polars as pl
import scipy

from pipeline.keyed import SEPARATOR, Key
from validation.attacks import Attack
from validation.attacks.records.order import ENTITY, POSITION, order_attack

Derive = Callable[[Sequence[str], Key], Mapping[str, str]]
"""The release's own derivation: raw codes and the key of this purpose -> published code by raw code."""

Digest = Callable[[bytes], bytes]

PURPOSE = "codes"
"""The purpose of the key of codes (`anonymize/pseudonyms.py`)."""

LUCK = 0.001
"""Probability that the best of all tried functions finds more than `chance` says, if the codes were random."""

RARE = 0.01
"""Expected number of character runs that two unrelated codes share, at most; it sets how long a run must be to count."""

SAMPLE = 1_000
"""Codes, evenly spaced, on which a hash or guessed key is tried first; only if it finds one are all tried (our choice).

The right function gives nearly all; one that gives one code in a hundred is missed with a probability of 4e-5.
"""

PASSWORDS = ("", "0", "123456", "admin", "changeme", "default", "key", "password", "release", "secret", "silt", "test")
"""Common inputs where a secret is asked for (our choice, after the published lists of common passwords)."""


def _digest(name: str) -> Digest:
    make = getattr(hashlib, name)
    return lambda text: bytes(make(text, usedforsecurity=False).digest())


_HASHES: Mapping[str, Digest] = {
    **{
        name: _digest(name)
        for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b", "blake2s")
    },
    "crc32": lambda text: zlib.crc32(text).to_bytes(4),
    "adler32": lambda text: zlib.adler32(text).to_bytes(4),
}

_DIGITS, _LETTERS = 10, 26
"""Sizes of the alphabets."""

_REGISTER = "the register of codes, and how codes are derived but for the key"


def dictionary_attacks(truth: Mapping[str, str], *, guesses: Mapping[str, Key], derive: Derive) -> list[Attack]:
    """Attack the map of codes: by unkeyed hashes, with guessed keys, by arithmetic, by shared characters, by its order.

    A record is a code. The first three try many functions; a success is a published code that the best function gives for its
    own raw code: with that function the attacker can read the register, whatever it gives for other codes. Their `chance` is
    the share of codes that the best of as many random maps finds at most, except with probability `LUCK` (Bonferroni over exact
    binomials; a fitted constant counts as all its values). A hash or key that finds none of a sample is not tried on the other
    codes. For shared characters `chance` is the expected share. The order is an `order_attack`: its records are columns.

    Args:
        truth: Raw code -> published code, at least one. The published codes have one shape; codes of other shapes are found
            by no reduction to that shape.
        guesses: Keys that are tried as release key, by their names in the detail.
        derive: How the release derives codes.
    """
    raw = sorted(truth)
    published = [truth[code] for code in raw]
    space = _space(published)
    return [
        _unkeyed_hashes(raw, published, space),
        _guessed_keys(raw, published, space, guesses, derive),
        _arithmetic(raw, published, space),
        _shared_characters(raw, published, space),
        _order(raw, published),
    ]


def guessable_keys(*phrases: str) -> dict[str, Key]:
    """Return release keys that are no secret, by name: constant bytes, and SHA-256 of passwords and of the phrases.

    The public demonstration key is SHA-256 of its phrase (`anonymize/keys/release_key.py`).
    """
    constant = {"bytes of zeros": bytes(32), "bytes of ones": b"\xff" * 32, "bytes that count up": bytes(range(32))}
    hashed = {f"SHA-256 of {phrase!r}": hashlib.sha256(phrase.encode()).digest() for phrase in (*PASSWORDS, *phrases)}
    return {name: Key(secret) for name, secret in (constant | hashed).items()}


@dataclass(frozen=True)
class _Space:
    """All codes of one shape, numbered from 0 in their order: the characters of each place, ascending."""

    places: tuple[str, ...]

    @property
    def size(self) -> int:
        return prod(map(len, self.places))

    def number(self, code: str) -> int:
        """Return the number of a code, -1 if it is not in the space."""
        if len(code) != len(self.places) or any(c not in place for c, place in zip(code, self.places, strict=True)):
            return -1
        number = 0
        for character, place in zip(code, self.places, strict=True):
            number = number * len(place) + place.index(character)
        return number


def _space(codes: Sequence[str]) -> _Space:
    """Infer the space of codes from those of the most common length: the characters that occur at each place.

    Where only digits occur, any digit is allowed; 0 at the start only if it occurs there.
    """
    length = Counter(map(len, codes)).most_common(1)[0][0]
    seen = ["".join(sorted(set(place))) for place in zip(*(c for c in codes if len(c) == length), strict=True)]
    first_digits = digits if "0" in seen[0] else digits[1:]
    return _Space(
        tuple(
            (digits if i else first_digits) if characters.isdecimal() else characters
            for i, characters in enumerate(seen)
        )
    )


def _unkeyed_hashes(raw: Sequence[str], published: Sequence[str], space: _Space) -> Attack:
    step = _step(raw)
    wanted = [(code.upper(), space.number(code)) for code in published]
    hits: dict[str, int] = {}
    for form, written in _forms(raw).items():
        for name, digest in _HASHES.items():
            found = _counted(digest, written[::step], wanted[::step], space)
            # A hash that gives no code of the sample is not worth trying on the others.
            if any(found.values()):
                found = _counted(digest, written, wanted, space)
            hits |= {f"{name} of {form}, {how}": count for how, count in found.items()}
    return _best("dictionary, unkeyed hashes", hits, records=len(raw), tries=len(hits), space=space)


def _step(raw: Sequence[str]) -> int:
    """Return the distance in the register between codes of a sample."""
    return -(-len(raw) // SAMPLE)


def _forms(raw: Sequence[str]) -> dict[str, list[str]]:
    """Return the texts that may have been hashed, by form."""
    bare = [_bare(code) for code in raw]
    return {
        "the code": list(raw),
        "the code in lower case": [code.lower() for code in raw],
        "the code and a line feed": [f"{code}\n" for code in raw],
        "the code without its suffix": bare,
        "the number without leading zeros": [code.lstrip("0") for code in bare],
        "what the key would have hashed": [f"{code}{SEPARATOR}0" for code in raw],
    }


def _counted(
    digest: Digest, written: Sequence[str], wanted: Sequence[tuple[str, int]], space: _Space
) -> dict[str, int]:
    """Count the codes (text and number) that a hash gives, by the way in which its digest becomes a code."""
    digests = [digest(text.encode()) for text in written]
    texts, numbers = zip(*wanted, strict=True)
    cut = {how: sum(map(eq, texts, given)) for how, given in _cut(digests, len(space.places)).items()}
    return cut | {how: sum(map(eq, numbers, given)) for how, given in _reduced(digests, space.size).items()}


def _cut(digests: Sequence[bytes], length: int) -> dict[str, list[str]]:
    """Return beginnings and ends of the digests as text of the length of a code."""
    hexadecimal = [digest.hex().upper() for digest in digests]
    decimal = [str(int.from_bytes(digest)) for digest in digests]
    return {
        "first hexadecimal digits": [text[:length] for text in hexadecimal],
        "last hexadecimal digits": [text[-length:] for text in hexadecimal],
        "first decimal digits": [text[:length] for text in decimal],
        "last decimal digits": [text[-length:] for text in decimal],
    }


def _reduced(digests: Sequence[bytes], size: int) -> dict[str, list[int]]:
    """Return the digests modulo the number of codes, whole and in the widths of usual integers."""
    return {
        "modulo the number of codes": [int.from_bytes(digest) % size for digest in digests],
        "first 64 bits modulo that number": [int.from_bytes(digest[:8]) % size for digest in digests],
        "first 32 bits modulo that number": [int.from_bytes(digest[:4]) % size for digest in digests],
    }


def _guessed_keys(
    raw: Sequence[str], published: Sequence[str], space: _Space, guesses: Mapping[str, Key], derive: Derive
) -> Attack:
    truth = dict(zip(raw, published, strict=True))
    some = raw[:: _step(raw)]
    hits: dict[str, int] = {}
    for name, key in guesses.items():
        secret = key.derive(PURPOSE)
        hits[name] = _found(truth, derive(raw, secret)) if _found(truth, derive(some, secret)) else 0
    return _best("dictionary, guessed keys", hits, records=len(raw), tries=len(hits), space=space)


def _found(truth: Mapping[str, str], derived: Mapping[str, str]) -> int:
    return sum(truth[code] == pseudonym for code, pseudonym in derived.items())


def _arithmetic(raw: Sequence[str], published: Sequence[str], space: _Space) -> Attack:
    """Fit a * x + b modulo the number of codes, x xor b, and a shift of each character, to several readings of the codes."""
    bare = [_bare(code) for code in raw]
    readings = {
        "the number": _values(bare),
        "the reversed number": _values([code[::-1] for code in bare]),
        "the rank": list(range(len(raw))),
    }
    plain = ["".join(_runs(code)) for code in published]
    values = _values(plain)
    modulus = _base("".join(plain)) ** len(space.places)
    targets = (([space.number(code) for code in published], space.size), (values, modulus))
    hits = {
        f"{reading}, times one constant plus another": max(_affine(x, y, size) for y, size in targets)
        for reading, x in readings.items()
    }
    hits |= {f"{reading} xor a constant": _commonest(map(xor, x, values)) for reading, x in readings.items()}
    hits["each character shifted"] = _commonest(map(_shift, bare, plain))
    tries = 2 * len(hits) * modulus**2
    return _best("dictionary, arithmetic", hits, records=len(raw), tries=tries, space=space)


def _shared_characters(raw: Sequence[str], published: Sequence[str], space: _Space) -> Attack:
    """Count the codes that share a run of characters with their published code."""
    bare = [_bare(code) for code in raw]
    sizes = [len(place) for place in space.places]
    longest = max(map(len, bare))
    expected = {
        length: sum(1 / prod(sizes[i : i + length]) for i in range(len(sizes) - length + 1))
        for length in range(1, len(sizes) + 1)
    }
    run = next((k for k, rate in expected.items() if rate * max(longest - k + 1, 1) <= RARE), len(sizes))
    runs = [{code[i : i + run] for i in range(len(code) - run + 1)} for code in bare]
    return Attack(
        attack="dictionary, shared characters",
        knowledge=_REGISTER,
        records=len(raw),
        successes=sum(any(part in code.upper() for part in parts) for parts, code in zip(runs, published, strict=True)),
        chance=float(np.mean([min(1.0, len(parts) * expected[run]) for parts in runs])),
        detail=f"A success shares {run} characters in a row with its raw code.",
    )


def _order(raw: Sequence[str], published: Sequence[str]) -> Attack:
    positions = pl.DataFrame({ENTITY: published, POSITION: published})
    numbers = _values([_bare(code) for code in raw])
    originals = pl.DataFrame({ENTITY: published, "raw code": raw, "number in the raw code": list(map(float, numbers))})
    return order_attack("dictionary, order of codes", positions, originals, knowledge=_REGISTER)


def _best(attack: str, hits: Mapping[str, int], *, records: int, tries: int, space: _Space) -> Attack:
    successes = max(hits.values(), default=0)
    best = next((name for name, found in hits.items() if found == successes > 0), "none finds a code")
    return Attack(
        attack=attack,
        knowledge=_REGISTER,
        records=records,
        successes=successes,
        chance=_most_by_luck(records, tries, 1 / space.size) / records,
        detail=f"Best of {len(hits):,} functions: {best}.",
    )


def _most_by_luck(records: int, tries: int, coincidence: float) -> int:
    """Return how many records the best of so many random maps finds at most, except with probability `LUCK`."""
    exceeded = scipy.stats.binom.sf(np.arange(records + 1), records, coincidence)
    return int(np.argmax(exceeded <= LUCK / max(tries, 1)))


def _affine(x: Sequence[int], y: Sequence[int], modulus: int) -> int:
    """Return how many pairs satisfy y = a * x + b modulo the modulus, for the best b and the best of three a.

    The slopes tried are 1, -1, and the most common slope between neighbours in x, if it is unique.
    """
    slopes = Counter(
        (second[1] - first[1]) * pow(second[0] - first[0], -1, modulus) % modulus
        for first, second in pairwise(sorted(zip(x, y, strict=True)))
        # Only then can the difference be inverted modulo the modulus.
        if gcd(second[0] - first[0], modulus) == 1
    )
    tried = {1, -1} | {slope for slope, _ in slopes.most_common(1)}
    return max(_commonest((v - a * u) % modulus for u, v in zip(x, y, strict=True)) for a in tried)


def _commonest(values: Iterable[Hashable]) -> int:
    """Return how often the most common value occurs; None does not count."""
    counts = Counter(value for value in values if value is not None)
    return max(counts.values(), default=0)


def _shift(raw: str, published: str) -> tuple[int, ...] | None:
    """Return by how much each character is shifted in its alphabet, if the codes have one length."""
    if len(raw) != len(published):
        return None
    base = max(_base(raw), _base(published))
    return tuple((int(after, 36) - int(before, 36)) % base for before, after in zip(raw, published, strict=True))


def _bare(code: str) -> str:
    """Return the code's first run of Latin letters and digits: the part before a suffix."""
    return "".join(_runs(code)[:1])


def _runs(code: str) -> list[str]:
    """Return the runs of Latin letters and digits, in upper case."""
    return findall("[0-9A-Z]+", code.upper())


def _values(bare: Sequence[str]) -> list[int]:
    """Return the codes as numbers: of digits, of letters with A = 0, or in base 36, whichever fits them all."""
    base = _base("".join(bare))
    zero = int("A", 36) if base == _LETTERS else 0
    return [reduce(lambda value, character: value * base + int(character, 36) - zero, code, 0) for code in bare]


def _base(text: str) -> int:
    return _DIGITS if text.isdecimal() else _LETTERS if text.isalpha() else _DIGITS + _LETTERS

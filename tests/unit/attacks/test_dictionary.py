"""The dictionary attacks find codes that were made without a secret, in every way tried, and none that were made with one."""

import hashlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import pytest

from anonymize.codes import FIVE_LETTERS, SIX_DIGITS, CodeSpace, pseudonymous_codes
from anonymize.keys.release_key import DEMONSTRATION_KEY, DEMONSTRATION_PHRASE
from pipeline.keyed import SEPARATOR, Key
from tests.stats import check_rate_within
from validation.attacks import Attack
from validation.attacks.naming.dictionary import LUCK, SAMPLE, dictionary_attacks, guessable_keys

SECRET = Key(hashlib.sha256(b"none of the guesses").digest())
RAW = [f"{number:06d}.{'SH' if number % 3 else 'SZ'}" for number in range(1, 400_000, 1_997)]
TICKERS = [a + b + c for a in "ABCDEF" for b in "IJKLMN" for c in "QRSTUV"]
ALPHA = 1e-4

HASHES, KEYS, ARITHMETIC, CHARACTERS, ORDER = (
    f"dictionary, {name}"
    for name in ("unkeyed hashes", "guessed keys", "arithmetic", "shared characters", "order of codes")
)


def keyed(codes: Sequence[str], key: Key, *, space: CodeSpace = SIX_DIGITS) -> Mapping[str, str]:
    return pseudonymous_codes(codes, key, avoid=codes, space=space)


def attacked(truth: Mapping[str, str], *phrases: str, space: CodeSpace = SIX_DIGITS) -> dict[str, Attack]:
    found = dictionary_attacks(truth, guesses=guessable_keys(*phrases), derive=partial(keyed, space=space))
    return {attack.attack: attack for attack in found}


def made(by: Callable[[str], str], codes: Sequence[str] = RAW) -> dict[str, str]:
    return {code: by(code) for code in codes}


def number(code: str) -> int:
    return int(code[:6])


def first_hexadecimal(code: str) -> str:
    return hashlib.md5(code.encode()).hexdigest()[:6]  # noqa: S324  (what is attacked)


def last_decimal(code: str) -> str:
    return str(int.from_bytes(hashlib.sha1(code[:6].encode()).digest()))[-6:]  # noqa: S324


def checksum(code: str) -> str:
    return str(100_000 + zlib.crc32(code.lower().encode()) % 900_000)


def first_bits(code: str) -> str:
    return str(100_000 + int.from_bytes(hashlib.sha512(f"{number(code)}".encode()).digest()[:8]) % 900_000)


def without_key(code: str) -> str:
    return SIX_DIGITS.code(int.from_bytes(hashlib.sha256(f"{code}{SEPARATOR}0".encode()).digest()) % 900_000)


@pytest.mark.parametrize("by", [first_hexadecimal, last_decimal, checksum, first_bits, without_key])
def test_every_unkeyed_hash_is_found(by: Callable[[str], str]) -> None:
    """Codes by a public function of the raw ones are found to the last, whatever hash, form of the code and truncation."""
    found = attacked(made(by))[HASHES]
    assert (found.records, found.rate) == (len(RAW), 1)
    assert found.beats_chance(ALPHA)


def test_an_unkeyed_hash_is_found_in_letters_too() -> None:
    """The reduction to a space of uneven places is tried as the derivation does it."""
    truth = made(lambda code: FIVE_LETTERS.code(zlib.crc32(code.encode()) % FIVE_LETTERS.size), TICKERS)
    assert attacked(truth, space=FIVE_LETTERS)[HASHES].rate == 1


def test_what_is_found_in_a_sample_is_counted_in_all() -> None:
    """In a register larger than the sample every hundredth code is hashed without a key: all of those are found."""
    codes = [f"{place:06d}.SH" for place in range(1, 5 * SAMPLE)]
    hidden = keyed(codes, SECRET)
    leaking = made(checksum, codes[::99])
    found = attacked({**hidden, **leaking})[HASHES]
    assert (found.records, found.successes) == (len(codes), len(leaking))
    assert found.beats_chance(ALPHA)


@pytest.mark.parametrize(("space", "raw"), [(SIX_DIGITS, RAW), (FIVE_LETTERS, TICKERS)], ids=["digits", "letters"])
def test_keyed_codes_give_nothing_away(space: CodeSpace, raw: list[str]) -> None:
    """Under a key that nobody guesses no attack beats chance, and the order of codes shows in no column."""
    found = attacked(keyed(raw, SECRET.derive("codes"), space=space), "us-listed", space=space)
    assert list(found) == [HASHES, KEYS, ARITHMETIC, CHARACTERS, ORDER]
    assert not [attack for attack in found.values() if attack.beats_chance(ALPHA)]
    assert found[KEYS].successes == found[ORDER].successes == 0
    assert max(found[name].successes for name in (HASHES, ARITHMETIC, CHARACTERS)) <= 4


@pytest.mark.parametrize("key", [DEMONSTRATION_KEY, Key(bytes(32)), Key(hashlib.sha256(b"password").digest())])
def test_a_guessed_key_undoes_every_code(key: Key) -> None:
    """The demonstration key, a key of zeros and a hashed password are among the guesses, and find every code."""
    found = attacked(keyed(RAW, key.derive("codes")), DEMONSTRATION_PHRASE)[KEYS]
    assert found.rate == 1
    assert found.beats_chance(ALPHA)


def test_a_guessed_key_is_counted_on_all_codes_not_on_a_sample() -> None:
    """In a register larger than the sample, a right guess gives the published code of every raw one."""
    codes = [f"{place:06d}.SH" for place in range(1, 2 * SAMPLE)]
    found = attacked(keyed(codes, Key(bytes(32)).derive("codes")))[KEYS]
    assert (found.records, found.rate) == (len(codes), 1)


def test_a_phrase_that_is_not_tried_finds_nothing() -> None:
    """The demonstration key without its phrase is a key like any other."""
    assert attacked(keyed(RAW, DEMONSTRATION_KEY.derive("codes")))[KEYS].successes == 0


def test_no_guess_is_no_attack_on_the_key() -> None:
    """Without guesses nothing is found, and luck finds nothing either."""
    found = dictionary_attacks(keyed(RAW, SECRET), guesses={}, derive=keyed)[1]
    assert (found.attack, found.successes, found.records) == (KEYS, 0, len(RAW))


@pytest.mark.parametrize(
    "by",
    [
        lambda code: str(number(code) + 271_828),
        lambda code: f"{number(code) * 7 % 1_000_000:06d}",
        lambda code: str(100_000 + (number(code) * 1_234_567 + 89) % 900_000),
        lambda code: f"{999_999 - number(code)}",
        lambda code: str(int(code[:6][::-1]) + 12_345).zfill(6),
        lambda code: f"{number(code) ^ 0b1010_1010_1010_1010_101:06d}",
        lambda code: str(600_000 + RAW.index(code)),
    ],
    ids=["offset", "multiple", "affine", "complement", "reversed", "xor", "rank"],
)
def test_arithmetic_on_the_number_is_found(by: Callable[[str], str]) -> None:
    """Offsets, multiples, reversals, masks and counting up are found without a hint."""
    found = attacked(made(by))[ARITHMETIC]
    assert found.rate == 1
    assert found.beats_chance(ALPHA)


def test_arithmetic_on_half_of_the_codes_is_found() -> None:
    """Codes of which every second is hidden well still show the constant of the others."""
    hidden = keyed(RAW, SECRET)
    found = attacked({code: hidden[code] if i % 2 else str(number(code) + 271_828) for i, code in enumerate(RAW)})
    assert found[ARITHMETIC].rate >= 1 / 2
    assert found[ARITHMETIC].beats_chance(ALPHA)


def test_letters_moved_on_in_the_alphabet_are_found() -> None:
    """Caesar's cipher is a shift of each character, found whatever the shifts."""
    moves = (3, 8, 25)
    shifted = made(
        lambda code: "".join(chr((ord(c) - 65 + by) % 26 + 65) for c, by in zip(code, moves, strict=True)), TICKERS
    )
    assert attacked(shifted)[ARITHMETIC].rate == 1


def test_a_code_that_holds_its_raw_digits_is_found() -> None:
    """Four of the raw digits in a row within the published code are a success; in other places they are still one."""
    hidden = keyed(RAW, SECRET)
    found = attacked(made(lambda code: f"{hidden[code][:2]}{code[2:6]}"))[CHARACTERS]
    assert found.rate == 1
    assert found.beats_chance(ALPHA)


def test_codes_in_the_order_of_the_raw_ones_are_found() -> None:
    """A random map that keeps the order tells each code's neighbours: the rank correlation is 1 in every column."""
    found = attacked(dict(zip(RAW, sorted(keyed(RAW, SECRET).values()), strict=True)))[ORDER]
    assert (found.records, found.successes) == (2, 2)
    assert found.beats_chance(ALPHA)


def test_chance_is_reached_by_luck_as_seldom_as_it_says() -> None:
    """Of 30 keyed maps of few codes into few, no more beat what the best of all functions reaches than `LUCK` allows."""
    space = CodeSpace(shape="three digits", places=("123456789", "0123456789", "0123456789"))
    codes = RAW[:40]
    maps = [attacked(keyed(codes, SECRET.derive(str(i)), space=space), space=space)[HASHES] for i in range(30)]
    beyond = sum(attack.successes > round(attack.chance * attack.records) for attack in maps)
    check_rate_within(beyond, len(maps), 0, LUCK)
    assert 0 < maps[0].chance < 1 / 5


def test_the_report_names_no_code() -> None:
    """Neither raw nor published codes stand in what the attacks say, also where they succeed."""
    truth = made(checksum)
    told = " ".join(f"{attack.knowledge} {attack.detail}" for attack in attacked(truth).values())
    assert not [code for pair in truth.items() for code in pair if code in told]

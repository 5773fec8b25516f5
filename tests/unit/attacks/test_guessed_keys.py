"""Guessed keys undo codes that were made under them, and no others."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial

import polars as pl
import pytest

from anonymize.codes import FIVE_LETTERS, SIX_DIGITS, CodeSpace, pseudonymous_codes
from anonymize.keys.release_key import DEMONSTRATION_KEY, DEMONSTRATION_PHRASE
from pipeline.keyed import Key
from tests.stats import check_rate_within
from validation.attacks import Attack
from validation.attacks.identifiers.guessed_keys import LEVEL, SAMPLE, guessable_keys, guessed_keys_attack
from validation.attacks.records.order import ENTITY, POSITION, order_attack

SECRET = Key(hashlib.sha256(b"none of the guesses").digest())
RAW = [f"{number:06d}.{'SH' if number % 3 else 'SZ'}" for number in range(1, 400_000, 1_997)]
TICKERS = [a + b + c for a in "ABCDEF" for b in "IJKLMN" for c in "QRSTUV"]
ALPHA = 1e-4


def keyed(codes: Sequence[str], key: Key, *, space: CodeSpace = SIX_DIGITS) -> Mapping[str, str]:
    return pseudonymous_codes(codes, key, avoid=codes, space=space)


def attacked(truth: Mapping[str, str], *phrases: str, space: CodeSpace = SIX_DIGITS) -> Attack:
    derive = partial(keyed, space=space)
    return guessed_keys_attack(truth, guesses=guessable_keys(*phrases), derive=derive, codes=space.size)


@pytest.mark.parametrize(("space", "raw"), [(SIX_DIGITS, RAW), (FIVE_LETTERS, TICKERS)], ids=["digits", "letters"])
def test_keyed_codes_give_nothing_away(space: CodeSpace, raw: list[str]) -> None:
    """Under a key that nobody guesses no guess finds a code, and codes are in no order of the raw ones."""
    truth = keyed(raw, SECRET.derive("codes"), space=space)
    assert attacked(truth, "us-listed", space=space).successes == 0
    codes = [truth[code] for code in raw]
    orders = pl.DataFrame({ENTITY: codes, POSITION: codes}), pl.DataFrame({ENTITY: codes, "raw code": raw})
    assert order_attack("order of codes", *orders, knowledge="the register of codes").successes == 0


@pytest.mark.parametrize("key", [DEMONSTRATION_KEY, Key(bytes(32)), Key(hashlib.sha256(b"password").digest())])
def test_a_guessed_key_undoes_every_code(key: Key) -> None:
    """The demonstration key, a key of zeros and a hashed password are among the guesses, and find every code."""
    found = attacked(keyed(RAW, key.derive("codes")), DEMONSTRATION_PHRASE)
    assert found.rate == 1
    assert found.beats_chance(ALPHA)


def test_a_guessed_key_is_counted_on_all_codes_not_on_a_sample() -> None:
    """In a register larger than the sample, a right guess gives the published code of every raw one."""
    codes = [f"{place:06d}.SH" for place in range(1, 2 * SAMPLE)]
    found = attacked(keyed(codes, Key(bytes(32)).derive("codes")))
    assert (found.records, found.rate) == (len(codes), 1)


def test_a_phrase_that_is_not_tried_finds_nothing() -> None:
    """The demonstration key without its phrase is a key like any other."""
    assert attacked(keyed(RAW, DEMONSTRATION_KEY.derive("codes"))).successes == 0


def test_no_guess_is_no_attack_on_the_key() -> None:
    """Without guesses nothing is found, and chance finds nothing either."""
    found = guessed_keys_attack(keyed(RAW, SECRET), guesses={}, derive=keyed, codes=SIX_DIGITS.size)
    assert (found.successes, found.records) == (0, len(RAW))


def test_chance_is_reached_by_luck_as_seldom_as_it_says() -> None:
    """Of 30 keyed maps of few codes into few, no more beat what the best of all keys reaches than `LEVEL` allows."""
    space = CodeSpace(shape="three digits", places=("123456789", "0123456789", "0123456789"))
    codes = RAW[:40]
    maps = [attacked(keyed(codes, SECRET.derive(str(i)), space=space), space=space) for i in range(30)]
    beyond = sum(attack.successes > round(attack.chance * attack.records) for attack in maps)
    check_rate_within(beyond, len(maps), 0, LEVEL)
    assert 0 < maps[0].chance < 1 / 5


def test_the_report_names_no_code() -> None:
    """Neither raw nor published codes stand in what the attack says, also where it succeeds."""
    truth = keyed(RAW, DEMONSTRATION_KEY.derive("codes"))
    attack = attacked(truth, DEMONSTRATION_PHRASE)
    assert not [code for pair in truth.items() for code in pair if code in f"{attack.knowledge} {attack.detail}"]

"""Pseudonymous codes: injective, keyed, independent of order, never a real code."""

import hashlib
import hmac
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymize import codes as codes_module
from anonymize.codes import CODE_COUNT, FIRST_CODE, pseudonymous_codes
from pipeline.errors import InputError
from pipeline.keyed import Key

KEY = Key(bytes(range(32)))
LISTED = [f"{number:06d}.{venue}" for number in range(0, 700_000, 199) for venue in ("SZ", "SH")]

raw_codes = st.lists(st.from_regex(r"[0-9]{5,6}\.(SZ|SH|HK|BJ)", fullmatch=True), min_size=1, max_size=60)


@settings(deadline=None)
@given(raw_codes)
def test_no_two_codes_share_a_pseudonym(codes: list[str]) -> None:
    """Every distinct code has a pseudonym of six digits of its own."""
    pseudonyms = pseudonymous_codes(codes, KEY, avoid=codes)
    assert set(pseudonyms) == set(codes)
    assert len(set(pseudonyms.values())) == len(set(codes))
    assert all(FIRST_CODE <= int(pseudonym) < FIRST_CODE + CODE_COUNT for pseudonym in pseudonyms.values())


def test_thousands_of_codes_collide_and_stay_apart() -> None:
    """7,036 codes ask for some pseudonyms twice, which a bare truncated hash would share."""
    bare = {int.from_bytes(KEY.digest(code, "0"), "big") % CODE_COUNT for code in LISTED}
    assert len(bare) < len(LISTED)
    assert len(set(pseudonymous_codes(LISTED, KEY, avoid=[]).values())) == len(LISTED)


@settings(deadline=None)
@given(raw_codes, st.randoms(use_true_random=False))
def test_order_and_repetition_do_not_matter(codes: list[str], shuffler: random.Random) -> None:
    """Shuffled and repeated codes have the same pseudonyms, in the same order."""
    shuffled = codes + codes[:3]
    shuffler.shuffle(shuffled)
    assert list(pseudonymous_codes(shuffled, KEY, avoid=[]).items()) == list(
        pseudonymous_codes(codes, KEY, avoid=[]).items()
    )


def test_collisions_are_settled_whatever_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a crowded space the map equals that of asking in rounds, an independent way to the same outcome."""
    monkeypatch.setattr(codes_module, "CODE_COUNT", 100)
    codes = [f"{number:05d}.HK" for number in range(90)]
    assert pseudonymous_codes(codes, KEY, avoid=[]) == _by_rounds(codes, 100)


def test_a_pseudonym_is_the_hmac_of_the_code() -> None:
    """One code alone gets its first candidate: HMAC-SHA256 by the standard library, reduced to six digits."""
    mac = hmac.new(KEY.secret.hex().encode(), b"000001.SZ\x1f0", hashlib.sha256).digest()
    expected = 100_000 + int.from_bytes(mac, "big") % 900_000
    assert pseudonymous_codes(["000001.SZ"], KEY, avoid=[]) == {"000001.SZ": str(expected)}


@pytest.mark.parametrize("form", ["{}", "{}.SZ", "SH{}", "000{}", "0{}.HK"])
def test_a_pseudonym_is_nobodys_code(form: str) -> None:
    """The pseudonym that a code would have is passed over if an avoided code has these digits, padded or not."""
    first = pseudonymous_codes(["000001.SZ"], KEY, avoid=[])["000001.SZ"]
    assert pseudonymous_codes(["000001.SZ"], KEY, avoid=[form.format(first)])["000001.SZ"] != first


def test_pseudonyms_are_disjoint_from_all_avoided_codes() -> None:
    """With half the space avoided no pseudonym is in that half."""
    avoided = [str(number) for number in range(FIRST_CODE, FIRST_CODE + CODE_COUNT, 2)]
    assert not set(pseudonymous_codes(LISTED, KEY, avoid=avoided).values()) & set(avoided)


def test_another_key_gives_other_pseudonyms() -> None:
    """Two keys agree on a code's pseudonym no more often than chance: at most 1 of 7,036 (p < 1e-4)."""
    ours, theirs = (pseudonymous_codes(LISTED, key, avoid=[]) for key in (KEY, KEY.derive("another")))
    assert sum(ours[code] == theirs[code] for code in LISTED) <= 1


def test_newcomers_move_few_codes() -> None:
    """A hundred new codes leave all but a few old pseudonyms: about n / 1,800,000 move for each newcomer."""
    old = pseudonymous_codes(LISTED[100:], KEY, avoid=[])
    new = pseudonymous_codes(LISTED, KEY, avoid=[])
    assert sum(old[code] != new[code] for code in old) <= 5


def test_too_many_codes_are_refused() -> None:
    """More codes than nine tenths of what is free end in an error that names both numbers and no code."""
    avoided = [str(number) for number in range(FIRST_CODE, FIRST_CODE + CODE_COUNT - 10)]
    codes = [f"{number}.HK" for number in range(10)]
    with pytest.raises(InputError, match=r"10 codes want a pseudonym, and of 10 free six-digit codes at most 90% "):
        pseudonymous_codes(codes, KEY, avoid=avoided)


def _by_rounds(codes: list[str], space: int) -> dict[str, str]:
    """Let all codes without a pseudonym ask at once, the smallest digest at each place win, until all have one."""
    attempts = dict.fromkeys(codes, 0)
    while True:
        claims: dict[int, list[tuple[bytes, str]]] = {}
        for code, attempt in attempts.items():
            digest = KEY.digest(code, str(attempt))
            claims.setdefault(FIRST_CODE + int.from_bytes(digest, "big") % space, []).append((digest, code))
        losers = [code for claimants in claims.values() for _, code in sorted(claimants)[1:]]
        if not losers:
            return {code: str(slot) for slot, claimants in claims.items() for _, code in claimants}
        for code in losers:
            attempts[code] += 1

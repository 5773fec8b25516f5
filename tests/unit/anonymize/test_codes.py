"""Pseudonymous codes: injective, keyed, independent of order, never a real code."""

import hashlib
import hmac
import random
import re
from string import ascii_uppercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.codes import FIVE_LETTERS, SIX_DIGITS, CodeSpace, code_space, forbidden_numbers, pseudonymous_codes
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import CodesLike

KEY = Key(bytes(range(32)))
LISTED = [f"{number:06d}.{venue}" for number in range(0, 700_000, 199) for venue in ("SZ", "SH")]

TICKERS = [f"{a}{b}{c}" for a in "ABCDEFGHIJ" for b in ascii_uppercase for c in ascii_uppercase]
CROWDED = CodeSpace(shape="two digits", places=("123456789", "0123456789"))

spaces = pytest.mark.parametrize("space", [SIX_DIGITS, FIVE_LETTERS], ids=lambda space: space.shape)

raw_codes = st.lists(
    st.from_regex(r"[0-9]{5,6}\.(SZ|SH|HK|BJ)|[0-9]{4}\.(T|L|X)", fullmatch=True), min_size=1, max_size=60
)


@given(raw_codes)
def test_no_two_codes_share_a_pseudonym(codes: list[str]) -> None:
    """Every distinct code has a pseudonym of six digits of its own, the first of them not zero, and so have decoys."""
    pseudonyms = pseudonymous_codes(codes, KEY, avoid=codes)
    assert set(pseudonyms) == set(codes)
    assert len(set(pseudonyms.values())) == len(set(codes))
    assert all(re.fullmatch("[1-9][0-9]{5}", pseudonym) for pseudonym in pseudonyms.values())


@given(st.lists(st.from_regex(r"[A-Z]{1,5}(\.[A-Z])?", fullmatch=True), min_size=1, max_size=60))
def test_pseudonyms_of_tickers_look_like_tickers(codes: list[str]) -> None:
    """Every distinct ticker has five capital letters of its own, without a vowel, whatever class it names."""
    pseudonyms = pseudonymous_codes(codes, KEY, avoid=codes, space=FIVE_LETTERS)
    assert set(pseudonyms) == set(codes)
    assert len(set(pseudonyms.values())) == len(set(codes))
    assert all(re.fullmatch("[B-DF-HJ-NP-TV-Z]{4}[CDGHJSTV]", pseudonym) for pseudonym in pseudonyms.values())


@spaces
def test_a_space_is_a_bijection(space: CodeSpace) -> None:
    """Numbers and codes lead to each other; codes ascend with their numbers, and end where the space does."""
    numbers = [*range(0, space.size, 1_009), space.size - 1]
    codes = [space.code(number) for number in numbers]
    assert codes == sorted(set(codes))
    assert [space.number(code) for code in codes] == numbers
    assert (codes[0], codes[-1]) == tuple("".join(place[end] for place in space.places) for end in (0, -1))


@spaces
@pytest.mark.parametrize(
    "text", ["", "012345", "１２３４５６", "12345", "1234567", "AAPLD", "bcdfg", "BCDFF", "BCDG", "BCDFGG"]
)
def test_other_texts_are_not_of_the_space(space: CodeSpace, text: str) -> None:
    """Of another length, case, script or first or last character, a text is no code."""
    assert text not in space
    assert space.code(0) in space


@pytest.mark.parametrize(
    ("example", "bare", "code"),
    [
        ("A-0123", "A7", "A-0007"),
        ("012345", "1", "000001"),
        ("12-ab", "34CD", "34-cd"),
        ("123", "45", "045"),
        ("12", "123", "123"),
    ],
)
def test_a_bare_code_is_written_like_the_example(example: str, bare: str, code: str) -> None:
    """Zeros, signs and small letters come back; a text that is too long stays."""
    assert code_space(CodesLike(example)).written(bare) == code


def test_a_shape_has_as_many_places_as_its_example() -> None:
    """The first digit is not zero, unless the example's is."""
    assert [code_space(CodesLike(example)).size for example in ("120", "012", "B1")] == [900, 1_000, 190]


def test_an_unknown_shape_is_refused() -> None:
    """The error lists the shapes that there are."""
    with pytest.raises(InputError, match=r"unknown shape of codes 'four letters'; known: five letters, six digits"):
        code_space("four letters")  # type: ignore[arg-type]


def test_thousands_of_codes_collide_and_stay_apart() -> None:
    """7,036 codes ask for some pseudonyms twice, which a bare truncated hash would share; so do 6,760 tickers."""
    for codes, space in ((LISTED, SIX_DIGITS), (TICKERS, FIVE_LETTERS)):
        bare = {int.from_bytes(KEY.digest(code, "0"), "big") % space.size for code in codes}
        assert len(bare) < len(codes)
        assert len(set(pseudonymous_codes(codes, KEY, avoid=[], space=space).values())) == len(codes)


@given(raw_codes, st.randoms(use_true_random=False))
def test_order_and_repetition_do_not_matter(codes: list[str], shuffler: random.Random) -> None:
    """Shuffled and repeated codes have the same pseudonyms, in the same order."""
    shuffled = codes + codes[:3]
    shuffler.shuffle(shuffled)
    assert list(pseudonymous_codes(shuffled, KEY, avoid=[]).items()) == list(
        pseudonymous_codes(codes, KEY, avoid=[]).items()
    )


def test_collisions_are_settled_whatever_the_order() -> None:
    """In a crowded space the map equals that of asking in rounds, an independent way to the same outcome."""
    codes = [f"{number:05d}.HK" for number in range(81)]
    assert pseudonymous_codes(codes, KEY, avoid=[], space=CROWDED) == _by_rounds(codes, CROWDED)


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


@pytest.mark.parametrize("form", ["{}", "{}.B", "BRK.{}", "{}-A"])
def test_a_pseudonym_is_nobodys_ticker(form: str) -> None:
    """The pseudonym that a ticker would have is passed over if it is a raw ticker or part of one, whatever the case."""
    first = pseudonymous_codes(["A"], KEY, avoid=[], space=FIVE_LETTERS)["A"]
    for avoided in (form.format(first), form.format(first).lower()):
        assert pseudonymous_codes(["A"], KEY, avoid=[avoided], space=FIVE_LETTERS)["A"] != first


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
    avoided = [str(number) for number in range(10, 90)]
    codes = [f"{number}.HK" for number in range(10)]
    with pytest.raises(InputError, match=r"10 codes want a pseudonym, and of 10 free codes of two digits at most 90% "):
        pseudonymous_codes(codes, KEY, avoid=avoided, space=CROWDED)


def _by_rounds(codes: list[str], space: CodeSpace) -> dict[str, str]:
    """Let all codes without a pseudonym ask at once, the smallest digest at each place win, until all have one."""
    attempts = dict.fromkeys(codes, 0)
    while True:
        claims: dict[int, list[tuple[bytes, str]]] = {}
        for code, attempt in attempts.items():
            digest = KEY.digest(code, str(attempt))
            claims.setdefault(int.from_bytes(digest, "big") % space.size, []).append((digest, code))
        losers = [code for claimants in claims.values() for _, code in sorted(claimants)[1:]]
        if not losers:
            return {code: str(10 + slot) for slot, claimants in claims.items() for _, code in claimants}
        for code in losers:
            attempts[code] += 1


examples = st.text(alphabet="059AJbz-. ", min_size=1, max_size=8).filter(lambda text: any(map(str.isalnum, text)))


@given(examples)
def test_codes_like_an_example_have_its_characters_place_by_place(example: str) -> None:
    """A digit for a digit, a letter of its case and no vowel for a letter, the same sign for a sign; numbers lead back."""
    space = code_space(CodesLike(example))
    for number in {0, space.size // 2, space.size - 1}:
        code = space.code(number)
        assert space.number(code) == number
        assert [_class_of(character) for character in code] == [_class_of(character) for character in example]
        assert not set(code.upper()) & set("AEIOU")
    begins_without_zero = example[0].isdigit() and example[0] != "0"
    assert not (begins_without_zero and space.code(0).startswith("0"))


def _class_of(character: str) -> str:
    return (
        "digit"
        if character.isdigit()
        else "upper"
        if character.isupper()
        else "lower"
        if character.islower()
        else character
    )


@pytest.mark.parametrize("example", ["", " - ", "Ä1", "１２"])
def test_an_example_without_latin_letters_and_digits_is_refused(example: str) -> None:
    with pytest.raises(InputError, match="an example of a code needs Latin letters or digits, and no others"):
        code_space(CodesLike(example))


@given(st.sets(st.integers(min_value=0, max_value=999), min_size=1, max_size=60))
def test_codes_like_an_example_are_nobodys_however_they_are_written(numbers: set[int]) -> None:
    """Neither with other signs nor without leading zeros is a pseudonym one of the raw codes."""
    raw = [f"B{number}" for number in numbers] + [f"c-{number:03}" for number in numbers]
    pseudonyms = pseudonymous_codes(raw, KEY, avoid=raw, space=code_space(CodesLike("B-001")))
    plain = {code.replace("-", "").upper() for code in raw} | {f"B{number:03}" for number in numbers}
    assert len(set(pseudonyms.values())) == len(pseudonyms)
    assert not {code.replace("-", "") for code in pseudonyms.values()} & plain


def test_codes_of_other_kinds_are_avoided_as_a_whole_alone() -> None:
    """Two letters at the end of another kind's codes leave them to be given out; the code itself is not."""
    space = code_space(CodesLike("AA"))
    others = [f"N1{space.code(number)}" for number in range(space.size)]
    assert len(pseudonymous_codes(["X"], KEY, avoid=["X"], avoid_whole=others, space=space)) == 1
    with pytest.raises(InputError, match="1 codes want a pseudonym, and of 0 free codes of the shape of 'AA'"):
        pseudonymous_codes(["X"], KEY, avoid=others, space=space)
    most = [space.code(number) for number in range(space.size - 2)]
    left = {space.code(space.size - 1), space.code(space.size - 2)}
    assert set(pseudonymous_codes(["X"], KEY, avoid=[], avoid_whole=most, space=space).values()) <= left


@pytest.mark.parametrize("read_as", ["HK1903", "CD1234", "KX0500"])
def test_no_pseudonym_is_what_a_search_would_find(read_as: str) -> None:
    """Not a real code in another order, a short name, or another identifier: of all these spaces' codes, those are left out."""
    space = code_space(CodesLike("BK2222"))
    forbidden = forbidden_numbers(["1903.HK"], ["KX-0500"], space, avoid_words=["C&D", "A long name"])
    assert space.number(read_as) in forbidden
    assert space.number("BK1903") not in forbidden

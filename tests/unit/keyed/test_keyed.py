"""Keyed functions against the standard library, and what follows from having no state."""

import hmac
import random
from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import ECB
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.keyed import SEPARATOR, BlockKey, Key
from tests.stats import check_law, check_shares

KEY = Key(bytes(range(32)))
PARTS = st.lists(
    st.text(st.characters(exclude_characters=SEPARATOR, exclude_categories=["Cs"])), min_size=1, max_size=3
)


@given(PARTS)
def test_mac_equals_the_standard_librarys_hmac(parts: list[str]) -> None:
    """Expression and digest equal HMAC-SHA256 (RFC 2104) of the joined identity under the key's hexadecimal form."""
    expected = hmac.new(KEY.secret.hex().encode(), SEPARATOR.join(parts).encode(), "sha256")
    row = pl.DataFrame({f"c{i}": [part] for i, part in enumerate(parts)})
    assert KEY.digest(*parts) == expected.digest()
    assert row.select(KEY.mac(*row.columns)).item() == expected.hexdigest()


@given(PARTS, PARTS)
def test_identities_are_told_apart(first: list[str], second: list[str]) -> None:
    """Different identities have different MACs: no two join to the same text."""
    assert (KEY.digest(*first) == KEY.digest(*second)) == (first == second)


def test_draws_are_the_first_sixty_bits() -> None:
    """A draw is the MAC's first 15 hexadecimal digits, the uniform number its first 53 bits."""
    frame = pl.DataFrame({"id": ["a", "b"]})
    macs = frame.select(KEY.mac("id")).to_series().to_list()
    assert frame.select(KEY.draw("id")).to_series().to_list() == [int(mac[:15], 16) for mac in macs]
    assert frame.select(KEY.uniform("id")).to_series().to_list() == [(int(mac[:15], 16) >> 7) / 2**53 for mac in macs]


def test_a_null_identity_has_no_draw() -> None:
    """A row whose identity is unknown gets null, not the draw of the empty text."""
    frame = pl.DataFrame({"id": [None, "a"], "other": ["x", None]}, schema={"id": pl.String, "other": pl.String})
    assert frame.select(KEY.draw("id", "other")).to_series().to_list() == [None, None]


def test_uniforms_are_uniform() -> None:
    """20,000 draws pass a KS test against the uniform law."""
    frame = pl.DataFrame({"id": range(20_000)})
    check_law(frame.select(KEY.uniform("id")).to_series().to_numpy(), lambda x: x)


def test_subkeys_are_hkdf() -> None:
    """A subkey is HKDF-SHA256 (RFC 5869) with the purpose as info; purposes share nothing."""
    info = SEPARATOR.join(("silt", "perturb")).encode()
    assert KEY.derive("perturb").secret == HKDF(SHA256(), 32, None, info).derive(KEY.secret)
    assert len({KEY.derive(*purpose).secret for purpose in (("a",), ("b",), ("a", "b"), ("ab",))}) == 4


def test_keys_do_not_show_themselves() -> None:
    """Neither `repr` nor the fingerprint holds any part of the secret."""
    assert KEY.secret.hex() not in repr(KEY) + repr(KEY.stream("x"))
    assert KEY.fingerprint() not in KEY.secret.hex()


def test_streams_belong_to_their_identity() -> None:
    """A stream gives the same numbers whenever it is made, and does not heed seeding."""
    first, again, other = KEY.stream("firm"), KEY.stream("firm"), KEY.stream("other")
    random.seed(1)
    again.seed(7)
    numbers = [first.random() for _ in range(5)]
    assert [again.random() for _ in range(5)] == numbers
    assert other.random() not in numbers


def test_streams_choose_evenly() -> None:
    """Choices of a stream are uniform: chi-squared over 10,000."""
    stream = KEY.stream("dice")
    rolls = [stream.randrange(6) for _ in range(10_000)]
    check_shares([rolls.count(face) for face in range(6)])


@pytest.mark.parametrize("bits", [1, 8, 255, 256, 257, 1_000])
def test_streams_give_as_many_bits_as_asked(bits: int) -> None:
    """`getrandbits(k)` is below 2**k and uses its top bit."""
    values = [KEY.stream(str(i)).getrandbits(bits) for i in range(64)]
    assert all(0 <= value < 2**bits for value in values)
    assert any(value >> (bits - 1) for value in values)


@given(st.integers(0, 40), PARTS)
def test_many_uniforms_are_the_encrypted_counters(count: int, identity: list[str]) -> None:
    """Number i is 53 bits of AES-256 of the counter i // 2 (NIST SP 800-38A, 6.5), low byte first, under the digest."""
    encryptor = Cipher(AES256(KEY.digest(*identity)), ECB()).encryptor()  # noqa: S305 - the oracle of counter mode
    blocks = b"".join(encryptor.update(counter.to_bytes(16, "big")) for counter in range(count))
    words = [int.from_bytes(blocks[8 * i : 8 * i + 8], "little") for i in range(count)]
    assert list(KEY.uniforms(count, *identity)) == [(word >> 11) / 2**53 for word in words]


@given(st.integers(0, 50), st.integers(0, 50))
def test_fewer_uniforms_are_the_beginning_of_more(count: int, more: int) -> None:
    """Who asks for more gets the same numbers first."""
    assert list(KEY.uniforms(count + more, "firm")[:count]) == list(KEY.uniforms(count, "firm"))


def test_many_uniforms_belong_to_key_and_identity() -> None:
    """Another identity and another key have other numbers, not one in common."""
    draws = [KEY.uniforms(1_000, "a"), KEY.uniforms(1_000, "b"), KEY.derive("x").uniforms(1_000, "a")]
    assert len(set(np.concatenate(draws))) == 3_000


def test_many_uniforms_are_uniform() -> None:
    """20,000 draws of one identity pass a KS test against the uniform law, and are in [0, 1)."""
    draws = KEY.uniforms(20_000, "firm")
    check_law(draws, lambda x: x)
    assert draws.min() >= 0
    assert draws.max() < 1


BLOCK_KEY = BlockKey(KEY.secret)
NUMBERS = st.integers(0, 10**18 - 1).map(str)
LOOKALIKES = st.sampled_from(["", "01", "+1", "1 ", "-1", "1.0", str(10**18), "18446744073709551616", "firm"])


def block_uniform(parts: Sequence[str]) -> float:
    """Return the documented function of one identity, by the standard library and one block."""

    def word(text: str) -> int:
        if text.isascii() and text.isdigit() and str(int(text)) == text and int(text) < 10**18:
            return int(text)
        secret = KEY.derive("words").secret.hex().encode()
        return int(hmac.new(secret, text.encode(), "sha256").hexdigest()[:16], 16) | 1 << 63

    words = [word(parts[0])] + ([word(SEPARATOR.join(parts[1:]))] if len(parts) > 1 else [0])
    secret = KEY.derive("blocks", str(min(len(parts), 2))).secret
    block = b"".join(number.to_bytes(8, "little") for number in words)
    encrypted = Cipher(AES256(secret), ECB()).encryptor().update(block)  # noqa: S305 - the oracle of a block
    return (int.from_bytes(encrypted[:8], "little") >> 11) / 2**53


@given(
    st.lists(st.lists(st.one_of(NUMBERS, LOOKALIKES), min_size=3, max_size=3), min_size=1, max_size=20),
    st.integers(1, 3),
)
def test_block_draws_are_the_documented_function(rows: list[list[str]], parts: int) -> None:
    """Numbers are themselves, other texts their MAC, also those that only look like numbers; up to three parts."""
    frame = pl.DataFrame([row[:parts] for row in rows], schema=["a", "b", "c"][:parts], orient="row")
    drawn = frame.select(BLOCK_KEY.uniform(*frame.columns)).to_series()
    assert drawn.to_list() == [block_uniform(row[:parts]) for row in rows]


def test_block_draws_are_uniform_and_null_for_null() -> None:
    """20,000 draws of as many identities pass a KS test, whether the identities are numbers or not."""
    numbers = pl.DataFrame({"row": pl.int_range(20_000, eager=True)}).with_columns(text=pl.format("r{}", "row"))
    for column in ("row", "text"):
        check_law(numbers.select(BLOCK_KEY.uniform(column)).to_series().to_numpy(), lambda x: x)
    gaps = pl.DataFrame({"a": ["1", None, "3"], "b": ["x", "y", None]})
    assert gaps.select(BLOCK_KEY.uniform("a", "b")).to_series().is_null().to_list() == [False, True, True]


@given(st.lists(st.one_of(st.none(), st.integers(0, 2**64 - 1)), min_size=1, max_size=20))
@example([10**18 - 1, 10**18])
def test_numbers_are_drawn_for_like_their_texts(numbers: list[int | None]) -> None:
    """An identity as UInt64, also one too large to be its own word, has the draw of its decimal text."""
    frame = pl.DataFrame({"number": pl.Series(numbers, dtype=pl.UInt64)}).with_columns(
        text=pl.col("number").cast(pl.String)
    )
    drawn = frame.select(BLOCK_KEY.uniform("number"), text=BLOCK_KEY.uniform("text"))
    assert drawn["number"].to_list() == drawn["text"].to_list()


def test_draws_of_long_tables_are_those_of_their_rows() -> None:
    """Blocks are encrypted many at a time: before and after such a boundary a row has the draw of its own identity."""
    rows = [0, 65_535, 65_536, 70_000, 131_072]
    drawn = pl.select(BLOCK_KEY.uniform(pl.int_range(131_073, eager=True).cast(pl.String))).to_series()
    assert drawn.gather(rows).to_list() == [block_uniform([str(row)]) for row in rows]
    assert drawn.n_unique() == 131_073

"""Keys, MACs and ciphers against the examples of their standards: by our own functions wherever these take the inputs."""

import hmac

import numpy as np
import polars as pl
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from anonymize.keys.sealing import seal_bytes
from pipeline.keyed import SEPARATOR, Key, _fractions, _hmac_sha256

KEY = Key(bytes(range(32)))

RFC_4231 = {
    1: ("0b" * 20, b"Hi There".hex(), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    2: (
        b"Jefe".hex(),
        b"what do ya want for nothing?".hex(),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ),
    3: ("aa" * 20, "dd" * 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    4: (bytes(range(1, 26)).hex(), "cd" * 50, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    6: (
        "aa" * 131,
        b"Test Using Larger Than Block-Size Key - Hash Key First".hex(),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ),
}
"""Test case -> key, data, HMAC-SHA-256 (RFC 4231, 4.2 to 4.7; case 5 is cut short)."""

RFC_5869 = {
    1: (
        ("0b" * 22, bytes(range(13)).hex(), bytes(range(0xF0, 0xFA)).hex()),
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
    ),
    3: (("0b" * 22, "", ""), "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
}
"""Test case -> key, salt and info; output (RFC 5869, appendix A)."""


def hkdf(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """Return HKDF-SHA-256 by the standard library's HMAC (RFC 5869, 2.2 and 2.3)."""
    extracted, block, output = hmac.digest(salt or bytes(32), secret, "sha256"), b"", b""
    for number in range(1, -(-length // 32) + 1):
        block = hmac.digest(extracted, block + info + bytes([number]), "sha256")
        output += block
    return output[:length]


@pytest.mark.parametrize("case", RFC_4231)
def test_macs_are_those_of_rfc_4231(case: int) -> None:
    """The plugin takes keys and data that are text, the standard library the others, too."""
    key, data, expected = RFC_4231[case]
    assert hmac.digest(bytes.fromhex(key), bytes.fromhex(data), "sha256").hex() == expected
    if bytes.fromhex(key + data).isascii():
        text = pl.select(_hmac_sha256(pl.lit(bytes.fromhex(data).decode()), bytes.fromhex(key).decode()))
        assert text.item() == expected


@pytest.mark.parametrize("case", RFC_5869)
def test_derived_keys_are_those_of_rfc_5869(case: int) -> None:
    """The library as it is called, and the oracle, give the RFC's output; a subkey is the oracle's."""
    (secret, salt, info), expected = [bytes.fromhex(part) for part in RFC_5869[case][0]], RFC_5869[case][1]
    assert HKDF(algorithm=SHA256(), length=42, salt=salt or None, info=info).derive(secret).hex() == expected
    assert hkdf(secret, salt, info, 42).hex() == expected
    assert KEY.derive("a", "b").secret == hkdf(KEY.secret, b"", SEPARATOR.join(("silt", "a", "b")).encode(), 32)


def test_sealing_is_that_of_rfc_5297() -> None:
    """The library gives the RFC's example A.1; sealed bytes are its output under two subkeys, the header beside them."""
    key = bytes.fromhex("fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    header, plain = bytes(range(0x10, 0x28)), bytes.fromhex("112233445566778899aabbccddee")
    expected = "85632d07c6e8f37f950acd320a2ecc9340c02b9690c4dc04daef7f6afe5c"
    assert AESSIV(key).encrypt(plain, [header]).hex() == expected
    mac, encryption = (KEY.derive("identity-map", half).secret for half in ("mac", "encryption"))
    assert mac != encryption
    sealed = seal_bytes(plain, KEY, what="identity map")
    header, _, body = sealed.partition(b"\n")
    assert body == AESSIV(mac + encryption).encrypt(plain, [header + b"\n"])


def test_blocks_are_those_of_fips_197() -> None:
    """A draw is the first 53 bits of the example for AES-256 (appendix C.3), low byte first."""
    words = np.frombuffer(bytes.fromhex("00112233445566778899aabbccddeeff"), "<u8")
    drawn = _fractions(KEY.secret, [words[:1], words[1:]], 1)
    encrypted = bytes.fromhex("8ea2b7ca516745bfeafc49904b496089")
    assert drawn.tolist() == [(int.from_bytes(encrypted[:8], "little") >> 11) / 2**53]

"""Envelopes: what is signed, by which key, that nothing changed goes unnoticed, and that a second implementation agrees."""

import json
from base64 import b64encode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from securesystemslib.dsse import Envelope as OtherEnvelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import CryptoSigner, SSlibKey

from pipeline.errors import InputError
from pipeline.release.provenance.envelope import STATEMENT_TYPE, pack, pae, unpack
from pipeline.release.provenance.signing_key import key_id

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32))

RFC_8032 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
]
"""Section 7.1, tests 1 to 3: private key, public key, message, signature."""


def other_key(private: Ed25519PrivateKey) -> SSlibKey:
    public = private.public_key()
    return SSlibKey.from_crypto(public, keyid=key_id(public))


@pytest.mark.parametrize(("private", "public", "message", "signature"), RFC_8032)
def test_signatures_are_those_of_rfc_8032(private: str, public: str, message: str, signature: str) -> None:
    """The library signs as the standard does: the same signature each time."""
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(private))
    assert key.public_key().public_bytes_raw().hex() == public
    assert key.sign(bytes.fromhex(message)).hex() == signature


def test_what_is_signed_is_that_of_dsse() -> None:
    """The test vector of protocol.md (secure-systems-lab/dsse)."""
    assert pae("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


def test_lengths_are_of_bytes() -> None:
    """A character of several bytes counts as several."""
    assert pae("类型", "数据".encode()) == b"DSSEv1 6 %b 6 %b" % ("类型".encode(), "数据".encode())


@given(st.binary(max_size=50), st.text(max_size=10))
def test_what_is_packed_is_unpacked(payload: bytes, kind: str) -> None:
    """Payload, type and signature come back; the same twice; only the key that signed it is right."""
    packed = pack(payload, kind, KEY)
    envelope = unpack(packed)
    assert (envelope.payload, envelope.type, envelope.to_bytes()) == (payload, kind, packed)
    assert packed == pack(payload, kind, KEY)
    assert envelope.check(KEY.public_key())
    assert not envelope.check(OTHER.public_key())


def test_an_unsigned_envelope_is_nobodys() -> None:
    """It has no signature, and no key is right for it."""
    envelope = unpack(pack(b"{}", STATEMENT_TYPE, None))
    assert envelope.signatures == ()
    assert not envelope.check(KEY.public_key())


def test_a_second_implementation_accepts_ours() -> None:
    """It finds the signature right, and that of another key wrong."""
    envelope = OtherEnvelope.from_dict(json.loads(pack(b'{"a": 1}', STATEMENT_TYPE, KEY)))
    assert envelope.payload == b'{"a": 1}'
    assert envelope.verify([other_key(KEY)], 1).keys() == {key_id(KEY.public_key())}
    with pytest.raises(VerificationError, match="do not match threshold"):
        envelope.verify([other_key(OTHER)], 1)


def test_we_accept_a_second_implementation() -> None:
    """What securesystemslib signs is right for us, and has our bytes if it is written as we write it."""
    envelope = OtherEnvelope(b'{"a": 1}', STATEMENT_TYPE, {})
    envelope.sign(CryptoSigner(KEY, other_key(KEY)))
    content = json.dumps(envelope.to_dict()).encode()
    assert unpack(content).check(KEY.public_key())
    assert unpack(content).to_bytes() == pack(b'{"a": 1}', STATEMENT_TYPE, KEY)


PACKED = pack(b'{"subject": "release.json"}', STATEMENT_TYPE, KEY)


@pytest.mark.parametrize("place", range(len(PACKED)))
def test_a_changed_byte_is_noticed(place: int) -> None:
    """A byte anywhere, spaces included: no envelope, another form, or no signature of the key."""
    changed = bytes([PACKED[place] ^ 1])
    content = PACKED[:place] + changed + PACKED[place + 1 :]
    try:
        envelope = unpack(content)
    except InputError:
        return
    assert envelope.to_bytes() != content or not envelope.check(KEY.public_key())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"payload": "e30"}, "at 'payload': .*[Pp]adding"),
        ({"payload": "e3 0="}, "at 'payload'"),
        ({"payload": "e31="}, "at 'payload': .*one form"),
        ({"signatures": [{"keyid": "x"}]}, "at 'signatures.0.sig': Field required"),
        ({"more": 1}, "at 'more'"),
    ],
)
def test_what_is_no_envelope_is_refused(change: dict[str, object], message: str) -> None:
    """The message names the field."""
    content = {"payload": b64encode(b"{}").decode(), "payloadType": STATEMENT_TYPE, "signatures": []} | change
    with pytest.raises(InputError, match=f"not a DSSE envelope, {message}"):
        unpack(json.dumps(content).encode())

"""DSSE envelopes (secure-systems-lab/dsse, version 1): a payload, its type, and signatures with Ed25519 (RFC 8032) over both.

An unsigned envelope has an empty list of signatures. What a payload says belongs to `statement.py`, keys and their files to
`signing_key.py`.
"""

from base64 import b64decode, b64encode
from typing import Annotated

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from pydantic import BeforeValidator, Field, PlainSerializer

from pipeline.release.provenance.signing_key import key_id
from pipeline.release.reading import Stated, read_as

STATEMENT_TYPE = "application/vnd.in-toto+json"
"""Type of a payload that is an in-toto statement (in-toto attestation framework, envelope layer)."""


def _decoded(value: object) -> object:
    if not isinstance(value, str):
        return value
    content = b64decode(value)
    if _encoded(content) != value:
        raise ValueError("not in the one form of base64 that these bytes have")
    return content


def _encoded(content: bytes) -> str:
    return b64encode(content).decode()


Base64 = Annotated[bytes, BeforeValidator(_decoded), PlainSerializer(_encoded)]
"""Bytes that stand in JSON as base64, in one form only."""


class Signature(Stated):
    """One signature, and by which key it claims to be."""

    keyid: str
    sig: Base64


class Envelope(Stated, validate_by_name=True):
    """A payload with its signatures, read."""

    payload: Base64
    type: Annotated[str, Field(alias="payloadType")]
    signatures: tuple[Signature, ...]

    def check(self, key: Ed25519PublicKey) -> bool:
        """Return whether a signature that claims to be by the key is, over type and payload."""
        signed, name = pae(self.type, self.payload), key_id(key)
        return any(each.keyid == name and _is_of(key, each.sig, signed) for each in self.signatures)

    def to_bytes(self) -> bytes:
        """Return the envelope as `pack` writes it: a file with other bytes was changed, though it may say the same."""
        return self.model_dump_json(by_alias=True, indent=2).encode() + b"\n"


def pack(payload: bytes, payload_type: str, signer: Ed25519PrivateKey | None) -> bytes:
    """Return an envelope as JSON, signed if there is a key: the same bytes for the same payload and key."""
    signatures = () if signer is None else (_signature(signer, pae(payload_type, payload)),)
    return Envelope(payload=payload, type=payload_type, signatures=signatures).to_bytes()


def unpack(content: bytes) -> Envelope:
    """Read an envelope, in whatever order and spacing its JSON is; or raise `InputError` if it is none."""
    return read_as(Envelope.model_validate_json, content, "a DSSE envelope")


def pae(payload_type: str, payload: bytes) -> bytes:
    """Return what is signed: type and payload, each after its length (DSSE protocol, PAE)."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def _signature(signer: Ed25519PrivateKey, signed: bytes) -> Signature:
    return Signature(keyid=key_id(signer.public_key()), sig=signer.sign(signed))


def _is_of(key: Ed25519PublicKey, signature: bytes, signed: bytes) -> bool:
    try:
        key.verify(signature, signed)
    except InvalidSignature:
        return False
    return True

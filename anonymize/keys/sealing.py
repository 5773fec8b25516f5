"""Seals bytes under a key, for the key's owner alone. What the bytes mean belongs to whoever seals them.

Sealed bytes are a header line in clear (what is sealed, version, key fingerprint) and an AES-256-SIV ciphertext (RFC 5297) with
the header as associated data. SIV is the mode for deterministic encryption: the same bytes under the same key give the same
ciphertext, so that builds are reproducible, and no nonce can repeat.
"""

import re

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from pipeline.errors import InputError, KeyFileError
from pipeline.keyed import Key

_REMEDY = "build the environment again"


def seal_bytes(plaintext: bytes, key: Key, *, what: str) -> bytes:
    """Encrypt bytes that are `what`. Sealed as something else, the same bytes give an unrelated ciphertext."""
    header = f"silt {what} 1 key {key.fingerprint()}\n".encode()
    return header + _cipher(key, what).encrypt(plaintext, [header])


def unseal_bytes(sealed: bytes, key: Key, *, what: str) -> bytes:
    """Decrypt bytes that were sealed as `what`.

    Raises:
        KeyFileError: They were sealed under another key.
        InputError: They were not sealed as `what` by this version, or were changed since.
    """
    header = re.match(rb"silt %b 1 key ([0-9a-f]{16})\n" % re.escape(what.encode()), sealed)
    if header is None:
        raise InputError(f"this is not a sealed {what} of version 1; {_REMEDY}")
    if (sealed_under := header.group(1).decode()) != key.fingerprint():
        raise KeyFileError(
            f"the {what} was sealed under the key with fingerprint {sealed_under}, not {key.fingerprint()}; "
            "give that key with --key-file (KEY)"
        )
    try:
        return _cipher(key, what).decrypt(sealed[header.end() :], [header.group()])
    except (InvalidTag, ValueError) as error:  # ValueError: shorter than a tag
        raise InputError(f"the {what} was damaged or changed since it was sealed; {_REMEDY}") from error


def _cipher(key: Key, what: str) -> AESSIV:
    purpose = what.replace(" ", "-")
    return AESSIV(key.derive(purpose, "mac").secret + key.derive(purpose, "encryption").secret)

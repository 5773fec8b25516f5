"""The key that signs releases: an Ed25519 key in files that OpenSSL reads, too (PEM; private PKCS #8, public SPKI).

The private file has mode 0600, and may be encrypted with a passphrase besides; the public one beside it is named `.pub`. The
release key, from which pseudonyms are drawn, is another one (`anonymize/keys/release_key.py`). No error here holds any part of
a private file or of a passphrase.
"""

import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from pipeline.errors import KeyFileError
from pipeline.private import read_secret, write_new
from pipeline.small_files import content_of

PUBLIC_ENDING = ".pub"

PUBLIC_MODE = 0o644

FORMAT = "a signing key is a PEM file with an Ed25519 key, made by: silt release --make-signing-key FILE"

_MOST = 4096
"""Bytes that are read, in case the file is no key; an encrypted one has some 350."""

_ENCRYPTED = b"-----BEGIN ENCRYPTED PRIVATE KEY-----"

_PRIVATE = re.compile(rb".*-----BEGIN [A-Z ]*PRIVATE KEY-----.*", re.DOTALL)

_NO_KEY = f"holds no private key (its content is not shown); {FORMAT}"


def public_file(private: Path) -> Path:
    """Return the file of the public key that lies beside a private one."""
    return private.with_name(private.name + PUBLIC_ENDING)


def make_signing_key(path: Path, passphrase: bytes | None = None) -> Path:
    """Make a key: the private file, encrypted if there is a passphrase, and the public one beside it, which is returned.

    Raises:
        KeyFileError: One of the two is there already, or the place cannot be written, or the passphrase is empty.
    """
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, _encryption(passphrase))
    try:
        # A public key without its private one is of no use to anybody, and the other way round it is lost: so it comes first.
        write_new(public_file(path), public_pem(key.public_key()), mode=PUBLIC_MODE)
        _write_or_undo(path, private)
    except OSError as error:
        raise KeyFileError(
            f"cannot make the signing key {path} with {public_file(path).name} beside it: {error.strerror}; "
            "give a free path in a folder that you may write to"
        ) from error
    return public_file(path)


def read_signing_key(path: Path, ask: Callable[[], bytes]) -> Ed25519PrivateKey:
    """Read a private key; `ask` is called for the passphrase if the file is encrypted.

    Raises:
        KeyFileError: The file cannot be read, is open to others, or is no Ed25519 key, or the passphrase is wrong.
    """
    content = _content(path)
    passphrase = ask() if content.startswith(_ENCRYPTED) else None
    try:
        key = serialization.load_pem_private_key(content, passphrase)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        if passphrase is None:
            raise KeyFileError(f"{path} {_NO_KEY}") from None
        raise KeyFileError(f"the signing key {path}: the passphrase is wrong, or the file is damaged") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError(f"{path} holds a private key of another kind; {FORMAT}")
    return key


def read_public_key(path: Path) -> Ed25519PublicKey:
    """Read a public key (Ed25519), or raise `KeyFileError`."""
    try:
        key = serialization.load_pem_public_key(content_of(path))
    except OSError as error:
        raise KeyFileError(f"cannot read the public key {path}: {error.strerror}") from error
    except (ValueError, UnsupportedAlgorithm):
        raise KeyFileError(f"{path} is no public key: {_PUBLIC}") from None
    if not isinstance(key, Ed25519PublicKey):
        raise KeyFileError(f"{path} holds a public key of another kind: {_PUBLIC}")
    return key


def key_id(key: Ed25519PublicKey) -> str:
    """Return what names a key: SHA-256 of its DER form (`openssl pkey -pubin -outform DER | sha256sum`)."""
    return sha256(
        key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    ).hexdigest()


def public_pem(key: Ed25519PublicKey) -> bytes:
    """Return the content of a public key's file."""
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


_PUBLIC = f"give the file {PUBLIC_ENDING} that lies beside a signing key"


def _encryption(passphrase: bytes | None) -> serialization.KeySerializationEncryption:
    if passphrase is None:
        return serialization.NoEncryption()
    if not passphrase:
        raise KeyFileError("an empty passphrase protects nothing; give one of some words")
    return serialization.BestAvailableEncryption(passphrase)


def _write_or_undo(path: Path, private: bytes) -> None:
    try:
        write_new(path, private)
    except OSError:
        public_file(path).unlink()
        raise


def _content(path: Path) -> bytes:
    try:
        return read_secret(path, _PRIVATE, _NO_KEY, most=_MOST)
    except OSError as error:
        raise KeyFileError(f"cannot read the signing key {path}: {error.strerror}; {FORMAT}") from error

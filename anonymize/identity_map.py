"""The sealed identity map: which original each pseudonym stands for, readable with the release key alone.

Sealing and unsealing belong here; what is in the map is the anonymiser's, where the file lies is `pipeline/publish`'s.

A sealed map is a header line in clear (format, version, key fingerprint) and an AES-256-SIV ciphertext (RFC 5297) with
the header as associated data. SIV is the mode made for deterministic encryption: the same map under the same key gives
the same bytes, so builds are reproducible, and there is no nonce to repeat.
"""

import io
import re

import polars as pl
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from pipeline.errors import InputError, KeyFileError
from pipeline.keyed import Key

COLUMNS = ("kind", "original", "pseudonym")

HEADER = re.compile(rb"silt identity map 1 key ([0-9a-f]{16})\n")


def seal(frame: pl.DataFrame, key: Key) -> bytes:
    """Encrypt a map (text columns `COLUMNS`, no nulls) as a set of rows: order and repetitions are not kept.

    Raises:
        InputError: The frame has other columns, or a null.
    """
    if frame.schema != pl.Schema(dict.fromkeys(COLUMNS, pl.String)) or sum(frame.null_count().row(0)):
        raise InputError(
            f"an identity map has the text columns {', '.join(COLUMNS)} without nulls; found {frame.columns}"
        )
    rows = frame.unique().sort(COLUMNS)
    header = f"silt identity map 1 key {key.fingerprint()}\n".encode()
    return header + _cipher(key).encrypt(rows.write_csv(quote_style="always").encode(), [header])


def unseal(sealed: bytes, key: Key) -> pl.DataFrame:
    """Decrypt a map: its distinct rows, sorted.

    Raises:
        KeyFileError: It was sealed under another key.
        InputError: It is no sealed map of this version, or was changed since it was sealed.
    """
    header = HEADER.match(sealed)
    if header is None:
        raise InputError("this is not a sealed identity map of version 1; build the environment again")
    if (sealed_under := header.group(1).decode()) != key.fingerprint():
        raise KeyFileError(
            f"the identity map was sealed under the key with fingerprint {sealed_under}, not {key.fingerprint()}; "
            "give that key with --key-file (KEY)"
        )
    try:
        plaintext = _cipher(key).decrypt(sealed[header.end() :], [header.group()])
    except (InvalidTag, ValueError) as error:  # ValueError: shorter than a tag
        raise InputError(
            "the identity map was damaged or changed since it was sealed; build the environment again"
        ) from error
    return pl.read_csv(io.BytesIO(plaintext), infer_schema=False)


def _cipher(key: Key) -> AESSIV:
    return AESSIV(key.derive("identity-map", "mac").secret + key.derive("identity-map", "encryption").secret)

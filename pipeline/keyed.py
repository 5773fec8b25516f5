"""Randomness as a keyed function: every decision is PRF(key of one purpose, identity of what is decided on).

Nothing here holds state, so no result depends on row order, batches, threads, the machine or other rows.
Keys: one release key, one subkey a purpose by HKDF-SHA256 (RFC 5869). PRF: HMAC-SHA256 (RFC 2104).
Files and formats of keys do not belong here (`anonymize/release_key.py`).
"""

import hmac
import random
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import CTR
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from polars_hash import CryptographicHashingNameSpace

SEPARATOR = "\x1f"
"""Stands between the parts of an identity; raw cells may not hold it, so joined identities stay distinct."""

DRAW_BITS = 60
"""Bits of one draw: 15 hexadecimal digits of the MAC, the most that a signed 64-bit integer takes."""


@dataclass(frozen=True)
class Key:
    """A secret of 32 bytes for one purpose. Its `repr` shows nothing."""

    secret: bytes = field(repr=False)

    def derive(self, *purpose: str) -> "Key":
        """Derive the subkey for a purpose: HKDF-SHA256, the purpose as `info`, no salt."""
        info = SEPARATOR.join(("silt", *purpose)).encode()
        return Key(HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(self.secret))

    def digest(self, *identity: str) -> bytes:
        """Return the PRF of one identity: 32 bytes, equal to what `mac` gives for a row in hexadecimal."""
        return hmac.digest(self._mac_key().encode(), SEPARATOR.join(identity).encode(), "sha256")

    def mac(self, *identity: pl.Expr | str) -> pl.Expr:
        """Return the PRF of each row's identity as 64 hexadecimal digits (null if any part is null).

        Column names and expressions are cast to text and joined by `SEPARATOR`.
        """
        parts = [(pl.col(part) if isinstance(part, str) else part).cast(pl.String) for part in identity]
        joined = pl.concat_str(parts, separator=SEPARATOR) if len(parts) > 1 else parts[0]
        return _hmac_sha256(joined, self._mac_key())

    def draw(self, *identity: pl.Expr | str) -> pl.Expr:
        """Return one integer for each row, uniform on [0, 2**60)."""
        return self.mac(*identity).str.slice(0, DRAW_BITS // 4).str.to_integer(base=16, dtype=pl.Int64)

    def uniform(self, *identity: pl.Expr | str) -> pl.Expr:
        """Return one float for each row, uniform on [0, 1) in steps of 2**-53."""
        return (self.draw(*identity) // (1 << DRAW_BITS - 53)).cast(pl.Float64) * 2.0**-53

    def uniforms(self, count: int, *identity: str) -> npt.NDArray[np.float64]:
        """Return many floats for one identity, uniform on [0, 1) in steps of 2**-53; a shorter request is its beginning.

        The bits are AES-256 in counter mode (NIST SP 800-38A) from zero, under the PRF of the identity as its key.
        """
        stream = Cipher(AES256(self.digest(*identity)), CTR(bytes(16))).encryptor().update(bytes(8 * count))
        bits = np.frombuffer(stream, dtype="<u8") >> np.uint64(11)
        return bits.astype(np.float64) * 2.0**-53

    def stream(self, *identity: str) -> "KeyedRandom":
        """Return a generator for one identity, for code that asks for `random.Random` (faker)."""
        return KeyedRandom(self, identity)

    def fingerprint(self) -> str:
        """Return 16 hexadecimal digits that name the key without giving it away (HKDF output of their own purpose)."""
        return self.derive("fingerprint").secret.hex()[:16]

    def _mac_key(self) -> str:
        return self.secret.hex()


class KeyedRandom(random.Random):
    """A `random.Random` whose bits are HMAC-SHA256 in counter mode over one identity; seeding it is refused."""

    def __init__(self, key: Key, identity: tuple[str, ...]) -> None:
        self._key = key
        self._identity = identity
        self._counter = 0
        super().__init__()

    def seed(self, *_args: object, **_kwargs: object) -> None:
        """Do nothing: the identity is the seed."""

    def getrandbits(self, k: int, /) -> int:
        """Return `k` fresh bits, 0 <= result < 2**k."""
        block = b""
        while len(block) * 8 < k:
            block += self._key.digest(*self._identity, str(self._counter))
            self._counter += 1
        return int.from_bytes(block, "big") >> (len(block) * 8 - k)

    def random(self) -> float:
        """Return a float uniform on [0, 1) in steps of 2**-53."""
        return self.getrandbits(53) * 2.0**-53


def _hmac_sha256(text: pl.Expr, key: str) -> pl.Expr:
    return CryptographicHashingNameSpace(text).hmac_sha256(key=key)

"""Randomness as a keyed function: every decision is PRF(key of one purpose, label of what is decided on).

Nothing here holds state, so no result depends on row order, batches, threads, the machine or other rows.
Keys: one release key, one subkey a purpose by HKDF-SHA256 (RFC 5869). PRF: HMAC-SHA256 (RFC 2104), or single blocks of
AES-256 (FIPS 197) for draws on millions of cells.
Files and formats of keys do not belong here (`anonymize/keys/release_key.py`).
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import polars as pl
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES256
from cryptography.hazmat.primitives.ciphers.modes import CTR, ECB
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from polars_hash import CryptographicHashingNameSpace

SEPARATOR = "\x1f"
"""Stands between the parts of a label; raw cells may not hold it, so joined labels stay distinct."""

DRAW_BITS = 60
"""Bits of one draw: 15 hexadecimal digits of the MAC, the most that fit a signed 64-bit integer."""


@dataclass(frozen=True)
class Key:
    """A secret of 32 bytes for one purpose. Its `repr` shows nothing."""

    secret: bytes = field(repr=False)

    def derive(self, *purpose: str) -> "Key":
        """Derive the subkey for a purpose: HKDF-SHA256, the purpose as `info`, no salt."""
        info = SEPARATOR.join(("silt", *purpose)).encode()
        return Key(HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(self.secret))

    def digest(self, *label: str) -> bytes:
        """Return the PRF of one label: 32 bytes, equal to what `mac` gives for a row in hexadecimal."""
        return self.begun(*label).finalize()

    def begun(self, *label: str) -> HMAC:
        """Return the PRF of one label before its end: what is still read belongs to the label's last part."""
        mac = _keyed(self._mac_key()).copy()
        mac.update(SEPARATOR.join(label).encode())
        return mac

    def mac(self, *label: pl.Expr | str) -> pl.Expr:
        """Return the PRF of each row's label as 64 hexadecimal digits (null if any part is null).

        Column names and expressions are cast to text and joined by `SEPARATOR`.
        """
        parts = [(pl.col(part) if isinstance(part, str) else part).cast(pl.String) for part in label]
        joined = pl.concat_str(parts, separator=SEPARATOR) if len(parts) > 1 else parts[0]
        return _hmac_sha256(joined, self._mac_key())

    def draw(self, *label: pl.Expr | str) -> pl.Expr:
        """Return one integer for each row, uniform on [0, 2**60)."""
        return self.mac(*label).str.slice(0, DRAW_BITS // 4).str.to_integer(base=16, dtype=pl.Int64)

    def uniform(self, *label: pl.Expr | str) -> pl.Expr:
        """Return one float for each row, uniform on [0, 1) in steps of 2**-53."""
        return (self.draw(*label) // (1 << DRAW_BITS - 53)).cast(pl.Float64) * 2.0**-53

    def uniforms(self, count: int, *label: str) -> npt.NDArray[np.float64]:
        """Return many floats for one label, uniform on [0, 1) in steps of 2**-53; a smaller count gives their beginning.

        The bits are AES-256 in counter mode (NIST SP 800-38A) from zero, with the PRF of the label as key.
        """
        stream = Cipher(AES256(self.digest(*label)), CTR(bytes(16))).encryptor().update(bytes(8 * count))
        bits = np.frombuffer(stream, dtype="<u8") >> np.uint64(11)
        return bits.astype(np.float64) * 2.0**-53

    def stream(self, *label: str) -> "KeyedRandom":
        """Return a generator for one label, for code that asks for `random.Random` (faker)."""
        return KeyedRandom(self, label)

    def fingerprint(self) -> str:
        """Return 16 hexadecimal digits that name the key without disclosing it (HKDF output of a purpose of its own)."""
        return self.derive("fingerprint").secret.hex()[:16]

    def _mac_key(self) -> str:
        return self.secret.hex()


class BlockKey(Key):
    """A key whose uniform draws are single blocks of AES-256: for decisions on millions of cells, where HMAC is too slow.

    A block holds two words of 8 bytes: the first part of the label, and the rest of it (joined by `SEPARATOR`). The word of
    a canonical decimal below 10**18 is its number; the word of any other text is a 1 bit, then 63 bits of its MAC. So two
    numbers never share a word, and some two of n distinct texts do with probability n**2 / 2**64.
    """

    def uniform(self, *label: pl.Expr | str) -> pl.Expr:
        """Return one float for each row, uniform on [0, 1) in steps of 2**-53 (null if any part is null)."""
        parts = [pl.col(part) if isinstance(part, str) else part for part in label]
        rest = pl.concat_str(parts[1:], separator=SEPARATOR) if len(parts) > 2 else parts[-1]  # noqa: PLR2004
        words = [parts[0], rest] if len(parts) > 1 else parts
        return pl.map_batches(words, self._encrypted, return_dtype=pl.Float64)

    def _encrypted(self, parts: Sequence[pl.Series]) -> pl.Series:
        rows = max(len(part) for part in parts)
        words = [np.broadcast_to(self._words(part), rows) for part in parts]
        secret = self.derive("blocks", str(len(parts))).secret
        uniform = pl.Series(parts[0].name, _fractions(secret, words, rows))
        is_null = [part.is_null() for part in parts if part.null_count()]
        return uniform if not is_null else _nulled(uniform, is_null)

    def _words(self, labels: pl.Series) -> npt.NDArray[np.uint64]:
        texts = labels if labels.dtype == pl.UInt64 else labels.cast(pl.String)
        numbers = canonical_numbers(texts)
        words = numbers.fill_null(0).to_numpy()
        is_text = numbers.is_null()
        if not is_text.any():
            return words
        words = words.copy()
        words[is_text.to_numpy()] = self._words_of_texts(texts.filter(is_text).cast(pl.String))
        return words

    def _words_of_texts(self, texts: pl.Series) -> npt.NDArray[np.uint64]:
        distinct = texts.unique()
        # Hashing the distinct texts alone pays off only if most of them occur more than once.
        is_worth_it = 2 * len(distinct) < len(texts)
        macs = self.derive("words").mac(pl.lit(distinct if is_worth_it else texts))
        words = pl.select(macs.str.slice(0, 16).str.to_integer(base=16, dtype=pl.UInt64) | (1 << 63)).to_series()
        words = words.fill_null(0)
        return (texts.replace_strict(distinct, words) if is_worth_it else words).to_numpy()


def canonical_numbers(labels: pl.Series) -> pl.Series:
    """Return labels that are canonical decimals below 10**18 as numbers (UInt64), null for the others.

    A canonical decimal is as long as its number: it has no sign, no blank and no leading zero. Numbers (UInt64) are returned
    as they are, so that drawing by numbers and drawing by their texts give the same.
    """
    if labels.dtype == pl.UInt64:
        is_too_large = labels >= _LIMIT
        return labels.set(is_too_large, None) if is_too_large.any() else labels
    numbers = labels.cast(pl.UInt64, strict=False)
    length = labels.str.len_bytes().fill_null(0).to_numpy()
    figures = numbers.fill_null(0).to_numpy()
    is_canonical = (length > 0) & (figures >= _LEAST[np.minimum(length, len(_LEAST) - 1)]) & (figures < _LIMIT)
    return numbers if is_canonical.all() and not numbers.null_count() else numbers.set(pl.Series(~is_canonical), None)


class KeyedRandom(random.Random):
    """A `random.Random` whose bits are HMAC-SHA256 in counter mode over one label; seeding it is refused."""

    def __init__(self, key: Key, label: tuple[str, ...]) -> None:
        self._begun = key.begun(*label, "")
        self._counter = 0
        super().__init__()

    def seed(self, *_args: object, **_kwargs: object) -> None:
        """Do nothing: the label is the seed."""

    def getrandbits(self, k: int, /) -> int:
        """Return `k` fresh bits, 0 <= result < 2**k."""
        block = b""
        while len(block) * 8 < k:
            mac = self._begun.copy()
            mac.update(b"%d" % self._counter)
            block += mac.finalize()
            self._counter += 1
        return int.from_bytes(block, "big") >> (len(block) * 8 - k)

    def random(self) -> float:
        """Return a float uniform on [0, 1) in steps of 2**-53."""
        return self.getrandbits(53) * 2.0**-53


_LIMIT = 10**18
_LEAST = np.array([0, 0, *(10**digits for digits in range(1, 19))], dtype=np.uint64)
"""The least canonical decimal of each length from 0 to 18; longer ones are not below `_LIMIT`."""

_BLOCKS = 65_536
"""Blocks encrypted at a time: 1 MB, which stays in the cache."""


def _fractions(secret: bytes, words: Sequence[npt.NDArray[np.uint64]], rows: int) -> npt.NDArray[np.float64]:
    """Return, for each row, 53 bits of AES-256 of its one or two words as a fraction."""
    encryptor = Cipher(AES256(secret), ECB()).encryptor()  # noqa: S305  (a PRF, not a message)
    plain, encrypted = np.zeros((_BLOCKS, 2), "<u8"), np.empty((_BLOCKS + 1, 2), "<u8")
    result = np.empty(rows)
    for start in range(0, rows, _BLOCKS):
        size = min(_BLOCKS, rows - start)
        for place, word in enumerate(words):
            plain[:size, place] = word[start : start + size]
        encryptor.update_into(plain.data.cast("B")[: 16 * size], encrypted.data.cast("B"))
        result[start : start + size] = encrypted[:size, 0] >> np.uint64(11)
    return result * 2.0**-53


def _nulled(values: pl.Series, is_null: Sequence[pl.Series]) -> pl.Series:
    anywhere = pl.any_horizontal(*(pl.lit(series) for series in is_null))
    return pl.select(pl.when(~anywhere).then(pl.lit(values))).to_series()


@lru_cache(maxsize=1 << 10)
def _keyed(key: str) -> HMAC:
    """Return HMAC-SHA256 with nothing read yet: to copy it takes a quarter of the time of beginning with the key again."""
    return HMAC(key.encode(), SHA256())


def _hmac_sha256(text: pl.Expr, key: str) -> pl.Expr:
    return CryptographicHashingNameSpace(text).hmac_sha256(key=key)

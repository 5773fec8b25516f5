"""A keyed permutation of the integers below any bound. Their meaning is not known here."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.keyed import DRAW_BITS, Key

_Numbers = npt.NDArray[np.int64]

ROUNDS = 10
"""Feistel rounds, as in FF1 (NIST SP 800-38G, section 5.1)."""


@dataclass(frozen=True)
class Permutation:
    """A bijection of 0 <= index < size.

    A balanced Feistel network over the next even number of bits, with the PRF as round function. Its cycle is walked until
    an image is below `size` (Black and Rogaway 2002, "Ciphers with arbitrary finite domains"): at most 4 steps on average.
    """

    key: Key
    size: int

    def __call__(self, indices: Iterable[int]) -> list[int]:
        """Return the image of each index, 0 <= image < size."""
        images = self._enciphered(np.array(list(indices), dtype=np.int64))
        while (is_outside := images >= self.size).any():
            images[is_outside] = self._enciphered(images[is_outside])
        return list(map(int, images))

    def _enciphered(self, indices: _Numbers) -> _Numbers:
        # Both halves have the same number of bits, so that each round is a bijection.
        half = ((self.size - 1).bit_length() + 1) // 2
        left, right = indices >> half, indices & ((1 << half) - 1)
        for step in range(ROUNDS):
            left, right = right, left ^ (self._drawn(step, right) & ((1 << half) - 1))
        return left << half | right

    def _drawn(self, step: int, right: _Numbers) -> _Numbers:
        """Return the last bits of the PRF, as many as fit a signed 64-bit integer."""
        mac = self.key.mac(pl.lit(str(step)), "right").str.tail(DRAW_BITS // 4)
        drawn = pl.DataFrame({"right": right}).select(mac.str.to_integer(base=16, dtype=pl.Int64))
        return drawn.to_series().to_numpy()

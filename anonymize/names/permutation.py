"""A keyed permutation of the integers below any bound. Their meaning is not known here."""

from dataclasses import dataclass

from pipeline.keyed import Key

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

    def __call__(self, index: int) -> int:
        """Return the image of an index, 0 <= image < size."""
        image = self._enciphered(index)
        while image >= self.size:
            image = self._enciphered(image)
        return image

    def _enciphered(self, index: int) -> int:
        # Both halves have the same number of bits, so that each round is a bijection.
        half = ((self.size - 1).bit_length() + 1) // 2
        left, right = index >> half, index & ((1 << half) - 1)
        for step in range(ROUNDS):
            left, right = right, left ^ self._round(step, right, half)
        return left << half | right

    def _round(self, step: int, right: int, bits: int) -> int:
        return int.from_bytes(self.key.digest(str(step), str(right)), "big") & ((1 << bits) - 1)

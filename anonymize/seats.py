"""Gives texts distinct numbers, by keyed hash. Whether a number stands for a code or a name is not known here."""

from collections.abc import Container, Iterable

from pipeline.keyed import Key


def seats(texts: Iterable[str], key: Key, *, size: int, forbidden: Container[int]) -> dict[str, int]:
    """Give each distinct text a number below `size` that is not forbidden; two texts never share one.

    A text's candidates are PRF(key, text, 0), PRF(key, text, 1), ... modulo `size`, and it asks for them in this order. Of two
    texts that ask for one number, the one with the smaller PRF output gets it, and the other asks for its next. This is
    deferred acceptance (Gale and Shapley 1962): its outcome does not depend on who asks first, so not on the order of texts.

    When texts are added, an older text changes only if an added one wins its number, directly or by a chain of such changes.
    There must be more free numbers than texts, or this never ends; near that bound the number of attempts grows without limit.
    """
    holders: dict[int, _Claim] = {}
    for text in sorted(set(texts)):
        _seat(text, key, size, forbidden, holders)
    return {text: number for number, (_, text, _) in holders.items()}


_Claim = tuple[bytes, str, int]
"""PRF output, text and attempt."""


def _seat(text: str, key: Key, size: int, forbidden: Container[int], holders: dict[int, _Claim]) -> None:
    """Let a text ask until it holds a number, and so on for every text that loses its number."""
    attempt = 0
    while True:
        digest = key.digest(text, str(attempt))
        number = int.from_bytes(digest, "big") % size
        claim = (digest, text, attempt)
        if number not in forbidden:
            holder = holders.get(number)
            if holder is None or claim < holder:
                holders[number] = claim
                if holder is None:
                    return
                _, text, attempt = holder
        attempt += 1

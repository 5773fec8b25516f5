"""Salted commitments to the raw tables: one Merkle tree a table over its rows, of which root and number of rows are public.

The makers can show later that a row went in, without showing another. The tree is that of RFC 6962, section 2.1 (SHA-256;
leaves and nodes are hashed apart, so that no node passes for a row). A leaf is a row with 32 bytes of salt of its own:
HMAC-SHA256 of table and index under a salt that stays with the curator. So nobody who guesses a row can confirm it, and the
salt of a row that was shown tells nothing of another's. Reading raw tables belongs to `pipeline/conform/reading.py`.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

import polars as pl

from pipeline.keyed import Key

SCHEME = "urn:silt:commitment:v1"
"""What names this way of committing in a statement."""

Cells = Sequence[tuple[str, str | None]]
"""A row: each column's header and its text, null for an empty cell."""

_LEAF, _NODE = b"\x00", b"\x01"
"""RFC 6962, section 2.1."""


@dataclass(frozen=True)
class MerkleTree:
    """A Merkle tree: its levels from the leaves to the root."""

    levels: tuple[tuple[bytes, ...], ...]

    @property
    def root(self) -> bytes:
        """Return the root; that of no rows at all is the digest of nothing."""
        return self.levels[-1][0] if self.leaves else sha256().digest()

    @property
    def leaves(self) -> tuple[bytes, ...]:
        """Return the leaves, one a row."""
        return self.levels[0]

    def path(self, index: int) -> list[bytes]:
        """Return what is hashed with a leaf on its way to the root: the leaf's neighbour first."""
        on_way = ((level, (index >> height) ^ 1) for height, level in enumerate(self.levels[:-1]))
        return [level[place] for level, place in on_way if place < len(level)]


def salt_of(key: Key) -> Key:
    """Return the curator's salt under the key of a release: the same tables under the same key have the same commitments."""
    return key.derive("commitments")


def committed(table: str, headers: Sequence[str], rows: pl.DataFrame, salt: Key) -> MerkleTree:
    """Commit to the rows of a raw table as they were read: texts, in the order of the file."""
    return tree(leaf(cells, row_salt(salt, table, i)) for i, cells in enumerate(_cells(headers, rows)))


def tree(leaves: Iterable[bytes]) -> MerkleTree:
    """Return the Merkle tree over leaves. A node without a neighbour stands for itself one level higher."""
    levels = [tuple(leaves)]
    while len(levels[-1]) > 1:
        levels.append(tuple(_parents(levels[-1])))
    return MerkleTree(tuple(levels))


def leaf(cells: Cells, salt: bytes) -> bytes:
    """Return the leaf of a row: its cells as JSON without blanks, below its salt."""
    return sha256(_LEAF + salt + _JSON.encode(cells).encode()).digest()


def row_salt(salt: Key, table: str, index: int) -> bytes:
    """Return the salt of one row, 32 bytes."""
    return salt.digest(table, str(index))


def root_of(leaf: bytes, index: int, count: int, path: Sequence[bytes]) -> bytes | None:
    """Return the root to which a path leads from the leaf at an index of `count`; None if no such tree has this path.

    The procedure is RFC 9162's, section 2.1.3.2.
    """
    place, last, root = index, count - 1, leaf
    if not 0 <= place <= last:
        return None
    for neighbour in path:
        if last == 0:
            return None
        is_right = place % 2 or place == last
        root = _parent(neighbour, root) if is_right else _parent(root, neighbour)
        while is_right and place % 2 == 0 and place:
            place, last = place >> 1, last >> 1
        place, last = place >> 1, last >> 1
    return root if last == 0 else None


_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""One for all rows: `json.dumps` would make one for each."""


def _cells(headers: Sequence[str], rows: pl.DataFrame) -> Iterator[Cells]:
    return (tuple(zip(headers, row, strict=True)) for row in rows.iter_rows())


def _parents(level: Sequence[bytes]) -> Iterator[bytes]:
    yield from map(_parent, level[::2], level[1::2])
    if len(level) % 2:
        yield level[-1]


def _parent(left: bytes, right: bytes) -> bytes:
    return sha256(_NODE + left + right).digest()

"""Proofs that a row of a raw table is among those that a release committed to: made by the makers, checked by anybody.

A proof shows its row and its table's size, and nothing of another row. What commitments are belongs to `commitments.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from pipeline.conform.source import HEADER_ROWS
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.release.provenance.commitments import MerkleTree, leaf, root_of, row_salt
from pipeline.release.reading import Digest, Stated, read_as

_MOST_LEVELS = 64


class Commitment(Stated, strict=True):
    """What a release says of one raw table."""

    root: Digest
    rows: Annotated[int, Field(ge=0)] | None = None
    """Null where records are sampled: how many there are is the originals'."""


class Proof(Stated, strict=True):
    """A row of a raw table, and the way from it to the root."""

    format: Literal[1] = 1
    table: str
    row: Annotated[int, Field(ge=HEADER_ROWS + 1)]
    """Its number in the file, of which the header is row 1."""
    cells: tuple[tuple[str, str | None], ...]
    """Header and text of each column, null for an empty cell."""
    salt: Digest
    path: Annotated[tuple[Digest, ...], Field(max_length=_MOST_LEVELS)]
    """What is hashed with the row on its way to the root, its neighbour first."""
    rows: Annotated[int, Field(ge=1)] | None = None
    """Of the table, which a release of sampled records does not say."""


def commitment(tree: MerkleTree, *, is_counted: bool = True) -> Commitment:
    """Return what is published of a tree, its number of rows if that may be known."""
    return Commitment(root=tree.root.hex(), rows=len(tree.leaves) if is_counted else None)


def proof_of(tree: MerkleTree, table: str, row: int, cells: Sequence[tuple[str, str | None]], salt: Key) -> Proof:
    """Return the proof of a row, by its number in the file.

    Raises:
        InputError: The table has no such row, or its cells are not those that were committed to.
    """
    index = row - HEADER_ROWS - 1
    own = row_salt(salt, table, index)
    if tree.leaves[index] != leaf(cells, own):
        raise InputError(
            f"raw table {table!r}, row {row}: its cells are not those that the release was made of; "
            "say with --raw (RAW) where the tables lie that it was made of"
        )
    path = tuple(each.hex() for each in tree.path(index))
    return Proof(table=table, row=row, cells=tuple(cells), salt=own.hex(), path=path, rows=len(tree.leaves))


def index_of(table: str, row: int, rows: int) -> int:
    """Return the index of a row by its number in the file, of which the header is row 1; or raise `InputError`."""
    first = HEADER_ROWS + 1
    if not first <= row < rows + first:
        raise InputError(f"raw table {table!r} has no row {row}; its rows are {first} to {rows + HEADER_ROWS}")
    return row - first


def read_proof(content: bytes) -> Proof:
    """Read a proof.

    Raises:
        InputError: It is none; the message names the field, and none of its content.
    """
    remedy = "`silt release --disclose TABLE ROW` prints one"
    return read_as(Proof.model_validate_json, content, "a proof of a row", remedy=remedy)


def holds(proof: Proof, commitments: Mapping[str, Commitment]) -> bool:
    """Return whether a row is among those that a release committed to; raise `InputError` if it says nothing of the table."""
    if proof.table not in commitments:
        raise InputError.unknown("raw table of a proof", proof.table, commitments)
    stated = commitments[proof.table]
    own = leaf(proof.cells, bytes.fromhex(proof.salt))
    rows = proof.rows if stated.rows is None else stated.rows
    if rows is None:
        return False
    root = root_of(own, proof.row - HEADER_ROWS - 1, rows, [bytes.fromhex(each) for each in proof.path])
    return root is not None and root.hex() == stated.root

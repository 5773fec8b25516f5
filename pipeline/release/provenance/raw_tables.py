"""Commits to the raw tables of a release as they lie, keeps with the curator what proofs need, and proves single rows.

What is kept: the salt, and each table's leaves, which are digests. The rows stay where they are; a proof reads them again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.conform.reading import read
from pipeline.conform.source import Source
from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.model import RawTable
from pipeline.private import private_file, private_folder
from pipeline.release.provenance.commitments import MerkleTree, committed, tree
from pipeline.release.provenance.proofs import Commitment, Proof, commitment, index_of, proof_of

SALT, LEAVES = "salt.hex", "leaves"
"""Names in the curator's half of a release: a file, and a folder with a file a table."""

_DIGEST = 32
"""Bytes of a leaf."""


@dataclass(frozen=True, kw_only=True)
class Committed:
    """The trees of all raw tables that are there, and the salt of their rows."""

    salt: Key
    trees: Mapping[str, MerkleTree]

    def published(self, *, is_counted: bool = True) -> dict[str, Commitment]:
        """Return what a release says of each table, its number of rows if that may be known."""
        return {name: commitment(each, is_counted=is_counted) for name, each in self.trees.items()}

    def keep(self, curator: Path) -> None:
        """Write what proofs need into the curator's half, for its owner alone."""
        private_file(curator / SALT).write_text(f"{self.salt.secret.hex()}\n", encoding="utf-8")
        leaves = private_folder(curator / LEAVES)
        for name, each in self.trees.items():
            private_file(_leaves_file(leaves, name)).write_bytes(b"".join(each.leaves))


def commit(tables: Iterable[RawTable], folder: Path, salt: Key) -> Committed:
    """Commit to the raw tables of a folder; an optional one that is not there is left out.

    Raises:
        ContractError: A file is missing, or cannot be read.
        InputError: The folder cannot be opened.
    """
    found = ((table.name, read(table, folder)) for table in tables)
    trees = {name: committed(name, each.headers, each.text, salt) for name, each in found if each is not None}
    return Committed(salt=salt, trees=trees)


def disclose(table: RawTable, row: int, *, raw: Path, curator: Path) -> Proof:
    """Return the proof of a row, by its number in the file of which the header is row 1.

    Raises:
        InputError: The release was not made of such a table or row, or the row is no longer what it was.
    """
    kept, salt = _kept(curator, table.name)
    found = read(table, raw)
    index = index_of(table.name, row, len(kept.leaves))
    return proof_of(kept, table.name, row, _cells(found, index, table.name), salt)


def _kept(curator: Path, table: str) -> tuple[MerkleTree, Key]:
    try:
        salt = Key(bytes.fromhex((curator / SALT).read_text(encoding="utf-8")))
        content = _leaves_file(curator / LEAVES, table).read_bytes()
    except (OSError, ValueError):
        raise InputError(
            f"{curator} keeps no commitment to a raw table {table!r}; say which release with --version, and --releases"
        ) from None
    return tree(content[i : i + _DIGEST] for i in range(0, len(content), _DIGEST)), salt


def _cells(found: Source | None, index: int, table: str) -> list[tuple[str, str | None]]:
    if found is None or index >= len(found.text):
        raise InputError(
            f"the raw table {table!r} no longer has this row; say with --raw where the tables lie that the release was made of"
        )
    return list(zip(found.headers, found.text.row(index), strict=True))


def _leaves_file(folder: Path, table: str) -> Path:
    return folder / f"{table}.sha256"

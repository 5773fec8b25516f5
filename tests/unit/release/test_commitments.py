"""Commitments to raw tables: roots as RFC 6962 has them, every row's proof holds, and no changed one does."""

import json
from collections.abc import Sequence
from hashlib import sha256

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import InputError
from pipeline.keyed import Key
from pipeline.release.provenance.commitments import MerkleTree, committed, leaf, root_of, row_salt, salt_of, tree
from pipeline.release.provenance.proofs import Commitment, Proof, commitment, holds, index_of, proof_of, read_proof

SALT = Key(b"s" * 32)

DIGESTS = st.binary(min_size=32, max_size=32)

FEW = st.lists(DIGESTS, min_size=1, max_size=70)

RFC_6962_INPUTS = ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
"""Leaves of the reference tree of certificate-transparency (merkletree/merkle_tree_test.go), in hexadecimal."""

RFC_6962_ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
"""Roots over the first 1, 2, ... 8 of them, from the same place."""

CELLS = st.lists(st.tuples(st.text(max_size=5), st.none() | st.text(max_size=9)), min_size=1, max_size=4).map(tuple)


def slow_root(leaves: Sequence[bytes]) -> bytes:
    """Return the root as section 2.1 of RFC 6962 defines it, word by word."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = max(2**i for i in range(len(leaves)) if 2**i < len(leaves))
    return sha256(b"\x01" + slow_root(leaves[:k]) + slow_root(leaves[k:])).digest()


def slow_path(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Return the audit path as section 2.1.1 of RFC 6962 defines it, word by word."""
    if len(leaves) == 1:
        return []
    k = max(2**i for i in range(len(leaves)) if 2**i < len(leaves))
    if index < k:
        return [*slow_path(index, leaves[:k]), slow_root(leaves[k:])]
    return [*slow_path(index - k, leaves[k:]), slow_root(leaves[:k])]


def test_a_leaf_is_no_node() -> None:
    """Behind another first byte each (RFC 9162, section 2.1.1): what is hashed of two leaves is the row of none."""
    cells = (("code", "A1"), ("name", None))
    own = sha256(b"\x00" + b"salt" + b'[["code","A1"],["name",null]]').digest()
    assert leaf(cells, b"salt") == own
    assert tree([own, own]).root == sha256(b"\x01" + own + own).digest()


@pytest.mark.parametrize("count", range(1, 9))
def test_roots_are_those_of_certificate_transparency(count: int) -> None:
    """Without salts, the tree is the published one."""
    leaves = [sha256(b"\x00" + bytes.fromhex(each)).digest() for each in RFC_6962_INPUTS[:count]]
    assert tree(leaves).root.hex() == RFC_6962_ROOTS[count - 1]


@given(st.lists(DIGESTS, max_size=70))
def test_roots_are_those_of_the_definition(leaves: list[bytes]) -> None:
    """A tree of any size, none at all included, has the root that RFC 6962 defines."""
    assert tree(leaves).root == slow_root(leaves)


@given(FEW, st.data())
def test_paths_are_those_of_the_definition_and_lead_to_the_root(leaves: list[bytes], data: st.DataObject) -> None:
    """The way from any leaf to the root is what RFC 6962 defines, and leads there."""
    index, made = data.draw(st.integers(0, len(leaves) - 1)), tree(leaves)
    assert made.path(index) == slow_path(index, leaves)
    assert root_of(leaves[index], index, len(leaves), made.path(index)) == made.root


@given(st.integers(1, 70), st.data())
def test_no_other_way_leads_to_the_root(count: int, data: st.DataObject) -> None:
    """A changed leaf, index, or path, a longer or shorter path: none leads to the root."""
    leaves = [sha256(bytes([i])).digest() for i in range(count)]
    made, index = tree(leaves), data.draw(st.integers(0, count - 1))
    path = made.path(index)
    assert root_of(data.draw(DIGESTS), index, count, path) != made.root
    assert root_of(leaves[index], index, count, [*path, data.draw(DIGESTS)]) != made.root
    for other in range(-2, count + 2):
        if other != index:
            assert root_of(leaves[index], other, count, path) != made.root
    for place in range(len(path)):
        assert root_of(leaves[index], index, count, path[:place]) != made.root
        changed = [*path[:place], data.draw(DIGESTS), *path[place + 1 :]]
        assert root_of(leaves[index], index, count, changed) != made.root


def test_a_path_may_not_lead_on_below_a_leaf() -> None:
    """A leaf that happens to be a node above two others is a leaf all the same: a longer path to it is refused."""
    below, neighbour = sha256(b"x").digest(), sha256(b"y").digest()
    leaves = [sha256(b"\x01" + neighbour + below).digest(), bytes(32)]
    for count in (1, 2):
        made = tree(leaves[:count])
        assert root_of(leaves[0], 0, count, made.path(0)) == made.root
        assert root_of(below, count - 1, count, [neighbour, *made.path(0)]) is None


def table(count: int) -> pl.DataFrame:
    return pl.DataFrame(
        {"0": [f"C{i}" for i in range(count)], "1": [None if i % 3 else f"名 {i}" for i in range(count)]},
        schema={"0": pl.String, "1": pl.String},
    )


HEADERS = ("code", "name")


def proof(made: MerkleTree, rows: pl.DataFrame, row: int) -> Proof:
    cells = tuple(zip(HEADERS, rows.row(row - 2), strict=True))
    return proof_of(made, "shops", row, cells, SALT)


@given(st.integers(1, 40), st.data())
def test_every_proof_holds(count: int, data: st.DataObject) -> None:
    """Of a table of any size the proof of any row holds, also after it was written and read."""
    rows = table(count)
    made = committed("shops", HEADERS, rows, SALT)
    shown = proof(made, rows, data.draw(st.integers(2, count + 1)))
    assert holds(read_proof(shown.model_dump_json().encode()), {"shops": commitment(made)})


def test_a_proof_holds_where_the_number_of_rows_is_not_public() -> None:
    """It says itself of how many rows it is one; without that, or with another number, it shows nothing."""
    rows = table(5)
    made = committed("shops", HEADERS, rows, SALT)
    shown, told = proof(made, rows, 6), {"shops": commitment(made, is_counted=False)}
    assert told["shops"].rows is None
    assert holds(shown, told)
    assert not holds(shown.model_copy(update={"rows": None}), told)
    assert not holds(shown.model_copy(update={"rows": 9}), told)


@given(st.integers(1, 12), st.data())
def test_no_changed_proof_holds(count: int, data: st.DataObject) -> None:
    """A proof of which row, cell, header, salt or path was changed does not hold; nor does one of another table."""
    rows = table(count)
    made = committed("shops", HEADERS, rows, SALT)
    row = data.draw(st.integers(2, count + 1))
    shown, told = proof(made, rows, row), {"shops": commitment(made)}
    (code, value), (name, text) = shown.cells
    other = data.draw(DIGESTS.map(bytes.hex))
    changes: list[dict[str, object]] = [
        *({"row": number} for number in range(2, count + 3) if number != row),
        {"cells": ((code, f"{value}x"), (name, text))},
        {"cells": ((code, value), (name, "" if text is None else None))},
        {"cells": ((code, value), ("other", text))},
        {"cells": ((name, text), (code, value))},
        {"cells": ((code, value),)},
        {"salt": other},
        {"path": (*shown.path, other)},
        *({"path": (*shown.path[:i], other, *shown.path[i + 1 :])} for i in range(len(shown.path))),
        *({"path": (*shown.path[:i], *shown.path[i + 1 :])} for i in range(len(shown.path))),
    ]
    for change in changes:
        assert not holds(shown.model_copy(update=change), told), change
    assert not holds(shown, {"shops": Commitment(root=other, rows=count)})
    # Another number of rows may have the same way for a row, but its root is another.
    assert not holds(shown, {"shops": commitment(tree([*made.leaves, bytes(32)]))})


@given(CELLS, CELLS)
def test_different_rows_have_different_leaves(
    first: Sequence[tuple[str, str]], second: Sequence[tuple[str, str]]
) -> None:
    """What is hashed of a row says where each cell ends, and whether it is empty."""
    assert (leaf(first, bytes(32)) == leaf(second, bytes(32))) == (tuple(first) == tuple(second))


def test_equal_rows_do_not_show() -> None:
    """Equal rows have different leaves, in one table and in two: their salts are different."""
    rows = pl.DataFrame({"0": ["x"] * 3})
    leaves = [each for name in ("a", "b") for each in committed(name, ["c"], rows, SALT).leaves]
    assert len(set(leaves)) == len(leaves)


def test_salts_depend_on_key_and_purpose() -> None:
    """The salt of a release is no other key of it; under another key every commitment is another."""
    key = Key(b"k" * 32)
    assert salt_of(key).secret != key.secret
    assert row_salt(salt_of(key), "a", 1) == salt_of(key).digest("a", "1")
    assert row_salt(salt_of(key), "a", 1) != row_salt(salt_of(Key(b"l" * 32)), "a", 1)


@pytest.mark.parametrize("row", [-1, 0, 1, 5])
def test_a_row_that_is_not_there_is_refused(row: int) -> None:
    """The message says which rows there are, in the numbering of the file."""
    with pytest.raises(InputError, match=rf"'shops' has no row {row}; its rows are 2 to 4"):
        index_of("shops", row, 3)
    assert [index_of("shops", one, 3) for one in (2, 3, 4)] == [0, 1, 2]


def test_cells_that_were_changed_since_are_refused_and_not_shown() -> None:
    """A raw table that is not the one of the release gives no proof; no cell stands in the message."""
    rows = table(3)
    made = committed("shops", HEADERS, rows, SALT)
    with pytest.raises(InputError, match="row 2: its cells are not those that the release was made of") as caught:
        proof_of(made, "shops", 2, (("code", "SECRET"), ("name", None)), SALT)
    assert "SECRET" not in str(caught.value)


def test_a_table_that_the_release_does_not_know_is_refused() -> None:
    """A proof of another release's table says so, instead of merely not holding."""
    rows = table(3)
    shown = proof(committed("shops", HEADERS, rows, SALT), rows, 2)
    with pytest.raises(InputError, match="unknown raw table of a proof 'shops'; known: cafes"):
        holds(shown, {"cafes": Commitment(root="0" * 64, rows=1)})


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"salt": "0" * 63}, "salt"),
        ({"salt": "A" * 64}, "salt"),
        ({"path": ["x"]}, "path.0"),
        ({"row": 1}, "row"),
        ({"row": "3"}, "row"),
        ({"cells": [["a", 1]]}, "cells.0.1"),
        ({"format": 2}, "format"),
        ({"more": 1}, "more"),
    ],
)
def test_what_is_no_proof_is_refused(change: dict[str, object], place: str) -> None:
    """The message names the field, and shows nothing of the content."""
    rows = table(3)
    shown = json.loads(proof(committed("shops", HEADERS, rows, SALT), rows, 3).model_dump_json())
    with pytest.raises(InputError, match=rf"not a proof of a row, at '{place}'.*--disclose TABLE ROW") as caught:
        read_proof(json.dumps(shown | change).encode())
    assert "C1" not in str(caught.value)

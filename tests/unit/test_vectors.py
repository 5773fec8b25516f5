"""Golden vectors: what follows from a release key, and the limits, are what is written down."""

import json

import pytest

from tests.vectors import as_json, vectors, written

FOUND = json.loads(as_json(vectors()))


@pytest.mark.parametrize("part", FOUND)
def test_vectors_are_those_that_are_written_down(part: str) -> None:
    """`python -m tests.vectors` writes down what there is now; a change of it is a decision."""
    assert FOUND[part] == written()[part]


def test_nothing_else_is_written_down() -> None:
    """Each part is made."""
    assert FOUND.keys() == written().keys()

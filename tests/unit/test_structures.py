"""Documents of the right form with one part that is something else: read, or refused with their name, and nothing else."""

import json
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS
from tests.integration.readme import write_example

RULE = {"kind": "missing_values", "tables": ["accounts"], "parameters": {"columns": ["costs"]}, "reason": "gone"}
RATE = {"type": "completely_at_random", "rate": 0.5}
DOCUMENTS: dict[str, Any] = {
    "specification": {"environment": "shops", "rules": [RULE | {"name": "gaps", "mechanism": RATE}]},
    "ablations": {"environment": "shops", "noise": "shops.yaml", "ladder": ["missing"], "leave_one_out": True},
    "cleaning": {"environment": "shops", "suspicions": [RULE]},
    "uses": {"format": 1, "uses": [{"key": "0", "environment": "shops", "policy": "lsd", "originals": "1"}]},
    "manifest": {"environment": "shops", "files": [{"path": "database/shops.csv"}]},
    "audited": {"policy": "lsd", "scale": None, "key_fingerprint": "0", "is_demonstration_key": False},
    "head": {"format": 1, "environment": "shops", "version": "1.0.0", "variants": ["noisy"], "files": []},
    "proof": {"table": "shops", "row": 1, "cells": [["shop", "A1"]], "salt": "0", "path": []},
    "raw-json": {"a": "b", "c": None},
}

odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text()
    | st.sampled_from(["..", "/", "shops.yaml", "9" * 5000, "\0", "1e999", "*"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def places(tree: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where the parts of a document stand."""
    yield place
    if isinstance(tree, dict | list):
        for step, part in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from places(part, (*place, step))


def changed(tree: Any, place: tuple[Any, ...], part: Any) -> Any:
    """Return a document with another part at a place."""
    if not place:
        return part
    made = dict(tree) if isinstance(tree, dict) else list(tree)
    made[place[0]] = changed(tree[place[0]], place[1:], part)
    return made


@pytest.fixture(scope="module", autouse=True)
def working_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with chdir(tmp_path_factory.mktemp("structures")):
        write_example(Path())
        for target in DOCUMENTS:
            Path(TARGETS[target].file).parent.mkdir(parents=True, exist_ok=True)
        yield


@given(st.data())
@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_read_or_refused(name: str, data: st.DataObject) -> None:
    """Whatever stands in the place of a part."""
    tree = DOCUMENTS[name]
    made = changed(tree, data.draw(st.sampled_from(list(places(tree)))), data.draw(odd))
    text = json.dumps(made) if TARGETS[name].file.endswith("json") else yaml.safe_dump(made, allow_unicode=True)
    TARGETS[name].read(text.encode(errors="surrogatepass"))

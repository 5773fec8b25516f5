"""Published bytes change on purpose only: the digest of every published file of the shared builds is pinned.

After a change on purpose, with a line in CHANGELOG.md: `SILT_PIN=1 python -m pytest tests/integration/test_published_bytes.py`
writes the digests anew; with `SILT_REAL_TABLES=nowhere` before it, those of the generated tables of listed companies.
"""

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

from tests.conftest import REAL_TABLES
from tests.integration.conftest import Build

PINNED = Path(__file__).with_name("published_bytes.json")

BUILDS = (
    *("small", pytest.param("small_guarded", marks=pytest.mark.slow)),
    *("listed", pytest.param("listed_guarded", marks=pytest.mark.slow)),
)
"""Fixtures: dataclaw-18 and us-listed, each under both policies, with a key that is always the same."""


def digests(build: Build) -> dict[str, str]:
    """Return the digest of each file of the tables of both variants, by path."""
    files = [
        file
        for part in ("noisy/database", "clean/database", "clean/ideal")
        for file in (build.folder / part).rglob("*")
    ]
    return {
        file.relative_to(build.folder).as_posix(): sha256(file.read_bytes()).hexdigest()
        for file in sorted(files)
        if file.is_file()
    }


@pytest.mark.parametrize("name", BUILDS)
def test_published_bytes_are_those_that_are_pinned(name: str, request: pytest.FixtureRequest) -> None:
    """A file that is not byte for byte what it was is a decision, or a mistake."""
    found, pinned = digests(request.getfixturevalue(name)), json.loads(PINNED.read_text())
    name = name.replace("listed", "real" if REAL_TABLES.is_dir() else "generated")
    if os.environ.get("SILT_PIN"):
        PINNED.write_text(json.dumps(pinned | {name: found}, indent=1, sort_keys=True) + "\n")
    changed = sorted(path for path in {*found, *pinned[name]} if found.get(path) != pinned[name].get(path))
    assert not changed

"""One small corpus and one of full size, each generated once for all tests of this folder."""

import pytest

from raw.corpus import generate
from tests.unit.raw.generated import Corpus, read

SMALL = 0.02


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("small") / "corpus"
    generate(folder, SMALL)
    return read(folder)


@pytest.fixture(scope="session")
def full(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("full") / "corpus"
    generate(folder, 1.0)
    return read(folder)

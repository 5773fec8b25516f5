"""One small corpus, generated once for all tests of this folder, and the one of full size that other tests share."""

import pytest

from raw.corpus import generate
from tests.full_corpus import full_corpus
from tests.shared_builds import SharedBuilds
from tests.unit.raw.generated import Corpus, read

SMALL = 0.02


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("small") / "corpus"
    generate(folder, SMALL)
    return read(folder)


@pytest.fixture(scope="session")
def full(builds: SharedBuilds) -> Corpus:
    (folder,) = full_corpus(builds).iterdir()
    return read(folder)

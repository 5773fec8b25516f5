"""The generated corpus at full size, which tests of several folders look at."""

from pathlib import Path

from raw.landing import land
from silt.environments.dataclaw_18 import DATACLAW_18
from tests.shared_builds import SharedBuilds


def full_corpus(builds: SharedBuilds) -> Path:
    """Return the folder, shared with others, in which the corpus has landed at full size."""
    corpus = DATACLAW_18.corpus
    assert corpus is not None
    return builds.made("full-corpus", lambda folder: land(corpus, folder, 1.0))

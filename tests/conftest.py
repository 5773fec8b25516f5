"""What all tests share: hypothesis without deadlines (a loaded machine is no defect), and where the real tables are."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("silt", deadline=None)
settings.load_profile("silt")


@pytest.fixture(scope="session")
def real_tables() -> Path:
    """Return the folder of real tables beside the checkout, or skip: the project does without them."""
    beside = Path(__file__).parents[2] / "shared" / "real"
    folder = Path(os.environ.get("SILT_REAL_TABLES", beside))
    if not folder.is_dir():
        pytest.skip("the real tables are not beside the checkout")
    return folder
